"""Draw charts of a model."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from treecli.cli import apply, options, terminal
from treecli.draw.canvas import Picture, check_suffix
from treecli.draw.fonts import lacking_text
from treecli.draw.plotting import bars
from treecli.errors import DataError, UsageError, did_you_mean
from treecli.evaluate.ensembleimportance import mean_importances
from treecli.evaluate.importance import importances
from treecli.files import guard
from treecli.files.compression import without_suffix
from treecli.files.guard import STREAM
from treecli.files.whole import write_whole
from treecli.models import as_ensemble, expected_tree, read_model
from treecli.wording import counted, quoted

if TYPE_CHECKING:
    from treecli.data import Schema
    from treecli.intake import ReadOptions

MOST_LISTED = 150
"""The maximum length of a hint that lists attributes."""


class _Charts(click.Group):
    """A group with hints for mistyped charts."""

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(context)
        if args and args[0] not in known and not args[0].startswith("-"):
            hint = f"a chart comes first: treecli plot {known[-1]} {args[0]}" if os.path.isfile(args[0]) else None
            hint = hint or did_you_mean(args[0], known)
            raise UsageError(f"no such chart '{args[0]}' (known: {', '.join(known)})", hint)
        return super().resolve_command(context, args)


@click.group(cls=_Charts, subcommand_metavar="CHART [ARGS]...")
def command() -> None:
    """Draw a chart of a model, as .png, .svg or .pdf; 'treecli show -f svg' draws the tree itself.

    Drawing needs matplotlib: pip install 'treecli[plot]'

    \b
    treecli plot boundary iris.csv --model iris.json --x petalwidth --y sepalwidth
    treecli plot importance iris.json -o importance.svg
    """


@command.command(cls=options.Command, short_help="Draw the decision regions of a model for two attributes.")
@click.argument("data_path", metavar="DATA", type=options.FILE)
@click.option("--model", "model_path", required=True, type=options.FILE, metavar="MODEL", help="The model.")
@click.option("--x", "x_name", required=True, metavar="NAME", help="The numeric attribute of the x axis.")
@click.option("--y", "y_name", required=True, metavar="NAME", help="The numeric attribute of the y axis.")
@options.output("STEM.boundary.png in this folder", rival=None, compresses=False)
@options.unlabelled_data
@options.voice
def boundary(
    data_path: str, model_path: str, x_name: str, y_name: str, output: str | None, reading: ReadOptions
) -> None:
    """Draw the decision regions of a model, and the rows of DATA as points.

    The edges are the model's own thresholds, not a grid; those of linear splits are drawn in fine steps. All other
    attributes that the model tests are fixed at their median in DATA, or at their most frequent label; the picture
    says so. The points keep their own values, so a point may lie in the region of another class and be predicted
    correctly. The file name ends with .png, .svg or .pdf; - is stdout, as PNG.

    \b
    treecli plot boundary iris.csv --model iris.json --x petalwidth --y sepalwidth
    treecli plot boundary cpu.csv --model cpu.json --x MMAX --y CACH -o cpu.svg
    """
    from treecli.draw.boundary import held, plane
    from treecli.draw.planes import regions

    output, format = _destination(output, data_path, "boundary")
    if model_path == data_path == STREAM:
        raise UsageError("both the model and the data are '-', but there is only one stdin", "name one of the files")
    model = read_model(model_path)
    x, y = (_numeric(model.schema, option, name) for option, name in (("--x", x_name), ("--y", y_name)))
    if x == y:
        raise UsageError(f"--x and --y are both '{x_name}'", "name two attributes")
    intake = apply.read_data(data_path, reading, model, needs_target=False)
    shown = plane(model, intake.dataset, x, y)
    n_absent = intake.dataset.n_rows - len(shown.x)
    if not len(shown.x):
        raise DataError(f"{intake.name}: no row has a value of both '{x_name}' and '{y_name}'")
    if n_absent:
        terminal.warn(
            f"{intake.name}: {n_absent} of {counted(intake.dataset.n_rows, 'row')} without '{x_name}' or '{y_name}'"
        )
    others = held(model, intake.dataset, x, y)
    caption = f"fixed at their median or most frequent label: {', '.join(others)}" if others else ""
    if caption:
        terminal.note(caption)
    names = quoted(x_name), quoted(y_name), quoted(model.schema.target.name)
    title = f"{guard.name_of(model_path) if model_path != STREAM else 'model'} on {intake.name}"
    _write(output, regions(format, title, caption, names, shown))


@command.command(cls=options.Command, short_help="Draw the attribute importance of a tree.")
@click.argument("model_path", metavar="MODEL", type=options.FILE)
@click.option("--top", type=options.Whole(min=1), default=30, show_default=True, metavar="N", help="Only the first N.")
@options.output("STEM.importance.png in this folder", rival=None, compresses=False)
@options.voice
def importance(model_path: str, top: int, output: str | None) -> None:
    """Draw a bar for each attribute: its share of the total impurity decrease of the tree's splits.

    The impurity is that of the tree's criterion; attributes that the tree does not test are left out. Of an ensemble
    the mean over its trees is drawn. The file name ends with .png, .svg or .pdf; - is stdout, as PNG.

    \b
    treecli plot importance iris.json
    treecli plot importance vote.json --top 10 -o votes.svg
    """
    output, format = _destination(output, model_path, "importance")
    model = read_model(model_path)
    ensemble = as_ensemble(model)
    every = importances(expected_tree(model, model_path)) if ensemble is None else mean_importances(ensemble)
    found = zip(every, model.schema.columns, strict=True)
    ranked = sorted(((share, quoted(attribute.name)) for share, attribute in found if share > 0), key=lambda p: -p[0])
    name = "stdin" if model_path == STREAM else guard.name_of(model_path)
    if not ranked:
        raise UsageError(f"{model_path}: no split of this tree decreases impurity, so there is nothing to draw")
    n_left_out = len(ranked) - top
    title = f"{name}: importance" + (f" (the first {top} of {len(ranked)})" if n_left_out > 0 else "")
    shares, names = zip(*ranked[:top], strict=True)
    _write(output, bars(format, title, "share of the total impurity decrease", names, shares))


def _destination(output: str | None, source: str, chart: str) -> tuple[str, str]:
    """The destination and the format of a picture, checked before any work."""
    if output is None:
        if source == STREAM:
            raise UsageError("input from stdin has no name to derive the picture's name from", "add -o FILE.png")
        output = f"{Path(without_suffix(source)).stem}.{chart}.png"
        guard.check_output(output)
    if output == STREAM:
        if sys.stdout.isatty():
            raise UsageError("-o -: a terminal cannot show a picture", "name a file: -o FILE.png")
        return output, "png"
    return output, check_suffix(output)


def _numeric(schema: Schema, option: str, name: str) -> int:
    """The position of a numeric attribute."""
    names = [attribute.name for attribute in schema.attributes]
    if name not in names:
        numeric = [attribute.name for attribute in schema.attributes if attribute.is_numeric]
        raise UsageError(
            f"{option}: '{name}' is not an attribute of the model", did_you_mean(name, names) or _list(numeric)
        )
    attribute = schema.columns[names.index(name)]
    if not attribute.is_numeric:
        numeric = [attribute.name for attribute in schema.attributes if attribute.is_numeric]
        raise UsageError(f"{option}: '{name}' is {attribute.kind}, expected a numeric attribute", _list(numeric))
    return names.index(name)


def _list(numeric: list[str]) -> str:
    text = ", ".join(numeric)
    short = text if len(text) <= MOST_LISTED else text[: MOST_LISTED - 1] + "…"
    return f"numeric attributes: {short}" if numeric else "the model has no numeric attribute"


def _write(output: str, picture: Picture) -> None:
    if picture.lacking:
        terminal.warn(lacking_text(picture.lacking, "write .svg"))
    write_whole(output, [picture.content])
    if output != STREAM:
        terminal.note(f"wrote {output}")
