"""Verifiers: run an artefact and compare it with its model.

For each exporter there is a module of the same name with
answers(artefact, program, options, rows)   returns the artefact's Answer for every row; raises UsageError if the
                                            program that runs it is not installed
A row has a cell for each of `program.attributes`: a number, a label, or None or NaN if the value is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from math import isnan, nan
from typing import TYPE_CHECKING, Any, Protocol

from treecli import models, plugins
from treecli.data import MISSING, UNSEEN, Attribute, Dataset
from treecli.errors import CheckError
from treecli.exporters import Options
from treecli.model import Model
from treecli.models import program_of
from treecli.predict.program import Program
from treecli.wording import number_text

if TYPE_CHECKING:
    from treecli.data import Column

Cell = float | str | None
Row = tuple[Cell, ...]


class Refusal:
    """The answer for a row that is an error."""

    def __repr__(self) -> str:
        return "an error"


REFUSED = Refusal()

Answer = str | float | tuple[float, ...] | Refusal | None
"""A label, a number, the probability of each class, or REFUSED; None if the artefact returned nothing."""


class Runner(Protocol):
    """A member of this family."""

    def answers(self, artefact: Any, program: Program, options: Options, rows: list[Row], /) -> list[Answer]: ...


@dataclass(frozen=True, slots=True)
class Verified:
    """The number of rows on which an artefact agreed with its model."""

    n_rows: int
    n_probes: int


def verify(target: str, text: str | bytes, model: Model, options: Options, dataset: Dataset, name: str) -> Verified:
    """Raise CheckError with the first row for which the artefact's answer differs from the model's."""
    program = program_of(model, refuses_missing=options.refuses_missing)
    runner: Runner = plugins.load("verifiers", target)
    probe_rows = models.probes(model)
    compared = ((dataset, f"row {{}} of {name}"), (probe_rows, "probe {}"))
    rows = [row for part, _ in compared for row in cells(part, program)]
    answers = runner.answers(text, program, options, rows)
    expected = [answer for part, _ in compared for answer in said_by(model, part, options)]
    if len(answers) != len(expected):
        raise CheckError(f"the artefact answered {len(answers)} rows of {len(expected)}")
    for place, (theirs, ours) in enumerate(zip(answers, expected, strict=True)):
        if theirs != ours:
            is_data = place < dataset.n_rows
            where = compared[not is_data][1].format(place + 1 if is_data else place + 1 - dataset.n_rows)
            raise CheckError(
                f"{where} ({_wording(rows[place], program)}): the model predicts {ours!r}, the artefact {theirs!r}",
                "nothing was written",
            )
    return Verified(dataset.n_rows, probe_rows.n_rows)


def said_by(model: Model, dataset: Dataset, options: Options) -> list[Answer]:
    """Return the model's own answer for every row."""
    import numpy as np

    is_refused = np.zeros(dataset.n_rows, bool)
    is_missing_refused = options.refuses_missing
    for attribute in models.columns_used(model):
        column, is_numeric = dataset.columns[attribute], model.schema.columns[attribute].is_numeric
        if is_missing_refused:
            is_refused |= np.isnan(column) if is_numeric else column == MISSING
        # If unseen labels count as missing values, they are errors too.
        is_unseen_refused = is_missing_refused and model.settings.predicting.unseen == "missing"
        if not is_numeric and (is_unseen_refused or model.settings.predicting.unseen == "error"):
            is_refused |= column == UNSEEN
    accepted = np.flatnonzero(~is_refused)
    known = dataset.take(accepted)
    prediction, distributions = models.answers(model, known)
    answers: list[Answer] = [REFUSED] * dataset.n_rows
    found: list[Answer]
    if options.proba:
        found = [tuple(row) for row in distributions.tolist()]
    elif model.schema.is_classification:
        found = [model.schema.target.labels[code] for code in prediction.tolist()]
    else:
        found = prediction.tolist()
    for row, answer in zip(accepted.tolist(), found, strict=True):
        answers[row] = answer
    return answers


def cells(dataset: Dataset, program: Program) -> list[Row]:
    """Return the values of the attributes that the model uses, row by row."""
    columns = [list(_column(dataset.columns[index], program.schema.columns[index])) for index in program.attributes]
    return list(zip(*columns, strict=True)) if columns else [()] * dataset.n_rows


def _column(values: Column, attribute: Attribute) -> Iterator[Cell]:
    if attribute.is_numeric:
        missing = cycle((None, nan))
        for value in values.tolist():
            yield value if value == value else next(missing)
        return
    unseen = cycle(_unseen_labels(attribute))
    for code in values.tolist():
        yield next(unseen) if code == UNSEEN else None if code == MISSING else attribute.labels[code]


def _unseen_labels(attribute: Attribute) -> list[str]:
    """Return labels that the attribute does not have but that resemble its labels."""
    likely = ["?", "unseen"]
    for label in attribute.labels[:2]:
        likely = [label.swapcase(), f"{label} ", *likely]
    known = set(attribute.labels)
    found = [label for label in likely if label not in known and "\0" not in label]
    return found or ["?" * (1 + max(map(len, attribute.labels)))]


def _wording(row: Row, program: Program) -> str:
    names = (program.schema.columns[index].name for index in program.attributes)
    return ", ".join(f"{name} = {_cell_text(cell)}" for name, cell in zip(names, row, strict=True))


def _cell_text(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell
    return "missing" if cell is None else "NaN" if isnan(cell) else number_text(cell)
