"""The index over rules: the same results as testing every rule, with far fewer tests."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treecli.kernels import first_match
from treecli.rules.index import MOST_BINS, index_of, pays

NUMBERS = st.sampled_from([-inf, -2.0, -1.0, 0.0, 0.5, 1.0, 2.0, inf])
N_LABELS = 5


@st.composite
def _rules(draw: st.DrawFn) -> tuple[Any, ...]:
    """Rules in the kernels' form: numbers in slots 0 and 1, labels in slot 2; a slot may be tested twice."""
    rule_start, slot, table_start, table = [0], [], [], bytearray()
    low, high, missing = [], [], bytearray()
    for _ in range(draw(st.integers(0, 12))):
        for own in draw(st.lists(st.integers(0, 2), max_size=4)):
            slot.append(own)
            missing.append(draw(st.integers(0, 1)))
            if own == 2:
                table_start.append(len(table))
                table += bytes(draw(st.lists(st.integers(0, 1), min_size=N_LABELS + 2, max_size=N_LABELS + 2)))
                low.append(nan)
                high.append(nan)
            else:
                table_start.append(-1)
                bound = draw(NUMBERS)
                low.append(nan if bound == -inf else bound)
                high.append(draw(NUMBERS))
        rule_start.append(len(slot))
    kinds = (np.int64, np.int32, np.int64, np.uint8, np.float64, np.float64, np.uint8)
    columns = (rule_start, slot, table_start, table, low, high, missing)
    return tuple(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True))


ROWS = st.lists(
    st.tuples(NUMBERS | st.just(nan), NUMBERS | st.just(nan), st.integers(-2, N_LABELS - 1)), min_size=1, max_size=20
)


@given(_rules(), ROWS)
def test_the_index_finds_the_first_rule_that_holds(
    rules: tuple[Any, ...], rows: list[tuple[float, float, int]]
) -> None:
    block = np.array(rows, np.float64)
    index = index_of(rules, 3)
    expected, found = np.empty((2, len(block)), np.int32)
    first_match.first_match(first_match.Rules(*rules), block, expected)
    first_match.first_match_indexed(
        first_match.Rules(*rules), block, index.rules, index.groups, index.bins(block), found
    )
    assert found.tolist() == expected.tolist()


def test_many_labels_share_bins() -> None:
    # Rule i holds for label i alone, and there are more labels than bins.
    n = 3 * MOST_BINS
    table = np.zeros((n, n + 2), np.uint8)
    table[np.arange(n), np.arange(n) + 2] = 1
    start, nothing = np.arange(n + 1, dtype=np.int64), np.full(n, nan)
    rules = start, np.zeros(n, np.int32), start[:-1] * (n + 2), table.ravel(), nothing, nothing, np.zeros(n, np.uint8)
    index = index_of(rules, 1)
    block, found = np.arange(-2.0, n)[:, None], np.empty(n + 2, np.int32)
    first_match.first_match_indexed(
        first_match.Rules(*rules), block, index.rules, index.groups, index.bins(block), found
    )
    assert found.tolist() == [n, n, *range(n)]


def test_few_rules_are_left_to_ask_of_many() -> None:
    # A grid of 400 × 400 boxes: without the index a row tests 80,000 rules on average.
    side = 400
    x, y = (corner.ravel().astype(np.float64) for corner in np.meshgrid(np.arange(side), np.arange(side)))
    n = side * side
    low = np.stack([x, y], axis=1).ravel()
    none = np.zeros(2 * n, np.uint8)
    slots, nowhere = np.tile(np.array([0, 1], np.int32), n), np.full(2 * n, -1, np.int64)
    rules = np.arange(0, 2 * n + 1, 2), slots, nowhere, none[:0], low, low + 1, none
    index = index_of(rules, 2)
    rows = np.random.default_rng(1).uniform(0, side, (50, 2))
    sets = index.rules[index.bins(rows)]
    n_left = np.unpackbits((sets[:, 0] & sets[:, 1]).view(np.uint8), axis=1).sum(axis=1)
    assert n_left.max() <= 16


def test_an_index_is_made_where_rows_and_rules_are_many() -> None:
    assert pays(100_000, 1_000_000, 10)
    assert not pays(100_000, 10, 10)
    assert not pays(20, 1_000_000, 3)
