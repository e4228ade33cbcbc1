"""Predictions of many trees together: the rows of a block go through a tree while it is in the cache."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

from treecli.data import in_single_precision
from treecli.outcomes.counts import SparseCounts
from treecli.predict.manynodes import KEY_BITS, Layout, Packed, number_values, packed, set_shares
from treecli.predict.nodevalues import predicted
from treecli.predict.predict import block_of, distributions, predictions, refuse_mismatch
from treecli.records import dataclass
from treecli.threads import Shared

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treecli.data import Dataset, FloatArray
    from treecli.model import TreeModel
    from treecli.predict.manynodes import Keys, LongArray

ROWS_AT_ONCE = 1 << 16
"""The rows of a block: so many that calling the kernels for each block takes little of the time."""

NUMBERS_AT_ONCE = 1 << 22
"""Limit on the values of a block: with many attributes, blocks have fewer rows."""

_ONE_AT_A_TIME = Lock()


class ManyTrees:
    """Trees of one schema and one way to predict, prepared for the kernel that routes rows through all of them."""

    def __init__(self, members: Sequence[TreeModel]) -> None:
        self._first, self._members = members[0], members
        self._layout = Layout(members)
        # Copies of the models: what is computed of them is not kept.
        numbered = zip(members, self._layout.numbered(members), strict=True)
        self._trees = [packed(replace(member), self._layout, key) for member, key in numbered]
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


@dataclass(slots=True)
class _Vote:
    """One tree that votes for some rows, or for all; `model` is the tree as it predicts alone."""

    tree: Packed
    model: TreeModel
    rows: LongArray | None
    by_label: bool

    def add(self, sums: FloatArray, block: _Rows) -> None:
        """Add what the tree predicts for rows of a block."""
        import numpy as np

        from treecli.kernels import route_many, route_two

        tree, rows = self.tree, block.rows
        keys, votes = block.keys, sums[rows]
        chosen: LongArray | None = None
        if self.rows is not None:
            chosen = self.rows[slice(*np.searchsorted(self.rows, [rows.start, rows.stop]))]
            keys, votes = keys[chosen - rows.start], np.zeros((len(chosen), sums.shape[1]))
        leaf_of_row = np.empty(len(keys), np.int32)
        if tree.nodes.is_in_two:
            route_two.find_leaves(tree.nodes, keys.ravel(), leaf_of_row)
        else:
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
        rows = left + block.rows.start if chosen is None else chosen[left]
        if self.tree.mixes:
            found = self._mixed(rows - block.rows.start, block.keys)
            if self.by_label:
                votes[left, predicted(self.model, found)] += 1.0
            else:
                votes[left] += found
            return
        rows = block.dataset.view(rows)
        if self.by_label:
            votes[left, predictions(self.model, rows, 1)] += 1.0
        else:
            votes[left] += distributions(self.model, rows, 1)

    def _mixed(self, rows: LongArray, keys: Keys) -> FloatArray:
        """Return the mean prediction of the leaves that each row of a block reaches."""
        import numpy as np

        from treecli.kernels import route_many

        tree = self.tree
        with _ONE_AT_A_TIME:  # another thread may need them as well
            if tree.room is None:
                tree.room = set_shares(tree, self.model)
        found = np.empty((len(rows), tree.values.shape[1]))
        route_many.mix_leaves(tree.nodes, keys.ravel(), rows, tree.values, tree.room(), found)
        return found


class _Rows:
    """The keys of a block of rows."""

    def __init__(self, dataset: Dataset, layout: Layout, rows: slice) -> None:
        import numpy as np

        self.dataset, self.rows = dataset, rows
        self.keys: Keys = np.zeros((rows.stop - rows.start, layout.n_slots), np.int32)
        self.are_numbers = not layout.coded
        for slot, (a, cuts) in enumerate(zip(layout.numeric, layout.cuts, strict=True)):
            values = block_of(dataset, layout.schema, [a], rows)[0]
            values = in_single_precision(values) if layout.is_single else values
            self.are_numbers &= number_values(values, cuts, slot, self.keys)
        for slot, a in enumerate(layout.coded, start=layout.leaf_slot + 1):
            values, n_labels = block_of(dataset, layout.schema, [a], rows)[0], layout.n_labels[a]
            found = np.where(values >= 0, values, n_labels + 1)
            self.keys[:, slot] = np.where(values == values, found, n_labels)
