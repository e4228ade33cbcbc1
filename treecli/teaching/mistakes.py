"""The wrong numbers that typical mistakes give, so that an answer can be traced back to its mistake."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log, log2, log10

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


@dataclass(frozen=True, slots=True)
class Mistake:
    """The number that a mistake gives, and its name."""

    number: float
    note: str


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


def of_gini(counts: Counts) -> list[Mistake]:
    """Return the mistakes in a Gini index."""
    right, total = gini(counts), sum(counts)
    return [
        Mistake(entropy(counts), ENTROPY),
        Mistake(1 - right, "1 not reduced by the sum of squares"),
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


def of_split_info(branches: Sequence[Counts], gain: float) -> list[Mistake]:
    """Return the mistakes in a split information."""
    right = entropy([sum(own) for own in branches])
    return [
        *_other_bases(right),
        Mistake(remaining(branches, map(entropy, branches)), "classes in place of branch sizes"),
        Mistake(gain, "the gain"),
        Mistake(-right, SIGN),
    ]


def of_ratio(branches: Sequence[Counts]) -> list[Mistake]:
    """Return the mistakes in a gain ratio; another base of the logarithm does not change it."""
    parts = [entropy(own) for own in branches]
    before = entropy([sum(column) for column in zip(*branches, strict=True)])
    after, info = remaining(branches, parts), entropy([sum(own) for own in branches])
    found = [Mistake(before - after, NOT_DIVIDED)]
    if info > 0:
        found += [
            Mistake((before - sum(parts) / len(parts)) / info, UNWEIGHTED),
            Mistake(after / info, "remainder in place of the gain"),
        ]
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
