"""One branch per label."""

from __future__ import annotations

import numpy as np

from treecli.grow.candidates import Candidates, CountTables, room_for_cuts
from treecli.kernels import score_groups
from treecli.kernels.args import At, Plan, Scratch


def best(tables: CountTables, plan: Plan) -> Candidates:
    """Return the split with one branch per label, at every node where at least two branches hold enough cases."""
    n_nodes = len(tables.weights)
    found, scratch = room_for_cuts(n_nodes), Scratch()
    scratch.sums = np.empty((score_groups.SCRATCH_ROWS, tables.outcomes.shape[1]))
    score_groups.multiway(tables.args(), At(), plan, found.args(), scratch)
    with_missing = tables.holds_missing()
    return Candidates(
        "multiway",
        found.gain,
        found.split_info,
        found.test,
        n_branches=(tables.n_labels + with_missing).astype(np.int32),
        missing_to=np.where(with_missing, tables.n_labels, -1).astype(np.int32),
        parts_missing=np.zeros(n_nodes, bool),
        table=np.broadcast_to(np.arange(tables.n_labels, dtype=np.int32), (n_nodes, tables.n_labels)),
    )
