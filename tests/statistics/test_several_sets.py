"""Tests over several data sets against SciPy, scikit-posthocs and baycomp, on published tables."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.statistics.published import read
from treecli.statistics.pairs import cliques, holm, minimum_p, sets_needed, signed_rank_bayes, wilcoxon
from treecli.statistics.ranks import critical_difference, friedman, mean_ranks, nemenyi_p

RELATIVE = 1e-9
SEVERAL = read("several_sets")
PUBLISHED = ("demsar2006", "garcia_herrera2008")
TABLES = (*PUBLISHED, "weka_means")


def differences(name: str, a: int, b: int) -> list[float]:
    return [scores[a] - scores[b] for scores in SEVERAL[name]["values"]]


@pytest.mark.parametrize("name", PUBLISHED)
def test_friedman_and_iman_davenport_are_corrected_for_ties(name: str) -> None:
    table = SEVERAL[name]
    found = friedman(table["values"])
    assert mean_ranks(table["values"]) == pytest.approx(table["mean_ranks"], rel=RELATIVE)
    assert found.chi2 == pytest.approx(table["friedman"]["chi2"], rel=RELATIVE)
    assert found.chi2_p == pytest.approx(table["friedman"]["p"], rel=RELATIVE)
    assert found.f == pytest.approx(table["iman_davenport"]["f"], rel=RELATIVE)
    assert list(found.df) == table["iman_davenport"]["df"]
    assert found.p == pytest.approx(table["iman_davenport"]["p"], rel=RELATIVE)


def test_means_that_differ_in_the_last_bit_are_tied() -> None:
    # rep and reptree have 0.9386666666666668 and 0.9386666666666669 on iris: both have the rank 3.5.
    table = SEVERAL["weka_means"]["values"]
    assert mean_ranks(table) == pytest.approx([10 / 6, 10 / 6, 19.5 / 6, 20.5 / 6])
    # 12 / (6 * 4 * 5) * (10² + 10² + 19.5² + 20.5²) - 3 * 6 * 5, divided by 1 - (2³ - 2) / (6 * (4³ - 4)).
    chi2 = 10.05 / (59 / 60)
    found = friedman(table)
    assert found.chi2 == pytest.approx(chi2, rel=RELATIVE)
    assert found.f == pytest.approx(5 * chi2 / (18 - chi2), rel=RELATIVE)


@pytest.mark.parametrize(
    ("table", "chi2", "f", "p"),
    [
        ([[0.5, 0.5, 0.5]] * 4, 0.0, 0.0, 1.0),
        # Every data set ranks alike: the chi-square is at its largest, n (k - 1).
        ([[0.9, 0.8, 0.7]] * 4, 8.0, math.inf, 0.0),
    ],
)
def test_friedmans_extremes_are_not_divided_by_0(table: list[list[float]], chi2: float, f: float, p: float) -> None:
    found = friedman(table)
    assert (found.chi2, found.f, found.p) == (chi2, f, p)


@pytest.mark.parametrize("name", TABLES)
def test_wilcoxon_splits_zeros(name: str) -> None:
    for case in SEVERAL[name]["wilcoxon"]:
        given_differences = differences(name, case["a"], case["b"])
        found = wilcoxon(given_differences)
        assert found.statistic == case["statistic"]
        assert [found.wins, found.ties, found.losses] == case["win_tie_loss"]
        sizes = [abs(round(difference, 12)) for difference in given_differences]
        is_plain = len(set(sizes)) == len(sizes) and 0 not in sizes
        if is_plain or len(sizes) > 13:
            expected = case["exact"] if is_plain else case["asymptotic"]
            assert found.p == pytest.approx(expected, rel=RELATIVE)


def test_wilcoxon_is_exact_with_ties_on_few_data_sets() -> None:
    # |d| has the ranks 1 2 3.5 3.5; R- is 2. Of the 16 sums of signed ranks 0 1 2 3 3.5 3.5 4.5 4.5 5.5 …, three are
    # at most 2, so p is 2 * 3 / 16.
    assert wilcoxon([0.1, -0.2, 0.3, 0.3]).p == pytest.approx(6 / 16)


def test_wilcoxon_of_equal_learners_has_p_1() -> None:
    found = wilcoxon([0.1 + 0.2 - 0.3, 0.0])
    assert (found.wins, found.ties, found.losses, found.median, found.p) == (0, 2, 0, 0.0, 1.0)


@pytest.mark.parametrize("name", TABLES)
def test_holm_steps_down(name: str) -> None:
    table = SEVERAL[name]
    found = holm([case["asymptotic"] for case in table["wilcoxon"]])
    assert found == pytest.approx(table["holm_asymptotic"], rel=RELATIVE)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_never_lowers_p_and_keeps_the_order(p_values: list[float]) -> None:
    corrected = holm(p_values)
    assert all(p <= own <= 1 for p, own in zip(p_values, corrected, strict=True))
    by_p = [corrected[index] for index in sorted(range(len(p_values)), key=p_values.__getitem__)]
    assert by_p == sorted(by_p)


@pytest.mark.parametrize("name", TABLES)
def test_nemenyi_is_that_of_scikit_posthocs(name: str) -> None:
    table = SEVERAL[name]
    n_sets, n_learners = len(table["values"]), len(table["names"])
    for alpha, cd in table["nemenyi_cd"].items():
        assert critical_difference(n_learners, n_sets, float(alpha)) == pytest.approx(cd, rel=1e-7)
    for a, b in combinations(range(n_learners), 2):
        difference = table["mean_ranks"][a] - table["mean_ranks"][b]
        assert nemenyi_p(difference, n_learners, n_sets) == pytest.approx(table["nemenyi_p"][a][b], rel=1e-6)


@pytest.mark.parametrize("case", SEVERAL["nemenyi_pool_paradox"], ids=lambda case: "+".join(case["pool"]))
def test_nemenyi_depends_on_the_other_learners(case: dict[str, Any]) -> None:
    table = SEVERAL["garcia_herrera2008"]
    chosen = [table["names"].index(name) for name in case["pool"]]
    ranks = mean_ranks([[scores[learner] for learner in chosen] for scores in table["values"]])
    difference = abs(ranks[case["pool"].index("C4.5")] - ranks[case["pool"].index("CN2")])
    cd = critical_difference(len(chosen), len(table["values"]), 0.05)
    assert difference == pytest.approx(case["rank_difference"], rel=RELATIVE)
    assert cd == pytest.approx(case["cd"], rel=1e-7)
    assert (difference > cd) == case["significant"]


@pytest.mark.parametrize("case", SEVERAL["signed_rank"], ids=lambda case: f"{case['a']}-{case['b']}")
def test_the_bayesian_signed_rank_test_is_that_of_baycomp(case: dict[str, Any]) -> None:
    found = signed_rank_bayes(differences(case["table"], case["a"], case["b"]), case["rope"], seed=1)
    assert tuple(found) == pytest.approx(case["p"], abs=0.01)  # both are Monte Carlo estimates


def test_the_bayesian_signed_rank_test_repeats_with_its_seed() -> None:
    given_differences = [0.01, -0.02, 0.03, 0.0, 0.015]
    first = signed_rank_bayes(given_differences, 0.01, seed=3)
    assert first == signed_rank_bayes(given_differences, 0.01, seed=3)
    assert first != signed_rank_bayes(given_differences, 0.01, seed=4)
    assert sum(first) == pytest.approx(1)


@pytest.mark.parametrize(("difference", "outcome"), [(0.1, 0), (0.0, 1), (-0.1, 2)])
def test_the_bayesian_signed_rank_test_sees_the_obvious(difference: float, outcome: int) -> None:
    assert signed_rank_bayes([difference] * 12, 0.01, seed=1)[outcome] > 0.99


@pytest.mark.parametrize(("n_learners", "n_sets"), [(3, 7), (4, 8), (6, 10), (10, 11)])
def test_the_number_of_data_sets_that_holm_needs(n_learners: int, n_sets: int) -> None:
    n_pairs = math.comb(n_learners, 2)
    assert sets_needed(n_pairs, 0.05) == n_sets
    assert minimum_p(n_sets) <= 0.05 / n_pairs < minimum_p(n_sets - 1)


@pytest.mark.parametrize(
    ("n_learners", "different", "expected"),
    [
        (3, [], [(0, 1, 2)]),
        (3, [(0, 1), (0, 2), (1, 2)], [(0,), (1,), (2,)]),
        # A pair that differs is in no set, also if a third learner differs from neither (overlapping sets).
        (3, [(0, 2)], [(0, 1), (1, 2)]),
        (4, [(0, 1), (2, 3)], [(0, 2), (0, 3), (1, 2), (1, 3)]),
    ],
)
def test_cliques_are_the_maximal_sets_without_a_different_pair(
    n_learners: int, different: list[tuple[int, int]], expected: list[tuple[int, ...]]
) -> None:
    assert cliques(n_learners, different) == expected


@given(st.integers(1, 7), st.data())
def test_cliques_are_all_maximal_sets(n_learners: int, data: st.DataObject) -> None:
    pairs = list(combinations(range(n_learners), 2))
    different = set(data.draw(st.lists(st.sampled_from(pairs), unique=True))) if pairs else set()
    alike = [
        members
        for size in range(1, n_learners + 1)
        for members in combinations(range(n_learners), size)
        if not different & set(combinations(members, 2))
    ]
    maximal = [members for members in alike if not any(set(members) < set(other) for other in alike)]
    assert cliques(n_learners, different) == sorted(maximal)
