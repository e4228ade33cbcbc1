"""Argument objects of the optimal search; optimal_args.pxd declares the same fields with their C types.

Sets of cases are bit sets. The cases of one class and weight fill whole words, a segment, so that class counts are
counts of bits in a range of words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int32]
    Indices = NDArray[np.int64]
    Bytes = NDArray[np.uint8]
    Signs = NDArray[np.int8]
    Words = NDArray[np.uint64]


@cython.cclass
class Problem:
    """The tests and the cases of one search; threads share it."""

    tests: Words
    """By test: the set of cases for which it holds."""
    is_nested: Bytes
    """By test: whether it holds wherever the test before it holds."""
    segment_end: Codes
    """By segment: the word after its last."""
    segment_class: Codes
    segment_weight: Indices
    """The weight of a case in errors."""
    segment_cost: Indices
    """The most that a wrong label of a case costs."""
    segment_size: Floats
    """The size of a case in min_leaf and min_split."""
    minority: Words
    """The cases that are wrong in every tree: others with the same values weigh more."""
    costs: Indices
    """By class and label: the factor of the weight if the label is predicted; used if has_costs."""
    n_classes: int
    has_costs: bool
    is_free: bool
    """Whether every case alone may be a leaf."""
    min_leaf: float
    min_split: float
    leaf_fee: int
    """The value of a leaf without errors."""


@cython.cclass
class Room:
    """Working space of one thread."""

    sets: Words
    """By depth: the cases of the problem that is solved there."""
    tree: Codes
    """By depth: the best tree of that problem, then by depth a tree that is tried.

    An entry is the test of node i, whose children are 2 i + 1 and 2 i + 2; negative at leaves.
    """
    order: Codes
    """By depth: the tests of that problem, those with the best trees of two levels first."""
    hint: Indices
    """By depth and place in the order: the value of that tree of two levels."""
    left_bound: Indices
    """By depth and place: a lower bound on the value of the side where the test holds; 0 if there is none."""
    right_bound: Indices
    n_open: Indices
    """By depth: the number of tests in the order."""
    stop: Bytes
    """Set by another thread to end the search."""
    n_solved: int
    """How many trees of two levels were solved."""

    rows: Words
    """This and the following are of the last call of solve_pairs: by place, the cases for which a test holds."""
    test: Codes
    count: Indices
    """By place and class: the weight of the cases for which a test holds."""
    size: Floats
    left: Indices
    """By place: the least value of the side where the test holds, and the test there."""
    left_test: Codes
    right: Indices
    right_test: Codes
    value: Indices
    word: Codes
    """The words of the set that are not empty."""
    segment: Codes
    """The segments with such words, and where these begin and end."""
    segment_begin: Codes
    segment_end: Codes
    n_tests: int
    n_segments: int
    n_words: int
    node_count: Indices
    node_size: float
    cell: Indices
    """Scratch: class weights of both tests true, only the first, only the second, none."""


@cython.cclass
class Memory:
    """A hash table of solved problems, with open addressing; without slots it keeps nothing."""

    key: Words
    """By slot: the set of cases."""
    depth: Signs
    """By slot: the depth of the problem; 0 if the slot is free."""
    value: Indices
    """By slot: the least value if is_exact, otherwise a lower bound."""
    is_exact: Bytes
    tree: Codes
    """By slot: the best tree, if is_exact."""
    n_kept: int
    n_found: int
