"""Argument objects of the kernels for mixed data, in addition to those in args."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cython

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.kernels.args import Cases, Labels, Moves, Order, Sent, Tables
    from treecli.kernels.forest_args import Bag, Ranked
    from treecli.kernels.surrogate_args import Surrogates

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int32]
    Indices = NDArray[np.int64]
    Bytes = NDArray[np.uint8]


@cython.cclass
class Columns:
    """The attributes: an ordered one has its order at slot[a] * stride, a nominal one its codes in column slot[a].

    `n_labels` is negative for ordered attributes. The first of `live` are the attributes that may split a node.
    """

    live: Codes
    slot: Codes
    n_labels: Codes
    stride: int
    labels: Labels
    tables: Tables
    label: Codes
    """The label that splits off best, for each attribute."""
    most_listed: int
    """The table of one label against the rest is as long as there are labels up to this number, and sparse above it."""
    least_peeled: int
    """The least number of cases of a node that is peeled."""
    score: Floats
    """Room for a number for each label."""
    spare: Indices
    """Room for a number for each label."""
    are_whole: bool
    """The weights of all cases are whole numbers."""


@cython.cclass
class Subtrees:
    """Nodes that have been made, in the order in which they were made; a leaf has the attribute -1.

    The children of an inner node follow each other. `neighbour` are the values on both sides of a cut, `cost` is what
    the choice of a threshold costs, `table` holds the tables from labels to branches.
    """

    attribute: Codes
    parts_missing: Bytes
    neighbour: Floats
    missing_to: Codes
    first_child: Codes
    n_branches: Codes
    cost: Floats
    table_start: Indices
    table: Codes
    outcomes: Floats


@cython.cclass
class Work:
    """The pending work; `progress` holds the numbers of pending nodes, nodes and table entries.

    Each pending node has its number, the first and the last place of its cases, its depth, the number of live
    attributes, whether its weights are whole, and how many splits in a row it has lost few cases by.
    """

    progress: Indices
    pending: Indices
    pending_key: Any
    """By pending node: the random choices at a node follow from its key."""
    draws: bool
    """Attributes are drawn at each node; the numbers of the drawn ones are sorted there, from the ranks of all rows."""
    bag: Bag
    """Where attributes are drawn: the scratch arrays for drawing and sorting."""
    ranked: Ranked
    begin_of_child: Indices
    place: Indices
    """Room for a number for each child."""
    cases: Cases
    order: Order
    sent: Sent
    moves: Moves
    surrogates: Surrogates
    """Where surrogates send missing values: those of the nodes that are made, and scratch."""
