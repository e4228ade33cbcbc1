"""Room for peeling: splitting a node that loses few cases at a time, without moving the others (kernels/peel.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treecli.kernels.args import Order, Tables

if TYPE_CHECKING:
    from treecli.grow.candidates import Codes
    from treecli.kernels.args import Plan
    from treecli.kernels.peel_args import Chain

FEWEST_CASES = 128
"""Smaller nodes are not peeled: their cases are moved faster."""

NUMBERS_PER_CASE = 32
"""Counts of the outcomes of labels per case, beyond which counting takes longer than moving the cases."""

MOST_NUMBERS = 1 << 24
"""The limit on counts of the outcomes of labels."""

NEVER = int(np.iinfo(np.int64).max)


def least_peeled(plan: Plan, n_labels: Codes, n_outcomes: int) -> int:
    """Return the least number of cases of a node that is peeled; `n_labels` is negative for ordered attributes."""
    n_numbers = int(np.maximum(n_labels, 0).sum(dtype=np.int64)) * n_outcomes
    if plan.is_numeric or plan.by_surrogates or n_numbers > MOST_NUMBERS:
        return NEVER
    return max(FEWEST_CASES, n_numbers // NUMBERS_PER_CASE)


def chain_of(n_cases: int, n_labels: Codes, n_outcomes: int, value_gap: float) -> Chain:
    """Return room for peeling a node with this number of cases."""
    from treecli.kernels.peel import CHILD_COLUMNS  # few trees are peeled
    from treecli.kernels.peel_args import Chain

    chain, tables = Chain(), Tables()
    of_column = n_labels[n_labels >= 0].astype(np.int64)
    n_columns, n_ordered, n_all = len(of_column), len(n_labels) - len(of_column), int(of_column.sum())
    chain.n_cases = n_cases
    case, value = np.empty(n_ordered * n_cases, np.int32), np.empty(n_ordered * n_cases)
    chain.order = Order(case, value, np.empty(0, np.int64), value_gap)
    chain.begin = np.zeros(n_ordered, np.int64)
    chain.first_label = np.concatenate([[0], np.cumsum(of_column)])
    tables.outcomes, tables.n_rows = np.empty((n_all, n_outcomes)), np.empty(n_all, np.int64)
    chain.tables = tables
    chain.n_occurring, chain.n_listed, chain.n_listed_first = np.zeros((3, n_columns), np.int64)
    chain.case, chain.listed, chain.before, chain.after, chain.last, chain.leader = np.empty((6, n_all), np.int32)
    chain.next_case = np.empty(n_columns * n_cases, np.int32)
    chain.branch, chain.leaving = np.empty((2, n_cases), np.int32)
    # An open child has two cases or more; what remains is one more child.
    n_children = n_cases // 2 + 2
    chain.child, chain.place = np.empty((n_children, CHILD_COLUMNS), np.int64), np.empty(n_children, np.int64)
    return chain
