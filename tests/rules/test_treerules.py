"""The lines of a tree's rules are those of its Rule objects."""

from __future__ import annotations

import random
from math import inf, nextafter

import pytest
from hypothesis import given

from tests.example_models import (
    Inner,
    chain,
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
from treecli.rules.from_tree import from_tree
from treecli.rules.text import rule_lines
from treecli.rules.treerules import LINES_AT_ONCE, TreeRules, _asks_for_numbers_only
from treecli.splits import threshold
from treecli.wording import number_text, readable

NUMBERS = (Attribute("width", "numeric"), Attribute("is known", "numeric"), Attribute("x > 1", "numeric"))
CLASSES = Schema(NUMBERS, Attribute("class", "nominal", ("a", "b", "or missing")))
AMOUNT = Schema(NUMBERS, Attribute("amount", "numeric"))
BOUNDS = (-1.0, 0.1, 0.5, nextafter(0.5, inf), nextafter(0.5, -inf), 1 / 3, 2.4499999999999997, 5.0, 1e300)


def random_tree(source: random.Random, schema: Schema, depth: int) -> Inner | tuple[float, ...]:
    """Thresholds that may contradict or repeat those above them, and leaves with cases."""
    if depth == 0 or source.random() < 0.1:
        counts = [float(source.randint(1, 3)), float(source.randint(-5, 5)), float(source.randint(0, 2))]
        return tuple(map(abs, counts)) if schema.is_classification else tuple(counts)
    split = threshold.Split(source.randrange(len(NUMBERS)), source.choice(BOUNDS))
    return Inner(split, (random_tree(source, schema, depth - 1), random_tree(source, schema, depth - 1)), -1, 0.5)


def agrees(model: TreeModel) -> None:
    for number in (readable, number_text):
        lines = "".join(TreeRules(model).pieces(number))
        assert lines == "".join(rule_lines(from_tree(model), model.schema, number))


@pytest.mark.parametrize("schema", [CLASSES, AMOUNT])
@pytest.mark.parametrize("seed", range(5))
def test_thresholds_are_merged_and_worded_as_by_rules(schema: Schema, seed: int) -> None:
    model = model_of(schema, random_tree(random.Random(seed), schema, 7))
    assert _asks_for_numbers_only(model)
    agrees(model)


@pytest.mark.parametrize("build", [playtennis, iris_like, regression, every_kind, single_leaf])
def test_the_lines_of_any_tree_are_those_of_its_rules(build: type[TreeModel]) -> None:
    agrees(build())


@given(models())
def test_lines_agree_with_labels_missing_values_and_empty_leaves(model: TreeModel) -> None:
    agrees(model)


def test_rules_of_many_pieces_are_all_printed() -> None:
    agrees(chain(2 * LINES_AT_ONCE))
