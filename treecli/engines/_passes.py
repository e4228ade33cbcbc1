"""Passes over coded data: count the open nodes of a level, and gather the rows of nodes to finish in memory.

RainForest (Gehrke, Ramakrishnan and Ganti 1998): a split needs only the counts by value and class. The node of every
row is kept in a file, which the next pass brings up to date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.engines._parts import Batch, Parts, batch_of, in_order, no_parts
from treecli.engines._ranges import Ranges
from treecli.engines._tables import ROUNDING, Counters, SortedRows, joined
from treecli.grow.coded import CODE
from treecli.kernels import count_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.engines._levels import Counted
    from treecli.grow.candidates import Codes, Floats, Indices
    from treecli.grow.coded import CodedData
    from treecli.kernels.args import Plan
    from treecli.threads import Shared

LEAF = -1
FIRST_ASIDE = -2
"""Rows of the i-th node set aside have the node FIRST_ASIDE - i."""

NODE, LABEL, WEIGHT, ROW = "node", "class", "weight", "row"
"""The fields of fetched rows beside the attributes, which are c0, c1 and so on."""

ROWS_AT_ONCE = 1 << 18

MOST_SORTED = 1 << 24
"""The limit on rows of a column of very many values that are sorted at a time, if no ceiling of memory is given."""

ROOM_FOR_COUNTERS = 1 << 28
"""Bytes of counters in one pass; the nodes of a larger level are counted in several passes."""

OnRows = Callable[[float], None]
"""Called with the share of the rows that a pass has read."""


@dataclass(frozen=True, slots=True)
class CodeMove:
    """The rows of some nodes move by the code of an attribute: `start` and `table` as in count_codes.send_by_code."""

    attribute: int
    start: Indices
    table: Codes
    n_codes: int


@dataclass(frozen=True, slots=True)
class NumberMove:
    """The rows of some nodes move by a threshold: the fields as in count_codes.send_by_number."""

    attribute: int
    number: Floats
    is_split: NDArray[np.uint8]
    children: Codes


Moves = list[CodeMove | NumberMove]


class Passes:
    """The node of every row, and the passes that read the rows; `n_done` of them so far.

    `parts` are fractions of rows in open nodes. Passes that keep the order of the rows can add fractions.
    """

    IS_ORDERED = True
    """Whether rows are fetched in the order of the source."""

    def __init__(self, data: CodedData, folder: Path, shared: Shared, rows_at_once: int = ROWS_AT_ONCE) -> None:
        self.data = data
        self.n_done = 0
        self.room = ROOM_FOR_COUNTERS
        self.most_sorted = MOST_SORTED
        self.plan: Plan | None = None
        self.on_rows: OnRows | None = None
        self.center: Floats = np.zeros(1)
        """By open node: about which a numeric target is summed."""
        self.deviance = 0.0
        """That of a numeric target at the root."""
        self._folder = folder
        self._shared = shared
        self._size = rows_at_once
        self._nodes: Path | None = None
        self._generation = 0
        self._moves: Moves | None = None
        self._to: Codes = np.zeros(1, np.int32)
        self._root = 0
        self.parts = no_parts()
        self._parts_aside: list[Parts] = []

    def set_root_aside(self) -> None:
        """Set the root aside as the first node: no pass has moved a row."""
        self._root = FIRST_ASIDE

    def move(self, moves: Moves, to: Codes, parts: Parts) -> None:
        """Move the rows of the last level in the next pass; to[child] is the node that a child becomes, or negative.

        `parts` are those of rows that go down several branches, by child.
        """
        self._moves, self._to = moves, to
        moved = parts.moved(to)
        self.parts = moved.taken(moved.node >= 0)
        self._parts_aside.append(moved.taken(moved.node <= FIRST_ASIDE))

    @property
    def has_parts_aside(self) -> bool:
        return any(len(own) > 0 for own in self._parts_aside)

    @property
    def _is_whole(self) -> bool:
        return self.data.is_whole and not len(self.parts)

    def margin(self, totals: Floats) -> Floats:
        """Return by how much sums may differ from the totals of nodes."""
        return totals * (0.0 if self._is_whole else ROUNDING)

    def pass_over(self) -> None:
        """Move the rows of the last level without counting."""
        for _ in self._nodes_of_batches():
            pass

    @property
    def _dense(self) -> list[int]:
        """The attributes that are counted by their codes."""
        return [a for a, column in enumerate(self.data.columns) if column.is_dense]

    def count(self, totals: Floats, scale: Floats) -> list[Counted]:
        """Return the counts of every attribute at the open nodes, whose classes must sum to `totals`."""
        data, (n_nodes, n_classes) = self.data, totals.shape
        dense = self._dense
        codes_in_node = sum(data.columns[a].n_codes + 1 for a in dense)
        at_once = max(self.room // (8 * n_classes * max(codes_in_node, 1)), 1)
        limits = [*range(0, n_nodes, at_once), n_nodes]
        parts: list[list[Counted]] = []
        for number, (first, last) in enumerate(pairwise(limits)):
            is_whole = self._is_whole
            counts = {
                a: Counters.of(last - first, data.columns[a].n_codes, n_classes, is_whole=is_whole) for a in dense
            }
            self._count_codes(counts, scale, first, last, moves=number == 0)
            own_totals = totals[first:last]
            margin = self.margin(own_totals)
            parts.append([own.counted(data.columns[a], own_totals, margin) for a, own in counts.items()])
        found = {a: joined([part[i] for part in parts]) for i, a in enumerate(dense)}
        for a in range(len(data.columns)):
            if a not in dense:
                found[a] = self._count_values(a, totals, scale)
        return [found[a] for a in range(len(data.columns))]

    def _count_codes(self, counts: dict[int, Counters], scale: Floats, first: int, last: int, *, moves: bool) -> None:
        """Add the rows of some nodes to the counters of each dense attribute; with `moves`, move them before."""
        data = self.data
        for begin, node in self._nodes_of_batches() if moves else self._kept_nodes():
            batch = self._batch(begin, node)
            own = batch.node
            if first > 0 or last < own.max(initial=0) + 1:
                own = np.where((own >= first) & (own < last), own - first, LEAF).astype(np.int32)
            if own.max(initial=LEAF) < 0:
                continue
            n, is_whole = len(node), self._is_whole
            weights = data.whole_weights(begin, n) if data.has_weights and is_whole else None

            def add(
                attribute: int,
                own: Codes = own,
                batch: Batch = batch,
                n: int = n,
                weights: Any = weights,
                is_whole: bool = is_whole,
            ) -> None:
                codes, to = batch.of(data.column(attribute, batch.first, n)), counts[attribute]
                if batch.target is not None:
                    center = self.center[first:last]
                    count_codes.count_targets(own, codes, batch.target, batch.weight, center, to.counts)
                elif not is_whole:
                    count_codes.count_cases(own, codes, batch.label, batch.weight, to.counts)
                elif weights is None:
                    count_codes.count(own, codes, batch.label, to.counts, scale, to.unknown)
                else:
                    count_codes.count_weights(own, codes, batch.label, weights, to.counts, scale, to.unknown)

            self._shared.do(add, counts)

    def _batch(self, begin: int, node: Codes) -> Batch:
        """Return the rows of a batch with their parts."""
        n, data = len(node), self.data
        of_rows = data.labels(begin, n), data.weights_of(begin, n)
        return batch_of(begin, node, *of_rows, self.parts.between(begin, n), data.targets(begin, n))

    def cases(self) -> Iterator[Batch]:
        """Yield the rows and their parts with their nodes, in one more pass."""
        self.n_done += 1
        for begin, node in self._kept_nodes():
            yield self._batch(begin, node)

    def children(self, batch: Batch, moves: Moves) -> Codes:
        """Return the numbers that moves give to the cases of a batch; LEAF at nodes that are not split."""
        n = len(batch.node) if batch.row is None else int(batch.row.max(initial=-1)) + 1
        return _moved(batch.node, moves, lambda a: batch.of(self.data.column(a, batch.first, n)))

    def _count_values(self, attribute: int, totals: Floats, scale: Floats) -> Counted:
        """Return the tables of an attribute of very many values."""
        described, plan = self.data.schema.attributes[attribute], self.plan
        has_weights = self.data.has_weights or len(self.parts) > 0
        if described.kind == "nominal" or plan is None or plan.cut_cost:
            rows = self._sorted_rows(attribute, has_weights=has_weights)
            return rows.counted(described, totals, scale, self.margin(totals))

        def cases() -> Iterator[tuple[Batch, Floats]]:
            for begin, node in self._kept_nodes():
                batch = self._batch(begin, node)
                if batch.node.max(initial=LEAF) >= 0:
                    yield batch, batch.of(self.data.column(attribute, begin, len(node)))

        room = min(self.most_sorted, self.data.n_cases + len(self.parts))
        return Ranges(cases, room, has_weights).counted(totals, scale, self.margin(totals), plan)

    def _sorted_rows(self, attribute: int, *, has_weights: bool) -> SortedRows:
        """Return the rows of open nodes with their values: labels, or numbers of which every cut is counted."""
        data = self.data
        nodes, values, labels, weights = [], [], [], []
        for begin, node in self._kept_nodes():
            batch = self._batch(begin, node)
            is_open = batch.node >= 0
            if not is_open.any():
                continue
            nodes.append(batch.node[is_open])
            values.append(batch.of(data.column(attribute, begin, len(node)))[is_open])
            labels.append(batch.label[is_open])
            if has_weights:
                weights.append(batch.weight[is_open])
        weight = np.concatenate(weights) if has_weights else None
        return SortedRows(np.concatenate(nodes), np.concatenate(values), np.concatenate(labels), weight)

    def rows_aside(self, record: np.dtype[np.void]) -> Iterator[NDArray[np.void]]:
        """Yield the rows of nodes set aside as records, in the order of the source; the last pass over all rows."""
        data = self.data
        self.parts = in_order([no_parts(), *self._parts_aside])
        self.parts.node[:] = FIRST_ASIDE - self.parts.node
        for begin, node in self._nodes_of_batches():
            batch = self._batch(begin, np.where(node <= FIRST_ASIDE, FIRST_ASIDE - node, LEAF).astype(np.int32))
            own = np.flatnonzero(batch.node >= 0)
            if not len(own):
                continue
            place = own if batch.row is None else batch.row[own]
            rows = np.empty(len(own), record)
            rows[NODE], rows[LABEL] = batch.node[own], (batch.label if batch.target is None else batch.target)[own]
            if WEIGHT in (record.names or ()):
                rows[WEIGHT] = batch.weight[own]
            for a in range(len(data.columns)):
                rows[f"c{a}"] = data.column(a, begin, len(node))[place]
            yield rows

    def _nodes_of_batches(self) -> Iterator[tuple[int, Codes]]:
        """Yield the first row and the nodes of each batch, moved; afterwards the file has the new nodes."""
        self.n_done += 1
        new = None
        if self._moves is not None or self._nodes is not None:
            self._generation += 1
            new = self._folder / f"nodes-{self._generation}"
        writing = None if new is None else new.open("wb")
        try:
            for begin, n in self.data.batches(self._size):
                node = self._moved(self._read_nodes(begin, n), begin)
                if writing is not None:
                    node.tofile(writing)
                yield begin, node
                if self.on_rows is not None:
                    self.on_rows((begin + n) / self.data.n_cases)
        finally:
            if writing is not None:
                writing.close()
        if new is not None:
            if self._nodes is not None:
                self._nodes.unlink()
            self._nodes, self._moves = new, None

    def _kept_nodes(self) -> Iterator[tuple[int, Codes]]:
        """Yield the first row and the nodes of each batch, as the last pass left them."""
        for begin, n in self.data.batches(self._size):
            yield begin, self._read_nodes(begin, n)

    def _read_nodes(self, begin: int, n: int) -> Codes:
        if self._nodes is None:
            return np.full(n, self._root, np.int32)
        return np.fromfile(self._nodes, np.int32, n, offset=4 * begin)

    def _moved(self, node: Codes, begin: int) -> Codes:
        """Return the nodes of the rows of a batch in the next level."""
        if self._moves is None or node.max(initial=LEAF) < 0:
            return node
        moved = _moved(node, self._moves, lambda a: self.data.column(a, begin, len(node)))
        return np.where(node < 0, node, np.where(moved < 0, LEAF, self._to[moved])).astype(np.int32)


def _moved(node: Codes, moves: Moves, column: Callable[[int], NDArray[Any]]) -> Codes:
    """Return the numbers that moves give to cases, LEAF where there is none."""
    to = np.full(len(node), LEAF, np.int32)
    for own in moves:
        values = column(own.attribute)
        if isinstance(own, CodeMove):
            if values.dtype != CODE:
                _send_by_many_labels(node, values, own, to)
                continue
            count_codes.send_by_code(node, values, own.start, own.table, to)
        else:
            count_codes.send_by_number(node, values, own.number, own.is_split, own.children, to)
    return to


def _send_by_many_labels(node: Codes, values: Floats, move: CodeMove, new: Codes) -> None:
    """Like count_codes.send_by_code for labels that are kept as doubles; a missing one has the last code."""
    start = np.where(node >= 0, move.start[np.maximum(node, 0)], -1)
    own = np.flatnonzero(start >= 0)
    code = np.where(values[own] == values[own], values[own], move.n_codes).astype(np.int64)
    new[own] = move.table[start[own] + code]
