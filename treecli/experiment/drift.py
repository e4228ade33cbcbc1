"""How data differs from the data that a model was trained on, as far as the model remembers it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.data import MISSING, UNSEEN
from treecli.grow.candidates import Test
from treecli.outcomes.rows import total

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import Attribute, Column, Dataset
    from treecli.model import TreeModel

    Floats = NDArray[np.float64]

HALF = 0.5
"""Added to every count of the stability index, which is infinite for an empty cell."""


def column_drift(attribute: Attribute, column: Column) -> dict[str, Any]:
    """The shares of values that the training data did not have; None where the model does not know."""
    facts: dict[str, Any] = {"name": attribute.name, "kind": attribute.kind}
    if not attribute.is_numeric:
        return facts | {"missing": _share(column == MISSING), "unseen": _share(column == UNSEEN)}
    known = column[~np.isnan(column)]
    facts |= {"missing": 1 - len(known) / len(column)}
    facts |= {"min": float(known.min()), "max": float(known.max())} if len(known) else {"min": None, "max": None}
    if attribute.range is None:
        return facts | {"training_min": None, "training_max": None, "outside": None}
    low, high = attribute.range
    return facts | {"training_min": low, "training_max": high, "outside": _share((column < low) | (column > high))}


def class_drift(model: TreeModel, dataset: Dataset) -> dict[str, Any] | None:
    """The classes of the data against those of the training data; None if either is unknown."""
    if dataset.target is None or not model.schema.is_classification:
        return None
    labels = model.schema.target.labels
    known = dataset.target >= 0
    found: Floats = np.bincount(dataset.target[known], dataset.weights[known], len(labels)).astype(np.float64)
    trained = np.array(model.tree.outcomes_of(0), np.float64)
    entries = [
        {"label": label, "training": before, "data": now}
        for label, before, now in zip(labels, _shares(trained), _shares(found), strict=True)
    ]
    return shift(trained, found) | {"classes": entries}


def leaf_drift(model: TreeModel, dataset: Dataset, leaf_of_row: NDArray[np.int32]) -> dict[str, Any]:
    """The shares of rows that arrive at each leaf against the training shares; a leaf below 0 is several leaves."""
    tree, schema = model.tree, model.schema
    leaves = [node for node in range(tree.n_nodes) if tree.is_leaf(node)]
    outcomes = [tree.outcomes_of(node) for node in leaves]
    trained = np.array([total(own) if schema.is_classification else own[0] for own in outcomes])
    is_one = leaf_of_row >= 0
    arrived: Floats = np.bincount(leaf_of_row[is_one], dataset.weights[is_one], tree.n_nodes).astype(np.float64)
    found = arrived[leaves]
    entries = [
        {"leaf": leaf, "training": before, "data": now}
        for leaf, before, now in zip(leaves, _shares(trained), _shares(found), strict=True)
    ]
    return shift(trained, found) | {"rows_at_several_leaves": int(np.count_nonzero(~is_one)), "leaves": entries}


def shift(before: Floats, now: Floats) -> dict[str, Any]:
    """The population stability index of two rows of counts, and Pearson's test that they have the same shares."""
    occurs = (before > 0) | (now > 0)
    before, now = before[occurs], now[occurs]
    if len(before) < 2 or not before.any() or not now.any():
        return {"psi": 0.0, "chi2": 0.0, "chi2_df": 0, "chi2_p": 1.0}
    old, new = ((own + HALF) / (own + HALF).sum() for own in (before, now))
    table = np.array([before, now])
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    test = Test(np.array([((table - expected) ** 2 / expected).sum()]), np.array([len(before) - 1]))
    return {
        "psi": float(((new - old) * np.log(new / old)).sum()),
        "chi2": float(test.chi2[0]),
        "chi2_df": len(before) - 1,
        "chi2_p": float(test.p_values()[0]),
    }


def _share(is_so: NDArray[np.bool_]) -> float:
    return float(np.count_nonzero(is_so) / max(len(is_so), 1))


def _shares(counts: Floats) -> list[float]:
    total = counts.sum()
    shares: list[float] = (counts / total if total > 0 else counts).tolist()
    return shares
