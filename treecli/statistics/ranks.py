"""Several learners on several data sets: ranks, Friedman's test and the critical difference of mean ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import inf, sqrt
from typing import NamedTuple

from treecli.statistics.library import functions, studentized_range
from treecli.statistics.resampled import DECIMALS

Table = Sequence[Sequence[float]]
"""A row for each data set, a score for each learner; larger is better."""


class Friedman(NamedTuple):
    """Friedman's chi-square, corrected for ties, and the F of Iman and Davenport (1980) made from it."""

    chi2: float
    chi2_p: float
    f: float
    df: tuple[int, int]
    p: float


def mean_ranks(table: Table) -> list[float]:
    """Return the mean rank of each learner: 1 is the best, equal scores share the mean of their ranks."""
    totals = _rank_sums([[round(score, DECIMALS) for score in scores] for scores in table])
    return [total / len(table) for total in totals]


def _rank_sums(table: Table) -> list[float]:
    """Return the sum of the ranks of each learner."""
    totals = [0.0] * len(table[0])
    for scores in table:
        for learner, own in enumerate(scores):
            totals[learner] += (sum(other > own for other in scores) + sum(other >= own for other in scores) + 1) / 2
    return totals


def _chi2(table: Table) -> float:
    """Return Friedman's chi-square of scores that are not all tied, corrected for ties."""
    n_sets, n_learners = len(table), len(table[0])
    squares = sum(total * total for total in _rank_sums(table))
    uncorrected = 12.0 / (n_learners * n_sets * (n_learners + 1)) * squares - 3 * n_sets * (n_learners + 1)
    tied = sum(n**3 - n for scores in table for n in Counter(scores).values())
    return uncorrected / (1 - tied / (n_learners * (n_learners**2 - 1) * n_sets))


def friedman(table: Table) -> Friedman:
    """Return Friedman's test of the hypothesis that all learners are equal; needs three learners and two data sets."""
    special = functions()
    n_sets, n_learners = len(table), len(table[0])
    df = (n_learners - 1, (n_learners - 1) * (n_sets - 1))
    rounded = [[round(score, DECIMALS) for score in scores] for scores in table]
    if all(min(scores) == max(scores) for scores in rounded):
        return Friedman(0.0, 1.0, 0.0, df, 1.0)
    chi2 = _chi2(rounded)
    chi2_p = float(special.chdtrc(df[0], chi2))
    # The largest possible chi-square: all data sets rank the learners alike. F is infinite then.
    left = n_sets * (n_learners - 1) - chi2
    if left < 1e-9 * chi2:
        return Friedman(chi2, chi2_p, inf, df, 0.0)
    f = (n_sets - 1) * chi2 / left
    return Friedman(chi2, chi2_p, f, df, float(special.fdtrc(*df, f)))


def critical_difference(n_learners: int, n_sets: int, alpha: float) -> float:
    """Return the least difference of mean ranks that Nemenyi's test calls significant (Demšar 2006)."""
    quantile = float(studentized_range().ppf(1 - alpha, n_learners, inf)) / sqrt(2)
    return quantile * _rank_error(n_learners, n_sets)


def nemenyi_p(difference: float, n_learners: int, n_sets: int) -> float:
    """Return the p of Nemenyi's test for a difference of two mean ranks."""
    studentized = abs(difference) / _rank_error(n_learners, n_sets) * sqrt(2)
    return float(studentized_range().sf(studentized, n_learners, inf))


def _rank_error(n_learners: int, n_sets: int) -> float:
    """Return the standard error of the difference of two mean ranks."""
    return sqrt(n_learners * (n_learners + 1) / (6 * n_sets))
