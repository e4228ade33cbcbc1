"""Write random projections of the numeric attributes of a data file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from treecli import plugins
from treecli.cli import options, terminal
from treecli.errors import UsageError
from treecli.files import forms
from treecli.files.guard import STREAM
from treecli.files.whole import write_whole
from treecli.options.projections import LEMMA, projection_of
from treecli.settings import options as settings_options
from treecli.wording import counted
from treecli.writers._delimited import exact
from treecli.writers._sheet import Description, Sheet, field_of

if TYPE_CHECKING:
    from treecli.data import Dataset, FloatArray
    from treecli.intake import ReadOptions

CSV = "csv"
NAME = "projection"


@click.command(cls=options.Command)
@click.argument("data_path", metavar="DATA", type=options.FILE)
@click.option(
    "--project",
    "text",
    required=True,
    metavar=settings_options()["project"].metavar,
    help="The projection, as for 'treecli train'.",
)
@click.option(
    "--fit",
    "fit_path",
    type=options.FILE,
    default=None,
    metavar="FILE",
    help="Standardize by the means and standard deviations of this file, as for test rows by the training rows.  "
    "[default: DATA]",
)
@click.option(
    "--seed", type=options.Whole(min=0), default=0, show_default=True, metavar="N", help="The seed of the projection."
)
@options.output("stdout")
@click.option(
    "-f",
    "--format",
    "format",
    type=options.OneOf(plugins.names("writers")),
    default=CSV,
    show_default=True,
    help="The format of the output.",
)
@options.training_data
@options.voice
def command(
    data_path: str,
    text: str,
    fit_path: str | None,
    seed: int,
    output: str | None,
    format: str,
    reading: ReadOptions,
) -> None:
    """Print DATA with random projections in place of its numeric attributes.

    The columns projection1, projection2, … come first. The target, ignored columns and identifiers follow as written.
    The numbers are those that 'treecli train --project' grows on with the same seed: attributes are standardized, a
    missing value counts as the mean.

    \b
    treecli project iris.csv --project gaussian:2
    treecli project wide.csv --project sparse:50 --seed 1 -o narrow.parquet
    treecli project train.csv --project jl:0.5 -x id -o narrow.arff
    treecli project new.csv --project gaussian:20 --fit train.csv -o out.csv
    """
    from treecli.interchange.echo import echo_sheet

    chosen = projection_of(text)
    format = options.form("format", format, output, forms.of_family("writers"))
    terminal.refuse_binary(format, output, f"name a file: -o projected.{format}", "-f")
    fitted, dataset = _read(data_path, fit_path, reading)

    from treecli.grow.projections import features, number_of_columns

    n_columns, n_attributes = number_of_columns(chosen, fitted), len(fitted.schema.attributes)
    if n_columns > n_attributes:
        found = f"--project {text}: {counted(n_columns, 'column')} for {n_attributes} attributes, which reduces nothing"
        if chosen.kind == LEMMA:
            raise UsageError(found, "choose a larger EPS, or gaussian:K")
        terminal.warn(found)
    schema = fitted.schema.with_features(features(fitted, chosen, n_columns, seed))
    dataset = replace(dataset, schema=schema)
    columns = [column.values(dataset.columns.__getitem__, dataset.n_rows) for column in schema.derived]
    sheet = _narrowed(echo_sheet(data_path, reading, fitted.schema), columns, fitted)
    write_whole(output or STREAM, plugins.load("writers", format).write(sheet))


def _read(data_path: str, fit_path: str | None, reading: ReadOptions) -> tuple[Dataset, Dataset]:
    """The data set whose means and deviations count, and the rows to project."""
    from treecli.intake import read_for_model, read_training

    path = fit_path or data_path
    with terminal.waiting(f"Reading {path}"):
        intake = read_training(path, reading, keep_unlabelled=True)
    for notice in (*intake.notices, *intake.remarks):
        terminal.note(notice)
    if fit_path is None:
        return intake.dataset, intake.dataset
    with terminal.waiting(f"Reading {data_path}"):
        rows = read_for_model(data_path, replace(reading, target=None), intake.dataset.schema, needs_target=False)
    return intake.dataset, rows.dataset


def _narrowed(sheet: Sheet, columns: Sequence[FloatArray], fitted: Dataset) -> Sheet:
    """The sheet with the projected columns first, and without the attributes."""
    gone = {attribute.name for attribute in fitted.schema.attributes}
    kept = [place for place, name in enumerate(sheet.names) if name not in gone]
    names = list(_free_names(len(columns), {sheet.names[place] for place in kept}))
    decimal = sheet.marks.decimal
    added = zip(*([exact(cell, decimal) for cell in column.tolist()] for column in columns), strict=True)
    rows = ([*cells, *(row[place] for place in kept)] for cells, row in zip(added, sheet.rows, strict=True))

    def describe() -> Description:
        new = [field_of(name, column.tolist(), None) for name, column in zip(names, columns, strict=True)]
        return sheet.description._replace(fields=[*new, *(sheet.fields[place] for place in kept)], native=None)

    return Sheet([*names, *(sheet.names[place] for place in kept)], rows, describe, sheet.marks)


def _free_names(n: int, taken: set[str]) -> Iterator[str]:
    """The names of the new columns; a trailing _ sets one apart from a column that is kept."""
    for number in range(1, n + 1):
        name = f"{NAME}{number}"
        while name in taken:
            name += "_"
        yield name
