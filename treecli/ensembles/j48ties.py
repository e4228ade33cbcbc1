"""Classes that are equally probable except for rounding, decided as Weka's J48 decides them.

Rows with missing values are counted in parts, and weights of boosted cases are no whole numbers, so sums that are equal
on paper differ in their last bits. J48 adds up cases in an order that its search for splits leaves behind: at each node
it sorts the rows by one numeric attribute after the other, and the branches take them in the order of the last. A node
that is split counts the rows with known values in the order in which the split was found, then the others, and keeps
these sums if pruning makes it a leaf. Where a branch is raised, the rows are counted again without sorting them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.kernels.weka_order import sort_with_rows
from treecli.outcomes.counts import SparseCounts
from treecli.predict.nodevalues import node_distributions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import Dataset, FloatArray
    from treecli.model import TreeModel
    from treecli.tree import Tree

    Rows = NDArray[np.int64]

ROUNDING = 1e-9
"""Probabilities that differ by less are equal on paper."""

LEAST = 1e-6
"""J48's tolerance: a branch with no larger share of the cases takes no part of a row with a missing value, and a leaf
of less weight is empty."""

KINDS = ("threshold", "multiway", "binary", "subset")
"""The kinds of split that are followed."""

NOWHERE = -1
"""The place in the tree as grown of a node whose rows were counted again."""


@dataclass(frozen=True, slots=True)
class _Arrived:
    """The training rows at a node in J48's order with their weights, the tied rows with the parts of them that arrive,
    and the node's place in the tree as grown.
    """

    rows: Rows
    weights: FloatArray
    tied: Rows
    parts: FloatArray
    origin: int


@dataclass(frozen=True, slots=True)
class _Bags:
    """The weights of the branches and of the classes of a node, and of all its cases."""

    branches: FloatArray
    classes: FloatArray
    total: float


def decided(
    member: TreeModel, dataset: Dataset, probabilities: FloatArray, as_grown: Callable[[Dataset], TreeModel]
) -> FloatArray:
    """Return the class probabilities of the training rows, summed in J48's order where two classes tie for the first.

    `as_grown` learns the tree again and neither collapses nor prunes it. Splits of other kinds than J48's, and other
    policies for missing values than its own, leave the probabilities as they are.
    """
    tied = np.flatnonzero(_gap(probabilities) < ROUNDING)
    if not len(tied) or not _is_followed(member):
        return probabilities
    found = probabilities.copy()
    found[tied] = _Summing(member, as_grown(dataset).tree, dataset).of_tied(tied)
    return found


def _gap(probabilities: FloatArray) -> FloatArray:
    """Return by how much the most probable class leads the next, row by row."""
    highest = np.partition(probabilities, -2, axis=1)[:, -2:]
    gap: FloatArray = highest[:, 1] - highest[:, 0]
    return gap


def _is_followed(member: TreeModel) -> bool:
    """Return whether sums depend on their order, and all splits are of known kinds."""
    tree = member.tree
    if isinstance(tree.outcomes, SparseCounts) or member.schema.derived:
        return False
    outcomes = np.frombuffer(tree.outcomes)
    is_whole = bool((outcomes == np.rint(outcomes)).all())
    if is_whole or tree.forced or member.settings.predicting.laplace:
        return False
    kinds = {tree.split(node).KIND for node in tree.inner_nodes()}
    return member.settings.missing.policy == "fractional" and kinds <= {*KINDS}


class _Summing:
    """A tree whose cases are added up as J48 adds them."""

    def __init__(self, member: TreeModel, grown: Tree, dataset: Dataset) -> None:
        self._tree, self._grown, self._dataset = member.tree, grown, dataset
        self._n_classes = member.schema.n_outcomes
        self._values = node_distributions(member)
        self._target = np.asarray(dataset.target)
        attributes = enumerate(dataset.schema.attributes)
        self._numeric = [index for index, attribute in attributes if attribute.is_numeric]

    def of_tied(self, tied: Rows) -> FloatArray:
        """Return the class probabilities of these rows."""
        n_rows, tree = self._dataset.n_rows, self._tree
        root = _Arrived(np.arange(n_rows), np.array(self._dataset.weights), tied, np.ones(len(tied)), 0)
        arrived, reached = {0: root}, [0]
        tied_at: dict[int, Rows] = {}
        found: dict[int, FloatArray] = {}
        for node in reached:  # grows
            here = arrived.pop(node)
            tied_at[node] = here.tied
            if tree.first_child[node]:
                arrived.update(self._children(node, here))
                reached.extend(sorted(arrived.keys() - {*reached}))
            else:
                found[node] = here.parts[:, None] * self._leaf(node, here)
        for node in reversed(reached):
            if tree.first_child[node]:
                found[node] = np.zeros((len(tied_at[node]), self._n_classes))
                for child in tree.children(node):
                    if child in found:
                        found[node][np.searchsorted(tied_at[node], tied_at[child])] += found.pop(child)
        return found[0]

    def _children(self, node: int, here: _Arrived) -> Iterator[tuple[int, _Arrived]]:
        """Yield the children that a tied row reaches, with what arrives there."""
        tree, grown, origin = self._tree, self._grown, here.origin
        split, (counted, last) = tree.split(node), self._orders(here)
        is_as_grown = origin != NOWHERE and split == grown.split(origin)
        bags = self._bags(split, here, counted if is_as_grown else last, last, is_found=is_as_grown)
        rows, weights = here.rows[last], here.weights[last]
        branch, branch_of_tied = self._branches(split, rows), self._branches(split, here.tied)
        for code, child in enumerate(tree.children(node)):
            share = bags.branches[code] / bags.total if bags.total else 0.0
            is_tied_here = (branch_of_tied == code) | ((branch_of_tied < 0) & (share > 0))
            if not is_tied_here.any():
                continue
            is_here = (branch == code) | ((branch < 0) & (share > LEAST))
            own = weights[is_here] * np.where(branch[is_here] < 0, share, 1.0)
            parts = here.parts[is_tied_here] * np.where(branch_of_tied[is_tied_here] < 0, share, 1.0)
            place = grown.first_child[origin] + code if is_as_grown else NOWHERE
            yield child, _Arrived(rows[is_here], own, here.tied[is_tied_here], parts, place)

    def _leaf(self, node: int, here: _Arrived) -> FloatArray:
        """Return the class shares of a leaf; those of its ancestor if it is empty."""
        if here.origin != NOWHERE and self._grown.first_child[here.origin]:
            split = self._grown.split(here.origin)
            bags = self._bags(split, here, *self._orders(here), is_found=True)
            return bags.classes / bags.total
        total = _sum(here.weights)
        if total < LEAST:
            own: FloatArray = self._values[node]
            return own
        return self._classes(here.rows, here.weights) / total

    def _orders(self, here: _Arrived) -> tuple[Rows, Rows]:
        """Return the places of the rows in the order in which the node's split was found, and in that after all
        attributes; where J48 tried no splits, both are that of arrival.
        """
        order = np.arange(len(here.rows))
        if here.origin == NOWHERE or not self._grown.first_child[here.origin]:
            return order, order
        asked = self._grown.attribute[here.origin]
        self._sort(order, here.rows, [index for index in self._numeric if index <= asked])
        counted = order.copy()
        self._sort(order, here.rows, [index for index in self._numeric if index > asked])
        return counted, order

    def _sort(self, order: Rows, rows: Rows, attributes: list[int]) -> None:
        """Sort places of rows in place by one numeric attribute after the other."""
        pending = np.empty(len(order) + 2, np.int64)
        for index in attributes:
            sort_with_rows(np.asarray(self._dataset.columns[index], np.float64)[rows[order]], order, pending)

    def _bags(self, split: Any, here: _Arrived, counted: Rows, last: Rows, *, is_found: bool) -> _Bags:
        """Return the weights at a node that is split: those of known values in one order, then the others in another.

        `is_found`: as J48 counts where it finds a split. It adds up the two sides of a threshold, and subtracts a label
        from all cases.
        """
        branch, branch_last = self._branches(split, here.rows[counted]), self._branches(split, here.rows[last])
        known, unknown = counted[branch >= 0], last[branch_last < 0]
        branches = np.array([_sum(here.weights[counted[branch == code]]) for code in range(split.n_branches())])
        total = _sum(here.weights[known])
        if is_found and split.KIND == "threshold":
            total = float(branches[0] + branches[1])
        elif is_found and split.KIND == "binary":
            branches[1] = total - branches[0]
        parts = branches / total if total >= LEAST else np.full(len(branches), 1 / len(branches))
        others = here.weights[unknown]
        branches = np.array([_sum(np.append(own, part * others)) for own, part in zip(branches, parts, strict=True)])
        both = np.concatenate((known, unknown))
        return _Bags(branches, self._classes(here.rows[both], here.weights[both]), _sum(np.append(total, others)))

    def _classes(self, rows: Rows, weights: FloatArray) -> FloatArray:
        """Return the weight of each class, added up row by row."""
        found: Any = np.bincount(self._target[rows], weights, minlength=self._n_classes)
        return np.asarray(found, np.float64)

    def _branches(self, split: Any, rows: Rows) -> NDArray[np.int64]:
        """Return the branch of each row; -1 where the value is missing or has none."""
        values: Any = np.asarray(self._dataset.columns[split.attribute])[rows]
        is_unknown = np.isnan(values) if values.dtype.kind == "f" else values < 0
        if split.table:
            taken = np.array(split.table, np.int64)[np.where(is_unknown, 0, values).astype(np.int64)]
        else:
            taken = (values > split.number).astype(np.int64)
        return np.where(is_unknown, -1, taken)


def _sum(weights: FloatArray) -> float:
    """Return the sum of weights, added one after the other."""
    return float(weights.cumsum()[-1]) if len(weights) else 0.0
