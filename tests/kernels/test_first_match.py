"""The kernels of rule lists, compiled and as plain Python."""

from __future__ import annotations

import importlib.util
from math import inf, nan
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import treecli.kernels
from treecli.kernels import first_match
from treecli.rules.index import index_of


def _source() -> ModuleType:
    path = Path(treecli.kernels.__file__).parent / "first_match.py"
    spec = importlib.util.spec_from_file_location("firstmatch_as_python", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FORMS = pytest.mark.parametrize("kernel", [first_match, _source()], ids=["compiled", "source"])

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
    kernel.first_match(kernel.Rules(*RULES), ROWS, rule_of_row)
    assert rule_of_row.tolist() == EXPECTED


@FORMS
def test_every_rule_that_holds_votes(kernel: ModuleType) -> None:
    votes = np.zeros((len(ROWS), 2))
    kernel.add_votes(kernel.Rules(*RULES), ROWS, np.array([[1.0, 0.0], [0.0, 0.5], [2.0, 0.0]]), votes)
    # The label of the first row is not the second one; x = 1 satisfies rule 1 alone.
    assert votes.tolist() == [[1, 0], [0, 0.5], [0, 0.5], [0, 0.5], [0, 0], [0, 0.5], [2, 0], [0, 0], [0, 0]]


@FORMS
def test_an_index_changes_no_answer(kernel: ModuleType) -> None:
    index = index_of(RULES, 2)
    rule_of_row, votes, expected = np.empty(len(ROWS), np.int32), np.zeros((len(ROWS), 1)), np.zeros((len(ROWS), 1))
    kernel.first_match_indexed(kernel.Rules(*RULES), ROWS, index.rules, index.groups, index.bins(ROWS), rule_of_row)
    assert rule_of_row.tolist() == EXPECTED
    vote_of_rule = np.array([[1.0], [2.0], [4.0]])
    kernel.add_votes_indexed(
        kernel.Rules(*RULES), ROWS, index.rules, index.groups, index.bins(ROWS), vote_of_rule, votes
    )
    kernel.add_votes(kernel.Rules(*RULES), ROWS, vote_of_rule, expected)
    assert votes.tolist() == expected.tolist()


@FORMS
def test_a_rule_far_down_a_long_list_is_found_by_the_index(kernel: ModuleType) -> None:
    # Rule i holds for i < x <= i + 1: word after word of the sets is 0, and so are words of the groups.
    n_rules = 3 * 64 * 64 + 5
    start, lows = np.arange(n_rules + 1, dtype=np.int64), np.arange(n_rules, dtype=np.float64)
    nowhere, none = np.full(n_rules, -1, np.int64), np.zeros(n_rules, np.uint8)
    rules = start, np.zeros(n_rules, np.int32), nowhere, none[:0], lows, lows + 1, none
    index = index_of(rules, 1)
    rows = np.array([[0.5], [1.0], [63.5], [64.5], [4095.5], [4096.5], [n_rules - 0.5], [n_rules + 0.5], [nan], [-1.0]])
    rule_of_row = np.empty(len(rows), np.int32)
    kernel.first_match_indexed(kernel.Rules(*rules), rows, index.rules, index.groups, index.bins(rows), rule_of_row)
    none_holds = [n_rules] * 3
    assert rule_of_row.tolist() == [0, 0, 63, 64, 4095, 4096, n_rules - 1, *none_holds]


@FORMS
def test_without_rules_nothing_holds(kernel: ModuleType) -> None:
    empty = tuple(array[:0] for array in RULES[1:])
    rule_of_row = np.empty(1, np.int32)
    kernel.first_match(kernel.Rules(np.zeros(1, np.int64), *empty), np.zeros((1, 1)), rule_of_row)
    assert rule_of_row.tolist() == [0]
