"""The outcomes of one node or rule."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    Codes = array[int]
    Numbers = array[float]
    Outcomes: TypeAlias = "Numbers | SparseRow"
    """The outcomes of a node or rule: class weights, or the three numbers that describe a numeric target."""

MANY_CLASSES = 64
"""With more classes than this, weights are kept sparsely, in memory and in model files."""


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
