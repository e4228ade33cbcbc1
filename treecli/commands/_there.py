"""`predict` and `evaluate` where the data are, without rows in Python."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from treecli import models
from treecli.cli import engine, terminal
from treecli.errors import UsageError
from treecli.files import guard
from treecli.files.whole import write_whole

if TYPE_CHECKING:
    from treecli.engines._source import Source
    from treecli.engines._sparksource import SparkSource
    from treecli.evaluate.result import Result
    from treecli.intake import ReadOptions
    from treecli.model import Model


def read_model(path: str, unseen: str | None) -> Model:
    """The model, with another policy for unseen labels if one is given."""
    model = models.read_model(path)
    return model if unseen is None else models.with_unseen(model, unseen, path)


def predict_in_spark(model: Model, source: SparkSource, report_format: str, output: str) -> None:
    """Let Spark write all rows with the prediction, as Parquet files into a folder."""
    import os

    from treecli.engines._applied import Applied

    if report_format != "parquet" or output == guard.STREAM:
        raise UsageError("--engine spark writes a folder of Parquet files", "name it: -o predicted.parquet")
    if os.path.exists(output):
        raise UsageError(f"{output}: exists and is not overwritten", "give -o another name")
    applied = Applied(model, source)
    for warning in applied.unseen():
        terminal.warn(warning)
    added = _free_name("prediction", [name for name, _ in source.echo()])
    source.write(applied.table(added), output)


def predict(model: Model, source: Source, report_format: str, output: str) -> None:
    """Write all rows with the prediction."""
    from treecli.engines._applied import Applied
    from treecli.engines._writing import FORMATS, written

    if report_format not in FORMATS:
        raise UsageError(
            f"-f {report_format}: this engine writes {', '.join(FORMATS[:-1])} or {FORMATS[-1]}", "use --engine memory"
        )
    applied = Applied(model, source)
    engine.say(source)
    for warning in applied.unseen():
        terminal.warn(warning)
    added = _free_name("prediction", [name for name, _ in source.echo()])
    if output != guard.STREAM:
        guard.check_output(output)
    # Closing ends the database's statement, also if nobody reads its rows to the end.
    with source.explained(), closing(written(applied, source, report_format, added)) as pieces:
        write_whole(output, pieces)


def result(model: Model, source: Source | SparkSource, reading: ReadOptions) -> Result:
    """The result of a model; warnings are printed."""
    from treecli.engines._applied import Applied
    from treecli.engines._evaluating import Counted

    target = reading.target or model.schema.target.name
    if not target:
        raise UsageError("the rules do not name their target", "name the column of true values with --target")
    counted = Counted(Applied(model, source, target, reading.weights), reading.weights)
    engine.say(source)
    found = counted.result()
    for warning in counted.warnings:
        terminal.warn(warning)
    if found.is_classification and found.probabilities is None:
        terminal.note("measures of probabilities are left out: the trees predict together")
    return found


def _free_name(wanted: str, taken: list[str]) -> str:
    """The name, with a number appended if a column of that name exists."""
    folded = {name.casefold() for name in taken}
    free, number = wanted, 1
    while free in folded:
        number += 1
        free = f"{wanted}_{number}"
    if free != wanted:
        terminal.note(f"the data has a column '{wanted}', so the new one is named '{free}'")
    return free
