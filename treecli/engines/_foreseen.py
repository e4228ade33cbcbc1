"""The counts that a coarse tree foresees: those of its cells, and of the held rows.

They are the counts of a node if its rows are those of some cells and of held rows that reached it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.engines._bins import Bins, Held
from treecli.engines._coarse import HELD, Coarse, Expected
from treecli.engines._hidden import Ranges
from treecli.engines._passes import CodeMove, NumberMove
from treecli.engines._routed import RoutedPasses
from treecli.engines._tables import Counters, Entries

if TYPE_CHECKING:
    from treecli.engines._levels import Counted
    from treecli.grow.candidates import Codes, Flags, Floats, Indices

UNFORESEEN, EMPTY = -1, -2
"""In place of a coarse node: its cells are not those of the node; or no cell has a row of the node."""


class Cells:
    """The counts of each cell of a coarse tree, and the held rows."""

    def __init__(
        self, coarse: Coarse, counters: dict[int, Counters], bins: dict[int, Bins], held: RoutedPasses
    ) -> None:
        self.coarse = coarse
        self.counters = counters
        self.bins = bins
        """By attribute of very many values; others have counters."""
        self.held = held

    def below(self, node: int) -> slice:
        """Return the cells below a coarse node, or none if it is EMPTY."""
        return slice(0, 0) if node < 0 else slice(int(self.coarse.first_cell[node]), int(self.coarse.last_cell[node]))

    def ranges(self, attribute: int, coarse: Indices) -> dict[int, tuple[Ranges, Held]]:
        """Return the values of the nodes that were foreseen, given their coarse nodes, and their held rows."""
        held, bins = self.held, self.bins[attribute]
        parts = []
        for begin, node in held.kept_nodes():
            n = len(node)
            own = np.flatnonzero((node >= 0) & (coarse != UNFORESEEN)[np.maximum(node, 0)])
            of_rows = node, held.data.column(attribute, begin, n), held.data.labels(begin, n)
            parts.append([column[own] for column in (*of_rows, held.data.weights_of(begin, n))])
        parts.append([np.empty(0, np.int32), np.empty(0), np.empty(0, np.int64), np.empty(0)])
        node, *of_cases = (np.concatenate(own) for own in zip(*parts, strict=True))
        order = np.argsort(node, kind="stable")
        limits = np.searchsorted(node[order], np.arange(len(coarse) + 1))
        found = {}
        for at in np.flatnonzero(coarse != UNFORESEEN).tolist():
            rows = Held(*(column[order[limits[at] : limits[at + 1]]] for column in of_cases))
            found[at] = bins.node(self.below(int(coarse[at])), rows), rows
        return found

    def counts(self, attribute: int, node: int) -> Any:
        """Return the counts of the cells below a coarse node by code and class."""
        return self.counters[attribute].counts[self.below(node)].sum(axis=0)

    def followed(self, node: int, move: CodeMove | NumberMove, at: int, to: Codes) -> dict[int, int]:
        """Return the coarse node of each open child if a move divides the rows of a node, which is `at` in its level.

        A child whose cells are not those of one coarse node is UNFORESEEN.
        """
        if isinstance(move, NumberMove):
            return self._followed_number(node, move, at, to)
        child = to[move.table[move.start[at] : move.start[at] + move.n_codes + 1]]
        found: dict[int, int] = dict.fromkeys(child[child >= 0].tolist(), EMPTY)
        if node == EMPTY:
            return found
        has_rows = self.counts(move.attribute, node).any(axis=1)
        test = self.coarse.tests[node]
        branch = _branches(test, move.n_codes) if test is not None and test.attribute == move.attribute else None
        if branch is None:
            return found | dict.fromkeys(child[(child >= 0) & has_rows].tolist(), UNFORESEEN)
        for place, expected in enumerate(self.coarse.children[node]):
            reached = np.unique(child[(branch == place) & has_rows]).tolist()
            for own in reached:
                if own >= 0:
                    found[own] = expected if len(reached) == 1 and found[own] == EMPTY else UNFORESEEN
        return found

    def _followed_number(self, node: int, move: NumberMove, at: int, to: Codes) -> dict[int, int]:
        children = to[move.children[at]].tolist()
        found = {child: EMPTY for child in children if child >= 0}
        if node == EMPTY:
            return found
        test = self.coarse.tests[node]
        expected: Sequence[int] = (UNFORESEEN, UNFORESEEN)
        if test is not None and test.attribute == move.attribute and test.low <= move.number[at] <= test.high:
            expected = self.coarse.children[node]
        return found | {child: own for child, own in zip(children[:2], expected, strict=True) if child >= 0}


def _branches(test: Expected, n_codes: int) -> Codes:
    """Return the branch of each code, with HELD for a missing value, which is the last."""
    return np.append(test.branch, HELD)[: n_codes + 1]


def merged(first: Counted, second: Counted, is_second: Flags, totals: Floats) -> Counted:
    """Return the counts of a column of very many values, of some nodes from the second of two."""
    parts = []
    for own, is_own in ((first, ~is_second), (second, is_second)):
        node = np.repeat(np.arange(len(is_own)), np.diff(own.tables.start))
        taken = is_own[node]
        parts.append([column[taken] for column in (node, own.tables.value, own.tables.outcomes, own.low)])  # type: ignore[index]
    node, value, outcomes, low = (np.concatenate(own) for own in zip(*parts, strict=True))
    order = np.argsort(node, kind="stable")
    entries = Entries(node[order], np.arange(len(node)), value[order], outcomes[order], low[order])
    missing = np.where(is_second[:, None], second.missing, first.missing)
    return entries.counted(missing, np.where(is_second, second.unknown, first.unknown), totals, 0)
