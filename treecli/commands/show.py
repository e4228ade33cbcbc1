"""Show the tree of a model."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from treecli import models, plugins
from treecli.cli import apply, options, report, terminal
from treecli.cli.terminal import is_colored
from treecli.errors import UsageError
from treecli.files.guard import STREAM
from treecli.files.whole import write_whole
from treecli.model import EnsembleModel
from treecli.renderers import View

if TYPE_CHECKING:
    from treecli.draw.charts import Chart
    from treecli.intake import ReadOptions
    from treecli.model import Model, TreeModel
    from treecli.rules.rule import Rule
    from treecli.rules.rulelist import RuleList

TEXT = "text"
"""The format that escapes values itself, and may be coloured."""


@click.command(cls=options.Command)
@click.argument("model_path", metavar="MODEL", type=options.FILE)
@click.option(
    "-f",
    "--format",
    "renderer",
    type=options.member_of("renderers"),
    default=TEXT,
    show_default=True,
    help="The output format.",
)
@click.option(
    "--tree", "number", type=options.Whole(min=1), metavar="K", help="Show tree K of an ensemble, not its summary."
)
@click.option("--depth", type=options.Whole(min=0), metavar="D", help="Show D levels; … marks hidden nodes.")
@click.option("--node", type=options.Whole(min=0), metavar="N", default=0, help="Show only node N and its subtree.")
@click.option("--ids", "has_ids", is_flag=True, help="Show each node's number; json and html always do.")
@click.option("--counts", "has_counts", is_flag=True, help="Show each node's class counts; json and html always do.")
@click.option(
    "--details",
    "has_details",
    is_flag=True,
    help="text: after each split, its surrogates and the next best splits, if the model stores them; json always has "
    "them. svg, png, pdf, html: at each split a chart of the classes, or of the target, in its branches.",
)
@click.option(
    "--data",
    "data_path",
    type=options.FILE,
    metavar="FILE",
    default=None,
    help="With --details in a picture: histograms of the values in this data at each split.",
)
@options.output("stdout")
@options.model_data
@options.voice
@options.together("view", View)
def command(
    model_path: str,
    renderer: str,
    number: int | None,
    view: View,
    data_path: str | None,
    output: str | None,
    reading: ReadOptions,
) -> None:
    """Show the tree or the rules of a model; MODEL - is stdin.

    Each line is a branch. A leaf has its prediction and, in parentheses, the weight of its training cases and of the
    misclassified ones: (40.0/3.0); with a numeric target the weight and the root mean squared error. A node cut off
    by --depth shows its own prediction. A line with more than 100 bars shows their number instead: |*101. A rule
    list is shown as text, json or html; 'treecli rules' has more formats for it. Of a forest or boosted trees a
    summary is shown, as text or json; --tree shows one of the trees. Boosted rulesets are all shown.

    svg, png and pdf are pictures; dot, mermaid and latex are for Graphviz, Markdown and LaTeX. png and pdf need
    matplotlib: pip install 'treecli[plot]'

    \b
    treecli show iris.json
    treecli show iris.json --depth 2 --ids
    treecli show iris.json --node 3 --counts
    treecli show iris.json -o iris.svg
    treecli show iris.json --details --data iris.csv -o iris.pdf
    treecli show iris.json -o iris.html
    treecli show iris.json -f dot | dot -Tsvg -o iris.svg
    treecli show iris.json -f json | jq '.nodes[] | .id, .label'
    treecli show forest.json
    treecli show forest.json --tree 1 --depth 3
    """
    renderer = options.form("renderer", renderer, output, "renderers")
    read = models.read_model(model_path)
    model = models.as_tree(read) if number is None else apply.member(read, number, model_path)
    ensemble = models.as_ensemble(read)
    if ensemble is not None and model is None:
        _show_summary(ensemble, model_path, renderer, output)
        return
    sets = models.rule_sets(read)
    if sets:
        _show_sets(sets, read, model_path, renderer, output)
        return
    if model is None:
        _show_rules(*models.as_rules(read), model_path, renderer, output)
        return
    if view.node >= model.tree.n_nodes:
        raise UsageError(
            f"{model_path}: there is no node {view.node}, only 0 to {model.tree.n_nodes - 1}",
            "--ids shows their numbers",
        )
    destination = output or STREAM
    view = replace(view, is_colored=is_colored(sys.stdout if destination == STREAM else None))
    drawer = plugins.load("renderers", renderer)
    if data_path is not None:
        view = replace(view, charts=_charts(model, model_path, data_path, reading, renderer, view.has_details))
    elif reading != _no_reading():
        raise UsageError("options such as --target and --na are for --data", "name the file: --data FILE")
    if getattr(drawer, "IS_BINARY", False) and destination == STREAM and sys.stdout.isatty():
        raise UsageError(f"-f {renderer}: a terminal cannot show it", f"name a file: -o tree.{renderer}")
    pieces = drawer.render(model, view)
    encoded = (piece.encode() if isinstance(piece, str) else piece for piece in pieces)
    write_whole(destination, encoded, is_safe=view.is_colored and renderer == TEXT)


def _show_summary(model: EnsembleModel, path: str, renderer: str, output: str | None) -> None:
    """Prints the summary of an ensemble; options for one tree are refused."""
    from treecli.commands._ensemblesummary import summary

    context = click.get_current_context()
    for name in ("depth", "node", "has_ids", "has_counts", "has_details", "data_path"):
        if options.is_given(context, name):
            option = name.removeprefix("has_").removesuffix("_path")
            raise UsageError(f"--{option}: {path} has {model.n_trees} trees", "choose one: --tree 1")
    if renderer not in (TEXT, "json"):
        raise UsageError(
            f"-f {renderer}: {path} has {model.n_trees} trees, whose summary is text or json", "choose one: --tree 1"
        )
    tables, facts = summary(model)
    report.write(report.TABLE if renderer == TEXT else renderer, tables, facts, output)


def _no_reading() -> ReadOptions:
    from treecli.readers._readoptions import ReadOptions

    return ReadOptions()


def _charts(
    model: TreeModel, model_path: str, data_path: str, reading: ReadOptions, renderer: str, has_details: bool
) -> dict[int, Chart]:
    """The charts of all splits, from data."""
    from treecli.draw.datacharts import charts_of_data

    if not has_details or not getattr(plugins.load("renderers", renderer), "HAS_CHARTS", False):
        raise UsageError("--data: is only for the charts of --details in svg, png, pdf and html")
    if model_path == data_path == STREAM:
        raise UsageError("both the model and the data are '-', but there is only one stdin", "name one of the files")
    intake = apply.read_data(data_path, reading, model, needs_target=True)
    return charts_of_data(model, intake.dataset)


def _show_sets(sets: Sequence[RuleList], model: Model, path: str, renderer: str, output: str | None) -> None:
    """Prints several sets of rules; options for a part of a tree are refused."""
    _refuse_parts(path, models.kind_of(model).TITLE)
    if renderer not in (TEXT, "json"):
        raise UsageError(f"-f {renderer}: {path} is {models.kind_of(model).TITLE}, shown as text or json")
    if renderer == "json":
        terminal.results((piece.decode() for piece in models.encode(model)), output)
        return
    from treecli.rule_formats import Page

    form = plugins.load("rule_formats", TEXT)
    pieces: list[str] = []
    for number, own in enumerate(sets, start=1):
        pieces += [f"{chr(10) if number > 1 else ''}# set {number} of {len(sets)}\n\n"]
        pieces += form.render(Page(own, own.rules, has_default=True))
    terminal.results(pieces, output)


def _refuse_parts(path: str, title: str) -> None:
    """Raises a UsageError for options that show a part of a tree."""
    context = click.get_current_context()
    for name in ("depth", "node", "has_ids", "has_counts", "has_details", "data_path"):
        if options.is_given(context, name):
            option = name.removeprefix("has_").removesuffix("_path")
            raise UsageError(f"--{option}: {path} is {title}, which has no nodes", f"leave --{option} out")


def _show_rules(heading: RuleList, rules: Iterable[Rule], path: str, renderer: str, output: str | None) -> None:
    """Prints a rule list; options for a part of a tree are refused."""
    _refuse_parts(path, "a rule list")
    known = (TEXT, "json", "html")
    if renderer not in known:
        raise UsageError(
            f"-f {renderer}: {path} is a rule list, which is shown as {', '.join(known[:-1])} or {known[-1]}",
            "'treecli rules' has more formats for rules",
        )
    from treecli.rule_formats import Page

    page = Page(heading, rules, has_default=True)
    pieces = plugins.load("rule_formats", renderer).render(page)
    terminal.results(pieces, output)
