"""McNemar's exact test."""

from __future__ import annotations

import json
from math import comb
from pathlib import Path

import pytest

from treecli.evaluate.mcnemar import least_p, mcnemar, worse
from treecli.evaluate.metrics import wilson_interval

STATSMODELS = json.loads((Path(__file__).parents[1] / "fixtures" / "measures" / "statsmodels.json").read_text())


def test_p_values_are_those_of_statsmodels() -> None:
    paired = STATSMODELS["paired_models"]
    (_, only_a), (only_b, _) = paired["table_both_right__only_a__only_b__neither"]
    assert mcnemar(only_a, only_b) == pytest.approx(paired["mcnemar_exact_p"], rel=1e-9)
    assert mcnemar(only_b, only_a) == pytest.approx(paired["mcnemar_exact_p"], rel=1e-9)
    assert worse(only_b, only_a) == pytest.approx(paired["one_sided_p_b_worse_than_a"], rel=1e-9)


@pytest.mark.parametrize("only_a", [0, 1, 5, 20, 400])
@pytest.mark.parametrize("only_b", [0, 1, 4, 20, 500])
def test_the_one_sided_p_value_is_a_sum_of_binomials(only_a: int, only_b: int) -> None:
    n = only_a + only_b
    expected = sum(comb(n, k) for k in range(only_a + 1)) / 2**n
    assert worse(only_a, only_b) == pytest.approx(expected, rel=1e-9)


def test_a_million_rows_are_no_trouble() -> None:
    # The normal approximation with continuity correction is good to four digits here: z = (500 - 0.5) / 500 = 0.999.
    assert worse(499_500, 500_500) == pytest.approx(0.158897, rel=1e-4)


@pytest.mark.parametrize(("only_a", "only_b"), [(0, 0), (3, 3), (2.5, 2.5)])
def test_models_without_a_difference_have_p_1(only_a: float, only_b: float) -> None:
    assert mcnemar(only_a, only_b) == 1


def test_weights_that_are_not_integers_lie_between() -> None:
    assert worse(3, 9) < worse(3.5, 9) < worse(4, 9)


def test_the_least_p_value_is_that_of_all_rows_against() -> None:
    assert least_p(4) == 0.0625 == pytest.approx(worse(0, 4))


@pytest.mark.parametrize("case", STATSMODELS["intervals"]["cases"], ids=lambda case: f"{case['right']}of{case['n']}")
def test_wilson_intervals_are_those_of_statsmodels(case: dict[str, float]) -> None:
    found = wilson_interval(case["right"] / case["n"], case["n"])
    assert found == pytest.approx(case["wilson"], rel=1e-9)
