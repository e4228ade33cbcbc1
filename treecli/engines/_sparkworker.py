"""Work on blocks of rows inside Spark's Python workers.

Spark sends this module to its workers by value: they need numpy and pyarrow, not treecli, whose compiled kernels are
used where they are installed. A block is a Spark row with a binary value per column: the codes, numbers or classes of
consecutive rows side by side. So a pass moves few large values instead of many small ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

LEAF = -1
FIRST_ASIDE = -2

COUNTS = "k long, value double, n long"
PACKED = "k binary, value binary, n binary"
FETCHED = "rows binary"

MOST_PENDING = 1 << 22
"""Rows with numbers of very many values that a worker holds before it adds up equal ones."""

Work = Callable[[Iterator[Any]], Iterator[Any]]


def has_arrow(_: Iterator[Any]) -> Iterator[bool]:
    """Yield whether this worker has numpy and pyarrow."""
    try:
        import numpy
        import pyarrow

        yield bool(numpy.__version__ and pyarrow.__version__)
    except ImportError:
        yield False


def kernels() -> Any:
    """Return treecli's compiled loops, or None where they are not installed."""
    try:
        from treecli.kernels import count_codes
    except ImportError:
        return None
    return count_codes


def as_block(columns: list[Any], names: list[str]) -> Any:
    """Return columns as an Arrow batch of one row."""
    import pyarrow as pa

    arrays = [pa.array([np.ascontiguousarray(own).tobytes()], pa.binary()) for own in columns]
    return pa.RecordBatch.from_arrays(arrays, names)


class Blocks:
    """The columns of a block: their names and types, and the splits of the levels since the nodes were written."""

    def __init__(self, types: dict[str, str], route: list[list[Any]], root: int) -> None:
        self.types = types
        self.route = route
        self.root = root

    def of(self, batches: Iterator[Any]) -> Iterator[tuple[dict[str, Any], Any]]:
        """Yield the columns of each block, and the node of each row."""
        own = kernels()
        for batch in batches:
            names = batch.schema.names
            for place in range(batch.num_rows):
                # A copy: compiled loops take arrays that can be written to.
                block = {
                    name: np.frombuffer(values[place].as_buffer(), self.types[name]).copy()
                    for name, values in zip(names, batch.columns, strict=True)
                }
                yield block, self._nodes(block, own)

    def _nodes(self, block: dict[str, Any], own: Any) -> Any:
        node = block.get("node")
        if node is None:
            node = np.full(len(block["class"]), self.root, np.int32)
        for moves in self.route:
            to = np.where(node < 0, node, LEAF).astype(np.int32)
            for attribute, by_number, args in moves:
                values = block[f"c{attribute}"]
                if own is not None and by_number:
                    own.send_by_number(node, values, *args, to)
                elif own is not None and values.dtype == np.uint16:
                    own.send_by_code(node, values, *args[:2], to)
                else:
                    (_send_by_number if by_number else _send_by_code)(node, values, args, to)
            node = to
        return node


def _send_by_code(node: Any, values: Any, args: Any, to: Any) -> None:
    """As the kernel send_by_code; labels that are kept as doubles have the last code if missing."""
    start_of, table, n_codes = args
    start = np.where(node >= 0, start_of[np.maximum(node, 0)], -1)
    own = np.flatnonzero(start >= 0)
    code = values[own]
    if code.dtype != np.uint16:
        code = np.where(code == code, code, n_codes).astype(np.int64)
    to[own] = table[start[own] + code]


def _send_by_number(node: Any, values: Any, args: Any, to: Any) -> None:
    """As the kernel send_by_number."""
    number, is_split, children = args
    own = np.flatnonzero((node >= 0) & (is_split[np.maximum(node, 0)] > 0))
    value, at = values[own], node[own]
    branch = np.where(value != value, 2, np.where(value <= number[at], 0, 1))
    to[own] = children[at, branch]


def count(
    blocks: Blocks, nodes: tuple[int, int], n_codes: dict[int, int | None], n_classes: int, *, packs: bool
) -> Work:
    """Return the work that counts rows by attribute, node, code or number, and class; see `Layout`.

    `packs`: the counts of a partition are one row of binary values.
    """

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        first, last = nodes
        layout = Layout(last - first, n_codes, n_classes)
        dense = [np.zeros(shape, np.int64) for shape in layout.shapes.values()]
        many = [_Sums() for _ in layout.many]
        own_kernels = kernels()
        for block, node in blocks.of(batches):
            own = np.where((node >= first) & (node < last), node - first, LEAF).astype(np.int32)
            if own.max(initial=LEAF) < 0:
                continue
            label, weight = block["class"], block.get("weight")
            for attribute, counts in zip(layout.shapes, dense, strict=True):
                _count_codes(own_kernels, own, block[f"c{attribute}"], label, weight, counts)
            if many:
                is_open = np.flatnonzero(own >= 0)
                place = own[is_open].astype(np.int64) * n_classes + label[is_open]
                n = np.ones(len(place), np.int64) if weight is None else weight[is_open]
                for attribute, sums in zip(layout.many, many, strict=True):
                    sums.add(place, block[f"c{attribute}"][is_open], n)
        yield _counts(layout, dense, many, packs=packs)

    return work


class Layout:
    """Where the counters of attributes are: those with codes one after the other, then those of very many values."""

    def __init__(self, n_nodes: int, n_codes: dict[int, int | None], n_classes: int) -> None:
        self.shapes = {a: (n_nodes, n + 1, n_classes) for a, n in n_codes.items() if n is not None}
        self.many = [a for a, n in n_codes.items() if n is None]
        self.size = n_nodes * n_classes
        self.n_dense = sum(int(np.prod(shape)) for shape in self.shapes.values())


def _count_codes(own_kernels: Any, node: Any, code: Any, label: Any, weight: Any, counts: Any) -> None:
    if own_kernels is not None:
        scale, unknown = np.zeros(counts.shape[2]), np.zeros(counts.shape[0])
        if weight is None:
            own_kernels.count(node, code, label, counts, scale, unknown)
        else:
            own_kernels.count_weights(node, code, label, weight, counts, scale, unknown)
        return
    is_open = np.flatnonzero(node >= 0)
    place = (node[is_open].astype(np.int64) * counts.shape[1] + code[is_open]) * counts.shape[2] + label[is_open]
    np.add.at(counts.reshape(-1), place, 1 if weight is None else weight[is_open])


class _Sums:
    """Whole numbers summed by place and value."""

    def __init__(self) -> None:
        self.parts: list[tuple[Any, Any, Any]] = []
        self.n = 0

    def add(self, place: Any, value: Any, n: Any) -> None:
        self.parts.append((place, value, n))
        self.n += len(place)
        if self.n > MOST_PENDING:
            self.parts = [self.summed()]
            self.n = len(self.parts[0][0])

    def summed(self) -> tuple[Any, Any, Any]:
        if not self.parts:
            return np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64)
        place, value, n = (np.concatenate(own) for own in zip(*self.parts, strict=True))
        order = np.lexsort((value, place))
        place, value, n = place[order], value[order], n[order]
        is_new = np.ones(len(place), bool)
        # Those without a value, NaN, are one.
        same = (value[1:] == value[:-1]) | ((value[1:] != value[1:]) & (value[:-1] != value[:-1]))
        is_new[1:] = ~(same & (place[1:] == place[:-1]))
        sums = np.add.reduceat(n, np.flatnonzero(is_new)) if len(n) else n
        return place[is_new], value[is_new], sums


def _counts(layout: Layout, dense: list[Any], many: list[_Sums], *, packs: bool) -> Any:
    """Return the counters that are not 0 as rows: place, number (0 for codes), count."""
    import pyarrow as pa

    places, values, counts, first = [], [], [], 0
    for own in dense:
        flat = own.reshape(-1)
        used = np.flatnonzero(flat)
        places.append(used + first)
        values.append(np.zeros(len(used)))
        counts.append(flat[used])
        first += len(flat)
    for sums in many:
        place, value, n = sums.summed()
        places.append(place + first)
        values.append(value)
        counts.append(n)
        first += layout.size
    found = [
        np.concatenate([np.empty(0, np.int64), *places]),
        np.concatenate([np.empty(0), *values]),
        np.concatenate([np.empty(0, np.int64), *counts]),
    ]
    names = ["k", "value", "n"]
    if packs:
        return as_block(found, names)
    return pa.RecordBatch.from_arrays([pa.array(own) for own in found], names)


def fetch(blocks: Blocks, record: Any) -> Work:
    """Return the work that yields the rows of nodes set aside as records; the fields are named like the columns."""

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for block, node in blocks.of(batches):
            own = np.flatnonzero(node <= FIRST_ASIDE)
            if not len(own):
                continue
            rows = np.empty(len(own), record)
            for name in rows.dtype.names or ():
                rows[name] = FIRST_ASIDE - node[own] if name == "node" else block[name][own]
            yield pa.RecordBatch.from_arrays([pa.array([rows.tobytes()], pa.binary())], ["rows"])

    return work


def keep(blocks: Blocks, names: list[str]) -> Work:
    """Return the work that yields the rows of open nodes and of nodes set aside as blocks, with their nodes."""

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        for block, node in blocks.of(batches):
            own = np.flatnonzero(node != LEAF)
            if len(own):
                yield as_block([node[own] if name == "node" else block[name][own] for name in names], names)

    return work
