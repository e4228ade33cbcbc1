"""Division of rows into parts of given shares: at random, by class, by group, or in file order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes = NDArray[np.int64]


def dealt(strata: Codes, shares: Sequence[float], seed: int) -> Codes:
    """The part of each row; each stratum has its share of rows in each part, within one row per part.

    The first part takes the rows that the others leave, so `shares[0]` is not used.
    """
    shuffled = np.random.default_rng(seed).permutation(len(strata))
    order = shuffled[np.argsort(strata[shuffled], kind="stable")]
    part_of_row = np.zeros(len(strata), np.int64)
    left = 1.0
    for part in range(len(shares) - 1, 0, -1):
        part_of_row[order[_evenly(len(order), shares[part] / left)]] = part
        order = order[part_of_row[order] == 0]
        left -= shares[part]
    return part_of_row


def _evenly(n_rows: int, share: float) -> NDArray[np.bool_]:
    """A mask with this share of the positions at even distances; the number of positions is rounded."""
    return np.asarray(np.diff(np.floor(np.arange(n_rows + 1) * share + 0.5)) > 0)


def in_order(n_rows: int, shares: Sequence[float]) -> Codes:
    """The part of each row: the first rows are in the first part, the last rows in the last."""
    counts = [round(n_rows * share) for share in shares[1:]]
    return np.repeat(np.arange(len(shares)), [max(n_rows - sum(counts), 0), *counts])[:n_rows]


def dealt_by_group(groups: Codes, strata: Codes, shares: Sequence[float], seed: int) -> Codes:
    """The part of each row; the rows of a group are in one part, and no part is empty.

    The largest groups are dealt first, equal ones in random order. Each goes where its strata lack most of their share,
    of equal parts to the one that lacks most rows. There must be as many groups as parts.
    """
    n_groups, n_strata = int(groups.max()) + 1, int(strata.max()) + 1
    counts = np.bincount(groups * n_strata + strata, minlength=n_groups * n_strata).reshape(n_groups, n_strata)
    totals = counts.sum(axis=0)
    # A row of a rare stratum counts more: every stratum has the weight 1.
    scaled = counts / np.maximum(totals, 1) ** 2
    lacking = np.array(shares)[:, None] * totals
    shuffled = np.random.default_rng(seed).permutation(n_groups)
    order = shuffled[np.argsort(-counts[shuffled].sum(axis=1), kind="stable")]
    part_of_group = np.empty(n_groups, np.int64)
    is_empty = np.ones(len(shares), bool)
    for n_dealt, group in enumerate(order.tolist()):
        need = lacking @ scaled[group]
        if n_groups - n_dealt <= np.count_nonzero(is_empty):
            need[~is_empty] = -np.inf
        part = int(np.lexsort((lacking.sum(axis=1), need))[-1])
        part_of_group[group] = part
        lacking[part] -= counts[group]
        is_empty[part] = False
    return part_of_group[groups]
