"""The nodes of a tree that is being grown, in files: rows and nodes together may not fit into memory."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.grow.nodes import EVEN, RAGGED, Nodes, are_usual, in_order, settled, tidy_fields, usual_values
from treecli.outcomes.counts import SparseCounts

if TYPE_CHECKING:
    from treecli.grow.candidates import Codes, Indices

ENTRIES_AT_ONCE = 1 << 16

BYTES_PER_NODE = 105
"""Of memory that a node takes beside its outcomes while the tree is made of the files."""

BYTES_PER_ENTRY, BYTES_PER_WEIGHT = 12, 44
"""Of an entry of a table, and of a class that is kept sparsely: in a file, in order, and in the tree."""

_NOT_KEPT = ("improvement", "first_child")
"""Fields that are computed when all nodes are known; child numbers are needed until then."""

_SIZE, _CODE, _WEIGHT = "sparse-size", "sparse-code", "sparse-weight"
"""The files of class weights that are kept sparsely: how many each node has, their classes, the weights."""


class SpilledNodes:
    """The nodes of several parts, one after the other, in a file for each field; no file if all values are usual."""

    def __init__(self, folder: Path, on_added: Callable[[int, int], None]) -> None:
        self._folder = folder
        self._on_added = on_added
        """Called when a part is added, with the number of nodes and the bytes of memory that the tree will take."""
        self._kind: dict[str, np.dtype[Any]] = {}
        """The type of each field that has a file."""
        self._usual = usual_values()
        self._n_nodes = 0
        self._n_entries = dict.fromkeys((*RAGGED, _CODE), 0)
        self._n_outcomes = 0
        self._is_sparse = False
        self._notes: dict[int, dict[str, Any]] = {}
        self._surrogates: dict[int, Any] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        """Return a field of all nodes."""
        if name not in self._kind:
            return np.broadcast_to(self._usual[name], self._n_nodes)
        return np.concatenate([np.empty(0, self._kind[name]), *self._read(name)])

    def add(self, part: Nodes) -> None:
        for name, own in tidy_fields(part, self._n_entries).items():
            if name != "improvement":
                self._write_unless_usual(name, own)
        for name in RAGGED:
            entries = getattr(part, name)
            self._n_entries[name] += len(entries)
            self._write(name, entries)
        self._write_outcomes(settled(part.outcomes))
        self._n_nodes += len(part)
        self._notes |= part.notes
        self._surrogates |= part.surrogates
        self._on_added(self._n_nodes, self.n_bytes)

    @property
    def n_bytes(self) -> int:
        """The memory that the tree of these nodes takes when it is made."""
        of_outcomes = 16 if self._is_sparse else 8 * self._n_outcomes
        entries = sum(self._n_entries[name] for name in RAGGED)
        of_entries = BYTES_PER_ENTRY * entries + BYTES_PER_WEIGHT * self._n_entries[_CODE]
        return self._n_nodes * (BYTES_PER_NODE + of_outcomes) + of_entries

    def _write_outcomes(self, outcomes: Any) -> None:
        if isinstance(outcomes, SparseCounts):
            self._n_outcomes, self._is_sparse = outcomes.n_outcomes, True
            self._write(_SIZE, np.diff(np.frombuffer(outcomes.start, np.int64)))
            self._write(_CODE, np.array(outcomes.code, np.int32))
            self._write(_WEIGHT, np.array(outcomes.weight))
            self._n_entries[_CODE] += len(outcomes.code)
        else:
            self._n_outcomes = outcomes.shape[1]
            self._write("outcomes", outcomes)

    def _write_unless_usual(self, name: str, values: np.ndarray) -> None:
        usual = self._usual[name]
        if name not in self._kind:
            if are_usual(values, usual):
                return
            for begin in range(0, self._n_nodes, ENTRIES_AT_ONCE):
                self._write(name, np.full(min(ENTRIES_AT_ONCE, self._n_nodes - begin), usual, values.dtype))
        self._write(name, values)

    def _write(self, name: str, values: np.ndarray) -> None:
        is_first = name not in self._kind
        kind = self._kind.setdefault(name, values.dtype)
        with self._path(name).open("wb" if is_first else "ab") as file:
            np.ascontiguousarray(values, kind).tofile(file)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.nodes"

    def _read(self, name: str, n_columns: int = 1) -> Iterator[np.ndarray]:
        """Yield a file some entries at a time."""
        if name not in self._kind:
            return
        with self._path(name).open("rb") as file:
            while len(values := np.fromfile(file, self._kind[name], ENTRIES_AT_ONCE * n_columns)):
                yield values

    def taken(self, entry: Indices, order: Indices | Codes) -> Nodes:
        n_nodes = len(entry)
        place = np.full(self._n_nodes, -1, np.int32)
        place[entry] = np.arange(n_nodes, dtype=np.int32)
        values: dict[str, Any] = {}
        if self._is_sparse:
            values["outcomes"] = self._sparse().taken_at(entry)
        else:
            # The tree takes this array as it is.
            room = array("d", [0.0]) * (n_nodes * self._n_outcomes)
            values["outcomes"] = np.frombuffer(room).reshape(n_nodes, self._n_outcomes)
            self._place("outcomes", place, values["outcomes"])
        del entry
        for name in EVEN:
            if name in self._kind and name not in _NOT_KEPT:
                values[name] = np.empty(n_nodes, self._kind[name])
                self._place(name, place, values[name])
            else:
                values[name] = np.broadcast_to(self._usual[name], n_nodes)
        for name in RAGGED:
            if self._n_entries[name]:
                values[name] = self[name]
        for name in self._kind:
            self._path(name).unlink()
        return Nodes(**values, notes=in_order(self._notes, order), surrogates=in_order(self._surrogates, order))

    def _place(self, name: str, place: np.ndarray, to: np.ndarray) -> None:
        """Put the entries of a file at their places; those at -1 were replaced by others."""
        begin, n_columns = 0, to[:1].size
        for values in self._read(name, n_columns):
            own = place[begin : begin + len(values) // n_columns]
            to[own[own >= 0]] = values.reshape(-1, *to.shape[1:])[own >= 0]
            begin += len(own)

    def _sparse(self) -> SparseCounts:
        """Return the class weights of all entries."""
        found = SparseCounts(self._n_outcomes)
        end = 0
        for size in self._read(_SIZE):
            found.start.frombytes((end + np.cumsum(size)).tobytes())
            end += int(size.sum())
        for codes in self._read(_CODE):
            found.code.frombytes(codes.tobytes())
        for weights in self._read(_WEIGHT):
            found.weight.frombytes(weights.tobytes())
        return found
