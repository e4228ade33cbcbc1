"""The trees of other picks, beside those that `edit` makes by hand; mistakes and curves, worked out by hand."""

from __future__ import annotations

from math import log, log2
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.growing import SAMPLE_DATA
from treecli.intake import ReadOptions, read_training
from treecli.lesson.answers import of_gain, of_impurity
from treecli.lesson.curve import curve_of
from treecli.lesson.newrow import new_row
from treecli.lesson.story import Story, told
from treecli.models import read_tree
from treecli.recipe import Recipe
from treecli.teaching.numbers import Digits


@pytest.fixture(scope="module")
def story() -> Story:
    """The lesson on PlayTennis."""
    dataset = read_training(str(SAMPLE_DATA / "playtennis.csv"), ReadOptions()).dataset
    return told("playtennis.csv", dataset, Recipe.parse([]), Digits(3))


def test_another_pick_grows_the_tree_that_edit_makes_by_hand(
    story: Story, treecli: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = str(SAMPLE_DATA / "playtennis.csv")
    assert treecli("train", data, "--criterion", "gain", "-q", "-o", "usual.json").code == 0
    for variant in story.others[0]:
        assert variant.pick is not None
        split = f"0={variant.pick.name}"
        assert treecli("edit", "usual.json", "--split", split, "--data", data, "-q", "-o", "hand.json").code == 0
        children = range(1, 1 + len(variant.model.tree.children(0)))
        regrown = [word for child in children for word in ("--regrow", str(child))]
        assert treecli("edit", "hand.json", *regrown, "--data", data, "-q", "-o", "whole.json").code == 0
        by_hand = read_tree("whole.json").tree
        assert variant.n_leaves == by_hand.n_leaves
        assert list(variant.model.tree.outcomes) == list(by_hand.outcomes)
        assert list(variant.model.tree.attribute) == list(by_hand.attribute)


def test_a_pick_in_a_kept_tree_grows_the_tree_that_edit_makes_by_hand(
    story: Story, treecli: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = str(SAMPLE_DATA / "playtennis.csv")
    assert treecli("train", data, "--criterion", "gain", "-q", "-o", "usual.json").code == 0
    words = [["0=Humidity", "1", "2"], ["1=Wind", "3", "4"]]  # the split, and the nodes below it, which grow again
    for place, (split, *nodes) in enumerate(words):
        old = f"grown{place}.json" if place else "usual.json"
        assert treecli("edit", old, "--split", split, "--data", data, "-q", "-o", f"split{place}.json").code == 0
        regrown = [word for node in nodes for word in ("--regrow", node)]
        done = treecli("edit", f"split{place}.json", *regrown, "--data", data, "-q", "-o", f"grown{place + 1}.json")
        assert done.code == 0
    by_hand = read_tree("grown2.json").tree
    names = [own.pick.name for own in story.kept if own.pick is not None]
    (found,) = (own for own in story.further[names.index("Humidity")][1] if own.pick and own.pick.name == "Wind")
    assert list(found.model.tree.attribute) == list(by_hand.attribute)
    assert list(found.model.tree.outcomes) == list(by_hand.outcomes)


def test_the_sizes_of_other_trees_are_known(story: Story) -> None:
    sizes = {own.pick.name: (own.n_leaves, own.errors) for own in story.others[0] if own.pick is not None}
    assert sizes == {"Temperature": (12, 0), "Humidity": (8, 0), "Wind": (10, 0)}


def test_typical_mistakes_give_the_numbers_that_students_report(story: Story) -> None:
    root = story.main.nodes[0]
    assert root.impurity is not None
    entropy = of_impurity(root.impurity, root, "entropy")
    assert dict(entropy.mistakes)["natural"] == pytest.approx(0.652, abs=5e-4)  # 0.940 ln 2
    wind = next(own for own in root.every if own.attribute == "Wind")
    answer = of_gain(wind, root.impurity, root, "entropy")
    wrong = dict(answer.mistakes)
    whole, weak = -5 / 14 * log2(5 / 14) - 9 / 14 * log2(9 / 14), -2 / 8 * log2(2 / 8) - 6 / 8 * log2(6 / 8)
    assert answer.exact == pytest.approx(whole - 8 / 14 * weak - 6 / 14)
    assert wrong["natural"] == pytest.approx(answer.exact * log(2))
    assert wrong["unweighted"] == pytest.approx(whole - (weak + 1) / 2)
    assert wrong["sum"] == pytest.approx(whole - weak - 1)
    assert wrong["remainder"] == pytest.approx(8 / 14 * weak + 6 / 14)


def test_the_curve_passes_through_the_data(story: Story) -> None:
    root = story.main.nodes[0]
    assert root.impurity is not None
    curve = curve_of(root, "entropy", story.dataset)
    assert (curve.label, curve.at) == ("Yes", 9 / 14)
    assert curve.value(curve.at) == pytest.approx(root.impurity.exact, abs=1e-12)
    assert [curve.value(x) for x in (0.0, 0.5, 1.0)] == [0.0, 1.0, 0.0]


def test_the_new_row_is_not_among_the_data_and_ends_in_the_first_leaf(story: Story) -> None:
    row = new_row(story.main.model, story.dataset, 0)
    assert row.is_new
    assert row.texts(story.main.model) == ["Sunny", "Mild", "High", "Strong"]
    assert story.main.nodes[row.leaf].path == "Outlook = Sunny, Humidity = High"


def test_sheets_have_other_rows_and_a_clear_best_question(story: Story) -> None:
    assert len(story.sheets) == 3
    for sheet in story.sheets:
        gains = sorted(answer.exact for answer in sheet.answers[1:])
        assert gains[-1] - gains[-2] >= 0.05
        assert sheet.dataset.n_rows == 14
