"""Weka's layout; whole trees are compared with Weka's own in tests/exact."""

from __future__ import annotations

import pytest

from tests import models
from treecli.errors import UsageError
from treecli.renderers import View, j48


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
    lines = "".join(j48.render(models.playtennis(), View())).split("\n")
    assert lines[-5:] == ["", "Number of Leaves  : \t5", "", "Size of the tree : \t8", ""]
    assert "Outlook = Overcast: Yes (4.0)" in lines
    assert "|   Humidity = High: No (3.0)" in lines


def test_a_tree_that_is_one_leaf_prints_it_after_a_colon() -> None:
    assert "".join(j48.render(models.single_leaf(), View())).startswith(": ")


def test_what_the_layout_cannot_show_is_refused() -> None:
    for model, view in (
        (models.regression(), View()),
        (models.every_kind(), View()),
        (models.playtennis(), View(has_ids=True)),
        (models.playtennis(), View(has_counts=True)),
    ):
        with pytest.raises(UsageError):
            list(j48.render(model, view))


def test_a_deep_tree_is_not_indented_without_end() -> None:
    n_characters = sum(len(piece) for piece in j48.render(models.chain(5_000), View()))
    assert n_characters < 5_000 * (4 * j48.MOST_BARS + 60)
