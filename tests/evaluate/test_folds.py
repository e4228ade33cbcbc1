"""Folds: every row in one of them, classes in their shares, and Weka's to the row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecli.evaluate.folds import JavaRandom, in_weka_strata, like_weka, stratified


@pytest.mark.parametrize(
    ("seed", "bound", "drawn"),
    # Printed by java.util.Random of OpenJDK 17.
    [
        (42, 10, [0, 3, 8, 4, 0, 5, 5, 8, 9, 3]),
        (1, 8, [5, 0, 3, 3, 1, 0]),
        (7, (1 << 30) + 5, [20678044, 747989380, 1053566254, 755731200, 259278708]),
    ],
)
def test_random_numbers_are_those_of_java(seed: int, bound: int, drawn: list[int]) -> None:
    random = JavaRandom(seed)
    assert [random.below(bound) for _ in drawn] == drawn


def test_rows_are_put_into_strata_by_wekas_swaps() -> None:
    # By hand. Classes 0 1 0 1 0: from row 0 on, row 2 changes places with row 1, then row 4 with row 1 again, which
    # gives 0 2 4 3 1; dealt out over two folds: 0 4 1 and 2 3.
    assert in_weka_strata(np.array([0, 1, 0, 1, 0], np.int32), 2, [0, 1, 2, 3, 4]) == [0, 4, 1, 2, 3]


def test_a_numeric_target_has_no_strata() -> None:
    assert in_weka_strata(np.array([0.5, 1.5, 0.5]), 2, [2, 0, 1]) == [2, 0, 1]


@pytest.mark.parametrize("divide", [stratified, like_weka])
@given(codes=st.lists(st.integers(-1, 3), min_size=6, max_size=60), n_folds=st.integers(2, 6), seed=st.integers(0, 99))
def test_every_row_is_in_one_fold_and_classes_differ_by_few(divide, codes: list[int], n_folds: int, seed: int) -> None:  # type: ignore[no-untyped-def]
    target = np.array(codes, np.int32)
    folds = list(divide(target, n_folds, seed))
    assert sorted(np.concatenate([inside for _, inside in folds]).tolist()) == list(range(len(codes)))
    for outside, inside in folds:
        assert sorted([*outside.tolist(), *inside.tolist()]) == list(range(len(codes)))
    for code in set(codes):
        counts = [int(np.count_nonzero(target[inside] == code)) for _, inside in folds]
        assert max(counts) - min(counts) <= 2


def test_another_seed_gives_other_folds_and_the_same_seed_the_same() -> None:
    target = np.zeros(50, np.int32)
    first, again, other = ([inside.tolist() for _, inside in stratified(target, 5, seed)] for seed in (1, 1, 2))
    assert first == again
    assert first != other
