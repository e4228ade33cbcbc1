"""The tree as one self-contained, interactive web page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from treecli.data import Schema
from treecli.draw.charts import CHART_HEIGHT, CHART_WIDTH, Chart, chart_shapes, charts_of_tree
from treecli.draw.drawing import Words
from treecli.draw.pagedata import formula_data, heading, short, steps_data
from treecli.draw.roundnumbers import in_round_numbers
from treecli.draw.webpage import page
from treecli.leaves import Leaf, linear
from treecli.model import TreeModel
from treecli.models import program_of
from treecli.predict.leafmodels import leaf_models
from treecli.predict.program import Program
from treecli.renderers import Place, View, places
from treecli.rules.formulas import leaf_text
from treecli.rules.from_tree import conditions_at, from_tree
from treecli.rules.rule import wording
from treecli.rules.text import rule_lines
from treecli.tree import WEIGHT, predicted_values, typical_error
from treecli.wording import readable

SCRIPTS = ("fit.js", "tree.js", "route.js", "draw.js", "move.js", "panel.js", "page.js")
HAS_CHARTS = True


def render(model: TreeModel, view: View) -> Iterator[str]:
    """The page."""
    return page("tree", SCRIPTS, _data(model, view))


def _data(model: TreeModel, view: View) -> Iterator[str]:
    """The data of the page's script, as JSON: the model, then its nodes in reading order, one per line."""
    encode = msgspec.json.Encoder().encode
    program, schema = program_of(model), model.schema
    head: dict[str, Any] = heading(schema, model.lineage) | {
        "error": "mean absolute error" if model.takes_medians else "root mean squared error",
        "middle": "median" if model.takes_medians else "mean",
        "costs": program.costs,
        "refused": program.refused,
        "heading": wording(conditions_at(model, view.node), schema) if view.node else "",
    }
    charts = charts_of_tree(model) if view.has_details and view.charts is None else view.charts or {}
    if charts:
        head["chart"] = {"width": CHART_WIDTH, "height": CHART_HEIGHT}
    yield encode(head).decode().removesuffix("}") + ',"nodes":['
    rules = list(from_tree(model))
    rule_of = dict(zip((rule.leaf for rule in rules), rule_lines(rules, schema, readable), strict=True))
    values = None if schema.is_classification else predicted_values(model.tree)
    formulas = {node: _formula(leaf, schema) for node, leaf in leaf_models(model).items()}
    separator = "\n"
    for place in places(model, view):
        record = _record(place, program, model.takes_medians)
        record["label" if values is None else "value"] = (program.label if values is None else values)[place.node.index]
        if place.node.index in model.tree.forced:
            record["forced"] = True
        formula = formulas.get(place.node.index)
        if formula is not None:
            record["formula"] = formula
        if not place.n_hidden:
            record |= _drawn(charts, place.node.index)
        rule = rule_of.get(place.node.index)
        if rule and not place.n_hidden:
            record["rule"] = rule.removesuffix("\n")
        yield separator + encode(record).decode()
        separator = ",\n"
    yield "\n]}"


def _record(place: Place, program: Program, takes_medians: bool) -> dict[str, Any]:
    """The data of a node: its condition, its cases and, unless the view ends there, its branches."""
    node, schema = place.node, place.node.schema
    record: dict[str, Any] = {"id": node.index}
    if place.condition is not None:
        record["parent"] = place.parent
        attribute = schema.columns[place.condition.attribute]
        record["text"] = place.condition.wording(attribute)
        rounded = in_round_numbers(place.condition, attribute).wording(attribute)
        if rounded != record["text"]:
            record["short"] = rounded
    if schema.is_classification:
        record["counts"] = [short(count) for count in node.outcomes]
    else:
        record["weight"] = short(node.outcomes[WEIGHT])
        if node.weight:
            record["error"] = typical_error(node.outcomes, takes_medians=takes_medians)
    if not node.is_leaf:
        record["asks"] = node.split.attribute
    if place.n_hidden:
        return record | {"n_hidden": place.n_hidden, "says": [short(own) for own in program.prediction[node.index]]}
    return record | steps_data(program, node.index)


def _formula(leaf: Leaf, schema: Schema) -> dict[str, Any]:
    """The formula of a leaf model."""
    line = leaf.line if isinstance(leaf, linear.Leaf) else None
    return formula_data(leaf_text(leaf, schema, readable), leaf.expression(), line)


def _drawn(charts: Mapping[int, Chart], node: int) -> dict[str, Any]:
    """The chart of a node as boxes (x, y, width, height, fill, radius, opacity) and texts (x, y, text, anchor)."""
    if node not in charts:
        return {}
    boxes, words = [], []
    for shape in chart_shapes(charts[node], 0.0, 0.0, CHART_WIDTH):
        if isinstance(shape, Words):
            words.append([round(shape.x, 2), round(shape.y, 2), shape.text, shape.anchor])
        else:
            sizes = [round(size, 2) for size in (shape.x, shape.y, shape.width, shape.height)]
            boxes.append([*sizes, shape.fill, shape.radius, shape.opacity])
    return {"boxes": boxes, "words": words}
