"""The steps of `sweep`: read the data, run what is missing, choose, report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treecli import __version__, measures
from treecli.cli import report, terminal
from treecli.commands._pictures import write_picture
from treecli.errors import CheckError, UsageError
from treecli.experiment import results as files
from treecli.experiment.comparison import Source, computed, described, described_folds, loaded
from treecli.experiment.sweep import Choice, Nested, Row, chosen, nested, outer_of, parts_of, row_of
from treecli.files import forms, guard
from treecli.options.option import Number
from treecli.wording import Cell, counted

if TYPE_CHECKING:
    from treecli.commands._sweepoptions import Choosing, Keeping, Writing
    from treecli.experiment.comparison import Loaded
    from treecli.experiment.folds import Division
    from treecli.experiment.grid import Axis, Setting
    from treecli.experiment.results import Results, Spec
    from treecli.intake import ReadOptions

COMMAND = "sweep"
MOST_CELLS = 10_000
USUAL_MEASURE = {True: "accuracy", False: "rmse"}
BEST, SMALLEST = "best", "smallest within one standard error"


@dataclass(frozen=True, slots=True)
class Asked:
    """The grid and how the best of its settings is found."""

    grid: Sequence[Axis]
    settings: Sequence[Setting]
    division: Division
    choosing: Choosing

    @property
    def n_outer(self) -> int | None:
        return self.choosing.n_outer

    @property
    def one_se(self) -> bool:
        return self.choosing.one_se


@dataclass(frozen=True, slots=True)
class Found:
    """The figures of all settings, the choice among them, and the estimate of the choice."""

    name: str
    measure: str
    rows: Sequence[Row]
    choice: Choice
    nested: Nested | None
    n_failed: int


def run(path: str, reading: ReadOptions, asked: Asked, keeping: Keeping) -> Found:
    """Return the figures of all settings, after running those that the results file lacks."""
    learners = [setting.learner for setting in asked.settings]
    source = Source(guard.as_text(forms.stem_of(path)), path, reading)
    with terminal.waiting(f"Reading {path}"):
        data, intake, warning = loaded(source, learners, asked.division)
    for notice in intake.notices:
        terminal.detail(notice)
    for remark in intake.remarks:
        terminal.note(remark)
    for text in (*intake.warnings, *([] if warning is None else [warning])):
        terminal.warn(text)
    measure = measures.key(asked.choosing.measure or USUAL_MEASURE[data.is_classification])
    measures.check([measure], data.is_classification)
    outer = None if asked.n_outer is None else outer_of(data, asked.n_outer, asked.division)
    datasets = [data, *([] if outer is None else parts_of(outer, asked.division))]
    _check_size(datasets, len(learners), keeping)
    results = _opened(keeping, _spec(datasets, asked, reading))
    n_failed = _complete(datasets, asked, results, keeping)
    results.finish()
    names = [learner.name for learner in learners]
    by_data = [[row_of(results, own.name, name, measure) for name in names] for own in datasets]
    estimate = None
    if outer is not None:
        places = [chosen(rows, measure).place(one_se=asked.one_se) for rows in by_data[1:]]
        known = [place for place in places if place is not None]
        if len(known) == len(places):
            estimate = nested(outer, learners, known, measure, keeping.jobs)
    return Found(intake.name, measure, by_data[0], chosen(by_data[0], measure), estimate, n_failed)


def _check_size(datasets: Sequence[Loaded], n_settings: int, keeping: Keeping) -> None:
    n_folds = sum(len(own.folds) for own in datasets)
    if n_settings * n_folds > MOST_CELLS and not keeping.force:
        raise UsageError(
            f"{n_settings:,} settings on {counted(n_folds, 'fold')} are {n_settings * n_folds:,} trees, "
            f"more than {MOST_CELLS:,}",
            "add --force to grow them all",
        )


def _spec(datasets: Sequence[Loaded], asked: Asked, reading: ReadOptions) -> Spec:
    """Return everything that fixes the results."""
    return {
        files.KIND: COMMAND,
        "version": __version__,
        **described_folds(asked.division),
        "learners": [{"name": own.learner.name, "options": own.learner.options} for own in asked.settings],
        "datasets": [described(own, reading) for own in datasets],
    }


def _opened(keeping: Keeping, spec: Spec) -> Results:
    """Return the results of the file; --force starts over if it was made otherwise."""
    try:
        return files.opened(keeping.results_file, spec)
    except UsageError:
        if not keeping.force:
            raise
        return files.opened(keeping.results_file, spec, is_new=True)


def _complete(datasets: Sequence[Loaded], asked: Asked, results: Results, keeping: Keeping) -> int:
    """Run what the results lack, and return the number of settings that fail; each is named at once."""
    learners = [setting.learner for setting in asked.settings]
    total = len(datasets) * len(learners) * asked.division.repeats
    failed: set[str] = set()
    with terminal.progress("Settings") as bar:
        for record in computed(datasets, learners, results, keeping.jobs):
            results.add(record)
            bar(len(results.records) / total)
            if "error" in record and record["learner"] not in failed:
                failed.add(record["learner"])
                terminal.say(f"{record['learner']}: {record['error']}", "Failed: ", "red")
    return len(failed)


def write(found: Found, asked: Asked, writing: Writing) -> None:
    """Write the report or the options of the best setting; raise if a setting has failed."""
    place = found.choice.place(one_se=asked.one_se)
    report_format = writing.report_format
    if writing.plot is not None:
        _draw(found, asked, writing.plot)
    if asked.choosing.only_best:
        if place is None:
            raise CheckError(f"no setting has a value of {found.measure}")
        terminal.results([asked.settings[place].learner.options + "\n"], writing.output)
    else:
        facts = _facts(found, asked) if report_format == "json" else {}
        report.write(report_format, [_table(found, asked, report_format)], facts, writing.output)
    if found.n_failed:
        raise CheckError(f"{found.n_failed} of {counted(len(asked.settings), 'setting')} failed")


def _mark(found: Found, place: int) -> str:
    if place == found.choice.best:
        return f"{BEST} and smallest" if found.choice.smallest == place else BEST
    return SMALLEST if place == found.choice.smallest else ""


def _table(found: Found, asked: Asked, report_format: str) -> report.Table:
    is_table = report_format == "table"
    columns = (*(axis.name for axis in asked.grid), found.measure, "sd", "leaves")
    rows: list[list[Cell]] = []
    for setting, row in zip(asked.settings, found.rows, strict=True):
        figure = row.figure
        figures: list[Cell] = [None] * 3 if figure is None else [figure.mean, figure.sd, row.leaves]
        if is_table and figure is not None:
            figures = [f"{figure.mean:.4f}", "n/a" if figure.sd is None else f"{figure.sd:.4f}", f"{row.leaves:.1f}"]
        elif is_table:
            figures = ["failed", "", ""]
        rows.append([*map(_typed, setting.values), *figures])
    table = report.Table("", columns, rows, notes=tuple(_notes(found, asked)))
    if is_table:
        table = report.at_the_right(table, len(asked.grid))
    marks = [_mark(found, place) for place in range(len(rows))]
    return report.with_column(table, "" if is_table else "choice", marks)


def _typed(value: str) -> Cell:
    """Return a value as a number if it is one, so that a column of numbers is aligned."""
    try:
        return float(value) if value.lower() not in ("nan", "inf", "infinity") else value
    except ValueError:
        return value


def _notes(found: Found, asked: Asked) -> list[str]:
    n = len(asked.settings)
    if found.nested is None:
        if n < 2:
            return []
        return [f"the best of {n} settings looks better than it is: --nested 5 estimates it honestly"]
    figure = found.nested.figure
    spread = "" if figure.interval is None else f" (95 %: {figure.interval[0]:.4f} to {figure.interval[1]:.4f})"
    counts = Counter(asked.settings[place].learner.name for place in found.nested.chosen).most_common()
    return [
        f"nested: {found.measure} {figure.mean:.4f}{spread} of the setting chosen in each of {asked.n_outer} folds",
        "chosen: " + ", ".join(f"{name} ({count})" for name, count in counts),
    ]


def _facts(found: Found, asked: Asked) -> dict[str, Any]:
    """Return the findings for JSON."""
    division = asked.division
    facts: dict[str, Any] = {
        **described_folds(division),
        "measure": found.measure,
        "settings": [_setting_facts(found, asked, place) for place in range(len(asked.settings))],
        "best": found.choice.best,
        "smallest_within_one_se": found.choice.smallest,
        "nested": None,
    }
    if found.nested is not None:
        own = found.nested
        facts["nested"] = {
            "folds": asked.n_outer,
            found.measure: own.figure.mean,
            f"{found.measure}_sd": own.figure.sd,
            f"{found.measure}_ci95": own.figure.interval,
            "per_fold": [
                {"fold": fold, "setting": place, found.measure: value}
                for fold, (place, value) in enumerate(zip(own.chosen, own.values, strict=True), 1)
            ],
        }
    return facts


def _setting_facts(found: Found, asked: Asked, place: int) -> dict[str, Any]:
    setting, row, measure = asked.settings[place], found.rows[place], found.measure
    figure = row.figure
    return {
        "values": {axis.name: value for axis, value in zip(asked.grid, setting.values, strict=True)},
        "options": setting.learner.options,
        measure: None if figure is None else figure.mean,
        f"{measure}_sd": None if figure is None else figure.sd,
        f"{measure}_se": None if figure is None else figure.standard_error,
        f"{measure}_ci95": None if figure is None else figure.interval,
        "leaves": row.leaves if figure is not None else None,
    }


def _draw(found: Found, asked: Asked, plot: str) -> None:
    """Write a picture: a curve for each combination of the values that are not on the horizontal axis."""
    from treecli.draw import curves

    numeric = [i for i, axis in enumerate(asked.grid) if isinstance(axis.option.kind, Number)]
    across = max(numeric or range(len(asked.grid)), key=lambda i: len(asked.grid[i].values))
    axis = asked.grid[across]
    if numeric:
        positions = [float(value) for value in axis.values]
        is_log = min(positions) > 0 and max(positions) >= 20 * min(positions)
        own = curves.Axis(axis.name, positions, (), is_log)
    else:
        own = curves.Axis(axis.name, list(range(len(axis.values))), axis.values)
    by_rest: dict[str, dict[str, Row]] = {}
    for setting, row in zip(asked.settings, found.rows, strict=True):
        names = zip(asked.grid, setting.values, strict=True)
        rest = " ".join(f"{a.name}={value}" for i, (a, value) in enumerate(names) if i != across)
        by_rest.setdefault(rest, {})[setting.values[across]] = row
    series = []
    for rest, rows in by_rest.items():
        figures = [rows[value].figure for value in axis.values]
        means = [None if figure is None else figure.mean for figure in figures]
        errors = [None if figure is None else figure.standard_error for figure in figures]
        series.append(curves.Series(rest, means, errors if len(by_rest) == 1 else None))
    note = "band: ± one standard error, corrected for overlapping training sets" if len(by_rest) == 1 else ""
    write_picture(
        plot, lambda format: curves.curves(format, f"Settings on {found.name}", found.measure, own, series, note)
    )
