"""Grow a tree from data: make the plan, run the search, trim the tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from treecli.grow import groupings, observe, projections
from treecli.grow.nodes import as_tree
from treecli.grow.plan import plan_of
from treecli.grow.scores import set_scores
from treecli.grow.searching import search_of
from treecli.grow.sizes import sized
from treecli.grow.trim import best_first, collapsed_where_idle, split_as_grown
from treecli.kernels import codes
from treecli.tree import risks

if TYPE_CHECKING:
    from treecli.data import Dataset, Schema
    from treecli.grow.candidates import Indices
    from treecli.grow.nodes import Nodes
    from treecli.settings import Settings
    from treecli.threads import OnProgress, OnWarning
    from treecli.tree import Tree


def grow(dataset: Dataset, settings: Settings, **how: Any) -> Tree:
    """Return the tree that these settings grow on the data, if they derive no columns; `how` as in `grown`."""
    tree, schema = grown(dataset, settings, **how)
    assert len(schema.columns) == len(dataset.schema.columns)
    return tree


def grown(
    dataset: Dataset,
    settings: Settings,
    *,
    jobs: int | None = None,
    on_progress: OnProgress | None = None,
    on_warning: OnWarning | None = None,
    on_note: OnWarning | None = None,
    on_remark: OnWarning | None = None,
    on_facts: Callable[[dict[str, Any]], None] | None = None,
) -> tuple[Tree, Schema]:
    """Return the tree that these settings grow on the data, and the schema with the columns derived for it.

    `on_note` is told what a search will take, before it begins; `on_remark` how the tree was grown, and why not in a
    faster way; `on_facts` what the lineage records of it.
    """
    search, number = search_of(settings.searching.search)
    search.check(settings)
    if settings.inputs.project is not None:
        whole, chosen = projections.projected(dataset, settings, on_warning)
        how: dict[str, Any] = {"jobs": jobs, "on_progress": on_progress, "on_warning": on_warning}
        how |= {"on_note": on_note, "on_remark": on_remark, "on_facts": on_facts}
        return grown_on(whole, chosen, projections.settings_of_growth(settings), how)
    columns = dataset.schema
    dataset = dataset.with_derived_columns().with_lowest_values_joined()
    schema = dataset.schema
    plan = plan_of(settings, dataset)
    observers = observe.observers_of(settings.computing, schema)
    nodes = search.grow(
        dataset,
        plan,
        number=number,
        jobs=jobs,
        observers=observers,
        on_progress=on_progress,
        on_warning=on_warning,
        on_note=on_note,
    )
    if on_warning is not None:
        is_measured = plan.arithmetic == codes.RPART
        for warning in groupings.warnings(settings, schema, plan.budget.exceeded, is_measured=is_measured):
            on_warning(warning)
    if on_remark is not None:
        for remark in plan.remarks:
            on_remark(remark)
    if on_facts is not None and nodes.facts:
        on_facts(nodes.facts)
    set_scores(nodes, plan)
    tree = as_tree(nodes, is_consumed=True)
    tree.judge_by(settings.predicting.priors, settings.predicting.costs, schema.target.labels)
    tree = trimmed(tree, nodes, settings, schema)
    return tree, columns.with_features(nodes.features)


def trimmed(tree: Tree, nodes: Nodes, settings: Settings, schema: Schema) -> Tree:
    """Return the tree without the splits that the settings do not keep: by rpart's cp, the most leaves, collapsing."""
    kept = None
    if settings.stopping.cp is not None:
        risk = risks(tree, is_classification=schema.is_classification)
        kept = split_as_grown(tree, risk, nodes.first.tolist(), settings.stopping.cp * risk[0])
    if settings.stopping.max_leaves is not None:
        tree = best_first(tree, nodes.improvement, settings.stopping.max_leaves, kept)
    elif kept is not None:
        tree = tree.collapsed(lambda node: not kept[node])
    if settings.stopping.collapse and schema.is_classification:
        tree = collapsed_where_idle(tree)
    if schema.is_classification:
        tree = sized(tree, settings.stopping)
    return tree


def fast_way(
    dataset: Dataset, settings: Settings, on_remark: OnWarning | None = None, *, with_scores: bool = True
) -> Callable[[Settings, Indices], Tree | None] | None:
    """Return a function that grows trees on draws of the rows in a faster way; None if there is none.

    It gets the settings, which differ in their seed only, and how often each row was drawn. It returns the tree that
    `grown` would, or None if it cannot grow it. `on_remark` is told why there is no such way. Without scores, those of
    all splits are 0.
    """
    from treecli.grow import forest, ranks

    dataset = dataset.with_derived_columns().with_lowest_values_joined()
    plan = plan_of(settings, dataset)
    refusal = forest.refuses(plan, dataset)
    if refusal is not None:
        if on_remark is not None:
            on_remark(f"not grown from shared ranks: {refusal}")
        return None
    columns = ranks.columns_of(dataset, plan)
    if not forest.has_whole_cases(plan, dataset):
        columns.mixed = forest.prepared(plan, dataset)

    def grow_tree(of_tree: Settings, n_drawn: Indices) -> Tree | None:
        plan = plan_of(of_tree, dataset)
        refusal = forest.refuses_tree(columns, plan, n_drawn)
        if refusal is not None:
            if on_remark is not None:
                on_remark(f"not grown from shared ranks: {refusal}")
            return None
        if not with_scores:
            return forest.grow_bare(columns, plan, n_drawn)
        nodes = forest.grow(columns, plan, n_drawn)
        set_scores(nodes, plan)
        return as_tree(nodes, is_consumed=True)

    return grow_tree


def grown_on(dataset: Dataset, columns: Sequence[int], settings: Settings, how: dict[str, Any]) -> tuple[Tree, Schema]:
    """Return the tree that is grown on some of the columns, with the numbers that they have among all."""
    narrow = dataset.narrowed(columns)
    tree, schema = grown(narrow, settings, **how)
    assert not schema.derived
    return tree.renumbered(dict(enumerate(columns))), dataset.schema
