"""Attribute importance of several trees: the mean of the trees' impurity importances (Breiman 2001)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from treecli import plugins
from treecli.evaluate.importance import importances
from treecli.model import EnsembleModel, TreeModel
from treecli.outcomes.counts import SparseCounts
from treecli.priors import altered_scale
from treecli.tree import MEAN, WEIGHT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import FloatArray

    IntArray = NDArray[np.int64]


def mean_importances(model: EnsembleModel) -> list[float]:
    """Return each attribute's share of the impurity decrease, averaged over the trees by the weights of their votes.

    Trees without a split count for nothing; the shares sum to 1, or are all 0.
    """
    import numpy as np

    sums = np.zeros(len(model.schema.columns))
    for member, weight in zip(model.members(), model.weights, strict=True):
        sums += weight * np.array(_shares(member))
    total = float(sums.sum())
    return list(map(float, sums / total if total > 0 else sums))


def _shares(model: TreeModel) -> list[float]:
    """Return what `importances` does, node by node at once where the impurity is a function of class weights."""
    import numpy as np

    tree, name = model.tree, model.settings.splitting.criterion or ""
    first_child = np.frombuffer(tree.first_child, np.int32)
    inner = np.flatnonzero(first_child)
    impurity = plugins.load("criteria", name).CRITERION.impurity if name else None
    if isinstance(tree.outcomes, SparseCounts) or impurity not in (*_IMPURITIES, "variance") or not len(inner):
        return importances(model)
    outcomes = np.frombuffer(tree.outcomes).reshape(tree.n_nodes, tree.n_outcomes)
    # In level order the nodes after the root are the families of the inner nodes, one after the other.
    children, starts = outcomes[1:], (first_child[inner] - 1).astype(np.int64)
    decrease = _between(children, starts) if impurity == "variance" else _lost(model, children, starts, impurity)
    sums = np.bincount(
        np.frombuffer(tree.attribute, np.int32)[inner], np.maximum(decrease, 0.0), len(model.schema.columns)
    )
    total = float(sums.sum())
    return list(map(float, sums / total if total > 0 else sums))


def _lost(model: TreeModel, children: FloatArray, starts: IntArray, impurity: str) -> FloatArray:
    """Return the impurity of each family together less those of its members."""
    import numpy as np

    predicting, labels = model.settings.predicting, model.schema.target.labels
    if predicting.priors is not None or predicting.costs is not None:
        children = children * altered_scale(predicting.priors, predicting.costs, labels, model.tree.outcomes_of(0))
    of = _IMPURITIES[impurity]
    return of(np.add.reduceat(children, starts)) - np.add.reduceat(of(children), starts)


def _between(children: FloatArray, starts: IntArray) -> FloatArray:
    """Return the sum of squares between the members of each family."""
    import numpy as np

    weight = np.add.reduceat(children[:, WEIGHT], starts)
    mean = np.add.reduceat(children[:, WEIGHT] * children[:, MEAN], starts) / np.where(weight > 0, weight, 1.0)
    sizes = np.diff(np.append(starts, len(children)))
    return np.add.reduceat(children[:, WEIGHT] * (children[:, MEAN] - np.repeat(mean, sizes)) ** 2, starts)


def _entropy(counts: FloatArray) -> FloatArray:
    import numpy as np

    total = counts.sum(axis=1, keepdims=True)
    share = np.divide(total, counts, out=np.ones_like(counts), where=counts > 0)
    found: FloatArray = (counts * np.log2(share)).sum(axis=1)
    return found


def _gini(counts: FloatArray) -> FloatArray:
    import numpy as np

    total = counts.sum(axis=1)
    found: FloatArray = total - (counts**2).sum(axis=1) / np.where(total > 0, total, 1.0)
    return found


def _error(counts: FloatArray) -> FloatArray:
    found: FloatArray = counts.sum(axis=1) - counts.max(axis=1)
    return found


_IMPURITIES: dict[str, Callable[[FloatArray], FloatArray]] = {"entropy": _entropy, "gini": _gini, "error": _error}
