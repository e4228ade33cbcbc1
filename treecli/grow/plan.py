"""The plan: all rules for growing one tree, resolved once from the settings and the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treecli import plugins, priors
from treecli.criteria import criterion_for
from treecli.errors import DataError, UsageError
from treecli.grow import bins, groupings
from treecli.kernels import codes, drawing, impurity
from treecli.kernels.args import Plan
from treecli.options.sampling import ALL, n_features
from treecli.settings.growing import ARITHMETICS, MEDIANS
from treecli.settings.searching import GREEDY

if TYPE_CHECKING:
    from treecli.criteria import Criterion
    from treecli.data import Dataset, Schema
    from treecli.grow.candidates import Flags, Floats
    from treecli.grow.coded import CodedData
    from treecli.missing import Policy
    from treecli.settings import Settings

DEEPEST = np.iinfo(np.int64).max
"""Stands for no limit on the depth."""

PURE_SHARE = 1e-12
"""A numeric target is constant at a node if its variance is at most this share of the root's variance."""

MOST_KEPT = 1 << 16
"""The limit of the table of n log2 n: a larger one would not stay in the processor's cache."""

CODES = {
    "sums": codes.SUMS,
    "shares": codes.RPART,
    "remainders": codes.SKLEARN,
    "c45": codes.C45,
    "c50": codes.C50,
}

OTHER_ARITHMETIC = -1
"""The code of an arithmetic that no kernel has; accelerators refuse it."""

NOMINAL = {
    "multiway": codes.MULTIWAY,
    "binary": codes.ONE_AGAINST_REST,
    "subset": codes.GROUPS,
    "merged": codes.MERGED,
}


def plan_of(settings: Settings, dataset: Dataset | CodedData) -> Plan:
    """Return the plan for these settings and data; `open_root` sets the fields that depend on the root."""
    schema = dataset.schema
    _, criterion = criterion_for(settings, schema)
    policy: Policy = plugins.load("missing", settings.missing.policy).POLICY
    _check(settings, dataset, criterion, policy)
    arithmetic = arithmetic_used(settings, dataset)
    is_judged = settings.predicting.priors is not None or settings.predicting.costs is not None
    plan = Plan()
    plan.settings, plan.criterion, plan.policy, plan.remarks = settings, criterion, policy, []
    plan.impurity = codes.IMPURITIES[criterion.impurity]
    plan.arithmetic = CODES.get(arithmetic, OTHER_ARITHMETIC)
    takes_medians = plan.impurity == codes.ABSOLUTE
    plan.scorer = plugins.load("scorers", MEDIANS if takes_medians else ARITHMETICS.get(arithmetic, arithmetic))
    plan.grouping = plugins.load("nominal", settings.splitting.nominal)
    plan.rank = _rank(criterion)
    plan.nominal = NOMINAL.get(settings.splitting.nominal, codes.OTHER_GROUPS)
    plan.is_numeric = not schema.is_classification
    plan.tolerance = settings.computing.tolerance
    # Priors change weights, so weights do not measure a node's size.
    plan.counts_rows = settings.stopping.counts_rows or plan.arithmetic == codes.RPART or is_judged
    plan.min_leaf = 0.0 if plan.counts_rows else settings.stopping.min_leaf
    plan.min_rows = settings.stopping.min_leaf if plan.counts_rows else 0.0
    least = 2 * settings.stopping.min_leaf if settings.stopping.min_split is None else settings.stopping.min_split
    plan.least_split = least - settings.computing.tolerance
    plan.max_depth = _max_depth(settings)
    plan.min_gain = (
        -np.inf if settings.stopping.min_gain is None else settings.stopping.min_gain - settings.computing.tolerance
    )
    plan.gain_of_all = settings.stopping.gain_of_all
    plan.zero_gain = settings.stopping.zero_gain
    plan.least_share = settings.stopping.least_share
    plan.value_gap = settings.splitting.value_gap
    plan.branch_share, plan.most_branch_share = settings.splitting.branch_share, settings.splitting.most_branch_share
    plan.cut_cost = settings.splitting.cut_cost
    is_measured = plan.arithmetic == codes.RPART
    plan.n_exhaustive = groupings.most_exhaustive(settings, is_measured=is_measured)
    plan.budget = groupings.budget(settings, schema)
    plan.merge_alpha = settings.splitting.merge_alpha
    plan.chi2_alpha = np.inf if settings.stopping.chi2_alpha is None else settings.stopping.chi2_alpha
    plan.wants_chi2 = settings.stopping.chi2_alpha is not None or criterion.is_test
    plan.missing_is_value = policy.is_value
    plan.spreads = policy.spreads
    plan.missing_to = codes.STAYS if policy.stays else codes.SPREAD
    plan.by_surrogates = policy.by_surrogates
    plan.is_strict = settings.splitting.is_strict
    plan.is_single = settings.predicting.single_precision
    plan.is_scaled = is_judged and plan.arithmetic != codes.RPART
    plan.is_counted = counts_in_average(settings, schema, dataset.n_rows).astype(np.uint8)
    plan.n_sampled = n_features(settings.sampling.features, len(schema.attributes))
    plan.most_drawn = len(schema.attributes) if settings.sampling.redraw else plan.n_sampled
    plan.tree_key = drawing.root_key(settings.computing.seed, 0)
    return plan


def arithmetic_used(settings: Settings, dataset: Dataset | CodedData) -> str:
    """Return the arithmetic that the settings ask for, or sums if that does not support the settings or the weights."""
    return "sums" if arithmetic_refusal(settings, dataset) else settings.computing.arithmetic


def arithmetic_refusal(settings: Settings, dataset: Dataset | CodedData) -> str | None:
    """Return why the arithmetic that the settings ask for cannot be used; None if it can."""
    _, criterion = criterion_for(settings, dataset.schema)
    if settings.searching.search != GREEDY and settings.computing.arithmetic != "sums":
        return f"--search {settings.searching.search} compares sums"
    arithmetic = settings.computing.arithmetic
    scorer = plugins.load("scorers", ARITHMETICS.get(arithmetic, arithmetic))
    reason: str | None = scorer.refuses(settings, criterion, plugins.load("missing", settings.missing.policy).POLICY)
    if reason is None and float(dataset.weights.sum()) >= getattr(scorer, "MOST_WEIGHT", np.inf):
        reason = "the weights are too large for 32-bit floats"
    return reason


def open_root(plan: Plan, outcomes: Floats, n_cases: int, schema: Schema) -> None:
    """Set the fields that depend on the root; `outcomes` are the root's, in the tree's format."""
    settings = plan.settings
    weight = np.empty(1)
    impurity.totals(outcomes, plan.is_numeric, weight)
    plan.root_weight = float(weight[0])
    usual = PURE_SHARE * outcomes[0, -1] / max(plan.root_weight, 1.0)
    plan.least_variance = usual
    plan.pure_deviance = usual if settings.stopping.pure_impurity is None else settings.stopping.pure_impurity
    scale = [1.0]
    if schema.is_classification:
        scale = priors.altered_scale(
            settings.predicting.priors, settings.predicting.costs, schema.target.labels, outcomes[0].tolist()
        )
    plan.class_scale = np.array(scale)
    plan.alpha = (
        -np.inf if settings.stopping.cp is None else settings.stopping.cp * risks(plan, outcomes, outcomes, schema)[0]
    )
    plan.xlog2_of = np.empty(min(n_cases, MOST_KEPT) + 1)
    impurity.fill_xlog2(plan.xlog2_of)


def risks(plan: Plan, outcomes: Floats, root: Floats, schema: Schema) -> Floats:
    """Return the risk (expected cost) of nodes as leaves, with the priors and costs of the settings."""
    settings = plan.settings
    if plan.is_numeric:
        return outcomes[:, codes.DEVIANCE]
    if settings.predicting.costs is None and settings.predicting.priors is None:
        return np.asarray(outcomes.sum(axis=1) - outcomes.max(axis=1))
    labels = schema.target.labels
    costs = 1.0 - np.eye(len(labels)) if settings.predicting.costs is None else np.array(settings.predicting.costs)
    scaled = outcomes * priors.class_scale(settings.predicting.priors, labels, root[0].tolist())
    return np.asarray((scaled @ costs).min(axis=1))


def _rank(criterion: Criterion) -> int:
    if criterion.is_test:
        return codes.BY_TEST
    if criterion.merit is not None:
        return codes.BY_PYTHON
    return codes.BY_RATIO if criterion.is_ratio else codes.BY_GAIN


def _max_depth(settings: Settings) -> int:
    depths = [DEEPEST]
    if settings.stopping.max_depth is not None:
        depths.append(settings.stopping.max_depth)
    if settings.stopping.max_leaves is not None:
        depths.append(settings.stopping.max_leaves - 1)
    return min(depths)


def counts_in_average(settings: Settings, schema: Schema, n_rows: int) -> Flags:
    """Return whether each attribute counts in the average gain: not if it has very many labels, unless all have."""
    share = settings.splitting.many_labels
    if share is None:
        return np.ones(len(schema.attributes), bool)
    is_counted = np.array([a.is_numeric or len(a.labels) < share * n_rows for a in schema.attributes])
    return is_counted if is_counted.any() else ~is_counted


def _check(settings: Settings, dataset: Dataset | CodedData, criterion: Criterion, policy: Policy) -> None:
    """Raise an error if the settings cannot be applied to the data."""
    schema = dataset.schema
    name = schema.target.name
    if settings.stopping.chi2_alpha is not None and not schema.is_classification:
        raise UsageError(
            f"--chi2-alpha tests whether branches differ in their classes, but '{name}' is numeric",
            f"leave it out, or say --type {name}=nominal",
        )
    if criterion.impurity == "absolute" and settings.splitting.nominal not in NOMINAL:
        raise UsageError(
            f"--nominal {settings.splitting.nominal} and --criterion absolute exclude each other",
            "use --criterion variance",
        )
    if policy.is_refused:
        refuse_missing(dataset)
    if settings.splitting.splits and settings.predicting.single_precision:
        raise UsageError(
            f"--splits {','.join(settings.splitting.splits)}: derived columns are not rounded to 32 bits",
            "leave out --like sklearn",
        )
    if settings.sampling.features != ALL and settings.inputs.force is not None:
        raise UsageError(
            "--features and --force exclude each other: a forced attribute may not be drawn",
            "leave one of them out; for a forest say --features all",
        )
    bins.check(settings, schema, criterion.impurity)
    if settings.predicting.priors is not None or settings.predicting.costs is not None:
        priors.check(settings.predicting.priors, settings.predicting.costs, schema.target.labels)


def refuse_missing(dataset: Dataset | CodedData) -> None:
    """Raise DataError if a value is missing."""
    for index, attribute in enumerate(dataset.schema.attributes):
        n_missing = dataset.n_missing(index)
        if n_missing:
            raise DataError(
                f"'{attribute.name}' is missing in {n_missing} of {dataset.n_rows} rows; --missing error allows none",
                "choose another way for --missing, or leave the column out with -x",
            )
