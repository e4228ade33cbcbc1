"""Make one tree that imitates an ensemble."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from treecli import limits, models
from treecli.cli import apply, options, report, terminal
from treecli.cli.learner import OF_ENSEMBLES, OF_NOTES, recipe_options
from treecli.errors import UsageError
from treecli.files import forms
from treecli.files.guard import STREAM
from treecli.learn import held_aside
from treecli.wording import counted

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.experiment.distilling import Quality
    from treecli.intake import Intake, ReadOptions
    from treecli.model import Lineage, Model, TreeModel
    from treecli.recipe import Recipe

TEST_FRACTION = 0.3


@dataclass(frozen=True, slots=True)
class Imitating:
    """How the model is imitated: rows that are made up, rules instead of a tree, and the rows for the comparison."""

    n_generated: int
    as_rules: bool
    test_path: str | None
    test_fraction: float | None


@click.command(cls=options.Command)
@click.argument("model_path", metavar="ENSEMBLE", type=options.FILE)
@click.argument("data_path", metavar="DATA", type=options.FILE)
@options.under(
    options.DATA,
    click.option(
        "--generate",
        "n_generated",
        type=options.Whole(min=0),
        default=0,
        show_default=True,
        metavar="N",
        help="Also imitate the predictions for N generated rows: rows of DATA with a quarter of their values taken "
        "from other rows.",
    ),
)
@options.under(
    options.OUTPUT,
    click.option("--rules", "as_rules", is_flag=True, help="Write a rule list instead of a tree."),
)
@recipe_options(without=(*OF_NOTES, *OF_ENSEMBLES))
@options.under(
    options.TESTING,
    click.option("--test", "test_path", type=options.FILE, metavar="FILE", help="Compare on the rows of this data."),
    click.option(
        "--test-fraction",
        type=options.Real(0.0, 1.0, min_open=True, max_open=True),
        metavar="F",
        help="Hold out this share of the rows to compare on.  [default: 0.3, unless --test is given]",
    ),
)
@options.report_format
@options.output("STEM.tree.json in this folder", has_forms=False)
@options.model_data
@options.jobs
@options.voice
@options.together("imitating", Imitating)
def command(
    model_path: str,
    data_path: str,
    recipe: Recipe,
    imitating: Imitating,
    report_format: str,
    output: str | None,
    reading: ReadOptions,
    jobs: int | None,
) -> None:
    """Grow one tree that imitates the predictions of ENSEMBLE for the rows of DATA.

    The tree is grown by the options of train, on the predictions in place of the target; by default with --min-leaf 2
    --prune pessimistic, or for a numeric target with --min-leaf 5. It is compared on held-out rows with the ensemble
    and with a plain tree, which is grown by the same options on the target itself: `fidelity` is the share of rows on
    which a model predicts what the ensemble does, `accuracy` that of correct predictions, if DATA has the target. For
    a numeric target they are the share of the variance of the ensemble's predictions that is explained, and the root
    mean squared error, `rmse`. The held-out rows are new to the trees, but the ensemble may have been trained on them:
    name other rows with --test.

    \b
    treecli distill forest.json train.csv --test test.csv -o tree.json
    treecli distill forest.json train.csv --max-leaves 8 --generate 10000
    treecli distill forest.json train.csv --rules -o rules.json
    """
    if imitating.test_path is not None and imitating.test_fraction is not None:
        raise UsageError("--test and --test-fraction exclude each other")
    output = output or _default_output(model_path)
    forms.check_model(output)
    model, intake = apply.read(model_path, data_path, reading, None, needs_target=False)
    if imitating.test_path is None:
        apply.warn_of_training_rows(model, intake, "the accuracy of the ensemble is not that for new rows: use --test")
    _check_weights(intake, reading)
    recipe = _with_defaults(recipe, is_classification=model.schema.is_classification)
    recipe = recipe.with_costs(model.schema.target.labels)
    growing, test = _parts(model, intake, imitating, reading, recipe.settings.computing.seed)
    imitation, found = _imitated(model, growing, test, recipe, imitating.n_generated, jobs)
    step: Lineage = {"command": "distill", "data": intake.name, "sha256": intake.sha256, "rows": growing.n_rows}
    step |= {"generated": imitating.n_generated, "fidelity": found[1].fidelity}
    imitation = replace(imitation, lineage=(*model.lineage, step, *imitation.lineage))
    made: Model = _as_rules(imitation) if imitating.as_rules else imitation
    models.write_model(output, made)
    terminal.note(
        f"grown from {counted(growing.n_rows, 'row')} and {imitating.n_generated} generated, compared on "
        f"{counted(test.n_rows, 'row')}; wrote {'the model to stdout' if output == STREAM else output}"
    )
    if output != STREAM:
        _report(found, report_format, is_classification=model.schema.is_classification)


def _default_output(model_path: str) -> str:
    if model_path == STREAM:
        raise UsageError("a model from stdin has no name to derive another from", "name the tree: -o FILE")
    return f"{forms.stem_of(model_path)}.tree.json"


def _check_weights(intake: Intake, reading: ReadOptions) -> None:
    """Raises a DataError if the weights of the rows are too large or too small; all have a prediction to imitate."""
    import numpy as np

    dataset = intake.dataset
    kind: Any = np.float64 if dataset.schema.target.is_numeric else np.int32
    target: Any = np.zeros(dataset.n_rows, kind)
    limits.check(replace(dataset, target=target), intake.name, reading.weights)


def _with_defaults(recipe: Recipe, *, is_classification: bool) -> Recipe:
    """The recipe, with a smaller tree than the full one if no option was given that limits its size."""
    from treecli.recipe import Recipe

    context = click.get_current_context()
    sizes = ("like", "prune", "min_leaf", "min_split", "max_depth", "max_leaves", "min_gain", "chi2_alpha", "cp")
    if any(options.is_given(context, name) for name in sizes):
        return recipe
    usual = Recipe.of({"min_leaf": 2.0, "prune": "pessimistic"})
    if is_classification:
        settings = recipe.settings.changed(min_leaf=2.0)
        return replace(recipe, settings=settings, method=usual.method, options=usual.options)
    return replace(recipe, settings=recipe.settings.changed(min_leaf=5.0))


def _parts(
    model: Model, intake: Intake, imitating: Imitating, reading: ReadOptions, seed: int
) -> tuple[Dataset, Dataset]:
    """The rows to grow from, and those to compare on."""
    dataset = intake.dataset
    if imitating.test_path is not None:
        return dataset, apply.read_data(imitating.test_path, reading, model, needs_target=False).dataset
    return held_aside(dataset, imitating.test_fraction or TEST_FRACTION, seed)


def _imitated(
    model: Model, growing: Dataset, test: Dataset, recipe: Recipe, n_generated: int, jobs: int | None
) -> tuple[TreeModel, list[Quality]]:
    """The imitating tree, and how good the ensemble, this tree and a plain tree are."""
    from treecli.experiment.distilling import imitated, plain, quality

    imitation = imitated(model, growing, recipe, n_generated, jobs)
    original = models.predictions(model, test, jobs)
    compared: list[tuple[str, Any]] = [("ensemble", model), ("imitating tree", imitation)]
    if growing.target is not None:
        compared.append(("plain tree", plain(growing.labelled(), recipe, jobs)))
    return imitation, [quality(name, own, original, test, jobs) for name, own in compared]


def _as_rules(tree: TreeModel) -> Model:
    from treecli.rules.rulelist import of_tree
    from treecli.simplifiers import simplifier

    return simplifier("exact").simplify(tree, of_tree(tree), None).rules


def _report(found: list[Quality], report_format: str, *, is_classification: bool) -> None:
    measure = "accuracy" if is_classification else "rmse"
    rows = [[one.name, one.leaves, one.accuracy, one.fidelity] for one in found]
    table = report.Table("", ("model", "leaves", measure, "fidelity"), rows)
    own = found[1]
    facts: dict[str, Any] = {"fidelity": own.fidelity, measure: own.accuracy, "leaves": own.leaves}
    facts["models"] = [dict(zip(("model", "leaves", measure, "fidelity"), row, strict=True)) for row in rows]
    report.write(report_format, [table], facts)
