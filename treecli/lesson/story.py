"""Everything that a lesson shows, computed by the learner: its tree, other trees, measures, samples and sheets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from treecli.errors import DataError, UsageError
from treecli.experiment import samples as sampling
from treecli.experiment.stability import stability
from treecli.learn import learn
from treecli.lesson.sheets import Sheet, sheets
from treecli.lesson.variants import MOST_NODES, N_WAYS, Nursery, Picked, RootTrace, Variant, root_trace
from treecli.options.sampling import ALL
from treecli.pruners import pruner
from treecli.settings.growing import RANDOM
from treecli.settings.searching import GREEDY
from treecli.teaching import prunings
from treecli.teaching.candidates import Style
from treecli.wording import counted

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.recipe import Recipe
    from treecli.teaching.numbers import Digits

USUAL_CRITERION = "gain"
"""The criterion of a lesson for classes if none is given: the one that lectures begin with."""

SWITCHABLE = ("gain", "gainratio", "gini")
CRITERIA = (*SWITCHABLE, "error", "variance", "sdr")
"""The criteria that have a lesson."""

METHODS = ("pessimistic", "mdl", "min-error")
"""The pruning methods that compare each subtree with a leaf once."""

USUAL_METHOD = "pessimistic"

N_SAMPLES = 1000
FEWEST_SAMPLES = 100
MOST_SAMPLED_ROWS = 2_000_000
"""With many rows there are fewer samples, so that all samples together have no more rows."""

MOST_NODE_STEPS = 6
"""Nodes after the root that have a step of their own."""

MOST_VARIANTS = 10
"""Other trees that can be kept."""


@dataclass(frozen=True)
class Story:
    """A lesson's trees and numbers. `others` has the trees of other picks by the node of the pick."""

    name: str
    dataset: Dataset
    style: Style
    nursery: Nursery
    main: Variant
    others: dict[int, list[Variant]]
    switch: dict[str, RootTrace]
    recipe: Recipe
    method: str | None
    confidence: float | None

    @property
    def digits(self) -> Digits:
        return self.style.digits

    @property
    def n_samples(self) -> int:
        """The number of bootstrap samples."""
        return max(min(N_SAMPLES, MOST_SAMPLED_ROWS // self.dataset.n_rows), FEWEST_SAMPLES)

    @cached_property
    def roots(self) -> list[tuple[str | None, float]]:
        """The attributes at the roots of the trees of bootstrap samples with their shares, most frequent first."""
        settings = self.main.model.settings.changed(max_depth=1)
        samples = sampling.drawn(self.dataset, self.n_samples, settings.computing.seed)
        found = stability(self.dataset, replace(self.recipe, settings=settings), samples, jobs=1)
        names = [column.name for column in self.dataset.schema.columns]
        counts = [(name, found.roots(name)) for name in (*names, None)]
        return [(name, n / self.n_samples) for name, n in sorted(counts, key=lambda own: -own[1]) if n]

    @cached_property
    def sheets(self) -> list[Sheet]:
        """Sheets with other numbers."""
        return sheets(self.dataset, self.main.model.settings, self.style)

    @cached_property
    def node_steps(self) -> list[int]:
        """The inner nodes after the root that have a step of their own."""
        return self.main.inner[1 : 1 + MOST_NODE_STEPS]

    @cached_property
    def kept(self) -> list[Variant]:
        """The other trees that are small enough to be kept; the first has number 1."""
        every = [own for variants in self.others.values() for own in variants]
        return [own for own in every if own.model.tree.n_nodes <= MOST_NODES][:MOST_VARIANTS]

    @cached_property
    def further(self) -> list[dict[int, list[Picked]]]:
        """For each of the trees that can be kept, the trees of picks at its nodes, by node."""
        return [
            {node: list(self.nursery.further(self.main, own, node)) for node in own.inner[1 : 1 + MOST_NODE_STEPS]}
            for own in self.kept
        ]


def check_recipe(recipe: Recipe) -> Recipe:
    """Return the recipe with a lesson's criterion if none is given; raise a UsageError for what has no lesson."""
    criterion = recipe.settings.splitting.criterion
    if criterion is not None and criterion not in CRITERIA:
        raise UsageError(
            f"--criterion {criterion}: lessons are by {', '.join(CRITERIA)}", "'treecli trace' shows its arithmetic"
        )
    if recipe.method is not None and recipe.method not in METHODS:
        raise UsageError(
            f"--prune {recipe.method}: lessons compare each subtree with a leaf once",
            f"use {', '.join(METHODS[:-1])} or {METHODS[-1]}; 'treecli trace' shows the arithmetic of others",
        )
    shown = {
        "--splits": not recipe.settings.splitting.splits,
        "--force": recipe.settings.inputs.force is None,
        "--leaf-model": not recipe.settings.predicting.has_models,
        "--features": recipe.settings.sampling.features == ALL,
        "--threshold random": recipe.settings.splitting.threshold != RANDOM,
        "--like c50": recipe.settings.computing.arithmetic != "c50",
        "--winnow": not recipe.settings.inputs.winnow,
        "--monotone": recipe.settings.inputs.monotone is None,
        "--attribute-costs": recipe.settings.inputs.attribute_costs is None,
        "--project": recipe.settings.inputs.project is None,
        "--priors": recipe.settings.predicting.priors is None,
        "--costs": recipe.costs_path is None,
        f"--search {recipe.settings.searching.search}": recipe.settings.searching.search == GREEDY,
    }
    for option, is_shown in shown.items():
        if not is_shown:
            raise UsageError(f"{option}: has no lesson", "leave it out; 'treecli trace' shows its arithmetic")
    return recipe


def told(name: str, dataset: Dataset, recipe: Recipe, digits: Digits) -> Story:
    """Return the story of the data: grow, grow again with other picks, prune, draw samples and sheets."""
    dataset = dataset.labelled()
    if dataset.schema.is_classification and recipe.settings.splitting.criterion is None and recipe.like is None:
        recipe = replace(recipe, settings=recipe.settings.changed(criterion=USUAL_CRITERION))
    growing = replace(recipe, method=None, options=None)
    model = learn(dataset, growing)
    settings = model.settings
    if model.tree.n_nodes > MOST_NODES:
        raise UsageError(
            f"the tree has {model.tree.n_nodes} nodes, more than the {MOST_NODES} of a lesson",
            f"end it earlier: --depth {_depth_that_fits(model.tree)}",
        )
    if model.tree.is_leaf(0):
        raise DataError(f"{name}: the tree is a single leaf, which teaches nothing", "use other data or options")
    style = Style(digits, n_ways=N_WAYS)
    method, options = _pruning(recipe) if dataset.schema.is_classification else (None, None)
    if recipe.method is not None and method is None:
        raise UsageError(
            f"--prune {recipe.method}: is shown for classes, but '{dataset.schema.target.name}' is numeric"
        )
    nursery = Nursery(dataset, model, style, method, options)
    main = nursery.main()
    steps = [0, *main.inner[1 : 1 + MOST_NODE_STEPS]]
    others = {node: list(nursery.others(main, node)) for node in steps}
    own = settings.splitting.criterion or USUAL_CRITERION
    names = [own, *(each for each in SWITCHABLE if each != own)] if dataset.schema.is_classification else [own]
    switch = {each: root_trace(dataset, settings.changed(criterion=each), style) for each in names}
    return Story(
        name,
        dataset,
        style,
        nursery,
        main,
        others,
        switch,
        growing,
        method,
        None if options is None else getattr(options, "confidence", None),
    )


def _pruning(recipe: Recipe) -> tuple[str, Any]:
    """The method of the pruning step, and its options: C4.5's estimate if no method is given."""
    if recipe.method is not None:
        prunings.check(recipe.method, recipe.options)
        options = recipe.options  # a lesson compares each subtree with a leaf once
        return recipe.method, replace(options, raises=False) if hasattr(options, "raises") else options
    return USUAL_METHOD, pruner(USUAL_METHOD).Options(c45_estimate=True, raises=False)


def _depth_that_fits(tree: Any) -> int:
    """The greatest depth at which a tree has no more nodes than a lesson shows."""
    depths = tree.depths()
    fitting = [depth for depth in range(1, max(depths) + 1) if sum(own <= depth for own in depths) <= MOST_NODES]
    return max(fitting, default=1)


def size(variant: Variant) -> str:
    """Return a tree's size in nodes and leaves, for messages."""
    tree = variant.model.tree
    return f"{counted(tree.n_nodes, 'node')}, {counted(tree.n_leaves, 'leaf', 'leaves')}"
