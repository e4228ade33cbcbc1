"""The corrected t-test against Weka and SciPy, its Bayesian counterpart against baycomp."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.statistics.published import TEST_TO_TRAIN, differences, read
from treecli.errors import UsageError
from treecli.statistics.resampled import corrected_t, correlated_bayes

RELATIVE = 1e-9
PAIRS = read("weka_experiment")["pairs"]
BAYES = read("weka_experiment")["bayes"]


def named(case: dict[str, Any]) -> str:
    return "-".join(str(case[key]) for key in ("dataset", "a", "b", "rope") if key in case)


@pytest.mark.parametrize("pair", PAIRS, ids=named)
def test_the_corrected_t_test_is_that_of_wekas_experimenter(pair: dict[str, Any]) -> None:
    found = corrected_t(differences(pair["dataset"], pair["a"], pair["b"]), TEST_TO_TRAIN)
    assert found.df == 99
    assert found.difference == pytest.approx(pair["difference"], rel=RELATIVE)
    assert found.sd == pytest.approx(pair["sd"], rel=RELATIVE)
    assert found.t == pytest.approx(pair["t"], rel=RELATIVE)
    assert found.p == pytest.approx(pair["p_scipy"], rel=RELATIVE)
    # Weka computes with percentages of six decimals.
    assert found.p == pytest.approx(pair["p_weka"], rel=1e-4)
    verdict = 0 if found.p >= 0.05 else math.copysign(1, found.difference)
    assert verdict == pair["significance"]


@pytest.mark.parametrize(
    ("difference", "t", "p"),
    [(0.0, 0.0, 1.0), (0.25, math.inf, 0.0), (-0.25, -math.inf, 0.0)],
)
def test_equal_differences_have_p_1_if_they_are_0_and_p_0_otherwise(difference: float, t: float, p: float) -> None:
    found = corrected_t([difference] * 5, TEST_TO_TRAIN)
    assert (found.difference, found.sd, found.t, found.df, found.p) == (difference, 0.0, t, 4, p)


def test_the_noise_of_subtraction_is_no_spread() -> None:
    assert corrected_t([0.3 - 0.2, 0.2 - 0.1, 0.1], TEST_TO_TRAIN).sd == 0.0


def test_one_fold_is_refused() -> None:
    with pytest.raises(UsageError, match="needs two folds"):
        corrected_t([0.1], TEST_TO_TRAIN)


@pytest.mark.parametrize("case", BAYES, ids=named)
def test_the_correlated_t_test_is_that_of_baycomp(case: dict[str, Any]) -> None:
    found = correlated_bayes(differences(case["dataset"], case["a"], case["b"]), TEST_TO_TRAIN, case["rope"])
    expected = case["p"] if len(case["p"]) == 3 else (case["p"][0], 0.0, case["p"][1])
    # Differences of probabilities near 1, as baycomp's, have an absolute error of the last digit.
    assert tuple(found) == pytest.approx(expected, rel=RELATIVE, abs=1e-14)
    assert sum(found) == pytest.approx(1)


@pytest.mark.parametrize(
    ("difference", "rope", "chances"),
    [(0.0, 0.01, (0, 1, 0)), (0.02, 0.01, (1, 0, 0)), (-0.02, 0.01, (0, 0, 1)), (0.01, 0.01, (0, 1, 0))],
)
def test_equal_differences_leave_no_doubt(difference: float, rope: float, chances: tuple[int, ...]) -> None:
    assert tuple(correlated_bayes([difference] * 4, TEST_TO_TRAIN, rope)) == chances
