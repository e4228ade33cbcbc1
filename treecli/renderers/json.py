"""A tree as JSON for scripts: a flat list of nodes in reading order, one per line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from treecli.cli.report import SCHEMA_VERSION
from treecli.leaves import leaf_record
from treecli.model import TreeModel
from treecli.outcomes.rows import as_json
from treecli.renderers import Place, View, places
from treecli.tree import DEVIANCE, predicted_codes, predicted_values


def render(model: TreeModel, view: View) -> Iterator[str]:
    """One object; each of its `nodes` has its condition, its prediction and, unless it is a leaf, its split."""
    schema = model.schema
    encode = msgspec.json.Encoder().encode
    predicted: list[Any]
    if schema.is_classification:
        predicted = [schema.target.labels[code] for code in predicted_codes(model.tree)]
    else:
        predicted = predicted_values(model.tree)
    head = {"schema_version": SCHEMA_VERSION, "kind": "tree", "target": schema.target.name}
    if schema.is_classification:
        head["labels"] = list(schema.target.labels)
    yield encode(head).decode().removesuffix("}") + ',"nodes":['
    separator = "\n"
    for place in places(model, view):
        yield separator + encode(_record(place, predicted[place.node.index], model.takes_medians)).decode()
        separator = ",\n"
    yield "\n]}\n"


def _record(place: Place, predicted: Any, takes_medians: bool) -> dict[str, Any]:
    node, condition, schema = place.node, place.condition, place.node.schema
    if condition is None:
        leads, text = None, None
    else:
        attribute = schema.columns[condition.attribute]
        leads, text = condition.to_json(attribute), condition.wording(attribute)
    record: dict[str, Any] = {
        "id": node.index,
        "parent": place.parent,
        "depth": place.depth,
        "condition": leads,
        "text": text,
    }
    if schema.is_classification:
        record["label"] = predicted
        if node.index in node.tree.forced:
            record["forced"] = True
        record["weight"] = node.weight
        record["errors"] = node.errors
        record["counts"] = as_json(node.outcomes, schema.target.labels)
    else:
        own = node.tree.leaf_models.get(node.index)
        record["value"] = predicted if own is None else None
        if own is not None:
            record["model"] = leaf_record(own, schema.attributes) | {"text": own.wording(schema.attributes)}
        record["weight"] = node.weight
        record["deviation" if takes_medians else "deviance"] = node.outcomes[DEVIANCE]
    children = node.tree.children(node.index)
    if children:
        split = node.split
        asked: dict[str, Any] = {"kind": split.KIND, "attribute": schema.columns[split.attribute].name}
        missing_to = node.tree.missing_to[node.index]
        surrogates = node.tree.surrogates.get(node.index, ())
        if surrogates:
            record["surrogates"] = [surrogate.to_json(schema) for surrogate in surrogates]
        for name in ("competitors", "ties"):
            if name in node.tree.notes.get(node.index, {}):
                record[name] = node.tree.notes[node.index][name]
        record["split"] = (
            asked | split.to_json(schema) | {"missing_to": None if missing_to < 0 else children[missing_to]}
        )
    record["children"] = list(children)
    if place.n_hidden:
        record["n_hidden"] = place.n_hidden
    return record
