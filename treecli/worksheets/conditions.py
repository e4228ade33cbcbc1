"""The conditions of data that are nice to compute with by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations
from math import prod

from treecli.teaching import mistakes

Counts = tuple[int, ...]
Branches = tuple[Counts, ...]
Row = tuple[int, ...]

MOST_KEPT = 100_000
"""Numbers of splits that are kept: most draws have the same few."""

_SIMPLE = [Fraction(*pair) for pair in ((1, 2), (1, 3), (1, 4), (1, 5), (2, 5), (1, 6), (1, 8), (3, 8))]
NICE_SHARES = frozenset([*_SIMPLE, *(1 - own for own in _SIMPLE), Fraction(0), Fraction(1)])
"""The shares of a class for which a student finds the logarithm in a short table."""

LEAST_LEAD = 0.05
"""The gain of the best split is ahead of the next by this much, so that rounding cannot change the choice."""

LEAST_OTHER_LEAD = 0.01
"""The same for the gain ratio and the Gini index: more than the rounding of every step can change."""

AVERAGE_SLACK = 0.001
"""As in the learner: a gain this much below the average still counts."""

FEWEST_INNER, MOST_INNER = 2, 4

APART = 0.004
"""Two answers that differ by more are told apart: each is accepted within 0.002."""

SAME = 1e-9

REMAINDER = mistakes.REMAINDER.format(whole="")
MAIN = (
    mistakes.UNWEIGHTED,
    REMAINDER,
    mistakes.NATURAL,
    mistakes.BASE_10,
    mistakes.GINI,
    mistakes.SUMMED,
)
"""The mistakes that must be told apart."""

SHARES = "the shares of the classes are simple fractions"
LEAD = f"the best split is ahead by {LEAST_LEAD}"
SAME_TREE = "gain, gain ratio and Gini choose the same splits"
SIZE = f"the tree has {FEWEST_INNER} to {MOST_INNER} inner nodes"
WEIGHTS = "at the root, the sizes of branches matter"
TOLD_APART = "typical mistakes give numbers apart from the answer and from each other"


@dataclass(frozen=True, slots=True)
class Shape:
    """The work that a tree takes: its inner nodes, and the splits that are compared at all of them."""

    n_inner: int
    n_candidates: int


class UnfitError(Exception):
    """Data that do not meet a condition."""

    def __init__(self, condition: str) -> None:
        super().__init__(condition)
        self.condition = condition


@cache
def is_nice_share(part: int, whole: int) -> bool:
    """Whether a share is found in the table of logarithms."""
    return whole > 0 and Fraction(part, whole) in NICE_SHARES


def shape_of(rows: Sequence[Row], classes: Sequence[int]) -> Shape:
    """Return the shape of the tree that nice data give; raise UnfitError if they are not nice."""
    n_attributes = len(rows[0])
    # With all combinations of labels, branches of the root are of equal size.
    is_complete = len(rows) == prod(len(set(column)) for column in zip(*rows, strict=True))
    pending = [(list(range(len(rows))), tuple(range(n_attributes)))]
    n_inner = n_candidates = 0
    for members, unused in pending:  # the list grows by the children
        own = _counts(members, classes)
        if 0 in own:
            continue
        n_inner += 1
        if n_inner > MOST_INNER:
            raise UnfitError(SIZE)
        parts = {attribute: _divided(members, rows, attribute) for attribute in unused}
        parts = {attribute: branches for attribute, branches in parts.items() if len(branches) > 1}
        if not parts:
            raise UnfitError(SIZE)
        n_candidates += len(parts)
        tables = {a: tuple(_counts(branch, classes) for branch in branches) for a, branches in parts.items()}
        best = _chosen(tables)
        if n_inner == 1 and not is_complete and not any(map(_needs_weights, tables.values())):
            raise UnfitError(WEIGHTS)
        rest = tuple(attribute for attribute in unused if attribute != best)
        pending += [(branch, rest) for branch in parts[best]]
    if n_inner < FEWEST_INNER:
        raise UnfitError(SIZE)
    return Shape(n_inner, n_candidates)


def _counts(members: Sequence[int], classes: Sequence[int]) -> Counts:
    positive = sum(classes[member] for member in members)
    return len(members) - positive, positive


def _divided(members: Sequence[int], rows: Sequence[Row], attribute: int) -> list[list[int]]:
    """The members with each value of an attribute, without values that none has."""
    found: dict[int, list[int]] = {}
    for member in members:
        found.setdefault(rows[member][attribute], []).append(member)
    return [found[value] for value in sorted(found)]


def _chosen(tables: dict[int, Branches]) -> int:
    """Return the attribute that all criteria choose; raise UnfitError unless it is clearly ahead."""
    if not all(map(_has_nice_shares, tables.values())):
        raise UnfitError(SHARES)
    merits = {attribute: _merits(branches) for attribute, branches in tables.items()}
    gains = {attribute: gain for attribute, (gain, _, _) in merits.items()}
    best = _leader(gains, LEAST_LEAD, LEAD)
    if gains[best] < LEAST_LEAD:
        raise UnfitError(LEAD)
    # A gain near the average may count or not, depending on the rounding.
    floor = sum(gains.values()) / len(gains) - AVERAGE_SLACK - LEAST_OTHER_LEAD
    ratios = {attribute: ratio for attribute, (gain, ratio, _) in merits.items() if gain >= floor}
    ginis = {attribute: decrease for attribute, (_, _, decrease) in merits.items()}
    if any(_leader(own, LEAST_OTHER_LEAD, SAME_TREE) != best for own in (ratios, ginis)):
        raise UnfitError(SAME_TREE)
    if not all(map(are_told_apart, tables.values())):
        raise UnfitError(TOLD_APART)
    return best


@lru_cache(MOST_KEPT)
def _has_nice_shares(branches: Branches) -> bool:
    return all(is_nice_share(part, sum(own)) for own in branches for part in own)


@lru_cache(MOST_KEPT)
def _merits(branches: Branches) -> tuple[float, float, float]:
    """Gain, gain ratio and decrease of the Gini index."""
    gain = _decrease(branches, mistakes.entropy)
    return gain, gain / mistakes.entropy(tuple(map(sum, branches))), _decrease(branches, mistakes.gini)


def _decrease(branches: Branches, impurity: Callable[[Counts], float]) -> float:
    before = impurity(tuple(map(sum, zip(*branches, strict=True))))
    return before - mistakes.remaining(branches, map(impurity, branches))


def _leader(merits: dict[int, float], lead: float, condition: str) -> int:
    """The attribute with the greatest merit; raise UnfitError if the next is near."""
    first, *others = sorted(merits, key=lambda attribute: -merits[attribute])
    if others and merits[first] - merits[others[0]] < lead:
        raise UnfitError(condition)
    return first


@lru_cache(MOST_KEPT)
def _needs_weights(branches: Branches) -> bool:
    """Whether the gain is another one if branches are not weighted by size."""
    first, *_ = mistakes.of_gain(branches, "")
    return abs(first.number - _decrease(branches, mistakes.entropy)) > APART


@lru_cache(MOST_KEPT)
def are_told_apart(branches: Branches) -> bool:
    """Whether the numbers of the main mistakes in a gain differ from the right one and from each other.

    A mistake that gives exactly the right number is harmless: branches of equal size need no weights, and a gain of 0
    is 0 in any base. Only a remainder that equals the gain is not.
    """
    right = _decrease(branches, mistakes.entropy)
    numbers = [right]
    for own in mistakes.of_gain(branches, ""):
        is_harmless = own.note != REMAINDER and abs(own.number - right) <= SAME
        if own.note in MAIN and not is_harmless:
            numbers.append(own.number)
    return all(abs(a - b) > APART for a, b in combinations(numbers, 2))
