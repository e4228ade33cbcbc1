"""Labels with similar class distributions share a branch, as in CHAID (Kass 1980).

The resulting split is a `subset`, or intervals if the labels are ordered.
"""

from __future__ import annotations

import numpy as np

from treecli.grow.candidates import Candidates, CountTables, Floats, Indices, Test, room_for_cuts
from treecli.kernels import merge_labels, score_groups
from treecli.kernels.args import At, Plan, Scratch
from treecli.kernels.codes import NO_BRANCH
from treecli.nominal._multiplier import log_multiplier


def best(tables: CountTables, plan: Plan, *, is_ordered: bool = False) -> Candidates:
    """Return the split with one branch per merged group of labels at every node.

    The p-values of the tests are multiplied by the number of ways to merge the labels into that many groups.
    `is_ordered`: only adjacent labels are merged, and a label that does not occur at a node joins the one below it.
    """
    n_nodes, n_entries = len(tables.weights), np.diff(tables.start)
    most, n_classes = int(n_entries.max(initial=1)), tables.outcomes.shape[1]
    group, n_groups = np.empty(len(tables.code), np.int32), np.empty(n_nodes, np.int64)
    limits = merge_labels.Limits(
        is_ordered=is_ordered,
        missing_code=tables.n_labels,
        alpha=plan.merge_alpha,
        min_leaf=plan.min_leaf,
        min_rows=plan.min_rows,
        tolerance=plan.tolerance,
    )
    groups = merge_labels.Groups(
        pooled=np.empty((most, n_classes)),
        table=np.empty((most, n_classes)),
        weight=np.empty(most),
        rows=np.empty(most, np.int64),
        joined_to=np.empty(most, np.int64),
        partner=np.empty(most, np.int64),
        chi2=np.empty(most),
        freedom=np.empty(most, np.int64),
    )
    merge_labels.merge(tables.start, tables.code, tables.outcomes, tables.n_rows, limits, groups, group, n_groups)
    node = np.repeat(np.arange(n_nodes), n_entries)
    start = np.concatenate([[0], np.cumsum(n_groups)])
    merged_entry = start[node] + group
    outcomes, n_rows = np.zeros((int(start[-1]), n_classes)), np.zeros(int(start[-1]), np.int64)
    np.add.at(outcomes, merged_entry, tables.outcomes)
    np.add.at(n_rows, merged_entry, tables.n_rows)
    found, scratch = room_for_cuts(n_nodes), Scratch()
    scratch.sums = np.empty((score_groups.SCRATCH_ROWS, n_classes))
    of_groups = CountTables(tables.n_labels, start, np.empty(0, np.int32), outcomes, n_rows, tables.weights)
    score_groups.multiway(of_groups.args(), At(), plan, found.args(), scratch)
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
        found.gain,
        found.split_info,
        Test(found.test.chi2, found.test.freedom, _log_multipliers(tables, n_groups, is_ordered=is_ordered)),
        n_branches=n_groups.astype(np.int32),
        missing_to=missing_to,
        parts_missing=parts_missing,
        table=by_label,
    )


def _log_multipliers(tables: CountTables, n_groups: Indices, *, is_ordered: bool) -> Floats:
    """Return the logarithm of the multiplier of every node's p-value."""
    sizes = zip(np.diff(tables.start).tolist(), n_groups.tolist(), tables.holds_missing().tolist(), strict=True)
    return np.array(
        [log_multiplier(n, left, is_ordered=is_ordered, is_floating=is_floating) for n, left, is_floating in sizes]
    )
