"""Measures, compared with values computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from treecli.evaluate.metrics import classification, regression, wilson_interval

LABELS = ("a", "b", "c")


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


def test_r2_does_not_exist_where_all_true_values_are_the_same() -> None:
    measures = regression(np.array([2.0, 2.0]), np.array([2.0, 5.0]), np.ones(2))
    assert (measures.mae, measures.r2) == (1.5, None)


# The expected numbers of the next two are those of scikit-learn 1.9.1.
def test_weighted_cases_of_three_classes_and_an_unknown_one() -> None:
    weights = np.array([1, 0.5, 2, 0.25, 1, 3, 0.75, 1.5])
    measures = classification(LABELS, codes(0, 0, 1, 1, 2, 2, 2, -2), codes(0, 1, 1, 1, 2, 0, 2, 1), weights)
    assert measures.accuracy == pytest.approx(0.5)
    assert measures.kappa == pytest.approx(0.34318555008210183)
    assert [each.precision for each in measures.per_class] == pytest.approx([0.25, 0.52941176, 1.0])
    assert [each.recall for each in measures.per_class] == pytest.approx([0.66666667, 1.0, 0.36842105])
    assert [each.f1 for each in measures.per_class] == pytest.approx([0.36363636, 0.69230769, 0.53846154])
    assert [each.support for each in measures.per_class] == [1.5, 2.25, 4.75]


def test_weighted_cases_of_a_numeric_target() -> None:
    actual, said = np.array([1.5, -2, 0.25, 8]), np.array([1, -1, 0.5, 6.5])
    measures = regression(actual, said, np.array([1, 2, 0.5, 3]))
    assert measures.mae == pytest.approx(1.0961538461538463)
    assert measures.rmse == pytest.approx(1.1787379169786119)
    assert measures.r2 == pytest.approx(0.9307082257469569)
