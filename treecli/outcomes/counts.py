"""The class weights of all nodes of a tree with many classes."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from treecli.outcomes.rows import SparseRow
from treecli.records import dataclass

if TYPE_CHECKING:
    import numpy as np

    from treecli.outcomes.rows import Codes, Numbers

NUMBERS_AT_ONCE = 1 << 20
"""The limit on the numbers of a dense matrix that is made of sparse rows, or turned into them."""


@dataclass(slots=True)
class SparseCounts:
    """The class weights of nodes: those of node i are from start[i] to start[i + 1], in the order of the classes."""

    n_outcomes: int
    start: Codes = field(default_factory=lambda: array("q", [0]))
    code: Codes = field(default_factory=lambda: array("i"))
    weight: Numbers = field(default_factory=lambda: array("d"))

    def __len__(self) -> int:
        return len(self.start) - 1

    def __getitem__(self, node: int) -> SparseRow:
        begin, end = self.start[node], self.start[node + 1]
        return SparseRow(self.n_outcomes, self.code[begin:end], self.weight[begin:end])

    def add(self, pairs: Iterable[tuple[int, float]]) -> None:
        """Append a node with the classes and weights, in the order of the classes."""
        for code, weight in pairs:
            self.code.append(code)
            self.weight.append(weight)
        self.start.append(len(self.code))

    def taken(self, nodes: Iterable[int]) -> SparseCounts:
        """The weights of some nodes."""
        found = SparseCounts(self.n_outcomes)
        for node in nodes:
            begin, end = self.start[node], self.start[node + 1]
            found.code.extend(self.code[begin:end])
            found.weight.extend(self.weight[begin:end])
            found.start.append(len(found.code))
        return found

    def taken_at(self, nodes: np.ndarray) -> SparseCounts:
        """The weights of some nodes, given as an array."""
        import numpy as np

        size, entry = self._entries(nodes)
        found = SparseCounts(self.n_outcomes)
        found.start.frombytes(np.cumsum(size).astype(np.int64).tobytes())
        if len(entry):
            found.code.frombytes(np.frombuffer(self.code, np.int32)[entry].tobytes())
            found.weight.frombytes(np.frombuffer(self.weight)[entry].tobytes())
        return found

    def totals(self) -> list[float]:
        """The weight of every node."""
        return [sum(self.weight[begin:end]) for begin, end in self._runs()]

    def most(self) -> list[float]:
        """The largest weight of a class at every node."""
        return [max(self.weight[begin:end], default=0.0) for begin, end in self._runs()]

    def _runs(self) -> Iterator[tuple[int, int]]:
        return zip(self.start, self.start[1:], strict=False)

    def matrix(self, nodes: np.ndarray) -> np.ndarray:
        """The weights of some nodes as a matrix with a row per node and a column per class."""
        import numpy as np

        size, entry = self._entries(nodes)
        found = np.zeros((len(nodes), self.n_outcomes))
        if len(entry):
            code = np.frombuffer(self.code, np.int32)[entry]
            found[np.repeat(np.arange(len(nodes)), size), code] = np.frombuffer(self.weight)[entry]
        return found

    def _entries(self, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The number of weights of each of these nodes, and the places of all of them."""
        import numpy as np

        start = np.frombuffer(self.start, np.int64)
        size = start[nodes + 1] - start[nodes]
        end = np.cumsum(size)
        return size, np.repeat(start[nodes] - (end - size), size) + np.arange(int(size.sum()))

    def blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        """All nodes as matrices of a limited size, each with the nodes of its rows."""
        import numpy as np

        step = max(NUMBERS_AT_ONCE // self.n_outcomes, 1)
        for begin in range(0, len(self), step):
            end = min(begin + step, len(self))
            yield slice(begin, end), self.matrix(np.arange(begin, end))

    @classmethod
    def of_matrix(cls, matrix: np.ndarray) -> SparseCounts:
        """The weights of a matrix with a row per node."""
        import numpy as np

        found = cls(matrix.shape[1])
        step = max(NUMBERS_AT_ONCE // matrix.shape[1], 1)
        for begin in range(0, len(matrix), step):
            part = matrix[begin : begin + step]
            row, code = np.nonzero(part)
            end_of_row = len(found.code) + np.cumsum(np.bincount(row, minlength=len(part)))
            found.start.frombytes(end_of_row.astype(np.int64).tobytes())
            found.code.frombytes(code.astype(np.int32).tobytes())
            found.weight.frombytes(part[row, code].tobytes())
        return found


def joined(parts: Sequence[SparseCounts]) -> SparseCounts:
    """The nodes of several parts, one after the other."""
    found = SparseCounts(parts[0].n_outcomes)
    for part in parts:
        before = len(found.code)
        found.start.extend(array("q", [before + end for end in part.start[1:]]))
        found.code.extend(part.code)
        found.weight.extend(part.weight)
    return found
