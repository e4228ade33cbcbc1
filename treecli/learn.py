"""From data to a model: hold out rows, grow, prune."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

from treecli.errors import UsageError
from treecli.model import ABSOLUTE, EnsembleModel, Lineage, Model, TreeModel
from treecli.options.ensembles import AS_WEKA, HALF_WAY
from treecli.pruners import pruner
from treecli.wording import counted

if TYPE_CHECKING:
    from treecli.data import Column, Dataset, Schema
    from treecli.ensembles.watch import Watch
    from treecli.evaluate import winnowing
    from treecli.evaluate.folds import Rows
    from treecli.grow.coded import CodedData
    from treecli.recipe import Recipe
    from treecli.settings import Settings

TUNE_FRACTION = 1 / 3
"""The default share of the rows held out for a method that needs tuning data."""


def learn_any(dataset: Dataset, recipe: Recipe, *, with_ranges: bool = True, **how: Any) -> Model:
    """The model that a recipe makes from a part of the data: a tree as by `learn`, or several trees; `how` as there.

    The part may have rows of one class only.
    """
    if recipe.ensemble is None:
        return learn(dataset, recipe, with_ranges=with_ranges, **how)
    from treecli.ensembles.checks import check_ensemble
    from treecli.ensembles.watch import Watch

    jobs, _ = how.pop("jobs", None), how.pop("tuning", None)
    check_ensemble(dataset, recipe)
    return _ensemble(dataset, recipe, jobs, Watch(**how), with_ranges=with_ranges)


def learn(
    dataset: Dataset,
    recipe: Recipe,
    *,
    tuning: Dataset | None = None,
    jobs: int | None = None,
    on_remark: Callable[[str], None] | None = None,
    with_ranges: bool = True,
    **told: Any,
) -> TreeModel:
    """The tree that a recipe makes from the data; its lineage records the search and the pruning.

    `on_remark` is told in which arithmetic and in which way the tree was grown, and why not in another; `told` are
    `on_progress`, `on_warning` and `on_note` of `grown`. `with_ranges`: the schema records the range of each numeric
    attribute, which no prediction needs.
    """
    from treecli.grow.grow import grown, grown_on

    _check_leaf_models(recipe, dataset.schema)
    growing = dataset
    step: Lineage = {}
    if recipe.method is not None and pruner(recipe.method).DATA == "needed" and tuning is None:
        growing, tuning = _tuning_rows(dataset, recipe)
        step["tuning_rows"] = tuning.n_rows
    settings = completed(recipe.settings, dataset, growing, on_remark)
    searched: list[Lineage] = []
    how: dict[str, Any] = {"jobs": jobs, "on_remark": on_remark, "on_facts": searched.append, **told}
    if settings.inputs.winnow:
        tree, schema = grown_on(growing, winnowed(growing, settings, on_remark).kept, settings, how)
    else:
        tree, schema = grown(growing, settings, **how)
    if schema is not growing.schema:
        growing = replace(growing, schema=schema)
    described = _with_ranges(growing) if with_ranges else growing.schema
    model = TreeModel(described, settings, tuple(searched), tree).without_unused()
    if settings.predicting.has_models:
        model = _with_leaf_models(model, growing)
    if recipe.method is None:
        return _with_merged_leaves(model)
    data = growing if pruner(recipe.method).DATA == "optional" else tuning
    return _with_merged_leaves(pruned(model, recipe.method, recipe.options, data, step, jobs=jobs))


def _with_merged_leaves(model: TreeModel) -> TreeModel:
    """The model with sibling leaves merged, if its settings ask for that."""
    if not (model.settings.stopping.merges_leaves and model.schema.is_classification):
        return model
    from treecli.grow.siblings import with_merged_siblings

    return replace(model, tree=with_merged_siblings(model.tree))


def completed(
    settings: Settings,
    dataset: Dataset | CodedData,
    growing: Dataset | CodedData,
    on_remark: Callable[[str], None] | None,
) -> Settings:
    """The settings with the criterion that fits the target, and with an arithmetic that fits the rows."""
    from treecli.criteria import criterion_for
    from treecli.grow.plan import arithmetic_refusal

    name, _ = criterion_for(settings, dataset.schema)
    if settings.splitting.criterion != name:
        settings = settings.changed(criterion=name)
    refusal = arithmetic_refusal(settings, growing)
    if refusal is not None:
        if on_remark is not None:
            on_remark(f"scores are sums, not in the arithmetic '{settings.computing.arithmetic}': {refusal}")
        settings = settings.changed(arithmetic="sums")
    return settings


def learn_ensemble(
    dataset: Dataset, recipe: Recipe, *, jobs: int | None = None, watch: Watch | None = None, with_ranges: bool = True
) -> EnsembleModel:
    """The forest or the boosted trees that a recipe makes from the data, which have two classes or more."""
    return cast("EnsembleModel", learn_several(dataset, recipe, jobs=jobs, watch=watch, with_ranges=with_ranges))


def learn_several(
    dataset: Dataset, recipe: Recipe, *, jobs: int | None = None, watch: Watch | None = None, with_ranges: bool = True
) -> Model:
    """The forest, the boosted trees or the boosted sets of rules that a recipe makes from the data."""
    from treecli.ensembles.checks import check_classes, check_ensemble
    from treecli.ensembles.watch import Watch

    check_ensemble(dataset, recipe)
    check_classes(dataset, recipe)
    return _ensemble(dataset, recipe, jobs, watch or Watch(), with_ranges=with_ranges)


def _ensemble(dataset: Dataset, recipe: Recipe, jobs: int | None, watch: Watch, *, with_ranges: bool) -> Model:
    from treecli.ensembles.boosting import boosted
    from treecli.ensembles.forest import forest
    from treecli.ensembles.halfstep import boosted_half_way
    from treecli.ensembles.rulesets import boosted_rulesets

    ensemble = recipe.ensemble
    assert ensemble is not None
    if ensemble.kind == "forest":
        settings = completed(recipe.settings, dataset, dataset, watch.on_remark)
        if ensemble.usual_features:
            settings = settings.changed(features="sqrt" if dataset.schema.is_classification else "third")
        model: Model = forest(dataset, settings, ensemble, jobs=jobs, watch=watch)
    else:
        alone = replace(recipe, ensemble=None)
        told: dict[str, None] = {}
        how: dict[str, Any] = {"jobs": jobs, "on_warning": told.setdefault, "with_ranges": False}
        if ensemble.boosting == HALF_WAY:
            learner = _half_way_learner(dataset, alone, how, watch)
            boosting = boosted_rulesets if ensemble.rulesets else boosted_half_way
            model = boosting(dataset, learner, ensemble, jobs=jobs, watch=watch)
        else:
            as_grown = _learner_of_grown(alone, how) if ensemble.boosting == AS_WEKA else None
            learner_of_trees = partial(learn, recipe=alone, **how)
            model = boosted(dataset, learner_of_trees, ensemble, as_grown=as_grown, jobs=jobs, watch=watch)
        for warning in told if watch.on_warning is not None else ():
            watch.on_warning(warning)  # type: ignore[misc]
    if with_ranges:
        model = model.redescribed(schema=replace(_with_ranges(dataset), derived=model.schema.derived))
    return model


def _learner_of_grown(recipe: Recipe, how: dict[str, Any]) -> Callable[[Dataset], TreeModel] | None:
    """The learner of a recipe's trees before they are collapsed and pruned; None if rows are held out for pruning."""
    if recipe.method is not None and pruner(recipe.method).DATA == "needed":
        return None
    grown = replace(recipe, method=None, settings=recipe.settings.changed(collapse=False))
    return partial(learn, recipe=grown, **how)


def _half_way_learner(
    dataset: Dataset, recipe: Recipe, how: dict[str, Any], watch: Watch
) -> Callable[[Dataset, float | None], TreeModel]:
    """The learner of C5.0's boosted trees; winnowing is done once, before the first."""
    kept: list[int] | None = None
    if recipe.settings.inputs.winnow:
        kept = winnowed(dataset, completed(recipe.settings, dataset, dataset, None), watch.on_remark).kept

    def learner(rows: Dataset, rate: float | None) -> TreeModel:
        own = recipe if rate is None else _later_trial(recipe, rate)
        if kept is None:
            return learn(rows, own, **how)
        narrow = replace(own, settings=own.settings.changed(winnow=False))
        model = learn(rows.narrowed(kept), narrow, **how)
        tree = model.tree.renumbered(dict(enumerate(kept)))
        return replace(model, schema=dataset.schema, settings=model.settings.changed(winnow=True), tree=tree)

    return learner


def _later_trial(recipe: Recipe, rate: float) -> Recipe:
    """The recipe of a boosted tree after the first, as in C5.0: fewer leaves, and no subtree is raised."""
    options = recipe.options
    if recipe.method == HALF_WAY:
        options = replace(options, regrows=False)
    return replace(recipe, options=options, settings=recipe.settings.changed(leaf_rate=rate))


def winnowed(
    dataset: Dataset, settings: Settings, on_remark: Callable[[str], None] | None = None
) -> winnowing.Winnowed:
    """The attributes that winnowing keeps, and why."""
    from treecli.evaluate import winnowing

    method = pruner("pessimistic")
    options = method.Options(raises=False, c45_estimate=settings.computing.arithmetic == HALF_WAY)
    found = winnowing.winnowed(dataset, settings, lambda model: method.prune(model, options, None))
    if on_remark is not None:
        for remark in found.remarks(dataset.schema):
            on_remark(remark)
    return found


def _check_leaf_models(recipe: Recipe, schema: Schema) -> None:
    """Raises a UsageError if the recipe asks for models at the leaves that there cannot be."""
    predicting, name = recipe.settings.predicting, schema.target.name
    if not predicting.has_models:
        return
    given = "--smooth" if predicting.leaf_model == "constant" else f"--leaf-model {predicting.leaf_model}"
    given = given if recipe.like is None else f"--like {recipe.like}"
    if schema.is_classification:
        raise UsageError(f"{given} is for a numeric target, but '{name}' is nominal", "leave it out")
    if recipe.settings.splitting.criterion == ABSOLUTE:
        raise UsageError(f"{given} minimizes squared errors, --criterion absolute does not", "use --criterion variance")
    if recipe.settings.predicting.single_precision:
        raise UsageError(f"{given}: models at leaves are not computed in 32 bits", "leave out --like sklearn")
    if recipe.method is not None and not getattr(pruner(recipe.method), "TAKES_LEAF_MODELS", False):
        reason = "the leaves have models of their own, whose errors it does not estimate"
        raise UsageError(f"--prune {recipe.method} and {given}: {reason}", "use --prune m5 or none")


def _with_leaf_models(model: TreeModel, dataset: Dataset) -> TreeModel:
    """The model with linear or smoothed predictions, fitted to the rows that reach each node unless the search did.

    A row that goes down several branches counts in the heaviest one.
    """
    from treecli.modeltrees.columns import Columns, columns_of
    from treecli.modeltrees.fitting import fitted, rows_of_nodes
    from treecli.modeltrees.smoothing import smoothed
    from treecli.predict.predict import single_leaves

    tree, predicting = model.tree, model.settings.predicting
    if not tree.leaf_models:
        data = dataset.labelled()
        columns = columns_of(data) if predicting.leaf_model == "linear" else Columns.none(data.n_rows)
        rows = rows_of_nodes(tree, single_leaves(model, data))
        tree = replace(tree, leaf_models=fitted(tree, model.schema, columns, data, rows))
    return replace(model, tree=replace(tree, leaf_models=smoothed(tree, is_on=predicting.smooths)))


def _with_ranges(dataset: Dataset) -> Schema:
    """The schema with the range of each numeric attribute in the rows that count; none if a value is infinite."""
    import numpy as np

    rows = dataset.labelled()
    if not rows.weights.all():
        rows = rows.take(np.flatnonzero(rows.weights))
    attributes = []
    for attribute, values in zip(rows.schema.attributes, rows.columns, strict=True):
        if attribute.is_numeric and len(values):
            # Adding 0 turns -0.0 into 0.0; otherwise the order of the rows would decide between them.
            low, high = float(np.fmin.reduce(values)) + 0.0, float(np.fmax.reduce(values)) + 0.0
            if isfinite(low) and isfinite(high):
                attribute = replace(attribute, range=(low, high))
        attributes.append(attribute)
    return replace(rows.schema, attributes=tuple(attributes))


def pruned(
    model: TreeModel, method: str, options: Any, dataset: Dataset | None, facts: Lineage, *, jobs: int | None = None
) -> TreeModel:
    """The pruned model, with a lineage step that records the pruning and `facts`."""
    if model.tree.leaf_models and not getattr(pruner(method), "TAKES_LEAF_MODELS", False):
        raise UsageError(
            f"--method {method}: the leaves of the tree have models of their own, whose errors it does not estimate",
            "prune it with --method m5, --node or --depth",
        )
    if model.settings.inputs.monotone is not None and dataset is not None and getattr(options, "raises", False):
        raise UsageError(
            f"--method {method}: a raised subtree may lie outside the bounds of --monotone",
            "add --no-regrow" if method == HALF_WAY else "add --no-raise",
        )
    if model.tree.forced and getattr(options, "raises", False):
        raise UsageError(f"--method {method}: raising would move leaves with a forced class", "add --no-raise")
    if model.settings.inputs.winnow and dataset is not None and getattr(pruner(method), "GROWS", False):
        raise UsageError(f"--method {method}: it grows trees of its own, which --winnow does not reach")
    before = model.tree.n_leaves
    threads = {"jobs": jobs} if getattr(pruner(method), "GROWS", False) else {}
    if dataset is not None and dataset.schema is not model.schema:
        dataset = replace(dataset, schema=model.schema)
    tree = pruner(method).prune(model, options, dataset, **threads)
    step: Lineage = {"command": "prune", "method": method, "options": asdict(options), **facts}
    step |= {"leaves_before": before, "leaves_after": tree.n_leaves}
    return replace(model, tree=tree, lineage=(*model.lineage, step)).without_unused()


def held_aside(dataset: Dataset, fraction: float, seed: int) -> tuple[Dataset, Dataset]:
    """The remaining rows, and a stratified random share of the rows."""
    classes = dataset.target if dataset.schema.is_classification else None
    staying, aside = _drawn(dataset.n_rows, classes, fraction, seed)
    return dataset.take(staying), dataset.take(aside)


def _drawn(n_rows: int, classes: Column | None, fraction: float, seed: int) -> tuple[Rows, Rows]:
    """The places of the remaining rows, and of a random share of the rows, stratified by class."""
    import numpy as np

    shuffled = np.random.default_rng(seed).permutation(n_rows)
    if classes is not None:
        shuffled = shuffled[np.argsort(classes[shuffled], kind="stable")]
    is_aside = np.diff(np.floor(np.arange(n_rows + 1) * fraction + 0.5)) > 0
    if not is_aside.any() or is_aside.all():
        raise UsageError(f"a fraction of {fraction:g} of {counted(n_rows, 'row')} leaves none on one side")
    return np.sort(shuffled[~is_aside]), np.sort(shuffled[is_aside])


def tuning_places(target: Column, recipe: Recipe) -> tuple[Rows | None, Rows]:
    """The places of the rows to grow from, and of the rows to prune with.

    None stands for all rows: as in J48, the rows to prune with still count where a rule counts all rows, like rows
    without a target.
    """
    import numpy as np

    from treecli.evaluate.folds import in_weka_strata

    is_numeric = target.dtype == np.float64
    if recipe.tune_fold is None:
        fraction, seed = recipe.tune_fraction or TUNE_FRACTION, recipe.settings.computing.seed
        return _drawn(len(target), None if is_numeric else target, fraction, seed)
    rows = np.flatnonzero(target == target if is_numeric else target >= 0)
    order = in_weka_strata(target[rows], recipe.tune_fold, list(range(len(rows))))
    return None, np.sort(rows[order[len(order) - len(order) // recipe.tune_fold :]])


def _tuning_rows(dataset: Dataset, recipe: Recipe) -> tuple[Dataset, Dataset]:
    """The rows to grow from and the rows to prune with."""
    import numpy as np

    from treecli.data import MISSING

    assert dataset.target is not None
    staying, aside = tuning_places(dataset.target, recipe)
    if staying is not None:
        return dataset.take(staying), dataset.take(aside)
    target = dataset.target.copy()
    target[aside] = np.nan if dataset.schema.target.is_numeric else MISSING
    return replace(dataset, target=target), dataset.take(aside)
