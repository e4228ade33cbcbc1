"""Small nodes leave the level-by-level way: they are set aside, and finished depth first when no others are left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from treecli.candidates import Flags, Floats, Indices, Terms
from treecli.criteria import Criterion
from treecli.depthfirst import ASKED, Finisher
from treecli.discretizers import NONE
from treecli.grafting import Graft
from treecli.memory import MemoryEngine
from treecli.missing import Policy
from treecli.opennodes import OpenNodes
from treecli.settings import Settings
from treecli.subtrees import PORTIONS
from treecli.threads import FEW_CASES

IMPURITIES = ("entropy", "gini", "error", "variance")
"""The measures that are had from sums."""

SMALL_SHARE = 0.25
"""Small nodes leave their level once they hold this share of its cases: what stays is copied each time."""

MOST_LEVELS = 64
"""After so many levels, all nodes count as small: of a tree that loses its cases one by one, all are large."""

SAFE_GAPS = 4
"""A cut between values that are so many tolerances apart is a threshold that parts them, wherever that is put."""


@dataclass(frozen=True, slots=True)
class _Aside:
    """Open nodes with their numbers in the tree, their outcomes as a tree keeps them, and their depth."""

    numbers: Indices
    nodes: OpenNodes
    outcomes: Floats
    depth: int


class SmallNodes:
    """The nodes that were set aside.

    `most_cases`: a node that holds no more is small; None: as many as leave enough subtrees for the threads.
    """

    def __init__(self, engine: MemoryEngine, most_cases: int | None) -> None:
        self._engine = engine
        self._aside: list[_Aside] = []
        self._most_cases = max(engine.n_cases // PORTIONS, FEW_CASES) if most_cases is None else most_cases

    @property
    def n_cases(self) -> int:
        return sum(aside.nodes.n_cases for aside in self._aside)

    def set_aside(self, numbers: Indices, outcomes: Floats, depth: int) -> Flags:
        """Takes small nodes away from the engine, whose open nodes have these numbers; gives which stay."""
        size = np.diff(self._engine.start)
        is_small = size <= self._most_cases
        if depth >= MOST_LEVELS and self._most_cases > 0:
            is_small[:] = True
        if not is_small.any() or size[is_small].sum() < SMALL_SHARE * self._engine.n_cases:
            return np.ones(len(size), bool)
        nodes = self._engine.nodes()
        portion = np.cumsum(np.where(is_small, size, 0)) // self._most_cases
        for own in np.unique(portion[is_small]).tolist():
            is_taken = is_small & (portion == own)
            taken = nodes if is_taken.all() else nodes.part(is_taken)
            self._aside.append(_Aside(numbers[is_taken], taken, outcomes[is_taken], depth))
        self._engine.keep(~is_small)
        return ~is_small

    def finish(self, finisher: Finisher) -> Iterator[Graft]:
        """The subtrees of all nodes that were set aside, those with the most cases first."""
        tasks = sorted(self._aside, key=lambda aside: -aside.nodes.n_cases)
        grown = self._engine.shared.map(lambda own: finisher.grow(own.nodes, own.outcomes, own.depth), tasks)
        for n_done, (aside, subtrees) in enumerate(zip(tasks, grown, strict=True), 1):
            self._aside = tasks[n_done:]
            yield Graft(aside.numbers, subtrees)


def applies(engine: MemoryEngine, settings: Settings, criterion: Criterion, policy: Policy, terms: Terms) -> bool:
    """Whether nodes can be finished so under these settings."""
    return (
        criterion.impurity in IMPURITIES
        and settings.splitting.nominal in ASKED
        and settings.splitting.threshold in ("midpoint", "datavalue")
        and settings.splitting.discretize == NONE
        and settings.stopping.cp is None
        and engine.scale is None
        and not (terms.wants_chi2 or terms.by_shares or terms.by_remainders or terms.is_strict or terms.min_rows > 0)
        and not (
            settings.stopping.counts_rows
            or settings.computing.competitors
            or settings.stopping.least_share
            or policy.by_surrogates
        )
        and _are_apart(engine, settings)
    )


def _are_apart(engine: MemoryEngine, settings: Settings) -> bool:
    """Whether a threshold at a value of the data parts the values that the cut was found between.

    Where values lie within the tolerance of each other, J48's may not.
    """
    tolerance = min(settings.computing.tolerance, settings.splitting.value_gap)
    if settings.splitting.threshold != "datavalue" or tolerance == 0:
        return True
    if settings.splitting.value_gap < SAFE_GAPS * tolerance:
        return False
    occurring = [engine.occurring(attribute) for attribute in engine.ordered]
    with np.errstate(over="ignore", invalid="ignore"):
        return not any(len(values) > 1 and np.diff(values).min() <= tolerance for values in occurring)
