from __future__ import annotations

from math import log2

import pytest

from tests import example_models
from tests.example_models import Inner, model_of
from treecli.data import Attribute, Schema
from treecli.pruners.mdl import Options, class_bits, prune, split_bits
from treecli.splits import NO_BRANCH, Split, binary, bins, known, multiway, subset, threshold
from treecli.splits._registry import kinds

NUMERIC = Attribute("x", "numeric")
ORDINAL = Attribute("x", "ordinal", ("low", "mid", "high"))
NOMINAL = Attribute("x", "nominal", ("a", "b", "c", "d"))


@pytest.mark.parametrize(
    ("counts", "bits"),
    [
        # By the formula of Mehta, Rissanen and Agrawal; for two classes the last term is log2(pi).
        ((9, 5), 16.219177),
        ((2, 3), 7.167213),
        ((4, 0), 2.151496),
        ((3, 0), 1.943977),
        ((30, 10), 36.263585),
        ((28, 2), 14.205721),
        ((2, 8), 10.031741),
        ((0, 0), 0.0),
        ((7,), 0.0),  # one class: nothing to say
        ((1.0, *[0.0] * 19), 0.0),  # the formula gives -11.5, but no description is shorter than none
    ],
)
def test_the_classes_of_a_leaf_cost_their_stochastic_complexity(counts: tuple[float, ...], bits: float) -> None:
    assert class_bits(counts) == pytest.approx(bits, abs=5e-7)


@pytest.mark.parametrize(
    ("split", "attribute", "bits"),
    [
        (threshold.Split(0, 1.0), NUMERIC, log2(19)),  # 20 cases have 19 places between them
        (threshold.Split(0, 1.0), ORDINAL, log2(2)),
        (bins.Split(0, (1.0, 2.0, 3.0)), NUMERIC, log2(969)),  # 19 · 18 · 17 / 6 ways to choose three places
        (bins.Split(0, (0.0, 1.0)), ORDINAL, 0.0),  # all places between 3 labels
        (binary.Split(0, 1, 4), NOMINAL, log2(4)),
        (subset.Split(0, (0, 1, 0, 1)), NOMINAL, log2(2**4 - 2)),
        (subset.Split(0, (0, 1, NO_BRANCH, 1)), NOMINAL, log2(2**3 - 2)),
        (subset.Split(0, (0, 1, 2, 1)), NOMINAL, log2(3**4 - 3)),
        (multiway.Split(0, 4), NOMINAL, 0.0),
        (known.Split(0), NUMERIC, 0.0),
    ],
)
def test_a_split_costs_the_bits_that_distinguish_it_from_others_of_its_kind(
    split: Split, attribute: Attribute, bits: float
) -> None:
    assert split_bits(split, attribute, 20.0) == pytest.approx(bits)


def test_two_groups_of_5000_labels_cost_a_bit_a_label() -> None:
    labels = tuple(map(str, range(5000)))
    table = tuple(code % 2 for code in range(5000))
    assert split_bits(subset.Split(0, table), Attribute("x", "nominal", labels), 9.0) == pytest.approx(5000)


def test_every_kind_of_split_that_there_is_has_a_code() -> None:
    examples = {"threshold", "bins", "binary", "subset", "multiway", "known"}
    assert set(kinds()) == examples


def test_the_worked_example_is_kept() -> None:
    # As a leaf 1 + 36.263585 = 37.263585. As a split on one of 4 attributes, one of the 19 places between 20 values:
    # 1 + 2 + 4.247928 + (1 + 14.205721) + (1 + 10.031741) = 33.485390; with 39 places between 40 cases 34.522865.
    leaf = 1 + class_bits((30, 10))
    branches = 2 + class_bits((28, 2)) + class_bits((2, 8))
    test = threshold.Split(0, 1.0)
    assert leaf == pytest.approx(37.263585, abs=5e-7)
    assert 1 + log2(4) + split_bits(test, NUMERIC, 20) + branches == pytest.approx(33.485390, abs=5e-7)
    assert 1 + log2(4) + split_bits(test, NUMERIC, 40) + branches == pytest.approx(34.522865, abs=5e-7)
    schema = Schema(tuple(Attribute(name, "numeric") for name in "wxyz"), Attribute("c", "nominal", ("+", "-")))
    model = model_of(schema, Inner(test, ((28.0, 2.0), (2.0, 8.0))))
    assert prune(model, Options(), None) == model.tree


def test_a_split_that_costs_more_bits_than_it_saves_goes() -> None:
    # The 14 days: as one leaf 17.219177; the tree needs 3 splits of 1 + log2(4) = 3 bits, and 5 leaves of 1 bit and
    # 1.943977, 1.651496, 2.151496, 1.943977 and 1.651496 for their classes: 23.342442.
    assert prune(example_models.playtennis(), Options(), None).n_leaves == 1
    # Ten times as many days: as one leaf 140 · 0.940286 + 0.5 · log2(70) + 1.651496 + 1 = 137.36, as a tree not 10
    # times as much: 9 + 5 + log2(pi) · 5 + 0.5 · log2(15 · 10 · 20 · 15 · 10) = 31.7.
    model = example_models.playtennis()
    tree = model.tree
    for position, weight in enumerate(tree.outcomes):
        tree.outcomes[position] = 10 * weight
    assert prune(model, Options(), None) == tree
