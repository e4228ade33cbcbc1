"""Argument objects of the kernels that grow forests; forest_args.pxd declares the same fields with their C types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cython

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int32]
    Indices = NDArray[np.int64]
    Bytes = NDArray[np.uint8]


@cython.cclass
class Ranked:
    """The columns of all rows, which all trees share; nothing changes them.

    The rank of a number is its place among the distinct values of its column, that of a label is its code. A missing
    value has the rank after the last.
    """

    rank: Any
    """By attribute and row."""
    n_ranks: Codes
    n_labels: Codes
    """Negative for ordered attributes."""
    has_missing: Bytes
    value: Floats
    """The distinct values of the ordered attributes, one attribute after the other."""
    first_value: Indices
    """Where those of an attribute begin."""
    order: Any
    """By ordered attribute: the rows with a value in ascending order, doubled, plus 1 if the value differs from that of
    the row before."""
    n_known: Indices
    slot: Codes
    """The row of `order` of each ordered attribute."""
    target: Floats
    """A numeric target."""


@cython.cclass
class Bag:
    """The cases of one tree, grouped by node, and the scratch arrays of the thread that grows it.

    A case is one number: its row above its weight and its class. Once a node is small, the ranks of its cases are
    copied side by side into `block`, and rows are numbered within it.
    """

    case: Any
    spare: Any
    is_numeric: bool
    """The target is numeric: cases are rows only."""
    class_bits: int
    weight: Floats
    """The weight of each row, for a numeric target."""
    key: Any
    """The sorted cases of an attribute: rank, weight and class, or rank and place in the node for a numeric target."""
    spare_key: Any
    small: Codes
    block: Any
    """By attribute: the ranks of the cases of a node, `in_large` at most, then those of a node below it."""
    in_large: int
    in_small: int
    payload_of_row: Any
    """Weight and class of each row of a large node; 0 for all others, also before and after a kernel runs."""
    digit: Indices
    draws: Codes
    """The attributes in ascending order, before and after a kernel runs."""
    drawn: Codes
    """The attributes drawn at the node; each has its place here in `Found`.

    One that may split the node stands after all that have smaller numbers.
    """
    is_drawn: Bytes
    """By attribute; 0 before and after a kernel runs."""
    known: Indices
    """The class weights of the cases with a value."""
    left: Indices
    right: Indices
    pending: Indices
    pending_key: Any
    progress: Indices
    """The numbers of pending nodes, nodes and table entries."""
    decrease: Floats
    """By node, where values are missing: the decrease of impurity times weight among the others; NaN elsewhere."""
    information: Floats
    """By node, where values are missing: the split information times the node's weight."""
    lower: Codes
    """By drawn attribute: the rank below the best cut."""
    upper: Codes
    """By drawn attribute: the rank above the best cut."""
    n_known: Indices
    """By drawn attribute: the cases of the node that have a value."""
    balance: Floats
    """By drawn attribute: how much more the cases with a value on the right of the best split weigh than the others."""
    count: Indices
    """By label and class, then for missing values: weights of cases; 0 before and after a kernel runs."""
    moment: Floats
    """For a numeric target: the differences of the node's cases from its mean, and their weights."""
    own: Floats
    """For a numeric target: target and weight of the rows of the block."""


@cython.cclass
class Here:
    """The node that is being split, an attribute, and the split on it."""

    node: int
    lo: int
    """The place of its first case."""
    hi: int
    """The place after its last case."""
    middle: int
    """The place of the first case of the right branch, once the cases are parted."""
    is_local: bool
    """Its rows are numbered within the block."""
    attribute: int
    lower: int
    """The greatest rank that takes the left branch."""
    least: int
    """The least rank of the attribute among the cases that have a value."""
    most: int
    """The greatest one."""
    table: int
    """Where the branches of the labels begin in the table of all nodes."""
    missing_to: int
    child: int
    """The number of the left branch; the right one follows."""


@cython.cclass
class TreeArrays:
    """The arrays of a tree, and scratch with room for all of its nodes."""

    kind: Any
    attribute: Codes
    missing_to: Codes
    first_child: Codes
    n_branches: Codes
    table_start: Indices
    table: Codes
    outcomes: Floats
    level: Codes
    """Scratch: the level of each node, by its number in the order in which it was made."""
    next_place: Codes
    """Scratch, by level: where its next node is put."""
    next_child: Codes
    """Scratch, by level: where the next child of its nodes is put."""
    next_table: Codes
    """Scratch, by level: where the next table of its nodes begins."""
    cut: Codes
    """The nodes that ask about a number."""
    lower: Floats
    """The values below their cuts."""
    upper: Floats
