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
    from treecli.model import TreeModel

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
        self._link_bits = (len(self._attributes) + 1).bit_length()
        self._trees = [_packed(member, self._attributes, self._link_bits) for member in members]
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
            prepared = _Rows(block)
            for tree in self._trees:
                tree.add(sums[rows], prepared, by_label=by_label)

        with shared:
            shared.do(add, blocks)


@dataclass(slots=True)
class _Packed:
    """One tree: its routing, its nodes in 8 bytes each, and what they predict."""

    model: TreeModel
    routing: Routing
    nodes: Keys
    values: NodeValues
    of_node: FloatArray
    labels: CodeArray | None

    def add(self, sums: FloatArray, rows: _Rows, *, by_label: bool) -> None:
        """Add what the tree predicts for the rows of a block."""
        import numpy as np

        from treecli.kernels import route, route_many

        leaf_of_row = np.empty(len(rows.keys), np.int32)
        given = self.routing.nodes, self.nodes, rows.keys.ravel(), rows.block
        route_many.find_leaves(*given, rows.complete, True, leaf_of_row)
        route_many.find_leaves(*given, rows.others, False, leaf_of_row)
        if by_label:
            n_left = route_many.add_labels(leaf_of_row, self._labels(), sums)
        else:
            n_left = route_many.add_values(leaf_of_row, self.of_node, sums)
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
        """Return the label of every node."""
        import numpy as np

        if self.labels is None:
            self.labels = np.ascontiguousarray(predicted(self.model, self.of_node), np.int32)
        return self.labels


def _packed(model: TreeModel, attributes: Sequence[int], link_bits: int) -> _Packed:
    import numpy as np

    from treecli.kernels import route_many

    tree = model.tree
    routing, values, n_nodes = Routing.among(model, attributes), NodeValues(model), tree.n_nodes
    first_child = np.frombuffer(tree.first_child, np.int32)
    attribute = np.frombuffer(tree.attribute, np.int32)
    is_inner = first_child > 0
    slot_of = np.full(len(model.schema.columns) + 1, len(attributes))
    slot_of[list(attributes)] = np.arange(len(attributes))
    is_numeric = np.array([column.is_numeric for column in model.schema.columns] + [False])
    has_one = np.diff(np.frombuffer(tree.further_start, np.int64)) == 0
    is_plain = is_inner & is_numeric[attribute] & (np.frombuffer(tree.n_branches, np.int32) == 2) & has_one
    number = np.frombuffer(tree.number)
    is_plain &= np.isfinite(number)
    nodes = np.empty((2 * n_nodes + 1, 2), np.int32)
    nodes[:, 0], nodes[:, 1] = route_many.UNKNOWN, len(attributes)
    own = nodes[:n_nodes]
    own[is_plain, 0] = _keys(number[is_plain])
    own[is_plain, 1] = first_child[is_plain] << link_bits | slot_of[attribute[is_plain]]
    return _Packed(model, routing, nodes, values, values.of(np.arange(n_nodes)), None)


def _keys(values: FloatArray) -> Keys:
    """Return 32-bit whole numbers in the order of the values; equal only if the values are, or nearly."""
    import numpy as np

    with np.errstate(over="ignore"):
        # Adding 0 turns -0.0 into 0.0.
        bits = (values.astype(np.float32) + np.float32(0)).view(np.int32)
    return np.asarray(bits ^ ((bits >> 31) & 0x7FFFFFFF), np.int32)


class _Rows:
    """A block of rows: values, keys with a column more, and the rows with and without missing values."""

    def __init__(self, block: FloatArray) -> None:
        import numpy as np

        from treecli.kernels.route_many import UNKNOWN

        self.block = block
        self.keys: Keys = np.empty((block.shape[1], len(block) + 1), np.int32)
        self.keys[:, -1] = UNKNOWN
        is_complete = np.ones(block.shape[1], bool)
        for slot, values in enumerate(block):
            is_known = values == values
            self.keys[:, slot] = np.where(is_known, _keys(values), UNKNOWN)
            is_complete &= is_known
        self.complete = np.flatnonzero(is_complete).astype(np.int32)
        self.others = np.flatnonzero(~is_complete).astype(np.int32)
