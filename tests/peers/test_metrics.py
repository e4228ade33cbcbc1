"""Measures, compared with the installed scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecli.evaluate.confusion import Confusion
from treecli.evaluate.metrics import classification, regression
from treecli.evaluate.result import Result
from treecli.measures import value

pytestmark = pytest.mark.peers

LABELS = ("a", "b", "c")
UNKNOWN = 3
"""The label for scikit-learn where ours is -2: one that is never predicted."""


def codes(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


CASES = st.lists(
    st.tuples(st.sampled_from([0, 1, 2, -2]), st.integers(0, 2), st.integers(1, 12).map(lambda w: w / 4)),
    min_size=2,
    max_size=25,
)


@given(CASES)
def test_classification_agrees_with_scikit_learn(cases: list[tuple[int, int, float]]) -> None:
    from sklearn.metrics import (
        accuracy_score,
        cohen_kappa_score,
        confusion_matrix,
        matthews_corrcoef,
        precision_recall_fscore_support,
        recall_score,
    )

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
    counted = Confusion.of(len(LABELS), actual, said, weights)
    if len({*theirs.tolist(), *said.tolist()}) > 1:
        # 0 where ours is not defined.
        assert (counted.mcc() or 0.0) == pytest.approx(matthews_corrcoef(theirs, said, sample_weight=weights), abs=1e-9)
    # balanced_accuracy_score divides by the classes that occur, as recall does with these labels.
    occurring = sorted(set(theirs.tolist()))
    options = {"sample_weight": weights, "average": "macro", "zero_division": 0.0}
    assert counted.balanced_accuracy() == pytest.approx(recall_score(theirs, said, labels=occurring, **options))
    averages = precision_recall_fscore_support(theirs, said, **options)[:3]
    assert (counted.macro_precision(), counted.macro_recall(), counted.macro_f1()) == pytest.approx(averages)


SHARES = st.integers(0, 4).map(lambda n: n / 4)


@given(st.lists(st.tuples(st.integers(0, 1), SHARES, st.integers(1, 8).map(lambda w: w / 4)), min_size=2, max_size=25))
def test_probabilities_agree_with_scikit_learn(cases: list[tuple[int, float, float]]) -> None:
    from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

    actual = codes(*(case[0] for case in cases))
    second, weights = np.array([case[1] for case in cases]), np.array([case[2] for case in cases])
    result = Result(("a", "b"), actual, (second > 0.5).astype(np.int32), np.c_[1 - second, second], weights)
    assert value("log_loss", result) == pytest.approx(log_loss(actual, second, sample_weight=weights, labels=[0, 1]))
    expected = brier_score_loss(actual, second, sample_weight=weights, pos_label=1, labels=[0, 1])
    assert value("brier", result) == pytest.approx(expected)
    if len(set(actual.tolist())) == 2:
        assert value("auc", result) == pytest.approx(roc_auc_score(actual, second, sample_weight=weights))


NUMBERS = st.integers(-1000, 1000).map(lambda n: n / 8)


@given(st.lists(st.tuples(NUMBERS, NUMBERS, st.integers(1, 9).map(float)), min_size=2, max_size=25))
def test_regression_agrees_with_scikit_learn(cases: list[tuple[float, float, float]]) -> None:
    from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

    actual, said, weights = np.array(cases).T
    measures = regression(actual, said, weights)
    assert measures.n == weights.sum()
    assert measures.mae == pytest.approx(mean_absolute_error(actual, said, sample_weight=weights))
    assert measures.rmse == pytest.approx(root_mean_squared_error(actual, said, sample_weight=weights))
    if len(set(actual)) > 1:
        assert measures.r2 == pytest.approx(r2_score(actual, said, sample_weight=weights))
