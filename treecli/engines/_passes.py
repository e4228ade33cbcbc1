"""Passes over coded data: count the open nodes of a level, and gather the rows of nodes to finish in memory.

RainForest (Gehrke, Ramakrishnan and Ganti 1998): a split needs only the counts by value and class. The node of every
row is kept in a file, which the next pass brings up to date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from treecli.engines._levels import Counted
from treecli.engines._parts import Batch, Parts, batch_of, in_order, no_parts
from treecli.errors import DataError
from treecli.grow.candidates import CountTables
from treecli.grow.coded import CODE
from treecli.kernels import count_codes, impurity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import Attribute
    from treecli.grow.candidates import Codes, Floats, Indices
    from treecli.grow.coded import CodedColumn, CodedData
    from treecli.threads import Shared

LEAF = -1
FIRST_ASIDE = -2
"""Rows of the i-th node set aside have the node FIRST_ASIDE - i."""

NODE, LABEL, WEIGHT, ROW = "node", "class", "weight", "row"
"""The fields of fetched rows beside the attributes, which are c0, c1 and so on."""

ROWS_AT_ONCE = 1 << 18

ROOM_FOR_COUNTERS = 1 << 28
"""Bytes of counters in one pass; the nodes of a larger level are counted in several passes."""

ROUNDING = 1e-9
"""By this share, sums of fractions may differ from sums of the same in another order."""

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


class Counters(NamedTuple):
    """The counts of one attribute by node, code and class, and the field `unknown` of Counted."""

    counts: NDArray[Any]
    unknown: Floats

    @classmethod
    def of(cls, n_nodes: int, n_codes: int, n_classes: int, *, is_whole: bool = True) -> Counters:
        kind: Any = np.int64 if is_whole else np.float64
        return cls(np.zeros((n_nodes, n_codes + 1, n_classes), kind), np.zeros(n_nodes))

    def counted(self, column: CodedColumn, totals: Floats, rounding: float = 0.0) -> Counted:
        """Return the counters of a dense attribute as tables of the entries that occur; `rounding` as in Entries."""
        missing = self.counts[:, column.n_codes].astype(np.float64)
        node, code = np.nonzero(self.counts[:, : column.n_codes].any(axis=2))
        outcomes = self.counts[node, code].astype(np.float64)
        value = None if column.values is None else column.values[code]
        entries = Entries(node, code, value, outcomes)
        return entries.counted(missing, self.unknown, totals, column.n_codes, rounding)


class Entries(NamedTuple):
    """The entries of an attribute in the order of nodes and codes; `value` are those of a numeric attribute."""

    node: Indices
    code: Indices
    value: Floats | None
    outcomes: Floats

    def counted(
        self, missing: Floats, unknown: Floats, totals: Floats, n_labels: int, rounding: float = 0.0
    ) -> Counted:
        """Return the entries as tables; raise a DataError if they do not sum to the totals of the nodes.

        `rounding` is the share by which sums of fractions may differ.
        """
        sums = missing.copy()
        np.add.at(sums, self.node, self.outcomes)
        if (np.abs(sums - totals) > rounding * totals).any():
            raise DataError("the data changed while they were read: the counts of a pass differ from those before it")
        start = np.concatenate([[0], np.cumsum(np.bincount(self.node, minlength=len(totals)))]).astype(np.int64)
        no_rows, is_nominal = np.zeros(len(self.code), np.int64), self.value is None
        codes = self.code.astype(np.int32) if is_nominal else np.empty(0, np.int32)
        n_labels = n_labels if is_nominal else 0
        weights = np.empty(len(totals))
        impurity.totals(totals, False, weights)
        tables = CountTables(n_labels, start, codes, self.outcomes, no_rows, weights, self.value)
        return Counted(tables, missing, unknown, self.value)


class SortedRows(NamedTuple):
    """The node, number, class and weight (None: 1) of rows, for an attribute of very many values."""

    node: Codes | Indices
    value: Floats
    label: NDArray[Any]
    weight: NDArray[Any] | None

    def counted(self, described: Attribute, totals: Floats, scale: Floats, rounding: float = 0.0) -> Counted:
        """Return the tables of the attribute: the rows sorted by value; `rounding` as in Entries."""
        (node, value, label, weight), n_classes = self, totals.shape[1]
        is_missing = value != value
        lacking, of_lacking = node[is_missing], label[is_missing]
        missing = sums_of(lacking * n_classes + of_lacking, _taken(weight, is_missing), totals.shape)
        unknown = np.zeros(len(totals))
        np.add.at(unknown, lacking, scale[of_lacking] * (1.0 if weight is None else weight[is_missing]))
        known = np.flatnonzero(~is_missing)
        node, value, label, weight = node[known], value[known], label[known], _taken(weight, known)
        order = np.lexsort((value, node))
        node, value = node[order], value[order]
        is_new = np.ones(len(node), bool)
        is_new[1:] = (value[1:] != value[:-1]) | (node[1:] != node[:-1])
        entry = np.cumsum(is_new) - 1
        n_entries = int(np.count_nonzero(is_new))
        outcomes = sums_of(entry * n_classes + label[order], _taken(weight, order), (n_entries, n_classes))
        node_of_entry, value = node[is_new].astype(np.int64), value[is_new]
        if described.kind == "nominal":
            entries = Entries(node_of_entry, value.astype(np.int64), None, outcomes)
        else:
            entries = Entries(node_of_entry, entry[is_new], value, outcomes)
        return entries.counted(missing, unknown, totals, len(described.labels), rounding)


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
        self.on_rows: OnRows | None = None
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
    def _rounding(self) -> float:
        return ROUNDING if len(self.parts) else 0.0

    def count(self, totals: Floats, scale: Floats) -> list[Counted]:
        """Return the counts of every attribute at the open nodes, whose classes must sum to `totals`."""
        data, (n_nodes, n_classes) = self.data, totals.shape
        dense = [a for a, column in enumerate(data.columns) if column.is_dense]
        codes_in_node = sum(data.columns[a].n_codes + 1 for a in dense)
        at_once = max(self.room // (8 * n_classes * max(codes_in_node, 1)), 1)
        limits = [*range(0, n_nodes, at_once), n_nodes]
        parts: list[list[Counted]] = []
        for number, (first, last) in enumerate(pairwise(limits)):
            is_whole = not len(self.parts)
            counts = {
                a: Counters.of(last - first, data.columns[a].n_codes, n_classes, is_whole=is_whole) for a in dense
            }
            self._count_codes(counts, scale, first, last, moves=number == 0)
            own_totals = totals[first:last]
            parts.append([own.counted(data.columns[a], own_totals, self._rounding) for a, own in counts.items()])
        found = {a: joined([part[i] for part in parts]) for i, a in enumerate(dense)}
        if not dense:
            self._count_codes({}, scale, 0, n_nodes, moves=True)
        for a, column in enumerate(data.columns):
            if not column.is_dense:
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
            n, is_whole = len(node), not len(self.parts)
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
                if not is_whole:
                    count_codes.count_cases(own, codes, batch.label, batch.weight, to.counts)
                elif weights is None:
                    count_codes.count(own, codes, batch.label, to.counts, scale, to.unknown)
                else:
                    count_codes.count_weights(own, codes, batch.label, weights, to.counts, scale, to.unknown)

            self._shared.do(add, counts)

    def _batch(self, begin: int, node: Codes) -> Batch:
        """Return the rows of a batch with their parts."""
        n, data = len(node), self.data
        weight = data.whole_weights(begin, n).astype(np.float64) if data.has_weights else np.ones(n)
        return batch_of(begin, node, data.labels(begin, n), weight, self.parts.between(begin, n))

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
        """Return the tables of an attribute of very many values: the rows of open nodes, sorted by value."""
        data = self.data
        nodes, values, labels, weights = [], [], [], []
        has_weights = data.has_weights or len(self.parts) > 0
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
        node, value, label = np.concatenate(nodes), np.concatenate(values), np.concatenate(labels)
        weight = np.concatenate(weights) if has_weights else None
        rows = SortedRows(node, value, label, weight)
        return rows.counted(data.schema.attributes[attribute], totals, scale, self._rounding)

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
            rows[NODE], rows[LABEL] = batch.node[own], batch.label[own]
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


def _taken(values: NDArray[Any] | None, places: Any) -> NDArray[Any] | None:
    return None if values is None else values[places]


def sums_of(place: Any, weight: NDArray[Any] | None, shape: tuple[int, int]) -> Floats:
    """Return the weight, or the number of rows, of each place; whole numbers, so the order does not matter."""
    return np.bincount(place, weight, shape[0] * shape[1]).astype(np.float64).reshape(shape)


def joined(parts: list[Counted]) -> Counted:
    """Return the counts of several portions of the nodes."""
    if len(parts) == 1:
        return parts[0]
    tables = [part.tables for part in parts]
    n_before = np.cumsum([0, *(own.start[-1] for own in tables)])
    start = np.concatenate([own.start[:-1] + n for own, n in zip(tables, n_before, strict=False)] + [n_before[-1:]])
    value = None if tables[0].value is None else np.concatenate([cast("Floats", own.value) for own in tables])
    code, outcomes, n_rows, weights = (
        np.concatenate([getattr(own, name) for own in tables]) for name in ("code", "outcomes", "n_rows", "weights")
    )
    return Counted(
        CountTables(tables[0].n_labels, start, code, outcomes, n_rows, weights, value),
        np.concatenate([part.missing for part in parts]),
        np.concatenate([part.unknown for part in parts]),
        value,
    )
