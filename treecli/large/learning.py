"""From coded data to a model: grow from counts, prune without rows, measure batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from treecli import plugins
from treecli.engines._limits import Ceiling, refuse
from treecli.engines._passes import ROWS_AT_ONCE
from treecli.engines.duckdb import BOAT
from treecli.errors import UsageError
from treecli.grow.there import grown_by
from treecli.learn import completed, pruned
from treecli.model import Lineage, TreeModel
from treecli.models import predictions
from treecli.outcomes.counts import NUMBERS_AT_ONCE, SparseCounts
from treecli.pruners import pruner

if TYPE_CHECKING:
    from treecli.data import Dataset, Schema
    from treecli.engines._checkpoint import Checkpoint
    from treecli.engines._counting import CountingEngine
    from treecli.grow.coded import CodedData
    from treecli.kernels.args import Plan
    from treecli.recipe import Recipe
    from treecli.tree import Tree

SHARE_BESIDE_CELLS = 0.75
"""Of the rows that fit into memory, if a sample and the counts of its cells were there before."""

BYTES_TO_CUT = 150
"""Of memory that a node takes while a tree is pruned, or splits are removed."""


def check(engine: str, recipe: Recipe) -> None:
    """Raise a UsageError if a recipe cannot be followed without the rows, whatever the data."""
    if recipe.ensemble is not None:
        raise UsageError(f"--engine {engine}: grows one tree, not {recipe.ensemble.flag}", "use --engine memory")
    if recipe.costs_path is not None:
        raise UsageError(f"--engine {engine}: --costs weighs classes by fractions", "use --engine memory")
    if recipe.method is not None and pruner(recipe.method).DATA != "none":
        given = f"--prune {recipe.method}"
        cure = "add --prune none or mdl, and prune the model afterwards with 'treecli prune'"
        if recipe.like is not None:
            given = f"--like {recipe.like} prunes by {recipe.method}, which"
        raise UsageError(f"--engine {engine}: {given} uses rows", cure)


def learn_large(
    engine: str,
    data: CodedData,
    recipe: Recipe,
    ceiling: Ceiling,
    *,
    checkpoint: Checkpoint | None = None,
    strategy: str | None = None,
    on_pass: Callable[[str], None] | None = None,
    jobs: int | None = None,
    **told: Any,
) -> tuple[TreeModel, Lineage, CodedData]:
    """Return the tree that a recipe makes from coded data, what the lineage records of the passes, and the data.

    The data are local in the end if the engine has fetched their codes.

    `strategy` as in the engine, `on_pass` as in CountingEngine, `told` as in `grow.grown_by`.
    """
    settings = completed(recipe.settings, data, data, told.get("on_remark"))
    refuse(engine, settings, data.schema)
    if strategy == BOAT and not data.schema.is_classification:
        raise UsageError(
            f"--strategy {BOAT}: counts classes, and the target '{data.schema.target.name}' is numeric",
            "leave --strategy out",
        )
    if data.has_weights and settings.splitting.branch_share > 0:
        raise UsageError(
            f"--engine {engine}: a branch must hold a share of the rows, and rows with weights are not counted one by "
            "one",
            "leave out --weights or --like, or use --engine memory",
        )
    # Then an engine fetches the codes, and sorts them in ranges.
    is_ordered = not data.schema.is_classification or not data.is_whole
    ceiling.check_sorting(data, all_cuts=settings.splitting.cut_cost or not (data.is_local or is_ordered))
    made: list[CountingEngine] = []
    stopping = settings.stopping
    is_cut = recipe.method is not None or stopping.collapse or stopping.max_leaves is not None

    def check_tree(n_nodes: int, n_bytes: int, share: float) -> None:
        ceiling.check_tree(n_bytes + BYTES_TO_CUT * n_nodes * is_cut, share)

    def make_engine(plan: Plan) -> CountingEngine:
        labels = [len(attribute.labels) for attribute in data.schema.attributes]
        n_branches = max(labels, default=2) if settings.splitting.nominal == "multiway" else 2
        most_rows = ceiling.most_rows(len(data.columns), n_branches)
        how = {}
        if strategy == BOAT:
            most_rows, how = int(SHARE_BESIDE_CELLS * most_rows), {"strategy": strategy}
        made.append(plugins.load("engines", engine).Engine(data, plan, jobs, most_rows, **how))
        made[0].passes.room = ceiling.for_counters
        made[0].passes.most_sorted = ceiling.most_sorted
        made[0].checkpoint, made[0].on_pass = checkpoint, on_pass
        made[0].most_parts = ceiling.most_parts
        made[0].aside.check_tree = check_tree
        made[0].aside.most_nodes = ceiling.most_nodes(n_branches, data.schema.n_outcomes)
        return made[0]

    tree = grown_by(make_engine, data, settings, **told)
    facts = {"name": engine, "passes": made[0].passes.n_done, "finished_in_memory": made[0].aside.n_finished}
    if strategy == BOAT:
        facts["strategy"] = strategy
    model = TreeModel(_with_ranges(data), settings, (), tree).without_unused()
    if recipe.method is not None:
        model = pruned(model, recipe.method, recipe.options, None, {}, jobs=jobs)
    return model, facts, made[0].data


def _with_ranges(data: CodedData) -> Schema:
    """Return the schema with the range of each numeric attribute."""
    attributes = [
        attribute if column.range is None else replace(attribute, range=column.range)
        for attribute, column in zip(data.schema.attributes, data.columns, strict=True)
    ]
    return replace(data.schema, attributes=tuple(attributes))


def errors_of(model: TreeModel, data: CodedData, ceiling: Ceiling, jobs: int | None = None) -> float | None:
    """Return the weight of the rows that a model predicts wrongly.

    If parts of rows are in several nodes, in one more pass; None if that cannot be done.
    """
    policy = model.settings.missing.policy
    if policy != "fractional" or not any(map(data.n_missing, range(len(data.columns)))):
        return _errors_in(model.tree, has_stopped=policy == "stay")
    if not data.is_local or not ceiling.can_predict(model.tree.n_nodes, model.tree.n_outcomes):
        return None
    errors = 0.0
    for first, n in data.batches(ROWS_AT_ONCE):
        rows = _rows(data, first, n)
        errors += float(rows.weights[rows.target != predictions(model, rows, jobs)].sum())
    return errors


def fit_of(
    model: TreeModel, data: CodedData, ceiling: Ceiling, jobs: int | None = None
) -> tuple[float, float, float | None] | None:
    """Return the mean absolute and the root mean squared error of a model for a numeric target, and r2.

    r2 is None if the target is constant. None if the model and what predicting takes do not fit into memory.
    """
    import numpy as np

    if not ceiling.can_predict(model.tree.n_nodes, 1):
        return None
    absolute = squared = 0.0
    for first, n in data.batches(ROWS_AT_ONCE):
        rows = _rows(data, first, n)
        assert rows.target is not None
        difference = rows.target - predictions(model, rows, jobs)
        absolute += float(np.sum(rows.weights * np.abs(difference)))
        squared += float(np.sum(rows.weights * difference**2))
    weight, _, deviance = model.tree.outcomes_of(0)
    return absolute / weight, (squared / weight) ** 0.5, 1 - squared / deviance if deviance > 0 else None


def _rows(data: CodedData, first: int, n: int) -> Dataset:
    """Return some consecutive rows as a data set."""
    columns = [data.decoded(a, data.column(a, first, n)) for a in range(len(data.columns))]
    target = data.targets(first, n)
    return data.dataset(columns, data.labels(first, n) if target is None else target, data.weights_of(first, n))


def _errors_in(tree: Tree, *, has_stopped: bool) -> float:
    """Return the weight of the cases in leaves of another class; with `has_stopped`, cases may be at inner nodes."""
    import numpy as np

    n_branches = np.frombuffer(tree.n_branches, np.int32)
    errors, code = 0.0, np.zeros(tree.n_nodes, np.int32)
    for nodes, weights in _outcomes(tree):
        code[nodes] = weights.argmax(axis=1)
        wrong = weights.sum(axis=1) - weights.max(axis=1)
        errors += float(wrong.sum() if has_stopped else wrong[n_branches[nodes] == 0].sum())
    if has_stopped:
        # All cases of a node were counted as if it were a leaf, so those of its children are subtracted.
        code_of_parent = np.append(code[:1], np.repeat(code, n_branches))
        for nodes, weights in _outcomes(tree):
            own = weights if nodes.start else weights[1:]
            predicted = code_of_parent[nodes][-len(own) :, None] if len(own) else code[:0, None]
            errors -= float(own.sum() - np.take_along_axis(own, predicted, axis=1).sum())
    return errors


def _outcomes(tree: Tree) -> Iterator[tuple[slice, Any]]:
    """Yield the class weights of some nodes at a time."""
    import numpy as np

    if isinstance(tree.outcomes, SparseCounts):
        yield from tree.outcomes.blocks()
        return
    outcomes = np.frombuffer(tree.outcomes).reshape(-1, tree.n_outcomes)
    step = max(NUMBERS_AT_ONCE // tree.n_outcomes, 1)
    for begin in range(0, len(outcomes), step):
        yield slice(begin, min(begin + step, len(outcomes))), outcomes[begin : begin + step]
