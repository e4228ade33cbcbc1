"""Rule lists as JSON: read back unchanged, and refused if damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

import treecli
from tests.example_models import every_kind, iris_like, playtennis, regression
from tests.rules.test_rule import any_models
from treecli.errors import ModelError
from treecli.files.whole import write_whole
from treecli.model import TreeModel
from treecli.models import decode, encode, read_model, read_tree
from treecli.rules.rulelist import RuleList, of_tree

VALIDATOR = Draft202012Validator(json.loads((Path(treecli.__file__).parent / "model.schema.json").read_text()))


def text_of(rules: RuleList) -> bytes:
    return b"".join(encode(rules))


@given(any_models())
def test_a_list_is_read_as_it_was_written(model: TreeModel) -> None:
    rules = of_tree(model)
    text = text_of(rules)
    assert decode(text, "r.json") == rules
    assert text_of(decode(text, "r.json")) == text


@given(any_models())
@settings(max_examples=25)
def test_a_file_follows_the_published_schema(model: TreeModel) -> None:
    assert list(VALIDATOR.iter_errors(json.loads(text_of(of_tree(model))))) == []


def test_votes_medians_and_rules_without_counts_are_kept() -> None:
    rules = of_tree(regression())
    medians = [replace(rule, takes_medians=True) for rule in (*rules.rules, rules.default)]
    changed = replace(rules, rules=tuple(medians[:-1]), default=medians[-1], votes=True)
    assert decode(text_of(changed), "r.json") == changed
    rules = of_tree(playtennis())
    uncounted = replace(
        rules.rules[0], outcomes=None, covered=None, correct=None, prior=None, stated_confidence=0.75, leaf=None
    )
    changed = replace(rules, rules=(uncounted, *rules.rules[1:]), outcomes=None)
    assert decode(text_of(changed), "r.json") == changed


def test_a_model_file_is_read_by_its_kind(tmp_path: Path) -> None:
    rules = of_tree(every_kind())
    path = str(tmp_path / "rules.json")
    write_whole(path, encode(rules))
    assert read_model(path) == rules
    with pytest.raises(ModelError, match=r"rules\.json: is a rule list, expected a tree"):
        read_tree(path)
    # Keys may stand in another order, as after jq -S.
    Path(path).write_text(json.dumps(json.loads(Path(path).read_text()), sort_keys=True, indent=1))
    assert read_model(path) == rules


Change = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(kind="tree"), "r.json: "),
        (lambda d: d.update(format_version=2), "r.json: "),
        (lambda d: d.update(extra=1), "r.json: "),
        (lambda d: d.update(decide="lot"), "r.json: "),
        (lambda d: d.update(target="x"), "r.json: the target 'x', but the schema has 'verdict'"),
        (lambda d: d["settings"].update(unseen="x"), "r.json: settings: unknown 'x' for 'unseen'"),
        (lambda d: d["default"].update(conditions=d["rules"][0]["conditions"]), "r.json: the default has conditions"),
        (
            lambda d: d["default"].update(label="nein"),
            "r.json: the default: the label 'nein', expected one of 'verdict'",
        ),
        (lambda d: d["rules"][1].update(label=None), "r.json: rule 2: the label 'None', expected one of 'verdict'"),
        (lambda d: d["rules"][1].update(covered=-1), "r.json: rule 2: 'covered' is -1.0, expected a number"),
        (lambda d: d["rules"][1].update(correct=99), "r.json: rule 2: 'covered' and 'correct' come together"),
        (lambda d: d["rules"][1].update(counts=[1]), "r.json: rule 2: needs 3 'counts', one for each label"),
        (lambda d: d["rules"][1].update(counts=[1, -1, 0]), "r.json: rule 2: 'counts' must be from 0 to 1e+50"),
        (lambda d: d["rules"][1].update(counts=[9, 0, 0]), "r.json: rule 2: 'covered' is 3, but 'counts' is 9 in all"),
        (lambda d: d["rules"][1].update(prior=2), "r.json: rule 2: 'prior' is 2.0, expected a number from 0 to 1"),
        (lambda d: d["rules"][1].update(leaf="a"), "r.json: rule 2: Expected `int | null`, got `str` - at `leaf`"),
        (lambda d: d["rules"][1].update(mean=1), "r.json: rule 2: needs 3 'counts'"),
        (lambda d: d["rules"][0]["conditions"][0].update(attribute="sise"), "r.json: rule 1: asks about 'sise'"),
        (lambda d: d["rules"][0]["conditions"][0].update(at_most="big"), "r.json: rule 1: the bound 'big' of 'size'"),
        (lambda d: d["rules"][0]["conditions"][1].update(at_most=1), "r.json: rule 1: the bound 1.0 of 'grade'"),
        (lambda d: d["rules"][0]["conditions"][1].update(at_most="midd"), "r.json: rule 1: 'midd' is not a label"),
        (lambda d: d["rules"][0]["conditions"][0].update(above=3), "r.json: rule 1: no value satisfies the condition"),
        (lambda d: d["rules"][0]["conditions"][0].update(labels=[]), "r.json: rule 1: 'size' has 'labels' that do not"),
        (
            lambda d: d["rules"][0]["conditions"][0].update(unseen=True),
            "r.json: rule 1: 'size' is numeric",
        ),
        (
            lambda d: d["rules"][0]["conditions"][2].pop("labels"),
            "r.json: rule 1: 'shape' is nominal and",
        ),
        (
            lambda d: d["rules"][0]["conditions"].append(d["rules"][0]["conditions"][0]),
            "r.json: rule 1: two conditions on 'size', expected one",
        ),
    ],
)
def test_a_damaged_file_is_refused_with_its_place(change: Change, message: str) -> None:
    document = json.loads(text_of(of_tree(every_kind())))
    change(document)
    with pytest.raises(ModelError) as caught:
        decode(json.dumps(document).encode(), "r.json")
    assert caught.value.message.startswith(message)
    assert caught.value.exit_code == 4


@pytest.mark.parametrize("text", [text_of(of_tree(iris_like()))[:-20], b"{", b'{"a": ' * 5000])
def test_invalid_json_is_refused(text: bytes) -> None:
    with pytest.raises(ModelError, match=r"^r\.json: "):
        decode(text, "r.json")
