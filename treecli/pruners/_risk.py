"""What the nodes of a tree lose, in impurity and on other data; all of it adds up over the leaves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from treecli import plugins
from treecli.errors import DataError, UsageError
from treecli.tree import MEAN, WEIGHT, predicted_codes, predicted_values, risks

if TYPE_CHECKING:
    from treecli.data import Dataset, FloatArray
    from treecli.model import Model
    from treecli.pruners._nested import Stages


@dataclass(frozen=True, slots=True)
class Losses:
    """What the trees of a sequence lose on cases of this weight: the sum of the losses, and that of their squares."""

    weight: float
    loss: list[float]
    squared: list[float]


def weight_of(model: Model) -> float:
    """The weight of all training cases."""
    root = model.tree.outcomes_of(0)
    return sum(root) if model.schema.is_classification else root[WEIGHT]


def impurities(model: Model) -> list[float]:
    """Weight times impurity of each node, by the impurity that the tree's criterion lowers; entropy is in bits."""
    import numpy as np

    tree, name = model.tree, model.settings.criterion or "gainratio"
    if not model.schema.is_classification:
        return risks(tree, is_classification=False)
    impurity = plugins.load("criteria", name).CRITERION.impurity
    outcomes = np.array(tree.outcomes).reshape(tree.n_nodes, tree.n_outcomes)
    weight = outcomes.sum(axis=1, keepdims=True)
    share = np.divide(outcomes, weight, out=np.zeros_like(outcomes), where=weight > 0)
    if impurity == "gini":
        spread = 1 - (share**2).sum(axis=1)
    elif impurity == "entropy":
        spread = -(share * np.log2(np.where(share > 0, share, 1.0))).sum(axis=1)
    elif impurity == "error":
        spread = 1 - share.max(axis=1)
    else:
        raise UsageError(f"--by-impurity: the criterion '{name}' has no impurity that adds up over the leaves")
    found: list[float] = (weight[:, 0] * np.where(weight[:, 0] > 0, spread, 0.0)).tolist()
    return found


def losses(model: Model, dataset: Dataset, stages: Stages) -> Losses:
    """What each tree of a sequence loses on rows whose target is known.

    Cases count, as in training: a row that goes down several branches counts in each by its share.
    """
    import numpy as np

    tree = model.tree
    parent = np.array(tree.parents())
    if model.schema.is_classification:
        from treecli.prediction import arrivals

        arrived, unit = arrivals(model, dataset), 1.0
        weight = float(arrived[0].sum())
        of_case = _loss_matrix(model).T[predicted_codes(tree)]
        factors = of_case, of_case**2
    else:
        arrived, center, unit = _moments(model, dataset)
        weight = float(arrived[0, 0])
        p = ((np.array(predicted_values(tree)) - center) / unit)[:, np.newaxis]
        square = np.hstack([p**2, -2 * p, np.ones_like(p), np.zeros_like(p), np.zeros_like(p)])
        factors = square, np.hstack([p**4, -4 * p**3, 6 * p**2, -4 * p, np.ones_like(p)])
    # Cases end at an inner node if no branch below it had a training case.
    staying = arrived.copy()
    np.subtract.at(staying, parent[1:], arrived[1:])
    loss, squared = (
        stages.totals((arrived * factor).sum(axis=1).tolist(), (staying * factor).sum(axis=1).tolist())
        for factor in factors
    )
    return Losses(weight, [max(x, 0.0) * unit**2 for x in loss], [max(x, 0.0) * unit**4 for x in squared])


def _loss_matrix(model: Model) -> FloatArray:
    """What a case of each class (row) costs under each label (column)."""
    import numpy as np

    tree = model.tree
    costs = 1 - np.eye(tree.n_outcomes) if tree.costs is None else np.array(tree.costs)
    scale = np.array(tree.class_scale) if tree.class_scale else np.ones(tree.n_outcomes)
    matrix: FloatArray = costs * scale[:, np.newaxis]
    return matrix


def _moments(model: Model, dataset: Dataset) -> tuple[FloatArray, float, float]:
    """At each node the sums of the 0th to 4th powers of the target, less its mean and in units of its greatest
    difference from that, with the mean and the unit: so the powers neither overflow nor cancel out."""
    import numpy as np

    from treecli.prediction import arrivals

    assert dataset.target is not None
    center = model.tree.outcomes_of(0)[MEAN]
    difference = dataset.target - center
    unit = float(np.abs(difference).max(initial=0.0)) or 1.0
    if not np.isfinite(unit):
        raise DataError(f"found an infinite value of the target '{model.schema.target.name}', expected finite numbers")
    y = (difference / unit).astype(np.float64, copy=False)
    sums = []
    for powers in (y, y**2, y + y**2):
        weight, mean, deviance = arrivals(model, replace(dataset, target=powers)).T
        sums.append((weight, weight * mean, deviance + weight * mean**2))
    (zeroth, first, second), (_, _, fourth), (_, _, mixed) = sums
    third = (mixed - second - fourth) / 2
    return np.stack([zeroth, first, second, third, fourth], axis=1), center, unit
