"""Add a model's predictions to data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from operator import add
from typing import TYPE_CHECKING, cast

import click

from treecli import options, report, terminal
from treecli.commands import _application
from treecli.errors import UsageError
from treecli.files import STREAM, write_whole

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.intake import ReadOptions
    from treecli.model import Model
    from treecli.rulelists.rulelist import RuleList


@click.command(cls=options.Command)
@click.argument("model_path", metavar="MODEL", type=options.FILE)
@click.argument("data_path", metavar="DATA", type=options.FILE)
@click.option("--proba", "with_probabilities", is_flag=True, help="Add the probability of every class: proba_LABEL.")
@click.option(
    "--leaf",
    "with_leaves",
    is_flag=True,
    help="Add the number of the leaf that the row reaches, empty if a missing value sends it to several; for a rule "
    "list the number of the rule that decides, empty if it is the default or a vote.",
)
@click.option(
    "--flags",
    "with_flags",
    is_flag=True,
    help="Add warnings on the values of the attributes that the model asks about: missing:NAME, unseen:NAME and "
    "out-of-range:NAME, with ; between them.",
)
@options.output("stdout")
@click.option(
    "-f",
    "--format",
    "report_format",
    type=options.OneOf(options.REPORT_FORMATS),
    default="csv",
    show_default=True,
    help="The format of the output.",
)
@_application.unseen
@options.unlabelled_data
@options.jobs
@options.voice
def command(
    model_path: str,
    data_path: str,
    with_probabilities: bool,
    with_leaves: bool,
    with_flags: bool,
    output: str | None,
    report_format: str,
    unseen: str | None,
    reading: ReadOptions,
    jobs: int | None,
) -> None:
    """Print DATA with one more column, prediction.

    DATA needs the attributes of the model, in any order; the target may be absent. All columns are printed as
    they are in DATA. A row with missing values may reach several leaves: its probabilities are their average, by the
    share of training cases that went the same way.

    \b
    treecli predict playtennis.json playtennis.csv
    treecli predict model.json new.csv --proba --leaf -o predicted.csv
    treecli predict model.json new.csv --flags | grep out-of-range
    treecli predict model.json - --from csv < new.csv | head
    """
    from treecli.intake import echo_lines, echo_rows

    model, intake = _application.read(model_path, data_path, reading, unseen, needs_target=False)
    if with_probabilities and not model.schema.is_classification:
        raise UsageError(f"--proba: the target '{model.schema.target.name}' is numeric and has no classes")
    columns = _added_columns(model, intake.dataset, with_probabilities, with_leaves, jobs)
    if with_flags:
        columns["flags"] = _application.flags(model, intake.dataset)
    lines = echo_lines(data_path, reading) if report_format == "csv" else None
    if lines is not None:
        names, lines_of_rows = lines
        pieces = _longer_lines([*names, *_free_names(list(columns), names)], lines_of_rows, list(columns.values()))
    else:
        names, cells = echo_rows(data_path, reading)
        rows = ([*row, *added] for row, added in zip(cells, zip(*columns.values(), strict=True), strict=True))
        pieces = _pieces(report_format, [*names, *_free_names(list(columns), names)], rows)
    if output is None or output == STREAM:
        terminal.results(pieces)
    else:
        write_whole(output, (piece.encode() for piece in pieces))


def _added_columns(
    model: Model | RuleList, dataset: Dataset, with_probabilities: bool, with_leaves: bool, jobs: int | None
) -> dict[str, Sequence[report.Cell]]:
    answers, said = _application.said(model, dataset, jobs)
    prediction = answers.tolist()
    target = model.schema.target
    columns: dict[str, Sequence[report.Cell]] = {
        "prediction": prediction if target.is_numeric else [target.labels[int(code)] for code in prediction]
    }
    if with_probabilities:
        columns |= {f"proba_{label}": said[:, code].tolist() for code, label in enumerate(target.labels)}
    if with_leaves:
        columns["leaf"] = _application.places(model, dataset, jobs)
    return columns


def _free_names(wanted: Sequence[str], taken: Iterable[str]) -> Iterator[str]:
    """The names, each with a number added where a column is called so already."""
    used = set(taken)
    for name in wanted:
        free = name
        number = 1
        while free in used:
            number += 1
            free = f"{name}_{number}"
        if free != name:
            terminal.note(f"the data has a column '{name}', so the new one is called '{free}'")
        used.add(free)
        yield free


def _longer_lines(
    header: list[str], lines: Iterable[list[str]], columns: Sequence[Sequence[report.Cell]]
) -> Iterator[str]:
    """The lines of a CSV file with further cells at their ends."""
    yield from report.csv_text(header, ())
    endings = _endings(columns[0])
    for column in columns[1:]:
        endings = map(add, endings, _endings(column))
    for some in lines:
        own = islice(endings, len(some))
        yield "".join([f"{line}{ending}\n" for line, ending in zip(some, own, strict=True)])


def _endings(column: Sequence[report.Cell]) -> Iterator[str]:
    """What each value adds to a line of CSV."""

    @cache
    def ending(text: str) -> str:
        return "".join(report.csv_text(("", text), ())).removesuffix("\n")

    if set(map(type, column)) == {str}:
        return map(ending, cast("Sequence[str]", column))
    # Numbers need no quotes; and a cache would take 0.0 and -0.0 for the same.
    return (ending(value) if isinstance(value, str) else f",{report.exact(value)}" for value in column)


def _pieces(report_format: str, header: list[str], rows: Iterable[list[report.Cell]]) -> Iterator[str]:
    """The predictions as text: CSV as they come, everything else once all are there."""
    if report_format == "csv":
        return report.csv_text(header, rows)
    listed = list(rows)
    facts = {"columns": header, "rows": [dict(zip(header, row, strict=True)) for row in listed]}
    return report.render(report_format, [report.Table("", tuple(header), listed)], facts)
