"""Measures, against hand-worked numbers and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    accuracy_score,
    cohen_kappa_score,
    confusion_matrix,
    mean_absolute_error,
    precision_recall_fscore_support,
    r2_score,
    root_mean_squared_error,
)

from treecli.evaluate.metrics import classification, regression, wilson_interval

LABELS = ("a", "b", "c")
UNKNOWN = 3
"""What scikit-learn is told where we say -2: a label that is never predicted."""


def codes(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


@pytest.mark.parametrize(
    ("correct", "n", "low", "high"),
    [
        (85, 100, 0.767164, 0.906940),
        (10, 10, 0.722467, 1.0),
        (0, 10, 0.0, 1 - 0.722467),  # the mirror image of the line before
    ],
)
def test_wilson_intervals_are_those_of_the_formula(correct: int, n: int, low: float, high: float) -> None:
    found = wilson_interval(correct / n, n)
    assert found == pytest.approx((low, high), abs=5e-7)
    assert 0 <= found[0] <= found[1] <= 1


def test_a_small_case_worked_by_hand() -> None:
    # True a a a b b b, predicted a a b b b a: 4 of 6 right, kappa (4 - 3) / (6 - 3).
    measures = classification(("a", "b"), codes(0, 0, 0, 1, 1, 1), codes(0, 0, 1, 1, 1, 0), np.ones(6))
    assert (measures.n, measures.errors) == (6, 2)
    assert measures.accuracy == pytest.approx(4 / 6)
    assert measures.kappa == pytest.approx(1 / 3)
    assert measures.confusion == [[2, 1], [1, 2]]
    assert measures.confusion_other == [0, 0]
    assert [(c.label, c.support) for c in measures.per_class] == [("a", 3), ("b", 3)]
    assert [c.f1 for c in measures.per_class] == pytest.approx([2 / 3, 2 / 3])


def test_a_class_that_is_never_predicted_has_no_precision_and_one_that_never_occurs_no_recall() -> None:
    never_predicted, never_true, neither = classification(LABELS, codes(0, 0), codes(1, 1), np.ones(2)).per_class
    assert (never_predicted.precision, never_predicted.recall, never_predicted.f1) == (None, 0, 0)
    assert (never_true.precision, never_true.recall, never_true.f1) == (0, None, 0)
    assert (neither.precision, neither.recall, neither.f1) == (None, None, None)


def test_kappa_does_not_exist_where_chance_alone_is_always_right() -> None:
    assert classification(LABELS, codes(1, 1), codes(1, 1), np.ones(2)).kappa is None


def test_a_true_label_that_the_model_does_not_know_is_an_error_in_a_row_of_its_own() -> None:
    measures = classification(("a", "b"), codes(0, -2, -2), codes(0, 1, 0), np.array([1.0, 2.0, 0.5]))
    assert (measures.n, measures.errors) == (3.5, 2.5)
    assert measures.confusion == [[1, 0], [0, 0]]
    assert measures.confusion_other == [0.5, 2]


def test_weights_count_as_so_many_rows() -> None:
    actual, said = codes(0, 1, 1), codes(0, 1, 0)
    weighted = classification(("a", "b"), actual, said, np.array([1.0, 2.0, 3.0]))
    repeated = classification(("a", "b"), np.repeat(actual, [1, 2, 3]), np.repeat(said, [1, 2, 3]), np.ones(6))
    assert weighted == repeated


CASES = st.lists(
    st.tuples(st.sampled_from([0, 1, 2, -2]), st.integers(0, 2), st.integers(1, 12).map(lambda w: w / 4)),
    min_size=2,
    max_size=25,
)


@given(CASES)
def test_classification_agrees_with_scikit_learn(cases: list[tuple[int, int, float]]) -> None:
    actual, said = codes(*(case[0] for case in cases)), codes(*(case[1] for case in cases))
    weights = np.array([case[2] for case in cases])
    measures = classification(LABELS, actual, said, weights)
    theirs = np.where(actual < 0, UNKNOWN, actual)
    assert measures.accuracy == pytest.approx(accuracy_score(theirs, said, sample_weight=weights))
    n_correct = accuracy_score(theirs, said, normalize=False, sample_weight=weights)
    assert measures.errors == pytest.approx(weights.sum() - n_correct)
    counts = confusion_matrix(theirs, said, labels=[0, 1, 2, UNKNOWN], sample_weight=weights)
    np.testing.assert_allclose([*measures.confusion, measures.confusion_other], counts[:, :3])
    precision, recall, f1, support = precision_recall_fscore_support(
        theirs, said, labels=[0, 1, 2], sample_weight=weights, zero_division=np.nan
    )
    for index, found in enumerate(measures.per_class):
        assert found.support == pytest.approx(support[index])
        for ours, peer in ((found.precision, precision[index]), (found.recall, recall[index]), (found.f1, f1[index])):
            assert (np.nan if ours is None else ours) == pytest.approx(peer, nan_ok=True)
    if len({*theirs.tolist(), *said.tolist()}) > 1:
        assert measures.kappa == pytest.approx(cohen_kappa_score(theirs, said, sample_weight=weights))


NUMBERS = st.integers(-1000, 1000).map(lambda n: n / 8)


@given(st.lists(st.tuples(NUMBERS, NUMBERS, st.integers(1, 9).map(float)), min_size=2, max_size=25))
def test_regression_agrees_with_scikit_learn(cases: list[tuple[float, float, float]]) -> None:
    actual, said, weights = np.array(cases).T
    measures = regression(actual, said, weights)
    assert measures.n == weights.sum()
    assert measures.mae == pytest.approx(mean_absolute_error(actual, said, sample_weight=weights))
    assert measures.rmse == pytest.approx(root_mean_squared_error(actual, said, sample_weight=weights))
    if len(set(actual)) > 1:
        assert measures.r2 == pytest.approx(r2_score(actual, said, sample_weight=weights))


def test_r2_does_not_exist_where_all_true_values_are_the_same() -> None:
    measures = regression(np.array([2.0, 2.0]), np.array([2.0, 5.0]), np.ones(2))
    assert (measures.mae, measures.r2) == (1.5, None)
