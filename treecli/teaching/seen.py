"""The view of the learner at a node: its cases, and the best split on every attribute."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treecli.grow.observe import described
from treecli.splits._registry import split_type

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import Schema
    from treecli.grow.candidates import Candidates
    from treecli.splits import Split


@dataclass(frozen=True, slots=True)
class Ways:
    """Splits on one attribute at one node: thresholds in ascending order, or groups of labels."""

    splits: Candidates
    places: NDArray[np.int64]

    @property
    def gains(self) -> NDArray[np.float64]:
        return self.splits.gain[self.places]

    @property
    def numbers(self) -> NDArray[np.float64] | None:
        """The thresholds; None for groups of labels."""
        return None if self.splits.number is None else self.splits.number[self.places]

    def split(self, index: int, attribute: int, schema: Schema) -> Split:
        """Return one of them."""
        return split_of(self.splits, attribute, int(self.places[index]), schema)


@dataclass(frozen=True, slots=True)
class Option:
    """The best split on one attribute at a node, as the learner scored it; None if there is none.

    `own_gain` is the gain before the limits are applied, `gain` after, -inf if a limit excludes the split. `merit` is
    -inf for splits that do not take part. `ways` are other splits on the attribute with their gains. Under lookahead,
    gains and split information are those of the subtree, and `below` has the best splits of the branches.
    """

    attribute: int
    split: Split | None
    own_gain: float
    gain: float
    split_info: float
    cost: float
    merit: float
    missing_to: int
    p: float
    chi2: float
    log_multiplier: float
    find_ways: Callable[[], Ways] | None = None
    below: tuple[Below, ...] | None = None
    is_drawn: bool = True
    """Whether the attribute is among those drawn at the node; only these may split it."""

    @staticmethod
    def of(
        found: Candidates, attribute: int, node: int, schema: Schema, below: tuple[Below, ...] | None = None
    ) -> Option:
        """Return a candidate's split at one node by itself: its merit is its gain."""
        gain = float(found.gain[node])
        return Option(
            attribute,
            split_of(found, attribute, node, schema) if np.isfinite(gain) else None,
            own_gain=gain,
            gain=gain,
            split_info=float(found.split_info[node]),
            cost=0.0 if found.cost is None else float(found.cost[node]),
            merit=gain,
            missing_to=int(found.missing_to[node]),
            p=np.nan,
            chi2=np.nan,
            log_multiplier=0.0,
            below=below,
        )

    @property
    def ways(self) -> Ways | None:
        return None if self.find_ways is None else self.find_ways()


@dataclass(frozen=True, slots=True)
class Below:
    """A branch that would be split further: its number, its cases, and its best split."""

    branch: int
    seen: Seen
    option: Option


@dataclass(frozen=True, slots=True)
class Ordered:
    """Monotone predictions at a node: the bounds of the ordered numbers, the sign of each monotone attribute, and the
    best splits without these constraints."""

    low: tuple[float, ...]
    high: tuple[float, ...]
    sign_of: Mapping[int, int]
    free: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """A node that could be split: its rows with their weights there, its options, and the index of the chosen one."""

    rows: NDArray[np.int32]
    weights: NDArray[np.float64]
    options: tuple[Option, ...]
    chosen: int
    skewed: Skewed | None = None
    """Under skewing: the trials; the options are then those of the data by themselves."""
    ordered: Ordered | None = None


@dataclass(frozen=True, slots=True)
class Favoured:
    """The values of one attribute that a trial favours: their condition, and the factor of the weight of each case."""

    attribute: int
    condition: str
    other: float
    """The factor of a case with another value."""
    factors: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial at a node: what it favours, the weights of the cases, the best splits, and what it adds to the counts.

    Splits and counts are by attribute; under sequential skewing, the attribute that is skewed has none.
    """

    favoured: tuple[Favoured, ...]
    weights: NDArray[np.float64]
    options: Mapping[int, Option]
    counts: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Skewed:
    """The trials of a node, the counts in the data by themselves and in all, and the splits that may be chosen.

    These have the thresholds of the trials in which their attributes gain most.
    """

    trials: tuple[Trial, ...]
    plain_counts: tuple[float, ...]
    counts: tuple[float, ...]
    used: tuple[Option, ...]


def split_of(found: Candidates, attribute: int, node: int, schema: Schema) -> Split:
    """Return a candidate's split at one node."""
    record = described(found, attribute, node, schema)
    return split_type(record["kind"]).from_json(attribute, record, schema)
