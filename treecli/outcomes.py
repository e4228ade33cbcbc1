"""Class weights of nodes where classes are many: only those that are not 0 are kept.

A tree of n cases has up to 2 n nodes. With thousands of classes, a number per node and class would take gigabytes,
although the weights above 0 are at most as many as the cases at each depth.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np

    Codes = array[int]
    Numbers = array[float]
    Outcomes: TypeAlias = "Numbers | SparseRow"
    """The outcomes of a node or rule: class weights, or the three numbers that describe a numeric target."""

MANY_CLASSES = 64
"""With more classes than this, weights are kept sparsely, in memory and in model files."""

NUMBERS_AT_ONCE = 1 << 20
"""The limit on the numbers of a dense matrix that is made of sparse rows, or turned into them."""


class SparseRow(Sequence[float]):
    """The class weights of a node, in the order of the classes; those that are not listed are 0."""

    __slots__ = ("_n", "codes", "weights")

    def __init__(self, n: int, codes: Codes, weights: Numbers) -> None:
        self._n = n
        self.codes = codes
        self.weights = weights

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, code: Any) -> Any:
        if isinstance(code, slice):
            return self.tolist()[code]
        code = range(self._n)[code]
        place = bisect_left(self.codes, code)
        return self.weights[place] if place < len(self.codes) and self.codes[place] == code else 0.0

    def __iter__(self) -> Iterator[float]:
        return iter(self.tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SparseRow):
            return NotImplemented
        return (self._n, self.codes, self.weights) == (other._n, other.codes, other.weights)

    __hash__ = None  # type: ignore[assignment]

    def tolist(self) -> list[float]:
        """All weights, zeros included."""
        listed = [0.0] * self._n
        for code, weight in zip(self.codes, self.weights, strict=True):
            listed[code] = weight
        return listed


def row_of(outcomes: Sequence[float]) -> Outcomes:
    """The outcomes in the form in which a tree keeps those of a node: class weights, or three numbers."""
    return array("d", outcomes) if len(outcomes) <= MANY_CLASSES else row_with(present(outcomes), len(outcomes))


def row_with(pairs: Iterable[tuple[int, float]], n: int) -> Outcomes:
    """The weights of n classes, given those that are not 0, in the order of the classes."""
    kept = [(code, weight) for code, weight in pairs if weight]
    row = SparseRow(n, array("i", [code for code, _ in kept]), array("d", [weight for _, weight in kept]))
    return row if n > MANY_CLASSES else array("d", row.tolist())


def as_json(weights: Sequence[float], labels: Sequence[str]) -> list[float] | dict[str, float]:
    """The class weights in files and reports: a number for each class, of many classes only those above 0, by label."""
    if isinstance(weights, SparseRow):
        return {labels[code]: weight for code, weight in present(weights)}
    return list(weights)


def total(weights: Sequence[float]) -> float:
    """The sum of class weights."""
    return sum(weights.weights if isinstance(weights, SparseRow) else weights)


def heaviest(weights: Sequence[float]) -> int:
    """The class of the largest weight; the first of equals."""
    if not isinstance(weights, SparseRow):
        return weights.index(max(weights))
    return weights.codes[weights.weights.index(max(weights.weights))] if weights.codes else 0


def present(weights: Sequence[float]) -> Iterator[tuple[int, float]]:
    """The classes with a weight other than 0, each with its weight, in the order of the classes."""
    if isinstance(weights, SparseRow):
        return zip(weights.codes, weights.weights, strict=True)
    return ((code, weight) for code, weight in enumerate(weights) if weight)


def combined(rows: Sequence[Sequence[float]], combine: Callable[[list[float]], float]) -> Outcomes:
    """The combination of several rows, class by class; the combination of zeros must be 0."""
    if not all(isinstance(row, SparseRow) for row in rows):
        return array("d", [combine(list(weights)) for weights in zip(*rows, strict=True)])
    codes = sorted({code for row in rows for code, _ in present(row)})
    return row_with(((code, combine([row[code] for row in rows])) for code in codes), len(rows[0]))


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
