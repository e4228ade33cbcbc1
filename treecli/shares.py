"""Two-way splits whose scores are added up as rpart adds them up, so that ties fall as they do there."""

from __future__ import annotations

from math import inf

import numpy as np

from treecli.candidates import NO_GAIN, Candidates, CountTables, Cuts, Flags, Floats, Indices, Terms, empty_test, joined
from treecli.criteria import Criterion
from treecli.groupings import Budget
from treecli.kernels import impurity, score_groups, score_rpart
from treecli.memory import MemoryEngine
from treecli.missing import Policy
from treecli.settings import Settings
from treecli.splits import threshold

BITS = 1 / np.log(2)
"""A natural unit of information."""


def applies(settings: Settings, criterion: Criterion, policy: Policy) -> bool:
    """Whether rpart's arithmetic is asked for and has all that is asked for."""
    return (
        settings.computing.arithmetic == "shares"
        and criterion.impurity in ("entropy", "gini", "variance")
        and not criterion.is_ratio
        and not criterion.is_test
        and not policy.is_value
        and not policy.spreads
        and settings.splitting.nominal == "subset"
        and settings.splitting.threshold == "midpoint"
        and settings.splitting.discretize == "none"
        and settings.stopping.chi2_alpha is None
        and settings.splitting.value_gap == settings.splitting.branch_share == 0
        and not settings.splitting.cut_cost
    )


def best(
    engine: MemoryEngine, attribute: int, kind: str, terms: Terms, scale: Floats, budget: Budget | None = None
) -> Candidates:
    """The best two-way split on an attribute at every open node; `scale` is what a case of each class counts.

    `budget` None: all groupings are tried, however long that takes.
    """
    if kind != "nominal":
        return _best_cuts(engine, attribute, terms, scale, is_ordinal=kind == "ordinal")
    center = _known_means(engine, attribute) if terms.is_numeric else None
    portions, n_before = [], 0
    for tables in engine.count(attribute, center):
        portions.append(_best_groups(engine, attribute, tables, n_before, terms, scale, budget or Budget(inf)))
        n_before += len(tables.weights)
    return joined(portions)


def _best_cuts(engine: MemoryEngine, attribute: int, terms: Terms, scale: Floats, *, is_ordinal: bool) -> Candidates:
    from dataclasses import replace

    n, ordered = engine.n_nodes, engine.ordered[attribute]
    improvement, lower, upper, first = np.empty(n), np.zeros(n), np.ones(n), np.zeros(n, np.int32)
    score_rpart.best_cuts(
        engine.start,
        ordered.n_known,
        ordered.case,
        ordered.value,
        engine.class_of_case,
        engine.target_of_case,
        engine.weight_of_case,
        scale,
        terms.is_numeric,
        terms.impurity == impurity.CODES["entropy"],
        terms.min_rows,
        np.empty((score_rpart.LEFT_AND_RIGHT, len(scale))),
        improvement,
        lower,
        upper,
        first,
    )
    gain = _gain(improvement, engine.weights(scale), terms)
    found = Cuts(gain, np.zeros(n), lower, upper, np.full(n, -1, np.int32), empty_test(n))
    return replace(
        threshold.best(found, None, is_ordinal=is_ordinal, is_strict=terms.is_strict),
        improvement=improvement,
        first=first,
    )


def _best_groups(
    engine: MemoryEngine,
    attribute: int,
    tables: CountTables,
    n_before: int,
    terms: Terms,
    scale: Floats,
    budget: Budget,
) -> Candidates:
    n = len(tables.weights)
    scaled, whole = np.zeros(len(tables.code)), np.zeros(n)
    if terms.is_numeric:
        np.add.at(whole, np.repeat(np.arange(n), np.diff(tables.start)), tables.outcomes[:, 0])
    else:
        score_rpart.scaled_weights(
            engine.start[n_before : n_before + n + 1],
            engine.row_of_case,
            engine.class_of_case,
            engine.weight_of_case,
            scale,
            engine.columns[attribute],
            np.empty(tables.n_labels, np.int64),
            tables.start,
            tables.code,
            scaled,
            whole,
        )
    is_exhaustive = budget.exhaustive(attribute, np.diff(tables.start), tables.outcomes.shape[1], terms)
    order = _order(tables, scaled, terms, is_exhaustive)
    improvement, first = np.empty(n), np.zeros(n, np.int32)
    table = np.empty((n, tables.n_labels), np.int32)
    score_rpart.best_groups(
        tables.start,
        tables.code,
        order,
        tables.outcomes,
        scaled,
        tables.n_rows,
        whole,
        scale,
        terms.is_numeric,
        terms.impurity == impurity.CODES["entropy"],
        is_exhaustive,
        terms.min_rows,
        np.empty((score_rpart.LEFT_AND_RIGHT, tables.outcomes.shape[1])),
        np.empty(tables.n_labels, np.uint8),
        table,
        improvement,
        first,
    )
    weights = engine.weights(scale)[n_before : n_before + n]
    return Candidates(
        "subset",
        _gain(improvement, weights, terms),
        np.zeros(n),
        empty_test(n),
        n_branches=np.full(n, 2, np.int32),
        missing_to=np.full(n, -1, np.int32),
        parts_missing=np.zeros(n, bool),
        table=table,
        improvement=improvement,
        first=first,
    )


def _order(tables: CountTables, scaled: Floats, terms: Terms, is_exhaustive: Flags) -> Indices:
    """The entries of each node in the order in which cuts part them, where not all groupings are tried.

    By the mean, or by the share of the first of two classes, which finds the best of all groupings (Breiman et al.
    1984); of more classes by the first principal component.
    """
    outcomes = tables.outcomes
    if terms.is_numeric:
        score = outcomes[:, 1] / outcomes[:, 0]
    elif outcomes.shape[1] == 2:
        score = outcomes[:, 0] / scaled
    else:
        score = np.zeros(len(tables.code))
        scratch = np.empty((3, outcomes.shape[1]))
        if not is_exhaustive.all():
            fewest = int(np.diff(tables.start)[~is_exhaustive].min())
            score_groups.principal_scores(tables.start, outcomes, fewest - 1, *scratch, score)
    order = np.empty(len(score), np.int64)
    score_groups.order_by(tables.start, score, np.empty_like(order), order)
    return order


def _known_means(engine: MemoryEngine, attribute: int) -> Floats:
    """The mean of the target at every open node, of the cases whose value is known."""
    is_known = engine.columns[attribute][engine.row_of_case] >= 0
    node = np.repeat(np.arange(engine.n_nodes), np.diff(engine.start))[is_known]
    weight = engine.weight_of_case[is_known]
    total = np.bincount(node, engine.target_of_case[is_known] * weight, engine.n_nodes)
    return np.asarray(total / np.maximum(np.bincount(node, weight, engine.n_nodes), np.finfo(float).tiny))


def _gain(improvement: Floats, weights: Floats, terms: Terms) -> Floats:
    """The gain per case, in bits where entropy is at work."""
    unit = BITS if terms.impurity == impurity.CODES["entropy"] else 1.0
    return np.where(improvement > 0, improvement * unit / weights, NO_GAIN)
