"""The cases of a node sorted by the ranks of an attribute."""

from __future__ import annotations

import numpy as np
import pytest

from treecli.kernels import sort_ranks
from treecli.kernels.codes import SHIFT
from treecli.kernels.forest_args import Bag, Here, Ranked


def ranks(kind: str, n: int) -> np.ndarray:
    """Ranks of n cases; all but one of the clumped ones have the same leading bits."""
    random = np.random.default_rng(n)
    if kind == "ties":
        return random.integers(5, size=n)
    if kind == "clumped":
        return np.append(random.permutation(n - 1), (1 << 24) - 1)
    return random.permutation(n)


@pytest.mark.parametrize("kind", ["distinct", "ties", "clumped"])
@pytest.mark.parametrize("n", [2, 47, 48, 49, 300, 5000])
def test_cases_are_sorted_by_rank_and_equal_ranks_keep_their_order(kind: str, n: int) -> None:
    rank = ranks(kind, n) + 700_000
    if kind == "ties":
        rank[:2] = 700_000, 700_001
    rows = np.random.default_rng(1).permutation(n)
    payload = np.arange(n) % 8
    here, bag, ranked = Here(), Bag(), Ranked()
    here.lo, here.hi, here.is_local, here.attribute = 0, n, False, 0
    bag.case, bag.is_numeric = (rows << SHIFT | payload).astype(np.uint64), False
    bag.class_bits, bag.known = 0, np.zeros(1, np.int64)
    bag.key, bag.spare_key = np.zeros((2, n + 1), np.uint64)
    bag.small, bag.digit = np.zeros(64, np.int32), np.zeros(sort_ranks.DIGITS, np.int64)
    bag.block = np.zeros((1, 1), np.uint32)
    of_row = np.empty(n, np.uint32)
    of_row[rows] = rank
    ranked.rank, ranked.n_ranks = of_row[None, :].copy(), np.array([1 << 24], np.int32)
    ranked.has_missing = np.zeros(1, np.uint8)
    assert sort_ranks.sort(here, bag, ranked) == n
    order = np.argsort(rank, kind="stable")
    expected = rank[order] << SHIFT | payload[order]
    assert np.asarray(bag.key)[:n].tolist() == expected.tolist()


def test_equal_ranks_and_missing_values_give_nothing_to_sort() -> None:
    here, bag, ranked = Here(), Bag(), Ranked()
    here.lo, here.hi, here.is_local, here.attribute = 0, 4, False, 0
    bag.case, bag.is_numeric = (np.arange(4) << SHIFT).astype(np.uint64), False
    bag.class_bits, bag.known = 0, np.zeros(1, np.int64)
    bag.key, bag.spare_key = np.zeros((2, 5), np.uint64)
    bag.block = np.zeros((1, 1), np.uint32)
    ranked.n_ranks, ranked.has_missing = np.array([9], np.int32), np.ones(1, np.uint8)
    for rank in ([3, 3, 3, 3], [9, 9, 9, 9], [9, 3, 3, 9]):
        ranked.rank = np.array([rank], np.uint32)
        assert sort_ranks.sort(here, bag, ranked) == 0
