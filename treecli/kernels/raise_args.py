"""Argument objects of the kernel that raises subtrees; raise_args.pxd declares their C types."""

import cython


@cython.cclass
class Nodes:
    """The tree to be pruned: tests, routes and children as in a model's tree.

    slot[node]      the attribute that a node tests, as a row of the block
    counts[node]    the weight of each class among the training cases
    source[node]    the node of the original tree from which the test came
    """

    __slots__ = (
        "counts",
        "first_child",
        "further",
        "further_size",
        "further_start",
        "missing_to",
        "n_branches",
        "number",
        "slot",
        "source",
        "table",
        "table_size",
        "table_start",
    )

    def __init__(
        self,
        *,
        slot: cython.int[::1],
        number: cython.double[::1],
        further_start: cython.longlong[::1],
        further_size: cython.longlong[::1],
        further: cython.double[::1],
        table_start: cython.longlong[::1],
        table_size: cython.longlong[::1],
        table: cython.int[::1],
        missing_to: cython.int[::1],
        first_child: cython.int[::1],
        n_branches: cython.int[::1],
        counts: cython.double[:, ::1],
        source: cython.longlong[::1],
    ):
        self.slot = slot
        self.number = number
        self.further_start = further_start
        self.further_size = further_size
        self.further = further
        self.table_start = table_start
        self.table_size = table_size
        self.table = table
        self.missing_to = missing_to
        self.first_child = first_child
        self.n_branches = n_branches
        self.counts = counts
        self.source = source


@cython.cclass
class Rows:
    """The training rows, and the stack of rows.

    block[slot, row] a value, NaN where it is missing; a nominal value is its code
    class_[row]      the class of a row
    row, weight      the stack: the rows that reach nodes, with the part of their weight that does
    branch_of        room for the branch of each row of a node
    """

    __slots__ = ("block", "branch_of", "class_", "row", "weight")

    def __init__(
        self,
        block: cython.double[:, ::1],
        class_: cython.int[::1],
        row: cython.int[::1],
        weight: cython.double[::1],
        branch_of: cython.int[::1],
    ):
        self.block = block
        self.class_ = class_
        self.row = row
        self.weight = weight
        self.branch_of = branch_of


@cython.cclass
class Room:
    """Working space for each node.

    begin, end       the range of the stack that holds the node's rows
    share            the part of the known weight that takes a branch
    expected         the errors expected of the subtree
    path, next_child, top_before   the path to the current node: nodes, next branches, and the top of the stack before
    pending          nodes below a branch that is tried in the place of its parent
    scratch          one row of class weights
    n_spread         rows that went down several branches
    """

    __slots__ = (
        "begin",
        "end",
        "expected",
        "n_spread",
        "next_child",
        "path",
        "pending",
        "scratch",
        "share",
        "top_before",
    )

    def __init__(
        self,
        *,
        share: cython.double[::1],
        begin: cython.longlong[::1],
        end: cython.longlong[::1],
        expected: cython.double[::1],
        path: cython.longlong[::1],
        next_child: cython.longlong[::1],
        top_before: cython.longlong[::1],
        pending: cython.longlong[::1],
        scratch: cython.double[:, ::1],
    ):
        self.share = share
        self.begin = begin
        self.end = end
        self.expected = expected
        self.path = path
        self.n_spread = 0
        self.next_child = next_child
        self.top_before = top_before
        self.pending = pending
        self.scratch = scratch
