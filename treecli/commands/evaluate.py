"""Evaluate a model on data."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import click

from treecli import models
from treecli.cli import apply, options, report, terminal
from treecli.commands import _confusion
from treecli.errors import CheckError, DataError
from treecli.evaluate import metrics
from treecli.files import forms
from treecli.outcomes import as_json
from treecli.wording import Cell, counted, number_text

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.intake import Intake, ReadOptions
    from treecli.model import Model


@click.command(cls=options.Command)
@click.argument("model_path", metavar="MODEL", type=options.FILE)
@click.argument("data_path", metavar="DATA", type=options.FILE)
@options.report_format
@options.output("stdout")
@click.option(
    "--fail-under",
    type=options.Real(max=1.0),
    default=None,
    metavar="X",
    help="Exit with code 1 if the accuracy (numeric target: r2) is below X.",
)
@apply.unseen
@options.model_data
@options.jobs
@options.voice
def command(
    model_path: str,
    data_path: str,
    report_format: str,
    output: str | None,
    fail_under: float | None,
    unseen: str | None,
    reading: ReadOptions,
    jobs: int | None,
) -> None:
    """Evaluate how well a model predicts the target of DATA.

    Nominal target: accuracy with its 95 % interval (Wilson), Cohen's kappa, the confusion matrix, and precision,
    recall and F1 of each class. Numeric target: mean absolute error, root mean squared error and r2. Rows count
    with their weights; rows without a target value are left out. A warning is printed if DATA is the training data
    of the model.

    If the confusion matrix is too wide for the terminal, it has letters instead of names, or becomes a list of
    confused classes. csv has one line per measure, per measure of a class, and per pair of classes.

    \b
    treecli evaluate playtennis.json days.csv
    treecli evaluate model.json test.csv --format json | jq .accuracy
    treecli evaluate model.json test.csv --fail-under 0.9 -o measured.json
    """
    report_format = options.form("report_format", report_format, output, forms.REPORTS)
    model, intake = apply.read(model_path, data_path, reading, unseen, needs_target=True)
    apply.warn_of_training_rows(model, intake, "for an unbiased estimate use crossval or other rows")
    measures = _measure(model, _known_cases(intake), jobs)
    value: float | None
    if isinstance(measures, metrics.Classification):
        tables, name, value = _classification_tables(measures, report_format), "accuracy", measures.accuracy
    else:
        tables, name, value = [_regression_table(measures)], "r2", measures.r2
    report.write(report_format, tables, _facts(measures) if report_format == "json" else {}, output)
    if fail_under is not None and not (value is not None and value >= fail_under):
        found = "not defined, because all true values are equal" if value is None else number_text(value)
        raise CheckError(f"{intake.name}: {name} is {found}, expected at least {number_text(fail_under)}")


def _known_cases(intake: Intake) -> Dataset:
    """The rows with a target value."""
    import numpy as np

    from treecli.data import MISSING

    dataset = intake.dataset
    assert dataset.target is not None
    is_numeric = dataset.schema.target.is_numeric
    is_known = ~np.isnan(dataset.target) if is_numeric else dataset.target != MISSING
    n_unknown = int(np.count_nonzero(~is_known))
    target = dataset.schema.target.name
    if n_unknown:
        terminal.warn(f"left out {counted(n_unknown, 'row')} without a value of the target '{target}'")
        dataset = dataset.take(np.flatnonzero(is_known))
    if not np.any(dataset.weights > 0):
        raise DataError(f"{intake.name}: found no row with a value of the target '{target}' and a weight above 0")
    assert dataset.target is not None
    if is_numeric and np.any(np.isinf(dataset.target)):
        raise DataError(f"{intake.name}: found an infinite value of the target '{target}', expected finite numbers")
    return dataset


def _measure(model: Model, dataset: Dataset, jobs: int | None) -> metrics.Classification | metrics.Regression:
    target: Any = dataset.target
    predictions: Any = models.predictions(model, dataset, jobs)
    if model.schema.is_classification:
        return metrics.classification(model.schema.target.labels, target, predictions, dataset.weights)
    return metrics.regression(target, predictions, dataset.weights)


def _classification_tables(measures: metrics.Classification, report_format: str) -> list[report.Table]:
    low, high = measures.accuracy_ci95
    summary: list[list[Cell]] = [
        ["n", measures.n],
        ["errors", measures.errors],
        ["accuracy", measures.accuracy],
        ["accuracy_ci95_low", low],
        ["accuracy_ci95_high", high],
        ["kappa", measures.kappa],
    ]
    confusion = measures.labels, measures.confusion, measures.confusion_other
    if report_format == "csv":
        return [_long_table(summary, measures)]
    return [
        report.Table("", ("measure", "value"), summary),
        *(_confusion.fitted(*confusion) if report_format == "table" else [_confusion.matrix(*confusion)]),
        report.Table(
            "",
            ("class", "n", "precision", "recall", "f1"),
            [[c.label, c.support, c.precision, c.recall, c.f1] for c in measures.per_class],
        ),
    ]


def _long_table(summary: list[list[Cell]], measures: metrics.Classification) -> report.Table:
    """One row per measure, per measure of a class, and per pair of classes."""
    rows: list[list[Cell]] = [[*row, None, None] for row in summary]
    for each in measures.per_class:
        figures = {"support": each.support, "precision": each.precision, "recall": each.recall, "f1": each.f1}
        rows += [[name, value, each.label, None] for name, value in figures.items()]
    pairs = _confusion.pairs(measures.labels, measures.confusion, measures.confusion_other)
    rows += [["confusion", n, actual, predicted] for actual, predicted, n in pairs]
    return report.Table("", ("measure", "value", "class", "predicted"), rows)


def _regression_table(measures: metrics.Regression) -> report.Table:
    return report.Table("", ("measure", "value"), list(asdict(measures).items()))


def _facts(measures: metrics.Classification | metrics.Regression) -> dict[str, object]:
    """The measures for JSON, with integral weights as integers."""
    facts: dict[str, Any] = {field.name: getattr(measures, field.name) for field in fields(measures)}
    if isinstance(measures, metrics.Classification):
        facts["per_class"] = [asdict(each) for each in measures.per_class]
        facts["confusion"] = [as_json(row, measures.labels) for row in measures.confusion]
        facts["confusion_other"] = as_json(measures.confusion_other, measures.labels)
        for name in ("n", "errors", "confusion", "confusion_other"):
            facts[name] = _whole(facts[name])
    for record in facts.get("per_class", ()):
        record["support"] = _whole(record["support"])
    return facts


def _whole(value: Any) -> Any:
    if isinstance(value, dict):
        return {label: _whole(entry) for label, entry in value.items()}
    if isinstance(value, list):
        return [_whole(entry) for entry in value]
    return int(value) if value.is_integer() else value
