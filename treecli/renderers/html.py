"""A tree as one web page to walk about in, which needs nothing but itself.

The page's own sources are in `_page`. Names and labels are never part of the markup: they are data in a script element
that the browser does not run, and the page's script puts them on the screen as text.
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import msgspec

from treecli import __version__
from treecli.conditions import quoted
from treecli.flow import Flow, Test, Values, flow_of
from treecli.model import Model
from treecli.renderers import Place, View, places
from treecli.report import readable
from treecli.rulelists.ruletext import rule_lines
from treecli.rules import conditions_at, from_tree, wording
from treecli.tree import WEIGHT, predicted_values, typical_error

SOURCES = os.path.join(os.path.dirname(__file__), "_page")
SCRIPTS = ("words.js", "tree.js", "route.js", "rows.js", "draw.js", "move.js", "panel.js", "page.js")
"""Read as one script, in this order."""

POLICY, STYLE, DATA, SCRIPT = "{policy}", "/* style */", "/* data */", "/* script */"
"""What page.html has in place of what is put there."""

ESCAPES = {sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
"""Signs that could end a script element, or a line of one; in JSON they occur only within strings."""

MISSING, UNSEEN, NO_NUMBER = 1, 2, 4
"""What else a set of values holds, or doesn't: flags that route.js knows too."""


def render(model: Model, view: View) -> Iterator[str]:
    """The page."""
    style, script = _source("page.css"), "{\n" + "".join(map(_source, SCRIPTS)) + "}\n"
    # Only what bears these very digests runs or counts as style, so not even a slip in the script can let data do so.
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    before_style, _, rest = _source("page.html").replace(POLICY, policy).partition(STYLE)
    before_data, _, rest = rest.partition(DATA)
    before_script, _, end = rest.partition(SCRIPT)
    yield before_style + style + before_data
    for piece in _data(model, view):
        for sign, escape in ESCAPES.items():
            piece = piece.replace(sign, escape)
        yield piece
    yield before_script + script + end


def _source(name: str) -> str:
    with open(os.path.join(SOURCES, name), encoding="utf-8") as file:
        return file.read()


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _data(model: Model, view: View) -> Iterator[str]:
    """All that the page's script is told, as JSON: the model, then its nodes in reading order, a line each."""
    encode = msgspec.json.Encoder().encode
    flow, schema = flow_of(model), model.schema
    attributes = [
        {"name": attribute.name, "text": quoted(attribute.name)}
        | ({} if attribute.is_numeric else {"labels": attribute.labels})
        for attribute in schema.attributes
    ]
    head: dict[str, Any] = {
        "program": f"treecli {__version__}",
        "source": next((step["data"] for step in model.lineage if isinstance(step.get("data"), str)), None),
        "attributes": attributes,
        "target": schema.target.name,
        "labels": schema.target.labels if schema.is_classification else None,
        "error": "mean absolute error" if model.takes_medians else "root mean squared error",
        "middle": "median" if model.takes_medians else "mean",
        "costs": flow.costs,
        "refused": flow.refused,
        "heading": wording(conditions_at(model, view.node), schema) if view.node else "",
    }
    yield encode(head).decode().removesuffix("}") + ',"nodes":['
    rules = list(from_tree(model))
    rule_of = dict(zip((rule.leaf for rule in rules), rule_lines(rules, schema, readable), strict=True))
    values = None if schema.is_classification else predicted_values(model.tree)
    separator = "\n"
    for place in places(model, view):
        record = _record(place, flow, model.takes_medians)
        record["label" if values is None else "value"] = (flow.label if values is None else values)[place.node.index]
        rule = rule_of.get(place.node.index)
        if rule and not place.n_hidden:
            record["rule"] = rule.removesuffix("\n")
        yield separator + encode(record).decode()
        separator = ",\n"
    yield "\n]}"


def _record(place: Place, flow: Flow, takes_medians: bool) -> dict[str, Any]:
    """What the page knows of a node: what leads to it, its cases and, unless the view ends there, its ways on."""
    node, schema = place.node, place.node.schema
    record: dict[str, Any] = {"id": node.index}
    if place.condition is not None:
        record["parent"] = place.parent
        record["text"] = place.condition.wording(schema.attributes[place.condition.attribute])
    if schema.is_classification:
        record["counts"] = [_short(count) for count in node.outcomes]
    else:
        record["weight"] = _short(node.outcomes[WEIGHT])
        if node.weight:
            record["error"] = typical_error(node.outcomes, takes_medians=takes_medians)
    ways = () if place.n_hidden else flow.ways[node.index]
    if place.n_hidden:
        record["n_hidden"] = place.n_hidden
    if not node.is_leaf:
        record["asks"] = node.split.attribute
    if ways:
        record["ways"] = [
            [_test(way.test), way.child, way.share] if node.index in flow.spreads else [_test(way.test), way.child]
            for way in ways
        ]
        if node.index in flow.spreads:
            record["spreads"] = _test(flow.spreads[node.index])
    if not ways or any(way.child == node.index for way in ways):
        record["says"] = [_short(share) for share in flow.said[node.index]]
    return record


def _test(test: Test) -> list[list[list[Any]]]:
    return [[_values(values) for values in member] for member in test]


def _values(values: Values) -> list[Any]:
    """An attribute, then its bounds (null: none) or the codes of labels, then flags."""
    flags = MISSING * values.missing | UNSEEN * values.unseen
    if values.codes is not None:
        return [values.attribute, values.codes, flags]
    # JSON has no infinity: msgspec makes null of it.
    return [values.attribute, values.low, values.high, flags | NO_NUMBER * (not values.holds_known)]


def _short(number: float) -> float | int:
    """The number without a trailing `.0`, which a page of thousands of counts can do without."""
    return int(number) if number.is_integer() else number
