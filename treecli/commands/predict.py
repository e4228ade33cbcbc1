"""Add a model's predictions to data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from operator import add
from typing import TYPE_CHECKING, cast

import click

from treecli import models, plugins
from treecli.cli import apply, engine, options, report, terminal
from treecli.errors import UsageError
from treecli.files import forms
from treecli.files.guard import STREAM
from treecli.files.whole import write_whole
from treecli.options.option import MISSING
from treecli.records import dataclass
from treecli.wording import Cell
from treecli.writers._delimited import csv_text, exact, quoted_cell
from treecli.writers._sheet import Description, Marks, Sheet, field_of

if TYPE_CHECKING:
    from treecli.data import Dataset, FloatArray
    from treecli.ensembles.bagging import Bagging
    from treecli.intake import ReadOptions
    from treecli.model import Model

CSV = "csv"
PREDICTION = "prediction"


@dataclass(frozen=True, slots=True)
class Added:
    """The columns added besides the prediction."""

    with_probabilities: bool
    with_leaves: bool
    with_flags: bool
    level: float | None
    out_of_bag: bool
    proximity_file: str | None


@dataclass(frozen=True, slots=True)
class Applied:
    """How the model is applied to the data."""

    unseen: str | None
    reading: ReadOptions
    jobs: int | None
    where: engine.Where


@click.command(cls=options.Command)
@click.argument("model_path", metavar="MODEL", type=options.FILE)
@click.argument("data_path", metavar="DATA", type=options.FILE)
@options.under(
    options.OUTPUT,
    click.option(
        "--proba", "with_probabilities", is_flag=True, help="Add the probability of every class: proba_LABEL."
    ),
    click.option(
        "--leaf",
        "with_leaves",
        is_flag=True,
        help="Add the number of the leaf that the row reaches, empty if a missing value sends it to several; for a "
        "rule list the number of the deciding rule, empty for the default or a vote.",
    ),
    click.option(
        "--flags",
        "with_flags",
        is_flag=True,
        help="Add flags for the attributes that the model tests: missing:NAME, unseen:NAME and out-of-range:NAME, "
        "separated by ;.",
    ),
    click.option(
        "--interval",
        "level",
        type=options.Real(0.0, 100.0, min_open=True, max_open=True),
        metavar="P",
        help="(a forest, numeric target) Add the bounds between which P % of the targets of new rows lie, by the "
        "out-of-bag errors of training: low and high.",
    ),
    click.option(
        "--out-of-bag",
        is_flag=True,
        help="(a forest and its training file) Predict each row by the trees that were not grown on it; empty if there "
        "is none.",
    ),
    click.option(
        "--proximities",
        "proximity_file",
        type=options.FILE,
        default=None,
        metavar="FILE",
        help="(an ensemble, up to 5000 rows) Also write, as CSV, the share of the trees in which two rows reach the "
        "same leaf.",
    ),
)
@options.output("stdout")
@options.under(
    options.OUTPUT,
    click.option(
        "-f",
        "--format",
        "report_format",
        type=options.OneOf((*plugins.names("writers"), *forms.REPORTS_FOR_PEOPLE.values())),
        default=CSV,
        show_default=True,
        help="The format of the output.",
    ),
)
@options.under(MISSING, apply.unseen)
@options.unlabelled_data
@engine.master
@engine.where
@options.jobs
@options.voice
@options.together("added", Added)
@options.together("applied", Applied)
def command(
    model_path: str,
    data_path: str,
    added: Added,
    output: str | None,
    report_format: str,
    applied: Applied,
) -> None:
    """Print DATA with an additional column, prediction.

    DATA needs the attributes of the model, in any order; the target is optional. All columns are printed unchanged.
    CSV has the delimiter (, ; or |) and the decimal mark of DATA. A row with missing values may reach several leaves:
    its probabilities are their average, weighted by the share of training cases that went the same way.

    \b
    treecli predict playtennis.json playtennis.csv
    treecli predict model.json new.csv --proba --leaf -o predicted.csv
    treecli predict model.json new.arff -o predicted.arff
    treecli predict model.json new.csv -o predicted.parquet
    treecli predict model.json new.csv --flags | grep out-of-range
    treecli predict model.json - --from csv < new.csv | head
    treecli predict forest.json new.csv --interval 90
    treecli predict forest.json train.csv --out-of-bag --proba
    treecli predict model.json 'new-*.parquet' --engine duckdb -o p.csv
    """
    from treecli.interchange.echo import echo_lines, echo_sheet

    known = forms.of_family("writers") | forms.REPORTS_FOR_PEOPLE
    report_format = options.form("report_format", report_format, output, known)
    writer = plugins.load("writers", report_format) if report_format in plugins.names("writers") else None
    if writer is not None:
        terminal.refuse_binary(report_format, output, f"name a file: -o predicted.{report_format}", "-f")
    if not applied.where.is_memory:
        _predict_there(model_path, data_path, applied, added, report_format, output)
        return
    reading, jobs = applied.reading, applied.jobs
    model, intake = apply.read(model_path, data_path, reading, applied.unseen, needs_target=False)
    if added.with_probabilities and not model.schema.is_classification:
        raise UsageError(f"--proba: the target '{model.schema.target.name}' is numeric and has no classes")
    if added.with_leaves and models.as_ensemble(model) is not None:
        raise UsageError(
            "--leaf: a row reaches a leaf of every tree",
            "leave it out; --proximities tells which rows reach the same leaves",
        )
    bagging = None
    if added.out_of_bag:
        bagging = apply.bagging(model, intake)
    columns = _added_columns(model, intake.dataset, added, jobs, bagging)
    if added.proximity_file is not None:
        _write_proximities(model, intake.dataset, added.proximity_file, jobs)
    lines = echo_lines(data_path, reading) if report_format == CSV else None
    if lines is not None:
        header = [*lines.names, *_free_names(list(columns), lines.names)]
        terminal.results(_longer_lines(header, lines.lines, list(columns.values()), lines.marks), output)
        return
    sheet = echo_sheet(data_path, reading, model.schema)
    names = [*sheet.names, *_free_names(list(columns), sheet.names)]
    if writer is not None:
        longer = _longer_sheet(sheet, names, columns, model.schema.target.labels)
        write_whole(output or STREAM, writer.write(longer))
        return
    rows = [[*row, *new] for row, new in zip(sheet.rows, zip(*columns.values(), strict=True), strict=True)]
    facts = {"columns": names, "rows": [dict(zip(names, row, strict=True)) for row in rows]}
    report.write(report_format, [report.Table("", tuple(names), rows)], facts, output)


def _predict_there(
    model_path: str, data_path: str, applied: Applied, added: Added, report_format: str, output: str | None
) -> None:
    """Write the rows with predictions that an engine computes where the data are."""
    from treecli.commands import _there

    engine.refuse(
        applied.where,
        {
            "--proba": added.with_probabilities,
            "--leaf": added.with_leaves,
            "--flags": added.with_flags,
            "--interval": added.level is not None,
            "--out-of-bag": added.out_of_bag,
            "--proximities": added.proximity_file is not None,
        },
    )
    model = _there.read_model(model_path, applied.unseen)
    if applied.where.engine == engine.SPARK:
        with applied.where.in_spark(data_path, applied.reading) as cluster:
            _there.predict_in_spark(model, cluster, report_format, output or STREAM)
        return
    with applied.where.opened(data_path, applied.reading, applied.jobs) as source:
        _there.predict(model, source, report_format, output or STREAM)


def _write_proximities(model: Model, dataset: Dataset, path: str, jobs: int | None) -> None:
    from treecli.ensembles.proximities import proximities

    ensemble = models.as_ensemble(model)
    if ensemble is None:
        raise UsageError("--proximities: is for a forest or boosted trees", "leave it out")
    names = [f"row_{number}" for number in range(1, dataset.n_rows + 1)]
    rows = ([exact(cell, ".") for cell in own.tolist()] for own in proximities(ensemble, dataset, jobs))
    write_whole(path, (text.encode() for text in csv_text(names, rows, ",")))


def _added_columns(
    model: Model, dataset: Dataset, added: Added, jobs: int | None, bagging: Bagging | None
) -> dict[str, Sequence[Cell]]:
    if bagging is not None:
        from treecli.ensembles.outofbag import out_of_bag

        forest = models.as_ensemble(model)
        assert forest is not None
        outside = out_of_bag(forest, dataset, bagging, jobs)
        codes, probabilities = outside.answers()
    elif added.with_probabilities:
        codes, probabilities = models.answers(model, dataset, jobs)
    else:
        codes = models.predictions(model, dataset, jobs)
    target = model.schema.target
    columns: dict[str, Sequence[Cell]] = {
        PREDICTION: codes.tolist()
        if target.is_numeric
        else [*map(target.labels.__getitem__, codes.astype(int).tolist())]
    }
    if added.with_probabilities:
        columns |= {f"proba_{label}": probabilities[:, code].tolist() for code, label in enumerate(target.labels)}
    if added.level is not None:
        from treecli.ensembles.intervals import interval

        low, high = interval(model, added.level, cast("FloatArray", codes))
        columns |= {"low": low.tolist(), "high": high.tolist()}
    if bagging is not None:
        is_voted = (outside.n_votes > 0).tolist()
        columns = {
            name: [cell if known else None for cell, known in zip(own, is_voted, strict=True)]
            for name, own in columns.items()
        }
    if added.with_leaves:
        columns["leaf"] = models.places(model, dataset, jobs)
    if added.with_flags:
        columns["flags"] = apply.flags(model, dataset)
    return columns


def _free_names(wanted: Sequence[str], taken: Iterable[str]) -> Iterator[str]:
    """The names, with a number appended if a column of that name exists."""
    used = set(taken)
    for name in wanted:
        free = name
        number = 1
        while free in used:
            number += 1
            free = f"{name}_{number}"
        if free != name:
            terminal.note(f"the data has a column '{name}', so the new one is named '{free}'")
        used.add(free)
        yield free


def _longer_lines(
    header: list[str], lines: Iterable[list[str]], columns: Sequence[Sequence[Cell]], marks: Marks
) -> Iterator[str]:
    """The lines of a CSV file with further cells appended."""
    yield from csv_text(header, (), marks.delimiter)
    endings = _endings(columns[0], marks)
    for column in columns[1:]:
        endings = map(add, endings, _endings(column, marks))
    for some in lines:
        own = list(islice(endings, len(some)))
        assert len(own) == len(some)
        yield "\n".join([*map(add, some, own), ""])


def _endings(column: Sequence[Cell], marks: Marks) -> Iterator[str]:
    """The text that each value adds to a line of CSV."""
    delimiter, decimal = marks

    @cache
    def ending(text: str) -> str:
        return delimiter + quoted_cell(text, delimiter)

    if set(map(type, column)) == {str}:
        return map(ending, cast("Sequence[str]", column))
    if decimal == delimiter:
        return (ending(exact(value, decimal)) for value in column)
    # Numbers need no quotes.
    return (ending(value) if isinstance(value, str) else delimiter + exact(value, decimal) for value in column)


def _longer_sheet(
    sheet: Sheet, names: list[str], columns: Mapping[str, Sequence[Cell]], labels: Sequence[str]
) -> Sheet:
    """The sheet with further columns at its end; numbers have the decimal mark of the file."""
    added = zip(*([exact(cell, sheet.marks.decimal) for cell in column] for column in columns.values()), strict=True)
    rows = ([*row, *cells] for row, cells in zip(sheet.rows, added, strict=True))

    def describe() -> Description:
        further = [
            field_of(name, cells, labels if key == PREDICTION else None)
            for name, (key, cells) in zip(names[-len(columns) :], columns.items(), strict=True)
        ]
        return sheet.description._replace(fields=[*sheet.fields, *further])

    return Sheet(names, rows, describe, sheet.marks)
