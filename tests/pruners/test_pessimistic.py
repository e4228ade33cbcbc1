from __future__ import annotations

import math
from dataclasses import replace
from math import inf, nan
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import example_models
from tests.example_models import Inner, Leaf, append, model_of
from treecli.data import Attribute, Dataset, Schema
from treecli.errors import UsageError
from treecli.model import TreeModel
from treecli.pruners.pessimistic import Options, expected_errors, prune
from treecli.splits import multiway
from treecli.tree import Tree


def pruned(model: TreeModel, confidence: float = 0.25) -> Tree:
    return prune(model, Options(confidence), None)


def added_errors(weight: float, errors: float, confidence: float, *, is_c45: bool = False) -> float:
    """The errors added to the observed ones of a leaf; its errors are spread over enough classes that none of them is
    the heaviest."""
    right = weight - errors
    n_wrong = max(math.ceil(errors / right), 1) if weight else 1
    tree = Tree(1 + n_wrong)
    append(tree, [right, *[errors / n_wrong] * n_wrong])
    expected = expected_errors(tree, Options(confidence, c45_estimate=is_c45))
    return expected[0] - errors


def one_test(*leaves: Leaf) -> TreeModel:
    labels = tuple("abcdefgh"[: len(leaves)])
    schema = Schema((Attribute("k", "nominal", labels),), Attribute("sign", "nominal", ("+", "-")))
    return model_of(schema, Inner(multiway.Split(0, len(leaves)), leaves))


@pytest.mark.parametrize(
    ("weight", "errors", "confidence", "added"),
    [
        # By the formula of Weka 3.6.14's J48 (weka.core.Stats.addErrs), whose trees these values reproduce.
        (1, 0, 0.25, 0.75),
        (2, 0, 0.25, 1.0),
        (6, 0, 0.25, 1.237797),
        (9, 0, 0.25, 1.284804),
        (168, 0, 0.25, 1.380590),
        (2, 1, 0.25, 0.791493),
        (3, 1, 0.25, 1.044310),
        (16, 1, 0.25, 1.475715),
        (46, 1, 0.25, 1.546026),
        (54, 5, 0.25, 2.183211),
        (14, 5, 0.25, 1.761120),
        (4.5, 0.5, 0.25, 1.204208),
        (6, 0, 0.05, 2.358227),
        (16, 1, 0.05, 3.447580),
        # By hand: 4 (1 - 0.25^(1/4)); half-way between add(2, 0) and add(2, 1); all but everything wrong: what is left.
        (4, 0, 0.25, 1.171573),
        (2, 0.5, 0.25, 0.895747),
        (3, 2.8, 0.25, 0.2),
        (2, 1.6, 0.25, 0.4),
        # Nobody came, so nothing is expected; above 0.5 nothing is added at all.
        (0, 0, 0.25, 0.0),
        (14, 5, 0.5000001, 0.0),
        (14, 0, 1.0, 0.0),
    ],
)
def test_errors_are_added_as_in_wekas_j48(weight: float, errors: float, confidence: float, added: float) -> None:
    assert added_errors(weight, errors, confidence) == pytest.approx(added, abs=5e-7)


@pytest.mark.parametrize(
    ("weight", "errors", "added"),
    [
        # By the formula of C4.5 release 8, with z = 0.6925, which its table gives for 0.25: 0.84 - 0.59 · 0.05 / 0.2.
        (1, 0, 0.7500),
        (4, 0, 1.1716),
        (6, 0, 1.2378),
        (9, 0, 1.2848),
        (16, 1, 1.5069),
        (14, 5, 1.7950),
        (7, 3, 1.3862),
        (7, 1, 1.3667),
        (5, 2, 1.2396),
        (2, 1, 0.7962),
        (168, 1, 1.6101),
        (100, 10, 2.8147),
        (2, 0.5, 0.8981),
        (3, 2.8, 0.1340),  # 0.67 of what is left
    ],
)
def test_errors_are_added_as_in_release_8_of_c45(weight: float, errors: float, added: float) -> None:
    assert added_errors(weight, errors, 0.25, is_c45=True) == pytest.approx(added, abs=5e-5)


@given(st.integers(1, 10_000), st.floats(1e-6, 0.5))
def test_without_an_error_the_limit_is_the_rate_that_shows_none_with_the_given_confidence(
    weight: int, confidence: float
) -> None:
    rate = added_errors(weight, 0.0, confidence) / weight
    assert (1 - rate) ** weight == pytest.approx(confidence, rel=1e-6)


@given(st.integers(3, 10_000), st.data(), st.floats(1e-6, 0.499))
def test_with_errors_the_limit_is_the_rate_that_lies_z_deviations_above_them(
    weight: int, data: st.DataObject, confidence: float
) -> None:
    errors = data.draw(st.integers(1, weight - 2))
    limit = (errors + added_errors(weight, errors, confidence)) / weight
    z = NormalDist().inv_cdf(1 - confidence)
    observed = (errors + 0.5) / weight
    assert limit - observed == pytest.approx(z * (limit * (1 - limit) / weight) ** 0.5, rel=1e-6)


@pytest.mark.parametrize(
    "weight_and_errors", [(1e-320, 0.0), (1e-9, 1e-10), (0.3, 0.1), (1e200, 1e100), (1e300, 9e299), (1e16, 0.5)]
)
@pytest.mark.parametrize("confidence", [1e-320, 1e-16, 0.25, 0.5])
def test_extreme_weights_and_confidences_add_neither_less_than_nothing_nor_more_than_all(
    weight_and_errors: tuple[float, float], confidence: float
) -> None:
    weight, errors = weight_and_errors
    assert -1e-9 * weight <= added_errors(weight, errors, confidence) <= weight


def test_three_pure_leaves_are_pruned_when_one_leaf_is_expected_to_do_better() -> None:
    # 6, 9 and 1 cases without errors: 1.2378 + 1.2848 + 0.75 = 3.2726 expected; 16 with 1 error: 1 + 1.4757.
    assert pruned(one_test((6.0, 0.0), (9.0, 0.0), (0.0, 1.0))).n_nodes == 1


def test_the_tree_of_the_14_days_stays_at_the_usual_confidence_and_goes_at_a_low_one() -> None:
    model = example_models.playtennis()
    # Weka 3.6.14 on weather.nominal, J48 -C 0.25: Sunny 3.2220 as a leaf, 2.1101 as a tree; root 6.7611 and 5.3918.
    assert pruned(model) == model.tree
    # -C 0.05: root 8.5053 as a leaf, 9.0037 as a tree.
    assert pruned(model, 0.05).n_nodes == 1


def test_the_tree_of_iris_loses_its_lowest_test_at_confidence_5_percent() -> None:
    model = example_models.iris_like()
    # Weka 3.6.14 on iris, J48 -C 0.25 keeps all 5 leaves; -C 0.05 leaves 4, for the lowest test of petalwidth is
    # expected to make 4.3117 errors as a leaf and 4.4277 as a tree.
    assert pruned(model) == model.tree
    lowest = 6
    assert [*model.tree.children(lowest)] == [7, 8]
    assert pruned(model, 0.05) == model.tree.collapsed(lambda node: node == lowest)


@pytest.mark.parametrize(
    ("leaves", "n_leaves"),
    [
        # Confidence 1 adds nothing: the training errors themselves are compared, with 0.1 in favour of the leaf.
        (((9.9, 0.0), (0.0, 0.05)), 1),
        (((1.1, 0.0), (0.0, 0.1)), 1),  # in binary 1.1 + 0.1 - 1.1 is more than 0.1
        (((9.9, 0.0), (0.0, 0.1001)), 2),
        (((9.0, 1.0), (8.0, 3.0)), 1),
    ],
)
def test_a_leaf_is_preferred_up_to_a_tenth_of_an_error(leaves: tuple[Leaf, ...], n_leaves: int) -> None:
    assert pruned(one_test(*leaves), confidence=1.0).n_leaves == n_leaves


def test_an_empty_leaf_expects_no_errors() -> None:
    # 5 + 5 cases apart: 2 · 5 (1 - 0.25^(1/5)) = 2.4214 expected, together 5 + 1.6; an empty leaf beside them, which
    # counted as a case would cost 0.75, changes neither this nor that.
    assert pruned(one_test((5.0, 0.0), (0.0, 0.0), (0.0, 5.0))).n_leaves == 3
    # 2 + 1 of the other class: 1 + 0.75 = 1.75 apart, together 1 + 1.0443: within 0.75 but not within 0.1.
    assert pruned(one_test((2.0, 0.0), (0.0, 0.0), (0.0, 1.0))).n_leaves == 3


@given(example_models.models(is_classification=True), st.floats(1e-6, 1.0))
def test_pruning_again_with_any_confidence_changes_nothing(model: TreeModel, confidence: float) -> None:
    once = pruned(model, confidence)
    assert pruned(replace(model, tree=once), confidence) == once


@pytest.mark.parametrize("confidence", [0.0, -0.1, 1.1, inf, nan])
def test_a_confidence_that_is_no_probability_is_refused(confidence: float) -> None:
    with pytest.raises(UsageError, match=r"--confidence .*: expected a number above 0 and at most 1"):
        Options(confidence)


def test_a_numeric_target_is_refused_with_the_method_that_can() -> None:
    with pytest.raises(UsageError, match="'price' is numeric") as caught:
        pruned(example_models.regression())
    assert caught.value.hint is not None
    assert "reduced-error" in caught.value.hint


def test_subtrees_are_not_raised_where_surrogates_send_missing_values() -> None:
    model = example_models.playtennis()
    with_surrogates = replace(model, settings=model.settings.changed(missing="surrogate"))
    dataset = Dataset(model.schema, [np.zeros(1, np.int32)] * 4, np.zeros(1, np.int32), np.ones(1))
    with pytest.raises(UsageError, match="cannot be raised"):
        prune(with_surrogates, Options(), dataset)
