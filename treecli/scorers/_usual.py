"""Members of the protocol that most scorers share; each scorer imports those that it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.grow.candidates import NO_GAIN, Candidates, Codes, Cuts, Floats, joined
from treecli.grow.level import sorted_cases
from treecli.kernels import choose, codes, impurity
from treecli.kernels.args import Found
from treecli.scorers import Ranking
from treecli.splits.threshold import LOWEST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.grow.level import MemoryLevel, SentCases
    from treecli.kernels.args import Plan

FINE = 10
"""If values are up to this many tolerances apart, unseen values may lie within one tolerance of a threshold."""

order = sorted_cases


def root(label: Codes, target: Floats, weight: Floats, n_outcomes: int, plan: Plan) -> tuple[Floats, Floats]:
    """Return the additive outcomes of all cases, as one row, and the centre of a numeric target: its mean."""
    if not plan.is_numeric:
        return class_weights(label, weight, n_outcomes)
    center = np.average(target, weights=weight)
    differences = target - center
    sums = [np.sum(weight), np.sum(weight * differences), np.sum(weight * differences**2)]
    return np.array([sums]), np.array([center])


def root_about_0(label: Codes, target: Floats, weight: Floats, n_outcomes: int, plan: Plan) -> tuple[Floats, Floats]:
    """Like `root`, but sum a numeric target about 0, case by case."""
    if not plan.is_numeric:
        return class_weights(label, weight, n_outcomes)
    sums = [_one_by_one(weight), _one_by_one(weight * target), _one_by_one(weight * target**2)]
    return np.array([sums]), np.zeros(1)


def class_weights(label: Codes, weight: Floats, n_classes: int) -> tuple[Floats, Floats]:
    """Return the weight of each class, as one row, and the centre 0."""
    return np.bincount(label, weight, minlength=n_classes).astype(np.float64)[None, :], np.zeros(1)


def _one_by_one(values: Floats) -> float:
    """Return the sum with the rounding of a plain loop; numpy's sum rounds differently."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def groups(engine: Any, level: MemoryLevel, attribute: int) -> Candidates:
    """Return the best split on a nominal attribute at every node, from its count tables."""
    return joined([engine.plan.grouping.best(tables, engine.plan) for tables in engine.tables(level, attribute)])


def at_data_values(found: Candidates, cuts: Cuts, values: Floats, column: Floats, plan: Plan) -> Candidates:
    """Return the candidates with each threshold moved down to a data value, as in J48.

    `values` are the sorted distinct values of the whole `column`. J48 reads the rows in the order of the file, and a
    value replaces the previous one only if it is larger by more than the tolerance. J48's tests also accept values
    above the threshold by less than the tolerance. If the data are fine enough for such values to exist, the threshold
    is raised to accept them, and the number that J48 prints is stored separately.
    """
    # Values that no threshold separates count as equal here too.
    tolerance = min(plan.tolerance, plan.value_gap)
    assert found.number is not None
    number = found.number.copy()
    printed = number.copy()
    is_cut = np.isfinite(found.gain) & ~found.parts_missing
    if tolerance == 0:
        number[is_cut] = values[np.searchsorted(values, number[is_cut], side="right") - 1]
        return replace(found, number=np.maximum(number, LOWEST))
    with np.errstate(over="ignore", invalid="ignore"):
        least = np.diff(values).min() if len(values) > 1 else np.inf
    if least > tolerance:
        printed[is_cut] = _at_distinct_values(number[is_cut], values, column, tolerance)
    else:
        for node in np.flatnonzero(is_cut):
            printed[node] = _at_data_value(float(number[node]), values, column, tolerance)
    number[is_cut] = printed[is_cut]
    if least <= FINE * tolerance:
        for node in np.flatnonzero(is_cut):
            number[node] = _largest_within(float(printed[node]), tolerance)
    return replace(found, number=number, printed=printed)


def _at_distinct_values(threshold: Floats, values: Floats, column: Floats, tolerance: float) -> Floats:
    """Return the data values that replace thresholds, as `_at_data_value` does if values are clearly distinct."""
    current = values[_n_accepted(threshold, values, tolerance) - 1]
    is_zero = current == 0
    if is_zero.any():  # or -0, whichever the file has first
        current = np.where(is_zero, column[np.argmax(column == 0)], current)
    return np.asarray(np.maximum(current, LOWEST))


def _at_data_value(threshold: float, values: Floats, column: Floats, tolerance: float) -> float:
    """Return the data value that replaces a threshold."""
    last = first = int(_n_accepted(np.array([threshold]), values, tolerance)[0]) - 1
    while first > 0 and float(values[first]) - float(values[first - 1]) <= tolerance:
        first -= 1
    current = float(values[last])
    if first < last:
        current = -np.inf
        for value in column[(column >= values[first]) & (column <= values[last])].tolist():
            if value - current > tolerance:
                current = value
    elif current == 0:  # or -0, whichever the file has first
        current = float(column[np.argmax(column == 0)])
    return max(current, LOWEST)


def _n_accepted(threshold: Floats, values: Floats, tolerance: float) -> NDArray[np.int64]:
    """Return how many of the sorted values are at most a threshold, or exceed it by less than the tolerance.

    J48 compares the difference; the sum of a threshold and the tolerance may round to a value that it accepts.
    """
    n_below = np.searchsorted(values, threshold + tolerance, side="left")
    with np.errstate(invalid="ignore"):
        is_next_accepted = values[np.minimum(n_below, len(values) - 1)] - threshold < tolerance
        is_last_refused = values[n_below - 1] - threshold >= tolerance
    n_below += (is_next_accepted & (n_below < len(values))).astype(np.int64) - (is_last_refused & (n_below > 0))
    # Adding the tolerance does not change a large number.
    return np.maximum(n_below, np.searchsorted(values, threshold, side="right"))


def _largest_within(value: float, tolerance: float) -> float:
    """Return the largest number that exceeds a value by less than the tolerance."""
    number = value + tolerance
    while number - value >= tolerance:
        number = float(np.nextafter(number, -np.inf))
    return number


def settle_root(level: MemoryLevel, outcomes: Floats, plan: Plan) -> None:
    """Leave the outcomes of the root unchanged."""


def settle(sent: SentCases, outcomes: Floats, plan: Plan) -> None:
    """Leave the outcomes of children unchanged."""


def open(outcomes: Floats, sums: Floats, rest: Floats, plan: Plan) -> tuple[Floats, Floats]:
    """Return weight, sum (`rest`) and sum of squares about the mean of each open child, and the means."""
    totals = outcomes.copy()
    totals[:, 1] = rest
    totals[:, 2] += rest**2 / outcomes[:, 0]
    return totals, outcomes[:, 1].copy()


def open_about_0(outcomes: Floats, sums: Floats, rest: Floats, plan: Plan) -> tuple[Floats, Floats]:
    """Return weight, sum and sum of squares of each open child about 0."""
    return sums, np.zeros(len(sums))


def worth(candidates: Sequence[Candidates], gain: Floats, level: MemoryLevel, plan: Plan) -> Floats:
    """Return gain times node weight; for a numeric target, as a share of the node's deviance."""
    return as_share(gain * level.weights(plan), level, plan)


def as_share(total: Floats, level: MemoryLevel, plan: Plan) -> Floats:
    """Return total gains; for a numeric target, divided by the node's deviance."""
    return total / level.outcomes[:, codes.DEVIANCE] if plan.is_numeric else total


def rank(candidates: Sequence[Candidates], gain: Floats, level: MemoryLevel, plan: Plan) -> Ranking:
    """Rank by the criterion's merits; the tolerance (times the variance, for a numeric target) decides ties."""
    slack: Floats | float = plan.tolerance
    if plan.is_numeric:
        slack = slack * (level.outcomes[:, codes.DEVIANCE] / level.outcomes[:, codes.WEIGHT])
    merit = merits(candidates, gain, level, plan)
    second = np.array([c.test.chi2 for c in candidates]) if plan.rank == codes.BY_TEST else None
    return Ranking(merit, slack, merit, second)


def merits(
    candidates: Sequence[Candidates], gain: Floats, level: MemoryLevel, plan: Plan, exact: Floats | None = None
) -> Floats:
    """Return the criterion's merit of each candidate; -inf if the candidate is excluded.

    The merit is the gain or gain ratio, from the kernel that the accelerators use; the logarithm of the p-value; or the
    value of the criterion's own function. `exact` are the improvements, if the plan's arithmetic ranks by them.
    """
    split_info = np.array([c.split_info for c in candidates])
    if plan.rank in (codes.BY_GAIN, codes.BY_RATIO):
        return _by_gain(gain, split_info, gain if exact is None else exact, level, plan)
    if plan.rank == codes.BY_TEST:
        log_p = np.array([c.test.log_p_values() for c in candidates])
        merit = np.where(np.isfinite(gain), -log_p / np.log(10), NO_GAIN)
    else:
        merit = np.array(plan.criterion.merit(gain, split_info, np.asarray(plan.is_counted).astype(bool)))
    if not plan.zero_gain:
        merit[merit <= plan.tolerance] = NO_GAIN
    return merit


def rank_exactly(
    candidates: Sequence[Candidates], gain: Floats, level: MemoryLevel, plan: Plan, unsplit: Floats
) -> Ranking:
    """Rank by improvements, compared exactly; the tree stores the gain.

    Improvements are defined up to a constant per node; `unsplit` is the value of each node without a split.
    """
    exact = np.array([np.full(len(c.gain), np.nan) if c.improvement is None else c.improvement for c in candidates])
    if np.isnan(exact).any():
        exact = np.where(np.isnan(exact), gain * level.weights(plan) + unsplit, exact)
    return Ranking(merits(candidates, gain, level, plan, exact), 0.0, gain)


def _by_gain(gain: Floats, split_info: Floats, exact: Floats, level: MemoryLevel, plan: Plan) -> Floats:
    n_attributes, n_nodes = gain.shape
    share = np.ones(n_nodes)
    if plan.gain_of_all:
        impurity.totals(level.outcomes, plan.is_numeric, share)
        share /= plan.root_weight
    found = Found()
    found.gain, found.split_info, found.improvement, found.merit = np.empty((4, n_attributes))
    merit = np.empty(gain.shape)
    choose.merits(gain, split_info, exact, share, plan, found, merit)
    return merit
