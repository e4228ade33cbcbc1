"""Samples of growing size."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.experiment.test_folds import data
from treecli.experiment.curve import samples, usual_sizes


@given(codes=st.lists(st.integers(0, 3), min_size=12, max_size=60), seed=st.integers(0, 9))
def test_samples_are_nested_and_classes_keep_their_shares(codes: list[int], seed: int) -> None:
    sizes = usual_sizes(len(codes))
    before: set[int] = set()
    for fold in samples(data(codes), sizes, 1, seed):
        train = set(fold.train.tolist())
        assert before <= train
        assert sorted([*fold.train.tolist(), *fold.test.tolist()]) == list(range(len(codes)))
        for code in set(codes):
            expected = codes.count(code) * len(train) / len(codes)
            assert abs(sum(codes[row] == code for row in train) - expected) <= 2
        before = train


def test_repeats_differ_and_seeds_repeat_them() -> None:
    rows = data([0, 1] * 20)
    first, second = samples(rows, [10], 2, 5)
    (again,) = samples(rows, [10], 1, 6)
    assert not np.array_equal(first.train, second.train)
    assert second.train.tolist() == again.train.tolist()


def test_usual_sizes_leave_a_fifth_to_test_on() -> None:
    assert usual_sizes(150) == [15, 30, 60, 120]
    assert usual_sizes(14) == [2, 4, 8]
