"""Evaluate models on data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from treecli import measures, plugins
from treecli.cli import apply, engine, options, report, terminal
from treecli.commands import _errorrows, _evaluated, _gates, _measured
from treecli.errors import GateError, UsageError
from treecli.files import forms, guard
from treecli.options.option import CLASSES, MISSING
from treecli.records import dataclass

if TYPE_CHECKING:
    from treecli.commands._evaluated import Evaluated
    from treecli.evaluate.calibration import Calibrated

ALPHA = 0.05
CSV = "csv"


@dataclass(frozen=True, slots=True)
class Details:
    """Parts of the report besides the measures of all rows."""

    by_column: str | None
    with_calibration: bool
    errors_file: str | None


@dataclass(frozen=True, slots=True)
class Gates:
    """The options of the gates."""

    fail_under: str | None
    fail_over: str | None
    other_path: str | None
    alpha: float
    margin: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """The report on a model: its measures, those of groups of rows, its calibration, and its gates."""

    evaluated: Evaluated
    groups: list[dict[str, Any]]
    leaves: list[Calibrated] | None
    checks: list[dict[str, object]]
    failures: list[str]


@click.command(cls=options.Command)
@click.argument("model_path", metavar="MODEL", type=options.FILE)
@click.argument("more_paths", metavar="[MODEL]...", type=options.FILE, nargs=-1)
@click.argument("data_path", metavar="DATA", type=options.FILE)
@options.report_format
@options.output("stdout")
@options.under(
    options.TESTING,
    click.option(
        "--by", "by_column", default=None, metavar="COLUMN", help="Also measure the rows of each value of this column."
    ),
    click.option(
        "--calibration",
        "with_calibration",
        is_flag=True,
        help="Also list each leaf (or rule): the probability that it states, the share of its rows that is correct, "
        "and the 95 % interval of that share (Wilson).",
    ),
    click.option(
        "--fail-under",
        default=None,
        metavar="BOUNDS",
        help="Exit with code 1 if a measure is below its bound: MEASURE=X,… or X for the accuracy (numeric target: "
        f"r2). Measures: {', '.join(map(measures.key, plugins.names('measures')))}.",
    ),
    click.option(
        "--fail-over",
        default=None,
        metavar="BOUNDS",
        help="Exit with code 1 if a measure is above its bound: MEASURE=X,…",
    ),
    click.option(
        "--not-worse-than",
        "other_path",
        type=options.FILE,
        default=None,
        metavar="MODEL",
        help="Exit with code 1 if a model is worse than this one, by McNemar's exact test, one-sided.",
    ),
    click.option(
        "--alpha",
        type=options.Real(min=0.0, max=1.0, min_open=True, max_open=True),
        default=ALPHA,
        show_default=True,
        metavar="P",
        help="With --not-worse-than: the p-value below which the test fails.",
    ),
    click.option(
        "--margin",
        type=options.Real(min=0.0, max=1.0),
        default=0.0,
        show_default=True,
        metavar="X",
        help="With --not-worse-than: the drop of the accuracy that is allowed even if it is significant.",
    ),
)
@options.under(
    options.OUTPUT,
    click.option(
        "--errors",
        "errors_file",
        type=options.FILE,
        default=None,
        metavar="FILE",
        help="Write the wrong rows to a file: row number, truth, prediction, leaf and rule. The suffix selects the "
        "format, as for predict.",
    ),
)
@options.under(
    CLASSES,
    click.option(
        "--costs",
        "costs_path",
        type=options.FILE,
        default=None,
        metavar="FILE",
        help="The cost matrix for the measure cost, in CSV.  [default: that of the model]",
    ),
)
@options.under(MISSING, apply.unseen)
@options.model_data
@engine.master
@engine.where
@options.jobs
@options.voice
@options.together("details", Details)
@options.together("gates", Gates)
@options.together("applied", _evaluated.Applied)
def command(
    model_path: str,
    more_paths: tuple[str, ...],
    data_path: str,
    report_format: str,
    output: str | None,
    details: Details,
    gates: Gates,
    applied: _evaluated.Applied,
) -> None:
    """Evaluate how well models predict the target of DATA.

    Nominal target: accuracy with its 95 % interval (Wilson), Cohen's kappa, balanced accuracy, Matthews' correlation,
    macro F1, area under the ROC curve, Brier score, log loss, the confusion matrix, and precision, recall and F1 of
    each class. Numeric target: mean absolute error, root mean squared error and r2. json and csv have more measures;
    docs/measures.md defines all. Rows count with their weights; rows without a target value are left out. A warning
    is printed if DATA is the training data of the model.

    Several models get a line each. --fail-under, --fail-over and --not-worse-than are checked for each of them, and
    all failures are listed.

    If the confusion matrix is too wide for the terminal, it has letters instead of names, or becomes a list of
    confused classes. csv has one line per measure, per measure of a class, and per pair of classes; for several
    models one line per model.

    \b
    treecli evaluate playtennis.json days.csv
    treecli evaluate model.json test.csv --format json | jq .accuracy
    treecli evaluate small.json large.json test.csv
    treecli evaluate model.json test.csv --by region --errors wrong.csv
    treecli evaluate m.json test.csv --fail-under auc=0.9,kappa=0.8
    treecli evaluate m.json test.csv --fail-under 0.9 --fail-over leaves=20
    treecli evaluate new.json test.csv --not-worse-than old.json --margin 0.01
    treecli evaluate model.json shop.duckdb --engine duckdb --table sales
    """
    report_format = options.form("report_format", report_format, output, forms.REPORTS)
    paths = [model_path, *more_paths]
    bounds = _bounds(gates)
    _check_options(paths, data_path, gates, details)
    _check_engine(applied.where, gates, details)
    if details.errors_file is not None:
        _check_errors_file(details.errors_file, paths, output)
    named = [bound.name for bound in bounds if bound.name]
    needs_probabilities = details.with_calibration or measures.needs_probabilities(named)
    request = _evaluated.Request(data_path, applied, needs_probabilities)
    outcomes = _outcomes(paths, request, details, bounds, gates)
    if details.errors_file is not None:
        _write_errors(outcomes[0].evaluated, request, details.errors_file)
    if report_format == "json":
        report.write(report_format, (), _facts(outcomes, details.by_column), output)
    else:
        report.write(report_format, _tables(outcomes, report_format, details.by_column), {}, output)
    several = len(outcomes) > 1
    failures = [f"{o.evaluated.path}: {text}" if several else text for o in outcomes for text in o.failures]
    if failures:
        raise GateError(failures)


def _outcomes(
    paths: Sequence[str], request: _evaluated.Request, details: Details, bounds: list[_gates.Bound], gates: Gates
) -> list[Outcome]:
    """Return the report on each model; warnings about gates and measures are printed."""
    found = [_evaluated.evaluated(path, request) for path in paths]
    _evaluated.check_kinds(found)
    bounds = [bound.named(found[0].result.is_classification) for bound in bounds]
    other = None if gates.other_path is None else _evaluated.evaluated(gates.other_path, request)
    tests = [None if other is None else _test(each, other, gates) for each in found]
    _warn(bounds, tests, found)
    outcomes = []
    for each, test in zip(found, tests, strict=True):
        groups = [] if details.by_column is None else _evaluated.groups(each, request, details.by_column)
        leaves = _evaluated.calibrated(each, request.applied.jobs) if details.with_calibration else None
        outcomes.append(Outcome(each, groups, leaves, *_checked(each, bounds, test)))
    return outcomes


def _bounds(gates: Gates) -> list[_gates.Bound]:
    under = [] if gates.fail_under is None else _gates.bounds_of(gates.fail_under, is_most=False)
    return under if gates.fail_over is None else [*under, *_gates.bounds_of(gates.fail_over, is_most=True)]


def _check_options(paths: Sequence[str], data_path: str, gates: Gates, details: Details) -> None:
    """Raises for options that cannot be used together, before anything is read."""
    other_path = gates.other_path
    context = click.get_current_context()
    for name in ("alpha", "margin"):
        if other_path is None and options.is_given(context, name):
            raise UsageError(f"--{name}: has no effect without --not-worse-than")
    if details.with_calibration and len(paths) > 1:
        raise UsageError(f"--calibration: found {len(paths)} models, expected one")
    n_streams = [*paths, other_path, data_path].count(guard.STREAM)
    if n_streams > 1 and len(paths) + (other_path is not None) > 1:
        raise UsageError(f"{n_streams} of the files are '-', but there is only one stdin", "name the files")


def _check_engine(where: engine.Where, gates: Gates, details: Details) -> None:
    """Raises for options that need the rows, which an engine does not fetch."""
    engine.refuse(
        where,
        {
            "--by": details.by_column is not None,
            "--calibration": details.with_calibration,
            "--errors": details.errors_file is not None,
            "--not-worse-than": gates.other_path is not None,
        },
    )


def _check_errors_file(path: str, paths: Sequence[str], output: str | None) -> None:
    """Raises if the wrong rows cannot be written, before anything is read."""
    if len(paths) > 1:
        raise UsageError(f"--errors: found {len(paths)} models, expected one")
    if path == guard.STREAM:
        raise UsageError("--errors: found '-', but stdout has the report", "name a file")
    _errorrows.form_of(path)
    guard.check_output(path)
    if output is not None and os.path.realpath(output) == os.path.realpath(path):
        raise UsageError(f"{path}: is written twice, by -o and by --errors", "name two files")


def _test(evaluated: Evaluated, other: Evaluated, gates: Gates) -> _gates.NotWorse:
    """McNemar's test against another model."""
    for each in (evaluated, other):
        if not each.result.is_classification:
            raise UsageError(
                f"--not-worse-than: McNemar's test compares classes, but {each.path} predicts a numeric target",
                "use --fail-over rmse=X",
            )
    return _gates.not_worse(evaluated.result, other.result, other.path, gates.alpha, gates.margin)


def _warn(bounds: Sequence[_gates.Bound], tests: Sequence[_gates.NotWorse | None], found: Sequence[Evaluated]) -> None:
    """Warns of gates that cannot fail, and of measures that are not what they seem."""
    for doubt in (*(bound.doubts() for bound in bounds), *(test.doubts() for test in tests if test is not None)):
        if doubt is not None:
            terminal.warn(doubt)
    for each in found:
        if each.result.costs is None and any(bound.name == "cost" for bound in bounds):
            raise UsageError(f"cost: {each.path} has no cost matrix", "give one with --costs FILE")
        _evaluated.warn_of_probabilities(each)


def _checked(
    evaluated: Evaluated, bounds: Sequence[_gates.Bound], test: _gates.NotWorse | None
) -> tuple[list[dict[str, object]], list[str]]:
    """The outcome of every gate, for JSON, and a message for each that does not hold."""
    checks: list[dict[str, object]] = []
    failures = []
    for bound in bounds:
        value = measures.value(bound.name, evaluated.result)
        checks.append(bound.facts(value))
        failures += [] if bound.holds(value) else [bound.failure(value)]
    if test is not None:
        checks.append(test.facts())
        failures += [] if test.holds() else [test.failure()]
    return checks, failures


def _write_errors(evaluated: Evaluated, request: _evaluated.Request, path: str) -> None:
    result = evaluated.result
    truths = _evaluated.truths(evaluated, request) if result.is_classification else None
    columns = _errorrows.error_columns(evaluated.model, evaluated.dataset, result, evaluated.row_numbers, truths)
    _errorrows.write(path, columns, result.labels)


def _tables(outcomes: Sequence[Outcome], report_format: str, by_column: str | None) -> list[report.Table]:
    """The tables of the report; CSV has only the first."""
    titles = {_measured.MODEL: _measured.MODEL} if len(outcomes) > 1 else {}
    group_titles = titles if by_column is None else titles | {_measured.GROUP: by_column}
    groups = [{_measured.MODEL: o.evaluated.path, **group} for o in outcomes for group in o.groups]
    first = outcomes[0]
    result, leaves = first.evaluated.result, first.leaves
    if not titles:
        tables = _measured.tables(result, report_format)
    elif groups and report_format == CSV:
        return [_measured.all_lines(groups, group_titles)]
    else:
        records = [{_measured.MODEL: o.evaluated.path, **_measured.scalars(o.evaluated.result)} for o in outcomes]
        if report_format == CSV:
            return [_measured.all_lines(records, titles)]
        tables = [_measured.lines(records, titles, is_classification=result.is_classification)]
    if report_format == CSV:
        table = tables[0] if by_column is None else _measured.with_groups(tables[0], first.groups)
        return [table if leaves is None else _measured.with_leaves(table, leaves)]
    if groups:
        tables.append(_measured.group_lines(groups, group_titles, is_classification=result.is_classification))
    return tables if leaves is None else [*tables, _measured.leaf_table(leaves)]


def _facts(outcomes: Sequence[Outcome], by_column: str | None) -> dict[str, object]:
    """The report as JSON: the measures of one model, or `models` with those of each."""
    records = []
    for outcome in outcomes:
        record: dict[str, object] = _measured.facts(outcome.evaluated.result)
        if by_column is not None:
            record["by"] = {"column": by_column, "groups": outcome.groups}
        if outcome.leaves is not None:
            record["calibration"] = _measured.leaf_facts(outcome.leaves)
        if outcome.checks:
            record["checks"] = outcome.checks
        records.append({_measured.MODEL: outcome.evaluated.path, **record} if len(outcomes) > 1 else record)
    return records[0] if len(records) == 1 else {"models": records}
