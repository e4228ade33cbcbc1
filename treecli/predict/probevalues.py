"""Probes: rows at which the prediction of a model may change, and the values that they consist of.

Probes are derived from the model, not from its program, so that errors in the program cannot hide themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from ctypes import c_float
from math import inf, isnan, nan, nextafter
from random import Random
from sys import float_info
from typing import TYPE_CHECKING, Protocol

from treecli.data import MISSING, UNSEEN, Attribute, Dataset, Schema
from treecli.predict.probeparts import HUGE, move, usual_values
from treecli.values import Condition, Interval, as_labels

if TYPE_CHECKING:
    from treecli.data import Column
    from treecli.splits import Split

N_MIXED = 300
"""Number of rows with random values for every attribute."""

MISSING_SHARE = 0.25
"""The probability that a value of a mixed row is missing."""

MOST_CELLS = 2_000_000
"""Limit on the cells of all probes; beyond it a random sample of the probes is used."""

Probe = dict[int, float]
"""The value of each attribute that the model uses; missing and unseen values as in a Dataset."""

Maker = Callable[[], Probe]
"""Makes one probe. Makers are cheap, so they can be counted and sampled first."""


class Source(Protocol):
    """The probes of one model."""

    values: ProbeValues

    def makers(self) -> Iterator[Maker]: ...


def probe_rows(source: Source) -> list[Probe]:
    """Return the probes of a model, or a sample of them, and rows with random values."""
    values = source.values
    n_all, n_most = sum(1 for _ in source.makers()), MOST_CELLS // max(len(values.schema.columns), 1)
    sample = set(Random(0).sample(range(n_all), n_most)) if n_all > n_most else None
    rows = [make() for place, make in enumerate(source.makers()) if sample is None or place in sample]
    return [*rows, *values.mixed()]


def dataset_of(schema: Schema, rows: list[Probe]) -> Dataset:
    """Return probes as rows of a schema."""
    import numpy as np

    columns: list[Column] = []
    for index, attribute in enumerate(schema.attributes):
        column = [row.get(index, 0.0) for row in rows]
        columns.append(np.array(column, np.float64) if attribute.is_numeric else np.array(column, np.int32))
    # The last derived column of a row is the one that the row probes: it is moved after the others.
    n_attributes = len(schema.attributes)
    own = [[index for index in row if index >= n_attributes] for row in rows] if schema.derived else []
    for are_last in (False, True):
        for index, derived in enumerate(schema.derived, start=n_attributes):
            asked = [n for n, indices in enumerate(own) if index in indices and (indices[-1] == index) == are_last]
            move(columns, derived, np.array(asked, np.intp), np.array([rows[n][index] for n in asked]))
    return Dataset(schema, columns, None, np.ones(len(rows)))


class ProbeValues:
    """The values of each attribute at which a test of the model changes its outcome."""

    def __init__(self, schema: Schema, *, is_single: bool) -> None:
        self.schema = schema
        self.is_single = is_single
        """Whether the model rounds numbers to 32 bits before comparing."""
        self.random = Random(0)
        self._parts: set[int] = set()
        """The attributes that derived columns and leaf models are computed from."""
        self._seen: dict[int, set[float]] = {}
        self._known: dict[int, list[float]] = {}

    def of_split(self, split: Split) -> list[float]:
        """Return the values at which a split changes the branch."""
        return self._at(split.attribute, (split.number, *split.further))

    def of_condition(self, condition: Condition) -> list[float]:
        """Return the values at which a condition starts or stops to hold."""
        bounds = (condition.low, condition.high) if isinstance(condition, Interval) else ()
        return self._at(condition.attribute, bounds)

    def add(self, attribute: int, values: Iterable[float]) -> None:
        """Add to the values that `known` and `mixed` choose from."""
        is_known = (value for value in values if value == value and value not in (MISSING, UNSEEN))
        if self.schema.columns[attribute].is_numeric:
            is_known = (value for value in values if value == value)
        self._seen.setdefault(attribute, set()).update(is_known)
        self._known.clear()
        if attribute >= len(self.schema.attributes):
            self.add_parts(self.schema.inputs([attribute]))

    def add_parts(self, attributes: Iterable[int]) -> None:
        """Add values of attributes that an expression reads."""
        for attribute in set(attributes) - self._parts:
            self._parts.add(attribute)
            self.add(attribute, usual_values(self.schema.columns[attribute]))

    @property
    def known(self) -> dict[int, list[float]]:
        """The known values of each attribute that the model uses, sorted."""
        if not self._known:
            self._known = {attribute: sorted(found) for attribute, found in sorted(self._seen.items())}
        return self._known

    def filled(self, probe: Probe) -> Probe:
        """Return the probe with a random known value for each attribute that it lacks."""
        others = {index: self.random.choice(values) for index, values in self.known.items() if index not in probe}
        return {**probe, **others}

    def missing(self, attribute: int) -> float:
        return nan if self.schema.columns[attribute].is_numeric else MISSING

    def pick(self, condition: Condition) -> float:
        """Return a value that satisfies a condition: known if possible, else missing, else unseen."""
        attribute = self.schema.columns[condition.attribute]
        if not (isinstance(condition, Interval) and attribute.is_numeric):
            codes = as_labels(condition, len(attribute.labels)).codes
            return self.random.choice(codes) if codes else MISSING if condition.missing else UNSEEN
        low, high = condition.low, condition.high
        ends = [self._down(high)] if -inf < high < inf else []
        if low > -inf:
            ends.append(self._up(low))
        ends = [end for end in ends if (low < end or low == -inf) and end <= high]
        if low < high and (ends or (low, high) == (-inf, inf)):
            return self.random.choice(ends) if ends else 0.0
        return nan

    def holds(self, condition: Condition, value: float, *, by_condition: bool) -> bool:
        """Return whether a value satisfies a condition; `by_condition` is the model's policy for unseen labels."""
        is_numeric = self.schema.columns[condition.attribute].is_numeric
        if isnan(value) if is_numeric else value == MISSING:
            return condition.missing
        if not is_numeric and value == UNSEEN:
            return condition.unseen if by_condition else condition.missing
        if not is_numeric:
            return value in as_labels(condition, len(self.schema.columns[condition.attribute].labels)).codes
        return condition.holds(c_float(value).value if self.is_single else value)

    def mixed(self) -> Iterator[Probe]:
        """Yield rows with missing values, with infinite, huge and tiny numbers, and one without any known value."""
        yield {attribute: self.missing(attribute) for attribute in self.known}
        extremes = {-inf, inf, -float_info.max, float_info.max, 5e-324, -5e-324, 0.0}
        lists = {}
        for attribute, known in self.known.items():
            further = extremes if self.schema.columns[attribute].is_numeric else {UNSEEN}
            if attribute in self._parts and UNSEEN not in further:
                further = {-HUGE, HUGE, 0.0}
            elif attribute >= len(self.schema.attributes):
                further = set()
            lists[attribute] = sorted({*known, *further})
        yield {index: values[0] if UNSEEN in values else self._largest(index) for index, values in lists.items()}
        for _ in range(N_MIXED if lists else 0):
            yield {
                attribute: self.missing(attribute)
                if self.random.random() < MISSING_SHARE
                else self.random.choice(values)
                for attribute, values in lists.items()
            }

    def _largest(self, attribute: int) -> float:
        return HUGE if attribute in self._parts or attribute >= len(self.schema.attributes) else inf

    def _at(self, attribute: int, bounds: Iterable[float]) -> list[float]:
        described = self.schema.columns[attribute]
        if not described.is_numeric:
            return [*_codes(described), MISSING, UNSEEN]
        finite = [bound for bound in bounds if abs(bound) < inf]
        return [*dict.fromkeys(near for bound in finite for near in self._near(bound)), *([] if finite else [0.0]), nan]

    def _near(self, bound: float) -> Iterator[float]:
        yield from (nextafter(bound, -inf), bound, nextafter(bound, inf))
        if bound == 0:
            yield -bound
        if self.is_single:
            # Numbers are rounded to one of two neighbours; the decision changes at the middle.
            lower, upper = self._down(bound), self._up(bound)
            middle = lower / 2 + upper / 2
            near = (lower, nextafter(middle, -inf), middle, nextafter(middle, inf), upper)
            yield from (number for number in near if abs(number) < inf)

    def _down(self, number: float) -> float:
        """Return the largest number not above this one that rounding does not change."""
        return _single_neighbour(number, -inf) if self.is_single else number

    def _up(self, number: float) -> float:
        """Return the smallest number above this one that rounding does not change."""
        return _single_neighbour(number, inf) if self.is_single else nextafter(number, inf)


def _codes(attribute: Attribute) -> range:
    return range(len(attribute.labels))


def _single_neighbour(number: float, towards: float) -> float:
    """Return the nearest 32-bit number: not above this one towards -inf, above it towards inf."""
    import numpy as np

    nearest = c_float(number).value
    is_beyond = nearest > number if towards < 0 else nearest <= number
    with np.errstate(over="ignore"):
        return float(np.nextafter(np.float32(nearest), np.float32(towards))) if is_beyond else nearest
