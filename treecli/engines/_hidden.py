"""Cuts that bins hide, and whether the split of a node is certain all the same.

Cuts between bins are cuts of the data. A cut inside a bin is bounded: the weight times the impurity of both sides is a
concave function of the counts on the left, so it is least at a corner of the box in which these counts lie (Gehrke,
Ganti, Ramakrishnan and Loh 1999). A gain ratio has no such bound; it is at most the bound of the gain, divided by the
least split information of the cuts that may have the best gain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treecli.kernels import choose, codes, impurity

if TYPE_CHECKING:
    from treecli.grow.candidates import Flags, Floats, Indices
    from treecli.kernels.args import Plan

MOST_CLASSES = 8
"""A box of more classes has too many corners: with more of them at a node, the bound is looser."""

MARGIN = 3.0
"""Scores that differ by less than so many tolerances may tie: kernels set scores within one of them to 0."""

ROUNDING = 1e-12

LEAST_INFORMATION = 10 * choose.LEAST_INFORMATION


class Ranges(NamedTuple):
    """The known values of a node in ascending order, as ranges with their classes, and the classes without a value."""

    low: Floats
    high: Floats
    outcomes: Floats
    missing: Floats

    def hidden(self, plan: Plan) -> Hidden:
        """Return what is known of the cuts inside ranges."""
        before = np.cumsum(self.outcomes, axis=0) - self.outcomes
        known = self.outcomes.sum(axis=0)
        wide = np.flatnonzero(self.low < self.high)
        if not len(wide):
            return Hidden(is_resolved=True, most=-np.inf, least_info=0.0)
        visible = self.gains(plan)
        least = float(visible.max(initial=-np.inf)) - MARGIN * plan.tolerance
        classes = np.flatnonzero(known + self.missing)
        before, inside = before[wide][:, classes], self.outcomes[wide][:, classes]
        most = _most_in_box(before, inside, known[classes], self.missing[classes], plan)
        alive = np.flatnonzero(most >= least)
        if len(alive) and len(classes) <= MOST_CLASSES:
            most[alive] = _most_at_corners(before[alive], inside[alive], known[classes], self.missing[classes], plan)
        bound = float(most.max())
        start = np.empty(0) if plan.zero_gain else np.zeros(1)  # a cut must gain more than nothing
        is_resolved = is_certain(np.concatenate([visible, start]), bound, plan.tolerance)
        info = self._least_info(wide[most >= least], visible >= least)
        return Hidden(is_resolved=is_resolved, most=max(bound, least) + MARGIN * plan.tolerance, least_info=info)

    def gains(self, plan: Plan) -> Floats:
        """Return the gains of the cuts between ranges, and of dividing known values from missing ones."""
        left, known = np.cumsum(self.outcomes, axis=0)[:-1], self.outcomes.sum(axis=0)
        least, lacking = plan.min_leaf - plan.tolerance, float(self.missing.sum())
        of_left = left.sum(axis=1)
        of_right = float(known.sum()) - of_left
        gains = list(_gains(left, known, self.missing, plan))
        if not (plan.missing_is_value and lacking > 0):
            return np.where((of_left >= least) & (of_right >= least), gains[0], -np.inf)
        gains[0] = np.where((of_left + lacking >= least) & (of_right >= least), gains[0], -np.inf)
        gains[1] = np.where((of_left >= least) & (of_right + lacking >= least), gains[1], -np.inf)
        if lacking >= least and float(known.sum()) >= least and known.any():
            gains.append(next(_gains(known[None, :], known + self.missing, np.zeros_like(known), plan)))
        return np.concatenate(gains)

    def _least_info(self, wide: Indices, is_good: Flags) -> float:
        """Return a lower bound of the split information of the cuts in wide ranges, and of good ones between ranges."""
        weight = self.outcomes.sum(axis=1)
        right = np.cumsum(weight)
        known, lacking = float(weight.sum()), float(self.missing.sum())
        cut = np.flatnonzero(is_good) % max(len(right) - 1, 1)  # twice if missing values are a value, and one more
        left = np.concatenate([right[wide] - weight[wide], right[wide], right[cut]])
        left = np.clip(left, 1.0, max(known - 1.0, 1.0))  # a cut has a row on both sides
        # Missing values are on one side, or the other, or alone, or a branch of their own, which adds information.
        shares = [left / (known + lacking), (left + lacking) / (known + lacking), left / known]
        if lacking > 0:
            shares.append(np.array([lacking / (known + lacking)]))
        share = np.clip(np.concatenate(shares), 0.0, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            info = np.nan_to_num(-share * np.log2(share) - (1 - share) * np.log2(1 - share))
        return float(info.min(initial=np.inf)) * known / (known + lacking)


class Hidden(NamedTuple):
    """The bounds of the cuts of an attribute at a node, if some are inside bins."""

    is_resolved: bool
    """Whether its best cut is certain to be one between bins."""
    most: float
    """An upper bound of its gain."""
    least_info: float
    """A lower bound of the split information of its best cut."""


def _gains(left: Floats, known: Floats, missing: Floats, plan: Plan) -> Iterator[Floats]:
    """Yield the gains of cuts with these classes on the left; if missing values are a value, on either side of them."""
    right = known - left
    total = float(known.sum() + missing.sum())
    if plan.missing_is_value and missing.any():
        whole = _spreads((known + missing)[None, :], plan)
        yield (whole - _spreads(left + missing, plan) - _spreads(right, plan)) / total
        yield (whole - _spreads(left, plan) - _spreads(right + missing, plan)) / total
    else:
        yield (_spreads(known[None, :], plan) - _spreads(left, plan) - _spreads(right, plan)) / total


def _most_at_corners(before: Floats, inside: Floats, known: Floats, missing: Floats, plan: Plan) -> Floats:
    """Return the greatest gain of cuts with the classes `before` and any of those `inside` on the left."""
    most = np.full(len(before), -np.inf)
    for corner in product((0.0, 1.0), repeat=before.shape[1]):
        for gain in _gains(before + inside * np.array(corner), known, missing, plan):
            most = np.maximum(most, gain)
    return most


def _most_in_box(before: Floats, inside: Floats, known: Floats, missing: Floats, plan: Plan) -> Floats:
    """Return no less than the greatest gain of these cuts, for any number of classes."""
    joined = [missing, np.zeros_like(missing)] if plan.missing_is_value and missing.any() else [np.zeros_like(missing)]
    whole = known + missing if len(joined) > 1 else known
    unsplit, total = float(_spreads(whole[None, :], plan)[0]), float(known.sum() + missing.sum())
    most = np.full(len(before), -np.inf)
    for on_left in joined:
        low, high = before + on_left, before + inside + on_left
        most = np.maximum(most, (unsplit - _least_spreads(low, high, whole, plan)) / total)
    return most


def _least_spreads(low: Floats, high: Floats, whole: Floats, plan: Plan) -> Floats:
    """Return no more than the spreads of two sides in all, if one has counts from `low` to `high` of the `whole`.

    The terms of each class are bounded one by one.
    """
    total = float(whole.sum())
    least, most = low.sum(axis=1), high.sum(axis=1)
    if plan.impurity == codes.ENTROPY:
        half = np.clip(total / 2, least, most)
        terms = np.maximum(_xlog2(low) + _xlog2(whole - low), _xlog2(high) + _xlog2(whole - high)).sum(axis=1)
        return np.asarray(_xlog2(half) + _xlog2(total - half) - terms)
    if plan.impurity == codes.GINI:
        of_right = _most_squares(whole - low, total - most, total - least)
        return np.asarray(total - _most_squares(high, least, most) - of_right)
    return np.asarray(total - high.max(axis=1) - (whole - low).max(axis=1))


def _most_squares(counts: Floats, least: Floats, most: Floats) -> Floats:
    """Return no less than the sum of squared counts divided by the weight, which lies between `least` and `most`."""
    squares = (counts * counts).sum(axis=1)
    over_least = np.divide(squares, least, out=np.full(len(least), np.inf), where=least > 0)
    return np.asarray(np.minimum(over_least, most))


def _xlog2(counts: Floats) -> Floats:
    return np.asarray(counts * np.log2(np.where(counts > 0, counts, 1.0)))


def _spreads(outcomes: Floats, plan: Plan) -> Floats:
    out = np.empty(len(outcomes))
    impurity.spreads(np.ascontiguousarray(outcomes), plan.impurity, plan.least_variance, out)
    return out


def is_certain(known: Floats, bound: float, tolerance: float) -> bool:
    """Return whether scores up to the bound, wherever they come in the order, do not change which known score wins.

    A score replaces the best before it if it is better by more than the tolerance. So scores that lie a tolerance and
    more above all others are compared among each other only.
    """
    most = bound
    for score in np.sort(known[known > bound]).tolist():
        if score > most + MARGIN * tolerance:
            return True
        most = score
    return False


def splits_certainly(gain: Floats, info: Floats, hidden: Sequence[Hidden | None], share: float, plan: Plan) -> bool:
    """Return whether the choice at a node does not depend on hidden cuts.

    `gain` and `info` are those of the best cut known, by attribute. `share` as in choose.set_merits.
    """
    low, high, is_open = gain.copy(), gain.copy(), np.zeros(len(gain), bool)
    for a, own in enumerate(hidden):
        if own is not None and not own.is_resolved:
            low[a], high[a], is_open[a] = gain[a] - MARGIN * plan.tolerance, own.most, True
    if not is_open.any():
        return True
    if ((low * share < plan.min_gain + ROUNDING) & (high * share >= plan.min_gain - ROUNDING))[is_open].any():
        return False
    is_allowed = (high > -np.inf) & (high * share >= plan.min_gain)
    if plan.rank == codes.BY_GAIN:
        merit, bound = gain[is_allowed & ~is_open], float(high[is_open].max())
    else:
        least = np.array([np.inf if own is None else own.least_info for own in hidden])
        found = _ratios(low, high, np.where(is_open, least, info), (is_allowed, is_open), plan)
        if found is None:
            return False
        merit, bound = found
    if not plan.zero_gain:
        merit = merit[merit > plan.tolerance]
    return is_certain(merit, bound, plan.tolerance)


def _ratios(
    low: Floats, high: Floats, info: Floats, which: tuple[Flags, Flags], plan: Plan
) -> tuple[Floats, float] | None:
    """Return the gain ratios of attributes that are not open, and the bound of others; None if some may be excluded.

    An attribute is excluded if its gain is below the average, as in choose.set_merits. `which` are those that may split
    the node, and those that are open.
    """
    is_allowed, is_open = which
    if (info[is_open] <= LEAST_INFORMATION).any() or (low[is_open & is_allowed] == -np.inf).any():
        return None
    is_allowed = is_allowed & (info > choose.LEAST_INFORMATION)
    is_counted = is_allowed & (np.asarray(plan.is_counted) > 0)
    if not is_counted.any():
        return None
    at_least = float(low[is_counted].mean()) - choose.AVERAGE_SLACK
    at_most = float(high[is_counted].mean()) - choose.AVERAGE_SLACK
    is_out = high < at_least - ROUNDING
    is_in = is_allowed & ~is_open & ~is_out
    if (low[is_in] < at_most + ROUNDING).any():
        return None
    rest = is_allowed & is_open & ~is_out
    return low[is_in] / info[is_in], float((high[rest] / info[rest]).max(initial=-np.inf))
