"""The best grouping of labels into two branches."""

from __future__ import annotations

import numpy as np

from treecli.grow.candidates import Candidates, CountTables, Floats, Indices, room_for_cuts
from treecli.kernels import order_labels, score_groups
from treecli.kernels.args import At, Plan, Scratch
from treecli.kernels.codes import ONE_AGAINST_REST

MISSING_BRANCH = 1
"""The branch of missing values, if the split separates them from known values."""


def two_way(
    name: str, tables: CountTables, kind: int, plan: Plan, *, n_exhaustive: int = 0, score: Floats | None = None
) -> Candidates:
    """Return the best grouping: of one label against the rest, of all groupings, or of cuts in the order of a score.

    `name` is the resulting kind of split.
    """
    n_nodes = len(tables.weights)
    found, scratch, args = room_for_cuts(n_nodes), Scratch(), tables.args()
    scratch.sums = np.empty((score_groups.SCRATCH_ROWS, tables.outcomes.shape[1]))
    scratch.slots = np.zeros(score_groups.SLOTS, np.int64)
    # One column more than labels, for missing values that count as a label.
    table = np.empty((n_nodes, tables.n_labels + 1), np.int32)
    args.kind, args.n_exhaustive, args.order, args.table = kind, n_exhaustive, _order(tables, score), table
    score_groups.two_way(args, At(), plan, found.args(), scratch)
    by_label, missing_to = np.ascontiguousarray(table[:, :-1]), table[:, -1].copy()
    is_alone = (by_label != missing_to[:, None]).all(axis=1) & (missing_to >= 0)
    missing_to[is_alone] = MISSING_BRANCH
    if kind == ONE_AGAINST_REST:
        # Labels that do not occur at the node belong to the rest.
        by_label[by_label < 0] = 1
    return Candidates(
        name,
        found.gain,
        found.split_info,
        found.test,
        n_branches=np.full(n_nodes, 2, np.int32),
        missing_to=missing_to,
        parts_missing=is_alone,
        table=by_label,
    )


def _order(tables: CountTables, score: Floats | None) -> Indices:
    """Return the entries of each node sorted by score, then by label; two stay as they are, for there is one cut."""
    order = np.arange(len(tables.code))
    if score is not None:
        order_labels.order_by(tables.start, score, np.empty_like(order), order)
        first_of_two = tables.start[:-1][np.diff(tables.start) == 2]
        order[first_of_two], order[first_of_two + 1] = first_of_two, first_of_two + 1
    return order
