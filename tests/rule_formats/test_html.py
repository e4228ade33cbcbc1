"""Rules as a web page: what is in the file. What the page does is tested in tests/browser."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Runner
from tests.example_models import every_kind, iris_like, playtennis, regression, single_leaf
from tests.renderers.hostile import NAMES, hostile
from tests.renderers.test_html import Parts, policy_of
from treecli.draw.palette import class_color
from treecli.model import Model, TreeModel
from treecli.models import write_model
from treecli.rule_formats import Page
from treecli.rule_formats.html import render
from treecli.rules.rulelist import of_tree
from treecli.rules.text import rule_lines
from treecli.wording import readable


def page_of(model: Model, *, is_plain: bool = False) -> str:
    rules = of_tree(model) if isinstance(model, TreeModel) else model
    return "".join(render(Page(rules, rules.rules, is_plain=is_plain)))


def data_of(model: Model, *, is_plain: bool = False) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(Parts(page_of(model, is_plain=is_plain)).text_of("script")[0])
    return data


def test_a_rule_has_its_conditions_what_it_predicts_and_how_well_that_fits() -> None:
    data = data_of(playtennis())
    # 3 of 3 cases, 5 of 14 of all: (3 + 1) / (3 + 2), and that over 5/14.
    assert data["rules"][0] == {
        "covered": 3.0,
        "label": 0,
        "correct": 3.0,
        "confidence": 0.8,
        "lift": pytest.approx(0.8 * 14 / 5),
        "counts": [3, 0],
        "text": "IF Outlook = Sunny AND Humidity = High THEN No (3/3, confidence 0.80, lift 2.24)",
        "says": [1.0, 0.0],
        "conditions": ["Outlook = Sunny", "Humidity = High"],
        "sets": [[0, [0], 0], [2, [0], 0]],
    }
    assert data["default"]["label"] == 1
    assert "covered" not in data["default"]
    assert data["colors"] == [class_color(0), class_color(1)]


def test_sentences_take_the_place_of_formulas() -> None:
    assert data_of(iris_like(), is_plain=True)["rules"][0]["conditions"] == ["petalwidth is at most 0.6"]


@pytest.mark.parametrize("model", [playtennis(), iris_like(), regression(), every_kind(), single_leaf(), hostile()])
def test_the_text_of_each_rule_is_what_treecli_rules_prints(model: TreeModel) -> None:
    lines = [line.rstrip("\n") for line in rule_lines(of_tree(model).rules, model.schema, readable)]
    assert [rule["text"] for rule in data_of(model)["rules"]] == lines


def test_rules_that_vote_are_written_too() -> None:
    assert data_of(replace(of_tree(playtennis()), votes=True))["votes"] is True


def test_only_what_bears_the_digests_of_the_policy_may_run_and_nothing_is_fetched() -> None:
    page = page_of(hostile())
    parts = Parts(page)
    found, expected = policy_of(parts)
    assert found == expected
    for tag, attributes in parts.elements:
        assert tag not in ("iframe", "object", "embed", "img", "base")
        assert not any(name.startswith("on") or name in ("src", "style", "action") for name in attributes), tag
        assert attributes.get("href", "data:,") == "data:,"
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|\bFunction\(", page)


def test_names_and_labels_never_become_markup() -> None:
    page = page_of(hostile())
    assert [tag for tag, _ in Parts(page).elements] == [tag for tag, _ in Parts(page_of(playtennis())).elements]
    assert NAMES[1] not in page
    assert data_of(hostile())["attributes"][0]["labels"] == list(NAMES)


def test_show_and_rules_write_the_same_page(treecli: Runner, tmp_path: Path) -> None:
    write_model(str(tmp_path / "model.json"), iris_like())
    assert treecli("rules", "model.json", "-o", "rules.txt").code == 0
    assert treecli("rules", "rules.txt", "-o", "rules.html").code == 0
    shown = treecli("show", "rules.txt", "-f", "html")
    assert shown.code == 0
    assert shown.out.startswith("<!DOCTYPE html>")
    assert (tmp_path / "rules.html").read_text(encoding="utf-8") == shown.out
