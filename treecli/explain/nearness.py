"""What it costs to change a row, and the boxes that it may be moved into, the cheapest first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import count
from math import inf, isinf, isnan, nextafter
from sys import float_info
from typing import TYPE_CHECKING, Any

from treecli.data import UNSEEN, Dataset
from treecli.errors import CheckError
from treecli.flow import in_double
from treecli.model import Model
from treecli.predict.predict import distributions, predicted
from treecli.rules import predict
from treecli.rules.boxes import NO_NUMBER, Box, Space, does_contain, intersection, shortest_between
from treecli.rules.rule import BY_CONDITION
from treecli.rules.rulelist import RuleList
from treecli.values import Condition, Interval

if TYPE_CHECKING:
    from treecli.data import Attribute
    from treecli.rules.boxes import Values

MOST_BOXES = 200_000
"""So many are taken up before the search is given up, besides those that any search may need: two for each node or
rule. Only missing values that go down several branches, and rules that overlap, can ask for more."""

MOST_DECIMALS = 17

Cost = tuple[int, float]
"""How many attributes change; and by how much, each as a share of its range."""


@dataclass(frozen=True, slots=True)
class Change:
    """A value that has to change: what it must satisfy, and the value nearest to the old one that does.

    `value` is as near, but written with as many decimals as the old value has, as far as that goes.
    """

    attribute: int
    condition: Condition
    nearest: float
    value: float


@dataclass(frozen=True, slots=True)
class Flip:
    """Changes that together make the model say a label, what they cost, and the row after them."""

    changes: tuple[Change, ...]
    distance: float
    row: Dataset


class Search:
    """One row, what moving it costs, and the boxes that are still to be taken up."""

    def __init__(self, model: Model | RuleList, row: Dataset, label: int, fixed: frozenset[int]) -> None:
        self._model, self._row, self.label = model, row, label
        self.space = Space(model.schema, tells_unseen=model.settings.predicting.unseen == BY_CONDITION)
        attributes = model.schema.attributes
        self._own = [self._one(index, row.columns[index][0].item()) for index in range(len(attributes))]
        known: list[Values] = [
            (-inf, inf, False) if attribute.is_numeric else (1 << len(attribute.labels)) - 1 for attribute in attributes
        ]
        self._start = [
            own if index in fixed else _either(own, all_known)
            for index, (own, all_known) in enumerate(zip(self._own, known, strict=True))
        ]
        self._scale = _scales(model, row)
        self._pending: list[tuple[Cost, int, Box, Any]] = []
        self._numbers = count()
        n_parts = len(model.rules) if isinstance(model, RuleList) else model.tree.n_nodes
        self._n_left = MOST_BOXES + 2 * n_parts

    def _one(self, index: int, value: float) -> Values:
        """A value, a code or a number, as the set that holds nothing else."""
        attribute = self.space.schema.attributes[index]
        if attribute.is_numeric:
            if isnan(value):
                return (*NO_NUMBER, True)
            # No bound parts -inf from the lowest number.
            return nextafter(value, -inf), max(value, nextafter(-inf, 0.0)), False
        is_unseen = value == UNSEEN and self.space.tells_unseen
        return 1 << (int(value) if value >= 0 else len(attribute.labels) + is_unseen)

    def part(self, box: Box, other: Box) -> Box | None:
        """What the row may become that is in both."""
        start = {attribute: self._start[attribute] for attribute in other if attribute not in box}
        return intersection(box | start, other)

    def without(self, box: Box, other: Box) -> list[Box]:
        """What the row may become that is in a box and not in the other."""
        start = {attribute: self._start[attribute] for attribute in other if attribute not in box}
        return self.space.left_of(box | start, other)

    def add(self, box: Box, state: Any = None) -> None:
        """Puts a box among those to be taken up, before all others that cost the same: that goes deep first."""
        heappush(self._pending, (self._cost(box), -next(self._numbers), box, state))

    def nearest_first(self) -> Iterator[tuple[Box, Any]]:
        """The boxes, the cheapest first; more may be added all the time."""
        while self._pending:
            self._n_left -= 1
            if self._n_left < 0:
                raise CheckError(
                    "gave up: the row can be changed in too many ways to find the smallest",
                    "hold attributes with --fixed, or fill in missing values",
                )
            _, _, box, state = heappop(self._pending)
            yield box, state

    def _cost(self, box: Box) -> Cost:
        moved = [(index, values) for index, values in sorted(box.items()) if not self._is_in(index, values)]
        return len(moved), sum(self._distance(index, values) for index, values in moved)

    def _is_in(self, index: int, values: Values) -> bool:
        """Whether the row's own value is one of these."""
        return does_contain({index: values}, {index: self._own[index]})

    def _distance(self, index: int, values: Values) -> float:
        attribute, old = self.space.schema.attributes[index], self._row.columns[index][0].item()
        if attribute.is_numeric:
            if isnan(old):
                return 1.0
            difference = abs(_nearest_number(old, values) - float(old))
            # Finite numbers may lie further apart than the largest number.
            return (difference if isinf(old) else min(difference, float_info.max)) / self._scale[index]
        if attribute.kind == "ordinal" and old >= 0:
            return abs(_nearest_code(old, values, attribute) - int(old)) / (len(attribute.labels) - 1)
        return 1.0

    def flip(self, box: Box) -> Flip:
        """The changes that take the row into a box."""
        changes = []
        for index, values in sorted(box.items()):
            if self._is_in(index, values):
                continue
            attribute, old = self.space.schema.attributes[index], self._row.columns[index][0].item()
            if isinstance(values, int):
                values &= (1 << len(attribute.labels)) - 1
                nearest = value = float(_nearest_code(old, values, attribute))
            else:
                values = (values[0], values[1], False)
                nearest = _nearest_number(old, values)
                value = _readable_number(nearest, old, values)
            changes.append(Change(index, self.space.condition(index, values), nearest, value))
        return Flip(tuple(changes), self._cost(box)[1], _changed(self._row, {c.attribute: c.value for c in changes}))

    def nearest(self, box: Box) -> Dataset:
        """The row of a box that is nearest to the given one."""
        return _changed(self._row, {change.attribute: change.nearest for change in self.flip(box).changes})

    def point(self, box: Box) -> list[Values]:
        """The row of a box that is nearest to the given one, each of its values as a set."""
        moved = {change.attribute: self._one(change.attribute, change.nearest) for change in self.flip(box).changes}
        return [moved.get(index, own) for index, own in enumerate(self._own)]

    def says_label(self, row: Dataset) -> bool:
        """Whether the model itself says the label of a row."""
        if isinstance(self._model, RuleList):
            code = predict.said(self._model, row, 1)[0][0]
        else:
            code = predicted(self._model, distributions(self._model, row, 1))[0]
        return bool(code == self.label)

    def condition_box(self, conditions: Iterable[Condition]) -> Box | None:
        """The rows that satisfy conditions, of numbers before they are rounded."""
        if self._model.settings.predicting.single_precision:
            conditions = [self._unrounded(condition) for condition in conditions]
        return self.space.box(conditions)

    def _unrounded(self, condition: Condition) -> Condition:
        is_number = self.space.schema.attributes[condition.attribute].is_numeric
        if is_number and isinstance(condition, Interval) and condition.takes_known:
            return replace(condition, low=in_double(condition.low), high=in_double(condition.high))
        return condition


def _either(own: Values, known: Values) -> Values:
    """All known values, and the row's own if that is not known."""
    if isinstance(own, int):
        return own | known  # type: ignore[operator]
    return (-inf, inf, own[2])


def _nearest_number(old: float, values: Values) -> float:
    low, high, _ = values  # type: ignore[misc]
    if isnan(old):
        return shortest_between(low, high)
    if old > high:
        return high
    return old if old > low else nextafter(low, inf)


def _nearest_code(old: int, values: Values, attribute: Attribute) -> int:
    """The nearest of some labels of an ordinal attribute, else the first of them."""
    codes = [code for code in range(len(attribute.labels)) if int(values) >> code & 1]  # type: ignore[arg-type]
    return min(codes, key=lambda code: abs(code - old)) if attribute.kind == "ordinal" and old >= 0 else codes[0]


def _readable_number(nearest: float, old: float, values: Values) -> float:
    """A number of the span near its nearest, with as many decimals as the old one or as few more as can be."""
    low, high, _ = values  # type: ignore[misc]
    if isinf(nearest) or isinf(old) or isnan(old):
        return nearest
    written = repr(old).partition(".")[2]
    decimals = 0 if written == "0" or "e" in written else len(written)
    for n_decimals in range(decimals, MOST_DECIMALS + 1):
        unit = 10.0**-n_decimals
        rounded = round(nearest, n_decimals)
        for number in (rounded, round(rounded + unit, n_decimals), round(rounded - unit, n_decimals)):
            if low < number <= high:
                return number
    return nearest


def _changed(row: Dataset, values: dict[int, float]) -> Dataset:
    columns = list(row.columns)
    for attribute, value in values.items():
        columns[attribute] = columns[attribute].copy()
        columns[attribute][0] = value
    return replace(row, columns=columns)


def _scales(model: Model | RuleList, row: Dataset) -> list[float]:
    """What a change of each numeric attribute is measured by: its range in training.

    Where that is not known, or one number, it is how far the bounds lie apart that the model compares the attribute
    with, together with the row's own value; where that is 0 too, 1.
    """
    bounds: dict[int, set[float]] = {}
    for index, bound in _bounds(model):
        bounds.setdefault(index, set()).add(bound)
    scales = []
    for index, attribute in enumerate(model.schema.attributes):
        low, high = attribute.range or (0.0, 0.0)
        if attribute.is_numeric and not high > low:
            own = row.columns[index][0].item()
            compared = [number for number in {*bounds.get(index, ()), own} if not isnan(number) and not isinf(number)]
            low, high = (min(compared), max(compared)) if compared else (0.0, 0.0)
        scales.append(min(high - low, float_info.max) if high > low else 1.0)
    return scales


def _bounds(model: Model | RuleList) -> Iterator[tuple[int, float]]:
    """The attributes and the numbers that a model compares them with."""
    if isinstance(model, RuleList):
        for rule in model.rules:
            for condition in rule.conditions:
                if isinstance(condition, Interval) and condition.takes_known:
                    yield from ((condition.attribute, bound) for bound in (condition.low, condition.high))
        return
    tree = model.tree
    for node in tree.inner_nodes():
        yield tree.attribute[node], tree.number[node]
        begin, end = tree.further_start[node], tree.further_start[node + 1]
        yield from ((tree.attribute[node], bound) for bound in tree.further[begin:end])
