"""Labels with similar class distributions share a branch, as in CHAID (Kass 1980).

A search for splits, not a kind: it finds a `subset`, or intervals if the labels have an order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treecli.candidates import Candidates, CountTables, Floats, Indices, Terms


def best(tables: CountTables, terms: Terms, *, is_ordered: bool = False) -> Candidates:
    """One branch for each remaining group of labels, at every node.

    The p-values of the tests must be multiplied by the number of ways to merge the labels into that many groups.
    `is_ordered`: only neighbours are merged, and a label that does not occur at a node belongs to the one below it.
    """
    import numpy as np

    from treecli.candidates import Candidates, Test
    from treecli.kernels import merge_labels, score_groups
    from treecli.splits import NO_BRANCH

    n_nodes, n_entries = len(tables.weights), np.diff(tables.start)
    most, n_classes = int(n_entries.max(initial=1)), tables.outcomes.shape[1]
    group, n_groups = np.empty(len(tables.code), np.int32), np.empty(n_nodes, np.int64)
    merge_labels.merge(
        tables.start,
        tables.code,
        tables.outcomes,
        tables.n_rows,
        is_ordered,
        tables.n_labels,
        terms.merge_alpha,
        terms.min_leaf,
        terms.min_rows,
        terms.tolerance,
        np.empty((most, n_classes)),
        np.empty((most, n_classes)),
        np.empty(most),
        *(np.empty(most, np.int64) for _ in range(3)),
        np.empty(most),
        np.empty(most, np.int64),
        group,
        n_groups,
    )
    node = np.repeat(np.arange(n_nodes), n_entries)
    start = np.concatenate([[0], np.cumsum(n_groups)])
    merged_entry = start[node] + group
    outcomes, n_rows = np.zeros((int(start[-1]), n_classes)), np.zeros(int(start[-1]), np.int64)
    np.add.at(outcomes, merged_entry, tables.outcomes)
    np.add.at(n_rows, merged_entry, tables.n_rows)
    gain, split_info, chi2 = np.empty(n_nodes), np.empty(n_nodes), np.empty(n_nodes)
    freedom = np.empty(n_nodes, np.int64)
    score_groups.multiway(
        start,
        outcomes,
        n_rows,
        tables.weights,
        terms.impurity,
        terms.is_numeric,
        terms.min_leaf,
        terms.min_rows,
        terms.tolerance,
        terms.wants_chi2,
        np.empty((score_groups.SCRATCH_ROWS, n_classes)),
        gain,
        split_info,
        chi2,
        freedom,
    )
    # One more column than labels, for missing values that count as a label.
    table = np.full((n_nodes, tables.n_labels + 1), NO_BRANCH, np.int32)
    table[node, tables.code] = group
    by_label, missing_to = np.ascontiguousarray(table[:, :-1]), table[:, -1].copy()
    parts_missing = (n_groups == 2) & (missing_to == 1) & (by_label.max(axis=1, initial=NO_BRANCH) == 0)
    if is_ordered:
        np.maximum.accumulate(by_label, axis=1, out=by_label)
        np.maximum(by_label, 0, out=by_label)
    return Candidates(
        "bins" if is_ordered else "subset",
        gain,
        split_info,
        Test(chi2, freedom, _log_multipliers(tables, n_groups, is_ordered=is_ordered)),
        n_branches=n_groups.astype(np.int32),
        missing_to=missing_to,
        parts_missing=parts_missing,
        table=by_label,
    )


def _log_multipliers(tables: CountTables, n_groups: Indices, *, is_ordered: bool) -> Floats:
    """The logarithm of the multiplier of every node's p-value."""
    import numpy as np

    from treecli.splits._multiplier import log_multiplier

    sizes = zip(np.diff(tables.start).tolist(), n_groups.tolist(), tables.holds_missing().tolist(), strict=True)
    return np.array(
        [log_multiplier(n, left, is_ordered=is_ordered, is_floating=is_floating) for n, left, is_floating in sizes]
    )
