"""Cutting a numeric attribute into bins."""

from __future__ import annotations

import json
from math import inf
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growing import AtRoot, sample
from treecli import plugins
from treecli.discretizers import discretizer
from treecli.intake import ReadOptions, read_training
from treecli.settings import Settings


def bounds(way: str, values: list[float], classes: str = "", weights: list[float] | None = None) -> list[float]:
    """The bounds for values in ascending order; classes are letters."""
    found, n_bins = discretizer(way)
    codes = np.array(["abcdef".index(c) for c in classes or "a" * len(values)], np.int32)
    weight = np.array(weights or [1.0] * len(values))
    return [float(bound) for bound in found.bounds(np.array(values, np.float64), weight, codes, n_bins)]


@pytest.mark.parametrize(
    ("way", "values", "weights", "expected"),
    [
        ("frequency:2", [1, 2, 3, 4], None, [2]),
        ("frequency:3", [1, 2, 3, 4, 5, 6], None, [2, 4]),
        ("frequency:2", [1, 2, 3], None, [1]),  # shares 1/3, 2/3, 1: 2 is beyond the half
        ("frequency:2", [1, 2, 3], [2, 1, 1], [1]),  # 1 is half of the cases
        ("frequency:2", [1, 1, 1, 2], None, [1]),
        ("frequency:4", [1, 1, 1, 2], None, [1]),  # equal values stay together
        ("frequency:10", [0, 1], [97, 3], [0]),  # most cases have 0
        ("frequency:2", [0, 1, 2], [30, 55, 15], [0, 1]),
        ("frequency:10", [5, 5], None, []),
        ("width:2", [0, 1, 10], None, [5]),
        ("width:4", [0, 8], None, [2, 4, 6]),
        ("width:3", [7, 7], None, []),
        ("width:2", [-inf, 0, 10, inf], None, [5]),
        ("width:2", [-1.5e308, 1.5e308], None, [0]),
    ],
)
def test_bins_of_equal_size(way: str, values: list[float], weights: list[float] | None, expected: list[float]) -> None:
    assert bounds(way, values, weights=weights) == expected


# By hand: 4 a then 4 b: gain 1 > (log2 7 + log2 7 - 2) / 8 = 0.4518. 3 a 1 b | 1 a 3 b: 0.1887 < 0.8575.
# 2 a, 2 b: 1 > (log2 3 + log2 7 - 2) / 4 = 0.5981. a then b: 1 > (log2 1 + 0.8074) / 2 = 0.4037.
@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        ("aaaabbbb", [4.5]),
        ("aaabbabb", []),
        ("aabb", [2.5]),
        ("ab", [1.5]),
        ("aaaa", []),
        ("aaaaaaaabbbbbbbbcccccccc", [8.5, 16.5]),
    ],
)
def test_cuts_that_shorten_the_description(classes: str, expected: list[float]) -> None:
    assert bounds("mdlp", list(range(1, len(classes) + 1)), classes) == expected


# As Weka's supervised Discretize cuts its iris.arff: '(-inf-5.55]', '(5.55-6.15]', '(6.15-inf)' and so on.
def test_the_cuts_of_iris_are_those_of_weka() -> None:
    dataset = sample("iris.arff")
    growth = AtRoot(dataset, Settings.of(discretize="mdlp"))
    cuts = [growth.candidates(attribute).bounds for attribute in range(4)]
    assert [pytest.approx(c) for c in ([5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75])] == [
        found.tolist() for found in cuts if found is not None
    ]


def test_a_cut_lies_between_different_values_and_below_an_infinite_one() -> None:
    assert bounds("mdlp", [1, 1, 2, 2], "aabb") == [1.5]
    assert bounds("mdlp", [1, 1, inf, inf], "aabb") == [1]


def test_more_classes_than_powers_of_three_can_be_counted() -> None:
    found, n_bins = discretizer("mdlp")
    codes = np.arange(1000, dtype=np.int32)
    assert np.isfinite(found.bounds(np.arange(1000.0), np.ones(1000), codes, n_bins)).all()


WAYS = {"frequency": "frequency:4", "width": "width:5", "mdlp-better": "mdlp-better", "mdlp": "mdlp"}


def test_the_table_above_has_every_way() -> None:
    assert set(WAYS) == set(plugins.names("discretizers"))


@pytest.mark.parametrize("way", sorted(WAYS))
@given(data=st.data())
def test_bounds_rise_and_each_parts_the_values(way: str, data: st.DataObject) -> None:
    values = sorted(data.draw(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30)))
    classes = "".join(data.draw(st.lists(st.sampled_from("ab"), min_size=len(values), max_size=len(values))))
    found = bounds(WAYS[way], values, classes)
    assert found == sorted(set(found))
    assert all(values[0] <= bound < values[-1] for bound in found)


CUTS = Path(__file__).parent / "fixtures" / "mdlp"
WEKA = json.loads((CUTS / "cuts.json").read_text())["data"]
"""Cut points of Weka 3.6.14's supervised Discretize, without and with -E."""


@pytest.mark.parametrize("name", WEKA)
@pytest.mark.parametrize(("way", "variant"), [("mdlp", "fayyad_irani"), ("mdlp-better", "better_encoding")])
def test_mdlp_cuts_where_weka_does(name: str, way: str, variant: str) -> None:
    dataset = read_training(str(CUTS / f"{name}.arff"), ReadOptions()).dataset
    index_of = {attribute.name: index for index, attribute in enumerate(dataset.schema.attributes)}
    engine = AtRoot(dataset, Settings.of(discretize=way)).engine
    found = {attribute: engine.bounds[index_of[attribute]].tolist() for attribute in WEKA[name][variant]}
    assert found == WEKA[name][variant]


def test_the_better_encoding_counts_the_places_to_cut() -> None:
    # 6 a at 1, 4 a and 4 b at 2: the gain is 0.8631 - 8/14 = 0.2917. Needed are (log2 13 + 3.0811) / 14 = 0.4844; with
    # one place to cut, 3.0811 / 14 = 0.2201.
    values, classes = [1.0] * 6 + [2.0] * 8, "aaaaaaaaaabbbb"
    assert bounds("mdlp", values, classes) == []
    assert bounds("mdlp-better", values, classes) == [1.5]
