"""A learner on folds: the tasks, their results, and the processes that share them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from itertools import groupby
from time import perf_counter
from typing import TYPE_CHECKING, Any

from treecli.errors import TreecliError
from treecli.experiment.together import Together
from treecli.experiment.workers import mapped
from treecli.records import dataclass
from treecli.threads import FEW_CASES

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.evaluate.folds import Rows
    from treecli.evaluate.result import Result
    from treecli.experiment.folds import Fold
    from treecli.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Cell:
    """The result of one learner on one fold; `rows` are the rows of the data set that were predicted.

    `result` is None if no row of the fold has a target and a weight. `n_train` and `n_test` are summed weights.
    `train` is the result on the training rows, if asked for.
    """

    run: int
    fold: int
    rows: Rows
    result: Result | None
    n_train: float
    n_test: float
    seconds: float
    warnings: tuple[str, ...] = ()
    train: Result | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Parts of a result that take time: class probabilities, and the result on the training rows."""

    probabilities: bool = False
    train: bool = False


PREDICTIONS = Wanted()
"""Predictions for the test rows, and nothing else."""


def validated(
    dataset: Dataset,
    recipe: Recipe,
    folds: Sequence[Fold],
    *,
    wanted: Wanted = PREDICTIONS,
    jobs: int | None = None,
    on_cell: Callable[[Cell], None] | None = None,
) -> list[Cell]:
    """Return the cells of a learner in the order of the folds, whatever the number of `jobs`.

    `on_cell` is called with each of them as soon as it and all before it are done.
    """
    cells = []
    for cell in ran([(dataset, recipe)], [(0, fold) for fold in range(len(folds))], [folds], wanted, jobs):
        if isinstance(cell, TreecliError):
            raise cell
        cells.append(cell)
        if on_cell is not None:
            on_cell(cell)
    return cells


def ran(
    learners: Sequence[tuple[Dataset, Recipe]],
    tasks: Sequence[tuple[int, int]],
    folds: Sequence[Sequence[Fold]],
    wanted: Wanted = PREDICTIONS,
    jobs: int | None = None,
    *,
    digest: Callable[[Cell], Any] = lambda cell: cell,
    meanwhile: Callable[[], object] | None = None,
) -> Generator[Any, None, None]:
    """Yield what `digest` makes of the cell of each task, in order, or the error that prevents the cell.

    The digest is made in the process that made the cell; `meanwhile` is called in this process once, at the beginning.

    A task is the index of a learner, and of one of its folds; `folds[i]` are the folds of learner i. The processes are
    started once for all tasks, so an experiment with many learners and data sets makes one list of all its tasks.
    """
    most_rows = max((dataset.n_rows for dataset, _ in learners), default=0)

    def one_by_one(task: tuple[int, int], threads: int | None = 1) -> Any:
        learner, fold = task
        try:
            return digest(cell_of(*learners[learner], folds[learner][fold], wanted, jobs=threads))
        except TreecliError as error:
            return error

    def work(batch: Batch) -> list[Any]:
        together = prepared[batch[0][0]]
        cells = None
        if together is not None:
            cells = together.cells([folds[learner][fold] for learner, fold in batch], wanted)
        return [one_by_one(task) for task in batch] if cells is None else list(map(digest, cells))

    if most_rows >= FEW_CASES:
        # The threads of one tree at a time keep the memory small, and all cores busy.
        if meanwhile is not None:
            meanwhile()
        yield from (one_by_one(task, jobs) for task in tasks)
        return
    n_tasks = Counter(learner for learner, _ in tasks)
    prepared = [Together.of(*own) if n_tasks[place] > 1 else None for place, own in enumerate(learners)]
    # Closed here and not by the collector of garbage, which would drop an interrupt.
    with closing(mapped(work, _batches(tasks, prepared), jobs, meanwhile, n_parts=len(tasks))) as batches:
        for cells in batches:
            yield from cells


Batch = Sequence[tuple[int, int]]
"""Tasks of the same learner, which one process does."""


def _batches(tasks: Sequence[tuple[int, int]], prepared: Sequence[Together | None]) -> list[Batch]:
    """Return the tasks in order, those of a learner whose trees are grown together in batches."""
    batches: list[Batch] = []
    for learner, own in groupby(tasks, key=lambda task: task[0]):
        together, of_learner = prepared[learner], list(own)
        step = 1 if together is None else together.n_folds_at_once()
        batches += [of_learner[first : first + step] for first in range(0, len(of_learner), step)]
    return batches


def cell_of(dataset: Dataset, recipe: Recipe, fold: Fold, wanted: Wanted, *, jobs: int | None = 1) -> Cell:
    """Return the result of a model trained on the fold's training rows, for its test rows with a target."""
    from treecli.learn import learn_any
    from treecli.models import result_of

    begun = perf_counter()
    train = dataset.take(fold.train)
    warnings: dict[str, None] = {}
    model = learn_any(train, recipe, jobs=jobs, on_warning=warnings.setdefault, with_ranges=False)
    rows = labelled_rows(dataset, fold.test)
    test = dataset.view(rows)
    result = result_of(model, test, jobs, wanted.probabilities) if test.weights.any() else None
    on_train = result_of(model, train.labelled(), jobs, wanted.probabilities) if wanted.train else None
    n_train, n_test = float(train.weights.sum()), float(test.weights.sum())
    seconds = perf_counter() - begun
    return Cell(fold.run, fold.fold, rows, result, n_train, n_test, seconds, tuple(warnings), on_train)


def labelled_rows(dataset: Dataset, rows: Rows) -> Rows:
    """Return those of the rows that have a target."""
    assert dataset.target is not None
    target = dataset.target[rows]
    is_known = target == target if dataset.schema.target.is_numeric else target >= 0
    return rows if is_known.all() else rows[is_known]
