"""Trees in the form for the kernel that routes rows through many of them: nodes of 8 bytes, and keys of values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.predict.nodevalues import node_predictions
from treecli.predict.routes import Routing, branch_shares, node_weights
from treecli.records import dataclass
from treecli.tree import ALL_BRANCHES, LEAF

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import CodeArray, FloatArray
    from treecli.kernels.route_args import Cuts, ManyNodes, Room
    from treecli.model import TreeModel
    from treecli.tree import Tree

    Keys = NDArray[np.int32]
    LongArray = NDArray[np.int64]

KEY_BITS = 32

LINK = (1 << KEY_BITS) - 1
"""The bits of a node below its key."""

TO_LEFT, TO_RIGHT = 31 - 64, 63 - 64
"""The shifts of nodes that ask about numbers, by the branch of missing values; see kernels.route_two."""

MOST_PLACES = 1 << 18
"""Limit on the entries of the table by which the thresholds near a value are found."""


class Layout:
    """The keys of a row: numbers, a 0, then labels; and the thresholds by which values become keys."""

    def __init__(self, members: Sequence[TreeModel]) -> None:
        import numpy as np

        self.schema = members[0].schema
        columns = self.schema.columns
        used: set[int] = set()
        for member in members:
            used |= set(member.tree.attribute)
        self.attributes = sorted(used - {LEAF})
        self.is_single = members[0].settings.predicting.single_precision
        self.numeric = [a for a in self.attributes if columns[a].is_numeric]
        self.coded = [a for a in self.attributes if not columns[a].is_numeric]
        self.n_slots, self.leaf_slot = len(self.attributes) + 1, len(self.numeric)
        self.n_labels = np.array([len(column.labels) for column in columns], np.int64)
        self.is_numeric = np.array([*(column.is_numeric for column in columns), False])
        """By attribute; the last entry is for leaves, whose attribute is -1."""
        self.slot_of = np.zeros(len(columns), np.int64)
        self.slot_of[self.numeric] = np.arange(len(self.numeric))
        self.slot_of[self.coded] = self.leaf_slot + 1 + np.arange(len(self.coded))
        self.cuts: list[Cuts] = []
        """By slot, for numbers."""

    def numbered(self, members: Sequence[TreeModel]) -> Iterator[Keys]:
        """Set the thresholds; yield for each tree the keys of its nodes that ask about numbers, in their order."""
        import numpy as np

        chosen = [self.asks_number(member.tree) for member in members]
        of_tree = list(zip(members, chosen, strict=True))
        attribute = np.concatenate([np.frombuffer(own.tree.attribute, np.int32)[nodes] for own, nodes in of_tree])
        number = np.concatenate([np.frombuffer(own.tree.number)[nodes] for own, nodes in of_tree])
        key = np.empty((len(number), 1), np.int32)
        for a in self.numeric:
            at = np.flatnonzero(attribute == a)
            values, found = number[at], np.empty((len(at), 1), np.int32)
            self.cuts.append(_cuts(values))
            number_values(values, self.cuts[-1], 0, found)
            key[at] = found
        ends = np.cumsum([len(nodes) for nodes in chosen])
        return iter(np.split(key[:, 0], ends[:-1]))

    def asks_number(self, tree: Tree) -> LongArray:
        """Return the nodes that ask about a number."""
        import numpy as np

        return np.flatnonzero(self.is_numeric[np.frombuffer(tree.attribute, np.int32)])


def _cuts(values: FloatArray) -> Cuts:
    """Return thresholds in ascending order, without equal ones and infinity."""
    import numpy as np

    from treecli.kernels.route_args import Cuts

    number = np.sort(values[np.isfinite(values)])
    number = number[np.append(True, number[1:] != number[:-1])] if len(number) else np.zeros(1)
    with np.errstate(all="ignore"):
        n_places = min(2 * len(number), MOST_PLACES)
        scale = np.float64(n_places) / (number[-1] - number[0])
        place = np.minimum((number - number[0]) * scale, n_places - 1)
    if not (np.isfinite(scale) and scale > 0 and np.isfinite(place).all()):
        return Cuts(number, np.array([0, len(number)], np.int32), 0.0, 0.0)
    first = np.searchsorted(place.astype(np.int64), np.arange(n_places + 1)).astype(np.int32)
    return Cuts(number, first, float(number[0]), float(scale))


def number_values(values: FloatArray, cuts: Cuts, slot: int, keys: Keys) -> bool:
    """Set the keys of values; return whether none is missing."""
    import numpy as np

    from treecli.kernels import route_many

    with np.errstate(over="ignore", invalid="ignore"):  # the kernel uncompiled
        return bool(route_many.number_values(values, cuts, slot, keys))


@dataclass(slots=True)
class Packed:
    """One tree: its nodes in 8 bytes each, and the predictions of its leaves."""

    nodes: ManyNodes
    values: FloatArray
    """Leaves of one class share theirs, and leaves without cases that of the node above them."""
    mixes: bool
    """Whether all nodes that leave rows out send them down all branches."""
    labels: CodeArray | None = None
    room: Callable[[], Room] | None = None
    """Returns working memory for rows that go down several branches; None until there are any."""


def set_shares(packed: Packed, model: TreeModel) -> Callable[[], Room]:
    """Set the shares of the branches of a tree; return a function that makes room for the parts of a row."""
    import numpy as np

    from treecli.kernels.route_args import Room

    tree, place = model.tree, _families_in_preorder(model.tree)
    weight = node_weights(tree, is_classification=model.schema.is_classification)
    share, n_branches = np.empty(tree.n_nodes), np.empty(tree.n_nodes, np.uint8)
    share[place] = branch_shares(tree, weight)
    n_branches[place] = np.frombuffer(tree.n_branches, np.int32)
    packed.nodes.set_shares(n_branches, share)
    n_values, n_inner = packed.values.shape[1], int(np.count_nonzero(n_branches))
    n_most = tree.n_nodes + n_inner

    def room() -> Room:
        # What is not used of it takes no memory.
        return Room(np.empty(n_most, np.int64), np.empty(n_most), np.empty((1 + n_inner, n_values)))

    return room


def packed(model: TreeModel, layout: Layout, keys: Keys) -> Packed:
    """Return a tree for the kernel; `keys` are those of its nodes that ask about numbers."""
    import numpy as np

    from treecli.kernels.route_args import ManyNodes
    from treecli.kernels.route_many import ELSEWHERE, MISSING_BITS, NOWHERE, SPREADS

    tree = model.tree
    routing, n_nodes = None if _is_simple(model, layout) else Routing.of(model), tree.n_nodes
    attribute = np.frombuffer(tree.attribute, np.int32)
    first_child = np.frombuffer(tree.first_child, np.int32)
    n_branches = np.frombuffer(tree.n_branches, np.int32)
    slot_bits = layout.n_slots.bit_length()
    place = _families_in_preorder(tree)
    first_place = place.astype(np.int64) << (slot_bits + MISSING_BITS)
    leaves = np.flatnonzero(first_child == 0)
    # Whatever is not set below leads to itself: leaves, and the nodes that ask in another way, where rows are left out.
    values, value_of_leaf = _values(model, leaves if routing is None else routing.source[leaves])
    key = np.full(n_nodes + 1, len(values), np.int64)
    link = np.arange(n_nodes + 1) << (slot_bits + MISSING_BITS) | layout.leaf_slot
    key[place[leaves]] = value_of_leaf
    has_one = np.diff(np.frombuffer(tree.further_start, np.int64)) == 0 if len(tree.further) else first_child >= 0
    asking = layout.asks_number(tree)
    is_plain = has_one[asking] & (np.frombuffer(tree.number)[asking] > -np.inf)
    nodes, keys = asking[is_plain], keys[is_plain]
    route = np.frombuffer(tree.missing_to, np.int32) if routing is None else np.asarray(routing.nodes.missing_route)
    route = route[nodes]
    to = np.where((route >= 0) & (route < ELSEWHERE), route, ELSEWHERE).astype(np.int64)
    key[place[nodes]] = keys
    link[place[nodes]] = first_place[first_child[nodes]] | to << slot_bits | layout.slot_of[attribute[nodes]]
    n_asked, table = len(nodes), np.zeros(1, np.uint8)
    if routing is not None:
        is_coded = np.asarray(routing.nodes.is_coded)[:n_nodes]
        labelled = np.flatnonzero((first_child > 0) & (is_coded == 1) & has_one & (n_branches < SPREADS))
        begin, table = _tables(routing, labelled, layout.n_labels[attribute[labelled]])
        key[place[labelled]] = begin
        link[place[labelled]] = first_place[first_child[labelled]] | layout.slot_of[attribute[labelled]]
        n_asked += len(labelled)
    found = ManyNodes(key << KEY_BITS | link, table, layout.n_slots, layout.leaf_slot)
    is_whole = n_asked + len(leaves) == n_nodes
    if routing is not None and is_whole and (to < 2).all():
        _set_in_two(found, place[nodes], to, place[labelled], layout.n_labels[attribute[labelled]] + 2)
    mixes = is_whole and bool((route[to == ELSEWHERE] == ALL_BRANCHES).all()) and NOWHERE not in table
    return Packed(found, values, mixes)


def _values(model: TreeModel, sources: CodeArray | LongArray) -> tuple[FloatArray, LongArray]:
    """Return predictions, and which of them each leaf has; `sources` are the nodes whose predictions leaves have."""
    import numpy as np

    is_source = np.zeros(model.tree.n_nodes, bool)
    is_source[sources] = True
    prediction, scale = node_predictions(model, np.flatnonzero(is_source))
    values = prediction / scale[:, None]
    of_source = np.cumsum(is_source) - 1
    if not model.schema.is_classification:
        return values, of_source[sources]
    # Most leaves of full trees have cases of one class: few predictions stay in the processor's cache.
    is_pure = (values == 1.0).any(axis=1) & (np.count_nonzero(values, axis=1) == 1)
    n_classes = values.shape[1]
    number = np.where(is_pure, values.argmax(axis=1), n_classes - 1 + np.cumsum(~is_pure))
    return np.concatenate([np.eye(n_classes), values[~is_pure]]), number[of_source[sources]]


def _set_in_two(packed: ManyNodes, numbered: Keys, missing_to: LongArray, labelled: Keys, n_codes: LongArray) -> None:
    """Replace tables by bits, if all splits are in two: `numbered` are the places of nodes that ask about numbers."""
    import numpy as np

    from treecli.kernels.route_many import BITS, MISSING_BITS
    from treecli.kernels.route_two import MOST_SLOTS, SHIFT_AT, SLOT_AT

    table, node = np.asarray(packed.table)[:-1], np.asarray(packed.node)
    if not len(table) or n_codes.max() > BITS or table.max() > 1 or packed.n_slots > MOST_SLOTS:
        return
    begin = np.cumsum(n_codes) - n_codes
    bit = np.arange(len(table)) - np.repeat(begin, n_codes)
    link_bits = packed.slot_bits + MISSING_BITS
    slot = node & ((1 << packed.slot_bits) - 1)
    in_two = np.empty((len(node), 2), np.int64)
    in_two[:, 0] = node >> KEY_BITS
    in_two[labelled, 0] = np.add.reduceat(table.astype(np.uint64) << bit.astype(np.uint64), begin).view(np.int64)
    shift = np.full(len(node), TO_RIGHT, np.int64)
    shift[labelled] = 0
    shift[numbered] = np.where(missing_to == 1, TO_RIGHT, TO_LEFT)
    in_two[:, 1] = 2 * ((node & LINK) >> link_bits) | slot << SLOT_AT | shift << SHIFT_AT
    packed.node, packed.table, packed.is_in_two = in_two.ravel(), np.zeros(1, np.uint8), True


def _is_simple(model: TreeModel, layout: Layout) -> bool:
    """Return whether missing values take the branches that the tree has for them, and no node is empty."""
    import numpy as np

    tree = model.tree
    if layout.coded or tree.surrogates or (np.frombuffer(tree.n_branches, np.int32) == 1).any():
        return False
    return bool((node_weights(tree, is_classification=model.schema.is_classification) > 0).all())


def _families_in_preorder(tree: Tree) -> Keys:
    """Return a place for each node: siblings side by side, and near their parents, which saves memory accesses."""
    import numpy as np

    from treecli.kernels.preorder import preorder

    first_child, n_branches = np.array(tree.first_child, np.int32), np.array(tree.n_branches, np.int32)
    order, pending = np.empty((2, tree.n_nodes), np.int32)
    preorder(first_child, n_branches, pending, order)
    inner = order[first_child[order] > 0]
    size = n_branches[inner]
    before = np.cumsum(size) - size
    place = np.zeros(tree.n_nodes, np.int32)
    place[np.repeat(first_child[inner] - before, size) + np.arange(size.sum())] = 1 + np.arange(size.sum())
    return place


def _tables(routing: Routing, nodes: NDArray[np.int64], n_labels: NDArray[np.int64]) -> tuple[Keys, NDArray[np.uint8]]:
    """Return where the table of each of these nodes begins, and the tables: of labels, missing and unseen values."""
    import numpy as np

    from treecli.kernels.route_many import fill_tables

    size = n_labels + 2
    begin = np.cumsum(size) - size
    # One byte more: a node without a table reads the first.
    table = np.zeros(int(size.sum()) + 1, np.uint8)
    fill_tables(nodes, begin, n_labels, routing.nodes, table)
    return begin.astype(np.int32), table
