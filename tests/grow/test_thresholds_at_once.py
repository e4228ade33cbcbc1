"""Thresholds of small trees, set at once: the same as those set attribute by attribute."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecli.data import Attribute, Dataset, Schema
from treecli.grow import thresholds
from treecli.learn import learn
from treecli.recipe import Recipe

KNOWN = st.sampled_from(
    [-math.inf, 0.0, -0.0, 1.0, 2.5, 1.00001, 1.000011, 1.00002, 1.0000005, -3.0, 1e6, 1e6 + 1e-5, 7.25, 7.5]
)
COARSE = st.sampled_from([-math.inf, 0.0, -0.0, 1.0, 2.5, -3.0, 1e6, 7.25, 7.5, math.nan])
VALUES = st.one_of(KNOWN, st.just(math.nan))


@pytest.mark.parametrize(
    "words", ["--like j48", "--like j48 --prune none", "", "--like sklearn", "--threshold datavalue"]
)
@given(
    rows=st.one_of(
        st.lists(st.tuples(values, values, st.integers(0, 2)), min_size=4, max_size=40)
        for values in (KNOWN, VALUES, COARSE)
    )
)
def test_a_small_tree_has_the_thresholds_of_a_large_one(words: str, rows: list[tuple[float, float, int]]) -> None:
    schema = Schema((Attribute("x", "numeric"), Attribute("z", "numeric")), Attribute("y", "nominal", ("a", "b", "c")))
    x, z, target = (np.array(column) for column in zip(*rows, strict=True))
    dataset = Dataset(schema, [x, z], target.astype(np.int32), np.ones(len(rows)))
    recipe = Recipe.parse(words.split())
    fast = learn(dataset, recipe).tree
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thresholds, "MOST_AT_ONCE", -1)
        slow = learn(dataset, recipe).tree
    assert fast.number.tobytes() == slow.number.tobytes()
    assert fast.attribute == slow.attribute
    assert fast.notes == slow.notes


@pytest.mark.parametrize("most_at_once", [thresholds.MOST_AT_ONCE, -1])
def test_j48_moves_a_threshold_to_a_value_above_it_by_less_than_its_tolerance(
    most_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The midpoint of 0.000185 and 0.0001966 is 0.0001908, and 0.0001918 - 0.0001908 rounds to less than 1e-6, although
    0.0001908 + 1e-6 is no larger than 0.0001918. Weka 3.6.14 prints `b <= 0.000192` for these rows.
    """
    attributes = (Attribute("a", "nominal", ("x", "y")), Attribute("b", "numeric"))
    schema = Schema(attributes, Attribute("c", "nominal", ("p", "q", "r")))
    a, target = np.repeat([0, 0, 1], 5).astype(np.int32), np.repeat([0, 1, 2], 5).astype(np.int32)
    dataset = Dataset(schema, [a, np.repeat([0.000185, 0.0001966, 0.0001918], 5)], target, np.ones(15))
    monkeypatch.setattr(thresholds, "MOST_AT_ONCE", most_at_once)
    tree = learn(dataset, Recipe.parse(["--like", "j48"])).tree
    assert [note["printed"] for note in tree.notes.values()] == [0.0001918]
