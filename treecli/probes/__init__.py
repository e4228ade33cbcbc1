"""Probes: rows at which a model's answer may change, taken from its own nodes, surrogates and rules.

Exporters write `flow.Flow`; probes do not use it, so that a fault in it cannot hide itself.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from treecli.data import Dataset, Schema
from treecli.model import Model
from treecli.probes.rules import RuleProbes
from treecli.probes.tree import TreeProbes
from treecli.probes.values import Probe, ProbeValues
from treecli.rules.rulelist import RuleList

if TYPE_CHECKING:
    from treecli.data import Column

MOST_CELLS = 2_000_000
"""Cells of all probes together; if there would be more, a random sample of the probes is taken."""


NEAR_TIES = 1 / 20
"""Share of the candidates that are taken as near ties."""


def probes(model: Model | RuleList) -> Dataset:
    """The probes of a model as rows of its schema."""
    schema = model.schema
    values = ProbeValues(schema, is_single=model.settings.predicting.single_precision)
    source = TreeProbes(model, values) if isinstance(model, Model) else RuleProbes(model, values)
    n_all, n_most = sum(1 for _ in source.makers()), MOST_CELLS // max(len(schema.attributes), 1)
    sample = set(Random(0).sample(range(n_all), n_most)) if n_all > n_most else None
    rows = [make() for place, make in enumerate(source.makers()) if sample is None or place in sample]
    rows += values.mixed()
    if isinstance(model, Model) and isinstance(source, TreeProbes):
        rows += _near_ties(model, list(source.candidates()))
    return _dataset(schema, rows)


def _near_ties(model: Model, candidates: list[Probe]) -> list[Probe]:
    """The candidates whose two most probable labels are nearest: a slightly wrong share changes their prediction."""
    if not candidates:
        return []
    import numpy as np

    from treecli.predict.predict import distributions

    said = np.sort(distributions(model, _dataset(model.schema, candidates)), axis=1)
    margin = said[:, -1] - said[:, -2] if said.shape[1] > 1 else said[:, -1]
    return [candidates[place] for place in np.argsort(margin, kind="stable")[: int(len(candidates) * NEAR_TIES)]]


def _dataset(schema: Schema, rows: list[Probe]) -> Dataset:
    import numpy as np

    columns: list[Column] = []
    for index, attribute in enumerate(schema.attributes):
        column = [row.get(index, 0.0) for row in rows]
        columns.append(np.array(column, np.float64) if attribute.is_numeric else np.array(column, np.int32))
    return Dataset(schema, columns, None, np.ones(len(rows)))
