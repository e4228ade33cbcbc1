"""Probes: rows at which a model's answer may change, taken from its own nodes, surrogates and rules.

Exporters write `flow.Flow`; probes do not use it, so that a fault in it cannot hide itself.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from treecli.data import Dataset
from treecli.model import Model
from treecli.probes.rules import RuleProbes
from treecli.probes.tree import TreeProbes
from treecli.probes.values import ProbeValues
from treecli.rulelists.rulelist import RuleList

if TYPE_CHECKING:
    from treecli.data import Column

MOST_CELLS = 2_000_000
"""Cells of all probes together; if there would be more, a random sample of the probes is taken."""


def probes(model: Model | RuleList) -> Dataset:
    """The probes of a model as rows of its schema."""
    import numpy as np

    schema = model.schema
    values = ProbeValues(schema, is_single=model.settings.single_precision)
    source = RuleProbes(model, values) if isinstance(model, RuleList) else TreeProbes(model, values)
    n_all, n_most = sum(1 for _ in source.makers()), MOST_CELLS // max(len(schema.attributes), 1)
    sample = set(Random(0).sample(range(n_all), n_most)) if n_all > n_most else None
    rows = [make() for place, make in enumerate(source.makers()) if sample is None or place in sample]
    rows += values.mixed()
    columns: list[Column] = []
    for index, attribute in enumerate(schema.attributes):
        column = [row.get(index, 0.0) for row in rows]
        columns.append(np.array(column, np.float64) if attribute.is_numeric else np.array(column, np.int32))
    return Dataset(schema, columns, None, np.ones(len(rows)))
