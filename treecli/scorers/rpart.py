"""Two-way splits in rpart's arithmetic, so that ties are broken as in rpart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.grow.candidates import (
    NO_GAIN,
    Candidates,
    CountTables,
    Cuts,
    Flags,
    Floats,
    Indices,
    empty_test,
    joined,
    room_for_cuts,
)
from treecli.grow.level import MemoryLevel, SortedCases, sorted_like_rpart
from treecli.kernels import codes, order_labels, score_rpart
from treecli.kernels.args import At, Cases, Labels, Plan, Scratch
from treecli.scorers import Ranking
from treecli.scorers._usual import as_share, at_data_values, open, root, settle, settle_root

if TYPE_CHECKING:
    from treecli.criteria import Criterion
    from treecli.missing import Policy
    from treecli.settings import Settings

__all__ = [
    "at_data_values",
    "cuts",
    "groups",
    "open",
    "order",
    "rank",
    "refuses",
    "root",
    "settle",
    "settle_root",
    "worth",
]

BITS = 1 / np.log(2)
"""One nat in bits."""

IMPURITIES = ("entropy", "gini", "variance")

order = sorted_like_rpart


def refuses(settings: Settings, criterion: Criterion, policy: Policy) -> str | None:
    """Return why rpart's arithmetic does not support these settings; None if it does."""
    splitting = settings.splitting
    reasons = {
        "gain ratio is not computed in rpart's arithmetic": criterion.is_ratio,
        "p-values are not computed in rpart's arithmetic": criterion.is_test,
        "rpart's arithmetic ranks by improvement, not by the criterion's own merit": criterion.merit is not None,
        f"rpart's arithmetic has no impurity '{criterion.impurity}'": criterion.impurity not in IMPURITIES,
        "in rpart's arithmetic missing values are no value of their own": policy.is_value,
        "in rpart's arithmetic a case takes one branch": policy.spreads,
        "rpart's arithmetic groups labels in two": splitting.nominal != "subset",
        "in rpart's arithmetic thresholds lie halfway between values": splitting.threshold != "midpoint",
        "rpart's arithmetic has no bins": splitting.discretize != "none",
        "rpart's arithmetic has no chi-square test": settings.stopping.chi2_alpha is not None,
        "in rpart's arithmetic any two values can be separated": splitting.value_gap != 0,
        "in rpart's arithmetic branches need no share of the cases": splitting.branch_share != 0,
        "in rpart's arithmetic a threshold costs nothing": splitting.cut_cost,
    }
    return next((reason for reason, is_given in reasons.items() if is_given), None)


def cuts(level: MemoryLevel, order: SortedCases, only_at: Floats | None, plan: Plan) -> Cuts:
    """Return the best cut of every node in the order of a column."""
    found, scratch = room_for_cuts(level.n_nodes, is_exact=True), Scratch()
    assert found.improvement is not None
    scratch.sides = np.empty((score_rpart.SCRATCH_ROWS, level.totals.shape[1]))
    score_rpart.best_cuts(level.cases, order.args, At(), plan, found.args(), scratch)
    found.gain[:] = _gain(found.improvement, level.weights(plan), plan)
    return found


def groups(engine: Any, level: MemoryLevel, attribute: int) -> Candidates:
    """Return the best grouping of the labels into two branches at every node."""
    code_of_case = engine.labels(attribute)[1][level.row]
    center = _known_means(level, code_of_case >= 0) if engine.plan.is_numeric else None
    portions, first = [], 0
    for tables in engine.tables(level, attribute, center):
        portions.append(_best_groups(engine, level, attribute, tables, first))
        first += len(tables.weights)
    return joined(portions)


def worth(candidates: Sequence[Candidates], gain: Floats, level: MemoryLevel, plan: Plan) -> Floats:
    """Return the improvement; for a numeric target, as a share of the node's deviance."""
    return as_share(np.array([c.improvement for c in candidates]), level, plan)


def rank(candidates: Sequence[Candidates], gain: Floats, level: MemoryLevel, plan: Plan) -> Ranking:
    """Rank by improvement, compared exactly; the tree stores the gain."""
    merit = np.where(np.isfinite(gain), worth(candidates, gain, level, plan), NO_GAIN)
    return Ranking(merit, 0.0, gain)


def _best_groups(engine: Any, level: MemoryLevel, attribute: int, tables: CountTables, first: int) -> Candidates:
    """Return the best grouping at the nodes of the tables, which begin with node `first`."""
    plan, n = engine.plan, len(tables.weights)
    is_exhaustive = plan.budget.exhaustive(attribute, np.diff(tables.start), tables.outcomes.shape[1], plan)
    groupings = _groupings(engine, level, attribute, tables, first)
    groupings.is_exhaustive, groupings.is_left = is_exhaustive.astype(np.uint8), np.empty(tables.n_labels, np.uint8)
    found, args, scratch = room_for_cuts(n, is_exact=True), tables.args(), Scratch()
    assert found.improvement is not None
    table = np.empty((n, tables.n_labels), np.int32)
    args.order, args.table = _order(tables, np.asarray(groupings.scaled), plan, is_exhaustive), table
    scratch.sides = np.empty((score_rpart.SCRATCH_ROWS, tables.outcomes.shape[1]))
    score_rpart.best_groups(args, groupings, At(), plan, found.args(), scratch)
    return Candidates(
        "subset",
        _gain(found.improvement, level.weights(plan)[first : first + n], plan),
        np.zeros(n),
        empty_test(n),
        n_branches=np.full(n, 2, np.int32),
        missing_to=np.full(n, codes.SPREAD, np.int32),
        parts_missing=np.zeros(n, bool),
        table=table,
        improvement=found.improvement,
        first=found.first,
    )


def _groupings(
    engine: Any, level: MemoryLevel, attribute: int, tables: CountTables, first: int
) -> score_rpart.Groupings:
    """Return the weights of each entry and of each node's known values, multiplied by the class scales."""
    plan, n = engine.plan, len(tables.weights)
    groupings, known = score_rpart.Groupings(), np.zeros(n)
    groupings.scaled, groupings.known = np.zeros(len(tables.code)), known
    if plan.is_numeric:
        np.add.at(known, np.repeat(np.arange(n), np.diff(tables.start)), tables.outcomes[:, codes.WEIGHT])
        return groupings
    of_nodes = level.center[first : first + n], level.totals[first : first + n]
    cases = Cases(level.start[first : first + n + 1], level.row, level.label, level.target, level.weight, *of_nodes)
    labels = Labels()
    labels.code_of_row, labels.entry = engine.labels(attribute)[1], np.full(tables.n_labels, -1, np.int64)
    score_rpart.scaled_weights(cases, labels, tables.args(), plan, groupings)
    return groupings


def _order(tables: CountTables, scaled: Floats, plan: Plan, is_exhaustive: Flags) -> Indices:
    """Return the order in which the entries of each node are cut, for nodes that do not try all groupings.

    Entries are ordered by the mean, or by the share of the first of two classes; a cut in that order is the best of all
    groupings (Breiman et al. 1984). With more classes, they are ordered by the first principal component.
    """
    outcomes = tables.outcomes
    if plan.is_numeric:
        score = outcomes[:, 1] / outcomes[:, 0]
    elif outcomes.shape[1] == 2:
        score = outcomes[:, 0] / scaled
    else:
        score = np.zeros(len(tables.code))
        if not is_exhaustive.all():
            mean, direction, following = np.empty((3, outcomes.shape[1]))
            fewest = int(np.diff(tables.start)[~is_exhaustive].min())
            order_labels.principal_scores(tables.start, outcomes, fewest - 1, mean, direction, following, score)
    order = np.empty(len(score), np.int64)
    order_labels.order_by(tables.start, score, np.empty_like(order), order)
    return order


def _known_means(level: MemoryLevel, is_known: Flags) -> Floats:
    """Return the mean target at every node, over the cases with known values."""
    n, node, weight = level.n_nodes, level.node_of_case[is_known], level.weight[is_known]
    total = np.bincount(node, level.target[is_known] * weight, n)
    return np.asarray(total / np.maximum(np.bincount(node, weight, n), np.finfo(float).tiny))


def _gain(improvement: Floats, weights: Floats, plan: Plan) -> Floats:
    """Return the gain per case; in bits if the impurity is entropy."""
    unit = BITS if plan.impurity == codes.ENTROPY else 1.0
    return np.where(improvement > 0, improvement * unit / weights, NO_GAIN)
