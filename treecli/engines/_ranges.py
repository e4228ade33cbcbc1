"""Numeric columns of very many values: ranges of values that fit into memory, one after the other, in ascending order.

Every range takes a pass over the column. Of each node only the best cut so far is kept, so memory does not depend on
the number of rows. The cuts are tried in the order of the values and by the rules of the memory engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treecli.engines._tables import Entries
from treecli.kernels import scan_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.engines._levels import Counted
    from treecli.engines._parts import Batch
    from treecli.grow.candidates import Floats
    from treecli.kernels.args import Plan

SCANNED_AT_ONCE = 1 << 20

Cases = Iterator[tuple["Batch", "Floats"]]
"""The cases of open nodes with their values, batch by batch, in the order of the rows."""


class _Rows:
    """Room for the cases of one range; those of greater values leave when it is full."""

    def __init__(self, room: int, *, has_weights: bool) -> None:
        self.node, self.value = np.empty(room, np.int32), np.empty(room)
        self.label = np.empty(room, np.uint16)
        self.weight = np.empty(room if has_weights else 0)
        self.n = 0
        self.high = np.inf
        """Greater values belong to later ranges."""

    def add(self, batch: Batch, value: Floats, places: NDArray[np.int64]) -> None:
        """Add some cases of a batch; those that do not fit are left to later ranges."""
        while len(places):
            places = places[value[places] <= self.high]
            taken = places[: len(self.value) - self.n]
            end = self.n + len(taken)
            self.node[self.n : end], self.value[self.n : end] = batch.node[taken], value[taken]
            self.label[self.n : end] = batch.label[taken]
            if len(self.weight):
                self.weight[self.n : end] = batch.weight[taken]
            self.n, places = end, places[len(taken) :]
            if len(places):
                self._make_room()

    def _make_room(self) -> None:
        """Let the greater half of the values leave; if all are equal, add up the cases of a node and class."""
        value = self.value[: self.n]
        self.high = float(np.partition(value, self.n // 2)[self.n // 2])
        self._keep(np.flatnonzero(value <= self.high))
        if self.n > 3 * len(self.value) // 4:
            below = self.value[: self.n] < self.high
            if below.any():
                self.high = float(self.value[: self.n][below].max())
                self._keep(np.flatnonzero(below))
        if self.n > 3 * len(self.value) // 4:
            self._add_up()

    def _keep(self, places: NDArray[np.int64]) -> None:
        self.n = len(places)
        for own in (self.node, self.value, self.label, self.weight):
            if len(own):
                own[: self.n] = own[places]

    def _add_up(self) -> None:
        """Add up the cases of one value by node and class; if these are many, make room for more."""
        key = self.node[: self.n].astype(np.int64) << 16 | self.label[: self.n]
        distinct, first, place = np.unique(key, return_index=True, return_inverse=True)
        weight = np.bincount(place, self.weight[: self.n] if len(self.weight) else None, len(distinct))
        if not len(self.weight):
            self.weight = np.ones(len(self.value))
        self._keep(first)
        self.weight[: self.n] = weight
        if self.n > len(self.value) // 2:
            self.node, self.value, self.label, self.weight = (
                np.concatenate([own, own]) for own in (self.node, self.value, self.label, self.weight)
            )

    def scanned(self) -> Iterator[tuple[Any, ...]]:
        """Yield the nodes, values, classes and weights in ascending order of the values, some at a time."""
        order = np.argsort(self.value[: self.n])
        for begin in range(0, self.n, SCANNED_AT_ONCE):
            own = order[begin : begin + SCANNED_AT_ONCE]
            weight = self.weight[own] if len(self.weight) else np.ones(len(own))
            yield self.node[own], self.value[own], self.label[own], weight


class Ranges(NamedTuple):
    """A column of very many values: its cases, which can be read again, and how many of them fit into memory."""

    cases: Callable[[], Cases]
    room: int
    has_weights: bool

    def counted(self, totals: Floats, scale: Floats, margin: Floats, plan: Plan) -> Counted:
        """Return entries for the values on both sides of the best cut of each node, and beside the one before it."""
        n_nodes, n_classes = totals.shape
        sums = np.zeros((scan_values.N_SUMS, n_nodes, n_classes))
        number = np.zeros((n_nodes, scan_values.N_NUMBERS))
        unknown = np.zeros(n_nodes)
        low, is_first = -np.inf, True
        while True:
            rows = _Rows(self.room, has_weights=self.has_weights)
            for batch, value in self.cases():
                if is_first:
                    lacking = np.flatnonzero((value != value) & (batch.node >= 0))
                    node, label, weight = batch.node[lacking], batch.label[lacking], batch.weight[lacking]
                    np.add.at(sums[scan_values.MISSING], (node, label), weight)
                    np.add.at(unknown, node, scale[label] * weight)
                is_own = (value >= low if is_first else value > low) & (batch.node >= 0)
                rows.add(batch, value, np.flatnonzero(is_own))
            if is_first:
                sums[scan_values.KNOWN] = totals - sums[scan_values.MISSING]
                scan_values.begin(sums, number, plan)
            for node, value, label, weight in rows.scanned():
                scan_values.scan(node, value, label, weight, sums, number, plan)
            if rows.high == np.inf:
                break
            low, is_first = rows.high, False
        return _entries(sums, number).counted(sums[scan_values.MISSING], unknown, totals, 0, margin)


def _entries(sums: Floats, number: Floats) -> Entries:
    """Return the known cases of each node, divided by its cuts, in ascending order."""
    before, won = number[:, scan_values.LOWER_BEFORE], number[:, scan_values.LOWER]
    first, last, left = number[:, scan_values.FIRST], number[:, scan_values.LAST], sums[scan_values.LEFT]
    has_before, has_won = before == before, won == won
    parts = [
        (has_before, first, before, sums[scan_values.WON_BEFORE]),
        (
            has_won,
            np.where(has_before, number[:, scan_values.UPPER_BEFORE], first),
            won,
            sums[scan_values.WON] - np.where(has_before[:, None], sums[scan_values.WON_BEFORE], 0.0),
        ),
        (
            last == last,
            np.where(has_won, number[:, scan_values.UPPER], first),
            last,
            left - np.where(has_won[:, None], sums[scan_values.WON], 0.0),
        ),
    ]
    node = np.concatenate([np.flatnonzero(is_there) for is_there, *_ in parts])
    order = np.argsort(node, kind="stable")
    low, high, outcomes = (np.concatenate([part[i][part[0]] for part in parts])[order] for i in (1, 2, 3))
    return Entries(node[order], np.arange(len(order)), high, outcomes, low)
