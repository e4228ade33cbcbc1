"""Trees as text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given

from tests.example_models import (
    PLAYTENNIS,
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
from treecli.renderers import View
from treecli.renderers.text import CLASS_COLORS, DEEPEST_DRAWN, FAINT, RESET, amount, render
from treecli.splits import known, multiway


def shown(model: TreeModel, view: View | None = None) -> list[str]:
    return "".join(render(model, view or View())).splitlines()


def test_playtennis_is_shown_as_in_the_textbook() -> None:
    assert shown(playtennis()) == [
        "Outlook = Sunny",
        "|   Humidity = High: No (3.0)",
        "|   Humidity = Normal: Yes (2.0)",
        "Outlook = Overcast: Yes (4.0)",
        "Outlook = Rain",
        "|   Wind = Weak: Yes (3.0)",
        "|   Wind = Strong: No (2.0)",
    ]


def test_iris_is_shown_as_weka_shows_it() -> None:
    # Weka 3.6.14, J48 -C 0.25 -M 2, iris.arff.
    assert shown(iris_like()) == [
        "petalwidth <= 0.6: Iris-setosa (50.0)",
        "petalwidth > 0.6",
        "|   petalwidth <= 1.7",
        "|   |   petallength <= 4.9: Iris-versicolor (48.0/1.0)",
        "|   |   petallength > 4.9",
        "|   |   |   petalwidth <= 1.5: Iris-virginica (3.0)",
        "|   |   |   petalwidth > 1.5: Iris-versicolor (3.0/1.0)",
        "|   petalwidth > 1.7: Iris-virginica (46.0/1.0)",
    ]


@pytest.mark.parametrize("build", [every_kind, regression])
def test_other_trees_look_as_they_did(build: Callable[[], TreeModel], golden: Callable[[str, str], None]) -> None:
    plain = "".join(render(build(), View()))
    detailed = "".join(render(build(), View(has_ids=True, has_counts=True)))
    golden(f"show/{build.__name__}", f"{plain}\n{detailed}")


def test_a_tree_without_a_test_is_one_line() -> None:
    assert shown(single_leaf()) == [": Yes (14.0/5.0)"]
    assert shown(single_leaf(), View(has_ids=True)) == ["0  all cases: Yes (14.0/5.0)"]


def test_node_numbers_begin_the_lines_and_class_counts_end_them() -> None:
    assert shown(playtennis(), View(has_ids=True, has_counts=True))[:3] == [
        "0  all cases  {No: 5.0, Yes: 9.0}",
        "1  Outlook = Sunny  {No: 3.0, Yes: 2.0}",
        "4  |   Humidity = High: No (3.0)  {No: 3.0}",
    ]


def test_node_numbers_are_as_wide_as_the_largest() -> None:
    lines = shown(every_kind(), View(has_ids=True))
    assert {line[:4] for line in lines} == {f"{node:>2}  " for node in range(15)}


def test_hidden_nodes_are_counted_with_their_prediction() -> None:
    assert shown(playtennis(), View(depth=1)) == [
        "Outlook = Sunny: No (5.0/2.0) … 2 nodes",
        "Outlook = Overcast: Yes (4.0)",
        "Outlook = Rain: Yes (5.0/2.0) … 2 nodes",
    ]
    assert shown(playtennis(), View(depth=0)) == [": Yes (14.0/5.0) … 7 nodes"]
    assert shown(playtennis(), View(depth=2)) == shown(playtennis())


def test_one_hidden_node_is_not_called_nodes() -> None:
    schema = Schema((Attribute("x", "numeric"),), PLAYTENNIS.target)
    assert shown(model_of(schema, Inner(known.Split(0), ((1.0, 2.0),))), View(depth=0)) == [": Yes (3.0/1.0) … 1 node"]


def test_a_subtree_is_headed_by_its_path() -> None:
    assert shown(playtennis(), View(node=3)) == [
        "Outlook = Rain",
        "Wind = Weak: Yes (3.0)",
        "Wind = Strong: No (2.0)",
    ]
    assert shown(iris_like(), View(node=6))[0] == "0.6 < petalwidth <= 1.7 AND petallength > 4.9"
    assert shown(playtennis(), View(node=2)) == ["Outlook = Overcast: Yes (4.0)"]


@pytest.mark.parametrize(
    ("weight", "text"),
    [(40.0, "40.0"), (2.5, "2.5"), (1.234, "1.23"), (0.999, "1.0"), (0.001, "0.0"), (123456.75, "123456.75")],
)
def test_a_weight_has_one_decimal_or_two(weight: float, text: str) -> None:
    assert amount(weight) == text


def test_errors_that_come_from_rounding_alone_are_not_shown() -> None:
    assert shown(model_of(PLAYTENNIS, (0.1 + 0.2 - 0.3, 9.0))) == [": Yes (9.0)"]


def test_below_a_hundred_bars_their_number_takes_their_place() -> None:
    lines = shown(chain(DEEPEST_DRAWN + 3))
    assert lines[2 * DEEPEST_DRAWN] == "|   " * DEEPEST_DRAWN + "x <= 101: a (1.0)"
    assert lines[2 * DEEPEST_DRAWN + 2] == "|*101  x <= 102: b (1.0)"


def test_bars_are_faint_and_each_class_has_its_colour() -> None:
    line = shown(playtennis(), View(is_colored=True))[1]
    assert line == f"{FAINT}|   {RESET}Humidity = High: {CLASS_COLORS[0]}No{RESET} (3.0)"


def test_names_and_labels_that_could_be_misread_are_quoted() -> None:
    schema = Schema(
        (Attribute("is it: so?", "nominal", ("a\nb", "(c)")),), Attribute("y", "nominal", ("ja, ja", "日本"))
    )
    model = model_of(schema, Inner(multiway.Split(0, 2), ((1.0, 0.0), (0.0, 1.0))))
    assert shown(model) == [
        '"is it: so?" = "a\\u{a}b": "ja, ja" (1.0)',
        '"is it: so?" = "(c)": 日本 (1.0)',
    ]


@given(models())
def test_every_node_but_the_root_has_one_line(model: TreeModel) -> None:
    lines = shown(model, View(has_ids=True))
    assert [int(line.split()[0]) for line in lines] == list(model.tree.in_reading_order())


WITH_PLACES = 1_000_000
"""A depth that cuts nothing off; a view with a depth is rendered place by place."""


@pytest.mark.parametrize("is_colored", [False, True])
@given(model=models())
def test_a_whole_tree_is_shown_as_a_tree_of_limited_depth(is_colored: bool, model: TreeModel) -> None:
    for node in {0, model.tree.n_nodes // 2, model.tree.n_nodes - 1}:
        by_place = View(node, WITH_PLACES, is_colored=is_colored)
        assert shown(model, View(node, is_colored=is_colored)) == shown(model, by_place)


@pytest.mark.parametrize("build", [iris_like, regression, every_kind, lambda: chain(2 * DEEPEST_DRAWN)])
def test_a_large_tree_is_shown_as_a_tree_of_limited_depth(build: Callable[[], TreeModel]) -> None:
    assert shown(build()) == shown(build(), View(depth=WITH_PLACES))
