"""The best threshold, compared with scoring every cut."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growing import FRACTIONS, MANY_NUMBERS, UNIT_WEIGHTS, AtRoot, candidates_at_root, datasets, numeric_table
from tests.plain import PlainGrower
from treecli.data import Attribute, Dataset, Schema
from treecli.settings import Settings

CLASSES = st.integers(2, 12)  # from 9 classes on, the kernel keeps its sums step by step
WEIGHTS = st.sampled_from([UNIT_WEIGHTS, FRACTIONS])


def assert_best_cut(dataset: Dataset, learner: Settings) -> None:
    """The kernel's cut is the best of all, the first of equals, with its gain and split information."""
    growth = AtRoot(dataset, learner)
    if not growth.is_open:
        return
    found = growth.candidates(0)
    plain = PlainGrower(dataset, learner)
    expected = plain.best(plain.nodes[0].cases, 0)
    if expected is None:
        assert found.gain[0] == -inf
        return
    assert found.gain[0] == pytest.approx(expected.gain, abs=1e-9)
    assert found.split_info[0] == pytest.approx(expected.split_info, abs=1e-9)
    assert found.parts_missing[0] == (expected.kind == "known")
    assert found.number is not None
    assert found.number[0] == expected.number
    assert found.missing_to[0] == (-1 if expected.missing_to is None else expected.missing_to)


@pytest.mark.parametrize("missing", ["fractional", "majority", "branch"])
@pytest.mark.parametrize("criterion", ["gain", "gini", "error"])
@settings(max_examples=25)
@given(data=st.data(), min_leaf=st.sampled_from([0.5, 1.0, 2.0, 3.25]))
def test_the_cut_of_classes_is_the_best_of_all(
    criterion: str, missing: str, data: st.DataObject, min_leaf: float
) -> None:
    weights = data.draw(WEIGHTS)
    dataset = data.draw(datasets(n_classes=CLASSES, weights=weights, with_missing=data.draw(st.booleans())))
    assert_best_cut(dataset, Settings.of(criterion=criterion, missing=missing, min_leaf=min_leaf))


@pytest.mark.parametrize("missing", ["fractional", "majority", "branch"])
@settings(max_examples=25)
@given(data=st.data(), min_leaf=st.sampled_from([0.5, 1.0, 2.0, 3.25]))
def test_the_cut_of_numbers_is_the_best_of_all(missing: str, data: st.DataObject, min_leaf: float) -> None:
    dataset = data.draw(datasets(weights=data.draw(WEIGHTS), with_missing=data.draw(st.booleans())))
    assert_best_cut(dataset, Settings.of(criterion="variance", missing=missing, min_leaf=min_leaf))


@settings(max_examples=20)
@given(datasets(n_classes=st.integers(2, 3), numbers=MANY_NUMBERS))
def test_any_numbers_are_cut_between_two_of_them(dataset: Dataset) -> None:
    growth = AtRoot(dataset, Settings.of(criterion="gini"))
    if not growth.is_open:
        return
    found = growth.candidates(0)
    values = dataset.columns[0]
    if np.isfinite(found.gain[0]):
        assert found.number is not None
        assert values.min() <= found.number[0] < values.max()
    else:
        assert (values == values[0]).all()


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9, -1e12])
def test_a_large_offset_of_the_target_changes_no_gain(offset: float) -> None:
    # y = 2 3 4 5 20 22 24 26 over x = 1 … 8: the squared error falls by 760.5 at 4.5, that is 760.5/8 a case.
    dataset = numeric_table([range(1, 9)], [offset + y for y in (2, 3, 4, 5, 20, 22, 24, 26)])
    found = candidates_at_root(dataset, 0, Settings())
    assert found.number is not None
    assert found.number[0] == 4.5
    assert found.gain[0] == pytest.approx(760.5 / 8, rel=1e-9)


def test_with_a_mean_that_is_no_double_mirrored_attributes_still_tie() -> None:
    # Thirds of 1e9 leave a mean that must be rounded; x1 is x0 upside down, so both gain the same, and x0 wins.
    y = [1e9 + k / 3 for k in (0, 1, 2, 10, 11, 13, 14)]
    dataset = numeric_table([[3, 2, 1, 0, -1, -2, -3], [-3, -2, -1, 0, 1, 2, 3]], y)
    gains = [candidates_at_root(dataset, a, Settings()).gain[0] for a in (0, 1)]
    assert gains[0] == pytest.approx(gains[1], rel=1e-9)


@pytest.mark.parametrize(
    ("values", "number"),
    [
        ([1.0, 1.0 + 2**-52], 1.0),  # neighbouring doubles: the midpoint rounds to even, here the lower
        ([1.0 + 2**-52, 1.0 + 2**-51], 1.0 + 2**-52),  # and here to the upper, which would not part them
        ([5.0, inf], 5.0),  # infinite values have no midpoint
        ([-inf, 5.0], -np.finfo(float).max),  # nor is -inf a number that JSON can hold
        ([1e308, 1.7e308], 1.35e308),  # the sum overflows
        ([-inf, inf], -np.finfo(float).max),
    ],
)
def test_a_threshold_parts_the_two_values_beside_it(values: list[float], number: float) -> None:
    found = candidates_at_root(numeric_table([values], ["a", "b"]), 0, Settings())
    assert found.number is not None
    assert found.number[0] == number
    assert values[0] <= number < values[1]
    assert found.gain[0] == 1.0


# Values 1 2 4 10 20 with classes a a b b b, so that 3 is the best cut. Mean 7.4, median 4; C4.5's value is 2.
@pytest.mark.parametrize(("threshold", "number"), [("midpoint", 3.0), ("datavalue", 2.0), ("mean", 7.4), ("median", 4)])
def test_where_a_threshold_lies(threshold: str, number: float) -> None:
    dataset = numeric_table([[1, 2, 4, 10, 20]], list("aabbb"))
    found = candidates_at_root(dataset, 0, Settings.of(criterion="gain", threshold=threshold))
    assert found.number is not None
    assert found.number[0] == pytest.approx(number)


@pytest.mark.parametrize(
    ("values", "weights", "median"),
    [
        ([1, 2, 3, 9], None, 2.5),  # an even number of cases: halfway between the middle two
        ([1, 2, 2, 2], None, 1.0),  # the median is the largest value: the next below it is what can cut
        ([1, 2, 3], [1, 1, 4], 2.0),  # heavier than the rest, the largest again
        ([1, 2, 3], [4, 1, 1], 1.0),
        ([1, 2, 3, nan], [1, 1, 2, 50], 2.5),  # missing values do not count; half the weight lies below 2.5
    ],
)
def test_the_weighted_median_is_moved_below_the_largest_value(
    values: list[float], weights: list[float] | None, median: float
) -> None:
    dataset = numeric_table([values], list("abab")[: len(values)], weights)
    found = candidates_at_root(dataset, 0, Settings.of(criterion="gain", threshold="median"))
    assert found.number is not None
    assert found.number[0] == median


@pytest.mark.parametrize("threshold", ["mean", "median"])
@settings(max_examples=20)
@given(data=st.data())
def test_a_mean_or_median_always_cuts_where_there_are_two_values(threshold: str, data: st.DataObject) -> None:
    dataset = data.draw(datasets(n_classes=st.just(2), weights=data.draw(WEIGHTS), numbers=MANY_NUMBERS))
    growth = AtRoot(dataset, Settings.of(criterion="gain", threshold=threshold, min_leaf=0.25))
    if not growth.is_open:
        return
    values = dataset.columns[0]
    assert np.isfinite(growth.candidates(0).gain[0]) == (values.min() < values.max())


def test_the_lowest_of_equally_good_cuts_wins() -> None:
    # a b a b: cutting off either end gains the same (0.311 bits).
    found = candidates_at_root(numeric_table([[1, 2, 3, 4]], list("abab")), 0, Settings.of(criterion="gain"))
    assert found.number is not None
    assert found.number[0] == 1.5


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_cut_that_could_be_the_best_is_skipped(n_classes: int, seed: int) -> None:
    # Light cases, many of which are skipped at once; here every cut is scored, with prefix sums.
    generator = np.random.default_rng(seed)
    value, code = generator.permutation(400).astype(float), generator.integers(0, n_classes, 400)
    weight = generator.integers(1, 64, 400) / 256
    weight[:40] *= 64
    schema = Schema((Attribute("x", "numeric"),), Attribute("y", "nominal", tuple("abc"[:n_classes])))
    dataset = Dataset(schema, [value], code.astype(np.int32), weight)
    found = candidates_at_root(dataset, 0, Settings.of(criterion="gain"))
    counts = np.zeros((400, n_classes))
    counts[value.astype(int), code] = weight
    left = counts.cumsum(axis=0)[:-1]
    right = counts.sum(axis=0) - left
    gains = entropy(counts.sum(axis=0)[None]) - entropy(left) - entropy(right)
    # Both sides weigh at least 1, the usual --min-leaf.
    gains[np.minimum(left.sum(axis=1), right.sum(axis=1)) < 1 - 1e-9] = -inf
    best = int(np.argmax(gains))
    assert found.number is not None
    assert found.number[0] == best + 0.5
    assert found.gain[0] == pytest.approx(gains[best] / weight.sum(), abs=1e-12)


def entropy(counts: np.ndarray) -> np.ndarray:
    """Weight times entropy of each row, in bits."""
    total = counts.sum(axis=1)
    shares = np.where(counts > 1e-12, counts / total[:, None], 1.0)
    return np.asarray(-(counts * np.log2(shares)).sum(axis=1))
