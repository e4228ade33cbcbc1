"""Measures, compared with the installed scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecli.evaluate.metrics import classification, regression

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
    from sklearn.metrics import accuracy_score, cohen_kappa_score, confusion_matrix, precision_recall_fscore_support

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
    from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

    actual, said, weights = np.array(cases).T
    measures = regression(actual, said, weights)
    assert measures.n == weights.sum()
    assert measures.mae == pytest.approx(mean_absolute_error(actual, said, sample_weight=weights))
    assert measures.rmse == pytest.approx(root_mean_squared_error(actual, said, sample_weight=weights))
    if len(set(actual)) > 1:
        assert measures.r2 == pytest.approx(r2_score(actual, said, sample_weight=weights))
