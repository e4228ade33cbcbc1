"""Weka's layout; whole trees are compared with Weka's own in tests/exact."""

from __future__ import annotations

import pytest

from tests import example_models
from treecli.data import Attribute, Schema
from treecli.errors import UsageError
from treecli.model import TreeModel
from treecli.renderers import View, j48
from treecli.splits import binary, multiway, threshold


@pytest.mark.parametrize(
    ("number", "text"),
    # What java.lang.Double.toString is documented to give.
    [
        (2.0, "2.0"),
        (15.27, "15.27"),
        (1e7, "1.0E7"),
        (-1.7e7, "-1.7E7"),
        (1e-5, "1.0E-5"),
        (0.001, "0.001"),
        (0.0, "0.0"),
    ],
)
def test_numbers_are_printed_as_java_prints_doubles(number: float, text: str) -> None:
    assert j48.java_double(number) == text


def test_the_tree_of_the_14_days_ends_with_its_sizes_as_in_weka() -> None:
    lines = "".join(j48.render(example_models.playtennis(), View())).split("\n")
    assert lines[-5:] == ["", "Number of Leaves  : \t5", "", "Size of the tree : \t8", ""]
    assert "Outlook = Overcast: Yes (4.0)" in lines
    assert "|   Humidity = High: No (3.0)" in lines


def test_a_tree_that_is_one_leaf_prints_it_after_a_colon() -> None:
    assert "".join(j48.render(example_models.single_leaf(), View())).startswith(": ")


def with_a_branch_for_missing_values() -> TreeModel:
    schema = Schema((Attribute("x", "nominal", ("a", "b")),), Attribute("z", "nominal", ("no", "yes")))
    leaves = ((1.0, 0.0), (0.0, 1.0), (2.0, 0.0))
    return example_models.model_of(schema, example_models.Inner(multiway.Split(0, 2), leaves, missing_to=2))


def test_a_binary_split_names_its_label_whatever_the_settings() -> None:
    schema = Schema((Attribute("x", "nominal", ("a", "b", "c")),), Attribute("z", "nominal", ("no", "yes")))
    root = example_models.Inner(binary.Split(0, 1, 3), ((1.0, 0.0), (0.0, 2.0)), missing_to=1)
    lines = "".join(j48.render(example_models.model_of(schema, root), View())).splitlines()
    assert lines[:2] == ["x = b: no (1.0)", "x != b: yes (2.0)"]


def test_an_ordinal_threshold_is_shown_by_its_label() -> None:
    schema = Schema((Attribute("x", "ordinal", ("low", "mid", "high")),), Attribute("z", "nominal", ("no", "yes")))
    root = example_models.Inner(threshold.Split(0, 1.0), ((1.0, 0.0), (0.0, 2.0)))
    lines = "".join(j48.render(example_models.model_of(schema, root), View())).splitlines()
    assert lines[:2] == ["x <= mid: no (1.0)", "x > mid: yes (2.0)"]


def test_a_weight_may_be_huge() -> None:
    # 2^53 and beyond, every double is whole; 1e17 is "1.0E17" in Java.
    schema = Schema((Attribute("x", "numeric"),), Attribute("z", "nominal", ("no", "yes")))
    root = example_models.Inner(threshold.Split(0, 1e300), ((1e17, 0.0), (0.0, 1e40)))
    lines = "".join(j48.render(example_models.model_of(schema, root), View())).splitlines()
    assert lines[0].endswith(": no (1.0E17)")
    assert lines[1].endswith(": yes (1.0E40)")


def test_trees_beyond_the_layout_are_refused() -> None:
    for model, view in (
        (example_models.regression(), View()),
        (example_models.every_kind(), View()),
        (with_a_branch_for_missing_values(), View()),
        (example_models.playtennis(), View(has_ids=True)),
        (example_models.playtennis(), View(has_counts=True)),
    ):
        with pytest.raises(UsageError):
            list(j48.render(model, view))
