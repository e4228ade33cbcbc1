"""Grow a tree, or several, from data."""

from __future__ import annotations

import sys
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from treecli import __version__, limits
from treecli.cli import engine, options, terminal
from treecli.cli.learner import recipe_options
from treecli.errors import UsageError
from treecli.files import forms, guard
from treecli.files.guard import STREAM
from treecli.learn import held_aside, learn, learn_several
from treecli.models import as_tree, facts, predictions, write_model
from treecli.options.option import ENSEMBLES
from treecli.pruners import pruner
from treecli.recipe import Recipe
from treecli.records import dataclass
from treecli.renderers import View, text
from treecli.wording import counted, readable

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.evaluate.measure import Measures
    from treecli.intake import Intake, ReadOptions
    from treecli.model import Lineage, Model

MOST_LEAVES_SHOWN = 40
"""A tree with more leaves than this is not printed after training."""


@dataclass(frozen=True, slots=True)
class Aside:
    """The rows that the tree is not grown from: those to prune with, and those to test."""

    tune_path: str | None
    test_path: str | None
    test_fraction: float | None


@dataclass(frozen=True, slots=True)
class Several:
    """The options for several trees: whether an interruption keeps those that are grown, and a plot of the error."""

    keep_partial: bool
    plot: str | None


@click.command(cls=options.Command)
@click.argument("data_path", metavar="DATA", type=options.FILE)
@recipe_options()
@options.under(
    options.PRUNING,
    click.option("--tune", "tune_path", type=options.FILE, metavar="FILE", help="(reduced-error) The tuning data."),
)
@options.under(
    options.TESTING,
    click.option(
        "--test", "test_path", type=options.FILE, metavar="FILE", help="Also report the accuracy on this data."
    ),
    click.option(
        "--test-fraction",
        type=options.Real(0.0, 1.0, min_open=True, max_open=True),
        metavar="F",
        help="Hold out this share of the rows, stratified by class, and report the accuracy on them.",
    ),
)
@options.under(
    ENSEMBLES,
    click.option(
        "--keep-partial",
        is_flag=True,
        help="If interrupted by Ctrl-C, keep the trees grown so far; the lineage records it.",
    ),
    click.option(
        "--plot",
        type=options.FILE,
        metavar="FILE",
        help="Draw the error by number of trees: out of bag (--forest) or on the training rows (--boost), and on the "
        "rows of --test or --test-fraction: .svg, .pdf or .png.",
    ),
)
@options.output("STEM.json in this folder", has_forms=False)
@options.training_data
@engine.checkpoint
@engine.strategy
@engine.master
@engine.where_to_grow
@options.jobs
@options.voice
@options.together("aside", Aside)
@options.together("several", Several)
def command(
    data_path: str,
    recipe: Recipe,
    aside: Aside,
    several: Several,
    output: str | None,
    reading: ReadOptions,
    where: engine.Where,
    jobs: int | None,
) -> None:
    """Grow a decision tree, a forest or boosted trees from DATA and write them to a model file.

    A nominal target gives a classification tree, a numeric target a regression tree. The tree is grown in full; prune
    it afterwards or with --prune. Ties between splits go to the first attribute, then to the lowest threshold, then
    to the first group.

    --forest grows a random forest, --boost boosted trees; all options for one tree apply to each of them. A forest
    reports its out-of-bag error: each row is predicted by the trees that were not grown on it.

    --engine duckdb grows the same tree from data that are larger than memory: it reads them once, counts the rows of
    each level in passes over narrow codes on disk, and finishes in memory what fits. --engine spark does so on a
    cluster.

    \b
    treecli train playtennis.csv --criterion gainratio
    treecli train iris.arff --criterion gini --max-depth 3 -o small.json
    treecli train vote.arff --like j48
    treecli train cars.csv -t mpg -x name --min-leaf 5
    treecli train vote.arff --forest 100 -o vote.json.gz
    treecli train vote.arff --like j48 --boost 10
    treecli train vote.arff --forest 200 --test-fraction 0.3 --plot errors.svg
    treecli train 'sales-*.parquet' --engine duckdb --memory 2GB -o sales.json
    treecli train sales.parquet --engine spark --master spark://HOST:7077
    cat iris.csv | treecli train - --from csv -o - | treecli show -
    """
    from treecli.intake import read_for_model, read_training

    plot = several.plot
    recipe = _checked(recipe, aside, keep_partial=several.keep_partial)
    if not where.is_memory:
        given = {"--tune": aside.tune_path, "--test-fraction": aside.test_fraction, "--plot": plot}
        engine.refuse(where, {option: value is not None for option, value in given.items()})
        from treecli.commands import _large

        _large.train(data_path, recipe, where, output, reading, aside.test_path, jobs)
        return
    output = output or _default_output(data_path, reading)
    forms.check_model(output)
    if plot is not None:
        from treecli.commands import _errorcurve

        _errorcurve.check(plot, recipe, output, has_test=aside.test_path is not None or aside.test_fraction is not None)
    begun = perf_counter()
    with terminal.waiting(f"Reading {data_path}"):
        # The other programs use identifiers, and count rows without a target in some rules.
        is_like = recipe.like is not None
        intake = read_training(data_path, reading, keep_identifiers=is_like, keep_unlabelled=is_like)
    if recipe.ensemble is not None:
        from treecli.ensembles.checks import check_classes

        check_classes(intake.dataset, recipe)
    for notice in (*intake.notices, *intake.remarks):
        terminal.note(notice)
    for warning in intake.warnings:
        terminal.warn(warning)
    read_seconds = perf_counter() - begun

    limits.check(intake.dataset, intake.name, reading.weights)
    recipe = recipe.with_costs(intake.dataset.schema.target.labels)
    seed = recipe.settings.computing.seed
    training, tuning, test = intake.dataset, None, None
    if aside.tune_path is not None:
        tuning = _held_aside_rows(read_for_model(aside.tune_path, reading, training.schema), reading, intake)
    if aside.test_path is not None:
        test = _held_aside_rows(read_for_model(aside.test_path, reading, training.schema), reading, intake)
    elif aside.test_fraction is not None:
        training, test = held_aside(training, aside.test_fraction, seed)
        for part, rows in (("the rows to grow from", training), ("the held-out rows", test)):
            limits.check(rows, f"{intake.name}: {part}", reading.weights)
        terminal.note(f"{counted(training.n_rows, 'row')} to grow from, {test.n_rows} held out (seed {seed})")
    step = _training_step(intake, training, recipe.like) | _held_aside_step(aside.test_fraction, test)
    errors: list[float] | None = None if plot is None else []
    model = _learned(training, tuning, recipe, jobs, keep_partial=several.keep_partial, errors=errors)
    model = model.redescribed(lineage=(step, *model.lineage))
    grow_seconds = perf_counter() - begun - read_seconds
    write_model(output, model)
    terminal.note(
        f"{intake.name}: read in {read_seconds:.2f} s, grown in {grow_seconds:.2f} s from "
        f"{counted(training.n_rows, 'row')} and {counted(len(training.schema.attributes), 'attribute')}; "
        f"wrote {'the model to stdout' if output == STREAM else output}"
    )
    if plot is not None and errors is not None:
        from treecli.commands import _errorcurve

        _errorcurve.draw(plot, intake.name, model, errors, training, test)
    if output != STREAM:
        _report(model, training, test, jobs, is_known=not step["missing"])


def _checked(recipe: Recipe, aside: Aside, *, keep_partial: bool) -> Recipe:
    """The recipe without its own tuning rows if others are given; raises a UsageError if options do not fit."""
    if aside.test_path is not None and aside.test_fraction is not None:
        raise UsageError("--test and --test-fraction exclude each other")
    if aside.tune_path is not None and recipe.ensemble is not None:
        advice = "use --tune-fraction" if recipe.ensemble.kind == "boosted" else "leave it out"
        raise UsageError(f"--tune is for one tree, not for {recipe.ensemble.flag}", advice)
    if aside.tune_path is not None and (recipe.method is None or pruner(recipe.method).DATA != "needed"):
        raise UsageError("--tune needs a pruning method with tuning data", "add --prune reduced-error")
    if keep_partial and recipe.ensemble is None:
        raise UsageError("--keep-partial goes with --forest and --boost")
    if aside.tune_path is not None and (recipe.tune_fraction is not None or recipe.tune_fold is not None):
        recipe = replace(recipe, tune_fraction=None, tune_fold=None)
    return recipe


def _held_aside_rows(intake: Intake, reading: ReadOptions, training: Intake) -> Dataset:
    """The rows of another file, if they can be evaluated; warns if it is the training file."""
    if intake.sha256 == training.sha256:
        found = "these are the rows the model is grown from"
        terminal.warn(f"{intake.name}: {found}; for an unbiased estimate use other rows")
    limits.check(intake.dataset, intake.name, reading.weights)
    return intake.dataset


def _default_output(data_path: str, reading: ReadOptions) -> str:
    from treecli.readers._source import open_source

    if data_path == STREAM:
        raise UsageError("data from stdin has no name to derive the model's name from", "name the model: -o FILE")
    output = f"{forms.stem_of(data_path)}.json"
    try:
        guard.check_output(output)
    except UsageError:
        open_source(data_path, reading)  # reports a model given as data
        raise
    return output


def _learned(
    training: Dataset,
    tuning: Dataset | None,
    recipe: Recipe,
    jobs: int | None,
    *,
    keep_partial: bool,
    errors: list[float] | None = None,
) -> Model:
    """The model; `errors` receives the out-of-bag error of a forest after each tree."""
    from treecli.kernels import are_compiled

    if not are_compiled():
        terminal.note("kernels are not compiled (no C compiler at install): same results, slower")
    with terminal.progress("Growing") as bar:
        if recipe.ensemble is None:
            told: dict[str, Any] = {"on_progress": bar, "on_warning": terminal.warn, "on_note": terminal.note}
            return learn(training, recipe, tuning=tuning, jobs=jobs, on_remark=terminal.detail, **told)
        from treecli.ensembles.watch import Watch

        def tell(n_trees: int, error: float) -> None:
            bar.error(n_trees, error)
            if errors is not None:
                errors.append(error)

        on_error = tell if bar.is_shown or errors is not None else None
        watch = Watch(bar, terminal.warn, terminal.detail, on_error, keep_partial)
        model = learn_several(training, recipe, jobs=jobs, watch=watch)
    if model.lineage[-1].get("ended_by") == "interrupt":
        terminal.warn(f"interrupted: keeps the {counted(model.lineage[-1]['trees'], 'tree')} grown so far")
    return model


def _training_step(intake: Intake, training: Dataset, like: str | None) -> Lineage:
    step: Lineage = {"command": "train", "treecli": __version__}
    if like is not None:
        step["like"] = like
    return step | {
        "data": intake.name,
        "sha256": intake.sha256,
        "rows": training.n_rows,
        "missing": _missing_counts(training),
        "left_out": dict(intake.left_out),
    }


def _missing_counts(dataset: Dataset) -> dict[str, int]:
    """The number of missing values of each attribute that has any."""
    counts = {attribute.name: dataset.n_missing(i) for i, attribute in enumerate(dataset.schema.attributes)}
    return {name: count for name, count in counts.items() if count}


def _held_aside_step(fraction: float | None, test: Dataset | None) -> Lineage:
    if fraction is None or test is None:
        return {}
    return {"test_fraction": fraction, "test_rows": test.n_rows}


def _report(model: Model, training: Dataset, test: Dataset | None, jobs: int | None, *, is_known: bool) -> None:
    """Print the tree if it is small, its size and its errors; `is_known`: no training row lacks a value."""
    from treecli.evaluate.counted import measured_by_leaves

    tree = as_tree(model)
    if tree is not None and tree.tree.n_leaves <= MOST_LEAVES_SHOWN:
        view = View(is_colored=terminal.is_colored(sys.stdout))
        terminal.results(text.render(tree, view), is_safe=view.is_colored)
        click.echo()
    click.echo(_size(facts(model)))
    found_by_leaves = None if tree is None or not is_known else measured_by_leaves(tree, training.labelled())
    own = _quality(model, training.labelled(), jobs) if found_by_leaves is None else _in_words(found_by_leaves)
    click.echo(f"training: {own}")
    outside = model.lineage[-1].get("out_of_bag")
    if outside is not None and outside["error"] is not None:
        what = "error" if model.schema.is_classification else "root mean squared error"
        click.echo(f"out of bag: {what} {outside['error']:.4g} ({counted(outside['rows'], 'row')})")
    if test is not None:
        click.echo(f"test: {_quality(model, test.labelled(), jobs)}")


def _size(found: dict[str, Any]) -> str:
    """The number of trees and nodes, or of rules."""
    if "rulesets" in found:
        sets = counted(found["rulesets"], "set") + " of rules"
        return f"{sets}, {counted(found['rules'], 'rule')}, {counted(found['conditions'], 'condition')}"
    trees = f"{counted(found['trees'], 'tree')}, " if "trees" in found else ""
    return (
        f"{trees}{counted(found['nodes'], 'node')}, {counted(found['leaves'], 'leaf', 'leaves')}, "
        f"depth {found['depth']}"
    )


def _quality(model: Model, dataset: Dataset, jobs: int | None) -> str:
    from treecli.evaluate.measure import measured

    return _in_words(measured(model, dataset, predictions(model, dataset, jobs)))


def _in_words(measures: Measures) -> str:
    from treecli.evaluate.metrics import Classification

    if isinstance(measures, Classification):
        low, high = measures.accuracy_ci95
        return (
            f"{readable(measures.errors)} of {readable(measures.n)} wrong, accuracy {measures.accuracy:.4f} "
            f"(95 %: {low:.4f} to {high:.4f})"
        )
    fit = "" if measures.r2 is None else f", r2 {measures.r2:.4f}"
    return f"mean absolute error {measures.mae:.6g}, root mean squared error {measures.rmse:.6g}{fit}"
