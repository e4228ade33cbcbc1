"""Summarize a data file or a model."""

from __future__ import annotations

from io import BufferedReader
from typing import TYPE_CHECKING, Any

import click

from treecli import models
from treecli.cli import engine, options, report
from treecli.cli.terminal import detail, note, warn
from treecli.commands import _drift as drift
from treecli.commands import _findings as findings
from treecli.commands._datareport import DescribedData, write_columns
from treecli.criteria import usual_criterion
from treecli.errors import UsageError
from treecli.files import forms, guard
from treecli.files.guard import STREAM
from treecli.model import Model
from treecli.settings import Settings, set_by
from treecli.wording import number_text

if TYPE_CHECKING:
    from treecli.data import Attribute, Column, Derived
    from treecli.intake import Intake, ReadOptions

Facts = dict[str, Any]


@click.command(cls=options.Command)
@click.argument("path", metavar="DATA|MODEL", type=options.FILE)
@click.option(
    "--model",
    "model_path",
    type=options.FILE,
    default=None,
    metavar="MODEL",
    help="Compare DATA with the data that the model was trained on.",
)
@options.training_data
@engine.where
@options.report_format
@options.output("stdout")
@options.voice
def command(
    path: str,
    model_path: str | None,
    reading: ReadOptions,
    where: engine.Where,
    report_format: str,
    output: str | None,
) -> None:
    """Summarize a data file or a model; - is stdin.

    Without --from, a file is a model if its name ends with .json, or if it starts with { or with a rule.

    For data: the columns; the best split on each attribute at the root, with its gain, gain ratio, gini decrease and
    chi-square test, or its variance reduction; rows with equal attributes but different targets, and the error that
    no model avoids on them; attributes that look like identifiers, or that alone predict the target (nearly) perfectly.

    With --model: for each attribute the share of missing values, of unseen labels, and of numbers outside the range of
    the training data; and the shift of the shares of classes and leaves, as population stability index (PSI; above
    0.25 is usually called a shift) and as chi-square test.

    With --engine duckdb the database describes the columns of DATA; the splits, rows and attributes named above are
    left out, because they need the rows in memory.

    \b
    treecli info playtennis.csv
    treecli info vote.arff -f json | jq '.attributes[] | .name, .n_missing'
    treecli info new.csv --model iris.json
    treecli info iris.json
    treecli info iris.json -f json | jq .leaves
    treecli info rules.txt -o rules.md
    treecli info 'sales-*.parquet' --engine duckdb
    """
    from treecli.readers._readoptions import ReadOptions

    report_format = options.form("report_format", report_format, output, forms.REPORTS)
    if not where.is_memory:
        from treecli.commands import _infothere

        engine.refuse(where, {"--model": model_path is not None})
        with where.opened(path, reading) as source:
            write_columns(_infothere.described(source, reading), ([], {}, []), report_format, output)
        return
    if model_path is not None:
        drift.write(model_path, path, reading, report_format, output)
        return
    if reading.format is None and (_is_model_on_stdin() if path == STREAM else models.is_model_file(path)):
        if reading != ReadOptions():
            raise UsageError(f"{path}: is a model, and options such as --target describe data")
        model = models.read_model(path)
        _write_model_report(model, report_format, output)
        return
    from treecli.intake import read_training

    intake = read_training(path, reading)
    for warning in intake.warnings:
        warn(warning)
    for notice in intake.notices:
        detail(notice)
    for remark in intake.remarks:
        note(remark)
    _write_data_report(intake, reading.weights, report_format, output)


def _is_model_on_stdin() -> bool:
    stream = guard.stdin("data or a model")
    assert isinstance(stream, BufferedReader)
    return models.may_be_model(stream.peek())


def _write_model_report(model: Model, report_format: str, output: str | None) -> None:
    """Writes the properties, settings and lineage of a model."""
    facts = models.facts(model)
    settings, usual = model.settings.flat(), Settings().flat()
    if settings["criterion"] is not None:
        usual["criterion"] = usual_criterion(Settings(), model.schema)
        usual["usual_criterion"] = settings["usual_criterion"]
    attributes = facts["attributes"]
    columns = tuple(attributes[0]) if attributes else ()
    summary = [(name, _as_text(value)) for name, value in facts.items() if name != "attributes"]
    tables = [
        report.Table("", ("property", "value"), summary),
        report.Table("Attributes", columns, [tuple(a.values()) for a in attributes]),
        report.Table(
            "Derived columns",
            ("name", "kind", "largest terms"),
            [(d.name, d.feature.KIND, _summary(d)) for d in model.schema.derived],
        ),
        report.Table(
            "Settings other than the defaults (json has all)",
            ("setting", "value", "option"),
            [(k, _as_text(v), set_by(k)) for k, v in settings.items() if v != usual[k]],
        ),
        report.Table("Lineage", ("step", "what"), [(i, _as_text(step)) for i, step in enumerate(model.lineage, 1)]),
    ]
    if report_format == "csv":
        note("csv has only the properties; json also has the attributes, the settings and the lineage")
    facts = facts | {"settings": settings, "lineage": list(model.lineage)}
    report.write(report_format, [table for table in tables if table.rows], facts, output)


def _summary(column: Derived) -> str | None:
    """Return the parts of a derived column, if its name does not state them."""
    own = getattr(column.feature, "summary", None)
    return None if own is None else str(own(column.parts))


def _as_text(value: object) -> str:
    """A setting or a lineage step on one line."""
    if isinstance(value, dict):
        return ", ".join(f"{name}={_as_text(entry)}" for name, entry in value.items() if entry not in ({}, []))
    if isinstance(value, list):
        return ", ".join(map(_as_text, value))
    if value is None:
        return "none"
    return number_text(value) if isinstance(value, float) else str(value)


def _write_data_report(intake: Intake, weights: str | None, report_format: str, output: str | None) -> None:
    dataset = intake.dataset
    found = findings.findings(intake, weights)
    scores = found.pop("scores", [])
    assert dataset.target is not None
    columns = [*zip(dataset.schema.attributes, dataset.columns, strict=True), (dataset.schema.target, dataset.target)]
    described = [_column_facts(attribute, column) for attribute, column in columns]
    data = DescribedData(
        intake.name, dataset.n_rows, float(dataset.weights.sum()), dataset.has_weights, described, intake.left_out
    )
    more = findings.tables(intake, found | {"scores": scores} if found else {})
    write_columns(data, (scores, found, more), report_format, output)


def _column_facts(attribute: Attribute, column: Column) -> Facts:
    """The facts about a column; statistics and counts ignore row weights."""
    import numpy as np

    facts: Facts = {"name": attribute.name, "kind": attribute.kind}
    if not attribute.is_numeric:
        counts = np.bincount(column[column >= 0].astype(np.int64), minlength=len(attribute.labels)).tolist()
        facts |= {"n_missing": len(column) - sum(counts), "n_distinct": sum(count > 0 for count in counts)}
        return facts | {"labels": dict(zip(attribute.labels, counts, strict=True))}
    known = column[~np.isnan(column)]
    facts |= {"n_missing": len(column) - len(known), "n_distinct": len(np.unique(known))}
    if not len(known):
        return facts | {"min": None, "mean": None, "max": None}
    with np.errstate(invalid="ignore", over="ignore"):  # the mean of infinite values is null in JSON
        return facts | {"min": float(known.min()), "mean": float(known.mean()), "max": float(known.max())}
