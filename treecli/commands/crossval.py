"""Cross-validate a learner on data."""

from __future__ import annotations

from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

import click

from treecli import limits
from treecli.cli import options, report, terminal
from treecli.cli.learner import recipe_options
from treecli.errors import UsageError
from treecli.files import forms
from treecli.learn import learn
from treecli.recipe import Recipe
from treecli.wording import counted

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.evaluate.measure import Measures
    from treecli.intake import ReadOptions

FOLDS_LIKE = ("random", "weka")


@click.command(cls=options.Command)
@click.argument("data_path", metavar="DATA", type=options.FILE)
@options.under(
    options.TESTING,
    click.option(
        "--folds",
        "n_folds",
        type=options.Whole(min=2),
        default=10,
        show_default=True,
        metavar="K",
        help="The number of folds.",
    ),
    click.option(
        "--folds-like",
        type=options.OneOf(FOLDS_LIKE),
        default="random",
        show_default=True,
        help="How rows are assigned to folds: at random, stratified by class, or exactly as Weka does for the same "
        "--seed.",
    ),
)
@recipe_options(without=("folds", "competitors"))
@options.report_format
@options.output("stdout")
@options.training_data
@options.jobs
@options.voice
def command(
    data_path: str,
    n_folds: int,
    folds_like: str,
    recipe: Recipe,
    report_format: str,
    output: str | None,
    reading: ReadOptions,
    jobs: int | None,
) -> None:
    """Cross-validate `train` with the same options on DATA.

    The rows are divided into folds. Each fold is predicted by a model trained on all the others. No model is
    written.

    Nominal target: errors and accuracy over all folds, the standard deviation of the accuracy over the folds, and
    errors and accuracy of each fold. Numeric target: the same with the mean absolute error and the root mean squared
    error. `leaves` is the number of leaves, overall their mean.

    \b
    treecli crossval iris.arff
    treecli crossval iris.arff --criterion gini -f json | jq .accuracy
    treecli crossval iris.arff --folds 5 -o iris.folds.csv
    treecli crossval vote.arff --like j48 --folds 10 --seed 1 --folds-like weka
    """
    from treecli.intake import read_training

    report_format = options.form("report_format", report_format, output, forms.REPORTS)
    is_like = recipe.like is not None
    with terminal.waiting(f"Reading {data_path}"):
        intake = read_training(data_path, reading, keep_identifiers=is_like, keep_unlabelled=is_like)
    for notice in intake.notices:
        terminal.detail(notice)
    for remark in intake.remarks:
        terminal.note(remark)
    for warning in intake.warnings:
        terminal.warn(warning)
    dataset = intake.dataset
    limits.check(dataset, intake.name, reading.weights)
    recipe = recipe.with_costs(dataset.schema.target.labels)
    if n_folds > dataset.n_rows:
        raise UsageError(
            f"{intake.name}: {n_folds} folds of {counted(dataset.n_rows, 'row')}", "use fewer folds: --folds"
        )
    per_fold = _validated(dataset, recipe, n_folds, folds_like, jobs)
    facts = _summary(per_fold) | {"per_fold": per_fold}
    summary = [[name, value] for name, value in facts.items() if name != "per_fold"]
    columns = tuple(per_fold[0])
    tables = [
        report.Table("", ("measure", "value"), summary),
        report.Table("", columns, [[fold[c] for c in columns] for fold in per_fold]),
    ]
    if report_format == "csv":
        tables = [_long_table(summary, per_fold)]
    report.write(report_format, tables, facts, output)


def _long_table(summary: list[list[Any]], per_fold: list[dict[str, Any]]) -> report.Table:
    """One row per measure, and one per measure of each fold."""
    rows = [[*row, None] for row in summary]
    for fold in per_fold:
        rows += [[f"fold_{name}", value, fold["fold"]] for name, value in fold.items() if name != "fold"]
    return report.Table("", ("measure", "value", "fold"), rows)


def _validated(
    dataset: Dataset, recipe: Recipe, n_folds: int, folds_like: str, jobs: int | None
) -> list[dict[str, Any]]:
    """The measures of every fold that has rows with a target."""
    from treecli.evaluate import folds
    from treecli.evaluate.measure import measure

    assert dataset.target is not None
    divide = folds.like_weka if folds_like == "weka" else folds.stratified
    per_fold = []
    warnings: dict[str, None] = {}
    with terminal.progress("Folds") as bar:
        for fold, (outside, inside) in enumerate(divide(dataset.target, n_folds, recipe.settings.computing.seed)):
            model = learn(dataset.take(outside), recipe, jobs=jobs, on_warning=warnings.setdefault)
            test = dataset.take(inside).labelled()
            if test.weights.any():
                sizes = {"fold": fold + 1, "leaves": model.tree.n_leaves}
                per_fold.append(sizes | _facts(measure(model, test, jobs)))
            bar((fold + 1) / n_folds)
    for warning in warnings:
        terminal.warn(warning)
    return per_fold


def _facts(measures: Measures) -> dict[str, Any]:
    from treecli.evaluate.metrics import Classification

    if isinstance(measures, Classification):
        return {"n": measures.n, "errors": measures.errors, "accuracy": measures.accuracy}
    return {"n": measures.n, "mae": measures.mae, "rmse": measures.rmse, "r2": measures.r2}


def _summary(per_fold: list[dict[str, Any]]) -> dict[str, Any]:
    """The measures over all folds; the standard deviation is over folds."""
    n = sum(fold["n"] for fold in per_fold)
    together: dict[str, Any] = {"folds": len(per_fold), "n": n, "leaves": mean(fold["leaves"] for fold in per_fold)}
    if "accuracy" in per_fold[0]:
        errors = sum(fold["errors"] for fold in per_fold)
        together |= {"errors": errors, "accuracy": 1 - errors / n}
        name = "accuracy"
    else:
        together["mae"] = sum(fold["mae"] * fold["n"] for fold in per_fold) / n
        together["rmse"] = (sum(fold["rmse"] ** 2 * fold["n"] for fold in per_fold) / n) ** 0.5
        name = "rmse"
    spread = stdev(fold[name] for fold in per_fold) if len(per_fold) > 1 else None
    return together | {f"{name}_sd": spread}
