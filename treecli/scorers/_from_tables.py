"""Cuts from count tables, for engines that do not hold cases in memory."""

from __future__ import annotations

import numpy as np

from treecli.grow.candidates import NO_GAIN, CountTables, Cuts, Flags, Floats, Indices, room_for_cuts
from treecli.kernels import choose, impurity
from treecli.kernels.args import Plan
from treecli.records import dataclass


@dataclass(frozen=True, slots=True)
class _Scored:
    """The cut after each entry: its gain, the weights on both sides, and whether the plan allows it.

    `before` and `known` are weight times impurity, and weight, of each node's cases with known values.
    """

    node: Indices
    gain: Floats
    left: Floats
    right: Floats
    is_allowed: Flags
    before: Floats
    known: Floats


def cuts_of(tables: CountTables, plan: Plan) -> Cuts:
    """Return the best cut of every node from its count tables; missing values must not count as a value.

    With integer weights, the cuts equal those computed from cases; otherwise sums may differ in their last digits.
    """
    assert tables.value is not None
    n, scored = len(tables.weights), _scored(tables, plan)
    slack = plan.tolerance * scored.before / tables.weights if plan.is_numeric else np.full(n, plan.tolerance)
    is_taken = scored.is_allowed & (plan.zero_gain | (scored.gain > slack[scored.node]))
    best = np.empty(n, np.int64)
    choose.first_bests(tables.start, np.where(is_taken, scored.gain, NO_GAIN), slack, best)
    found, nodes = room_for_cuts(n), np.flatnonzero(best >= 0)
    own, weight = best[nodes], tables.weights[nodes]
    gain = scored.gain[own]
    if plan.cut_cost:
        assert found.cost is not None
        found.cost[nodes] = np.log2(np.bincount(scored.node[scored.is_allowed], minlength=n)[nodes])
        gain = gain - found.cost[nodes] / weight
    found.gain[:] = NO_GAIN
    found.gain[nodes] = gain if plan.zero_gain else np.where(gain < plan.tolerance, NO_GAIN, gain)
    found.lower[nodes], found.upper[nodes] = tables.value[own], tables.value[own + 1]
    parts = scored.left[own], scored.right[own], weight - scored.known[nodes]
    found.split_info[nodes] = (_xlog2(weight) - sum(map(_xlog2, parts))) / weight
    return found


def _scored(tables: CountTables, plan: Plan) -> _Scored:
    assert tables.value is not None
    n = len(tables.weights)
    node = np.repeat(np.arange(n), np.diff(tables.start))
    totals = np.zeros((n, tables.outcomes.shape[1]))
    np.add.at(totals, node, tables.outcomes)
    left = _running_sums(tables.outcomes, tables.start, node)
    right = totals[node] - left
    before, known = _spreads(totals, plan), _weights(totals, plan)
    gain = (before[node] - _spreads(left, plan) - _spreads(right, plan)) / tables.weights[node]
    if not plan.is_numeric:
        gain[np.abs(gain * known[node]) < plan.tolerance] = 0.0
    n_known = np.bincount(node, tables.n_rows, n).astype(np.float64)
    n_left = _running_sums(tables.n_rows, tables.start, node)
    is_allowed = np.arange(1, len(node) + 1) < tables.start[node + 1]
    is_allowed[:-1] &= tables.value[:-1] + plan.value_gap < tables.value[1:]
    least = _least_branch(known, n_known, totals.shape[1], plan)[node]
    weights = _weights(left, plan), _weights(right, plan)
    for size, count in zip(weights, (n_left, n_known[node] - n_left), strict=True):
        is_allowed &= (size > 0) & (size >= least) & (count >= plan.min_rows)
    return _Scored(node, gain, *weights, is_allowed, before, known)


def _running_sums(values: Floats | Indices, start: Indices, node: Indices) -> Floats:
    """Return the cumulative sums of each node's entries."""
    sums = np.cumsum(values, axis=0, dtype=np.float64)
    padded = np.concatenate([np.zeros((1, *sums.shape[1:])), sums])
    return np.asarray(sums - padded[start[:-1]][node])


def _weights(outcomes: Floats, plan: Plan) -> Floats:
    out = np.empty(len(outcomes))
    impurity.totals(np.ascontiguousarray(outcomes), plan.is_numeric, out)
    return out


def _spreads(outcomes: Floats, plan: Plan) -> Floats:
    out = np.empty(len(outcomes))
    impurity.spreads(np.ascontiguousarray(outcomes), plan.impurity, plan.least_variance, out)
    return out


def _xlog2(x: Floats) -> Floats:
    return np.where(x > 0, x * np.log2(np.where(x > 0, x, 1.0)), 0.0)


def _least_branch(known: Floats, n_known: Floats, n_outcomes: int, plan: Plan) -> Floats:
    """Return the minimum branch weight of each node, less the tolerance; inf if no cut can reach it."""
    least = np.full(len(known), plan.min_leaf)
    if plan.branch_share > 0:
        share = plan.branch_share * known / n_outcomes
        is_small = share < plan.min_leaf + plan.tolerance
        least = np.where(is_small, plan.min_leaf, np.minimum(share, plan.most_branch_share))
        least[n_known < 2.0 * least - plan.tolerance] = np.inf
    return least - plan.tolerance
