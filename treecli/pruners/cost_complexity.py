"""Cost-complexity pruning: cut the weakest links, up to a price per leaf (Breiman, Friedman, Olshen, Stone 1984)."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from treecli.errors import UsageError
from treecli.pruners import option
from treecli.records import dataclass
from treecli.wording import number_text

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import TreeModel
    from treecli.pruners._path import Path
    from treecli.tree import Tree

DATA = "optional"
GROWS = True

N_FOLDS = 10
"""The default number of folds."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to choose one of the nested trees: by price, by size, or by cross-validation."""

    alpha: float | None = option(None, "The price per leaf, in errors per training case.", type=float)
    cp: float | None = option(None, "The price per leaf, as a fraction of the root's error.", type=float)
    leaves: int | None = option(None, "Take the largest tree of the path with at most X leaves.", type=int)
    folds: int | None = option(
        None,
        "Take the tree of least error in an X-fold cross-validation on the training data; "
        f"{N_FOLDS} if there is data and no other option chooses a tree.",
        type=int,
    )
    one_se: bool = option(False, "Take the smallest cross-validated tree within one standard error of the best.")
    by_impurity: bool = option(
        False, "Trade the tree's impurity instead of its errors against leaves, as scikit-learn does."
    )

    def __post_init__(self) -> None:
        ways = {"--alpha": self.alpha, "--cp": self.cp, "--leaves": self.leaves, "--folds": self.folds}
        given = [name for name, value in ways.items() if value is not None]
        if len(given) > 1:
            raise UsageError(f"{given[0]} and {given[1]} each choose a tree", "leave one of them out")
        for name, value, least in (("--alpha", self.alpha, 0), ("--cp", self.cp, 0), ("--leaves", self.leaves, 1)):
            if value is not None and not least <= value < inf:
                raise UsageError(f"{name} {number_text(value)}: expected a number of {least} or more")
        if self.folds is not None and self.folds < 2:
            raise UsageError(f"--folds {self.folds}: expected 2 or more")
        if self.one_se and not self.uses_data:
            raise UsageError(
                f"--one-se needs cross-validation, but {given[0]} chooses the tree", f"leave {given[0]} out"
            )

    @property
    def uses_data(self) -> bool:
        """Whether the tree is chosen by cross-validation."""
        return self.alpha is None and self.cp is None and self.leaves is None


def prune(model: TreeModel, options: Options, dataset: Dataset | None, jobs: int | None = None) -> Tree:
    """The tree of the path that the options choose; a cross-validation uses `jobs` threads."""
    from treecli.pruners._path import cross_validated, path_of

    path = path_of(model, by_impurity=options.by_impurity)
    if not options.uses_data:
        return path.pruned(model.tree, _chosen(path, options))
    if dataset is None:
        raise UsageError(
            "cost-complexity pruning needs a price per leaf, a number of leaves, or data to choose by",
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
