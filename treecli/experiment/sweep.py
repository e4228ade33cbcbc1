"""The figures of each setting of a grid, the best of them, and an honest estimate of choosing it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import TYPE_CHECKING, Any

from treecli import measures
from treecli.errors import DataError, TreecliError
from treecli.experiment import summary
from treecli.experiment.comparison import Loaded, divided
from treecli.experiment.run import Wanted, ran

if TYPE_CHECKING:
    from treecli.experiment.comparison import Learner
    from treecli.experiment.folds import Division
    from treecli.experiment.results import Results


@dataclass(frozen=True, slots=True)
class Row:
    """A setting's mean of the measure over all folds, and its mean number of leaves; None where it has failed."""

    figure: summary.Mean | None
    leaves: float


@dataclass(frozen=True, slots=True)
class Choice:
    """The places of the best setting, and of the smallest within one standard error of it; None if all have failed."""

    best: int | None
    smallest: int | None

    def place(self, *, one_se: bool) -> int | None:
        return self.smallest if one_se else self.best


def row_of(results: Results, dataset: str, learner: str, measure: str) -> Row:
    """Return the figures of one setting on a data set."""
    runs = [results.finished(dataset, learner, run) for run in range(1, results.spec["repeats"] + 1)]
    if None in runs:
        return Row(None, 0.0)
    cells: list[dict[str, Any]] = [cell for run in runs if run is not None for cell in run["cells"]]
    defined = [cell for cell in cells if cell[measure] is not None]
    leaves = fsum(cell["leaves"] for cell in cells) / max(len(cells), 1)
    if not defined:
        return Row(None, leaves)
    ratio = fsum(cell["n"] for cell in cells) / fsum(cell["n_train"] for cell in cells)
    return Row(summary.mean_of([cell[measure] for cell in defined], ratio), leaves)


def chosen(rows: Sequence[Row], measure: str) -> Choice:
    """Return the best of the settings, and the smallest whose mean is within the best one's standard error.

    Of equal means, the setting with the fewest leaves is the best, then the first. The standard error is corrected for
    overlapping training sets.
    """
    sign = 1.0 if measures.measure(measure).LARGER_IS_BETTER else -1.0
    known = [(place, row, row.figure) for place, row in enumerate(rows) if row.figure is not None]
    if not known:
        return Choice(None, None)
    best, _, figure = min(known, key=lambda own: (-sign * own[2].mean, own[1].leaves, own[0]))
    least = sign * figure.mean - (figure.standard_error or 0.0)
    within = [own for own in known if sign * own[2].mean >= least]
    smallest, _, _ = min(within, key=lambda own: (own[1].leaves, -sign * own[2].mean, own[0]))
    return Choice(best, smallest)


@dataclass(frozen=True, slots=True)
class Nested:
    """The measure of the chosen settings on rows that had no part in the choice: their mean, and each fold's choice."""

    figure: summary.Mean
    chosen: list[int]
    values: list[float | None]


def outer_of(data: Loaded, n_folds: int, division: Division) -> Loaded:
    """Return the data set divided into the folds on which the choice itself is tested."""
    own = replace(division, n_folds=n_folds, repeats=1)
    return divided(data.name, data.sha256, data.for_like, data.for_others, own)


def parts_of(outer: Loaded, division: Division) -> list[Loaded]:
    """Return the training rows of each outer fold as a data set of its own, divided again."""
    return [
        divided(
            f"{outer.name}, outer fold {fold.fold}",
            outer.sha256,
            outer.for_like.take(fold.train),
            outer.for_others.take(fold.train),
            division,
        )
        for fold in outer.folds
    ]


def nested(outer: Loaded, learners: Sequence[Learner], places: Sequence[int], measure: str, jobs: int | None) -> Nested:
    """Return the measure of the learner that was chosen on the training rows of each outer fold."""
    works, folds = [], []
    for place in places:
        dataset, own = outer.task(learners[place])
        works.append((dataset, learners[place].recipe.with_costs(dataset.schema.target.labels)))
        folds.append(own)
    wanted = Wanted(probabilities=measures.needs_probabilities([measure]))
    cells = []
    for cell in ran(works, [(fold, fold) for fold in range(len(places))], folds, wanted, jobs):
        if isinstance(cell, TreecliError):
            raise cell
        cells.append(cell)
    values = [None if cell.result is None else measures.value(measure, cell.result) for cell in cells]
    defined = [value for value in values if value is not None]
    if not defined:
        raise DataError(f"{outer.name}: {measure} is not defined on any of the {len(places)} outer folds")
    return Nested(summary.mean_of(defined, summary.weight_ratio(cells)), list(places), values)
