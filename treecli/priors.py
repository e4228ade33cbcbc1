"""Class weights from priors and misclassification costs.

Altered priors (Breiman et al. 1984): a class that is rare in the data but frequent in the population, or costly to
misclassify, gets more weight in every impurity. Sums follow rpart's order, so that even their rounding is the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from treecli.errors import UsageError, did_you_mean
from treecli.wording import counted

EQUAL = "equal"

OBSERVED = "observed"
"""The priors that the data show, the default."""

Priors = str | dict[str, float] | None
Costs = Sequence[Sequence[float]]

FEW_LABELS = 64
"""For more labels, sums over all pairs of them use numpy, which takes longer to import than few of them take."""

SUM_SLACK = 1e-6
"""Tolerance for the sum of priors typed with a few decimals."""


def priors_of(text: str) -> Priors:
    """The priors in a user's text."""
    if text == OBSERVED:
        return None
    if text == EQUAL:
        return EQUAL
    priors: dict[str, float] = {}
    for part in text.split(","):
        label, _, share = part.rpartition("=")
        try:
            priors[label] = float(share)
        except ValueError:
            label = ""
        if not label:
            raise UsageError(f"--priors: found '{part}', expected {OBSERVED}, {EQUAL} or LABEL=P,LABEL=P,…")
    return priors


def check(priors: Priors, costs: Costs | None, labels: Sequence[str]) -> None:
    """Raises a UsageError unless the priors and costs are valid for these labels; a numeric target has no labels."""
    if not labels and (priors is not None or costs is not None):
        raise UsageError("priors and costs are for a nominal target, but the target is numeric")
    if isinstance(priors, str) and priors != EQUAL:
        raise UsageError(f"priors: unknown '{priors}' (known: {EQUAL}, or a share for each label)")
    if isinstance(priors, dict):
        _check_shares(priors, labels)
    if costs is not None:
        _check_costs(costs, labels)


def _check_shares(priors: Mapping[str, float], labels: Sequence[str]) -> None:
    for label, share in priors.items():
        if label not in labels:
            raise UsageError(f"priors: '{label}' is not a label of the target", did_you_mean(label, labels))
        if not 0 <= share < inf:
            raise UsageError(f"priors: {share:g} for '{label}', expected a number from 0 to 1")
    lacking = [label for label in labels if label not in priors]
    if lacking:
        raise UsageError(f"priors: none for '{lacking[0]}'", f"give one for each of {', '.join(labels)}")
    if abs(sum(priors.values()) - 1) > SUM_SLACK:
        raise UsageError(f"priors: they sum to {sum(priors.values()):g}, expected 1")


def _check_costs(costs: Costs, labels: Sequence[str]) -> None:
    if len(costs) != len(labels) or any(len(row) != len(labels) for row in costs):
        raise UsageError(
            f"costs: expected {counted(len(labels), 'row')} and as many columns, one for each label of the target"
        )
    for i, row in enumerate(costs):
        if not all(0 <= cost < inf for cost in row) or row[i] != 0 or not any(row):
            raise UsageError(
                f"costs: the row of '{labels[i]}' is {', '.join(f'{cost:g}' for cost in row)}",
                "costs are not negative, 0 for the class itself, and above 0 for some other",
            )


def class_scale(priors: Priors, labels: Sequence[str], counts: Sequence[float]) -> list[float]:
    """The prior of each class divided by its share of the training cases; 1 for a class without cases."""
    total = sum(counts)
    shares = [count / total if total else 0.0 for count in counts]
    return [
        prior / share if share else 1.0 for prior, share in zip(_priors(priors, labels, shares), shares, strict=True)
    ]


def altered_scale(priors: Priors, costs: Costs | None, labels: Sequence[str], counts: Sequence[float]) -> list[float]:
    """The weight of a case of each class in impurities: its prior times its total cost, rescaled."""
    total = sum(counts)
    shares = [count / total if total else 0.0 for count in counts]
    own = _priors(priors, labels, shares)
    whole, altered = _summed_costs(own, costs) if len(own) <= FEW_LABELS else _summed_costs_of_many(own, costs)
    return [weight / (whole * share) if share and whole else 1.0 for weight, share in zip(altered, shares, strict=True)]


def _summed_costs(priors: Sequence[float], costs: Costs | None) -> tuple[float, list[float]]:
    """The sum of all costs times priors, and that of each class, added in rpart's order."""
    whole = 0.0
    altered = [0.0] * len(priors)
    for i, prior in enumerate(priors):
        for j in range(len(priors)):
            cost = float(i != j) if costs is None else costs[i][j]
            whole += cost * prior
            altered[i] += cost * prior
    return whole, altered


def _summed_costs_of_many(priors: Sequence[float], costs: Costs | None) -> tuple[float, list[float]]:
    """The same sums, a class at a time: numpy's cumulative sums add one by one, with the same rounding."""
    import numpy as np

    whole, altered = 0.0, []
    steps = np.empty(len(priors) + 1)
    for i, prior in enumerate(priors):
        steps[1:] = prior if costs is None else np.asarray(costs[i]) * prior
        steps[1 + i] = 0.0  # a class costs nothing under its own label
        steps[0] = 0.0
        altered.append(float(np.cumsum(steps)[-1]))
        steps[0] = whole
        whole = float(np.cumsum(steps)[-1])
    return whole, altered


def expected_costs(counts: Sequence[float], scale: Sequence[float], costs: Costs | None) -> list[float]:
    """The cost of predicting each label for all cases, by priors (`scale`; empty: 1 each) and costs."""
    expected = []
    present = [(true, count) for true, count in enumerate(counts) if count]
    for label in range(len(counts)):
        # Not sum(), which since Python 3.12 sums floats more precisely than rpart.
        total = 0.0
        for true, count in present:
            cost = float(true != label) if costs is None else costs[true][label]
            total += count * cost * (scale[true] if scale else 1.0)
        expected.append(total)
    return expected


def _priors(priors: Priors, labels: Sequence[str], shares: Sequence[float]) -> list[float]:
    if priors is None:
        return list(shares)
    if isinstance(priors, str):
        return [1 / len(labels)] * len(labels)
    return [priors[label] for label in labels]
