"""McNemar's exact test (1947): which of two models is right more often, on the same rows.

Only rows that exactly one model predicts correctly count. Without a difference, each of them is equally likely to be
either model's: the number is binomial with probability 1/2. Weights that are not integers are interpolated by the
incomplete beta function.
"""

from __future__ import annotations

from treecli.evaluate.beta import incomplete_beta


def mcnemar(only_a: float, only_b: float) -> float:
    """Return the two-sided p-value, from the weight of the rows that only one of the models predicts correctly."""
    return min(2 * worse(min(only_a, only_b), max(only_a, only_b)), 1.0)


def worse(only_a: float, only_b: float) -> float:
    """Return the one-sided p-value that A is worse than B: of so few rows, or fewer, that only A predicts correctly."""
    return incomplete_beta(only_b, only_a + 1, 0.5, 0.5) if only_b > 0 else 1.0


def least_p(n_discordant: float) -> float:
    """Return the one-sided p-value if all rows on which the models differ speak against one of them."""
    return float(0.5**n_discordant)
