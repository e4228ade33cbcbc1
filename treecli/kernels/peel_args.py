"""The argument object of the kernel that peels nodes; peel_args.pxd declares the same fields with their C types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.kernels.args import At, Found, Order, Plan, Scratch, Tables
    from treecli.kernels.mixed_args import Columns, Subtrees, Work

    Codes = NDArray[np.int32]
    Indices = NDArray[np.int64]


if not cython.compiled:  # compiled modules cimport these from the .pxd file
    # Values of Chain.branch.
    REMAINS, GONE = -1, -2


@cython.cclass
class Chain:
    """A node that loses few cases at a time, with what is known of the remaining ones.

    Cases are numbered from 0 in the order of their places. Labels are numbered through all nominal attributes: those of
    the attribute in column s begin at first_label[s].
    """

    work: Work
    columns: Columns
    nodes: Subtrees
    at: At
    plan: Plan
    found: Found
    scratch: Scratch
    n_cases: int
    """At the beginning."""
    order: Order
    """The remaining cases sorted by each ordered attribute: that in slot s from s * n_cases + begin[s] on."""
    begin: Indices
    first_label: Indices
    tables: Tables
    """The outcomes and the number of the remaining cases with each label."""
    n_occurring: Indices
    """The number of labels that occur, by column."""
    case: Codes
    """The first case of each label, -1 without."""
    next_case: Codes
    """The next case with the same label, by column and case, -1 after the last; cases that have left remain listed."""
    listed: Codes
    """The labels of an attribute that are scored, in their order, from its first label on; others equal one of them."""
    n_listed: Indices
    """By column."""
    n_listed_first: Indices
    """By column: how many labels were listed when equal ones were last looked for."""
    before: Codes
    """The label before each among equal ones, -1 for the first, which is listed."""
    after: Codes
    last: Codes
    """The last label that equals a listed one; valid while equal labels are looked for."""
    leader: Codes
    """The listed label that each label equals; valid while equal labels are looked for."""
    branch: Codes
    """Of each case: the child that it has left for, REMAINS, or GONE if that child is a leaf."""
    leaving: Codes
    """The cases that leave."""
    child: Indices
    """The open children that cases have left for: node, number of cases, depth, number of live attributes."""
    place: Indices
    """Room for a number for each child."""
