"""show -f svg, and what png draws too: the picture."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

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
from tests.renderers.hostile import NAMES, full, hostile
from treecli.data import Attribute, Schema
from treecli.draw.drawing import Bend, Box, Drawing, Words, text_width
from treecli.draw.palette import class_color
from treecli.model import TreeModel
from treecli.renderers import View, svg
from treecli.renderers._blocks import RADIUS
from treecli.renderers._picture import WIDEST_UPRIGHT, picture
from treecli.splits import subset, threshold
from treecli.wording import quoted

SVG = "{http://www.w3.org/2000/svg}"
WHOLE = View()

PICTURES = [
    playtennis(),
    iris_like(),
    regression(),
    every_kind(),
    single_leaf(),
    hostile(),
    full(6),
    full(7),
    chain(40),
]


def document(model: TreeModel, view: View = WHOLE) -> ElementTree.Element:
    return ElementTree.fromstring("".join(svg.render(model, view)))


def words(model: TreeModel, view: View = WHOLE) -> list[str]:
    return [element.text or "" for element in document(model, view).iter(f"{SVG}text")]


def titles(model: TreeModel) -> list[str]:
    return [element.text or "" for element in document(model).iter(f"{SVG}title")]


def cards(drawing: Drawing) -> list[Box]:
    """The boxes of the nodes."""
    boxes = [shape for group in drawing.groups for shape in group.shapes if isinstance(shape, Box)]
    return [box for box in boxes if box.radius == RADIUS and box.stroke is None]


def test_the_cards_of_playtennis_show_tests_and_predictions() -> None:
    assert words(playtennis()) == [
        *("PlayTennis", "No", "Yes"),
        *("Outlook?", "14 cases, 64 % Yes"),
        *("= Sunny", "Humidity?", "5 cases, 60 % No"),
        *("= High", "No", "3 cases, 100 %"),
        *("= Normal", "Yes", "2 cases, 100 %"),
        *("= Overcast", "Yes", "4 cases, 100 %"),
        *("= Rain", "Wind?", "5 cases, 60 % Yes"),
        *("= Weak", "Yes", "3 cases, 100 %"),
        *("= Strong", "No", "2 cases, 100 %"),
    ]


def test_numbers_come_with_their_error_and_lie_on_a_scale() -> None:
    text = words(regression())
    # The scale goes from the lowest prediction to the highest; the empty leaf says what its parent says.
    assert text[:3] == ["price", "12", "30"]
    assert text[3:] == [
        *("area?", "6 cases, mean 20.67"),
        *("<= 60", "12", "2 cases, rmse 2"),
        *("> 60", "district?", "4 cases, mean 25"),
        *("= old town", "20", "2 cases, rmse 0"),
        *("= harbour", "30", "2 cases, rmse 3"),
        *("= hills", "25", "no cases"),
    ]


def test_a_part_of_the_tree_is_drawn_with_its_path_and_hidden_nodes() -> None:
    text = words(playtennis(), View(node=3, has_ids=True, has_counts=True))
    assert text[3:7] == ["Wind?", "where Outlook = Rain", "#3: 5 cases, 60 % Yes", "No: 2, Yes: 3"]
    assert words(playtennis(), View(depth=1))[5:9] == ["= Sunny", "No", "5 cases, 60 %", "… 2 nodes below"]


def test_a_share_that_is_not_all_never_looks_so() -> None:
    text = words(iris_like())
    assert "48 cases, 98 %" in text
    assert "54 cases, 91 % Iris-versicolor" in text


def test_bars_are_as_long_as_the_classes_are_frequent() -> None:
    (group,) = [group for group in picture(playtennis(), WHOLE).groups if group.title.startswith("Outlook?")]
    bars = [
        shape for shape in group.shapes if isinstance(shape, Box) and shape.fill in (class_color(0), class_color(1))
    ]
    assert [bar.width / sum(bar.width for bar in bars) for bar in bars] == pytest.approx([5 / 14, 9 / 14])


def test_lines_are_as_wide_as_there_are_cases() -> None:
    bends = [
        shape for group in picture(playtennis(), WHOLE).groups for shape in group.shapes if isinstance(shape, Bend)
    ]
    # From 1 for none to 9 for all 14: 1 + 8 * n / 14.
    assert [bend.width for bend in bends] == pytest.approx([1 + 8 * n / 14 for n in (5, 3, 2, 4, 5, 3, 2)])


@pytest.mark.parametrize("model", PICTURES, ids=lambda model: f"{model.tree.n_nodes} nodes")
def test_cards_lie_apart_and_inside_the_picture(model: TreeModel) -> None:
    drawing = picture(model, WHOLE)
    boxes = cards(drawing)
    assert len(boxes) == model.tree.n_nodes
    for one, two in combinations(boxes, 2):
        assert (
            one.x + one.width < two.x
            or two.x + two.width < one.x
            or one.y + one.height < two.y
            or two.y + two.height < one.y
        )
    for box in boxes:
        assert 0 < box.x < box.x + box.width < drawing.width
        assert 0 < box.y < box.y + box.height < drawing.height


@pytest.mark.parametrize("model", PICTURES, ids=lambda model: f"{model.tree.n_nodes} nodes")
def test_words_stay_inside_the_picture_and_those_of_a_card_inside_the_card(model: TreeModel) -> None:
    drawing = picture(model, WHOLE)
    for group in drawing.groups:
        box = next((shape for shape in group.shapes if isinstance(shape, Box) and shape.radius == RADIUS), None)
        for shape in group.shapes:
            if not isinstance(shape, Words):
                continue
            width = text_width(shape.text, shape.size, is_bold=shape.is_bold)
            left = shape.x - (width / 2 if shape.anchor == "middle" else 0)
            assert 0 <= left < left + width <= drawing.width
            if box is not None and shape.anchor == "start":
                assert box.x < left < left + width < box.x + box.width
                assert box.y < shape.y < box.y + box.height


def test_a_small_tree_grows_down_and_a_large_one_to_the_right() -> None:
    small, large = picture(playtennis(), WHOLE), picture(full(7), WHOLE)
    assert small.width < WIDEST_UPRIGHT
    assert len({box.y for box in cards(small)}) == 3
    # 128 leaves below each other, 8 levels beside each other.
    assert large.width < large.height
    assert len({box.x for box in cards(large)}) == 8


def test_names_that_are_cut_are_whole_in_the_title() -> None:
    longest = quoted(NAMES[-1])
    assert longest not in words(hostile())
    assert f"first = {longest}\n{longest}?" in "\n".join(titles(hostile()))


def test_hostile_names_are_only_words() -> None:
    assert {element.tag.removeprefix(SVG) for element in document(hostile()).iter()} == {
        *("svg", "title", "style", "g", "rect", "text", "path"),
    }
    said = "\n".join(titles(hostile()))
    assert all(quoted(name) in said for name in NAMES)
    assert all(character.isprintable() or character == "\n" for character in said)


def test_no_element_carries_anything_but_numbers_and_colours_of_ours() -> None:
    for element in document(hostile()).iter():
        for name, value in element.attrib.items():
            assert name not in {"href", "style", "id"}
            assert "DROP" not in value


def test_the_picture_has_colours_for_light_and_dark() -> None:
    (style,) = document(playtennis()).iter(f"{SVG}style")
    assert style.text is not None
    light, dark = style.text.split("@media (prefers-color-scheme: dark)")
    assert ".paper { fill: #ffffff }" in light
    assert ".paper { fill: #0d1117 }" in dark


def test_a_class_without_cases_and_an_empty_leaf_have_no_bar() -> None:
    group = next(group for group in picture(every_kind(), WHOLE).groups if group.title.endswith("no cases"))
    assert [shape.fill for shape in group.shapes if isinstance(shape, Box)][-1] == "line"


@settings(max_examples=40)
@given(models())
def test_every_model_makes_a_well_formed_picture(model: TreeModel) -> None:
    found = document(model)
    assert float(found.attrib["width"]) > 0
    assert len(list(found.iter(f"{SVG}g"))) >= model.tree.n_nodes


def test_the_picture_in_the_documentation_is_up_to_date() -> None:
    path = Path(__file__).parents[2] / "docs" / "playtennis.svg"
    assert path.read_text(encoding="utf-8") == "".join(svg.render(playtennis(), WHOLE)), "rewrite it with show -f svg"


def bends_of(drawing: Drawing) -> list[Bend]:
    return [shape for group in drawing.groups for shape in group.shapes if isinstance(shape, Bend)]


@pytest.mark.parametrize("has_details", [False, True], ids=["plain", "details"])
@pytest.mark.parametrize("model", [*PICTURES[:6], full(5), chain(20)], ids=lambda model: f"{model.tree.n_nodes} nodes")
def test_no_line_runs_behind_a_card_or_the_words_of_another_branch(model: TreeModel, has_details: bool) -> None:
    drawing = picture(model, View(has_details=has_details))
    boxes = [shape for group in drawing.groups for shape in group.shapes if isinstance(shape, Box)]
    papers = [box for box in boxes if box.fill == "paper"]
    own = {id(bend): paper for bend, paper in zip(bends_of(drawing), papers, strict=True)}
    for bend in bends_of(drawing):
        for x, y in along(bend):
            for box in cards(drawing):
                assert not (box.x + 0.5 < x < box.x + box.width - 0.5 and box.y + 0.5 < y < box.y + box.height - 0.5)
            for paper in papers:
                is_behind = paper.x < x < paper.x + paper.width and paper.y < y < paper.y + paper.height
                assert not is_behind or paper is own[id(bend)]


def along(bend: Bend) -> list[tuple[float, float]]:
    """Points on a line, from its root to its tip."""
    (first, second), steps = bend.controls(), [step / 6 for step in range(7)]
    curve = [
        tuple(
            (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
            for a, b, c, d in zip(bend.start, first, second, bend.end, strict=True)
        )
        for t in steps
    ]
    straight = [
        ((1 - t) * a[0] + t * b[0], (1 - t) * a[1] + t * b[1])
        for a, b in ((bend.root, bend.start), (bend.end, bend.tip))
        for t in steps
    ]
    return [*straight, *((x, y) for x, y in curve)]


def test_labels_are_in_full_where_there_is_room() -> None:
    towns = tuple(
        f"{side} {place}" for side in ("North", "South", "Upper") for place in ("Harbour", "Bridge", "Church")
    )
    name = "the_town_where_the_customer_lived"
    schema = Schema((Attribute(name, "nominal", towns),), Attribute("risk", "nominal", ("high", "low")))
    split = subset.Split(0, (0, 1) * 4 + (0,))
    text = words(model_of(schema, Inner(split, ((3.0, 0.0), (0.0, 4.0)))))
    assert not any("…" in line for line in text)
    said = " ".join(text)
    assert f"{name}?" in said.replace("_ ", "_")
    assert "in {North Harbour, North Church, South Bridge, Upper Harbour, Upper Church}" in said


def test_a_long_threshold_is_short_in_the_picture_and_exact_in_the_title() -> None:
    schema = Schema((Attribute("x", "numeric"),), Attribute("class", "nominal", ("no", "yes")))
    model = model_of(schema, Inner(threshold.Split(0, 1.5750000000000002), ((1.0, 0.0), (0.0, 1.0))))
    assert {"<= 1.575", "> 1.575"} <= set(words(model))
    assert any(title.startswith("x <= 1.5750000000000002\n") for title in titles(model))


def test_the_title_of_a_card_has_the_counts_of_the_classes() -> None:
    assert "Outlook?\n14 cases, 64 % Yes\nNo: 5, Yes: 9" in titles(playtennis())
