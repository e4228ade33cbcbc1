"""The wrong numbers that typical mistakes give, so that an answer can be traced back to its mistake."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log, log2, log10, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treecli.teaching.formulas import Step
    from treecli.teaching.trace import Candidate

Counts = Sequence[float]

UNWEIGHTED = "branches not weighted by size"
REMAINDER = "stopped before subtracting from {whole}"
NATURAL = "natural logarithm"
BASE_10 = "logarithm of base 10"
GINI = "Gini, not entropy"
ENTROPY = "entropy, not Gini"
SUMMED = "summed, not averaged"
PROBABILITIES = "probabilities in place of entropies"
ZERO_LOG = "0·log 0 taken as 1"
SIGN = "sign lost"
ONE_TERM = "only one class's term"
NOT_DIVIDED = "not divided by the split information"
UPSIDE_DOWN = "divided the wrong way round"
SQUARES = "1 not reduced by the sum of squares"
SHARE = "the share of a class"
WHOLE = "the impurity before the split"
NOT_BY_CASES = "not divided by the number of cases"
NOT_SHARED = "not multiplied by the share of known cases"
ALL_CASES = "all cases in place of those whose value is known"
NO_BRANCH = "unknown cases not counted as a branch"
BY_CASES = "divided by the number of cases"
DEVIATION = "a standard deviation"
AVERAGED = "weighted by size, but sums of squares are added"

KEYS = {
    NATURAL: "natural",
    BASE_10: "decimal",
    UNWEIGHTED: "unweighted",
    SUMMED: "sum",
    REMAINDER: "remainder",
    WHOLE: "whole",
    SIGN: "sign",
    SQUARES: "squares",
    SHARE: "share",
    NOT_BY_CASES: "not_divided",
}
"""The keys of notes in the texts of lessons."""

LEAST_TOLERANCE = 0.002
"""The least difference from the right answer that is still right: two units of the third digit."""

ROUNDING_TOLERANCE = 0.0011
"""An answer may differ by this much more than both ways of rounding do."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """The number that a mistake gives, and its name."""

    number: float
    note: str


def tolerance(exact: float, rounded: float) -> float:
    """Return how far an answer may be from the exact result: both ways of rounding are right."""
    return max(LEAST_TOLERANCE, abs(exact - rounded) + ROUNDING_TOLERANCE)


def entropy(counts: Counts) -> float:
    """Return −Σ p log2 p."""
    total = sum(counts)
    return -sum(own / total * log2(own / total) for own in counts if own > 0)


def gini(counts: Counts) -> float:
    """Return 1 − Σ p²."""
    total = sum(counts)
    return 1 - sum((own / total) ** 2 for own in counts)


def remaining(branches: Sequence[Counts], impurities: Iterable[float]) -> float:
    """Return the mean of impurities, weighted by the sizes of the branches."""
    total = sum(map(sum, branches))
    return sum(sum(own) / total * impurity for own, impurity in zip(branches, impurities, strict=True))


def in_impurity(step: Step, counts: Counts, impurity: str) -> list[Mistake]:
    """Return the mistakes in the impurity of a node with these class weights, by any criterion."""
    shares = [own / sum(counts) for own in counts if own > 0]
    found = _other_bases(step.exact) if impurity == "entropy" else []
    found += [Mistake(sum(share * share for share in shares), SQUARES)] if impurity == "gini" else []
    return found + ([Mistake(max(shares), SHARE), Mistake(1 - max(shares), SHARE)] if impurity != "error" else [])


def in_gain(own: Candidate, before: float, weight: float, impurity: str) -> list[Mistake]:
    """Return the mistakes in the gain of a split by any criterion, also with missing values.

    `before` is the impurity of the cases whose value is known, `weight` that of all cases.
    """
    assert own.gain is not None
    assert own.remainder is not None
    branches = [branch.impurity.exact for branch in own.branches]
    found = _other_bases(own.gain.exact) if impurity == "entropy" else []
    if impurity == "variance":
        found.append(Mistake(own.gain.exact * weight, NOT_BY_CASES))
    else:
        found.append(Mistake(before - sum(branches) / len(branches), UNWEIGHTED))
        found.append(Mistake(before - sum(branches), SUMMED))
    return [*found, Mistake(own.remainder.exact, REMAINDER), Mistake(before, WHOLE), Mistake(-own.gain.exact, SIGN)]


def of_entropy(counts: Counts) -> list[Mistake]:
    """Return the mistakes in an entropy."""
    right = entropy(counts)
    total = sum(counts)
    if right == 0:
        return [Mistake(1.0, ZERO_LOG)]
    terms = [-own / total * log2(own / total) for own in counts if own > 0]
    return [
        *_other_bases(right),
        Mistake(gini(counts), GINI),
        Mistake(-right, SIGN),
        *(Mistake(term, ONE_TERM) for term in dict.fromkeys(terms)),
    ]


def of_remainder(branches: Sequence[Counts], whole: str) -> list[Mistake]:
    """Return the mistakes in the entropy that remains after a split; `whole` names that before it."""
    parts = [entropy(own) for own in branches]
    right = remaining(branches, parts)
    before = entropy([sum(column) for column in zip(*branches, strict=True)])
    return [
        Mistake(sum(parts) / len(parts), UNWEIGHTED),
        Mistake(before - right, f"already subtracted from {whole}"),
        *_other_bases(right),
        Mistake(remaining(branches, map(gini, branches)), GINI),
        Mistake(sum(parts), SUMMED),
        Mistake(_with_zero_log(branches, parts), ZERO_LOG),
    ]


def of_gain(branches: Sequence[Counts], whole: str) -> list[Mistake]:
    """Return the mistakes in an information gain; `whole` names the entropy before the split."""
    parts = [entropy(own) for own in branches]
    together = [sum(column) for column in zip(*branches, strict=True)]
    before, after = entropy(together), remaining(branches, parts)
    return [
        Mistake(before - sum(parts) / len(parts), UNWEIGHTED),
        Mistake(after, REMAINDER.format(whole=whole)),
        *_other_bases(before - after),
        Mistake(gini(together) - remaining(branches, map(gini, branches)), GINI),
        Mistake(before - sum(parts), SUMMED),
        Mistake(0.0, PROBABILITIES),  # p − Σ |S_v|/|S| · p_v is 0 for every split
        Mistake(before - _with_zero_log(branches, parts), ZERO_LOG),
        Mistake(after - before, SIGN),
    ]


def of_known(gain: Iterable[Mistake], whole: float, remainder: float, known: float, share: float) -> list[Mistake]:
    """Return the mistakes in a gain if only a share of the cases has a known value; `gain` are those of known cases.

    `whole` and `known` are the impurities of all cases and of those that are known.
    """
    return [
        Mistake(known - remainder, NOT_SHARED),
        Mistake(whole - remainder, ALL_CASES),
        Mistake(whole - share * remainder, ALL_CASES),
        *(Mistake(own.number * share, own.note) for own in gain),
    ]


def of_squares(squares: float, weight: float) -> list[Mistake]:
    """Return the mistakes in a sum of squared deviations."""
    return [Mistake(squares / weight, BY_CASES), Mistake(sqrt(squares / weight), DEVIATION)]


def of_remaining_squares(branches: Sequence[tuple[float, float]], before: float, whole: str) -> list[Mistake]:
    """Return the mistakes in the squares that remain after a split; branches have a weight and a sum of squares."""
    total, right = sum(weight for weight, _ in branches), sum(squares for _, squares in branches)
    return [
        Mistake(sum(weight / total * squares for weight, squares in branches), AVERAGED),
        Mistake(right / total, BY_CASES),
        Mistake(before - right, f"already subtracted from {whole}"),
    ]


def of_gini(counts: Counts) -> list[Mistake]:
    """Return the mistakes in a Gini index."""
    right, total = gini(counts), sum(counts)
    return [
        Mistake(entropy(counts), ENTROPY),
        Mistake(1 - right, SQUARES),
        Mistake(right / 2, "pq, half of 1 − Σp²"),
        Mistake(1 - max(counts) / total, "error, not Gini"),
    ]


def of_gini_remainder(branches: Sequence[Counts], whole: str) -> list[Mistake]:
    """Return the mistakes in the Gini index that remains after a split."""
    parts = [gini(own) for own in branches]
    right = remaining(branches, parts)
    before = gini([sum(column) for column in zip(*branches, strict=True)])
    return [
        Mistake(sum(parts) / len(parts), UNWEIGHTED),
        Mistake(before - right, f"already subtracted from {whole}"),
        Mistake(remaining(branches, map(entropy, branches)), ENTROPY),
        Mistake(sum(parts), SUMMED),
    ]


def of_gini_decrease(branches: Sequence[Counts], whole: str) -> list[Mistake]:
    """Return the mistakes in the decrease of the Gini index by a split."""
    parts = [gini(own) for own in branches]
    together = [sum(column) for column in zip(*branches, strict=True)]
    before, after = gini(together), remaining(branches, parts)
    return [
        Mistake(before - sum(parts) / len(parts), UNWEIGHTED),
        Mistake(after, REMAINDER.format(whole=whole)),
        Mistake(entropy(together) - remaining(branches, map(entropy, branches)), ENTROPY),
        Mistake(before - sum(parts), SUMMED),
        Mistake((before - after) / 2, "pq, half of 1 − Σp²"),
        Mistake(after - before, SIGN),
    ]


def of_split_info(branches: Sequence[Counts], gain: float, unknown: float = 0.0) -> list[Mistake]:
    """Return the mistakes in a split information; cases whose value is `unknown` are one more branch."""
    sizes = [sum(own) for own in branches]
    right = entropy([*sizes, unknown])
    return [
        *_other_bases(right),
        *([Mistake(entropy(sizes), NO_BRANCH)] if unknown else []),
        Mistake(remaining(branches, map(entropy, branches)), "classes in place of branch sizes"),
        Mistake(gain, "the gain"),
        Mistake(-right, SIGN),
    ]


def of_ratio(branches: Sequence[Counts], unknown: float = 0.0) -> list[Mistake]:
    """Return the mistakes in a gain ratio; another base of the logarithm does not change it."""
    parts, sizes = [entropy(own) for own in branches], [sum(own) for own in branches]
    share = sum(sizes) / (sum(sizes) + unknown)
    before = share * entropy([sum(column) for column in zip(*branches, strict=True)])
    after, info = share * remaining(branches, parts), entropy([*sizes, unknown])
    found = [Mistake(before - after, NOT_DIVIDED)]
    if info > 0:
        found += [
            Mistake((before - share * sum(parts) / len(parts)) / info, UNWEIGHTED),
            Mistake(after / info, "remainder in place of the gain"),
        ]
    if unknown:
        found.append(Mistake((before - after) / (share * info), NOT_SHARED))
        if entropy(sizes) > 0:
            found.append(Mistake((before - after) / entropy(sizes), NO_BRANCH))
    if before > 0:
        found.append(Mistake((before - after) / before, "divided by the entropy"))
    if before - after > 1e-9:
        found.append(Mistake(info / (before - after), UPSIDE_DOWN))
    return found


def _other_bases(right: float) -> list[Mistake]:
    return [Mistake(right * log(2), NATURAL), Mistake(right * log10(2), BASE_10)]


def _with_zero_log(branches: Sequence[Counts], parts: Sequence[float]) -> float:
    """The remainder if pure branches get the entropy 1."""
    return remaining(branches, [own or 1.0 for own in parts])
