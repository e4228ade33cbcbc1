"""Compare learners on data sets by cross-validation and statistical tests."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from treecli.cli import options
from treecli.cli.experiment import FOLDS, FOLDS_LIKE, REPEATS, check_files, division_options
from treecli.commands._compareoptions import Keeping, Named, Testing, Writing
from treecli.errors import UsageError
from treecli.experiment.folds import Division
from treecli.experiment.verdicts import ADJUST, NO_ADJUSTMENT, POSTHOC, WILCOXON
from treecli.files import forms

if TYPE_CHECKING:
    from treecli.intake import ReadOptions

KEEPS_CELLS = ("json", "csv")
"""The formats that have every measure of each fold."""

USUAL_ROPE = 0.01


@click.command(cls=options.Command)
@click.argument("data_paths", metavar="[DATA]...", nargs=-1, type=options.FILE)
@options.under(
    options.TESTING,
    click.option(
        "--learner",
        "learner_texts",
        multiple=True,
        metavar="'NAME: OPTIONS'",
        help="A name and the options of `train`; repeatable.",
    ),
    click.option(
        "--spec",
        "spec_path",
        type=options.FILE,
        metavar="FILE.toml",
        help="Read folds, repeats, seed, [learners] and datasets from this file; other options override it.",
    ),
)
@division_options
@options.under(
    options.TESTING,
    click.option(
        "--seed",
        type=options.Whole(min=0),
        default=0,
        show_default=True,
        metavar="N",
        help="The seed of the first run.",
    ),
    click.option(
        "--measure",
        "measure_names",
        multiple=True,
        metavar="NAME",
        help="accuracy, kappa, auc, brier, log_loss, rmse, leaves, …; repeatable.  [default: accuracy, or rmse for a "
        "numeric target]",
    ),
    click.option("--base", metavar="NAME", help="The learner that the others are compared with.  [default: the first]"),
    click.option(
        "--alpha",
        type=options.Real(0, 1, min_open=True, max_open=True),
        default=0.05,
        show_default=True,
        metavar="P",
        help="The level of significance.",
    ),
    click.option(
        "--posthoc",
        type=options.OneOf(POSTHOC),
        default=WILCOXON,
        show_default=True,
        help="How pairs are tested over all data sets: Wilcoxon with Holm, Nemenyi, or Wilcoxon with Holm of the pairs "
        "with --base only (control).",
    ),
    click.option(
        "--adjust",
        type=options.OneOf(ADJUST),
        default=NO_ADJUSTMENT,
        show_default=True,
        help="Correct the tests on single data sets for their number.",
    ),
    click.option("--bayes", is_flag=True, help="Add the probabilities that a learner is better, equal, worse."),
    click.option(
        "--rope",
        type=options.Real(0),
        default=USUAL_ROPE,
        show_default=True,
        metavar="D",
        help="(--bayes) The largest difference that counts as equal.",
    ),
    click.option(
        "--results",
        "results_file",
        type=options.FILE,
        metavar="FILE.jsonl",
        help="Keep finished runs in this file, and use those that are there.",
    ),
    click.option("--force", is_flag=True, help="Start the file of --results over."),
    click.option("--fail-fast", is_flag=True, help="Stop at the first learner that fails."),
    click.option("--times", is_flag=True, help="Add the seconds that each tree took; not kept in --results."),
    click.option("--dry-run", is_flag=True, help="Check everything, and list the runs instead of running them."),
)
@options.under(
    options.OUTPUT,
    click.option(
        "--plot",
        type=options.FILE,
        metavar="FILE",
        help="Write a critical-difference diagram of the first measure: .svg, .pdf or .png.",
    ),
    click.option(
        "-f",
        "--format",
        "report_format",
        type=options.OneOf(options.REPORT_FORMATS),
        default="table",
        show_default=True,
        help="The format of the report; csv has a row for each fold.",
    ),
)
@options.output("stdout")
@options.training_data
@options.jobs
@options.voice
@options.together("named", Named)
@options.together("testing", Testing)
@options.together("keeping", Keeping)
@options.together("writing", Writing)
def command(
    named: Named, division: Division, testing: Testing, keeping: Keeping, writing: Writing, reading: ReadOptions
) -> None:
    """Compare learners on the same folds of every DATA, with tests that allow for the overlap of training sets.

    On each data set, every learner is tested against --base by the corrected resampled t-test (Nadeau and Bengio
    2003): v is better, * worse. Over all data sets: Friedman's test with the F of Iman and Davenport, then Wilcoxon's
    test of each pair, corrected by Holm. docs/experiments.md says which test shows what.

    A learner that fails on a data set leaves the cell `failed`; the exit code is 1. With --results, a comparison that
    was interrupted continues where it stopped, learners and data sets can be added, and without DATA the file is
    reported again.

    \b
    treecli compare *.arff --learner "full:" --learner "j48: --like j48"
    treecli compare --spec experiment.toml --results r.jsonl --plot cd.svg
    treecli compare --results r.jsonl --measure leaves --base unpruned -f latex
    """
    from treecli.commands import _comparerun as running
    from treecli.commands._comparespec import requested

    writing = replace(
        writing, report_format=options.form("report_format", writing.report_format, writing.output, forms.REPORTS)
    )
    _check_options(testing, keeping)
    given = {name for name in (FOLDS, FOLDS_LIKE, REPEATS, "seed") if _is_given(name)}
    request = requested(named, reading, division, given)
    testing = replace(
        testing, measure_names=testing.measure_names or request.measures, base=testing.base or request.base
    )
    running.check_measures(testing)
    check_files(request.paths, writing.output, writing.plot, keeping.results_file)
    if writing.plot is not None and len(request.sources) == 1:
        raise UsageError(f"--plot: {running.TOO_FEW_FOR_RANKS}", "name more data files")
    if request.is_empty and keeping.results_file is not None:
        _check_rereading(reading)
    if writing.dry_run:
        running.list_runs(request, testing, keeping, writing)
        return
    experiment = running.ran(request, testing, keeping, given, keeps_all=writing.report_format in KEEPS_CELLS)
    running.write_report(experiment, testing, writing)


def _is_given(name: str) -> bool:
    return options.is_given(click.get_current_context(), name)


def _check_options(testing: Testing, keeping: Keeping) -> None:
    """Raise for options that go with another one."""
    if _is_given("rope") and not testing.bayes:
        raise UsageError("--rope goes with --bayes", "add --bayes")
    if keeping.force and keeping.results_file is None:
        raise UsageError("--force starts the file of --results over", "add --results FILE.jsonl")
    if keeping.times and keeping.results_file is not None:
        raise UsageError("--times and --results exclude each other: times do not repeat", "leave one of them out")


def _check_rereading(reading: ReadOptions) -> None:
    """Raise for options that have no effect if a results file is only reported again."""
    from treecli.intake import ReadOptions

    idle = [name for name in ("force", "fail_fast", "dry_run", "jobs") if _is_given(name)]
    if idle or reading != ReadOptions():
        option = f"--{idle[0].replace('_', '-')}" if idle else "an option for reading data"
        raise UsageError(f"found {option}, but no data and no learner to run", "name the data files")
