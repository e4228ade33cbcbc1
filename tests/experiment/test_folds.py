"""Folds of an experiment: repeated, leave-one-out, by groups."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecli.data import Attribute, Dataset, Schema
from treecli.errors import DataError, UsageError
from treecli.evaluate.folds import like_weka, stratified
from treecli.experiment.folds import Division, check_classes, folds_of, rare_class


def data(codes: list[int], n_labels: int = 4) -> Dataset:
    schema = Schema((Attribute("x", "numeric"),), Attribute("y", "nominal", tuple("abcdef"[:n_labels])))
    n = len(codes)
    return Dataset(schema, [np.arange(n, dtype=np.float64)], np.array(codes, np.int32), np.ones(n))


def test_run_r_uses_the_seed_plus_r_minus_1() -> None:
    rows = data([0, 1, 2] * 10)
    for like, divide in (("random", stratified), ("weka", like_weka)):
        found = folds_of(rows, Division(5, 3, like, 7), "rows")
        assert (found.repeats, found.n_folds, len(found)) == (3, 5, 15)
        for run in (1, 2, 3):
            assert rows.target is not None
            for fold, (outside, inside) in enumerate(divide(rows.target, 5, 7 + run - 1), 1):
                own = found[(run - 1) * 5 + fold - 1]
                assert (own.run, own.fold) == (run, fold)
                assert own.train.tolist() == outside.tolist()
                assert own.test.tolist() == inside.tolist()
                assert (found.fold_of_row(run)[inside] == fold).all()


def test_leave_one_out_tests_each_row_once_in_the_order_of_the_file() -> None:
    found = folds_of(data([0, 1, 1, 0, 1]), Division(None), "rows")
    assert [fold.test.tolist() for fold in found] == [[0], [1], [2], [3], [4]]
    assert found[2].train.tolist() == [0, 1, 3, 4]


def test_leave_one_out_by_groups_leaves_out_a_group_at_a_time() -> None:
    found = folds_of(data([0, 1, 1, 0, 1]), Division(None), "rows", np.array([3, 1, 3, 2, 1]))
    assert [fold.test.tolist() for fold in found] == [[1, 4], [3], [0, 2]]


@given(
    rows=st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 8)), min_size=4, max_size=60),
    n_folds=st.integers(2, 4),
    seed=st.integers(0, 9),
)
def test_no_group_is_in_two_folds_and_every_row_is_in_one(rows, n_folds: int, seed: int) -> None:  # type: ignore[no-untyped-def]
    groups = np.array([group for _, group in rows])
    if len(set(groups.tolist())) < n_folds:
        return
    found = folds_of(data([code for code, _ in rows]), Division(n_folds, 2, "random", seed), "rows", groups)
    for run in (1, 2):
        own = [fold for fold in found if fold.run == run]
        assert sorted(row for fold in own for row in fold.test.tolist()) == list(range(len(rows)))
        for fold in own:
            assert len(fold.test), "no fold is empty"
            assert not set(groups[fold.test].tolist()) & set(groups[fold.train].tolist())
            assert sorted([*fold.train.tolist(), *fold.test.tolist()]) == list(range(len(rows)))


def test_groups_are_dealt_largest_first_and_classes_evenly() -> None:
    # By hand: A and B are the largest and go to different folds. C shares its class with A, D with B, so each
    # joins the other.
    codes = [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1]
    groups = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3])
    for seed in range(5):
        fold_of = folds_of(data(codes), Division(2, 1, "random", seed), "rows", groups).fold_of_row(1)
        assert fold_of[0] == fold_of[10] != fold_of[4] == fold_of[8]


@pytest.mark.parametrize(
    ("division", "groups", "error", "message"),
    [
        (Division(7), None, UsageError, "rows: 7 folds of 6 rows"),
        (Division(4), [0, 0, 1, 1, 2, 2], DataError, "rows: 4 folds of 3 groups"),
        (Division(None), [5] * 6, DataError, "rows: 1 fold of 1 group"),
        (Division(3, 1, "weka"), [0, 0, 1, 1, 2, 2], UsageError, "--groups and --folds-like weka exclude each other"),
    ],
)
def test_too_many_folds_are_refused(division, groups, error, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(error, match=f"^{message}$"):
        folds_of(data([0, 1] * 3), division, "rows", None if groups is None else np.array(groups))


def test_leave_one_out_is_neither_repeated_nor_like_weka() -> None:
    with pytest.raises(UsageError, match="only one way"):
        Division(None, 2)
    with pytest.raises(UsageError, match="exclude each other"):
        Division(None, 1, "weka")


def test_a_class_with_fewer_rows_than_folds_is_named() -> None:
    assert rare_class(data([0, 0, 0, 1, 1]), 2) is None
    assert rare_class(data([0, 0, 0, 1, 1]), 3) == (
        "3 folds, but only 2 rows of the class 'b': some folds have none to test"
    )


@pytest.mark.parametrize(("codes", "found"), [([2, 2, -1], "one class, 'c'"), ([-1, -1], "no class")])
def test_fewer_than_two_classes_are_refused(codes: list[int], found: str) -> None:
    with pytest.raises(DataError, match=f"rows: found {found}, in the target 'y', expected two or more"):
        check_classes(data(codes), "rows")
