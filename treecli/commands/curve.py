"""Show how accuracy depends on the number of training rows, or on the size of the tree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from treecli import measures
from treecli.cli import experiment, options, report, terminal
from treecli.cli.learner import OF_NOTES, recipe_options
from treecli.commands._sweepoptions import Writing
from treecli.errors import UsageError
from treecli.experiment.folds import Division
from treecli.files import forms, guard
from treecli.recipe import Recipe
from treecli.wording import Cell

if TYPE_CHECKING:
    from treecli.experiment.curve import Point
    from treecli.intake import Intake, ReadOptions

SIZE, LEAVES, DEPTH = "size", "leaves", "depth"
USUAL_REPEATS = 10
USUAL_MEASURE = {True: "accuracy", False: "rmse"}
LABELS = {SIZE: "training rows", LEAVES: "leaves", DEPTH: "depth"}


@dataclass(frozen=True, slots=True)
class Asked:
    """The horizontal axis, the sizes on it if given, and the measure."""

    by: str
    sizes_text: str | None
    measure: str | None


@click.command(cls=options.Command)
@click.argument("data_path", metavar="DATA", type=options.FILE)
@options.under(
    options.TESTING,
    click.option(
        "--by",
        type=options.OneOf((SIZE, LEAVES, DEPTH)),
        default=SIZE,
        show_default=True,
        help="Vary the number of training rows, the leaves of the tree, or its depth.",
    ),
    click.option(
        "--sizes",
        "sizes_text",
        metavar="N,N,…",
        help="(--by size) The numbers of training rows.  [default: a tenth of the rows, doubled up to four fifths]",
    ),
    click.option("--measure", metavar="NAME", help="[default: accuracy, or rmse for a numeric target]"),
)
@experiment.division_options
@recipe_options(without=("folds", *OF_NOTES))
@options.under(
    options.OUTPUT,
    click.option("--plot", type=options.FILE, metavar="FILE", help="Draw the curves: .svg, .pdf or .png."),
)
@options.report_format
@options.output("stdout")
@options.training_data
@options.jobs
@options.voice
@options.together("asked", Asked)
@options.together("writing", Writing)
def command(
    data_path: str,
    asked: Asked,
    division: Division,
    recipe: Recipe,
    writing: Writing,
    reading: ReadOptions,
    jobs: int | None,
) -> None:
    """Measure `train` with the same options on DATA at several sizes, on training and on test rows.

    --by size: models are trained on random samples, stratified by class, each part of the next, and tested on all other
    rows; --repeats draws new samples (10 times by default).

    --by leaves and --by depth: in each fold of a cross-validation, the tree is made smaller step by step along its
    cost-complexity path; a point is the largest tree of the path with no more leaves or levels. A fold whose tree is
    smaller keeps its whole tree.

    `train` and `test` are means over the repeats or the folds, `sd` is the standard deviation of `test`, `leaves` the
    mean number of leaves.

    \b
    treecli curve iris.csv --like j48
    treecli curve vote.arff --by leaves --plot overfitting.svg
    treecli curve iris.csv --by depth --criterion gini --folds 5
    treecli curve vote.arff --forest 50 --repeats 3
    treecli curve cpu.csv --sizes 20,50,100,150 --measure mae -f json
    """
    report_format = options.form("report_format", writing.report_format, writing.output, forms.REPORTS)
    _check_options(asked, writing)
    if asked.by != SIZE and recipe.settings.predicting.has_models:
        raise UsageError(
            f"--by {asked.by} follows the cost-complexity path, which does not exist for leaves with their own models",
            "use --by size, or sweep an option such as --vary min-split=4,8,16",
        )
    if asked.by != SIZE and recipe.ensemble is not None:
        raise UsageError(
            f"--by {asked.by} makes one tree smaller step by step, but {recipe.ensemble.flag} grows several",
            "use --by size; train --plot draws the error by number of trees",
        )
    intake, recipe = experiment.read(data_path, reading, recipe)
    is_classification = intake.dataset.schema.is_classification
    name = measures.key(asked.measure or USUAL_MEASURE[is_classification])
    measures.check([name], is_classification)
    division = replace(division, seed=recipe.settings.computing.seed)
    points = _points(intake, recipe, asked, division, name, jobs)
    if writing.plot is not None:
        _draw(points, asked.by, name, intake.name, writing.plot)
    facts = {"by": asked.by, "measure": name, "points": [_facts(point) for point in points]}
    report.write(report_format, [_table(points, asked.by, is_text=report_format == "table")], facts, writing.output)


def _check_options(asked: Asked, writing: Writing) -> None:
    """Refuse options that have no effect, and files that cannot be written."""
    from treecli.draw.canvas import check_suffix

    by, plot = asked.by, writing.plot
    context = click.get_current_context()
    if by != SIZE and asked.sizes_text is not None:
        raise UsageError(f"--sizes goes with --by size, not with --by {by}", "leave it out")
    for flag, parameter in (("--folds", experiment.FOLDS), ("--folds-like", experiment.FOLDS_LIKE)):
        if by == SIZE and options.is_given(context, parameter):
            raise UsageError(
                f"{flag} goes with --by leaves and --by depth", "leave it out; --repeats draws more samples"
            )
    if plot is not None:
        check_suffix(plot)
        guard.check_output(plot)
        if plot == writing.output:
            raise UsageError(f"{plot}: is given for two outputs", "give each a name of its own")


def _points(
    intake: Intake, recipe: Recipe, asked: Asked, division: Division, measure: str, jobs: int | None
) -> list[Point]:
    from treecli.experiment import curve
    from treecli.experiment.folds import folds_of, rare_class

    dataset = intake.dataset
    with terminal.progress("Trees") as bar:
        if asked.by == SIZE:
            text = asked.sizes_text
            sizes = curve.usual_sizes(dataset.n_rows) if text is None else _sizes(text)
            is_given = options.is_given(click.get_current_context(), experiment.REPEATS)
            repeats = division.repeats if is_given else USUAL_REPEATS
            return curve.by_size(dataset, recipe, sizes, repeats, measure, jobs=jobs, on_done=bar)
        folds = folds_of(dataset, division, intake.name)
        warning = None if division.n_folds is None else rare_class(dataset, folds.n_folds)
        if warning is not None:
            terminal.warn(warning)
        return curve.by_complexity(dataset, recipe, folds, asked.by, measure, jobs=jobs, on_done=bar)


def _sizes(text: str) -> list[int]:
    whole = options.Whole(min=2)
    return sorted({whole.convert(word.strip(), _SIZES, None) for word in text.split(",")})


_SIZES = click.Option(["--sizes"])


def _facts(point: Point) -> dict[str, Any]:
    return {"x": point.x, "train": point.train, "test": point.test, "sd": point.sd, "leaves": point.leaves}


def _table(points: list[Point], by: str, *, is_text: bool) -> report.Table:
    """A row for each size; the text has four decimals, so that the digits are below each other."""
    columns = (by, "train", "test", "sd", *(("leaves",) if by != LEAVES else ()))
    rows: list[list[Cell]] = []
    for point in points:
        row: list[Cell] = [point.x, point.train, point.test, point.sd, *([point.leaves] if by != LEAVES else [])]
        if is_text:
            row = [str(row[0]), *("n/a" if cell is None else f"{cell:.4f}" for cell in row[1:4])]
            row += [f"{point.leaves:.1f}"] if by != LEAVES else []
        rows.append(row)
    return report.at_the_right(report.Table("", columns, rows)) if is_text else report.Table("", columns, rows)


def _draw(points: list[Point], by: str, measure: str, name: str, plot: str) -> None:
    from treecli.commands._pictures import write_picture
    from treecli.draw import curves

    positions = [float(point.x) for point in points]
    is_log = by != DEPTH and min(positions) > 0 and max(positions) >= 20 * min(positions)
    axis = curves.Axis(LABELS[by], positions, (), is_log)
    series = [
        curves.Series("training rows", [point.train for point in points]),
        curves.Series("test rows", [point.test for point in points], [point.sd for point in points]),
    ]
    title, note = f"Learning curve of {name}", "band: ± one standard deviation"
    write_picture(plot, lambda format: curves.curves(format, title, measure, axis, series, note))
