"""Passes over blocks of codes in Spark: workers count, and the counters are summed.

Workers send each row through the splits since the nodes were last written, so nothing is written at most levels; after
LEVELS_OF_ROUTE of them the blocks are written again, with the nodes and without the rows in leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.engines import _sparkworker
from treecli.engines._parts import Parts, no_parts
from treecli.engines._passes import LABEL, NODE, ROOM_FOR_COUNTERS, ROW, WEIGHT, CodeMove, Moves, OnRows
from treecli.engines._sparkcoding import BLOCKS_PER_BATCH, ROWS_PER_BATCH
from treecli.engines._tables import Counters, SortedRows, joined

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.engines._levels import Counted
    from treecli.engines._sparkcoding import ClusteredData
    from treecli.grow.candidates import Codes, Floats
    from treecli.kernels.args import Plan

LEVELS_OF_ROUTE = 8

MOST_SUMMED_HERE = 16
"""Up to so many partitions, their counters are summed here and not in Spark."""


class SparkPasses:
    """As Passes, in Spark: `n_done` passes so far."""

    IS_ORDERED = False
    has_parts_aside = False

    def __init__(self, data: ClusteredData) -> None:
        self.data = data
        self.n_done = 0
        self.room = ROOM_FOR_COUNTERS
        self.most_sorted = 0
        self.plan: Plan | None = None
        self.parts = no_parts()
        self.on_rows: OnRows | None = None
        self._frame = data.frame
        self._route: list[list[Any]] = []
        self._pending: list[Any] | None = None
        self._root = 0
        self._old: Any = None
        self._has_nodes = False

    def set_root_aside(self) -> None:
        """Set the root aside as the first node: no pass has moved a row."""
        self._root = _sparkworker.FIRST_ASIDE

    def move(self, moves: Moves, to: Codes, parts: Parts) -> None:
        """Move the rows of the last level in the next pass; to[child] is the node that a child becomes, or negative.

        There are no parts of rows: the engine refuses splits that divide rows, unless passes keep their order.
        """
        level: list[Any] = []
        for own in moves:
            if isinstance(own, CodeMove):
                level.append((own.attribute, False, (own.start, to[own.table], own.n_codes)))
            else:
                level.append((own.attribute, True, (own.number, own.is_split, to[own.children])))
        self._pending = level

    def pass_over(self) -> None:
        """Move the rows of the last level without counting: the next pass does."""
        self._advance()

    def count(self, totals: Floats, scale: Floats) -> list[Counted]:
        """Return the counts of every attribute at the open nodes, whose classes must sum to `totals`."""
        data, (n_nodes, n_classes) = self.data, totals.shape
        n_codes = {a: column.n_codes if column.is_dense else None for a, column in enumerate(data.columns)}
        in_node = sum(n + 1 for n in n_codes.values() if n is not None)
        at_once = max(self.room // (8 * n_classes * max(in_node, 1)), 1)
        with data.explained():
            self._advance()
        parts = [
            self._counted(first, last, n_codes, totals[first:last], scale)
            for first, last in pairwise([*range(0, n_nodes, at_once), n_nodes])
        ]
        return [joined([part[a] for part in parts]) for a in range(len(data.columns))]

    def _advance(self) -> None:
        """Add the splits of the last level to the route, and write the nodes if it is long."""
        if self._pending is not None:
            self._route.append(self._pending)
            self._pending = None
        if len(self._route) <= LEVELS_OF_ROUTE:
            return
        if self._old is not None:
            self._old.unpersist()
        self._old = self._frame
        work = _sparkworker.keep(self._blocks(), self._names(ROW, NODE))
        schema = ", ".join(f"`{own}` binary" for own in self._names(ROW, NODE))
        self._frame = self._selected(ROW).mapInArrow(work, schema).persist()
        self._route, self._has_nodes = [], True

    def _blocks(self) -> _sparkworker.Blocks:
        return _sparkworker.Blocks(self.data.types, self._route, self._root)

    def _names(self, *further: str) -> list[str]:
        own = [LABEL, *([WEIGHT] if self.data.has_weights else []), *further]
        return own + [f"c{a}" for a in range(len(self.data.columns))]

    def _selected(self, *further: str) -> Any:
        return self._frame.select(*self._names(*further, *([NODE] if self._has_nodes else [])))

    def _counted(
        self, first: int, last: int, n_codes: dict[int, int | None], totals: Floats, scale: Floats
    ) -> list[Counted]:
        """Return the counts of some nodes, in one pass."""
        self.n_done += 1
        data = self.data
        layout = _sparkworker.Layout(last - first, n_codes, totals.shape[1])
        with data.explained():
            packs = self._frame.rdd.getNumPartitions() <= MOST_SUMMED_HERE
        work = _sparkworker.count(self._blocks(), (first, last), n_codes, totals.shape[1], packs=packs)
        with data.explained(BLOCKS_PER_BATCH if packs else ROWS_PER_BATCH):
            if packs:
                rows = self._selected().mapInArrow(work, _sparkworker.PACKED).collect()
                place, n = (_joined([getattr(own, name) for own in rows], np.int64) for name in ("k", "n"))
                value = _joined([own.value for own in rows], np.float64)
            else:
                frame = self._selected().mapInArrow(work, _sparkworker.COUNTS).groupBy("k", "value").sum("n")
                place, value, n = (own.to_numpy() for own in frame.toArrow().columns)
        if self.on_rows is not None:
            self.on_rows(1.0)
        is_dense = place < layout.n_dense
        dense = np.zeros(layout.n_dense, np.int64)
        np.add.at(dense, place[is_dense], n[is_dense])
        found, begin = {}, 0
        for a, shape in layout.shapes.items():
            size = int(np.prod(shape))
            counts = dense[begin : begin + size].reshape(shape)
            begin += size
            column = data.columns[a]
            unknown = counts[:, column.n_codes] @ scale
            found[a] = Counters(counts, unknown).counted(column, totals)
        many = np.flatnonzero(~is_dense)
        attribute, place = np.divmod(place[many] - layout.n_dense, layout.size)
        values = value[many]
        for own, a in enumerate(layout.many):
            is_own = attribute == own
            node, label = np.divmod(place[is_own], totals.shape[1])
            rows = SortedRows(node, values[is_own], label, n[many][is_own])
            found[a] = rows.counted(data.schema.attributes[a], totals, scale)
        return [found[a] for a in n_codes]

    def rows_aside(self, record: Any) -> Iterator[NDArray[np.void]]:
        """Yield the rows of nodes set aside as records, in any order; the last pass over all rows."""
        self.n_done += 1
        if self._pending is not None:
            self._route.append(self._pending)
            self._pending = None
        work = _sparkworker.fetch(self._blocks(), record)
        with self.data.explained():
            frame = self._selected(ROW).mapInArrow(work, _sparkworker.FETCHED)
            for row in frame.toLocalIterator(prefetchPartitions=True):
                yield np.frombuffer(bytes(row.rows), record)

    def close(self) -> None:
        release(self.data, self._old, self._frame)


def _joined(parts: list[Any], kind: type[np.generic]) -> NDArray[Any]:
    """Return the numbers in binary values, one after the other."""
    return np.concatenate([np.empty(0, kind), *(np.frombuffer(bytes(own), kind) for own in parts)])


def release(data: ClusteredData, *frames: Any) -> None:
    """Let Spark forget what it keeps of frames, except that of the data; it may have ended."""
    from py4j.protocol import Py4JError

    with suppress(Py4JError, OSError):
        for frame in frames:
            if frame is not None and frame is not data.frame:
                frame.unpersist()
