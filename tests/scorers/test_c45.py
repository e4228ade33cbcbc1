"""C4.5's 32-bit gains: about the same as in 64 bits, with C4.5's own rules for what may be split and where."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.datasets import dataset_of
from tests.growing import candidates_at_root, model_from, sample
from treecli.data import Attribute, Dataset, Schema
from treecli.grow import thresholds
from treecli.grow.candidates import Cuts, empty_test
from treecli.kernels.args import Plan
from treecli.presets import settings_like
from treecli.scorers import c45

C45 = settings_like("c45")
CLASSES = Attribute("y", "nominal", ("a", "b"))


def random_rows(seed: int) -> Dataset:
    """A numeric and a nominal attribute with missing values, three classes and fractional weights."""
    random = np.random.default_rng(seed)
    n = int(random.integers(12, 80))
    attributes = (Attribute("number", "numeric"), Attribute("label", "nominal", tuple("pqrst")))
    number = random.normal(size=n).round(1)
    number[random.random(n) < 0.2] = np.nan
    label = random.integers(-1, 5, n).astype(np.int32)
    target = random.integers(0, 3, n).astype(np.int32)
    target = np.where(number > 0.5, 0, target).astype(np.int32)
    schema = Schema(attributes, Attribute("y", "nominal", ("u", "v", "w")))
    return Dataset(schema, [number, label], target, random.integers(2, 6, n) / 2)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("attribute", [0, 1])
def test_gain_and_split_information_are_those_of_64_bits_but_for_rounding(seed: int, attribute: int) -> None:
    dataset = random_rows(seed)
    in_32_bits = candidates_at_root(dataset, attribute, C45)
    in_64_bits = candidates_at_root(dataset, attribute, C45.changed(arithmetic="sums"))
    np.testing.assert_allclose(in_32_bits.gain, in_64_bits.gain, atol=2e-6)
    np.testing.assert_allclose(in_32_bits.split_info, in_64_bits.split_info, atol=2e-6)
    if attribute == 0 and np.isfinite(in_32_bits.gain[0]):
        assert in_32_bits.number == in_64_bits.number


def test_a_nominal_split_that_gains_nothing_is_made_so_that_monks_1_is_learned() -> None:
    # C4.5 release 8: 41 nodes and no error. Below a5 = 2, 3 and 4 no single attribute gains anything.
    tree = model_from(sample("monks-1.arff"), C45).tree
    assert tree.n_nodes == 41
    leaves = (list(tree.outcomes_of(node)) for node in range(tree.n_nodes) if tree.is_leaf(node))
    assert all(max(counts) == sum(counts) for counts in leaves)


def test_a_numeric_split_must_gain_more_than_it_costs() -> None:
    # XOR of two numbers: each cut alone gains nothing.
    schema = Schema((Attribute("p", "numeric"), Attribute("q", "numeric")), CLASSES)
    rows = [[float(p), float(q), "ab"[p ^ q]] for p in (0, 1) for q in (0, 1) for _ in range(5)]
    assert model_from(dataset_of(schema, rows), C45).tree.n_nodes == 1


def thresholds_at(found: Cuts, values: np.ndarray) -> list[float]:
    """The thresholds of cuts where these are all values of the data."""
    halfway = thresholds.halfway(found, None, is_ordinal=False)
    number = c45.at_data_values(halfway, found, values, values, Plan()).number
    assert number is not None
    return number.tolist()


def test_the_midpoint_between_two_values_is_that_of_32_bits() -> None:
    # (20.1 + 32.1) / 2 is 26.1 in 64 bits, and below the 32-bit 26.1 in 32 bits: the largest value below it is 25.
    found = Cuts(np.ones(1), np.ones(1), np.array([20.1]), np.array([32.1]), np.full(1, -1, np.int32), empty_test(1))
    values = np.array([20.1, 25.0, 26.1, 32.1])
    assert np.float32(20.1) + np.float32(32.1) < 2 * np.float32(26.1)
    assert thresholds_at(found, values) == [25.0]


def test_a_threshold_parts_values_whose_32_bit_midpoint_is_the_upper_one() -> None:
    lower, upper = 16777218.0, 16777220.0  # neighbours in 32 bits; half their sum rounds to the upper one
    found = Cuts(np.ones(1), np.ones(1), np.array([lower]), np.array([upper]), np.full(1, -1, np.int32), empty_test(1))
    assert thresholds_at(found, np.array([lower, upper])) == [lower]


def test_values_are_told_apart_by_their_32_bits() -> None:
    # 1e8 and 1e8 + 1 are the same number in 32 bits, 1e8 + 16 is not.
    schema = Schema((Attribute("x", "numeric"),), CLASSES)
    near = dataset_of(schema, [[1e8, "a"]] * 6 + [[1e8 + 1, "b"]] * 6)
    apart = dataset_of(schema, [[1e8, "a"]] * 6 + [[1e8 + 16, "b"]] * 6)
    assert model_from(near, C45).tree.n_nodes == 1
    assert model_from(apart, C45).tree.n_nodes == 3


@pytest.mark.parametrize(
    ("low", "high"), [(-np.inf, np.inf), (-np.inf, 0.0), (0.0, np.inf), (1e30, 1e300), (3.0e38, 3.3e38), (-1e-30, 1.0)]
)
def test_values_beyond_32_bits_are_extremes(low: float, high: float) -> None:
    schema = Schema((Attribute("x", "numeric"),), CLASSES)
    tree = model_from(dataset_of(schema, [[low, "a"]] * 6 + [[high, "b"]] * 6), C45).tree
    assert tree.n_nodes == 3
    assert np.isfinite(tree.number[0])
    assert low <= tree.number[0] < high or tree.number[0] == -np.finfo(float).max


@pytest.mark.parametrize(
    ("gain", "split_info", "is_counted", "expected"),
    [
        # The first of equal ratios.
        ([0.2, 0.2], [1.0, 1.0], [True, True], 0),
        # The best ratio among those whose gain is at least average, here 0.25.
        ([0.4, 0.1], [2.0, 0.1], [True, True], 0),
        # The second is left out of the average, and eligible.
        ([0.4, 0.1, 0.45], [2.0, 2.0, 1.0], [True, True, False], 2),
        # Where no attribute counts in the average, none is eligible.
        ([0.4], [1.0], [False], -1),
        # A split needs split information.
        ([0.4], [0.0009], [True], -1),
        ([0.4], [0.0011], [True], 0),
        # A gain may be nothing, or next to nothing less.
        ([0.0], [1.0], [True], 0),
        ([-0.0009], [1.0], [True], 0),
        ([-0.0011], [1.0], [True], -1),
        ([-np.inf], [0.0], [True], -1),
        # In 32 bits these gains are equal.
        ([0.3, 0.3 + 1e-9], [1.0, 1.0], [True, True], 0),
    ],
)
def test_the_choice_among_attributes(
    gain: list[float], split_info: list[float], is_counted: list[bool], expected: int
) -> None:
    ratio = c45.ratios(np.array(gain)[:, None], np.array(split_info)[:, None], np.array(is_counted))[:, 0]
    assert (int(np.argmax(ratio)) if np.isfinite(ratio).any() else -1) == expected


def test_weights_beyond_32_bits_do_not_overflow() -> None:
    schema = Schema((Attribute("k", "nominal", ("p", "q")),), CLASSES)
    dataset = dataset_of(schema, [["p", "a"]] * 4 + [["q", "b"]] * 4)
    heavy = replace(dataset, weights=dataset.weights * 1e36, has_weights=True)
    assert model_from(heavy, C45).tree.n_nodes == 3
