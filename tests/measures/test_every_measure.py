"""Measures of predictions; scikit-learn 1.9.1 gave the numbers in tests/fixtures/measures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecli import measures, plugins
from treecli.errors import UsageError
from treecli.evaluate.probabilistic import aucs, zero_probability_rows
from treecli.evaluate.result import Result

TABLES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "fixtures" / "measures" / "scikit_learn.json").read_text()
)["tables"]

NAMES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced_accuracy",
    "kappa": "kappa",
    "mcc": "mcc",
    "macro_f1": "macro_f1",
    "log_loss": "log_loss_clipped",
    "squared_loss": "brier_multiclass_sum",
}
"""Our names and those of the fixture."""


def result_of(table: dict[str, Any], is_weighted: bool) -> Result:
    probabilities = np.array(table["probabilities"])
    weights = np.array(table["weights"] if is_weighted else [1.0] * len(probabilities))
    predicted = probabilities.argmax(axis=1).astype(np.int32)
    return Result(tuple(table["labels"]), np.array(table["truth"], np.int32), predicted, probabilities, weights)


def nominal(actual: list[int], predicted: list[int], n_labels: int = 2, **fields: Any) -> Result:
    """A result whose probabilities are 1 for the predicted class."""
    codes = np.array(predicted, np.int32)
    given = {"probabilities": np.eye(n_labels)[codes], "weights": np.ones(len(codes))} | fields
    return Result(tuple("abcdef"[:n_labels]), np.array(actual, np.int32), codes, **given)


def numeric(actual: list[float], predicted: list[float], weights: list[float] | None = None) -> Result:
    return Result((), np.array(actual), np.array(predicted), None, np.array(weights or [1.0] * len(actual)))


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table['dataset']}-{table['min_samples_leaf']}")
def test_every_number_is_that_of_scikit_learn(table: dict[str, Any], is_weighted: bool) -> None:
    result = result_of(table, is_weighted)
    expected = table["measures_weighted" if is_weighted else "measures"]
    for name, theirs in NAMES.items():
        assert measures.value(name, result) == pytest.approx(expected[theirs], rel=1e-9), name
    actual: Any = result.actual
    assert result.probabilities is not None
    assert zero_probability_rows(actual, result.probabilities, result.weights) == expected["rows_with_probability_0"]
    if len(table["labels"]) == 2:
        assert measures.value("brier", result) == pytest.approx(expected["brier_binary"], rel=1e-9)
        assert measures.value("auc", result) == pytest.approx(expected["auc"], rel=1e-9)
    else:
        assert measures.value("brier", result) == pytest.approx(expected["brier_multiclass_sum"], rel=1e-9)
        assert result.aucs == pytest.approx([expected["auc_one_vs_rest"][label] for label in result.labels], rel=1e-9)
        assert measures.value("auc", result) == pytest.approx(expected["auc_ovr_macro"], rel=1e-9)
        assert measures.value("auc_weighted", result) == pytest.approx(expected["auc_ovr_weighted"], rel=1e-9)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # True a a a b, predicted a a b b: by hand.
        ("accuracy", 3 / 4),
        ("errors", 1.0),
        ("zero_one_loss", 1 / 4),
        ("balanced_accuracy", (2 / 3 + 1) / 2),
        ("macro_precision", (1 + 1 / 2) / 2),
        ("macro_recall", (2 / 3 + 1) / 2),
        ("macro_f1", (4 / 5 + 2 / 3) / 2),
        ("mcc", 2 / 12**0.5),
        ("absolute_loss", 2 / 4),
        ("squared_loss", 2 / 4),
        ("brier", 1 / 4),
        ("cost", 5 / 4),
        ("leaves", 7),
    ],
)
def test_a_measure_of_four_rows_by_hand(name: str, expected: float) -> None:
    result = nominal([0, 0, 0, 1], [0, 0, 1, 1], n_leaves=7, costs=((0, 5), (1, 0)))
    assert measures.value(name, result) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "expected"),
    # Differences 1 (weight 3) and 3 (weight 1); the mean is 1, the squared deviation 3·1 + 1·9 = 12.
    [("mae", 1.5), ("rmse", 3**0.5), ("r2", 0.0), ("squared_loss", 3.0), ("absolute_loss", 1.5)],
)
def test_a_measure_of_numbers_by_hand(name: str, expected: float) -> None:
    result = numeric([0.0, 4.0], [1.0, 1.0], [3.0, 1.0])
    assert measures.value(name, result) == pytest.approx(expected, abs=1e-12)


def test_a_row_of_an_unknown_label_is_wrong_in_every_measure() -> None:
    known, more = nominal([0, 1], [0, 1]), nominal([0, 1, -2], [0, 1, 1])
    for name in measures.names_for(True):
        best, value = measures.value(name, known), measures.value(name, more)
        if best is None or name == "leaves":
            continue
        assert value is not None
        assert value < best if measures.measure(name).LARGER_IS_BETTER else value > best, name


def test_a_cost_is_not_defined_for_a_row_of_an_unknown_label() -> None:
    assert measures.value("cost", nominal([0, -2], [0, 1], costs=((0, 1), (1, 0)))) is None


@pytest.mark.parametrize("name", ["mcc", "kappa", "auc", "auc_weighted", "cost", "leaves"])
def test_a_measure_that_one_class_does_not_define_is_none(name: str) -> None:
    assert measures.value(name, nominal([0, 0], [0, 0])) is None


def test_an_absent_class_has_no_area_and_is_left_out_of_the_means() -> None:
    result = nominal([0, 0, 1], [0, 1, 1], n_labels=3)
    assert result.aucs == [0.75, 0.75, None]
    assert measures.value("auc", result) == measures.value("auc_weighted", result) == 0.75


@pytest.mark.parametrize("name", plugins.names("measures"))
def test_a_measure_does_not_depend_on_the_unit_of_the_weights(name: str) -> None:
    table = TABLES[2]
    one = result_of(table, is_weighted=True)
    if measures.measure(name).TARGET == "numeric":
        one = numeric([1.0, 2.0, 4.0], [1.5, 2.0, 3.0], [1.0, 2.0, 3.0])
    for unit in (1e-40, 1e40):
        other = Result(one.labels, one.actual, one.predicted, one.probabilities, one.weights * unit)
        scale = unit if name == "errors" else 1.0
        expected = measures.value(name, one)
        if expected is not None:
            assert measures.value(name, other) == pytest.approx(expected * scale, rel=1e-9)


@pytest.mark.parametrize("name", plugins.names("measures"))
def test_a_row_of_weight_two_counts_like_two_rows(name: str) -> None:
    if measures.measure(name).TARGET == "numeric":
        twice, heavy = numeric([1.0, 1.0, 2.0], [1.5, 1.5, 0.0]), numeric([1.0, 2.0], [1.5, 0.0], [2.0, 1.0])
    else:
        twice = nominal([0, 0, 1, 1], [1, 1, 1, 0], costs=((0, 1), (2, 0)))
        heavy = nominal([0, 1, 1], [1, 1, 0], weights=np.array([2.0, 1.0, 1.0]), costs=((0, 1), (2, 0)))
    assert measures.value(name, twice) == measures.value(name, heavy)


ROWS = st.lists(st.tuples(st.integers(-1, 2), st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=20)


@given(ROWS)
def test_the_area_is_the_share_of_the_pairs_in_the_right_order(rows: list[tuple[int, int, int]]) -> None:
    actual = np.array([row[0] for row in rows], np.int32)
    score, weights = np.array([row[1] / 4 for row in rows]), np.array([row[2] for row in rows], float)
    if not weights.any():
        return
    found = aucs(actual, np.c_[score, 1 - score, score], weights)
    for label, scores in enumerate((score, 1 - score, score)):
        pairs = [(a, b) for a in np.flatnonzero(actual == label) for b in np.flatnonzero(actual != label)]
        whole = sum(weights[a] * weights[b] for a, b in pairs)
        right = sum(
            weights[a] * weights[b] * ((scores[a] > scores[b]) + (scores[a] == scores[b]) / 2) for a, b in pairs
        )
        assert found[label] == (pytest.approx(right / whole) if whole else None)


def test_both_spellings_of_a_name_are_accepted() -> None:
    assert measures.measure("log-loss") is measures.measure("log_loss")


def test_an_unknown_measure_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="unknown measure 'acuracy'") as error:
        measures.measure("acuracy")
    assert error.value.hint == "did you mean 'accuracy'?"


def test_a_measure_for_the_other_kind_of_target_is_refused() -> None:
    with pytest.raises(UsageError, match="rmse is a measure for a numeric target, but the target is nominal"):
        measures.check(["accuracy", "rmse"], is_classification=True)
    measures.check(["rmse", "leaves"], is_classification=False)
