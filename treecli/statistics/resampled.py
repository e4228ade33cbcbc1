"""Two learners on the same folds of one data set: the corrected resampled t-test and its Bayesian counterpart."""

from __future__ import annotations

from collections.abc import Sequence
from math import copysign, fsum, inf, sqrt
from typing import NamedTuple

from treecli.errors import UsageError
from treecli.statistics.library import functions

DECIMALS = 12
"""Differences are rounded to this many decimals, because the noise of subtraction makes equal ones unequal."""


class Paired(NamedTuple):
    """The mean and the standard deviation of paired differences, and the corrected resampled t-test of a mean of 0."""

    difference: float
    sd: float
    t: float
    df: int
    p: float


class Chances(NamedTuple):
    """The probabilities that the first of two learners is better, equal for all practical purposes, and worse."""

    better: float
    equal: float
    worse: float


def corrected_t(differences: Sequence[float], test_to_train: float) -> Paired:
    """Return the corrected resampled t-test of the differences of two learners on the same folds.

    `test_to_train` is the weight of the test rows divided by that of the training rows, both over all folds. If all
    differences are equal, p is 1 for differences of 0 and 0 otherwise, as in Weka. Source: Nadeau and Bengio (2003).
    """
    mean, sd = _moments(differences)
    df = len(differences) - 1
    if sd == 0:
        return Paired(mean, sd, copysign(inf, mean) if mean else 0.0, df, 0.0 if mean else 1.0)
    t = mean / _standard_error(sd, len(differences), test_to_train)
    return Paired(mean, sd, t, df, float(2 * functions().stdtr(df, -abs(t))))


def correlated_bayes(differences: Sequence[float], test_to_train: float, rope: float) -> Chances:
    """Return the Bayesian correlated t-test: the posterior probabilities of the mean difference.

    A difference of at most `rope` counts as equal. The posterior is Student's t with the mean and the corrected
    standard error of the differences. Sources: Corani and Benavoli (2015); Benavoli, Corani, Demšar and Zaffalon
    (2017).
    """
    mean, sd = _moments(differences)
    if sd == 0:
        is_equal = abs(mean) <= rope
        return Chances(float(mean > 0 and not is_equal), float(is_equal), float(mean < 0 and not is_equal))
    below = functions().stdtr
    error, df = _standard_error(sd, len(differences), test_to_train), len(differences) - 1
    better = float(below(df, (mean - rope) / error))
    worse = float(below(df, (-rope - mean) / error))
    if rope == 0:
        return Chances(better, 0.0, worse)
    return Chances(better, float(below(df, (rope - mean) / error)) - worse, worse)


def _standard_error(sd: float, n_folds: int, test_to_train: float) -> float:
    """Return the standard error of a mean over folds whose training sets overlap."""
    return sd * sqrt(1 / n_folds + test_to_train)


def _moments(differences: Sequence[float]) -> tuple[float, float]:
    """Return the mean and the standard deviation, which is exactly 0 if all differences are equal."""
    if len(differences) < 2:
        raise UsageError("the corrected t-test needs two folds or more", "use more folds or --repeats")
    rounded = [round(difference, DECIMALS) for difference in differences]
    if min(rounded) == max(rounded):
        return rounded[0], 0.0
    mean = fsum(differences) / len(differences)
    squares = fsum((difference - mean) ** 2 for difference in differences)
    return mean, sqrt(squares / (len(differences) - 1))
