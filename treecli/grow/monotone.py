"""Monotone trees: predictions that do not fall, or do not rise, along an attribute.

A split on such an attribute must have its branches in order. Everything below the lower branch then stays on its side
of the middle between the two, and everything below the upper branch on the other, so that the whole tree is monotone;
the bounds hold for splits on other attributes too (as in scikit-learn 1.4 and XGBoost). The ordered numbers are the
mean of a numeric target, or the probabilities that the class is at least the second, the third, … of the classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.errors import DataError, UsageError
from treecli.grow import thresholds
from treecli.grow.candidates import NO_GAIN, Candidates, Flags, Floats, Indices
from treecli.grow.level import SortedCases
from treecli.kernels import codes
from treecli.settings.growing import ONE_PLACE

if TYPE_CHECKING:
    from treecli.data import Schema
    from treecli.grow.choose import Decision
    from treecli.grow.level import MemoryLevel
    from treecli.kernels.args import Plan


def check_monotone(plan: Plan, schema: Schema) -> None:
    """Raise UsageError if the target or other settings exclude monotone predictions."""
    settings, target = plan.settings, schema.target
    if target.kind == "nominal" and len(target.labels) > 2:
        raise UsageError(
            f"--monotone: the {len(target.labels)} classes of '{target.name}' have no order",
            f"leave it out, or say --type {target.name}=ordinal:low<mid<high",
        )
    reasons = {
        "--splits: derived columns have no direction": settings.splitting.splits is not None,
        "--discretize: bins are split at once": settings.splitting.discretize != "none",
        f"--threshold {settings.splitting.threshold}": settings.splitting.threshold in ONE_PLACE,
        "--criterion absolute: medians do not follow from sums": plan.impurity == codes.ABSOLUTE,
        "--leaf-model linear: functions in leaves may cross": settings.predicting.leaf_model == "linear",
        "--smooth: small leaves are smoothed more": settings.predicting.smooths,
        "--laplace: small leaves are smoothed more": settings.predicting.laplace,
        "--priors": settings.predicting.priors is not None,
        "--costs": settings.predicting.costs is not None,
        "--nominal merged: ordinal attributes are split at once": plan.nominal == codes.MERGED,
    }
    for reason, holds in reasons.items():
        if holds:
            option, _, why = reason.partition(": ")
            raise UsageError(f"--monotone and {option} exclude each other{f': {why}' if why else ''}")


class Monotone:
    """The bounds of the open nodes: each number of a node lies between `low` and `high`, one row per node."""

    def __init__(self, plan: Plan, sign_of: dict[int, int]) -> None:
        self._plan, self.sign_of = plan, sign_of
        self.low = self.high = np.empty((0, 1))
        self.free: Sequence[Candidates] = ()
        """The candidates of the level without this constraint, for observers."""

    def open_root(self, n_nodes: int) -> None:
        self.low, self.high = np.full((n_nodes, 1), -np.inf), np.full((n_nodes, 1), np.inf)

    def allowed(self, engine: Any, level: MemoryLevel, candidates: Sequence[Candidates]) -> list[Candidates]:
        """Return for each attribute the best split that keeps the order and the bounds."""
        if level.depth == 0:
            _refuse_missing(engine, level)
        self.free, found = candidates, []
        for attribute, own in enumerate(candidates):
            if attribute in level.orders:
                found.append(self._best_threshold(engine, level, attribute))
            else:
                found.append(self._checked(engine, level, attribute, own))
        return found

    def pass_down(self, decision: Decision, outcomes: Floats, is_open: Flags) -> None:
        """Move on to the open children: they inherit the bounds, and a split on a monotone attribute adds one."""
        n_children = np.diff(decision.first_child)
        values = self._values(outcomes)
        low, high = (
            np.repeat(np.broadcast_to(b, (len(n_children), values.shape[1])), n_children, axis=0).copy()
            for b in (self.low, self.high)
        )
        for attribute, sign in self.sign_of.items():
            lower = decision.first_child[:-1][decision.attribute == attribute]
            upper = lower + 1
            middle = (values[lower] + values[upper]) / 2
            below, above = (lower, upper) if sign > 0 else (upper, lower)
            high[below], low[above] = np.minimum(high[below], middle), np.maximum(low[above], middle)
        self.low, self.high = low[is_open], high[is_open]

    def _values(self, outcomes: Floats) -> Floats:
        """Return the ordered numbers of nodes with these outcomes, in the tree's format."""
        if self._plan.is_numeric:
            return outcomes[:, codes.MEAN, None]
        return _upper_shares(outcomes)

    def _best_threshold(self, engine: Any, level: MemoryLevel, attribute: int) -> Candidates:
        """Return the best threshold at every node among the allowed ones.

        Values between which no cut is allowed are given one number, so that the plan's scorer finds the best of the
        others.
        """
        plan, order = self._plan, level.orders[attribute]
        is_cut = self._is_allowed(level, order, self.sign_of.get(attribute, 0))
        with np.errstate(invalid="ignore"):
            is_cut &= np.append(np.diff(order.value) > order.gap, False)
        is_cut[level.start[1:] - 1] = True  # no number occurs at two nodes
        group = np.concatenate([[0], np.cumsum(is_cut)[:-1]]).astype(np.float64)
        merged = SortedCases(order.case, group, order.n_known)
        cuts = plan.scorer.cuts(level, merged, None, plan)
        is_found = np.isfinite(cuts.gain)
        last = np.searchsorted(group, np.where(is_found, cuts.lower, 0.0), side="right") - 1
        last = np.minimum(last, len(group) - 2)
        lower, upper = np.where(is_found, order.value[last], 0.0), np.where(is_found, order.value[last + 1], 1.0)
        return thresholds.placed(engine, attribute, replace(cuts, lower=lower, upper=upper))

    def _is_allowed(self, level: MemoryLevel, order: SortedCases, sign: int) -> Flags:
        """Return for each place of an order whether a cut after it keeps the order and the bounds."""
        plan, case = self._plan, order.case
        weight = level.weight[case]
        if plan.is_numeric:
            sums = np.stack([weight, weight * (level.target[case] - level.center[level.node_of_case])], axis=1)
        else:
            sums = np.zeros((len(case), level.outcomes.shape[1]))
            sums[np.arange(len(case)), level.label[case]] = weight
        reached = np.cumsum(sums, axis=0)
        before = np.concatenate([np.zeros((1, reached.shape[1])), reached])[level.start[:-1]]
        node = level.node_of_case
        left = reached - before[node]
        total = reached[level.start[1:] - 1] - before
        parts = [self._numbers(part, level, node) for part in (left, total[node] - left)]
        low, high = self.low[node], self.high[node]
        is_kept = np.ones(len(case), bool)
        for part in parts:
            is_kept &= ((part >= low) & (part <= high)).all(axis=1)
        if sign:
            is_kept &= (sign * (parts[1] - parts[0]) >= 0).all(axis=1)
        return is_kept

    def _numbers(self, sums: Floats, level: MemoryLevel, node: Indices) -> Floats:
        """Return the ordered numbers of additive outcomes, which belong to these nodes."""
        if not self._plan.is_numeric:
            return _upper_shares(sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(level.center[node] + sums[:, 1] / sums[:, 0])[:, None]

    def _checked(self, engine: Any, level: MemoryLevel, attribute: int, found: Candidates) -> Candidates:
        """Return the best splits on a nominal attribute, without those that leave the bounds."""
        assert found.table is not None
        gain, first = found.gain.copy(), 0
        for tables in engine.tables(level, attribute):
            n_nodes = len(tables.start) - 1
            own = np.repeat(np.arange(n_nodes), np.diff(tables.start))
            n_branches = int(found.n_branches[first : first + n_nodes].max(initial=1))
            branch = found.table[first + own, np.minimum(tables.code, found.table.shape[1] - 1)]
            sums = np.zeros((n_nodes * n_branches, tables.outcomes.shape[1]))
            is_sent = (branch >= 0) & (branch < n_branches)
            np.add.at(sums, (own * n_branches + branch)[is_sent], tables.outcomes[is_sent])
            node = np.repeat(np.arange(first, first + n_nodes), n_branches)
            numbers = self._numbers(sums, level, node)
            with np.errstate(invalid="ignore"):
                leaves = (numbers < self.low[node]) | (numbers > self.high[node])
            is_out = leaves.any(axis=1).reshape(n_nodes, n_branches).any(axis=1)
            gain[first : first + n_nodes][is_out] = NO_GAIN
            first += n_nodes
        return replace(found, gain=gain)


def _upper_shares(weights: Floats) -> Floats:
    """Return the shares of the classes from the second on, from the third on, …"""
    upper = np.cumsum(weights[:, ::-1], axis=1)[:, ::-1]
    with np.errstate(divide="ignore", invalid="ignore"):  # an empty branch predicts what its parent does
        return np.asarray(upper[:, 1:] / upper[:, :1])


def _refuse_missing(engine: Any, level: MemoryLevel) -> None:
    """Raise DataError if a value is missing: a case in several branches would move what they predict."""
    for attribute, column in zip(engine.schema.attributes, engine.columns, strict=True):
        values = column[level.row]
        if ((values != values) if values.dtype == np.float64 else (values < 0)).any():
            raise DataError(
                f"--monotone: '{attribute.name}' has missing values, which would move what branches predict",
                "fill them in, or leave the column out with -x",
            )
