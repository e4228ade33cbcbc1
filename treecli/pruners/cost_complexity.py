"""Cost-complexity pruning: weakest links go first, up to a price of a leaf (Breiman, Friedman, Olshen, Stone 1984)."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from treecli.errors import UsageError
from treecli.pruners import option
from treecli.wording import number_text

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import TreeModel
    from treecli.pruners._path import Path
    from treecli.tree import Tree

DATA = "optional"
GROWS = True

N_FOLDS = 10
"""The folds of a cross-validation that nobody has said how to divide."""


@dataclass(frozen=True, slots=True)
class Options:
    """Which of the nested trees to take: by its price, by its size, or by cross-validation."""

    alpha: float | None = option(None, "The price of a leaf, in errors per training case.", type=float)
    cp: float | None = option(None, "The price of a leaf, as a share of the error of the root alone.", type=float)
    leaves: int | None = option(None, "Take the largest tree of the path with at most X leaves.", type=int)
    folds: int | None = option(
        None,
        "Take the tree of least error in a cross-validation with X folds of the training data; "
        f"{N_FOLDS} if there are data and no other option chooses a tree.",
        type=int,
    )
    one_se: bool = option(
        False, "Of the cross-validated trees, take the smallest within a standard error of the least."
    )
    by_impurity: bool = option(
        False, "Trade the tree's impurity, not its errors, against leaves, as scikit-learn does."
    )

    def __post_init__(self) -> None:
        ways = {"--alpha": self.alpha, "--cp": self.cp, "--leaves": self.leaves, "--folds": self.folds}
        given = [name for name, value in ways.items() if value is not None]
        if len(given) > 1:
            raise UsageError(f"{given[0]} and {given[1]} each choose a tree", "leave one of them out")
        for name, value, least in (("--alpha", self.alpha, 0), ("--cp", self.cp, 0), ("--leaves", self.leaves, 1)):
            if value is not None and not least <= value < inf:
                raise UsageError(f"{name} {number_text(value)}: expected a number from {least} on")
        if self.folds is not None and self.folds < 2:
            raise UsageError(f"--folds {self.folds}: expected 2 or more")
        if self.one_se and not self.uses_data:
            raise UsageError(
                f"--one-se goes with cross-validation, but {given[0]} chooses the tree", f"leave {given[0]} out"
            )

    @property
    def uses_data(self) -> bool:
        """Whether the tree is chosen by cross-validation."""
        return self.alpha is None and self.cp is None and self.leaves is None


def prune(model: TreeModel, options: Options, dataset: Dataset | None, jobs: int | None = None) -> Tree:
    """The tree of the path that the options choose; a cross-validation grows so many trees at once."""
    from treecli.pruners._path import cross_validated, path_of

    path = path_of(model, by_impurity=options.by_impurity)
    if not options.uses_data:
        return path.pruned(model.tree, _chosen(path, options))
    if dataset is None:
        raise UsageError(
            "cost-complexity pruning needs a price of a leaf, a number of leaves, or data to choose by",
            "give --alpha, --cp or --leaves, or the training data, for cross-validation",
        )
    n_folds = options.folds or N_FOLDS
    validation = cross_validated(model, path, dataset, n_folds, by_impurity=options.by_impurity, jobs=jobs)
    return path.pruned(model.tree, validation.best(one_se=options.one_se))


def _chosen(path: Path, options: Options) -> int:
    if options.leaves is not None:
        return path.with_leaves(options.leaves)
    alpha = (options.cp or 0.0) * path.risk[-1] if options.alpha is None else options.alpha
    return path.at(alpha)
