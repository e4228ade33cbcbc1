"""Probes of several trees: those of each tree, which all trees then answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.model import EnsembleModel
from treecli.predict.probes import probes

if TYPE_CHECKING:
    from treecli.data import Dataset

MOST_PROBES = 20_000
"""Limits the rows of an ensemble of large trees; they are then taken at equal distances."""


def ensemble_probes(model: EnsembleModel) -> Dataset:
    """Return the probes of all trees as rows of the schema."""
    import numpy as np

    from treecli.data import Dataset

    parts = [probes(member) for member in model.members()]
    columns = [np.concatenate(own) for own in zip(*(part.columns for part in parts), strict=True)]
    n_rows = sum(part.n_rows for part in parts)
    found = Dataset(model.schema, columns, None, np.ones(n_rows))
    if n_rows <= MOST_PROBES:
        return found
    return found.take(np.linspace(0, n_rows - 1, MOST_PROBES).astype(np.int64))
