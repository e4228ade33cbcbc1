"""The label of the root, and nothing else."""

from __future__ import annotations

from treecli.exporters import Options
from treecli.model import Model
from treecli.rules.rulelist import RuleList

TITLE = "a motto"
OPTIONS: frozenset[str] = frozenset({"name"})


def export(model: Model | RuleList, options: Options) -> str:
    """One line: always this label."""
    assert isinstance(model, Model)
    label = model.schema.target.labels[model.tree.label(model.tree.outcomes_of(0))]
    return f"{options.name or 'always'}: {label}\n"
