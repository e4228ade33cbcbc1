"""Nodes set aside by an engine that counts: their rows are fetched and the memory engine grows their subtrees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli import plugins
from treecli.engines._passes import FIRST_ASIDE, LABEL, NODE, ROW, WEIGHT
from treecli.engines._tables import ROUNDING
from treecli.engines._targets import margin_of
from treecli.errors import DataError
from treecli.grow import mixed
from treecli.grow.coded import CODE
from treecli.grow.level import MemoryLevel, SortedCases
from treecli.grow.loop import Loop
from treecli.grow.nodes import Graft
from treecli.grow.spilled import SpilledNodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import Dataset
    from treecli.engines._levels import CountedLevel
    from treecli.grow.candidates import Codes, Indices
    from treecli.grow.coded import CodedData

CheckTree = Callable[[int, int, float], None]


class Aside:
    """The nodes set aside, in the order in which they were; those with at most `most_rows` rows are."""

    def __init__(self, engine: Any, folder: Path, most_rows: int) -> None:
        self._engine = engine
        self._folder = folder
        self.most_rows = most_rows
        self._levels: list[CountedLevel] = []
        self._n_left = self._n_waiting = 0
        self._n_all = 1
        self.n_finished = 0
        self.most_nodes: int | None = None
        """Subtrees of more nodes are grown in parts, which do not wait in memory."""
        self.check_tree: CheckTree | None = None
        """Called with the nodes and bytes of the tree so far, and the share of the rows whose nodes are final."""

    @property
    def n_cases(self) -> int:
        return sum(level.n_cases for level in self._levels)

    @property
    def _n_nodes(self) -> int:
        return sum(level.n_nodes for level in self._levels)

    def set_aside(self, level: CountedLevel) -> CountedLevel:
        """Set the nodes that fit into memory aside, and return the level without them."""
        is_small = level.size <= self.most_rows
        if is_small.any():
            self._engine.place_aside(level.slot[is_small], self._numbered(level.part(is_small)))
        return level.part(~is_small)

    def _numbered(self, level: CountedLevel) -> Codes:
        first = self._n_nodes
        self._levels.append(level)
        return (FIRST_ASIDE - first - np.arange(level.n_nodes)).astype(np.int32)

    def grown(self) -> Iterator[Graft]:
        """Yield the numbers of nodes that were set aside, and their subtrees, as many at a time as fit into memory."""
        if not self._levels:
            return
        engine = self._engine
        engine.hand_moves_over()
        size = np.concatenate([level.size for level in self._levels])
        portion = _portions(size, self.most_rows)
        levels = [(level, i) for level in self._levels for i in range(level.n_nodes)]
        self._levels = []
        self._n_left = int(size.sum())
        self._n_all = max(self._n_left, engine.data.n_cases)  # parts of rows count as rows
        fetched = self._fetched(portion)
        for own in range(int(portion.max()) + 1):
            nodes = np.flatnonzero(portion == own)
            self.n_finished += len(nodes)
            self._n_left -= int(size[nodes].sum())
            # No name refers to the rows of a portion while the next one is fetched.
            yield from self._grown(next(fetched), nodes, [levels[i] for i in nodes])

    def joined(self) -> SpilledNodes:
        """Return what the nodes of the levels and subtrees are added to."""
        return SpilledNodes(self._folder, self._check_tree)

    def _check_tree(self, n_nodes: int, n_bytes: int) -> None:
        if self.check_tree is not None and not self.n_cases:
            self.check_tree(n_nodes, n_bytes, 1 - (self._n_left + self._n_waiting) / self._n_all)

    def _fetched(self, portion: Indices) -> Iterator[NDArray[np.void]]:
        """Yield the rows of each portion of the nodes, in the order of the source."""
        n_portions = int(portion.max()) + 1
        if n_portions == 1:
            yield self._ordered(np.concatenate([rows for rows, _ in self._rows_aside(portion)]))
            return
        paths = [self._folder / f"aside-{own}" for own in range(n_portions)]
        for path in paths:
            path.unlink(missing_ok=True)
        for rows, own in self._rows_aside(portion):
            order = np.argsort(own, kind="stable")
            limits = np.searchsorted(own[order], np.arange(n_portions + 1))
            for path, begin, end in zip(paths, limits[:-1], limits[1:], strict=True):
                if begin < end:
                    with path.open("ab") as file:
                        rows[order[begin:end]].tofile(file)
        for path in paths:
            yield self._ordered(np.fromfile(path, self._record))
            path.unlink()

    def _ordered(self, rows: NDArray[np.void]) -> NDArray[np.void]:
        """Return rows in the order of the source."""
        return rows if self._engine.passes.IS_ORDERED else rows[np.argsort(rows[ROW])]

    @property
    def _has_weights(self) -> bool:
        return bool(self._engine.data.has_weights or self._engine.passes.has_parts_aside)

    @property
    def _record(self) -> np.dtype[np.void]:
        """One row: its node, its class, its weight and its attributes as in their files."""
        data = self._engine.data
        fields: list[Any] = [(NODE, np.int32), (LABEL, CODE if data.schema.is_classification else np.float64)]
        if self._has_weights:
            fields.append((WEIGHT, np.float64))
        if not self._engine.passes.IS_ORDERED:
            fields.append((ROW, np.int64))
        fields += [(f"c{a}", CODE if column.is_dense else np.float64) for a, column in enumerate(data.columns)]
        return np.dtype(fields)

    def _rows_aside(self, portion: Indices) -> Iterator[tuple[NDArray[np.void], Indices]]:
        """Yield the rows of nodes set aside, batch by batch, with the portion of each row."""
        for rows in self._engine.passes.rows_aside(self._record):
            yield rows, portion[rows[NODE]]

    def _grown(
        self, records: NDArray[np.void], nodes: Indices, levels: list[tuple[CountedLevel, int]]
    ) -> Iterator[Graft]:
        """Yield the subtrees of some nodes, whose rows are given in the order of the source."""
        counting = self._engine
        plan, jobs = counting.plan, counting.shared.n_threads
        dataset = self._dataset(records)
        place = np.searchsorted(nodes, records[NODE])
        self._check(records, dataset, place, levels)
        del records
        numbers = np.array([level.numbers[i] for level, i in levels])
        if numbers.tolist() == [0] and self.most_nodes is None:
            # The whole tree: with all accelerators, as without an engine.
            yield Graft(numbers, plugins.load("searches", "greedy").grow(dataset, plan, jobs=jobs))
            return
        engine = plugins.load("engines", "memory").Engine(dataset, plan, jobs)
        if mixed.refuses(plan, engine) is None:
            grow = mixed.parts_grower(engine, self.most_nodes)
            for level, own in _levels_in_memory(engine, place, levels):
                is_first = True
                for part in grow(level):
                    self._n_waiting = min(part.n_waiting, len(place))
                    yield Graft(numbers[own] if is_first else part.roots, part.nodes, goes_on=not is_first)
                    is_first = False
                    del part  # before the next one is grown
            engine.close()
            return
        for level, own in _levels_in_memory(engine, place, levels):
            for i in range(level.n_nodes):
                alone = level.taken(np.array([i]))
                alone.numbers[0] = 0
                again = plugins.load("engines", "memory").Engine(dataset, plan, jobs)
                yield Graft(numbers[own[i : i + 1]], Loop(again, plan, root=alone).run())

    def _check(
        self, records: NDArray[np.void], dataset: Dataset, place: Indices, levels: list[tuple[CountedLevel, int]]
    ) -> None:
        """Raise a DataError if the fetched rows are not those that were counted."""
        expected = np.concatenate([level.totals[i : i + 1] for level, i in levels])
        found = np.zeros_like(expected)
        is_whole = self._engine.data.is_whole and not self._engine.passes.has_parts_aside
        margin = expected * (0.0 if is_whole else ROUNDING)
        if dataset.schema.is_classification:
            np.add.at(found, (place, records[LABEL].astype(np.int64)), dataset.weights)
        else:
            y = records[LABEL] - np.array([level.center[i] for level, i in levels])[place]
            found[:, 0], found[:, 1], found[:, 2] = (
                np.bincount(place, dataset.weights * own, len(expected)) for own in (1.0, y, y * y)
            )
            margin = margin_of(expected, self._engine.passes.deviance)
        if (np.abs(found - expected) > margin).any():
            raise DataError("the data changed while they were read: fetched rows differ from the counts before")

    def _dataset(self, records: NDArray[np.void]) -> Dataset:
        data: CodedData = self._engine.data
        columns = [data.decoded(a, records[f"c{a}"]) for a in range(len(data.columns))]
        weights = np.ascontiguousarray(records[WEIGHT]) if self._has_weights else np.ones(len(records))
        return data.dataset(columns, records[LABEL], weights)


def _portions(size: Indices, most_rows: int) -> Indices:
    """Return the portion of each node: consecutive nodes with at most `most_rows` rows in all."""
    portion, number, total = np.empty(len(size), np.int64), 0, 0
    for i, own in enumerate(size.tolist()):
        if total and total + own > most_rows:
            number, total = number + 1, 0
        total += own
        portion[i] = number
    return portion


def _levels_in_memory(
    engine: Any, place: Indices, levels: list[tuple[CountedLevel, int]]
) -> Iterator[tuple[MemoryLevel, Indices]]:
    """Yield the nodes of each depth as a level with its cases, with the indices of the nodes."""
    plan = engine.plan
    depth = np.array([level.depth for level, _ in levels])
    for own_depth in np.unique(depth):
        own = np.flatnonzero(depth == own_depth)
        row = np.flatnonzero(depth[place] == own_depth).astype(np.int32)
        node = np.searchsorted(own, place[row])
        order = np.argsort(node, kind="stable")
        row, node = row[order], node[order]
        start = np.searchsorted(node, np.arange(len(own) + 1))
        outcomes, totals = (
            np.concatenate([getattr(levels[i][0], name)[levels[i][1] : levels[i][1] + 1] for i in own])
            for name in ("outcomes", "totals")
        )
        center = np.array([levels[i][0].center[levels[i][1]] for i in own])
        orders = {}
        for a, attribute in enumerate(engine.schema.attributes):
            if attribute.kind == "nominal":
                continue
            values = engine.column(a)[row]
            case = np.lexsort((values, node)).astype(np.int32)
            n_known = np.bincount(node[values == values], minlength=len(own))
            orders[a] = SortedCases(case, values[case], n_known, plan.value_gap)
        of_cases = start, row, engine.label_of_row[row], engine.target_of_row[row]
        weight = np.array(engine.weights[row])
        numbers = np.array([levels[i][0].numbers[levels[i][1]] for i in own])
        is_whole = all(levels[i][0].is_whole for i in own)
        key = np.zeros(len(own), np.uint64)
        yield (
            MemoryLevel(
                numbers,
                outcomes,
                int(own_depth),
                *of_cases,
                weight,
                center,
                totals.copy(),
                orders,
                is_whole,
                key,
            ),
            own,
        )
