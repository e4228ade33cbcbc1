"""The cost of changing a row, and the boxes that it may be moved into, the cheapest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import count
from math import inf, isinf, isnan, nextafter
from sys import float_info
from typing import TYPE_CHECKING, Any

from treecli.data import UNSEEN, Dataset
from treecli.errors import CheckError
from treecli.model import Model
from treecli.rules.boxes import Box, Space, does_contain, intersection, shortest_between
from treecli.rules.rule import BY_CONDITION
from treecli.values import Condition, Interval, Labels, in_doubles

if TYPE_CHECKING:
    from treecli.data import Attribute, Column

MOST_BOXES = 200_000
"""The search is given up after this many, besides those that any search may need: two for each node or rule. Only
missing values that go down several branches, and rules that overlap, can need more."""

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
    """Changes that together make the model predict a label, their cost, and the changed row."""

    changes: tuple[Change, ...]
    distance: float
    row: Dataset


@dataclass(frozen=True, slots=True)
class Predictor:
    """What a search needs to know of a model: its predictions, all of its conditions, and its nodes or rules."""

    model: Model
    predict: Callable[[Dataset], Column]
    conditions: Iterable[Condition]
    n_parts: int


class Search:
    """One row, the cost of moving it, and the boxes that are still to be examined."""

    def __init__(self, predictor: Predictor, row: Dataset, label: int, fixed: frozenset[int]) -> None:
        self._model, self._predict, self._row, self.label = predictor.model, predictor.predict, row, label
        model = predictor.model
        self.space = Space(model.schema, tells_unseen=model.settings.predicting.unseen == BY_CONDITION)
        attributes = model.schema.attributes
        self._own = [self._one(index, row.columns[index][0].item()) for index in range(len(attributes))]
        self._start = [own if index in fixed else self._or_known(own) for index, own in enumerate(self._own)]
        self._scale = _scales(predictor, row)
        self._pending: list[tuple[Cost, int, Box, Any]] = []
        self._numbers = count()
        self._n_left = MOST_BOXES + 2 * predictor.n_parts

    def _one(self, index: int, value: float) -> Condition:
        """The set that holds one value, a code or a number."""
        if self.space.schema.attributes[index].is_numeric:
            if isnan(value):
                return Interval.none(index, missing=True)
            # No bound lies between -inf and the lowest number.
            return Interval(index, nextafter(value, -inf), max(value, nextafter(-inf, 0.0)))
        if value >= 0:
            return Labels(index, 1 << int(value))
        is_unseen = value == UNSEEN and self.space.tells_unseen
        return Labels(index, 0, missing=not is_unseen, unseen=is_unseen)

    def _or_known(self, own: Condition) -> Condition:
        """All known values, and the row's own if that is not known."""
        if isinstance(own, Interval):
            return Interval(own.attribute, missing=own.missing)
        n_labels = len(self.space.schema.attributes[own.attribute].labels)
        return replace(own, bits=(1 << n_labels) - 1)

    def part(self, box: Box, other: Box) -> Box | None:
        """What the row may become that is in both."""
        start = {attribute: self._start[attribute] for attribute in other if attribute not in box}
        return intersection(box | start, other)

    def without(self, box: Box, other: Box) -> list[Box]:
        """What the row may become that is in a box and not in the other."""
        start = {attribute: self._start[attribute] for attribute in other if attribute not in box}
        return self.space.left_of(box | start, other)

    def add(self, box: Box, state: Any = None) -> None:
        """Adds a box to examine, before all others of the same cost, so that the search goes deep first."""
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

    def _is_in(self, index: int, values: Condition) -> bool:
        """Whether the row's own value is one of these."""
        return does_contain({index: values}, {index: self._own[index]})

    def _distance(self, index: int, values: Condition) -> float:
        attribute, old = self.space.schema.attributes[index], self._row.columns[index][0].item()
        if isinstance(values, Interval):
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
            known = replace(values, missing=False, unseen=False)
            if isinstance(known, Labels):
                nearest = value = float(_nearest_code(old, known, attribute))
            else:
                nearest = _nearest_number(old, known)
                value = _readable_number(nearest, old, known)
            changes.append(Change(index, self.space.condition(known), nearest, value))
        return Flip(tuple(changes), self._cost(box)[1], _changed(self._row, {c.attribute: c.value for c in changes}))

    def nearest(self, box: Box) -> Dataset:
        """The row of a box that is nearest to the given one."""
        return _changed(self._row, {change.attribute: change.nearest for change in self.flip(box).changes})

    def point(self, box: Box) -> list[Condition]:
        """The row of a box that is nearest to the given one, each of its values as a set."""
        moved = {change.attribute: self._one(change.attribute, change.nearest) for change in self.flip(box).changes}
        return [moved.get(index, own) for index, own in enumerate(self._own)]

    def says_label(self, row: Dataset) -> bool:
        """Whether the model predicts the label for a row."""
        return bool(self._predict(row)[0] == self.label)

    def condition_box(self, conditions: Iterable[Condition]) -> Box | None:
        """The rows that satisfy conditions, of numbers before they are rounded."""
        attributes, is_single = self.space.schema.attributes, self._model.settings.predicting.single_precision
        return self.space.box(in_doubles(each, attributes[each.attribute], is_single=is_single) for each in conditions)


def _nearest_number(old: float, values: Interval) -> float:
    if isnan(old):
        return shortest_between(values.low, values.high)
    if old > values.high:
        return values.high
    return old if old > values.low else nextafter(values.low, inf)


def _nearest_code(old: int, values: Labels, attribute: Attribute) -> int:
    """The nearest of some labels of an ordinal attribute, else the first of them."""
    codes = values.codes
    return min(codes, key=lambda code: abs(code - old)) if attribute.kind == "ordinal" and old >= 0 else codes[0]


def _readable_number(nearest: float, old: float, values: Interval) -> float:
    """A number of the interval near its nearest, with as many decimals as the old one or as few more as can be."""
    if isinf(nearest) or isinf(old) or isnan(old):
        return nearest
    written = repr(old).partition(".")[2]
    decimals = 0 if written == "0" or "e" in written else len(written)
    for n_decimals in range(decimals, MOST_DECIMALS + 1):
        unit = 10.0**-n_decimals
        rounded = round(nearest, n_decimals)
        for number in (rounded, round(rounded + unit, n_decimals), round(rounded - unit, n_decimals)):
            if values.low < number <= values.high:
                return number
    return nearest


def _changed(row: Dataset, values: dict[int, float]) -> Dataset:
    columns = list(row.columns)
    for attribute, value in values.items():
        columns[attribute] = columns[attribute].copy()
        columns[attribute][0] = value
    return replace(row, columns=columns)


def _scales(predictor: Predictor, row: Dataset) -> list[float]:
    """The unit of changes of each numeric attribute: its range in training.

    If that is unknown, or one number, it is the range of the bounds that the model compares the attribute with and the
    row's own value; if that is 0 too, 1.
    """
    bounds: dict[int, set[float]] = {}
    for condition in predictor.conditions:
        if isinstance(condition, Interval) and condition.takes_known:
            bounds.setdefault(condition.attribute, set()).update((condition.low, condition.high))
    scales = []
    for index, attribute in enumerate(predictor.model.schema.attributes):
        low, high = attribute.range or (0.0, 0.0)
        if attribute.is_numeric and not high > low:
            own = row.columns[index][0].item()
            compared = [number for number in {*bounds.get(index, ()), own} if not isnan(number) and not isinf(number)]
            low, high = (min(compared), max(compared)) if compared else (0.0, 0.0)
        scales.append(min(high - low, float_info.max) if high > low else 1.0)
    return scales
