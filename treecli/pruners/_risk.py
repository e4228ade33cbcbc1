"""The losses of the nodes of a tree, as impurity and on other data; they sum over the leaves."""

from __future__ import annotations

from dataclasses import replace
from math import frexp, ldexp
from typing import TYPE_CHECKING

from treecli import plugins
from treecli.errors import DataError, UsageError
from treecli.outcomes.counts import SparseCounts
from treecli.outcomes.rows import total
from treecli.records import dataclass
from treecli.tree import MEAN, WEIGHT, predicted_codes, predicted_values, risks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import Dataset, FloatArray
    from treecli.model import TreeModel
    from treecli.pruners._nested import Stages
    from treecli.tree import Tree

LARGEST_LOSS = 1e60
"""Squared errors beyond this, or below its reciprocal, are measured in another unit."""

LARGEST_RATIO = 1e60
"""A prediction may be this many units from the mean: the fourth power is a finite double."""


@dataclass(frozen=True, slots=True)
class Losses:
    """The losses of the trees of a sequence on cases of this weight: the sums of the losses and of their squares.

    Losses are in units of the requested `scale`.
    """

    weight: float
    loss: list[float]
    squared: list[float]


def weight_of(model: TreeModel) -> float:
    """The weight of all training cases."""
    root = model.tree.outcomes_of(0)
    return total(root) if model.schema.is_classification else root[WEIGHT]


def impurities(model: TreeModel) -> list[float]:
    """Weight times impurity of each node, for the impurity of the tree's criterion; entropy is in bits."""
    import numpy as np

    tree, name = model.tree, model.settings.splitting.criterion or "gainratio"
    if not model.schema.is_classification:
        return risks(tree, is_classification=False)
    impurity = plugins.load("criteria", name).CRITERION.impurity
    if isinstance(tree.outcomes, SparseCounts):
        return [each for _, rows in tree.outcomes.blocks() for each in _spread(rows, impurity, name)]
    return _spread(np.array(tree.outcomes).reshape(tree.n_nodes, tree.n_outcomes), impurity, name)


def _spread(outcomes: FloatArray, impurity: str, name: str) -> list[float]:
    """Weight times impurity of nodes with these class weights."""
    import numpy as np

    weight = outcomes.sum(axis=1, keepdims=True)
    share = np.divide(outcomes, weight, out=np.zeros_like(outcomes), where=weight > 0)
    if impurity == "gini":
        spread = 1 - (share**2).sum(axis=1)
    elif impurity == "entropy":
        spread = -(share * np.log2(np.where(share > 0, share, 1.0))).sum(axis=1)
    elif impurity == "error":
        spread = 1 - share.max(axis=1)
    else:
        raise UsageError(f"--by-impurity: the criterion '{name}' has no impurity that sums over the leaves")
    found: list[float] = (weight[:, 0] * np.where(weight[:, 0] > 0, spread, 0.0)).tolist()
    return found


def loss_scale(model: TreeModel) -> float:
    """A unit for losses in which even their squares neither overflow nor underflow: usually 1.

    It is a power of two, so that dividing by it is exact.
    """
    if model.schema.is_classification or is_absolute(model):
        return 1.0
    weight, _, deviance = model.tree.outcomes_of(0)
    typical = deviance / weight if weight else 0.0
    if typical == 0 or 1 / LARGEST_LOSS <= typical <= LARGEST_LOSS:
        return 1.0
    return ldexp(1.0, frexp(typical)[1])


def losses(model: TreeModel, dataset: Dataset, stages: Stages, scale: float = 1.0) -> Losses:
    """The loss of each tree of a sequence on other rows, in units of `scale`; rows without a target are ignored.

    As in training, a row that goes down several branches counts in each by its share. The loss is that of training:
    wrong labels weighted by priors and costs, squared errors, or absolute errors.
    """
    import numpy as np

    dataset = dataset.labelled()
    tree = model.tree
    unit = 1.0
    if model.schema.is_classification:
        return _class_losses(model, dataset, stages, scale)
    if is_absolute(model):
        return _absolute_losses(model, dataset, stages)
    arrived, center, unit = _moments(model, dataset)
    p = ((np.array(predicted_values(tree)) - center) / unit)[:, np.newaxis]
    square = np.hstack([p**2, -2 * p, np.ones_like(p), np.zeros_like(p), np.zeros_like(p)])
    factors = square, np.hstack([p**4, -4 * p**3, 6 * p**2, -4 * p, np.ones_like(p)])
    staying = _staying(tree, arrived)
    sums = [((arrived * factor).sum(axis=1), (staying * factor).sum(axis=1)) for factor in factors]
    return _losses(dataset, stages, sums, unit**2 / scale)


def _class_losses(model: TreeModel, dataset: Dataset, stages: Stages, scale: float) -> Losses:
    """The losses by priors and costs, of some classes at a time."""
    import numpy as np

    from treecli.predict.predict import arrivals_of_classes

    tree = model.tree
    label = np.array(predicted_codes(tree))
    sums: list[tuple[FloatArray, FloatArray]] = []
    for classes, arrived in arrivals_of_classes(model, dataset):
        of_case = _loss_of_case(model, label, classes)
        staying = _staying(tree, arrived)
        own = [((arrived * factor).sum(axis=1), (staying * factor).sum(axis=1)) for factor in (of_case, of_case**2)]
        sums = [(a + c, b + d) for (a, b), (c, d) in zip(sums, own, strict=True)] if sums else own
    return _losses(dataset, stages, sums, 1.0 / scale)


def _losses(dataset: Dataset, stages: Stages, sums: list[tuple[FloatArray, FloatArray]], factor: float) -> Losses:
    """The losses of a sequence from the loss and the squared loss of each node, as a leaf and as an inner node."""
    loss, squared = (stages.totals(as_leaf.tolist(), as_inner.tolist()) for as_leaf, as_inner in sums)
    weight = float(dataset.weights.sum())
    return Losses(weight, [max(x, 0.0) * factor for x in loss], [max(x, 0.0) * factor**2 for x in squared])


def is_absolute(model: TreeModel) -> bool:
    """Whether the nodes of a tree store medians and absolute errors instead of means and squared ones."""
    name = model.settings.splitting.criterion
    return name is not None and plugins.load("criteria", name).CRITERION.impurity == "absolute"


def _staying(tree: Tree, arrived: FloatArray) -> FloatArray:
    """The part of the arriving cases that goes no further."""
    import numpy as np

    staying = arrived.copy()
    np.subtract.at(staying, np.array(tree.parents())[1:], arrived[1:])
    return staying


def _absolute_losses(model: TreeModel, dataset: Dataset, stages: Stages) -> Losses:
    """The absolute losses, row by row: unlike squares, they cannot be computed from sums over the rows of a node."""
    import numpy as np

    from treecli.predict.predict import SPREAD, arrivals, leaves

    assert dataset.target is not None
    tree = model.tree
    parent, predicted = np.array(tree.parents()), np.array(predicted_values(tree))
    ends = leaves(model, dataset).astype(np.int64)
    as_leaf, as_inner = np.zeros((2, tree.n_nodes)), np.zeros((2, tree.n_nodes))
    for row in np.flatnonzero(ends == SPREAD).tolist():
        arrived = arrivals(model, dataset.take(np.array([row])))[:, WEIGHT]
        loss = np.abs(dataset.target[row] - predicted)
        for position, power in enumerate((loss, loss**2)):
            as_leaf[position] += arrived * power
            as_inner[position] += _staying(tree, arrived) * power
    rows = np.flatnonzero(ends != SPREAD)
    nodes = ends[rows]
    is_end = True
    while len(rows):
        loss = np.abs(dataset.target[rows] - predicted[nodes])
        for position, power in enumerate((loss, loss**2)):
            summed = np.bincount(nodes, dataset.weights[rows] * power, tree.n_nodes)
            as_leaf[position] += summed
            as_inner[position] += summed * is_end
        is_end = False
        nodes = parent[nodes]
        rows, nodes = rows[nodes >= 0], nodes[nodes >= 0]
    sums = [stages.totals(as_leaf[position].tolist(), as_inner[position].tolist()) for position in (0, 1)]
    return Losses(float(dataset.weights.sum()), *sums)


def _loss_of_case(model: TreeModel, label: NDArray[np.int64], classes: range) -> FloatArray:
    """The cost of a case of each of these classes (column) at nodes with these labels (row)."""
    import numpy as np

    tree = model.tree
    if tree.costs is None:
        costs = (label[:, np.newaxis] != np.array(classes)).astype(np.float64)
    else:
        costs = np.array(tree.costs[classes.start : classes.stop]).T[label]
    found: FloatArray = costs * np.array(tree.class_scale[classes.start : classes.stop]) if tree.class_scale else costs
    return found


def _moments(model: TreeModel, dataset: Dataset) -> tuple[FloatArray, float, float]:
    """At each node the sums of the 0th to 4th powers of the target, minus its mean and in units of its greatest
    difference from it, with the mean and the unit. So the powers neither overflow nor cancel.
    """
    import numpy as np

    from treecli.predict.predict import arrivals

    assert dataset.target is not None
    center = model.tree.outcomes_of(0)[MEAN]
    difference = dataset.target - center
    unit = float(np.abs(difference).max(initial=0.0)) or 1.0
    if not np.isfinite(unit):
        raise DataError(f"found an infinite value of the target '{model.schema.target.name}', expected finite numbers")
    furthest = max(abs(value - center) for value in predicted_values(model.tree))
    unit = max(unit, furthest / LARGEST_RATIO)
    y = (difference / unit).astype(np.float64, copy=False)
    sums = []
    for powers in (y, y**2, y + y**2):
        weight, mean, deviance = arrivals(model, replace(dataset, target=powers)).T
        sums.append((weight, weight * mean, deviance + weight * mean**2))
    (zeroth, first, second), (_, _, fourth), (_, _, mixed) = sums
    third = (mixed - second - fourth) / 2
    return np.stack([zeroth, first, second, third, fourth], axis=1), center, unit
