"""Argument objects of the kernels that route rows through a tree; route_args.pxd declares their C types."""

import cython

SURROGATES_FROM = 1 << 28
"""The route to the first surrogate: more than any number of branches."""

SPARSE = 2
"""As `is_coded`: the attribute holds codes, and the table lists some of them."""


@cython.cclass
class Nodes:
    """A tree: the tests of its nodes and their branches.

    slot[node]          the attribute that the node tests, as a row of the block
    is_coded[node]      whether that attribute holds codes; SPARSE if the table lists some of them, as _listed reads it
    is_plain[node]      whether values up to `number` take branch 0 and all others branch 1
    number[node]        values up to it take branch 0, others branch 1, where the node has no table
    further_start[node] where the node's further numbers begin, in ascending order: values above the first take branch 2
    table_start[node]   where the node's part of the table from codes to branches begins; it ends where the next begins
    missing_route[node], unseen_route[node]   the branch of a missing value or an unseen label
    first_child[node]   branch b leads to the node first_child + b; 0 at a leaf
    n_branches[node]    the number of branches
    share[node]         the part of a row that reaches the node if the row takes all branches of the parent

    In place of a branch, the routes and the table may hold ALL_BRANCHES; or less than that: the row ends at this node;
    or FIRST_SURROGATE + n: entry n, which follows the nodes, is tested instead and gives the branch. Where entry n
    tests a number, its table has the branches of values up to it and above it.
    """

    __slots__ = (
        "first_child",
        "further",
        "further_start",
        "is_coded",
        "is_plain",
        "missing_route",
        "n_branches",
        "number",
        "share",
        "slot",
        "table",
        "table_start",
        "unseen_route",
    )

    def __init__(
        self,
        *,
        slot: cython.int[::1],
        is_coded: cython.uchar[::1],
        is_plain: cython.uchar[::1],
        number: cython.double[::1],
        further_start: cython.longlong[::1],
        further: cython.double[::1],
        table_start: cython.longlong[::1],
        table: cython.int[::1],
        missing_route: cython.int[::1],
        unseen_route: cython.int[::1],
        first_child: cython.int[::1],
        n_branches: cython.int[::1],
        share: cython.double[::1],
    ):
        self.slot = slot
        self.is_coded = is_coded
        self.is_plain = is_plain
        self.number = number
        self.further_start = further_start
        self.further = further
        self.table_start = table_start
        self.table = table
        self.missing_route = missing_route
        self.unseen_route = unseen_route
        self.first_child = first_child
        self.n_branches = n_branches
        self.share = share


@cython.cclass
class Room:
    """Working space for a row that reaches several leaves.

    pending, pending_weight   the parts of the row that wait, one for each leaf, and a mark for each open sum
    sums[sum, outcome]        the sums over branches that are open at a time
    """

    __slots__ = ("pending", "pending_weight", "sums")

    def __init__(self, pending: cython.longlong[::1], pending_weight: cython.double[::1], sums: cython.double[:, ::1]):
        self.pending = pending
        self.pending_weight = pending_weight
        self.sums = sums


@cython.cclass
class Leaves:
    """The predictions of nodes: prediction / scale of the source of each node.

    With many classes only some predictions are kept, those from start[node] to start[node + 1], and `prediction` has no
    rows. All others are `rest`.
    """

    __slots__ = ("code", "is_sparse", "kept", "prediction", "rest", "scale", "source", "start")

    def __init__(self, source: cython.int[::1], scale: cython.double[::1], prediction: cython.double[:, ::1]):
        self.source = source
        self.scale = scale
        self.prediction = prediction
        self.is_sparse = False

    def keep_sparsely(
        self, start: cython.longlong[::1], code: cython.int[::1], kept: cython.double[::1], rest: cython.double
    ):
        """Set the predictions that are kept."""
        self.start = start
        self.code = code
        self.kept = kept
        self.rest = rest
        self.is_sparse = True


@cython.cclass
class ManyNodes:
    """One of many trees, as route_many takes it. The children of a node follow each other, families are in preorder.

    node[place]   the number of its threshold or the place of its table, above its first child, above the branch of
                  missing values, above its slot; a leaf has the number of its prediction, and asks about leaf_slot.
                  One more than there are nodes: the last is for rows that are left out
    is_in_two     two numbers for each node, as route_two takes them
    table         the branches of labels, missing values and unseen labels, one table after the other
    n_slots       the number of keys of a row
    leaf_slot     after the slots of numbers, before those of labels
    slot_bits     the bits of a slot
    n_branches, share   by place, as in Nodes; empty until a row goes down several branches
    """

    __slots__ = ("is_in_two", "leaf_slot", "n_branches", "n_slots", "node", "share", "slot_bits", "table")

    def __init__(self, node: cython.longlong[::1], table: cython.uchar[::1], n_slots: int, leaf_slot: int):
        self.node = node
        self.table = table
        self.n_slots = n_slots
        self.leaf_slot = leaf_slot
        self.slot_bits = n_slots.bit_length()
        self.is_in_two = False

    def set_shares(self, n_branches: cython.uchar[::1], share: cython.double[::1]):
        """Set what is needed for rows that go down several branches."""
        self.n_branches = n_branches
        self.share = share


@cython.cclass
class Cuts:
    """The thresholds on an attribute in ascending order, and where to look for a value among them.

    The thresholds near a value are those from first[place] to first[place + 1], place = (value - lowest) * scale.
    """

    __slots__ = ("first", "lowest", "number", "scale")

    def __init__(self, number: cython.double[::1], first: cython.int[::1], lowest: cython.double, scale: cython.double):
        self.number = number
        self.first = first
        self.lowest = lowest
        self.scale = scale
