"""Learning curves: a learner on nested samples of growing size, and the trees of its pruning path by size or depth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import mean, stdev
from typing import TYPE_CHECKING

from treecli import measures
from treecli.errors import TreecliError, UsageError
from treecli.experiment.folds import Fold
from treecli.experiment.run import Wanted, ran
from treecli.experiment.workers import mapped
from treecli.wording import counted

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.evaluate.folds import Rows
    from treecli.evaluate.result import Result
    from treecli.model import TreeModel
    from treecli.recipe import Recipe
    from treecli.tree import Tree

SIZE, LEAVES, DEPTH = "size", "leaves", "depth"

BY = (SIZE, LEAVES, DEPTH)

FIRST_SHARE = 0.1
"""The share of the rows in the smallest of the usual samples."""

LARGEST_SHARE = 0.8
"""The usual samples leave at least a fifth of the rows to test on."""

ALL_LEAVES, STEP = 20, 1.1
"""Larger trees are compared at numbers of leaves that grow by this factor."""


@dataclass(frozen=True, slots=True)
class Point:
    """The means of a measure on training and test rows at one size; `sd` is that of the test over repeats or folds."""

    x: int
    train: float
    test: float
    sd: float | None
    leaves: float


def usual_sizes(n_rows: int) -> list[int]:
    """Return sample sizes that double from a tenth of the rows up to four fifths."""
    sizes = [max(round(FIRST_SHARE * n_rows), 2)]
    while 2 * sizes[-1] <= LARGEST_SHARE * n_rows:
        sizes.append(2 * sizes[-1])
    return sizes


def samples(dataset: Dataset, sizes: Sequence[int], repeats: int, seed: int) -> list[Fold]:
    """Return a fold for each repeat and size: a stratified sample to train on, all other rows to test on.

    Within a repeat each sample contains the smaller ones. Repeat r is drawn with the seed `seed` + r - 1. `fold` is the
    place of the size.
    """
    import numpy as np

    n = dataset.n_rows
    if max(sizes) >= n:
        raise UsageError(f"a sample of {max(sizes)} of {counted(n, 'row')} leaves none to test on", "use smaller sizes")
    folds = []
    for repeat in range(repeats):
        order = _in_even_shares(dataset, seed + repeat)
        for place, size in enumerate(sizes, 1):
            folds.append(Fold(repeat + 1, place, np.sort(order[:size]), np.sort(order[size:])))
    return folds


def _in_even_shares(dataset: Dataset, seed: int) -> Rows:
    """Return the rows in a random order whose every beginning has the classes in their shares, up to one row each."""
    import numpy as np

    assert dataset.target is not None
    shuffled = np.random.default_rng(seed).permutation(dataset.n_rows)
    if not dataset.schema.is_classification:
        return shuffled
    classes = dataset.target[shuffled]
    place = np.empty(len(classes))
    for code in np.unique(classes):
        own = np.flatnonzero(classes == code)
        place[own] = (np.arange(len(own)) + 0.5) / len(own)
    return shuffled[np.argsort(place, kind="stable")]


def by_size(
    dataset: Dataset,
    recipe: Recipe,
    sizes: Sequence[int],
    repeats: int,
    measure: str,
    *,
    jobs: int | None = None,
    on_done: Callable[[float], None] = lambda _: None,
) -> list[Point]:
    """Return the measure of models that are trained on samples of these sizes."""
    folds = samples(dataset, sizes, repeats, recipe.settings.computing.seed)
    wanted = Wanted(probabilities=measures.needs_probabilities([measure]), train=True)
    figures: dict[int, list[tuple[float | None, float | None, int]]] = {size: [] for size in sizes}
    tasks = [(0, fold) for fold in range(len(folds))]
    for n_done, cell in enumerate(ran([(dataset, recipe)], tasks, [folds], wanted, jobs), 1):
        if isinstance(cell, TreecliError):
            raise cell
        train, test = (None if own is None else measures.value(measure, own) for own in (cell.train, cell.result))
        n_leaves = 0 if cell.result is None else cell.result.n_leaves or 0
        figures[sizes[cell.fold - 1]].append((train, test, n_leaves))
        on_done(n_done / len(folds))
    points = [_point(size, own) for size, own in figures.items()]
    return [point for point in points if point is not None]


def _point(x: int, figures: Iterable[tuple[float | None, float | None, float]]) -> Point | None:
    """Return the means where both figures are defined; None if they never are."""
    known = [(train, test, leaves) for train, test, leaves in figures if train is not None and test is not None]
    if not known:
        return None
    train, test, leaves = zip(*known, strict=True)
    return Point(x, mean(train), mean(test), stdev(test) if len(test) > 1 else None, mean(leaves))


def by_complexity(
    dataset: Dataset,
    recipe: Recipe,
    folds: Sequence[Fold],
    by: str,
    measure: str,
    *,
    jobs: int | None = None,
    on_done: Callable[[float], None] = lambda _: None,
) -> list[Point]:
    """Return the measure of trees with up to so many leaves, or levels, averaged over the folds.

    The trees are those of the cost-complexity path of each fold's tree.
    """

    def work(fold: Fold) -> dict[int, tuple[float | None, float | None, int]]:
        return _figures(dataset, recipe, fold, by, measure)

    found = []
    for n_done, own in enumerate(mapped(work, folds, jobs), 1):
        found.append(own)
        on_done(n_done / len(folds))
    points = []
    for x in sorted({x for own in found for x in own}):
        # A fold whose tree is smaller keeps its largest tree.
        points.append(_point(x, [own[max(size for size in own if size <= x)] for own in found]))
    return [point for point in points if point is not None]


def _figures(
    dataset: Dataset, recipe: Recipe, fold: Fold, by: str, measure: str
) -> dict[int, tuple[float | None, float | None, int]]:
    """Return the measure on training and test rows, and the leaves, of a fold's trees, by leaves or by depth."""
    from treecli.learn import learn
    from treecli.models import result_of

    train, test = dataset.take(fold.train).labelled(), dataset.take(fold.test).labelled()
    model = learn(dataset.take(fold.train), recipe, jobs=1)
    with_probabilities = measures.needs_probabilities([measure])

    def value(smaller: TreeModel, rows: Dataset) -> float | None:
        if not rows.weights.any():
            return None
        result: Result = result_of(smaller, rows, 1, with_probabilities)
        return measures.value(measure, result)

    figures: dict[int, tuple[float | None, float | None, int]] = {}
    before: tuple[Tree | None, int] = None, 0
    for x, tree in _trees(model, by):
        if before[0] is not None and before[0].n_nodes == tree.n_nodes:
            figures[x] = figures[before[1]]
        else:
            smaller = replace(model, tree=tree)
            figures[x] = value(smaller, train), value(smaller, test), tree.n_leaves
        before = tree, x
    return figures


def _trees(model: TreeModel, by: str) -> Iterable[tuple[int, Tree]]:
    """Yield, for each number of leaves, or each depth, the largest tree of the pruning path that has no more."""
    from treecli.pruners._path import path_of

    path = path_of(model)
    if by == LEAVES:
        for x in _numbers_of_leaves(model.tree.n_leaves):
            yield x, path.pruned(model.tree, path.with_leaves(x))
        return
    depths = path.stages.depths(model.tree.depths())
    for x in range(depths[0] + 1):
        yield x, path.pruned(model.tree, next(stage for stage, depth in enumerate(depths) if depth <= x))


def _numbers_of_leaves(most: int) -> Iterable[int]:
    """Yield all numbers of leaves up to ALL_LEAVES, then steps of a tenth, until one is no less than `most`."""
    x = 1
    yield x
    while x < most:
        x = x + 1 if x < ALL_LEAVES else round(STEP * x)
        yield x
