"""The path of cost-complexity pruning: nested trees with their errors, and the best of them on other data."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from math import inf, sqrt
from typing import TYPE_CHECKING

from treecli.errors import UsageError
from treecli.pruners import _nested, _risk
from treecli.records import dataclass
from treecli.tree import risks
from treecli.wording import counted

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.evaluate.folds import Rows
    from treecli.model import TreeModel
    from treecli.tree import Tree

ROUNDING = 1e-9
"""Errors with a smaller relative difference are equal."""


@dataclass(frozen=True, slots=True)
class Path:
    """The nested trees of a model, from its own tree to its root; errors and alphas are per training case.

    `risk` is the quantity that alpha trades against leaves: the error, or the impurity.
    """

    stages: _nested.Stages
    alpha: list[float]
    n_leaves: list[int]
    n_splits: list[int]
    error: list[float]
    risk: list[float]

    def __len__(self) -> int:
        return len(self.alpha)

    def at(self, alpha: float) -> int:
        """The best tree at a price per leaf."""
        return max(bisect_right(self.alpha, alpha * (1 + _nested.ROUNDING)) - 1, 0)

    def with_leaves(self, n_leaves: int) -> int:
        """The largest tree with at most n_leaves leaves."""
        return next(i for i, own in enumerate(self.n_leaves) if own <= n_leaves)

    def pruned(self, tree: Tree, stage: int) -> Tree:
        """One of the trees, pruned from the model's own."""
        return tree.collapsed(lambda node: self.stages.leaf_from[node] <= stage)


@dataclass(frozen=True, slots=True)
class Validation:
    """The cross-validated error of each tree of a path, with its standard error."""

    error: list[float]
    standard_error: list[float]

    def best(self, *, one_se: bool) -> int:
        """The tree of least error, or the smallest one within a standard error of that; the smallest of equals."""
        least = min(self.error)
        best = self._last_within(least)
        return self._last_within(least + self.standard_error[best]) if one_se else best

    def _last_within(self, most: float) -> int:
        return max(i for i, error in enumerate(self.error) if error <= most * (1 + ROUNDING))


def path_of(model: TreeModel, *, by_impurity: bool = False) -> Path:
    """The path of a model, by rpart's rule if the model was grown with cp."""
    if model.tree.leaf_models:
        raise UsageError(
            "the leaves of the tree have models of their own, whose errors cost-complexity pruning does not estimate",
            "prune it with --method m5, --node or --depth",
        )
    tree = model.tree
    weight = _risk.weight_of(model) or 1.0
    errors = risks(tree, is_classification=model.schema.is_classification)
    risk = _risk.impurities(model) if by_impurity else errors
    cp = model.settings.stopping.cp
    stages = _nested.stages(tree, risk, is_rpart=cp is not None and not by_impurity)
    nothing, one = [0.0] * tree.n_nodes, [1.0] * tree.n_nodes
    alpha = [value / weight for value in stages.alpha]
    if cp is not None and not by_impurity:
        # The tree was already cut while it was grown, and is not available at a lower price.
        alpha[0] = min([max(cp, 0.0) * risk[0] / weight, *alpha[1:2]])
    return Path(
        stages,
        alpha,
        [round(n) for n in stages.totals(one, nothing)],
        [round(n) for n in stages.totals(nothing, one)],
        [error / weight for error in stages.totals(errors, nothing)],
        [value / weight for value in stages.totals(risk, nothing)],
    )


def held_out(model: TreeModel, path: Path, dataset: Dataset) -> list[float]:
    """The error of each tree of a path on other data, per case."""
    scale = _risk.loss_scale(model)
    found = _risk.losses(model, dataset, path.stages, scale)
    return [loss / found.weight * scale for loss in found.loss]


def cross_validated(
    model: TreeModel,
    path: Path,
    dataset: Dataset,
    n_folds: int,
    *,
    by_impurity: bool = False,
    jobs: int | None = None,
    on_progress: Callable[[float], None] | None = None,
) -> Validation:
    """The cross-validated error of each tree of a path.

    For each fold a tree is grown from all others with the model's settings, and pruned at the geometric mean of the
    alphas between which the path's tree is the best (Breiman et al. 1984). The standard error is that of the mean over
    all held-out cases. `jobs` folds run at a time; their number does not change the result.
    """
    from concurrent.futures import ThreadPoolExecutor
    from os import cpu_count

    import numpy as np

    from treecli.evaluate.folds import stratified
    from treecli.grow.grow import grown
    from treecli.model import TreeModel

    dataset = dataset.labelled()
    assert dataset.target is not None
    if n_folds > dataset.n_rows:
        raise UsageError(
            f"--folds {n_folds}, but there is a value of the target in {counted(dataset.n_rows, 'row')} only"
        )
    prices = [_between(alpha, following) for alpha, following in pairwise(path.alpha)] + [inf]
    scale = _risk.loss_scale(model)
    # Each fold derives columns of its own.
    derives = model.settings.splitting.splits or model.settings.inputs.project
    given = replace(model.schema, derived=()) if derives else model.schema

    def lost(fold: tuple[Rows, Rows]) -> _risk.Losses:
        """The losses, on a fold's held-out rows, of the trees of its path that correspond to the prices."""
        outside, inside = fold
        tree, schema = grown(replace(dataset.take(outside), schema=given), model.settings, jobs=1)
        fold_model = TreeModel(schema, model.settings, (), tree)
        fold_path = path_of(fold_model, by_impurity=by_impurity)
        found = _risk.losses(fold_model, dataset.take(inside), fold_path.stages, scale)
        chosen = [fold_path.at(price) for price in prices]
        return _risk.Losses(found.weight, [found.loss[i] for i in chosen], [found.squared[i] for i in chosen])

    weight = 0.0
    loss, squared = np.zeros(len(path)), np.zeros(len(path))
    with ThreadPoolExecutor(jobs or cpu_count() or 1) as threads:
        folds = stratified(dataset.target, n_folds, model.settings.computing.seed)
        for n_done, found in enumerate(threads.map(lost, folds), 1):
            weight += found.weight
            loss += np.array(found.loss)
            squared += np.array(found.squared)
            if on_progress is not None:
                on_progress(n_done / n_folds)
    error = loss / weight
    variance = np.maximum(squared / weight - error**2, 0.0)
    return Validation((error * scale).tolist(), (np.sqrt(variance / weight) * scale).tolist())


def _between(alpha: float, following: float) -> float:
    """The geometric mean of two prices, also if their product overflows or underflows."""
    product = alpha * following
    return sqrt(product) if 0 < product < inf else sqrt(alpha) * sqrt(following)
