"""An index over rules: finds the rules that may match a row, by binning the row's values.

A set of rules is a row of bits. Each bin of an attribute stores the set of rules whose condition is satisfied by some
value of the bin. The rules that may match a row are the intersection of the sets of its bins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.records import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import FloatArray

    Words = NDArray[np.uint64]

WORD = 64
"""Rules per word of bits."""

MOST_BINS = 256
MOST_ATTRIBUTES = 16
"""The largest number of indexed attributes; those whose bins leave the fewest rules are used."""

MOST_BITS = 1 << 29
"""64 MB."""

LARGEST_SHARE = 0.9
"""Attributes whose bins leave a larger share of the rules on average are not indexed."""

UNKNOWN = 2
"""Offset of label codes, which start at -2: unseen, missing, then the labels."""


@dataclass(frozen=True, slots=True)
class _Bins:
    """The bins of a slot: values up to and including each bound, or label codes; missing numbers are last."""

    slot: int
    n_bins: int
    bounds: FloatArray | None

    def of(self, values: FloatArray) -> NDArray[np.int64]:
        if self.bounds is None:
            codes = values.astype(np.int64) + UNKNOWN
            return np.where(codes < self.n_bins, codes, UNKNOWN + codes % max(self.n_bins - UNKNOWN, 1))
        return np.where(values == values, np.searchsorted(self.bounds, values), self.n_bins - 1)


class RuleIndex:
    """The rule sets of all bins: `rules`, and `groups`, which has a bit for each word of `rules` that is not 0."""

    def __init__(self, bins: list[_Bins], sets: list[NDArray[np.bool_]], n_rules: int) -> None:
        self._bins = bins
        n_words = -(-n_rules // WORD)
        covers = np.concatenate(sets) if sets else np.ones((1, n_rules), bool)
        self.rules: Words = _packed(covers, n_words)
        self.groups: Words = _packed(self.rules != 0, -(-n_words // WORD))
        self._first = np.cumsum([0, *(len(own) for own in sets)])

    def bins(self, block: FloatArray) -> NDArray[np.int64]:
        """Return the bins of every row of a block, as row indices of `rules`."""
        if not self._bins:
            return np.zeros((len(block), 1), np.int64)
        found = np.empty((len(block), len(self._bins)), np.int64)
        for i, own in enumerate(self._bins):
            found[:, i] = self._first[i] + own.of(block[:, own.slot])
        return found


def pays(n_rules: int, n_rows: int, n_slots: int) -> bool:
    """Return whether building the index takes less time than it saves."""
    return n_rules >= WORD and n_rows > n_slots * _n_bins(n_rules, n_slots)


def index_of(arrays: tuple[Any, ...], n_slots: int) -> RuleIndex:
    """Build the index from rules in the form that kernels.first_match takes."""
    rule_start, slot, table_start, table, low, high, missing = arrays
    n_rules, most = len(rule_start) - 1, _n_bins(len(rule_start) - 1, n_slots)
    rule_of_condition = np.repeat(np.arange(n_rules), np.diff(rule_start))
    # End of each condition's part of the table.
    table_end = np.full(len(slot), len(table))
    of_labels = np.flatnonzero(table_start >= 0)
    table_end[of_labels[:-1]] = table_start[of_labels[1:]]
    found: list[tuple[float, _Bins, NDArray[np.bool_]]] = []
    for own in range(n_slots):
        conditions = np.flatnonzero(slot == own)
        rules = rule_of_condition[conditions]
        if not len(conditions):
            continue
        if table_start[conditions[0]] >= 0:
            parts = [table[table_start[c] : table_end[c]] != 0 for c in conditions.tolist()]
            bins, covers = _by_label(own, parts, rules, n_rules, most)
        else:
            of_slot = low[conditions], high[conditions], missing[conditions]
            bins, covers = _by_number(own, *of_slot, rules, n_rules, most)
        found.append((float(covers.mean()), bins, covers))
        found.sort(key=lambda one: one[0])
        del found[MOST_ATTRIBUTES:]
    useful = [one for one in found if one[0] <= LARGEST_SHARE]
    return RuleIndex([bins for _, bins, _ in useful], [covers for _, _, covers in useful], n_rules)


def _n_bins(n_rules: int, n_slots: int) -> int:
    return max(min(MOST_BINS, MOST_BITS // (max(n_rules, 1) * max(min(n_slots, MOST_ATTRIBUTES), 1))), 8)


def _by_number(
    slot: int,
    low: FloatArray,
    high: FloatArray,
    missing: NDArray[np.uint8],
    rules: NDArray[np.int64],
    n_rules: int,
    most: int,
) -> tuple[_Bins, NDArray[np.bool_]]:
    """Return the bins of a numeric attribute and the rules that each leaves; `low` is NaN without a lower bound."""
    bounds = np.unique(np.concatenate([low[np.isfinite(low)], high[np.isfinite(high)]]))
    if len(bounds) > most - 2:
        bounds = bounds[np.linspace(0, len(bounds) - 1, most - 2).astype(np.int64)]
    first, last = np.zeros(n_rules, np.int64), np.full(n_rules, len(bounds))
    # Bins that contain values above low, up to and including high.
    np.maximum.at(first, rules, np.where(low == low, np.searchsorted(bounds, low, side="right"), 0))
    np.minimum.at(last, rules, np.searchsorted(bounds, high, side="left"))
    takes_missing = np.ones(n_rules, bool)
    np.logical_and.at(takes_missing, rules, missing != 0)
    number = np.arange(len(bounds) + 1)[:, None]
    covers = np.concatenate([(number >= first) & (number <= last), takes_missing[None, :]])
    return _Bins(slot, len(covers), bounds), covers


def _by_label(
    slot: int, parts: list[NDArray[np.bool_]], rules: NDArray[np.int64], n_rules: int, most: int
) -> tuple[_Bins, NDArray[np.bool_]]:
    """Return the bins of a nominal attribute and the rules that each leaves; labels share bins if there are many."""
    n_bins = min(len(parts[0]), most)
    bins = _Bins(slot, n_bins, None)
    bin_of_code = bins.of(np.arange(-UNKNOWN, len(parts[0]) - UNKNOWN, dtype=np.float64))
    covers = np.ones((n_bins, n_rules), bool)
    own = np.empty(n_bins, bool)
    for rule, part in zip(rules.tolist(), parts, strict=True):
        own[:] = False
        own[bin_of_code[part]] = True
        covers[:, rule] &= own
    return bins, covers


def _packed(bits: NDArray[np.bool_], n_words: int) -> Words:
    """Pack rows of bits into rows of words, first bit lowest."""
    padded = np.zeros((len(bits), n_words * WORD // 8), np.uint8)
    packed = np.packbits(bits, axis=1, bitorder="little")
    padded[:, : packed.shape[1]] = packed
    return padded.view("<u8").astype(np.uint64)
