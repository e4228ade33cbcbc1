"""treecli rules"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import click
import msgspec

from treecli import options, report
from treecli.conditions import quoted
from treecli.files import STREAM, read_model, write_whole
from treecli.model import Model
from treecli.rules import Rule, from_tree


def _text(model: Model) -> Iterator[str]:
    for rule in from_tree(model):
        yield f"IF {rule.antecedent(model.schema)} THEN {_consequent(rule, model)}\n"


def _consequent(rule: Rule, model: Model) -> str:
    covered = report.readable(rule.covered)
    if rule.label is None:
        error = f"mae {report.readable(rule.mae)}" if rule.takes_medians else f"rmse {report.readable(rule.rmse)}"
        return f"{report.readable(rule.value)} (covered {covered}, {error})"
    quality = [f"{report.readable(rule.correct)}/{covered}", f"confidence {rule.confidence:.2f}"]
    if rule.lift is not None:
        quality.append(f"lift {rule.lift:.2f}")
    return f"{quoted(model.schema.target.labels[rule.label])} ({', '.join(quality)})"


def _json(model: Model) -> Iterator[str]:
    encode = msgspec.json.Encoder().encode
    head = {"schema_version": report.SCHEMA_VERSION, "target": model.schema.target.name}
    yield encode(head).decode().removesuffix("}") + ',"rules":['
    separator = "\n"
    for rule in from_tree(model):
        yield separator + encode(rule.to_json(model.schema)).decode()
        separator = ",\n"
    yield "\n]}\n"


def _table(model: Model) -> report.Table:
    qualities = [{"conditions": r.antecedent(model.schema), **r.quality(model.schema)} for r in from_tree(model)]
    return report.Table("", tuple(qualities[0]), [tuple(quality.values()) for quality in qualities])


FORMATS: dict[str, Callable[[Model], Iterator[str]]] = {
    "text": _text,
    "json": _json,
    "csv": lambda model: report.render("csv", [_table(model)], {}),
    "markdown": lambda model: report.render("markdown", [_table(model)], {}),
}


@click.command(short_help="Turn a model into IF-THEN rules.")
@click.argument("model_path", metavar="MODEL")
@click.option(
    "-f",
    "--format",
    "rule_format",
    type=options.OneOf(tuple(FORMATS)),
    default="text",
    show_default=True,
    help="How to print.",
)
@options.output("stdout")
@options.voice
def command(model_path: str, rule_format: str, output: str | None) -> None:
    """Turn a model into IF-THEN rules, one for each leaf; MODEL - is stdin.

    All conditions on one attribute are merged into one. Behind each rule stand the training cases that it gets
    right of those that it covers; its confidence, which is (right + 1) / (covered + 2); and its lift, which is
    the confidence over the label's share of all training cases. With a numeric target a rule has the mean and the
    root mean squared error instead, or the median and the mean absolute error if the tree was grown by that.

    Each row satisfies exactly one rule. Only where the model sends missing values down all branches of a split,
    a row with such a value satisfies none: it belongs to several in part.

    \b
    treecli rules iris.json
    treecli rules iris.json -f csv -o rules.csv
    treecli rules iris.json -f json | jq '.rules | sort_by(-.confidence) | .[0]'
    """
    model = read_model(model_path)
    write_whole(output or STREAM, (piece.encode() for piece in FORMATS[rule_format](model)))
