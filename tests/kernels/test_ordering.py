"""The order of cases in open children: by value within each child, missing values last."""

from __future__ import annotations

import numpy as np
import pytest

from treecli.grow.level import SortedCases
from treecli.kernels import ordering
from treecli.kernels.args import Moves


@pytest.mark.parametrize("seed", range(20))
def test_whole_cases_are_ordered_as_cases_that_may_be_divided(seed: int) -> None:
    random = np.random.default_rng(seed)
    n_cases, n_children = int(random.integers(1, 200)), int(random.integers(1, 5))
    values = np.where(random.random(n_cases) < 0.2, np.nan, random.integers(0, 9, n_cases).astype(float))
    case = np.argsort(values, kind="stable").astype(np.int32)
    old = SortedCases(case, values[case], np.array([np.count_nonzero(values == values)], np.int64))
    child = random.integers(-1, n_children, n_cases)  # -1: the case reaches a leaf
    moving = np.flatnonzero(child >= 0)
    by_child = moving[np.argsort(child[moving], kind="stable")]
    place = np.full(n_cases, -1, np.int64)
    place[by_child] = np.arange(len(by_child))
    start = np.concatenate([[0], np.cumsum(np.bincount(child[moving], minlength=n_children))])
    moves = Moves()
    moves.start = np.concatenate([[0], np.cumsum(child >= 0)]).astype(np.int32)
    moves.to = place[moving].astype(np.int32)
    moves.branch = child[by_child].astype(np.int32)

    found = []
    for is_whole in (False, True):
        empty = np.empty(len(moving), np.int32), np.empty(len(moving)), np.zeros(n_children, np.int64)
        new = SortedCases(*empty)
        if is_whole:
            place_of_case = np.where(child >= 0, child << ordering.PLACE_BITS | place, -1)
            ordering.keep_order_of_whole(old.args, place_of_case, start[:-1].copy(), new.args)
        else:
            ordering.keep_order(old.args, moves, start[:-1].copy(), new.args)
        found.append((new.case.tolist(), [repr(value) for value in new.value], new.n_known.tolist()))
    assert found[0] == found[1]

    for i in range(n_children):
        own = values[child == i]
        assert found[1][2][i] == np.count_nonzero(own == own)
        assert found[1][1][start[i] : start[i + 1]] == [repr(value) for value in np.sort(own)]
