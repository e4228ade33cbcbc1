"""The objects that kernels take as arguments: arrays and rules that belong together.

The annotations here are for readers and type checkers; args.pxd declares the same fields with their C types. Kernels
borrow the objects without counting references, so a caller keeps them for as long as a kernel runs.
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
    """Every rule of growing one tree, resolved once from settings, schema and data; grow/plan.py makes it.

    The last group of fields depends on the root, and is set once its outcomes are known.
    """

    impurity: int
    arithmetic: int
    """Whose arithmetic decides: SUMS, RPART, SKLEARN or C45."""
    rank: int
    """How candidates are ranked: BY_GAIN, BY_RATIO, BY_TEST or BY_PYTHON."""
    nominal: int
    """How labels are split: MULTIWAY, ONE_AGAINST_REST, GROUPS or MERGED."""
    is_numeric: bool
    """Whether the target is numeric."""
    tolerance: float
    """Scores and weights that differ by no more are equal."""
    min_leaf: float
    """The least weight of a branch; 0 where rows count."""
    min_rows: float
    """The least number of cases of a branch; 0 where weights count."""
    least_split: float
    """The least weight, or number of cases, of a node that may be split, less the tolerance."""
    counts_rows: bool
    max_depth: int
    """Nodes at this depth are leaves."""
    min_gain: float
    """The least gain of a split, less the tolerance; -inf where there is none."""
    gain_of_all: bool
    """min_gain applies to the gain times the node's share of all cases."""
    zero_gain: bool
    """A split may gain nothing."""
    least_share: float
    value_gap: float
    branch_share: float
    most_branch_share: float
    cut_cost: bool
    n_exhaustive: int
    """Up to so many labels, all groupings are tried."""
    merge_alpha: float
    chi2_alpha: float
    """The largest p-value of a split; inf where there is no limit."""
    wants_chi2: bool
    missing_is_value: bool
    """Missing values have a branch of their own, or share one that the split chooses."""
    spreads: bool
    """A case with a missing value goes down all branches with fractions of its weight."""
    missing_to: int
    """SPREAD, or STAYS where a case with a missing value ends at the node."""
    by_surrogates: bool
    is_strict: bool
    """A value that equals a threshold takes the upper branch."""
    is_single: bool
    """Values have 32 bits."""
    is_scaled: bool
    """Classes count in impurities by class_scale."""
    is_counted: Bytes
    """Whether an attribute counts in the average gain of gain ratio."""

    class_scale: Floats
    xlog2_of: Floats
    """n log2 n for whole numbers n, as far as it goes."""
    pure_deviance: float
    """The variance up to which a numeric target counts as constant."""
    root_weight: float
    alpha: float
    """The risk that a split must save, as in rpart; -inf where there is no limit."""

    settings: Any
    criterion: Any
    policy: Any
    scorer: Any
    """The module of scorers/ that searches for splits."""
    grouping: Any
    """The module of nominal/ that splits labels."""
    budget: Any
    """How many groupings of labels may still be tried."""


@cython.cclass
class Cases:
    """The cases of all open nodes side by side: node i has those from start[i] to start[i + 1].

    totals[i] are the node's outcomes as they add up: class weights or, for a numeric target, weight, sum and sum of
    squares of the differences from center[i].
    """

    start: Indices
    row: Codes
    label: Codes
    """The class of each case; 0 where the target is numeric."""
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
    """The cases of every node in the order of one column, the missing values last; n_known[i] are known at node i.

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
    """The outcomes of each label that occurs at a node: node i has the entries from start[i] to start[i + 1].

    weights[i] is the weight of all cases of node i, those with missing values included. `order` lists the entries of
    each node in the order in which cuts group them; `kind` is how they are split, and nodes with up to `n_exhaustive`
    entries try all groupings. Row i of `table` is set to the branch of each label at node i.
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
    """The best split of each node, or of each attribute at one node: gain is -inf where there is none."""

    gain: Floats
    split_info: Floats
    lower: Floats
    upper: Floats
    """A cut lies between these two values."""
    missing_side: Codes
    chi2: Floats
    freedom: Indices
    improvement: Floats
    """The gain of all cases together, exact to the last bit in another program's arithmetic."""
    first: Codes
    """The branch with the smaller mean of the target, or of the class numbers."""
    merit: Floats
    """What candidates are ranked by."""


@cython.cclass
class Labels:
    """A nominal column: the code of row r is code_of_row[first + step * r], negative where the value is missing.

    There are `n_codes` codes; missing values count as `missing_code`, or not at all where that is negative. `entry` has
    a negative number for each code, before and after a kernel.
    """

    code_of_row: Codes
    first: int
    step: int
    n_codes: int
    missing_code: int
    entry: Indices


@cython.cclass
class Sent:
    """Cases with the branches that they take: the children of node i are first_child[i] and on.

    share[c] is the share of child c in the known weight of its parent, missing_to[i] the branch of missing values.
    """

    first_child: Indices
    branch: Codes
    """The branch of each case, SPREAD or STAYS."""
    share: Floats
    missing_to: Codes
    outcomes: Floats
    """The outcomes of each child."""
    open_number: Indices
    """The number of each child among those that are open; negative for leaves."""

    def __init__(self, first_child: Indices, branch: Codes, share: Floats, missing_to: Codes, outcomes: Floats) -> None:
        self.first_child = first_child
        self.branch = branch
        self.share = share
        self.missing_to = missing_to
        self.outcomes = outcomes


@cython.cclass
class Moves:
    """The moves of cases to open children: those of case i are the ones from start[i] to start[i + 1]."""

    start: Codes
    to: Codes
    """The place that the case moves to."""
    branch: Codes
    """Where nodes are split level by level: the open child at each place. Else: the branch of each move."""
    spare: Codes
    """Rows at their new places, and room for other whole numbers."""
    number: Floats
    """Weights at their new places, and room for other numbers."""


@cython.cclass
class At:
    """The node, and the places of its cases, that a kernel is working on; one for each thread."""

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
    """The entry of Found that is set."""
    row: int
    """The row of Tables.table that is set."""
    weight: float
    """The weight of all cases of the node."""
    only_at: float
    """The one threshold that is allowed; NaN: any."""
    is_whole: bool
    """All weights are whole numbers, whose squares add up without rounding."""


@cython.cclass
class Scratch:
    """Room that kernels write on; one for each thread. Who fills what is said where it is made."""

    sides: Floats
    counted: Floats
    terms: Floats
    sums: Floats
