"""C5.0's choice between splits: values worked by hand from the published rules; no C5.0 was run."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

from treecli.scorers.c50 import chosen, least_gain


@pytest.mark.parametrize(
    ("n_all", "limit"),
    [
        # Two classes, three usable inputs of gains 0.1, 0.2 and 0.6 (mean 0.3), 50 cases at the node.
        (100, 0.3),
        (1001, 0.3),  # 500 cases per class, rounded down
        (1500, 0.5 * 0.3 + 0.5 * 0.9 * log2(3) / 50),
        (2000, 0.9 * log2(3) / 50),
        (90000, 0.9 * log2(3) / 50),
    ],
)
def test_the_least_gain_is_the_mean_with_few_cases_and_the_price_of_an_input_with_many(
    n_all: float, limit: float
) -> None:
    gain = np.array([[0.1], [0.2], [0.6], [0.0]])
    is_usable = np.array([[True], [True], [True], [False]])
    found = least_gain(gain, is_usable, np.array([50.0]), n_all, np.array([[30.0, 20.0]]))
    assert found == pytest.approx([limit])


@pytest.mark.parametrize(
    ("ratio", "gain", "n_branches", "best"),
    [
        ([0.5, 0.6], [0.1, 0.1], [3, 3], 1),
        ([0.5, 0.5003], [0.2, 0.2], [3, 5], 0),  # a near tie goes to fewer branches
        ([0.5003, 0.5], [0.2, 0.2], [5, 3], 1),
        ([0.5003, 0.5], [0.2, 0.2], [5, 5], 0),  # as many branches and as much gain: the first
        ([0.5003, 0.5], [0.2, 0.3], [5, 5], 1),  # as many branches: the larger gain
        ([0.5, 0.502], [0.9, 0.1], [3, 9], 1),  # no near tie
        ([-np.inf, 0.1], [0.5, 0.1], [3, 9], 1),
        ([0.1, -np.inf], [0.1, 0.5], [9, 3], 0),
    ],
)
def test_ratios_within_a_thousandth_are_a_tie(
    ratio: list[float], gain: list[float], n_branches: list[int], best: int
) -> None:
    columns = (np.array(values)[:, None] for values in (ratio, gain, n_branches))
    assert chosen(*columns).tolist() == [best]
