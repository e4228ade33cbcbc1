"""Models evaluated on data: reading, predictions, groups of rows, calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from treecli import models, priors
from treecli.cli import apply, terminal
from treecli.commands import _measured
from treecli.errors import DataError, UsageError
from treecli.options.costs import read_costs
from treecli.records import dataclass
from treecli.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.cli.engine import Where
    from treecli.data import Dataset
    from treecli.evaluate.calibration import Calibrated
    from treecli.evaluate.result import Result
    from treecli.intake import Intake, ReadOptions
    from treecli.model import Model

MOST_PROBABILITIES = 1 << 27
"""More class probabilities than these, 1 GiB, are not kept unless an option needs them."""

MOST_GROUPS = 1000
"""The most values of a column whose rows are measured apart."""


@dataclass(frozen=True, slots=True)
class Applied:
    """The options that decide how models are applied to data."""

    costs_path: str | None
    unseen: str | None
    reading: ReadOptions
    jobs: int | None
    where: Where


@dataclass(frozen=True, slots=True)
class Request:
    """The data, how models are applied to them, and whether an option needs class probabilities."""

    data_path: str
    applied: Applied
    needs_probabilities: bool


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A model, the rows with a true value, their numbers in the file from 1, and the predictions."""

    path: str
    model: Model
    dataset: Dataset
    row_numbers: NDArray[np.int64]
    result: Result


def evaluated(path: str, request: Request) -> Evaluated:
    """The predictions of a model for the rows with a true value; messages about them are printed."""
    if not request.applied.where.is_memory:
        return _evaluated_there(path, request)
    model, intake = apply.read(
        path, request.data_path, request.applied.reading, request.applied.unseen, needs_target=True
    )
    apply.warn_of_training_rows(model, intake, "for an unbiased estimate use crossval or other rows")
    dataset, rows = _known_cases(intake)
    n_cells = dataset.n_rows * len(model.schema.target.labels)
    has_room = request.needs_probabilities or n_cells <= MOST_PROBABILITIES
    if not has_room:
        terminal.note(f"measures of probabilities are left out: there are {n_cells:,} probabilities")
    result = models.result_of(model, dataset, request.applied.jobs, has_room)
    return Evaluated(path, model, dataset, rows + 1, _with_costs(result, request, model))


def _with_costs(result: Result, request: Request, model: Model) -> Result:
    """The result with the cost matrix of --costs, if there is one."""
    if request.applied.costs_path is None:
        return result
    if not result.is_classification:
        raise UsageError(f"--costs: the target '{model.schema.target.name}' is numeric and has no classes")
    costs = read_costs(request.applied.costs_path, result.labels)
    priors.check(None, costs, result.labels)
    return replace(result, costs=costs)


def _evaluated_there(path: str, request: Request) -> Evaluated:
    """The same, counted by an engine where the data are; the rows themselves are not here."""
    import numpy as np

    from treecli.commands import _there
    from treecli.data import Dataset

    applied = request.applied
    model = _there.read_model(path, applied.unseen)
    with applied.where.applied(request.data_path, applied.reading, applied.jobs) as source:
        result = _there.result(model, source, applied.reading)
    nothing = Dataset(model.schema, [], None, np.empty(0))
    return Evaluated(path, model, nothing, np.empty(0, np.int64), _with_costs(result, request, model))


def _known_cases(intake: Intake) -> tuple[Dataset, NDArray[np.int64]]:
    """The rows with a target value, and their indices."""
    import numpy as np

    from treecli.data import MISSING

    dataset = intake.dataset
    assert dataset.target is not None
    is_numeric = dataset.schema.target.is_numeric
    is_known = ~np.isnan(dataset.target) if is_numeric else dataset.target != MISSING
    rows = np.flatnonzero(is_known)
    n_unknown = dataset.n_rows - len(rows)
    target = dataset.schema.target.name
    if n_unknown:
        terminal.warn(f"left out {counted(n_unknown, 'row')} without a value of the target '{target}'")
        dataset = dataset.take(rows)
    if not np.any(dataset.weights > 0):
        raise DataError(f"{intake.name}: found no row with a value of the target '{target}' and a weight above 0")
    assert dataset.target is not None
    if is_numeric and np.any(np.isinf(dataset.target)):
        raise DataError(f"{intake.name}: found an infinite value of the target '{target}', expected finite numbers")
    return dataset, rows


def check_kinds(all_evaluated: Sequence[Evaluated]) -> None:
    """Raises unless all models have the same kind of target."""
    first = all_evaluated[0]
    kinds = {True: "a nominal", False: "a numeric"}
    for other in all_evaluated[1:]:
        if other.result.is_classification != first.result.is_classification:
            raise UsageError(
                f"{other.path} predicts {kinds[other.result.is_classification]} target, but {first.path} "
                f"{kinds[first.result.is_classification]} one"
            )


def warn_of_probabilities(evaluated: Evaluated) -> None:
    """Says which classes have no area under the curve, and whether the log loss was clipped."""
    from treecli.evaluate.probabilistic import LEAST_PROBABILITY

    result = evaluated.result
    if not result.is_classification or result.probabilities is None:
        return
    absent = [label for label, area in zip(result.labels, result.aucs, strict=True) if area is None]
    if absent and len(absent) == len(result.labels):
        terminal.note("auc is not defined: all rows are of one class")
    elif absent:
        from treecli.readers._table import shortened

        terminal.note(f"auc leaves out the classes without rows: {shortened(absent)}")
    n_zero = result.zero_probability_rows()
    if n_zero and not evaluated.model.settings.predicting.laplace:
        rows = "1 row has a class" if n_zero == 1 else f"{n_zero} rows have a class"
        terminal.hint(
            f"{rows} of probability 0, which log_loss takes as {LEAST_PROBABILITY:.2g}; train with --laplace to smooth"
        )


def groups(evaluated: Evaluated, request: Request, column: str) -> list[dict[str, Any]]:
    """The measures of the rows of each value of a column, in order of appearance."""
    import numpy as np

    from treecli.interchange.echo import echo_column

    cells = echo_column(request.data_path, request.applied.reading, column, "--by")
    own = [cells[number - 1] for number in evaluated.row_numbers.tolist()]
    code_of = {text: code for code, text in enumerate(dict.fromkeys(own))}
    if len(code_of) > MOST_GROUPS:
        raise UsageError(
            f"--by: '{column}' has {len(code_of)} different values, expected at most {MOST_GROUPS}",
            "name a column with fewer",
        )
    group_of_row = np.array([code_of[text] for text in own])
    found = []
    for text, code in code_of.items():
        rows = np.flatnonzero(group_of_row == code)
        if evaluated.result.weights[rows].any():
            group = None if text in request.applied.reading.na else text
            found.append({_measured.GROUP: group, **_measured.scalars(evaluated.result.take(rows))})
    return found


def calibrated(evaluated: Evaluated, jobs: int | None) -> list[Calibrated]:
    from treecli.evaluate.calibration import calibration

    if not evaluated.result.is_classification:
        target = evaluated.model.schema.target.name
        raise UsageError(f"--calibration: the target '{target}' is numeric and has no probabilities")
    return calibration(evaluated.result, models.places(evaluated.model, evaluated.dataset, jobs))


def truths(evaluated: Evaluated, request: Request) -> list[str]:
    """The true labels of all rows as written, because a model does not know all labels."""
    from treecli.interchange.echo import echo_column

    name = (
        request.applied.reading.target
        or evaluated.dataset.schema.target.name
        or apply.last_column(request.data_path, request.applied.reading)
    )
    return echo_column(request.data_path, request.applied.reading, name, "--target")
