"""Trees as a web page: what is in the file. What the page does is tested in tests/browser."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given

from tests.example_models import (
    Inner,
    every_kind,
    iris_like,
    model_of,
    models,
    playtennis,
    regression,
    single_leaf,
)
from treecli.data import Attribute, Schema
from treecli.model import TreeModel
from treecli.renderers import View
from treecli.renderers.html import render
from treecli.rules.from_tree import from_tree
from treecli.rules.text import rule_lines
from treecli.settings import Settings
from treecli.splits import threshold
from treecli.tree import STAYS
from treecli.wording import readable

ATTACK = "</script><script>alert(1)</script>"


class Parts(HTMLParser):
    """The elements of a page with their attributes, and the text of its style and scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes)))
        self.texts.append((tag, ""))

    def handle_data(self, data: str) -> None:
        if self.texts:
            tag, text = self.texts[-1]
            self.texts[-1] = (tag, text + data)

    def handle_endtag(self, tag: str) -> None:
        self.texts.append(("", ""))

    def text_of(self, tag: str) -> list[str]:
        return [text for name, text in self.texts if name == tag]


def page_of(model: TreeModel, view: View | None = None) -> str:
    return "".join(render(model, view or View()))


def data_of(model: TreeModel, view: View | None = None) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(Parts(page_of(model, view)).text_of("script")[0])
    return data


def hostile() -> TreeModel:
    """The lecture's tree with names and labels that try to be more than that."""
    known = playtennis()
    first, *others = known.schema.attributes
    schema = Schema(
        (Attribute(ATTACK, "nominal", ("</title>&amp;", "<img src=x onerror=alert(1)>", "\u2028\u2029")), *others),
        Attribute("<b>\u202eyalp", "nominal", ("<!--", "\"'")),
    )
    assert len(first.labels) == len(schema.attributes[0].labels)
    return TreeModel(schema, known.settings, known.lineage, known.tree)


def policy_of(parts: Parts) -> tuple[str | None, str]:
    """The policy of a page, and the policy that its style and script require."""
    (policy,) = (
        attributes["content"] for tag, attributes in parts.elements if attributes.get("http-equiv") is not None
    )
    (style,) = parts.text_of("style")
    _, script = parts.text_of("script")

    def digest(text: str) -> str:
        return "'sha256-" + b64encode(sha256(text.encode()).digest()).decode() + "'"

    return policy, (
        f"default-src 'none'; script-src {digest(script)}; style-src {digest(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def test_only_scripts_with_the_digests_of_the_policy_may_run() -> None:
    found, expected = policy_of(Parts(page_of(playtennis())))
    assert found == expected


def test_nothing_in_the_page_names_another_file_or_has_a_handler_in_its_markup() -> None:
    page = page_of(playtennis())
    for tag, attributes in Parts(page).elements:
        assert tag not in ("iframe", "object", "embed", "img", "base")
        assert not any(name.startswith("on") or name in ("src", "style", "action") for name in attributes), tag
        assert attributes.get("href", "data:,") == "data:,"
    addresses = set(re.findall(r"\w+://[^\"'\s]+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, which nobody fetches
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|\bFunction\(", page)


def test_names_and_labels_never_become_markup() -> None:
    model = hostile()
    page = page_of(model)
    tags = [tag for tag, _ in Parts(page).elements]
    assert tags == [tag for tag, _ in Parts(page_of(playtennis())).elements]
    assert ATTACK not in page
    data = data_of(model)
    assert [attribute["name"] for attribute in data["attributes"]] == [a.name for a in model.schema.attributes]
    assert data["attributes"][0]["labels"] == list(model.schema.attributes[0].labels)
    assert (data["target"], data["labels"]) == ("<b>\u202eyalp", ["<!--", "\"'"])


@given(models())
def test_the_data_of_any_model_is_json_without_a_sign_that_ends_a_script(model: TreeModel) -> None:
    page = page_of(model)
    begin = page.index('<script id="data" type="application/json">') + len('<script id="data" type="application/json">')
    data = page[begin : page.index("</script>", begin)]
    assert not set("<>&\u2028\u2029") & set(data)
    assert [node["id"] for node in json.loads(data)["nodes"]] == list(model.tree.in_reading_order())


def test_a_node_has_its_condition_its_cases_and_its_branches() -> None:
    nodes = {node["id"]: node for node in data_of(playtennis())["nodes"]}
    # A missing value goes on by the branches' shares of the five cases: 3 and 2.
    assert nodes[1] == {
        "id": 1,
        "parent": 0,
        "text": "Outlook = Sunny",
        "counts": [3, 2],
        "label": 0,
        "asks": 2,
        "ways": [[[[[2, [0], 0]]], 4, 0.6], [[[[2, [1], 0]]], 5, 0.4]],
        "spreads": [[[2, [], 3]]],
    }
    assert nodes[4] == {
        "id": 4,
        "parent": 1,
        "text": "Humidity = High",
        "counts": [3, 0],
        "label": 0,
        "says": [1, 0],
        "rule": "IF Outlook = Sunny AND Humidity = High THEN No (3/3, confidence 0.80, lift 2.24)",
    }


def test_a_threshold_is_exact_and_a_side_without_a_bound_is_null() -> None:
    root = data_of(iris_like())["nodes"][0]
    below, above = root["ways"]
    assert below[0] == [[[3, None, 0.6, 0]]]
    assert above[0] == [[[3, 0.6, None, 0]]]


def test_a_long_threshold_has_a_short_caption_beside_its_exact_text() -> None:
    schema = Schema((Attribute("x", "numeric"),), Attribute("class", "nominal", ("no", "yes")))
    model = model_of(schema, Inner(threshold.Split(0, 1.5750000000000002), ((1.0, 0.0), (0.0, 1.0))))
    _, below, _ = data_of(model)["nodes"]
    assert (below["text"], below["short"]) == ("x <= 1.5750000000000002", "x <= 1.575")


def test_charts_are_drawn_at_inner_nodes_where_details_are_asked_for() -> None:
    assert "chart" not in data_of(playtennis())
    data = data_of(playtennis(), View(has_details=True))
    assert data["chart"] == {"width": 150.0, "height": 61.0}
    assert [bool(node.get("boxes")) for node in data["nodes"]] == ["asks" in node for node in data["nodes"]]


def test_a_numeric_target_has_values_and_errors() -> None:
    data = data_of(regression())
    assert (data["labels"], data["error"], data["middle"]) == (None, "root mean squared error", "mean")
    nodes = {node["id"]: node for node in data["nodes"]}
    assert (nodes[1]["value"], nodes[1]["weight"], nodes[1]["error"]) == (12.0, 2, 2.0)  # 10 and 14
    assert nodes[5]["value"] == 25.0
    assert "error" not in nodes[5]  # no case came here


@pytest.mark.parametrize("model", [playtennis(), iris_like(), regression(), every_kind(), single_leaf()])
def test_every_rule_of_treecli_rules_is_at_its_node(model: TreeModel) -> None:
    rules = list(from_tree(model))
    expected = {
        rule.leaf: line.rstrip("\n")
        for rule, line in zip(rules, rule_lines(rules, model.schema, readable), strict=True)
    }
    assert {node["id"]: node["rule"] for node in data_of(model)["nodes"] if "rule" in node} == expected


def test_a_part_of_the_tree_shows_its_path_and_hidden_nodes() -> None:
    data = data_of(playtennis(), View(node=1, depth=0))
    assert data["heading"] == "Outlook = Sunny"
    (node,) = data["nodes"]
    assert (node["n_hidden"], node["says"]) == (2, [0.6, 0.4])
    assert "ways" not in node
    assert "parent" not in node


def test_rows_that_stay_at_a_node_get_its_prediction() -> None:
    known = playtennis()
    tree = playtennis().tree
    tree.missing_to[1] = STAYS
    nodes = {node["id"]: node for node in data_of(TreeModel(known.schema, Settings(), (), tree))["nodes"]}
    assert nodes[1]["ways"][-1] == [[[[2, [], 3]]], 1]
    assert nodes[1]["says"] == [0.6, 0.4]
    assert nodes[1]["rule"].startswith("IF Outlook = Sunny AND Humidity is missing THEN No")
