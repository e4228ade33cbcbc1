"""The kernels of trees that are grown together, compiled and as plain Python."""

from __future__ import annotations

import importlib.util
from math import inf, nan
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import treecli.kernels
from treecli.kernels import samples


def _source() -> ModuleType:
    path = Path(treecli.kernels.__file__).parent / "samples.py"
    spec = importlib.util.spec_from_file_location("samples_as_python", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=[samples, _source()], ids=["installed", "python"])
def kernel(request: pytest.FixtureRequest) -> ModuleType:
    module: ModuleType = request.param
    return module


def test_cases_are_sorted_within_each_sample_and_equal_values_keep_their_order(kernel: ModuleType) -> None:
    column = np.array([[2.0, 1.0, 2.0, nan], [0.5, 0.5, 0.5, 0.1]])
    rank = np.array([[1, 0, 1, 2], [1, 1, 1, 0]], np.int32)
    row = np.array([2, 0, 1, 3, 0, 0, 1], np.int32)  # two samples: rows 2 0 1, and rows 3 0 0 1
    start, place = np.array([0, 3, 7], np.int64), np.empty(4, np.int64)
    case, value = np.empty((2, 7), np.int32), np.empty((2, 7))
    kernel.sort_cases(rank, np.array([3, 2], np.int64), start, row, place, column, case, value)
    assert case.tolist() == [[2, 0, 1, 6, 4, 5, 3], [0, 1, 2, 3, 4, 5, 6]]
    assert str(value.tolist()) == str([[1.0, 2.0, 2.0, 1.0, 2.0, 2.0, nan], [0.5, 0.5, 0.5, 0.1, 0.5, 0.5, 0.5]])


@pytest.mark.parametrize(
    ("number", "sample", "moved"),
    [
        (2.5, 0, 2.0),  # the largest value up to it
        (2.5, 1, 1.0),  # row 2, with the value 2, is not in sample 1
        (2.0, 0, 2.0),
        (2.9995, 0, 3.0),  # 3 is above it by less than the tolerance
        (2.9995, 1, 1.0),
        (inf, 1, 1.0),  # missing values are never reached
        (0.0, 1, 0.0),  # no value up to it: unchanged
    ],
)
def test_numbers_move_down_to_values_of_their_sample(
    kernel: ModuleType, number: float, sample: int, moved: float
) -> None:
    value, row = np.array([[1.0, 2.0, 3.0, nan]]), np.array([[0, 2, 1, 3]], np.int32)
    is_inside = np.array([[1, 1, 1, 1], [1, 0, 0, 1]], np.uint8)
    numbers, of = np.array([number]), np.array([sample], np.int32)
    kernel.move_to_values(value, row, is_inside, np.zeros(1, np.int32), of, 1e-3, numbers)
    assert numbers.tolist() == [moved]


def test_the_difference_of_a_value_and_a_number_decides_not_the_sum_with_the_tolerance(kernel: ModuleType) -> None:
    assert 0.0001918 - 0.0001908 < 1e-6
    assert 0.0001918 >= 0.0001908 + 1e-6
    value, row, numbers = np.array([[0.000185, 0.0001918]]), np.array([[0, 1]], np.int32), np.array([0.0001908])
    of, is_inside = np.zeros(1, np.int32), np.ones((1, 2), np.uint8)
    kernel.move_to_values(value, row, is_inside, of, of, 1e-6, numbers)
    assert numbers.tolist() == [0.0001918]


FIRST_CHILD, N_BRANCHES = np.array([2, 5, 0, 0, 0, 0, 0], np.int64), np.array([3, 2, 0, 0, 0, 0, 0], np.int32)
"""Two roots: node 0 with the children 2, 3, 4, and node 1 with 5 and 6."""


def test_numbers_of_roots_are_passed_down(kernel: ModuleType) -> None:
    number = np.array([8, 9, 0, 0, 0, 0, 0], np.int32)
    kernel.pass_down(0, FIRST_CHILD, N_BRANCHES, number)
    assert number.tolist() == [8, 9, 8, 8, 8, 9, 9]


def test_nodes_before_the_first_pass_nothing_down(kernel: ModuleType) -> None:
    number = np.array([8, 9, 0, 0, 0, 0, 0], np.int32)
    kernel.pass_down(1, FIRST_CHILD, N_BRANCHES, number)
    assert number.tolist() == [8, 9, 0, 0, 0, 9, 9]


def test_inner_nodes_have_the_sum_of_their_leaves(kernel: ModuleType) -> None:
    number = np.array([-1.0, -1.0, 1.0, 2.0, 4.0, 8.0, 16.0])
    kernel.sum_leaves(FIRST_CHILD, N_BRANCHES, number)
    assert number.tolist() == [7.0, 24.0, 1.0, 2.0, 4.0, 8.0, 16.0]
