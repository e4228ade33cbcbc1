"""Trees as JSON."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given

from tests.example_models import every_kind, models, playtennis, regression
from treecli.model import TreeModel
from treecli.renderers import View
from treecli.renderers.json import render


def shown(model: TreeModel, view: View | None = None) -> dict[str, Any]:
    document: dict[str, Any] = json.loads("".join(render(model, view or View())))
    return document


def test_a_tree_is_a_flat_list_of_nodes_in_reading_order() -> None:
    document = shown(playtennis())
    assert {key: document[key] for key in document if key != "nodes"} == {
        "schema_version": 1,
        "kind": "tree",
        "target": "PlayTennis",
        "labels": ["No", "Yes"],
    }
    assert [node["id"] for node in document["nodes"]] == [0, 1, 4, 5, 2, 3, 6, 7]
    assert document["nodes"][1] == {
        "id": 1,
        "parent": 0,
        "depth": 1,
        "condition": {"attribute": "Outlook", "labels": ["Sunny"], "missing": False},
        "text": "Outlook = Sunny",
        "label": "No",
        "weight": 5.0,
        "errors": 2.0,
        "counts": [3.0, 2.0],
        "split": {"kind": "multiway", "attribute": "Humidity", "missing_to": None},
        "children": [4, 5],
    }


def test_a_node_names_the_child_that_takes_missing_values() -> None:
    by_id = {node["id"]: node for node in shown(every_kind())["nodes"]}
    assert by_id[2]["split"] == {
        "kind": "subset",
        "attribute": "colour",
        "groups": [["red", "blue"], ["green"]],
        "missing_to": 7,
    }


def test_a_numeric_target_has_values_and_deviances() -> None:
    document = shown(regression())
    assert "labels" not in document
    leaf = document["nodes"][-1]
    assert (leaf["id"], leaf["value"], leaf["weight"], leaf["deviance"]) == (5, 25.0, 0.0, 0.0)


def test_a_view_shows_a_part_and_counts_hidden_nodes() -> None:
    nodes = shown(playtennis(), View(depth=1))["nodes"]
    assert [(node["id"], node.get("n_hidden")) for node in nodes] == [(0, None), (1, 2), (2, None), (3, 2)]
    (root, *below) = shown(playtennis(), View(node=3))["nodes"]
    assert (root["id"], root["parent"], root["depth"]) == (3, None, 0)
    assert [(node["id"], node["parent"]) for node in below] == [(6, 3), (7, 3)]


@given(models())
def test_any_tree_is_shown_whole_with_one_line_a_node(model: TreeModel) -> None:
    text = "".join(render(model, View()))
    nodes = json.loads(text)["nodes"]
    assert text.count("\n") == len(nodes) + 2
    assert {node["id"]: node["children"] for node in nodes} == {
        index: list(model.tree.children(index)) for index in range(model.tree.n_nodes)
    }
