"""Cross-validate `train` with every combination of some options."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from treecli.cli import options
from treecli.cli.experiment import check_files, division_options
from treecli.cli.learner import OF_NOTES, recipe_options
from treecli.commands._sweepoptions import Choosing, Grid, Keeping, Writing
from treecli.errors import UsageError
from treecli.experiment.folds import Division
from treecli.files import forms

if TYPE_CHECKING:
    from treecli.intake import ReadOptions


@click.command(cls=options.Command)
@click.argument("data_path", metavar="DATA", type=options.FILE)
@options.under(
    options.TESTING,
    click.option(
        "--vary",
        "axes",
        multiple=True,
        required=True,
        metavar="NAME=VALUES",
        help="An option of `train` and its values: V,V,… or A..B:STEPS, for flags yes,no; repeatable.",
    ),
    click.option("--log", "is_log", is_flag=True, help="Space the values of A..B:STEPS by equal factors."),
    click.option(
        "--measure",
        metavar="NAME",
        help="What the best setting is best in.  [default: accuracy, or rmse for a numeric target]",
    ),
    click.option("--best", "only_best", is_flag=True, help="Print the options of the best setting, and nothing else."),
    click.option(
        "--one-se",
        is_flag=True,
        help="Choose the setting with the smallest trees whose mean is within one standard error of the best.",
    ),
    click.option(
        "--nested",
        "n_outer",
        type=options.Whole(min=2),
        metavar="K",
        help="Repeat the whole choice on the training rows of K folds, and test it on the others.",
    ),
    click.option(
        "--results",
        "results_file",
        type=options.FILE,
        metavar="FILE.jsonl",
        help="Keep finished runs in this file, and use those that are there.",
    ),
    click.option(
        "--force",
        is_flag=True,
        help="Run more than 10,000 cells; start the file of --results over if it was made otherwise.",
    ),
)
@division_options
@recipe_options(without=("folds", *OF_NOTES, "one_se", "force"), as_words=True)
@options.under(
    options.OUTPUT,
    click.option(
        "--plot", type=options.FILE, metavar="FILE", help="Draw the measure of each setting: .svg, .pdf or .png."
    ),
)
@options.report_format
@options.output("stdout")
@options.training_data
@options.jobs
@options.voice
@options.together("grid", Grid)
@options.together("choosing", Choosing)
@options.together("keeping", Keeping)
@options.together("writing", Writing)
def command(
    data_path: str,
    division: Division,
    words: list[str],
    grid: Grid,
    choosing: Choosing,
    keeping: Keeping,
    writing: Writing,
    reading: ReadOptions,
) -> None:
    """Cross-validate `train` on DATA with every combination of the values of --vary.

    Other options of `train` apply to all settings. All settings get the same folds. The table has the mean of the
    measure over all folds, its standard deviation, and the mean number of leaves. Standard errors are corrected for the
    overlap of the training sets (Nadeau and Bengio 2003).

    The best of many settings looks better than it is, because its mean is the largest of many. --nested K chooses a
    setting on the training rows of each of K folds and measures it on the others.

    \b
    treecli sweep iris.csv --vary criterion=gain,gini --vary min-leaf=1,5,20
    treecli sweep vote.arff --like j48 --vary confidence=0.01..0.5:6 --log
    treecli sweep iris.csv --vary max-leaves=2..12 --nested 5 --plot leaves.svg
    treecli sweep iris.csv --vary max-depth=1..6 --results depth.jsonl
    treecli sweep a.csv --vary min-leaf=1,5 --best | xargs treecli train a.csv
    """
    from treecli.commands import _sweep
    from treecli.experiment.grid import axis_of, is_range, settings_of

    report_format = options.form("report_format", writing.report_format, writing.output, forms.REPORTS)
    if grid.is_log and not any(map(is_range, grid.axes)):
        raise UsageError("--log spaces the values of ranges, but --vary has none", "use A..B:STEPS")
    axes = [axis_of(text, is_log=grid.is_log) for text in grid.axes]
    settings = settings_of(words, axes)
    division = replace(division, seed=settings[0].learner.recipe.settings.computing.seed)
    check_files((data_path,), writing.output, writing.plot, keeping.results_file)
    asked = _sweep.Asked(axes, settings, division, choosing)
    found = _sweep.run(data_path, reading, asked, keeping)
    _sweep.write(found, asked, replace(writing, report_format=report_format))
