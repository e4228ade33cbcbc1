"""Predictions of many trees together, block by block: all trees see a block of rows while it is in the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.data import in_single_precision
from treecli.outcomes.counts import SparseCounts
from treecli.predict.nodevalues import NodeValues, predicted
from treecli.predict.predict import SPREAD, block_of, columns_used, refuse_mismatch
from treecli.predict.routes import Routing
from treecli.records import dataclass
from treecli.threads import Shared
from treecli.tree import LEAF

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import CodeArray, Dataset, FloatArray
    from treecli.kernels.route_args import ManyNodes
    from treecli.model import TreeModel
    from treecli.tree import Tree

    Keys = NDArray[np.int32]

ROWS_AT_ONCE = 1 << 16
"""The rows of a block: so many that reading the nodes of all trees for each block takes little of the time."""

NUMBERS_AT_ONCE = 1 << 22
"""Limit on the values of a block: with many attributes, blocks have fewer rows."""

KEY_BITS = 31


class ManyTrees:
    """Trees of one schema and one way to predict, prepared for the kernel that routes rows through all of them."""

    def __init__(self, members: Sequence[TreeModel]) -> None:
        first = members[0]
        self._schema, self._predicting, self._first = first.schema, first.settings.predicting, first
        used: set[int] = set()
        for member in members:
            used |= set(member.tree.attribute)
            used |= {own.split.attribute for them in member.tree.surrogates.values() for own in them}
        self._attributes = sorted(used - {LEAF})
        self._layout = _Layout(first, self._attributes)
        self._trees = [_packed(member, self._layout) for member in members]
        self._columns = sorted({column for member in members for column in columns_used(member)})

    @staticmethod
    def refuses(members: Sequence[TreeModel]) -> str | None:
        """Return why these trees cannot be prepared; None if they can."""
        n_slots = len(members[0].schema.columns) + 2
        if any(isinstance(member.tree.outcomes, SparseCounts) for member in members):
            return "there are very many classes"
        if any(member.tree.leaf_models for member in members):
            return "leaves have models"
        if any((2 * member.tree.n_nodes + 1).bit_length() + n_slots.bit_length() > KEY_BITS for member in members):
            return "there are too many nodes and attributes"
        return None

    def add_votes(self, sums: FloatArray, dataset: Dataset, jobs: int | None = None, *, by_label: bool) -> None:
        """Add what every tree predicts for each row: its distribution, or 1 for its label; in the order of the trees.

        The result does not depend on `jobs`.
        """
        refuse_mismatch(self._first, dataset, self._columns)
        n_rows = dataset.n_rows
        shared = Shared(jobs)
        at_once = max(
            min(ROWS_AT_ONCE, NUMBERS_AT_ONCE // (len(self._attributes) + 1), -(-n_rows // shared.n_threads)), 1
        )
        blocks = [slice(begin, min(begin + at_once, n_rows)) for begin in range(0, n_rows, at_once)]

        def add(rows: slice) -> None:
            block = block_of(dataset, self._schema, self._attributes, rows)
            block = in_single_precision(block) if self._predicting.single_precision else block
            prepared = _Rows(block, self._layout)
            for tree in self._trees:
                tree.add(sums[rows], prepared, by_label=by_label)

        with shared:
            shared.do(add, blocks)


class _Layout:
    """The columns of a block, and the keys of a row: numbers, then labels, then a 0."""

    def __init__(self, model: TreeModel, attributes: Sequence[int]) -> None:
        import numpy as np

        columns = model.schema.columns
        self.attributes = attributes
        self.numeric = [place for place, a in enumerate(attributes) if columns[a].is_numeric]
        self.coded = [place for place, a in enumerate(attributes) if not columns[a].is_numeric]
        self.n_slots, self.first_coded = len(attributes) + 1, len(self.numeric)
        self.n_labels = np.array([len(columns[a].labels) for a in attributes], np.int64)
        self.slot = np.empty(len(attributes), np.int64)
        """The slot of each column of a block."""
        self.slot[[*self.numeric, *self.coded]] = np.arange(len(attributes))


@dataclass(slots=True)
class _Packed:
    """One tree: its routing, its nodes in 8 bytes each, and what the node at each place predicts."""

    model: TreeModel
    routing: Routing
    nodes: ManyNodes
    values: NodeValues
    of_place: FloatArray
    labels: CodeArray | None

    def add(self, sums: FloatArray, rows: _Rows, *, by_label: bool) -> None:
        """Add what the tree predicts for the rows of a block."""
        import numpy as np

        from treecli.kernels import route, route_many

        leaf_of_row = np.empty(len(rows.keys), np.int32)
        route_many.find_leaves(
            self.routing.nodes, self.nodes, rows.keys.ravel(), rows.block, rows.are_numbers, leaf_of_row
        )
        if by_label:
            n_left = route_many.add_labels(leaf_of_row, self._labels(), sums)
        else:
            n_left = route_many.add_values(leaf_of_row, self.of_place, sums)
        if not n_left:
            return
        spread = np.flatnonzero(leaf_of_row == SPREAD)
        mixed = np.empty((len(spread), self.values.n_values))
        room = self.routing.room(self.values.n_values)
        route.mix_leaves(self.routing.nodes, rows.block, spread, self.values.leaves(), room, mixed)
        if by_label:
            sums[spread, predicted(self.model, mixed)] += 1.0
        else:
            sums[spread] += mixed

    def _labels(self) -> CodeArray:
        """Return the label of the node at every place."""
        import numpy as np

        if self.labels is None:
            self.labels = np.ascontiguousarray(predicted(self.model, self.of_place), np.int32)
        return self.labels


def _packed(model: TreeModel, layout: _Layout) -> _Packed:
    import numpy as np

    from treecli.kernels import route_many
    from treecli.kernels.route_args import ManyNodes

    tree = model.tree
    routing, values, n_nodes = Routing.among(model, layout.attributes), NodeValues(model), tree.n_nodes
    first_child = np.frombuffer(tree.first_child, np.int32)
    n_branches = np.frombuffer(tree.n_branches, np.int32)
    number, link_bits = np.frombuffer(tree.number), layout.n_slots.bit_length()
    place = _families_in_preorder(tree)
    first_place = place[first_child].astype(np.int64) << link_bits
    # Leaves, and the places behind the nodes, lead to themselves.
    key = np.full(2 * n_nodes + 1, route_many.LEAF_KEY, np.int64)
    link = np.arange(2 * n_nodes + 1) << link_bits | len(layout.attributes)
    inner = place[first_child > 0]
    key[inner], link[inner] = route_many.ALWAYS, len(layout.attributes)
    column = np.asarray(routing.nodes.slot)[:n_nodes]
    slot = layout.slot[column] if len(layout.slot) else column
    is_coded = np.asarray(routing.nodes.is_coded)[:n_nodes]
    has_one = np.diff(np.frombuffer(tree.further_start, np.int64)) == 0
    is_plain = (first_child > 0) & (n_branches == 2) & (is_coded == 0) & has_one & np.isfinite(number)
    key[place[is_plain]] = _keys(number[is_plain])
    link[place[is_plain]] = first_place[is_plain] | slot[is_plain]
    labelled = np.flatnonzero((first_child > 0) & (is_coded == 1) & has_one & (n_branches < route_many.NOWHERE))
    begin, table = _tables(routing, labelled, layout.n_labels[column[labelled]] if len(labelled) else column[:0])
    key[place[labelled]] = begin
    link[place[labelled]] = first_place[labelled] | slot[labelled]
    node_at = np.empty(n_nodes, np.int32)
    node_at[place] = np.arange(n_nodes)
    nodes = ManyNodes(key << 32 | link, place, node_at, table, layout.n_slots, layout.first_coded)
    return _Packed(model, routing, nodes, values, values.of(node_at), None)


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

    from treecli.kernels.route_many import NOWHERE

    own, size = routing.nodes, n_labels + 2
    begin = np.cumsum(size) - size
    owner = np.repeat(np.arange(len(nodes)), size)
    node, label = nodes[owner], np.arange(len(owner)) - begin[owner]
    table_start, entries = np.asarray(own.table_start), np.append(np.asarray(own.table), 0)
    is_listed = table_start[node + 1] > table_start[node]
    last = n_labels[owner]
    branch = entries[np.where(is_listed & (label < last), table_start[node] + label, len(entries) - 1)]
    branch = np.where(is_listed, branch, label > np.asarray(own.number)[node])  # ordinal attributes have thresholds
    branch = np.where(label == last, np.asarray(own.missing_route)[node], branch)
    branch = np.where(label == last + 1, np.asarray(own.unseen_route)[node], branch)
    table = np.where((branch >= 0) & (branch < NOWHERE), branch, NOWHERE).astype(np.uint8)
    # One byte at least: a node without a table reads the first.
    return begin.astype(np.int32), np.append(table, np.uint8(0))


def _keys(values: FloatArray) -> Keys:
    """Return 32-bit whole numbers in the order of the values; equal only if the values are, or nearly."""
    import numpy as np

    with np.errstate(over="ignore"):
        # Adding 0 turns -0.0 into 0.0.
        bits = (values.astype(np.float32) + np.float32(0)).view(np.int32)
    return np.asarray(bits ^ ((bits >> 31) & 0x7FFFFFFF), np.int32)


class _Rows:
    """A block of rows: its values, and their keys."""

    def __init__(self, block: FloatArray, layout: _Layout) -> None:
        import numpy as np

        from treecli.kernels.route_many import UNKNOWN

        self.block, self.layout = block, layout
        self.keys: Keys = np.zeros((block.shape[1], layout.n_slots), np.int32)
        self.are_numbers = not layout.coded
        for place in layout.numeric:
            values = block[place]
            is_known = values == values
            is_complete = bool(is_known.all())
            self.are_numbers &= is_complete
            keys = _keys(values)
            self.keys[:, layout.slot[place]] = keys if is_complete else np.where(is_known, keys, UNKNOWN)
        for place in layout.coded:
            values, n_labels = block[place], layout.n_labels[place]
            found = np.where(values >= 0, values, n_labels + 1)
            self.keys[:, layout.slot[place]] = np.where(values == values, found, n_labels)
