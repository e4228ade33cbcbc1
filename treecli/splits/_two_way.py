"""Grouping of nominal labels into two branches, shared by the kinds that do so."""

from __future__ import annotations

import numpy as np

from treecli.candidates import Candidates, CountTables, Floats, Indices, Terms, empty_test
from treecli.kernels import score_groups

MISSING_BRANCH = 1
"""The branch of missing values if a split separates known values from missing ones."""


def two_way(
    kind: str,
    tables: CountTables,
    terms: Terms,
    *,
    is_one_against_rest: bool = False,
    n_exhaustive: int = 0,
    score: Floats | None = None,
) -> Candidates:
    """The best grouping: one label against the rest, among all groupings, or among the cuts of a score."""
    n_nodes = len(tables.weights)
    gain, split_info, test = np.empty(n_nodes), np.empty(n_nodes), empty_test(n_nodes)
    # One more column than labels, for missing values that count as a label.
    table = np.empty((n_nodes, tables.n_labels + 1), np.int32)
    score_groups.two_way(
        tables.start,
        tables.code,
        _order(tables, score),
        tables.outcomes,
        tables.n_rows,
        tables.weights,
        terms.impurity,
        terms.is_numeric,
        terms.min_leaf,
        terms.min_rows,
        terms.tolerance,
        is_one_against_rest,
        terms.by_ratio,
        n_exhaustive,
        terms.wants_chi2,
        np.empty((score_groups.SCRATCH_ROWS, tables.outcomes.shape[1])),
        table,
        gain,
        split_info,
        test.chi2,
        test.freedom,
    )
    by_label, missing_to = np.ascontiguousarray(table[:, :-1]), table[:, -1].copy()
    is_alone = (by_label != missing_to[:, None]).all(axis=1) & (missing_to >= 0)
    missing_to[is_alone] = MISSING_BRANCH
    if is_one_against_rest:
        # Labels that do not occur at the node belong to the rest.
        by_label[by_label < 0] = 1
    return Candidates(
        kind,
        gain,
        split_info,
        test,
        n_branches=np.full(n_nodes, 2, np.int32),
        missing_to=missing_to,
        parts_missing=is_alone,
        table=by_label,
    )


def _order(tables: CountTables, score: Floats | None) -> Indices:
    """The entries of each node by score, equal ones by label."""
    order = np.arange(len(tables.code))
    if score is not None:
        score_groups.order_by(tables.start, score, np.empty_like(order), order)
    return order
