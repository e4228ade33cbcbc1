"""Predictions of many trees together: the rows of a block go through a tree while it is in the cache."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from treecli.data import in_single_precision
from treecli.outcomes.counts import SparseCounts
from treecli.predict.nodevalues import node_predictions, predicted
from treecli.predict.predict import block_of, distributions, predictions, refuse_mismatch
from treecli.predict.routes import Routing, node_weights
from treecli.records import dataclass
from treecli.threads import Shared
from treecli.tree import LEAF

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import CodeArray, Dataset, FloatArray
    from treecli.kernels.route_args import Cuts, ManyNodes
    from treecli.model import TreeModel
    from treecli.tree import Tree

    Keys = NDArray[np.int32]
    LongArray = NDArray[np.int64]

ROWS_AT_ONCE = 1 << 16
"""The rows of a block: so many that calling the kernels for each block takes little of the time."""

NUMBERS_AT_ONCE = 1 << 22
"""Limit on the values of a block: with many attributes, blocks have fewer rows."""

KEY_BITS = 32

LINK = (1 << KEY_BITS) - 1
"""The bits of a node below its key."""

MOST_PLACES = 1 << 18
"""Limit on the entries of the table by which the thresholds near a value are found."""


class ManyTrees:
    """Trees of one schema and one way to predict, prepared for the kernel that routes rows through all of them."""

    def __init__(self, members: Sequence[TreeModel]) -> None:
        self._first, self._members = members[0], members
        self._layout = _Layout(members)
        # Copies of the models: what is computed of them is not kept.
        numbered = zip(members, self._layout.numbered(members), strict=True)
        self._trees = [_packed(replace(member), self._layout, key) for member, key in numbered]
        instead = {own.split.attribute for one in members for them in one.tree.surrogates.values() for own in them}
        self._columns = self._first.schema.inputs({*self._layout.attributes, *instead})

    @staticmethod
    def refuses(members: Sequence[TreeModel]) -> str | None:
        """Return why these trees cannot be prepared; None if they can."""
        from treecli.kernels.route_many import MISSING_BITS

        n_bits = (len(members[0].schema.columns) + 1).bit_length() + MISSING_BITS
        if any(isinstance(member.tree.outcomes, SparseCounts) for member in members):
            return "there are very many classes"
        if any(member.tree.leaf_models for member in members):
            return "leaves have models"
        if any((member.tree.n_nodes + 1).bit_length() + n_bits > KEY_BITS for member in members):
            return "there are too many nodes and attributes"
        return None

    def add_votes(
        self,
        sums: FloatArray,
        dataset: Dataset,
        jobs: int | None = None,
        *,
        by_label: bool,
        rows_of_tree: Callable[[int], LongArray] | None = None,
    ) -> None:
        """Add what every tree predicts for each row: its distribution, or 1 for its label; in the order of the trees.

        The result does not depend on `jobs`. `rows_of_tree` returns the rows, in ascending order, that the tree with
        this number, from 0, votes for; by default it votes for all.
        """
        refuse_mismatch(self._first, dataset, self._columns)
        shared = Shared(jobs)
        n_rows, n_threads = dataset.n_rows, shared.n_threads
        at_once = max(min(ROWS_AT_ONCE, NUMBERS_AT_ONCE // self._layout.n_slots, -(-n_rows // n_threads)), 1)
        blocks = [slice(begin, min(begin + at_once, n_rows)) for begin in range(0, n_rows, at_once)]
        with shared:
            for begin in range(0, len(blocks), n_threads):
                taken = shared.map(lambda rows: _Rows(dataset, self._layout, rows), blocks[begin : begin + n_threads])
                prepared = list(taken)
                for number, (tree, member) in enumerate(zip(self._trees, self._members, strict=True)):
                    vote = _Vote(
                        tree, replace(member), None if rows_of_tree is None else rows_of_tree(number), by_label
                    )
                    shared.do(partial(vote.add, sums), prepared)


class _Layout:
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
            _number(values, self.cuts[-1], 0, found)
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


def _number(values: FloatArray, cuts: Cuts, slot: int, keys: Keys) -> bool:
    """Set the keys of values; return whether none is missing."""
    import numpy as np

    from treecli.kernels.route_many import number_values

    with np.errstate(over="ignore", invalid="ignore"):  # the kernel uncompiled
        return bool(number_values(values, cuts, slot, keys))


@dataclass(slots=True)
class _Packed:
    """One tree: its nodes in 8 bytes each, and the predictions of its leaves."""

    nodes: ManyNodes
    values: FloatArray
    labels: CodeArray | None = None


@dataclass(slots=True)
class _Vote:
    """One tree that votes for some rows, or for all; `model` is the tree as it predicts alone."""

    tree: _Packed
    model: TreeModel
    rows: LongArray | None
    by_label: bool

    def add(self, sums: FloatArray, block: _Rows) -> None:
        """Add what the tree predicts for rows of a block."""
        import numpy as np

        from treecli.kernels import route_many

        tree, rows = self.tree, block.rows
        keys, votes = block.keys, sums[rows]
        chosen: LongArray | None = None
        if self.rows is not None:
            chosen = self.rows[slice(*np.searchsorted(self.rows, [rows.start, rows.stop]))]
            keys, votes = keys[chosen - rows.start], np.zeros((len(chosen), sums.shape[1]))
        leaf_of_row = np.empty(len(keys), np.int32)
        route_many.find_leaves(tree.nodes, keys.ravel(), block.are_numbers, leaf_of_row)
        if self.by_label:
            if tree.labels is None:
                tree.labels = np.ascontiguousarray(predicted(self.model, tree.values), np.int32)
            n_left = route_many.add_labels(leaf_of_row, tree.labels, votes)
        else:
            n_left = route_many.add_values(leaf_of_row, tree.values, votes)
        if n_left:
            self._add_left(votes, np.flatnonzero(leaf_of_row == len(tree.values)), block, chosen)
        if chosen is not None:
            sums[chosen] += votes

    def _add_left(self, votes: FloatArray, left: LongArray, block: _Rows, chosen: LongArray | None) -> None:
        """Add what the tree predicts for rows that the kernel has left out."""
        rows = block.dataset.view(left + block.rows.start if chosen is None else chosen[left])
        if self.by_label:
            votes[left, predictions(self.model, rows, 1)] += 1.0
        else:
            votes[left] += distributions(self.model, rows, 1)


def _packed(model: TreeModel, layout: _Layout, keys: Keys) -> _Packed:
    """Return a tree for the kernel; `keys` are those of its nodes that ask about numbers."""
    import numpy as np

    from treecli.kernels.route_args import ManyNodes
    from treecli.kernels.route_many import ELSEWHERE, MISSING_BITS, NOWHERE

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
    key = np.full(n_nodes + 1, len(leaves), np.int64)
    link = np.arange(n_nodes + 1) << (slot_bits + MISSING_BITS) | layout.leaf_slot
    key[place[leaves]] = np.arange(len(leaves))
    has_one = np.diff(np.frombuffer(tree.further_start, np.int64)) == 0 if len(tree.further) else first_child >= 0
    asking = layout.asks_number(tree)
    is_plain = has_one[asking] & (np.frombuffer(tree.number)[asking] > -np.inf)
    nodes, keys = asking[is_plain], keys[is_plain]
    route = np.frombuffer(tree.missing_to, np.int32) if routing is None else np.asarray(routing.nodes.missing_route)
    route = route[nodes]
    to = np.where((route >= 0) & (route < ELSEWHERE), route, ELSEWHERE).astype(np.int64)
    key[place[nodes]] = keys
    link[place[nodes]] = first_place[first_child[nodes]] | to << slot_bits | layout.slot_of[attribute[nodes]]
    table = np.zeros(1, np.uint8)
    if routing is not None:
        is_coded = np.asarray(routing.nodes.is_coded)[:n_nodes]
        labelled = np.flatnonzero((first_child > 0) & (is_coded == 1) & has_one & (n_branches < NOWHERE))
        begin, table = _tables(routing, labelled, layout.n_labels[attribute[labelled]])
        key[place[labelled]] = begin
        link[place[labelled]] = first_place[first_child[labelled]] | layout.slot_of[attribute[labelled]]
    prediction, scale = node_predictions(model, leaves if routing is None else routing.source[leaves])
    packed = ManyNodes(key << KEY_BITS | link, table, layout.n_slots, layout.leaf_slot)
    if routing is not None and len(nodes) + len(labelled) + len(leaves) == n_nodes and (to < 2).all():
        _set_in_two(packed, place[nodes], to, place[labelled], layout.n_labels[attribute[labelled]] + 2)
    return _Packed(packed, prediction / scale[:, None])


def _set_in_two(packed: ManyNodes, numbered: Keys, missing_to: LongArray, labelled: Keys, n_codes: LongArray) -> None:
    """Replace tables by bits, if all splits are in two: `numbered` are the places of nodes that ask about numbers."""
    import numpy as np

    from treecli.kernels.route_many import BITS

    table, node = np.asarray(packed.table)[:-1], np.asarray(packed.node)
    if not len(table) or n_codes.max() > BITS or table.max() > 1:
        return
    begin = np.cumsum(n_codes) - n_codes
    bit = np.arange(len(table)) - np.repeat(begin, n_codes)
    in_two = np.empty((len(node), 2), np.int64)
    in_two[:, 0], in_two[:, 1] = np.iinfo(np.int64).max, node
    in_two[labelled, 0] = np.add.reduceat(table.astype(np.uint64) << bit.astype(np.uint64), begin).view(np.int64)
    in_two[labelled, 1] &= LINK
    flip = -missing_to << (KEY_BITS - 1)
    in_two[numbered, 0] = node[numbered] >> KEY_BITS ^ flip
    in_two[numbered, 1] = node[numbered] & LINK | flip << KEY_BITS
    packed.node, packed.table, packed.is_in_two = in_two.ravel(), np.zeros(1, np.uint8), True


def _is_simple(model: TreeModel, layout: _Layout) -> bool:
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


class _Rows:
    """The keys of a block of rows."""

    def __init__(self, dataset: Dataset, layout: _Layout, rows: slice) -> None:
        import numpy as np

        self.dataset, self.rows = dataset, rows
        self.keys: Keys = np.zeros((rows.stop - rows.start, layout.n_slots), np.int32)
        self.are_numbers = not layout.coded
        for slot, (a, cuts) in enumerate(zip(layout.numeric, layout.cuts, strict=True)):
            values = block_of(dataset, layout.schema, [a], rows)[0]
            values = in_single_precision(values) if layout.is_single else values
            self.are_numbers &= _number(values, cuts, slot, self.keys)
        for slot, a in enumerate(layout.coded, start=layout.leaf_slot + 1):
            values, n_labels = block_of(dataset, layout.schema, [a], rows)[0], layout.n_labels[a]
            found = np.where(values >= 0, values, n_labels + 1)
            self.keys[:, slot] = np.where(values == values, found, n_labels)
