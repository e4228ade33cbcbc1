"""Argument objects of the kernels, which group related arrays and rules.

The annotations here are for readers and type checkers; args.pxd declares the same fields with their C types. Kernels
borrow the objects without counting references, so the caller must keep them alive while a kernel runs.
"""

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
class Plan:
    """All rules for growing one tree, resolved once from settings, schema and data by grow/plan.py.

    The last group of fields depends on the root and is set once its outcomes are known.
    """

    impurity: int
    arithmetic: int
    """The arithmetic: SUMS, RPART, SKLEARN, C45 or C50."""
    rank: int
    """How candidates are ranked: BY_GAIN, BY_RATIO, BY_TEST or BY_PYTHON."""
    nominal: int
    """How labels are split: MULTIWAY, ONE_AGAINST_REST, GROUPS or MERGED."""
    is_numeric: bool
    """Whether the target is numeric."""
    tolerance: float
    """Scores and weights that differ by at most this are equal."""
    min_leaf: float
    """The minimum weight of a branch; 0 if rows are counted instead."""
    min_rows: float
    """The minimum number of cases of a branch; 0 if weights are used instead."""
    least_split: float
    """The minimum weight, or number of cases, of a node to split, less the tolerance."""
    counts_rows: bool
    max_depth: int
    """Nodes at this depth are leaves."""
    min_gain: float
    """The minimum gain of a split, less the tolerance; -inf for no minimum."""
    gain_of_all: bool
    """min_gain applies to the gain times the node's share of all cases."""
    zero_gain: bool
    """Splits with zero gain are allowed."""
    least_share: float
    value_gap: float
    branch_share: float
    most_branch_share: float
    cut_cost: bool
    n_exhaustive: int
    """All groupings are tried up to this number of labels."""
    merge_alpha: float
    chi2_alpha: float
    """The largest p-value of a split; inf for no limit."""
    wants_chi2: bool
    missing_is_value: bool
    """Missing values have their own branch, or share one that the split chooses."""
    spreads: bool
    """A case with a missing value goes down all branches with fractions of its weight."""
    missing_to: int
    """SPREAD, or STAYS if a case with a missing value ends at the node."""
    by_surrogates: bool
    is_strict: bool
    """A value that equals a threshold takes the upper branch."""
    is_single: bool
    """Values are 32-bit floats."""
    is_scaled: bool
    """Impurities multiply class weights by class_scale."""
    is_counted: Bytes
    """Whether an attribute counts in the average gain of gain ratio."""
    n_sampled: int
    """How many attributes are drawn at a node to split it; all of them: none are drawn."""
    most_drawn: int
    """How many are drawn at most, where those drawn before cannot split the node."""
    tree_key: int
    """The key of the root, from which all random choices of the tree follow."""

    class_scale: Floats
    xlog2_of: Floats
    """n log2 n for the integers n below its length."""
    pure_deviance: float
    """The variance up to which a numeric target counts as constant."""
    least_variance: float
    """The variance up to which a standard deviation is 0: the root of a rounding error would be no rounding error."""
    root_weight: float
    alpha: float
    """The risk that a split must save, as in rpart; -inf for no limit."""

    settings: Any
    criterion: Any
    policy: Any
    scorer: Any
    """The module of scorers/ that searches for splits."""
    grouping: Any
    """The module of nominal/ that splits labels."""
    budget: Any
    """The remaining budget of label groupings."""
    remarks: Any
    """Sentences on how the tree is grown and why, a list that a search adds to."""


@cython.cclass
class Cases:
    """The cases of all open nodes; node i has the cases start[i] to start[i + 1] (exclusive).

    totals[i] are the node's additive outcomes: class weights or, for a numeric target, weight, sum and sum of squares
    of the differences from center[i].
    """

    start: Indices
    row: Codes
    label: Codes
    """The class of each case; 0 if the target is numeric."""
    target: Floats
    weight: Floats
    center: Floats
    totals: Floats

    def __init__(
        self, start: Indices, row: Codes, label: Codes, target: Floats, weight: Floats, center: Floats, totals: Floats
    ) -> None:
        self.start = start
        self.row = row
        self.label = label
        self.target = target
        self.weight = weight
        self.center = center
        self.totals = totals


@cython.cclass
class Order:
    """The cases of every node sorted by one column, missing values last; node i has n_known[i] known values.

    Two neighbouring values are cut only if they differ by more than `gap`.
    """

    case: Codes
    value: Floats
    n_known: Indices
    gap: float

    def __init__(self, case: Codes, value: Floats, n_known: Indices, gap: float) -> None:
        self.case = case
        self.value = value
        self.n_known = n_known
        self.gap = gap


@cython.cclass
class Tables:
    """The outcomes of each label that occurs at a node; node i has the entries start[i] to start[i + 1] (exclusive).

    weights[i] is the weight of all cases of node i, including those with missing values. `order` is the order in which
    the entries of each node are cut; `kind` is the kind of split, and nodes with up to `n_exhaustive` entries try all
    groupings. Row i of `table` is set to the branch of each label at node i.
    """

    start: Indices
    code: Codes
    outcomes: Floats
    n_rows: Indices
    weights: Floats
    order: Indices
    kind: int
    n_exhaustive: int
    table: Codes


@cython.cclass
class Found:
    """The best split of each node, or of each attribute at one node; gain is -inf if there is none."""

    gain: Floats
    split_info: Floats
    lower: Floats
    upper: Floats
    """A cut lies between `lower` and `upper`."""
    missing_side: Codes
    chi2: Floats
    freedom: Indices
    improvement: Floats
    """Gain times node weight, as computed by another program, for exact comparison."""
    first: Codes
    """The branch with the smaller mean of the target, or of the class numbers."""
    merit: Floats
    """The merit by which candidates are ranked."""
    cost: Floats
    """The bits that the choice of a threshold costs; the gain is reduced by this divided by the node's weight."""


@cython.cclass
class Labels:
    """A nominal column: the code of row r is code_of_row[first + step * r], negative if the value is missing.

    There are `n_codes` codes; missing values count as `missing_code`, or are ignored if that is negative. `entry` is
    scratch with one number per code, all negative before and after a kernel runs.
    """

    code_of_row: Codes
    first: int
    step: int
    n_codes: int
    missing_code: int
    entry: Indices


@cython.cclass
class Sent:
    """Cases with the branches that they take; the children of node i start at first_child[i].

    share[c] is child c's share of its parent's known weight; missing_to[i] is the branch of missing values.
    """

    first_child: Indices
    branch: Codes
    """The branch of each case, SPREAD or STAYS."""
    share: Floats
    missing_to: Codes
    outcomes: Floats
    """The outcomes of each child."""
    open_number: Indices
    """The index of each child among the open children; negative for leaves."""
    decrease: Floats
    """By node with missing values: the decrease of impurity times weight among its known cases; NaN until it is set."""
    information: Floats
    """By node with missing values: the split information times the node's weight."""

    def __init__(self, first_child: Indices, branch: Codes, share: Floats, missing_to: Codes, outcomes: Floats) -> None:
        self.first_child = first_child
        self.branch = branch
        self.share = share
        self.missing_to = missing_to
        self.outcomes = outcomes


@cython.cclass
class Moves:
    """The moves of cases to open children; case i has the moves start[i] to start[i + 1] (exclusive)."""

    start: Codes
    to: Codes
    """The place that the case moves to."""
    branch: Codes
    """If nodes are split level by level: the open child at each place. Otherwise: the branch of each move."""
    spare: Codes
    """Rows at their new places; also scratch for integers."""
    number: Floats
    """Weights at their new places; also scratch for floats."""


@cython.cclass
class At:
    """The node that a kernel is working on, and the places of its cases; one per thread."""

    node: int
    first: int
    """The first place of its cases."""
    after: int
    """The place after its last case."""
    begin: int
    """The first place of the node in an order, or its first entry in tables."""
    end: int
    """The place after its last known value, or after its last entry."""
    last: int
    """The place after its last case in an order."""
    place: int
    """The entry of Found to set."""
    row: int
    """The row of Tables.table to set."""
    weight: float
    """The weight of all cases of the node."""
    only_at: float
    """The only allowed threshold; NaN for any."""
    is_whole: bool
    """All weights are integers, and sums of their squares are exact."""


@cython.cclass
class Scratch:
    """Scratch arrays of the kernels; one per thread. Each kernel module documents the arrays that it needs."""

    sides: Floats
    counted: Floats
    terms: Floats
    sums: Floats
    slots: Indices
    """Entries of Tables by a hash of their outcomes; any contents will do."""
