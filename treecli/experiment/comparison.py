"""Several learners on the same folds of several data sets: reading, running, and the cells of a finished run."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any

from treecli import limits, measures
from treecli.errors import TreecliError, UsageError
from treecli.experiment.folds import LEAVE_ONE_OUT, Division, Fold, check_classes, folds_of, rare_class
from treecli.experiment.results import Record, Results
from treecli.experiment.run import Cell, Wanted, ran
from treecli.intake import IDENTIFIER, ReadOptions, read_training

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.evaluate.result import Result
    from treecli.experiment.folds import Folds
    from treecli.intake import Intake
    from treecli.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Learner:
    """A recipe with the name and the options that the user gave it."""

    name: str
    options: str
    recipe: Recipe

    @property
    def is_like(self) -> bool:
        """Whether the recipe follows another program, and therefore sees identifiers and rows without a target."""
        return self.recipe.like is not None


@dataclass(frozen=True, slots=True)
class Source:
    """A file of data and how it is read."""

    name: str
    path: str
    reading: ReadOptions


@dataclass(frozen=True, slots=True)
class Loaded:
    """A data set and its folds; `for_like` and `for_others` have the same rows, but may differ in attributes."""

    name: str
    sha256: str
    for_like: Dataset
    for_others: Dataset
    folds: Folds
    for_others_folds: Sequence[Fold]

    def task(self, learner: Learner) -> tuple[Dataset, Sequence[Fold]]:
        """Return the rows and the folds for a learner."""
        if learner.is_like:
            return self.for_like, self.folds
        return self.for_others, self.for_others_folds

    @property
    def n_rows(self) -> int:
        return self.for_like.n_rows

    @property
    def target(self) -> str:
        return self.for_like.schema.target.name

    @property
    def is_classification(self) -> bool:
        return self.for_like.schema.is_classification


class LabelledFolds(Sequence[Fold]):
    """The same folds, with the training rows that have a target."""

    def __init__(self, folds: Folds, is_labelled: Any) -> None:
        self._folds = folds
        self._is_labelled = is_labelled

    def __len__(self) -> int:
        return len(self._folds)

    def __getitem__(self, index: int) -> Fold:  # type: ignore[override]
        fold = self._folds[index]
        return Fold(fold.run, fold.fold, fold.train[self._is_labelled[fold.train]], fold.test)


def loaded(source: Source, learners: Sequence[Learner], division: Division) -> tuple[Loaded, Intake, str | None]:
    """Return a data set with its folds, how it was read, and a warning about the folds, if any."""
    are_like = {learner.is_like for learner in learners}
    intakes: dict[bool, Intake] = {}
    for is_like in sorted(are_like):
        before = intakes.get(False)
        if before is not None and IDENTIFIER not in dict(before.left_out).values():
            intakes[is_like] = before  # the same attributes for all learners: the file is read once
        else:
            intakes[is_like] = read_training(
                source.path, source.reading, keep_identifiers=is_like, keep_unlabelled=True in are_like
            )
    first = next(iter(intakes.values()))
    like, others = intakes.get(True, first), intakes.get(False, first)
    limits.check(like.dataset, first.name, source.reading.weights)
    check_classes(like.dataset, first.name)
    data = divided(source.name, first.sha256, like.dataset, others.dataset, division, first.name)
    warning = None if division.n_folds is None else rare_class(like.dataset, data.folds.n_folds)
    return data, first, warning


def divided(
    name: str, sha256: str, for_like: Dataset, for_others: Dataset, division: Division, file: str | None = None
) -> Loaded:
    """Return the data set with its folds; learners that follow no other program train on rows with a target only.

    `file` is the name in messages, if it is another.
    """
    folds = folds_of(for_like, division, file or name)
    is_labelled = _is_labelled(for_like)
    own_folds = folds if is_labelled.all() else LabelledFolds(folds, is_labelled)
    return Loaded(name, sha256, for_like, for_others, folds, own_folds)


def described(data: Loaded, reading: ReadOptions) -> dict[str, Any]:
    """Return the entry of a data set in the specification of a results file."""
    usual = asdict(ReadOptions())
    return {
        "name": data.name,
        "sha256": data.sha256,
        "rows": data.n_rows,
        "target": data.target,
        "reading": {
            key: _plain(value) for key, value in asdict(reading).items() if value != usual[key] and key != "target"
        },
    }


def _plain(value: Any) -> Any:
    """Return a value as it is after a journey through JSON."""
    return [_plain(entry) for entry in value] if isinstance(value, tuple | list) else value


def described_folds(division: Division) -> dict[str, Any]:
    """Return the entries of the folds in the specification of a results file."""
    return {
        "folds": LEAVE_ONE_OUT if division.n_folds is None else division.n_folds,
        "repeats": division.repeats,
        "seed": division.seed,
        "folds_like": division.like,
    }


def _is_labelled(dataset: Dataset) -> Any:
    assert dataset.target is not None
    return dataset.target == dataset.target if dataset.schema.target.is_numeric else dataset.target >= 0


def check_kinds(datasets: Sequence[Loaded]) -> bool:
    """Return whether the targets are nominal; raise a UsageError if some are and some are not."""
    first = datasets[0]
    for other in datasets[1:]:
        if other.is_classification != first.is_classification:
            kinds = ["nominal" if each.is_classification else "numeric" for each in (first, other)]
            raise UsageError(
                f"'{first.name}' has a {kinds[0]} target and '{other.name}' a {kinds[1]} one, expected one kind",
                "compare them apart, or choose the targets in a --spec file",
            )
    return first.is_classification


def missing_runs(datasets: Sequence[Loaded], learners: Sequence[Learner], results: Results) -> int:
    """Return the number of trees that are still to be grown."""
    return sum(
        data.folds.n_folds
        for data in datasets
        for learner in learners
        for run in range(1, data.folds.repeats + 1)
        if results.finished(data.name, learner.name, run) is None
    )


def computed(
    datasets: Sequence[Loaded],
    learners: Sequence[Learner],
    results: Results,
    jobs: int | None,
    *,
    has_times: bool = False,
    measure_names: Sequence[str] | None = None,
    on_warning: Callable[[str], None] | None = None,
    meanwhile: Callable[[], object] | None = None,
) -> Generator[Record, None, None]:
    """Yield the runs that the results lack, in order; a learner that fails gives a record with its error.

    The cells have the named measures, by default all that the targets have.

    `on_warning` is called once with each warning of a learner; `meanwhile` once, while other processes begin to work.
    """
    warned: set[str] = set()
    works: list[tuple[Dataset, Recipe]] = []
    folds: list[Sequence[Fold]] = []
    tasks: list[tuple[int, int]] = []
    runs: list[tuple[Record, int | TreecliError]] = []
    for data in datasets:
        for learner in learners:
            dataset, own_folds = data.task(learner)
            error: TreecliError | None = None
            try:
                works.append((dataset, learner.recipe.with_costs(dataset.schema.target.labels)))
                folds.append(own_folds)
            except TreecliError as found:
                error = found
            for run in range(1, data.folds.repeats + 1):
                if results.finished(data.name, learner.name, run) is not None:
                    continue
                n_folds = data.folds.n_folds
                record = {"dataset": data.name, "learner": learner.name, "run": run}
                runs.append((record, error or n_folds))
                if error is None:
                    tasks += [(len(works) - 1, (run - 1) * n_folds + fold) for fold in range(n_folds)]

    def digest(cell: Cell) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
        return _facts(cell, has_times, asked), cell.warnings

    asked = None if measure_names is None else tuple(measure_names)
    wanted = Wanted(probabilities=asked is None or measures.needs_probabilities(asked))
    with closing(ran(works, tasks, folds, wanted, jobs, digest=digest, meanwhile=meanwhile)) as cells:
        for record, expected in runs:
            of_run: list[Any]
            of_run = [expected] if isinstance(expected, TreecliError) else [next(cells) for _ in range(expected)]
            for warning in _warnings(of_run):
                text = f"'{record['learner']}' on '{record['dataset']}': {warning}"
                if on_warning is not None and text not in warned:
                    warned.add(text)
                    on_warning(text)
            yield record | _outcome(of_run)


def _outcome(found: Sequence[Any]) -> dict[str, Any]:
    """Return the measures of the folds of a run that have rows to test, or the error of the first that failed."""
    failed = next((cell for cell in found if isinstance(cell, TreecliError)), None)
    if failed is not None:
        return {"error": failed.message}
    return {"cells": [facts for facts, _ in found if facts is not None]}


def _warnings(found: Sequence[Any]) -> list[str]:
    """Return the different warnings of a run that has not failed."""
    if any(isinstance(cell, TreecliError) for cell in found):
        return []
    return list(dict.fromkeys(warning for facts, own in found if facts is not None for warning in own))


def _facts(cell: Cell, has_times: bool, asked: tuple[str, ...] | None) -> dict[str, Any] | None:
    """Return the measures of a fold, None where one is not defined; None if the fold has no rows to test."""
    result = cell.result
    if result is None:
        return None
    facts: dict[str, Any] = {"fold": cell.fold, "n": _number(cell.n_test), "n_train": _number(cell.n_train)}
    for name, of in _measures(result.is_classification, asked):
        facts[name] = _number(of(result))
    if has_times:
        facts["seconds"] = cell.seconds
    return facts


@cache
def _measures(
    is_classification: bool, asked: tuple[str, ...] | None
) -> list[tuple[str, Callable[[Result], float | None]]]:
    """Return the functions of these or all measures, looked up once."""
    names = measures.names_for(is_classification) if asked is None else asked
    return [(name, measures.measure(name).of) for name in names]


def _number(value: float | None) -> float | int | None:
    """Return the number as JSON has it: integers without a decimal point, None for what is not finite."""
    if value is None or not isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) < 2**53 else float(value)
