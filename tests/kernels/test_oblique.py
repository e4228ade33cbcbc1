"""The search for hyperplanes: one line search, against a computation of every plane on the line."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecli.kernels import oblique

POINTS = np.array([[1.0, 2.0], [2.0, 1.0], [2.0, 4.0], [3.0, 3.0]])
LABELS = [0, 0, 1, 1]


def problem(heights: list[float], slopes: list[float], labels: list[int]) -> oblique.Planes:
    """One node whose cases have these heights above a plane, and slopes along a line of planes."""
    n = len(labels)
    planes = oblique.Planes()
    planes.start, planes.share = np.array([0, n], np.int64), np.full(n, 1 / n)
    planes.label, planes.target, planes.is_numeric = np.array(labels, np.int32), np.zeros(n), False
    planes.height, planes.slope = np.array(heights), np.array(slopes)
    planes.value, planes.spare_value = np.empty((2, n))
    planes.row, planes.spare_row = np.empty((2, n), np.int32)
    planes.pending = np.empty(2 * n + 2, np.int64)
    planes.sums = np.zeros((2, max(labels) + 3))
    return planes


def worth(above: np.ndarray, labels: list[int]) -> float:
    """The sum of squared class weights over weight, of both sides."""
    found = 0.0
    for side in (above, ~above):
        counts = np.bincount(np.array(labels)[side]) / len(labels)
        found += (counts**2).sum() / counts.sum()
    return float(found)


def test_the_first_coefficient_of_a_plane_is_found_halfway() -> None:
    # a = (1, 1, -5): the heights are -2, -2, 1, 1, and a_1 separates the classes anywhere from 2/3 to 2.
    planes = problem([-2.0, -2.0, 1.0, 1.0], POINTS[:, 0].tolist(), LABELS)
    assert 1 + oblique.line_search(0.1, planes) == pytest.approx(4 / 3)
    assert planes.reached == pytest.approx(1.0)


def test_the_best_plane_may_lie_beyond_the_last_case() -> None:
    # From x1 - 1.5 in the direction (0, 1, -2.5), cases change sides at -3, -1, -1/3 and 1/3. The classes are apart
    # beyond 1/3 and, the other way round, before -3, which comes first.
    heights, slopes = POINTS[:, 0] - 1.5, POINTS[:, 1] - 2.5
    assert sorted(-heights / slopes) == pytest.approx([-3, -1, -1 / 3, 1 / 3])
    planes = problem(heights.tolist(), slopes.tolist(), LABELS)
    assert oblique.line_search(0.1, planes) == pytest.approx(-4)
    assert planes.reached == pytest.approx(1.0)
    for alpha in (-4, 4 / 3):
        assert worth(heights + alpha * slopes > 0, LABELS) == pytest.approx(1.0)


def test_values_are_standardised_in_each_node() -> None:
    planes = oblique.Planes()
    planes.start = np.array([0, 4, 7, 10, 12], np.int64)
    # Shares of the weight of each node.
    planes.share = np.array([0.25] * 4 + [0.5, 0.25, 0.25] + [1 / 3] * 3 + [0.5, 0.5])
    values = np.array([1.0, 3.0, np.nan, 3.0, 2.0, 6.0, 6.0, 5.0, 5.0, 5.0, np.inf, 0.0])
    z, scale = np.full((12, 2), 7.0), np.full((4, 2), 7.0)
    planes.z = z
    with np.errstate(invalid="ignore"):
        oblique.standardise(1, values, np.arange(12, dtype=np.int32), 0.5, planes, scale)
        oblique.standardise(0, values, np.arange(12, dtype=np.int32), 0.8, planes, scale)
    # Known values 1, 3, 3: mean 7/3, variance 8/9. Values 2, 6, 6 that weigh 2, 1, 1: mean 4, variance 4.
    assert scale[:, 1] == pytest.approx([8**0.5 / 3, 2.0, 0.0, 0.0])
    assert z[:4, 1] == pytest.approx(np.array([-4 / 3, 2 / 3, 0.0, 2 / 3]) * 3 / 8**0.5)
    assert z[4:, 1].tolist() == [-1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    # Three quarters of the first node are known, which is less than the share that is needed.
    assert scale[:, 0].tolist() == [0.0, *scale[1:, 1]]
    assert z[:4, 0].tolist() == [0.0] * 4


CASES = st.lists(st.tuples(st.integers(-4, 4), st.integers(-3, 3), st.integers(0, 2)), min_size=2, max_size=9)


@given(CASES)
def test_no_plane_of_the_line_is_better(cases: list[tuple[int, int, int]]) -> None:
    heights, slopes = np.array([c[0] for c in cases], float), np.array([c[1] for c in cases], float)
    labels = [c[2] for c in cases]
    turns = sorted({-h / s for h, s in zip(heights.tolist(), slopes.tolist(), strict=True) if s})
    planes = problem(heights.tolist(), slopes.tolist(), labels)
    alpha = oblique.line_search(1e-9, planes)
    if not turns:
        assert planes.reached == -np.inf
        return
    tried = [turns[0] - 1, *((a + b) / 2 for a, b in pairwise(turns)), turns[-1] + 1]
    sides = [heights + one * slopes > 0 for one in tried]
    worths = [worth(above, labels) for above in sides if 0 < above.sum() < len(cases)]
    assert planes.reached == pytest.approx(max(worths, default=-np.inf))
    if worths:
        assert worth(heights + alpha * slopes > 0, labels) == pytest.approx(max(worths))


@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e9])
@pytest.mark.parametrize("decimals", [0, 9])
def test_no_plane_of_the_line_is_better_with_many_cases(scale: float, decimals: int) -> None:
    random = np.random.default_rng(decimals)
    heights, slopes = np.round(random.normal(size=(2, 200)), decimals)
    heights *= scale
    labels = random.integers(0, 3, 200).tolist()
    turns = np.unique(-heights[slopes != 0] / slopes[slopes != 0])
    planes = problem(heights.tolist(), slopes.tolist(), labels)
    alpha = oblique.line_search(1e-9, planes)
    tried = [turns[0] - 1, *(turns[:-1] / 2 + turns[1:] / 2), turns[-1] + 1]
    sides = [heights + one * slopes > 0 for one in tried]
    best = max(worth(above, labels) for above in sides if 0 < above.sum() < 200)
    assert planes.reached == pytest.approx(best)
    assert worth(heights + alpha * slopes > 0, labels) == pytest.approx(best)
