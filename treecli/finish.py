"""Growing in one go where nothing special is asked for: numbers, no missing values, every case of weight 1.

The same tree as level by level, several times as fast (docs/performance.md). Nodes that hold much of the data are
split one by one, their attributes shared out to threads; the subtrees below them are grown whole, shared out likewise.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from treecli.candidates import Candidates, Cuts, Floats, Indices, empty_test
from treecli.criteria import Criterion
from treecli.data import Dataset
from treecli.kernels.score_sums import NO_SIDE
from treecli.levels import as_bytes
from treecli.settings import Settings
from treecli.splits import threshold
from treecli.subtrees import ENTRY_BITS, Finisher, Nodes, row_shift
from treecli.threads import FEW_CASES, OnProgress, Shared
from treecli.tree import ALL_BRANCHES, LEAF, Tree, kinds

LARGEST_TARGET = 1e100
"""The squares of larger ones are not to be multiplied."""

MOST_EXACT = 1 << 26
"""The squares of so many cases are exact in a double, in whatever order they are added up."""

IMPURITIES = ("entropy", "gini", "variance")
MISSING = ("fractional", "majority", "branch", "error")

FREE = (
    *("criterion", "nominal", "threshold", "missing", "unseen", "max_depth", "min_split", "min_leaf", "max_leaves"),
    *("seed", "laplace", "collapse", "tolerance", "min_gain", "gain_of_all", "zero_gain", "value_gap", "branch_share"),
    *("most_branch_share", "cut_cost", "many_labels", "counts_rows", "arithmetic", "single_precision"),
    *("pure_impurity", "usual_criterion", "most_exhaustive", "merge_alpha", "blank_rows", "max_surrogates"),
    *("surrogate_slip", "insists"),
)
"""The settings that may be other than usual."""


def applies(dataset: Dataset, settings: Settings, criterion: Criterion) -> bool:
    """Whether this way can grow what is asked for."""
    if (
        criterion.impurity not in IMPURITIES
        or criterion.is_test
        or settings.splitting.threshold not in ("midpoint", "datavalue")
    ):
        return False
    usual = Settings()
    if (
        settings.changed(**{name: usual.value(name) for name in FREE}) != usual
        or settings.missing.policy not in MISSING
    ):
        return False
    if not _has_arithmetic(dataset, settings, criterion):
        return False
    schema, target = dataset.schema, dataset.target
    if target is None or not schema.attributes or not all(attribute.is_numeric for attribute in schema.attributes):
        return False
    if not 0 < len(target) <= 1 << (ENTRY_BITS - row_shift(dataset)):
        return False
    if schema.is_classification:
        is_target_known = bool((target >= 0).all())
    else:
        is_target_known = bool((np.abs(target) < LARGEST_TARGET).all())
    return (
        is_target_known
        and bool((dataset.weights == 1.0).all())
        and not any(np.isnan(column).any() for column in dataset.columns)
    )


def _has_arithmetic(dataset: Dataset, settings: Settings, criterion: Criterion) -> bool:
    is_numeric = not dataset.schema.is_classification
    if settings.computing.arithmetic == "remainders":
        from treecli import remainders

        is_all_had = (
            remainders.applies(settings, criterion) and settings.stopping.zero_gain and settings.stopping.counts_rows
        )
        return is_all_had and dataset.n_rows < MOST_EXACT
    # What a branch must hold by its share is the level-by-level way's affair where it is not about classes alone.
    is_like_c45 = settings.splitting.branch_share > 0 or settings.splitting.cut_cost
    return settings.computing.arithmetic == "sums" and not (
        is_like_c45 and (is_numeric or settings.stopping.counts_rows)
    )


def grown(
    dataset: Dataset,
    settings: Settings,
    criterion: Criterion,
    jobs: int | None,
    on_progress: OnProgress | None,
) -> tuple[Tree, Floats]:
    """The tree, and by how much each of its splits lowers the total impurity."""
    if settings.predicting.single_precision:
        dataset = dataset.in_single_precision()
    with Shared(1 if dataset.n_rows < FEW_CASES else jobs) as shared:
        finisher = Finisher(dataset, settings, criterion, shared)
        finisher.split_big_nodes()
        nodes = finisher.finish(on_progress).in_level_order()
        return _tree(nodes, dataset, settings, criterion, shared)


def _tree(
    nodes: Nodes, dataset: Dataset, settings: Settings, criterion: Criterion, shared: Shared
) -> tuple[Tree, Floats]:
    """The nodes as a tree, with thresholds where the settings want them."""
    is_inner = nodes.first_child > 0
    number = np.zeros(len(is_inner))
    tree = Tree(nodes.outcomes.shape[1])

    def set_thresholds(a: int) -> tuple[Indices, Candidates]:
        of_attribute = np.flatnonzero(nodes.attribute == a)
        column = cast("Floats", dataset.columns[a])
        found = _candidates(nodes, of_attribute, column)
        if settings.splitting.threshold == "datavalue":
            tolerance = min(settings.computing.tolerance, settings.splitting.value_gap)
            found = threshold.at_data_values(found, np.unique(column), column, tolerance)
        assert found.number is not None
        number[of_attribute] = found.number
        return of_attribute, found

    for of_attribute, found in shared.map(set_thresholds, sorted(set(nodes.attribute[is_inner].tolist()))):
        if found.printed is not None:
            for i in np.flatnonzero(found.printed != found.number).tolist():
                tree.notes[int(of_attribute[i])] = {"printed": float(found.printed[i])}
    weight = nodes.outcomes.sum(axis=1) if dataset.schema.is_classification else nodes.outcomes[:, 0]
    missing_to = np.full(len(is_inner), ALL_BRANCHES, np.int32)
    if settings.missing.policy != "fractional":
        left = nodes.first_child[is_inner]
        is_right = weight[left + 1] > weight[left]
        if settings.computing.arithmetic == "remainders" and settings.missing.policy == "branch":
            is_right |= weight[left + 1] == weight[left]
        missing_to[is_inner] = is_right
    gain, information = nodes.merit.T
    merit = gain / np.where(is_inner, information, 1.0) if criterion.is_ratio else gain
    for values, own in (
        (tree.kind, np.where(is_inner, kinds().index("threshold"), LEAF)),
        (tree.attribute, nodes.attribute),
        (tree.number, number),
        (tree.missing_to, missing_to),
        (tree.first_child, nodes.first_child),
        (tree.n_branches, np.where(is_inner, 2, 0)),
        (tree.score, np.where(is_inner, merit, 0.0)),
        (tree.outcomes, nodes.outcomes.ravel()),
    ):
        values.frombytes(as_bytes(own, values.typecode))
    for start in (tree.table_start, tree.further_start):
        start.frombytes(np.zeros(len(is_inner), np.int64).tobytes())
    return tree, np.where(is_inner, gain * weight, 0.0)


def _candidates(nodes: Nodes, chosen: Indices, column: Floats) -> Candidates:
    n = len(chosen)
    gain, information = nodes.merit[chosen].T
    lower, upper = column[nodes.neighbour[chosen]].T
    cuts = Cuts(gain, information, lower, upper, np.full(n, NO_SIDE, np.int32), empty_test(n))
    return threshold.best(cuts, None, is_ordinal=False)
