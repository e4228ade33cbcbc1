"""The formulas of impurities, from the outcomes of cases."""

from __future__ import annotations

from collections.abc import Sequence

from treecli.teaching.formulas import (
    AbsoluteDeviations,
    Count,
    Deviations,
    Formula,
    Given,
    Log,
    Product,
    Quotient,
    Root,
    Share,
    Square,
    Sum,
)

GINI_SUM, TWO_P_Q, P_Q = "sum", "two-p-q", "p-q"
GINI_FORMS = (GINI_SUM, TWO_P_Q, P_Q)

SUMS = ("variance", "absolute")
"""The impurities of a numeric target that are sums over the cases, not averages."""

SCALES = {P_Q: 0.5}
"""The Gini index of a form, as a multiple of the learner's 1 - Σ p²."""


def entropy(counts: Sequence[float]) -> Sum:
    """Return −Σ p log2 p over the counts that are not 0."""
    total = sum(counts)
    shares = [Share(count, total) for count in counts if count > 0]
    return Sum(tuple((-1, Product((share, Log(share)))) for share in shares))


def of_classes(impurity: str, counts: Sequence[float], gini_form: str = GINI_SUM) -> Formula | None:
    """Return the formula of an impurity of class weights; None if there is one class only."""
    total, present = sum(counts), [count for count in counts if count > 0]
    if len(present) < 2:
        return None
    if impurity == "entropy":
        return entropy(counts)
    if impurity == "error":
        return Sum(((1, Count(1)), (-1, Share(max(counts), total))))
    shares = [Share(count, total) for count in present]
    if gini_form == GINI_SUM:
        return Sum(((1, Count(1)), *((-1, Square(share)) for share in shares)))
    return Product((*([Count(2)] if gini_form == TWO_P_Q else []), *shares))


def of_numbers(impurity: str, weight: float, mean: float, squares: float) -> Formula | None:
    """Return the formula of an impurity of a numeric target; None if all values are equal.

    For absolute errors, `mean` is the median and `squares` the sum of the differences from it.
    """
    if squares <= 0:
        return None
    if impurity == "deviation":
        return Root(Quotient(Given(squares), Count(weight)))
    if impurity == "absolute":
        return AbsoluteDeviations(mean, squares)
    return Deviations(mean, squares)
