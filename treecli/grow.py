"""Growing a tree: in one go where that can be done, else level by level; then what the settings take off it again."""

from __future__ import annotations

from treecli import finish
from treecli.criteria import criterion_for
from treecli.data import Dataset
from treecli.settings import Settings
from treecli.threads import OnProgress, OnWarning
from treecli.tree import Tree
from treecli.trimming import best_first, collapsed_where_idle


def grow(
    dataset: Dataset,
    settings: Settings,
    *,
    jobs: int | None = None,
    on_progress: OnProgress | None = None,
    on_warning: OnWarning | None = None,
) -> Tree:
    """The tree that these settings grow on the data."""
    _, criterion = criterion_for(settings, dataset.schema)
    dataset = dataset.with_lowest_values_joined()
    kept = None
    if finish.applies(dataset, settings, criterion):
        tree, improvement = finish.grown(dataset, settings, criterion, jobs, on_progress)
    else:
        from treecli.growth import Growth

        growth = Growth(dataset, settings, jobs)
        growth.run(on_progress)
        if on_warning is not None:
            for warning in growth.warnings():
                on_warning(warning)
        tree, improvement = growth.tree()
        kept = None if settings.stopping.cp is None else growth.kept(tree, settings.stopping.cp)
    if settings.stopping.max_leaves is not None:
        tree = best_first(tree, improvement, settings.stopping.max_leaves, kept)
    elif kept is not None:
        tree = tree.collapsed(lambda node: not kept[node])
    if settings.stopping.collapse and dataset.schema.is_classification:
        tree = collapsed_where_idle(tree)
    return tree
