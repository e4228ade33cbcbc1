"""Export a model as SQL, as a program, PMML or ONNX."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from treecli import models, plugins
from treecli.cli import apply, options, terminal
from treecli.errors import UsageError
from treecli.exporters import ERROR, POLICIES, Options
from treecli.exporters._dialects import DIALECTS
from treecli.files import forms
from treecli.files.guard import STREAM
from treecli.files.whole import write_whole
from treecli.options.ensembles import CONFIDENCE
from treecli.wording import counted

if TYPE_CHECKING:
    from treecli.intake import ReadOptions
    from treecli.model import Model

FORMS = ("case", "select", "view")

OPTION_NAMES = {"name": "--name", "proba": "--proba", "dialect": "--dialect", "form": "--as", "table": "--table"}


@click.command(cls=options.Command)
@click.argument("model_path", metavar="MODEL", type=options.FILE)
@click.option(
    "--to",
    "language",
    type=options.member_of("exporters"),
    default=None,
    help="The language to write.  [default: by the suffix of -o]",
)
@options.output("stdout", rival="--to")
@click.option(
    "--name",
    metavar="NAME",
    default=None,
    help="The name of the function, of the class in Java, the view in SQL, the model in PMML and ONNX.  [default: "
    "predict; in Java the name of the file, else Predict; in SQL predictions; in PMML none]",
)
@click.option(
    "--proba",
    is_flag=True,
    help="Return the probability of each class instead of the most probable class; PMML and ONNX return both; not for "
    "SQL.",
)
@click.option(
    "--dialect",
    type=options.OneOf(tuple(DIALECTS)),
    default=None,
    help="The database of the SQL.  [default: sqlite]",
)
@click.option(
    "--as",
    "form",
    type=options.OneOf(FORMS),
    default=None,
    help="SQL as one CASE expression, as a query with a column `prediction`, or as a view.  [default: case]",
)
@click.option(
    "--table", metavar="NAME", default=None, help="The table that the SQL reads; required for --as select|view."
)
@click.option(
    "--verify",
    "data_path",
    type=options.FILE,
    metavar="DATA",
    default=None,
    help="First compare the export with the model, on these rows and on probes at every threshold and label; if any "
    "prediction differs, the exit code is 1 and no file is written.",
)
@click.option(
    "--missing",
    type=options.OneOf(POLICIES),
    default=None,
    help="Treat missing values differently, with the same tree: send them down the heaviest branch of a node "
    "(majority) or the node's branch for them (branch; only if every node has one), or refuse them (error; not in SQL "
    "or ONNX).  [default: as in the model]",
)
@apply.unseen
@options.unlabelled_data
@options.voice
@options.together("chosen", Options)
def command(
    model_path: str,
    language: str | None,
    output: str | None,
    chosen: Options,
    data_path: str | None,
    missing: str | None,
    unseen: str | None,
    reading: ReadOptions,
) -> None:
    """Write MODEL in another language, to predict without treecli; MODEL - is stdin.

    The export predicts exactly the same as the model: exact thresholds, missing values (None, NaN, NULL, …) and unseen
    labels as in the model. If a language cannot express that, nothing is written. For a model that sends missing
    values down all branches, --missing majority gives an export that every language can express.

    \b
    treecli export iris.json -o iris.py --verify iris.csv
    treecli export iris.json --to sql --dialect duckdb --as view --table flowers
    treecli export iris.json --to sql --dialect spark --missing majority
    treecli export iris.json -o Iris.java
    treecli export iris.json --to javascript --proba --name classify | node -i
    treecli export iris.json --to onnx -o iris.onnx --verify iris.csv
    """
    language = language or _language(output)
    exporter = plugins.load("exporters", language)
    for parameter, option in OPTION_NAMES.items():
        if options.is_given(click.get_current_context(), parameter) and parameter not in exporter.OPTIONS:
            raise UsageError(f"{option}: not for --to {language}", f"it is for --to {_takers(parameter)}")
    if data_path == model_path == STREAM:
        raise UsageError("both the model and the data are '-', but there is only one stdin", "name one of the files")
    model = models.read_model(model_path)
    if unseen is not None:
        model = models.with_unseen(model, unseen, model_path)
    if missing is not None:
        model = models.with_missing(model, missing, model_path)
    if chosen.proba and not model.schema.is_classification:
        raise UsageError(f"--proba: the target '{model.schema.target.name}' is numeric and has no classes")
    if chosen.proba:
        _refuse_boosted(model)
    if output is not None and output != STREAM and hasattr(exporter, "name_for_file"):
        name = chosen.name or exporter.name_for_file(output)
        chosen = replace(chosen, name=name)
        if forms.suffix_of(output) == exporter.SUFFIX and forms.stem_of(output) != name:
            terminal.warn(f"{output}: {exporter.TITLE} expects '{name}' in a file {name}{exporter.SUFFIX}")
    chosen = replace(chosen, refuses_missing=missing == ERROR)
    text = exporter.export(model, chosen)
    content = text if isinstance(text, bytes) else text.encode()
    if content is text and output in (None, STREAM) and sys.stdout.isatty():
        raise UsageError(f"--to {language}: a terminal cannot show it", f"name a file: -o model.{language}")
    if data_path is not None:
        _verify(language, text, model, chosen, data_path, reading)
    write_whole(output or STREAM, [content])


def _refuse_boosted(model: Model) -> None:
    """Raises a UsageError if the probabilities are those of several boosted trees."""
    ensemble = models.as_ensemble(model)
    if ensemble is None or not ensemble.IS_BOOSTED or ensemble.n_trees == 1:
        return
    found = "are exponentials, which other programs round differently"
    if ensemble.votes == CONFIDENCE:
        found = "are shares of all votes for the row, which exported programs do not divide by"
    raise UsageError(
        f"--proba: the probabilities of boosted trees {found}", "leave it out; treecli predict --proba has them"
    )


def _language(output: str | None) -> str:
    """The language that the suffix of the output file selects."""
    language = forms.chosen(output, "exporters", "", "--to")
    if not language:
        known = ", ".join(plugins.names("exporters"))
        raise UsageError(f"--to is missing: the language to write ({known})", "or name a file: -o model.py")
    return language


def _verify(
    language: str, text: str | bytes, model: Model, chosen: Options, data_path: str, reading: ReadOptions
) -> None:
    from treecli.verifiers import verify

    intake = apply.read_data(data_path, reading, model, needs_target=False)
    with terminal.waiting("Verifying"):
        verified = verify(language, text, model, chosen, intake.dataset, intake.name)
    terminal.note(
        f"verified: the same predictions as the model on {counted(verified.n_rows, 'row')} of {intake.name} "
        f"and on {counted(verified.n_probes, 'probe')}"
    )


def _takers(parameter: str) -> str:
    takers = [name for name in plugins.names("exporters") if parameter in plugins.load("exporters", name).OPTIONS]
    return ", ".join(takers)
