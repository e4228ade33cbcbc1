"""The labels at even places against those at odd ones, at every node that has both."""

from __future__ import annotations

import numpy as np

from treecli.grow.candidates import Candidates, CountTables, empty_test
from treecli.kernels.args import Plan


def best(tables: CountTables, plan: Plan) -> Candidates:
    """The split by parity; its gain is 1 where labels of both kinds occur."""
    n = len(tables.weights)
    node = np.repeat(np.arange(n), np.diff(tables.start))
    n_odd = np.bincount(node, tables.code % 2, n)
    has_both = (n_odd > 0) & (n_odd < np.diff(tables.start))
    table = np.broadcast_to(np.arange(tables.n_labels, dtype=np.int32) % 2, (n, tables.n_labels))
    return Candidates(
        "parity",
        np.where(has_both, 1.0, -np.inf),
        np.ones(n),
        empty_test(n),
        n_branches=np.full(n, 2, np.int32),
        missing_to=np.full(n, -1, np.int32),
        parts_missing=np.zeros(n, bool),
        table=table,
    )
