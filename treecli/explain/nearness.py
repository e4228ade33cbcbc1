"""The cost of changing a row, and a priority queue of the boxes it may be moved into, cheapest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import count
from math import inf, isinf, isnan, nextafter
from sys import float_info
from typing import TYPE_CHECKING, Any

from treecli.data import UNSEEN, Dataset
from treecli.errors import CheckError, UsageError
from treecli.model import Model
from treecli.rules.boxes import Box, Space, does_contain, intersection, shortest_between
from treecli.rules.expansion import expanded, literals_of, only_counts
from treecli.rules.rule import BY_CONDITION
from treecli.values import Condition, Interval, Labels, condition_of, in_doubles

if TYPE_CHECKING:
    from treecli.data import Attribute, Column

MOST_BOXES = 200_000
"""The search stops after this many boxes, plus two for each node or rule, which any search may need.

Only missing values that go down several branches, and overlapping rules, can need more."""

MOST_DECIMALS = 17

Cost = tuple[int, float]
"""The number of changed attributes, and the sum of changes, each as a fraction of its range."""


@dataclass(frozen=True, slots=True)
class Change:
    """A value that must change: the condition it must satisfy, and the nearest value that does.

    `value` is close to `nearest`, but has as many decimals as the old value if possible.
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
    """The model as the search uses it: its predictions, all its conditions, and its number of nodes or rules."""

    model: Model
    predict: Callable[[Dataset], Column]
    conditions: Iterable[Condition]
    n_parts: int


class Search:
    """A row, the cost of moving it, and the boxes not yet examined."""

    def __init__(self, predictor: Predictor, row: Dataset, label: int, fixed: frozenset[int]) -> None:
        self._model, self._predict, self._row, self.label = predictor.model, predictor.predict, row, label
        model = predictor.model
        if not only_counts(model.schema):
            raise UsageError(
                "--flip-to: the model tests sums of attributes, which do not change one by one",
                "leave it out, or train without --splits linear and --project",
            )
        self.space = Space(model.schema, tells_unseen=model.settings.predicting.unseen == BY_CONDITION)
        attributes = model.schema.attributes
        self._own = [self._one(index, row.columns[index][0].item()) for index in range(len(attributes))]
        self._start = [own if index in fixed else self._or_known(own) for index, own in enumerate(self._own)]
        self._scale = _scales(predictor, row)
        self._pending: list[tuple[Cost, int, Box, Any]] = []
        self._numbers = count()
        self._n_left = MOST_BOXES + 2 * predictor.n_parts

    def _one(self, index: int, value: float) -> Condition:
        """Return the condition that only one value, a code or a number, satisfies."""
        if self.space.schema.columns[index].is_numeric:
            if isnan(value):
                return Interval.none(index, missing=True)
            # No bound lies between -inf and the lowest finite number.
            return Interval(index, nextafter(value, -inf), max(value, nextafter(-inf, 0.0)))
        if value >= 0:
            return Labels(index, 1 << int(value))
        is_unseen = value == UNSEEN and self.space.tells_unseen
        return Labels(index, 0, missing=not is_unseen, unseen=is_unseen)

    def _or_known(self, own: Condition) -> Condition:
        """Return a condition for all known values, and for the row's own value if that is not known."""
        if isinstance(own, Interval):
            return Interval(own.attribute, missing=own.missing)
        n_labels = len(self.space.schema.columns[own.attribute].labels)
        return replace(own, bits=(1 << n_labels) - 1)

    def part(self, box: Box, other: Box) -> Box | None:
        """Return the intersection of two boxes, limited to values the row may take."""
        start = {attribute: self._start[attribute] for attribute in other if attribute not in box}
        return intersection(box | start, other)

    def without(self, box: Box, other: Box) -> list[Box]:
        """Return a box minus another, limited to values the row may take."""
        start = {attribute: self._start[attribute] for attribute in other if attribute not in box}
        return self.space.left_of(box | start, other)

    def add(self, box: Box, state: Any = None) -> None:
        """Add a box before all others of equal cost, so that the search is depth-first among them."""
        heappush(self._pending, (self._cost(box), -next(self._numbers), box, state))

    def nearest_first(self) -> Iterator[tuple[Box, Any]]:
        """Yield the boxes, cheapest first; boxes may be added during iteration."""
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
        """Return whether the row's own value satisfies a condition."""
        return does_contain({index: values}, {index: self._own[index]})

    def _distance(self, index: int, values: Condition) -> float:
        attribute, old = self.space.schema.columns[index], self._row.columns[index][0].item()
        if isinstance(values, Interval):
            if isnan(old):
                return 1.0
            difference = abs(_nearest_number(old, values) - float(old))
            # The difference of finite numbers may overflow.
            return (difference if isinf(old) else min(difference, float_info.max)) / self._scale[index]
        if attribute.kind == "ordinal" and old >= 0:
            return abs(_nearest_code(old, values, attribute) - int(old)) / (len(attribute.labels) - 1)
        return 1.0

    def flip(self, box: Box) -> Flip:
        """Return the changes that move the row into a box."""
        changes = []
        for index, values in sorted(box.items()):
            if self._is_in(index, values):
                continue
            attribute, old = self.space.schema.columns[index], self._row.columns[index][0].item()
            known = replace(values, missing=False, unseen=False)
            if isinstance(known, Labels):
                nearest = value = float(_nearest_code(old, known, attribute))
            else:
                nearest = _nearest_number(old, known)
                value = _readable_number(nearest, old, known)
            changes.append(Change(index, self.space.condition(known), nearest, value))
        return Flip(tuple(changes), self._cost(box)[1], _changed(self._row, {c.attribute: c.value for c in changes}))

    def nearest(self, box: Box) -> Dataset:
        """Return the row in a box that is nearest to the given one."""
        return _changed(self._row, {change.attribute: change.nearest for change in self.flip(box).changes})

    def point(self, box: Box) -> list[Condition]:
        """Return the row in a box that is nearest to the given one, with each value as a condition."""
        moved = {change.attribute: self._one(change.attribute, change.nearest) for change in self.flip(box).changes}
        return [moved.get(index, own) for index, own in enumerate(self._own)]

    def says_label(self, row: Dataset) -> bool:
        """Return whether the model predicts the label for a row."""
        return bool(self._predict(row)[0] == self.label)

    def condition_boxes(self, conditions: Iterable[Condition]) -> list[Box]:
        """Return disjoint boxes of the rows that satisfy the conditions, with bounds for numbers before rounding.

        There are several only for conditions on m-of-n counts.
        """
        schema, is_single = self.space.schema, self._model.settings.predicting.single_precision
        every = expanded(conditions, schema) if schema.derived else [tuple(conditions)]
        found = (
            self.space.box(in_doubles(one, schema.attributes[one.attribute], is_single=is_single) for one in own)
            for own in every
        )
        return [box for box in found if box is not None]


def _nearest_number(old: float, values: Interval) -> float:
    if isnan(old):
        return shortest_between(values.low, values.high)
    if old > values.high:
        return values.high
    return old if old > values.low else nextafter(values.low, inf)


def _nearest_code(old: int, values: Labels, attribute: Attribute) -> int:
    """Return the label nearest to the old one if the attribute is ordinal, else the first."""
    codes = values.codes
    return min(codes, key=lambda code: abs(code - old)) if attribute.kind == "ordinal" and old >= 0 else codes[0]


def _readable_number(nearest: float, old: float, values: Interval) -> float:
    """Return a number in the interval close to `nearest`, with the old number's decimals or as few more as possible."""
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
    """Return the unit of change of each numeric attribute: its range in training.

    If that is unknown or a single number, use the range of the model's bounds for the attribute and the row's own
    value; if that is 0 too, use 1.
    """
    bounds: dict[int, set[float]] = {}
    schema = predictor.model.schema
    literals = (literal for column in schema.derived for literal in literals_of(column) or ())
    for condition in (*predictor.conditions, *map(condition_of, literals)):
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
