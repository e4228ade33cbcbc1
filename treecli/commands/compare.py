"""Compare learners on data sets by cross-validation and statistical tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from treecli.cli import options
from treecli.cli.experiment import FOLDS, FOLDS_LIKE, REPEATS, division_options
from treecli.errors import UsageError
from treecli.experiment.folds import Division
from treecli.experiment.verdicts import ADJUST, NO_ADJUSTMENT, POSTHOC, WILCOXON
from treecli.files import forms, guard

if TYPE_CHECKING:
    from treecli.intake import ReadOptions

FORMATS = (*options.REPORT_FORMATS, "latex")
SUFFIXES = {**forms.REPORTS, ".tex": "latex"}
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
        type=options.OneOf(FORMATS),
        default="table",
        show_default=True,
        help="The format of the report; csv has a row for each fold.",
    ),
)
@options.output("stdout")
@options.training_data
@options.jobs
@options.voice
def command(
    data_paths: tuple[str, ...],
    learner_texts: tuple[str, ...],
    spec_path: str | None,
    division: Division,
    seed: int,
    measure_names: tuple[str, ...],
    base: str | None,
    alpha: float,
    posthoc: str,
    adjust: str,
    bayes: bool,
    rope: float,
    results_file: str | None,
    force: bool,
    fail_fast: bool,
    times: bool,
    dry_run: bool,
    plot: str | None,
    report_format: str,
    output: str | None,
    reading: ReadOptions,
    jobs: int | None,
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

    report_format = options.form("report_format", report_format, output, SUFFIXES)
    _check_options(results_file, force, bayes, times)
    given = {name for name in (FOLDS, FOLDS_LIKE, REPEATS, "seed") if _is_given(name)}
    request = requested(spec_path, data_paths, learner_texts, reading, division, seed, given)
    question = running.Asked(measure_names or request.measures, base or request.base, alpha, posthoc, adjust, rope)
    if not bayes:
        question = running.without_bayes(question)
    running.check_measures(question)
    _check_files(request.paths, output, plot, results_file)
    if plot is not None and len(request.sources) == 1:
        raise UsageError(f"--plot: {running.TOO_FEW_FOR_RANKS}", "name more data files")
    keeping = running.Keeping(results_file, force, fail_fast, times, jobs)
    if request.is_empty and results_file is not None:
        _check_rereading(reading)
    if dry_run:
        running.list_runs(request, question, keeping, report_format, output)
        return
    experiment = running.ran(request, question, keeping, given)
    running.write_report(experiment, question, report_format, output, plot)


def _is_given(name: str) -> bool:
    return options.is_given(click.get_current_context(), name)


def _check_options(results_file: str | None, force: bool, bayes: bool, times: bool) -> None:
    """Raise for options that go with another one."""
    if _is_given("rope") and not bayes:
        raise UsageError("--rope goes with --bayes", "add --bayes")
    if force and results_file is None:
        raise UsageError("--force starts the file of --results over", "add --results FILE.jsonl")
    if times and results_file is not None:
        raise UsageError("--times and --results exclude each other: times do not repeat", "leave one of them out")


def _check_rereading(reading: ReadOptions) -> None:
    """Raise for options that have no effect if a results file is only reported again."""
    from treecli.intake import ReadOptions

    idle = [name for name in ("force", "fail_fast", "dry_run", "jobs") if _is_given(name)]
    if idle or reading != ReadOptions():
        option = f"--{idle[0].replace('_', '-')}" if idle else "an option for reading data"
        raise UsageError(f"found {option}, but no data and no learner to run", "name the data files")


def _check_files(inputs: tuple[str, ...], output: str | None, plot: str | None, results_file: str | None) -> None:
    """Raise for files that cannot or must not be written, before anything runs."""
    from treecli.draw.canvas import canvas, check_suffix

    for path in inputs:
        guard.will_read(path)
    written = [path for path in (output, plot, results_file) if path is not None and path != guard.STREAM]
    for path in written:
        guard.check_output(path)
        if written.count(path) > 1:
            raise UsageError(f"{path}: is given for two outputs", "give each a name of its own")
    if plot is not None:
        check_suffix(plot)
        with canvas((1, 1), ""):
            pass  # raises if matplotlib is missing
