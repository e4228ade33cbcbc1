"""The label of the root, and nothing else."""

from __future__ import annotations

from treecli.exporters import Options
from treecli.model import Model
from treecli.models import as_tree

TITLE = "a motto"
OPTIONS: frozenset[str] = frozenset({"name"})


def export(model: Model, options: Options) -> str:
    """One line: always this label."""
    tree = as_tree(model)
    assert tree is not None
    label = model.schema.target.labels[tree.tree.label(tree.tree.outcomes_of(0))]
    return f"{options.name or 'always'}: {label}\n"
