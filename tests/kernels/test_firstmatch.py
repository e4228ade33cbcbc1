"""The kernels of rule lists by themselves, as machine code and as the Python file that they are."""

from __future__ import annotations

import importlib.util
from math import inf, nan
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import treecli.kernels
from treecli.kernels import firstmatch


def _source() -> ModuleType:
    path = Path(treecli.kernels.__file__).parent / "firstmatch.py"
    spec = importlib.util.spec_from_file_location("firstmatch_as_python", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FORMS = pytest.mark.parametrize("kernel", [firstmatch, _source()], ids=["compiled", "source"])

# Rule 0: 1 < x <= 2. Rule 1: x <= 3 or missing, and the label is the second of two, or unseen. Rule 2: x > 5.
RULES = (
    np.array([0, 1, 3, 4], np.int64),
    np.array([0, 0, 1, 0], np.int32),
    np.array([-1, -1, 0, -1], np.int64),
    np.array([1, 0, 0, 1], np.uint8),
    np.array([1.0, nan, nan, 5.0]),
    np.array([2.0, 3.0, nan, inf]),
    np.array([0, 1, 0, 0], np.uint8),
)
ROWS = np.array(
    [[2.0, 0], [1.0, 1], [np.nextafter(2, 3), -2], [nan, 1], [nan, -1], [-inf, 1], [inf, 0], [4.0, 1], [3.0, 0]]
)
EXPECTED = [0, 1, 1, 1, 3, 1, 2, 3, 3]


@FORMS
def test_the_first_rule_that_holds_is_found(kernel: ModuleType) -> None:
    rule_of_row = np.empty(len(ROWS), np.int32)
    kernel.first_match(ROWS, *RULES, rule_of_row)
    assert rule_of_row.tolist() == EXPECTED


@FORMS
def test_every_rule_that_holds_votes(kernel: ModuleType) -> None:
    votes = np.zeros((len(ROWS), 2))
    kernel.add_votes(ROWS, *RULES, np.array([[1.0, 0.0], [0.0, 0.5], [2.0, 0.0]]), votes)
    # The label of the first row is not the second one; x = 1 satisfies rule 1 alone.
    assert votes.tolist() == [[1, 0], [0, 0.5], [0, 0.5], [0, 0.5], [0, 0], [0, 0.5], [2, 0], [0, 0], [0, 0]]


@FORMS
def test_without_rules_nothing_holds(kernel: ModuleType) -> None:
    empty = tuple(array[:0] for array in RULES[1:])
    rule_of_row = np.empty(1, np.int32)
    kernel.first_match(np.zeros((1, 1)), np.zeros(1, np.int64), *empty, rule_of_row)
    assert rule_of_row.tolist() == [0]
