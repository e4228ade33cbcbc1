"""The division of a data set into folds: repeated, leave-one-out, by groups, or as given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from treecli.errors import DataError, UsageError
from treecli.evaluate.folds import like_weka, stratified
from treecli.records import dataclass
from treecli.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import Column, Dataset
    from treecli.evaluate.folds import Rows

RANDOM, WEKA = "random", "weka"

LIKE = (RANDOM, WEKA)
"""How rows are assigned to folds: at random, stratified by class, or exactly as Weka does for the same seed."""

LEAVE_ONE_OUT = "loo"


@dataclass(frozen=True, slots=True)
class Fold:
    """The rows that a model is trained and tested on, in the order in which the learner gets them; numbers from 1."""

    run: int
    fold: int
    train: Rows
    test: Rows


@dataclass(frozen=True, slots=True)
class Division:
    """How rows are divided: `n_folds` is None for leave-one-out; run r uses the seed `seed` + r - 1."""

    n_folds: int | None = 10
    repeats: int = 1
    like: str = RANDOM
    seed: int = 0

    def __post_init__(self) -> None:
        if self.n_folds is None and self.repeats > 1:
            raise UsageError("--folds loo has only one way to divide the rows", "leave out --repeats")
        if self.n_folds is None and self.like == WEKA:
            raise UsageError("--folds loo and --folds-like weka exclude each other", "leave out --folds-like")


class Folds(Sequence[Fold]):
    """The folds of all runs, in order; the rows of a fold are computed when it is asked for."""

    def __init__(self, fold_of_row: Sequence[NDArray[np.int64]], n_folds: int) -> None:
        self._fold_of_row = fold_of_row
        self.n_folds = n_folds

    @property
    def repeats(self) -> int:
        return len(self._fold_of_row)

    def fold_of_row(self, run: int) -> NDArray[np.int64]:
        """Return the fold of each row in a run, all from 1."""
        return self._fold_of_row[run - 1] + 1

    def __len__(self) -> int:
        return self.repeats * self.n_folds

    def __getitem__(self, index: int) -> Fold:  # type: ignore[override]
        import numpy as np

        if not 0 <= index < len(self):
            raise IndexError(index)
        run, fold = divmod(index, self.n_folds)
        is_inside = self._fold_of_row[run] == fold
        return Fold(run + 1, fold + 1, np.flatnonzero(~is_inside), np.flatnonzero(is_inside))


class OrderedFolds(Folds):
    """Folds whose rows have an order of their own, as Weka's have."""

    def __init__(self, runs: Sequence[Sequence[tuple[Rows, Rows]]]) -> None:
        import numpy as np

        fold_of_row = []
        for run in runs:
            own = np.empty(sum(len(inside) for _, inside in run), np.int64)
            for fold, (_, inside) in enumerate(run):
                own[inside] = fold
            fold_of_row.append(own)
        super().__init__(fold_of_row, len(runs[0]))
        self._runs = runs

    def __getitem__(self, index: int) -> Fold:  # type: ignore[override]
        if not 0 <= index < len(self):
            raise IndexError(index)
        run, fold = divmod(index, self.n_folds)
        return Fold(run + 1, fold + 1, *self._runs[run][fold])


def folds_of(dataset: Dataset, division: Division, name: str, groups: Column | None = None) -> Folds:
    """Return the folds of the data set that is called `name` in messages.

    `groups` has a code for each row: rows with the same code are never in two folds, and leave-one-out leaves out one
    group at a time.
    """
    import numpy as np

    assert dataset.target is not None
    part_of_row, part = np.arange(dataset.n_rows), "row"
    if groups is not None:
        if division.like == WEKA:
            raise UsageError("--groups and --folds-like weka exclude each other", "leave out --folds-like")
        part_of_row, part = np.unique(groups, return_inverse=True)[1], "group"
    n_parts = int(part_of_row.max()) + 1
    n_folds = n_parts if division.n_folds is None else division.n_folds
    if n_folds > n_parts or n_parts < 2:
        message = f"{name}: {counted(n_folds, 'fold')} of {counted(n_parts, part)}"
        raise UsageError(message, "use fewer folds: --folds") if groups is None else DataError(message)
    if division.n_folds is None:
        return Folds([part_of_row], n_folds)
    seeds = [division.seed + run for run in range(division.repeats)]
    if groups is not None:
        return Folds([_of_groups(part_of_row, dataset.target, n_folds, seed) for seed in seeds], n_folds)
    if division.like == WEKA:
        return OrderedFolds([list(like_weka(dataset.target, n_folds, seed)) for seed in seeds])
    return Folds([_fold_of_row(stratified(dataset.target, n_folds, seed), dataset.n_rows) for seed in seeds], n_folds)


def _fold_of_row(run: Iterator[tuple[Rows, Rows]], n_rows: int) -> NDArray[np.int64]:
    import numpy as np

    fold_of_row = np.empty(n_rows, np.int64)
    for fold, (_, inside) in enumerate(run):
        fold_of_row[inside] = fold
    return fold_of_row


def _of_groups(groups: NDArray[np.int64], target: Column, n_folds: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each row: the largest groups first, each to the fold that has the least of its classes.

    Groups of the same size come in random order. The sum over folds and classes of the squared share of the class
    increases as little as possible; of equal folds, the one with the fewest rows takes the group.
    """
    import numpy as np

    n_groups = int(groups.max()) + 1
    classes = np.zeros(len(target), np.int64) if target.dtype == np.float64 else target.astype(np.int64) + 1
    n_classes = int(classes.max()) + 1
    counts = np.bincount(groups * n_classes + classes, minlength=n_groups * n_classes).reshape(n_groups, n_classes)
    size = counts.sum(axis=1)
    shuffled = np.random.default_rng(seed).permutation(n_groups)
    shares = counts / np.maximum(counts.sum(axis=0), 1)
    held, rows_held = np.zeros((n_folds, n_classes)), np.zeros(n_folds, np.int64)
    fold_of_group = np.empty(n_groups, np.int64)
    for group in shuffled[np.argsort(-size[shuffled], kind="stable")].tolist():
        increase = held @ shares[group]
        fold = int(np.lexsort((rows_held, increase))[0])
        fold_of_group[group] = fold
        held[fold] += shares[group]
        rows_held[fold] += size[group]
    return fold_of_group[groups]


def check_classes(dataset: Dataset, name: str) -> None:
    """Raise if the target has fewer than two classes."""
    import numpy as np

    if not dataset.schema.is_classification:
        return
    target = dataset.schema.target
    occurring = np.flatnonzero(_class_counts(dataset))
    if len(occurring) < 2:
        found = f"one class, '{target.labels[occurring[0]]}'" if len(occurring) else "no class"
        raise DataError(f"{name}: found {found}, in the target '{target.name}', expected two or more")


def rare_class(dataset: Dataset, n_folds: int) -> str | None:
    """Return a warning if a class has fewer rows than there are folds."""
    if not dataset.schema.is_classification:
        return None
    counts = _class_counts(dataset).tolist()
    labels = dataset.schema.target.labels
    fewest, label = min((count, label) for count, label in zip(counts, labels, strict=True) if count)
    if fewest >= n_folds:
        return None
    return f"{n_folds} folds, but only {counted(fewest, 'row')} of the class '{label}': some folds have none to test"


def _class_counts(dataset: Dataset) -> NDArray[np.int64]:
    """Return the number of rows of each class, without rows of weight 0."""
    import numpy as np

    target = np.asarray(dataset.target)
    return np.bincount(target[(target >= 0) & (dataset.weights > 0)], minlength=len(dataset.schema.target.labels))
