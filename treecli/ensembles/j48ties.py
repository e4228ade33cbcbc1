"""Classes that are equally probable except for rounding, decided as Weka's J48 decides them.

Rows with missing values are counted in parts, and weights of boosted cases are no whole numbers, so sums that are equal
on paper differ in their last bits. J48 adds up cases in an order that its search for splits leaves behind: at each node
it sorts the rows by one numeric attribute after the other, and the branches take them in the order of the last.
"""

from __future__ import annotations

from collections.abc import Iterator
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

    Rows = NDArray[np.int64]

ROUNDING = 1e-9
"""Probabilities that differ by less are equal on paper."""

LEAST_SHARE = 1e-6
"""A branch that holds no larger share of the cases takes no part of a row with a missing value, as in J48."""

KINDS = ("threshold", "multiway", "binary", "subset")
"""The kinds of split that are followed."""


@dataclass(frozen=True, slots=True)
class _Here:
    """The training rows at a node in J48's order with their weights, and the tied rows with the parts that arrive."""

    rows: Rows
    weights: FloatArray
    tied: Rows
    parts: FloatArray


def decided(member: TreeModel, dataset: Dataset, probabilities: FloatArray) -> FloatArray:
    """Return the class probabilities of the training rows, summed in J48's order where two classes tie for the first.

    Splits of other kinds than J48's, and other policies for missing values than its own, leave them as they are.
    """
    tied = np.flatnonzero(_gap(probabilities) < ROUNDING)
    if not len(tied) or not _is_followed(member):
        return probabilities
    found = probabilities.copy()
    found[tied] = _Summing(member, dataset).of_tied(tied)
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
    if is_whole or tree.n_nodes == 1 or tree.forced or member.settings.predicting.laplace:
        return False
    kinds = {tree.split(node).KIND for node in tree.inner_nodes()}
    return member.settings.missing.policy == "fractional" and kinds <= {*KINDS}


class _Summing:
    """A tree whose cases are added up as J48 adds them."""

    def __init__(self, member: TreeModel, dataset: Dataset) -> None:
        self._tree, self._dataset = member.tree, dataset
        self._values = node_distributions(member)
        self._target = np.asarray(dataset.target)
        attributes = enumerate(dataset.schema.attributes)
        self._numeric = [index for index, attribute in attributes if attribute.is_numeric]

    def of_tied(self, tied: Rows) -> FloatArray:
        """Return the class probabilities of these rows."""
        n_rows, tree = self._dataset.n_rows, self._tree
        here = {0: _Here(np.arange(n_rows), np.array(self._dataset.weights), tied, np.ones(len(tied)))}
        reached = [0]
        for node in reached:  # grows
            below = self._children(node, here[node]) if tree.first_child[node] else ()
            for child, arrived in below:
                here[child] = arrived
                reached.append(child)
        found: dict[int, FloatArray] = {}
        for node in reversed(reached):
            found[node] = self._summed(node, here[node], here, found)
        return found[0]

    def _children(self, node: int, here: _Here) -> Iterator[tuple[int, _Here]]:
        """Yield the children that a tied row reaches, with what arrives there."""
        tree = self._tree
        first, n_branches = tree.first_child[node], tree.n_branches[node]
        counted, last = self._orders(node, here.rows)
        weight_of_row = np.zeros(self._dataset.n_rows)
        weight_of_row[here.rows] = here.weights
        shares = self._shares(node, counted, last, weight_of_row)
        branch, branch_of_tied = self._branches(node, last), self._branches(node, here.tied)
        weights = weight_of_row[last]
        for code in range(n_branches):
            share = shares[code]
            is_tied_here = (branch_of_tied == code) | ((branch_of_tied < 0) & (share > 0))
            if not is_tied_here.any():
                continue
            is_here = (branch == code) | ((branch < 0) & (share > LEAST_SHARE))
            own = weights[is_here] * np.where(branch[is_here] < 0, share, 1.0)
            parts = here.parts[is_tied_here] * np.where(branch_of_tied[is_tied_here] < 0, share, 1.0)
            yield first + code, _Here(last[is_here], own, here.tied[is_tied_here], parts)

    def _orders(self, node: int, rows: Rows) -> tuple[Rows, Rows]:
        """Return the rows in the order in which the node's split was counted, and in that after all attributes."""
        asked, order = self._tree.attribute[node], np.array(rows)
        self._sort(order, [index for index in self._numeric if index <= asked])
        counted = order.copy()
        self._sort(order, [index for index in self._numeric if index > asked])
        return counted, order

    def _sort(self, order: Rows, attributes: list[int]) -> None:
        """Sort rows in place by one numeric attribute after the other."""
        pending = np.empty(len(order) + 2, np.int64)
        for index in attributes:
            sort_with_rows(np.asarray(self._dataset.columns[index], np.float64)[order], order, pending)

    def _shares(self, node: int, counted: Rows, last: Rows, weight_of_row: FloatArray) -> list[float]:
        """Return the share of the cases in each branch: known values are added first, then parts of the others."""
        branch, branch_last = self._branches(node, counted), self._branches(node, last)
        known, unknown = weight_of_row[counted[branch >= 0]], weight_of_row[last[branch_last < 0]]
        n_known = _sum(known)
        total = _sum(np.concatenate((known, unknown)))
        shares = []
        for code in range(self._tree.n_branches[node]):
            own = weight_of_row[counted[branch == code]]
            part = _sum(own) / n_known if n_known else 1 / self._tree.n_branches[node]
            shares.append(_sum(np.concatenate((own, part * unknown))) / total if total else 0.0)
        return shares

    def _branches(self, node: int, rows: Rows) -> NDArray[np.int64]:
        """Return the branch of each row; -1 where the value is missing or has none."""
        split = self._tree.split(node)
        values: Any = np.asarray(self._dataset.columns[split.attribute])[rows]
        is_unknown = np.isnan(values) if values.dtype.kind == "f" else values < 0
        if split.table:
            taken = np.array(split.table, np.int64)[np.where(is_unknown, 0, values).astype(np.int64)]
        else:
            taken = (values > split.number).astype(np.int64)
        return np.where(is_unknown, -1, taken)

    def _summed(self, node: int, here: _Here, below: dict[int, _Here], found: dict[int, FloatArray]) -> FloatArray:
        """Return the part of the probabilities of the tied rows that comes from this node, and forget its children."""
        tree = self._tree
        if not tree.first_child[node]:
            return here.parts[:, None] * self._leaf(node, here)
        sums = np.zeros((len(here.tied), self._values.shape[1]))
        for child in range(tree.first_child[node], tree.first_child[node] + tree.n_branches[node]):
            if child in found:
                sums[np.searchsorted(here.tied, below[child].tied)] += found.pop(child)
        return sums

    def _leaf(self, node: int, here: _Here) -> FloatArray:
        """Return the class shares of a leaf, added up row by row; those of its ancestor if it is empty."""
        total = _sum(here.weights)
        if not total:
            own: FloatArray = self._values[node]
            return own
        target = self._target[here.rows]
        n_classes = self._values.shape[1]
        return np.array([_sum(here.weights[target == code]) / total for code in range(n_classes)])


def _sum(weights: FloatArray) -> float:
    """Return the sum of weights, added one after the other."""
    return float(weights.cumsum()[-1]) if len(weights) else 0.0
