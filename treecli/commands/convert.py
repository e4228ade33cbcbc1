"""Convert a data file to another format."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from treecli import plugins
from treecli.cli import options, terminal
from treecli.errors import CheckError, UsageError
from treecli.files import forms, guard
from treecli.files.guard import STREAM

if TYPE_CHECKING:
    from treecli.intake import ReadOptions
    from treecli.interchange.record import Record

FORMATS = tuple(name for name in plugins.names("writers") if name in plugins.names("readers"))
"""The formats that can be read again."""


@click.command(cls=options.Command)
@click.argument("data_path", metavar="IN", type=options.FILE)
@click.argument("output", metavar="OUT", type=options.FILE)
@click.option(
    "--to", "format", type=options.OneOf(FORMATS), default=None, help="The format of OUT.  [default: by the suffix]"
)
@click.option(
    "--schema",
    "schema_path",
    type=options.FILE,
    default=None,
    metavar="FILE",
    help="A JSON file with what CSV and TSV cannot express: written beside CSV, read if IN is CSV.",
)
@click.option("--strict", "is_strict", is_flag=True, help="Write nothing if something would be lost, with exit code 1.")
@options.no_clobber
@options.converted_data
@options.voice
def command(
    data_path: str,
    output: str,
    format: str | None,
    schema_path: str | None,
    is_strict: bool,
    reading: ReadOptions,
) -> None:
    """Convert a data file between CSV, TSV, ARFF and Parquet; - is stdin or stdout.

    Kept are the names, kinds and values of all columns, missing values, the text of numbers (0.10 stays 0.10), and
    the labels with their order and those that do not occur. CSV cannot express all of that: the rest is written to
    the file of --schema, or named on stderr as lost. ARFF has the rest in a comment, Parquet in its metadata. So a
    file that is converted and converted back has the same content.

    Comments, sparse rows, and the spacing of ARFF are not kept.

    \b
    treecli convert vote.arff vote.parquet
    treecli convert vote.arff vote.csv --schema vote.schema.json
    treecli convert vote.csv vote.arff --schema vote.schema.json
    treecli convert old.csv new.tsv.gz --decimal ,
    treecli convert data.parquet - --to csv | head
    """
    known = {suffix: name for suffix, name in forms.of_family("writers").items() if name in FORMATS}
    to = format or forms.chosen(output, known, "", option="--to")
    if not to:
        raise UsageError(f"{output}: the format of the output is not known", f"choose it with --to {'|'.join(FORMATS)}")
    terminal.refuse_binary(to, output, f"name a file: {data_path.partition('.')[0] or 'data'}.{to}")
    guard.will_read(data_path)
    guard.check_output(output, "OUT")

    from treecli.files.whole import write_all, write_whole
    from treecli.interchange import convert
    from treecli.interchange.content import DELIMITED, read_content

    schema = _schema(data_path, schema_path, reading, is_read_by=DELIMITED)
    if schema_path is not None and schema is None:
        if to not in DELIMITED:
            raise UsageError("--schema is for csv and tsv, which need it", "leave it out: nothing is lost without it")
        guard.check_output(schema_path, "--schema")
        if os.path.realpath(schema_path) == os.path.realpath(output):
            raise UsageError(f"{output}: is named as OUT and by --schema", "give each file a name")
    with terminal.waiting(f"Reading {data_path}"):
        content = read_content(data_path, reading, schema)
    for remark in content.remarks:
        terminal.note(remark)
    lost = [
        f"'{name}' is written as text and stays so"
        for name in (convert.nested_columns(content) if to != content.format else ())
    ]
    if to in DELIMITED:
        lost += convert.losses(content, has_schema=schema_path is not None)
    if lost and is_strict:
        raise CheckError(f"{content.name}: {lost[0]}", f"{len(lost)} losses in all" if len(lost) > 1 else None)
    for line in lost:
        terminal.note(line)
    record = convert.record_of(content, to)
    pieces = plugins.load("writers", to).write(convert.sheet_of(content, to, record))
    files = {} if output == STREAM else {output: pieces}
    if schema_path is not None and schema is None:
        files[schema_path] = iter([f"{record.to_json(indent=2)}\n".encode()])
    write_all(files)
    if output == STREAM:
        write_whole(STREAM, pieces)


def _schema(
    data_path: str, schema_path: str | None, reading: ReadOptions, *, is_read_by: tuple[str, ...]
) -> Record | None:
    """The record in the file of --schema, if the input needs one; None if the file is to be written."""
    from treecli.errors import DataError
    from treecli.interchange.record import HINT, from_json
    from treecli.readers._source import open_source

    if schema_path is None or open_source(data_path, reading).format not in is_read_by:
        return None
    try:
        with guard.open_input(schema_path) as stream:
            text = stream.read().decode()
    except FileNotFoundError:
        raise DataError(f"{schema_path}: no such file", HINT) from None
    except OSError as error:
        raise DataError(f"{schema_path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DataError(f"{schema_path}: found a byte that is not UTF-8, expected JSON", HINT) from None
    return from_json(text, guard.name_of(schema_path))
