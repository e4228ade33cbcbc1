"""A numeric value, or a position among ordered labels, compared with a threshold: `<=` or `>`."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from sys import float_info
from typing import TYPE_CHECKING, Any, ClassVar, Self

from treecli.data import Schema
from treecli.values import Interval

if TYPE_CHECKING:
    from treecli.candidates import Candidates, Cuts, Floats


@dataclass(frozen=True, slots=True)
class Split:
    """Branch 0 takes values up to and including the number, branch 1 those above it."""

    KIND: ClassVar[str] = "threshold"
    attribute: int
    number: float

    @property
    def further(self) -> tuple[float, ...]:
        return ()

    @property
    def table(self) -> tuple[int, ...]:
        return ()

    @classmethod
    def load(cls, attribute: int, number: float, table: tuple[int, ...], further: tuple[float, ...] = ()) -> Self:
        return cls(attribute, number)

    @classmethod
    def from_json(cls, attribute: int, record: dict[str, Any], schema: Schema) -> Self:
        described = schema.attributes[attribute]
        at_most = record.get("at_most")
        if described.kind == "ordinal":
            position = described.code_of(at_most)
            if position is None:
                raise ValueError(f"'at_most' must be a label of '{described.name}'")
            return cls(attribute, float(position))
        if described.kind != "numeric":
            raise ValueError(f"'{described.name}' is nominal, which has no order")
        # Not isfinite, which fails for integers beyond the largest float; and not the opposite comparison, which would
        # accept NaN.
        if not isinstance(at_most, int | float) or isinstance(at_most, bool) or not abs(at_most) <= float_info.max:
            raise ValueError("'at_most' must be a finite number")
        return cls(attribute, float(at_most))

    def to_json(self, schema: Schema) -> dict[str, Any]:
        described = schema.attributes[self.attribute]
        at_most = self.number if described.is_numeric else described.labels[int(self.number)]
        return {"at_most": at_most}

    def n_branches(self) -> int:
        return 2

    def condition(self, branch: int, schema: Schema) -> Interval:
        low, high = (-inf, self.number) if branch == 0 else (self.number, inf)
        return Interval(self.attribute, low, high)


LOWEST = -float_info.max
"""The lowest threshold: JSON has no -inf."""


def best(cuts: Cuts, middles: Floats | None, *, is_ordinal: bool, is_strict: bool = False) -> Candidates:
    """The best cut of every node as a threshold halfway between its neighbours.

    `middles` are the nodes' means or medians, if those were the only cuts allowed. A threshold is always below the
    upper neighbour, so that it separates the two. `is_strict`: a value exactly halfway belongs to the upper branch, so
    the threshold is the number below it.
    """
    import numpy as np

    from treecli.candidates import Candidates
    from treecli.kernels.score_sums import KNOWN_OR_NOT

    is_cut = np.isfinite(cuts.gain) & (cuts.missing_side != KNOWN_OR_NOT)
    lower, upper = np.where(is_cut, cuts.lower, 0.0), np.where(is_cut, cuts.upper, 1.0)
    if middles is not None:
        number = middles
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            number = (lower + upper) / 2
            number = np.where(np.isfinite(number), number, lower / 2 + upper / 2)
        # The midpoint of neighbouring doubles may be the upper one; infinite values have no midpoint.
        number = np.where((number >= lower) & (number < upper), number, lower)
        if is_strict:
            number = np.where(number > lower, np.nextafter(number, lower), number)
    number = np.maximum(number, LOWEST)
    n_nodes = len(cuts.gain)
    parts_missing = cuts.missing_side == KNOWN_OR_NOT
    return Candidates(
        "threshold",
        cuts.gain,
        cuts.split_info,
        cuts.test,
        n_branches=np.full(n_nodes, 2, np.int32),
        missing_to=np.where(parts_missing, 1, cuts.missing_side).astype(np.int32),
        parts_missing=parts_missing,
        number=np.where(parts_missing, np.inf, np.floor(number) if is_ordinal else number),
        improvement=cuts.improvement,
    )


FINE = 10
"""Values closer than this many tolerances may lie within one tolerance of a threshold in new data."""


def at_data_values(candidates: Candidates, values: Floats, column: Floats, tolerance: float) -> Candidates:
    """The candidates with each threshold moved down to an occurring value of `values`, the sorted `column`.

    As in Weka's J48: the rows are visited in file order, and a value replaces the last one only if it is larger by more
    than the tolerance. Weka's tests accept values that exceed the threshold by less; if the data is fine enough for
    such values, the threshold is raised to accept them too, and the threshold that Weka prints is stored separately.
    """
    from dataclasses import replace

    import numpy as np

    assert candidates.number is not None
    number = candidates.number.copy()
    printed = number.copy()
    is_cut = np.isfinite(candidates.gain) & ~candidates.parts_missing
    if tolerance == 0:
        number[is_cut] = values[np.searchsorted(values, number[is_cut], side="right") - 1]
        return replace(candidates, number=np.maximum(number, LOWEST))
    with np.errstate(over="ignore", invalid="ignore"):
        is_fine = len(values) > 1 and np.diff(values).min() <= FINE * tolerance
    for node in np.flatnonzero(is_cut):
        last = int(np.searchsorted(values, number[node] + tolerance, side="left")) - 1
        # The tolerance does not change a large number.
        last = first = max(last, int(np.searchsorted(values, number[node], side="right")) - 1)
        while first > 0 and float(values[first]) - float(values[first - 1]) <= tolerance:
            first -= 1
        current = values[last]
        if first < last:
            current = -np.inf
            for value in column[(column >= values[first]) & (column <= values[last])].tolist():
                if value - current > tolerance:
                    current = value
        elif current == 0:  # or -0, whichever comes first in the file
            current = column[np.argmax(column == 0)]
        current = max(current, LOWEST)
        number[node] = printed[node] = current
        if is_fine:
            number[node] = current + tolerance
            while number[node] - current >= tolerance:
                number[node] = np.nextafter(number[node], -np.inf)
    return replace(candidates, number=number, printed=printed)
