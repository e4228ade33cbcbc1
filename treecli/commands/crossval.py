"""Cross-validate a learner on data."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from treecli.cli import experiment, options, report, terminal
from treecli.cli.learner import OF_NOTES, recipe_options
from treecli.commands import _crossval
from treecli.errors import UsageError
from treecli.files import forms, guard
from treecli.files.guard import STREAM
from treecli.recipe import Recipe
from treecli.records import dataclass

if TYPE_CHECKING:
    from treecli.experiment.folds import Division, Folds
    from treecli.intake import Intake, ReadOptions

SHEET = {".csv": "csv"}
"""The form of the files of predictions and folds, by suffix."""


@dataclass(frozen=True, slots=True)
class Writing:
    """The report and its file, and the file of predictions."""

    report_format: str
    output: str | None
    predictions: str | None
    with_times: bool


@click.command(cls=options.Command)
@click.argument("data_path", metavar="DATA", type=options.FILE)
@experiment.division_options
@options.under(
    options.TESTING,
    click.option(
        "--groups",
        metavar="COLUMN",
        help="Rows with the same value are never in two folds; the column is no attribute. With --folds loo one group "
        "is left out at a time.",
    ),
    click.option(
        "--folds-file",
        "folds_path",
        type=options.FILE,
        metavar="FILE",
        help="A CSV file with the columns row, run and fold: the folds are read from it if it exists, and written to "
        "it if not.",
    ),
)
@recipe_options(without=("folds", *OF_NOTES))
@options.report_format
@options.output("stdout")
@options.under(
    options.OUTPUT,
    click.option(
        "--predictions",
        type=options.FILE,
        metavar="FILE",
        help="Write the prediction for each row, made by a model that was not trained on it, to a CSV file.",
    ),
    click.option("--times", "with_times", is_flag=True, help="Report the seconds that each fold took."),
)
@options.training_data
@options.jobs
@options.voice
@options.together("writing", Writing)
def command(
    data_path: str,
    division: Division,
    groups: str | None,
    folds_path: str | None,
    recipe: Recipe,
    writing: Writing,
    reading: ReadOptions,
    jobs: int | None,
) -> None:
    """Cross-validate `train` with the same options on DATA.

    The rows are divided into folds. Each fold is predicted by a model trained on all the others; data that a pruning
    method needs is cut from these as well. No model is written.

    Nominal target: errors and accuracy over all folds, the standard deviation of the accuracy over the folds, a 95 %
    interval of its mean, kappa, errors and accuracy of each fold, and the confusion matrix and the figures of each
    class for all folds together. Numeric target: the same with the mean absolute error and the root mean squared
    error. `leaves` is the number of leaves, overall their mean.

    The interval is corrected for the overlap of the training sets (Nadeau and Bengio 2003). With --folds loo it is
    Wilson's interval of the accuracy.

    \b
    treecli crossval iris.arff
    treecli crossval iris.arff --criterion gini -f json | jq .accuracy
    treecli crossval iris.arff --folds 5 -o iris.folds.csv
    treecli crossval iris.arff --repeats 10 --predictions iris.predicted.csv
    treecli crossval visits.csv --groups patient
    treecli crossval vote.arff --like j48 --repeats 10 --seed 1 --folds-like weka
    """
    from treecli.experiment.folds import WEKA, rare_class
    from treecli.experiment.run import Wanted, validated

    report_format = options.form("report_format", writing.report_format, writing.output, forms.REPORTS)
    _check_files(writing.output, writing.predictions, folds_path)
    is_read = folds_path is not None and os.path.exists(folds_path)
    if is_read:
        _refuse_other_folds(folds_path, groups)
    # Weka measures a learner on a single class too.
    needs_classes = division.like != WEKA
    intake, recipe = experiment.read(data_path, replace(reading, groups=groups), recipe, needs_classes=needs_classes)
    division = replace(division, seed=recipe.settings.computing.seed)
    folds = _folds(intake, division, folds_path if is_read else None)
    is_loo = folds.n_folds == intake.dataset.n_rows
    warning = None if division.n_folds is None or is_loo else rare_class(intake.dataset, folds.n_folds)
    if warning is not None:
        terminal.warn(warning)
    wanted = Wanted(probabilities=writing.predictions is not None)
    with terminal.progress("Folds") as bar:
        n_done = iter(range(1, len(folds) + 1))
        cells = validated(
            intake.dataset, recipe, folds, wanted=wanted, jobs=jobs, on_cell=lambda _: bar(next(n_done) / len(folds))
        )
    for text in dict.fromkeys(text for cell in cells for text in cell.warnings):
        terminal.warn(text)
    found = _crossval.Findings.of(cells, division.seed, is_loo=is_loo, with_times=writing.with_times)
    if folds_path is not None and not is_read:
        _crossval.write_folds(folds_path, folds, intake.rows)
    if writing.predictions is not None:
        _crossval.write_predictions(writing.predictions, cells, intake)
    facts = found.facts() if report_format == "json" else {}
    report.write(report_format, found.tables(report_format), facts, writing.output)


def _check_files(output: str | None, predictions: str | None, folds_path: str | None) -> None:
    """Refuse files that cannot or must not be written, before any work is done."""
    written = {"-o": output, "--predictions": predictions, "--folds-file": folds_path}
    named = {option: path for option, path in written.items() if path is not None}
    for option, path in named.items():
        if option == "-o":
            continue
        if path == STREAM:
            raise UsageError(f"{option}: found '-', expected the name of a file", "stdout has the report")
        forms.chosen(path, SHEET, "csv", option)
        if not (option == "--folds-file" and os.path.exists(path)):
            guard.check_output(path)
    if len(set(named.values())) < len(named):
        raise UsageError(f"{' and '.join(named)} name the same file", "name another for one of them")


def _refuse_other_folds(path: str | None, groups: str | None) -> None:
    """Refuse options that would make other folds than those in the file."""
    context = click.get_current_context()
    given = {
        "--folds": options.is_given(context, experiment.FOLDS),
        "--repeats": options.is_given(context, experiment.REPEATS),
        "--folds-like": options.is_given(context, experiment.FOLDS_LIKE),
        "--groups": groups is not None,
    }
    for option, is_given in given.items():
        if is_given:
            raise UsageError(f"{option}: the folds are read from {path}", f"leave it out, or remove {path}")


def _folds(intake: Intake, division: Division, path: str | None) -> Folds:
    """The folds of the data set, from a file if it is named."""
    from treecli.experiment.folds import folds_of
    from treecli.experiment.foldsfile import read_folds

    if path is None:
        return folds_of(intake.dataset, division, intake.name, intake.groups)
    folds = read_folds(path, intake.dataset.n_rows, intake.rows)
    terminal.note(f"{path}: folds read: {folds.repeats} × {folds.n_folds}")
    return folds
