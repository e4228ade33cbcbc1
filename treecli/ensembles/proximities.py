"""Proximities of rows: the share of the trees of an ensemble in which two rows reach the same leaf (Breiman 2001)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.errors import DataError
from treecli.predict.predict import single_leaves

if TYPE_CHECKING:
    from treecli.data import Dataset, FloatArray
    from treecli.model import EnsembleModel

MOST_ROWS = 5000
"""The matrix of more rows would have more than 25 million numbers."""


def proximities(model: EnsembleModel, dataset: Dataset, jobs: int | None = None) -> FloatArray:
    """Return a matrix with a row and a column for each row of the data.

    A missing value that goes down several branches takes the heaviest one.
    """
    import numpy as np

    n = dataset.n_rows
    if n > MOST_ROWS:
        raise DataError(f"--proximities: found {n} rows, expected {MOST_ROWS} at most", "take a sample: treecli split")
    found = np.zeros((n, n))
    for member in model.members():
        leaf = single_leaves(member, dataset, jobs)
        found += leaf[:, None] == leaf[None, :]
    return found / model.n_trees
