"""Measure the importance of each attribute of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from treecli import measures, models
from treecli.cli import apply, options, report, terminal
from treecli.data import MISSING
from treecli.ensembles.outofbag import bagging_of, out_of_bag_result
from treecli.errors import DataError, UsageError
from treecli.evaluate.ensembleimportance import mean_importances
from treecli.evaluate.importance import importances, importances_with_surrogates
from treecli.files import forms
from treecli.wording import number_text

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.ensembles.bagging import Bagging
    from treecli.evaluate.permutation import Loss
    from treecli.intake import Intake, ReadOptions
    from treecli.model import Model


@dataclass(frozen=True, slots=True)
class Shuffling:
    """How the permutation importance is measured."""

    measure: str | None
    repeats: int
    seed: int


@click.command(cls=options.Command)
@click.argument("model_path", metavar="MODEL", type=options.FILE)
@click.argument("data_path", metavar="[DATA]", required=False, type=options.FILE)
@click.option(
    "--measure",
    default=None,
    metavar="NAME",
    help="The measure of the permutation importance, as in evaluate.  [default: accuracy; numeric target: r2]",
)
@click.option(
    "--repeats",
    type=options.Whole(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="How often each attribute is shuffled.",
)
@options.report_format
@options.output("stdout")
@apply.unseen
@options.model_data
@options.seed
@options.jobs
@options.voice
@options.together("shuffling", Shuffling)
def command(
    model_path: str,
    data_path: str | None,
    shuffling: Shuffling,
    report_format: str,
    output: str | None,
    unseen: str | None,
    reading: ReadOptions,
    jobs: int | None,
) -> None:
    """Measure how much each attribute contributes to a model.

    `uses` is the number of splits, or of conditions of a rule list. `impurity` is the share of the total impurity
    decrease of a tree's splits, by its own criterion. `surrogate` also counts surrogate splits, with their adjusted
    agreement, as rpart does. Both are computed from the training data, and favour attributes with many values.
    Models at the leaves count only in the permutation importance.

    With DATA, `permutation` is the loss of accuracy (numeric target: of r2) when the values of the attribute are
    shuffled among the rows: the mean and the standard deviation over the repeats. Rows count with their weights. It
    may be negative by chance. Use rows that the model was not trained on. Rule lists have only `uses` and
    `permutation`. For a forest `impurity` is the mean over its trees, and if DATA is its training file, rows are
    predicted out of bag: each by the trees that were not grown on it.

    \b
    treecli importance iris.json
    treecli importance iris.json test.csv --repeats 30
    treecli importance rules.txt test.csv -f json | jq '.importance[0]'
    """
    report_format = options.form("report_format", report_format, output, forms.REPORTS)
    if shuffling.measure is not None:
        measures.measure(shuffling.measure)  # refuses an unknown one before anything is read
    if data_path is None:
        for name in ("measure", "repeats", "unseen", "target", "weight_column", "seed"):
            if options.is_given(click.get_current_context(), name):
                flag = {"weight_column": "weights"}.get(name, name)
                raise UsageError(f"--{flag} is for the permutation importance", "name the data after the model")
        model = models.read_model(model_path)
        losses, facts = None, dict[str, Any]()
    else:
        model, intake = apply.read(model_path, data_path, reading, unseen, needs_target=True)
        rows_known = _known_cases(intake)
        outside = None
        ensemble = models.as_ensemble(model)
        if ensemble is not None and apply.is_training_data(model, intake):
            outside = bagging_of(ensemble, rows_known)
        if outside is None:
            apply.warn_of_training_rows(model, intake, "for the importance for new rows use other rows")
        losses, facts = _permuted(model, rows_known, shuffling, jobs, outside)
    rows = _rows(model, losses)
    if losses is None and not models.trees_of(model):
        terminal.note(f"{models.kind_of(model).TITLE} has no impurity; with DATA, permutation is measured")
    columns = [name for name in rows[0] if report_format == "csv" or any(row[name] is not None for row in rows)]
    tables = [report.Table("", tuple(columns), [[row[name] for name in columns] for row in rows])]
    if losses is not None and report_format in (report.TABLE, "markdown"):
        times = "once" if shuffling.repeats == 1 else f"{shuffling.repeats} times"
        value = number_text(round(facts["value"], 4))
        which = " out of bag" if "rows" in facts else ""
        terminal.note(f"permutation: the loss of {facts['measure']}, which is {value}{which}, by shuffling {times}")
    report.write(report_format, tables, {**facts, "importance": rows}, output)


def _known_cases(intake: Intake) -> Dataset:
    """Return the rows with a target value; one that the model does not know is never predicted correctly."""
    import numpy as np

    dataset = intake.dataset
    assert dataset.target is not None
    is_known = dataset.target == dataset.target if dataset.schema.target.is_numeric else dataset.target != MISSING
    found = dataset if is_known.all() else dataset.take(np.flatnonzero(is_known))
    if not found.weights.any():
        raise DataError(f"{intake.name}: found no row with a value of the target and a weight above 0")
    return found


def _permuted(
    model: Model, dataset: Dataset, shuffling: Shuffling, jobs: int | None, outside: Bagging | None
) -> tuple[list[Loss], dict[str, Any]]:
    """Return the loss of each attribute, and how it was measured; `outside`: by out-of-bag predictions."""
    from treecli.evaluate.permutation import permutation_losses

    name = measures.key(shuffling.measure or ("accuracy" if model.schema.is_classification else "r2"))
    measures.check([name], model.schema.is_classification)
    sign = 1.0 if measures.measure(name).LARGER_IS_BETTER else -1.0
    needs_probabilities = measures.needs_probabilities([name])
    forest = models.as_ensemble(model)

    def score(rows: Dataset) -> float:
        if outside is None or forest is None:
            result = models.result_of(model, rows, 1, needs_probabilities)
        else:
            result = out_of_bag_result(forest, rows, outside)
            if not result.weights.any():
                raise DataError("no row is out of bag: each tree was grown on all of them", "name other rows")
        value = measures.value(name, result)
        if value is None:
            raise DataError(f"{name} is not defined for these rows", "choose another with --measure")
        return sign * value

    used = models.columns_used(model)
    losses = permutation_losses(dataset, score, used, repeats=shuffling.repeats, seed=shuffling.seed, jobs=jobs)
    facts = {"measure": name, "value": sign * score(dataset), "repeats": shuffling.repeats, "seed": shuffling.seed}
    return losses, facts | ({} if outside is None else {"rows": "out of bag"})


def _rows(model: Model, losses: list[Loss] | None) -> list[dict[str, Any]]:
    """Return a record for each attribute, the most important first."""
    tree = models.as_tree(model)
    impurity = None if tree is None else importances(tree)
    ensemble = models.as_ensemble(model)
    if ensemble is not None:
        impurity = mean_importances(ensemble)
    surrogate = None if tree is None else importances_with_surrogates(tree)
    rows = []
    for index, described in enumerate(models.facts(model)["attributes"]):
        # Derived columns come after the attributes; only attributes are shuffled.
        loss = losses[index] if losses is not None and index < len(losses) else None
        rows.append(
            {
                "attribute": described["name"],
                "uses": described.get("splits", described.get("conditions")),
                "impurity": None if impurity is None else impurity[index],
                "surrogate": None if surrogate is None else surrogate[index],
                "permutation": None if loss is None else loss.mean,
                "permutation_sd": None if loss is None else loss.sd,
            }
        )
    by = ("permutation", "surrogate", "impurity", "uses")
    return sorted(rows, key=lambda row: [-(row[name] or 0.0) for name in by])
