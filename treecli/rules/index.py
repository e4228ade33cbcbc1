"""An index over rules: which of them may hold for a row, by the bins that the row's values fall in.

A set of rules is a row of bits. Each value of an attribute falls in a bin, and each bin has the set of rules whose
condition some value of the bin satisfies. The rules that may hold for a row are in the sets of all its bins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import FloatArray

    Words = NDArray[np.uint64]

WORD = 64
"""The rules in a word of bits."""

MOST_BINS = 256
MOST_ATTRIBUTES = 16
"""The attributes that the index asks about: those whose bins leave the fewest rules."""

MOST_BITS = 1 << 29
"""64 MB."""

LARGEST_SHARE = 0.9
"""An attribute whose bins leave a larger share of the rules is not worth asking about."""

UNKNOWN = 2
"""The codes of labels are -2 and up: unseen, missing, and the labels themselves."""


@dataclass(frozen=True, slots=True)
class _Bins:
    """How the values of a slot fall in bins: up to and including each bound, or by their code; missing numbers last."""

    slot: int
    n_bins: int
    bounds: FloatArray | None

    def of(self, values: FloatArray) -> NDArray[np.int64]:
        if self.bounds is None:
            codes = values.astype(np.int64) + UNKNOWN
            return np.where(codes < self.n_bins, codes, UNKNOWN + codes % max(self.n_bins - UNKNOWN, 1))
        return np.where(values == values, np.searchsorted(self.bounds, values), self.n_bins - 1)


class RuleIndex:
    """The sets of rules of all bins: `rules`, and in `groups` a bit for each of their words, 0 where the word is 0."""

    def __init__(self, bins: list[_Bins], sets: list[NDArray[np.bool_]], n_rules: int) -> None:
        self._bins = bins
        n_words = -(-n_rules // WORD)
        covers = np.concatenate(sets) if sets else np.ones((1, n_rules), bool)
        self.rules: Words = _packed(covers, n_words)
        self.groups: Words = _packed(self.rules != 0, -(-n_words // WORD))
        self._first = np.cumsum([0, *(len(own) for own in sets)])

    def bins(self, block: FloatArray) -> NDArray[np.int64]:
        """The bins of every row of a block, as rows of `rules`."""
        if not self._bins:
            return np.zeros((len(block), 1), np.int64)
        found = np.empty((len(block), len(self._bins)), np.int64)
        for i, own in enumerate(self._bins):
            found[:, i] = self._first[i] + own.of(block[:, own.slot])
        return found


def pays(n_rules: int, n_rows: int, n_slots: int) -> bool:
    """Whether the index is made in less time than it saves."""
    return n_rules >= WORD and n_rows > n_slots * _n_bins(n_rules, n_slots)


def index_of(arrays: tuple[Any, ...], n_slots: int) -> RuleIndex:
    """The index over rules in the form that kernels.first_match takes."""
    rule_start, slot, table_start, table, low, high, missing = arrays
    n_rules, most = len(rule_start) - 1, _n_bins(len(rule_start) - 1, n_slots)
    rule_of_condition = np.repeat(np.arange(n_rules), np.diff(rule_start))
    # Where the part of the table that belongs to a condition ends.
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
    """The bins of a numeric attribute, and the rules that each leaves; without a lower bound, `low` is NaN."""
    bounds = np.unique(np.concatenate([low[np.isfinite(low)], high[np.isfinite(high)]]))
    if len(bounds) > most - 2:
        bounds = bounds[np.linspace(0, len(bounds) - 1, most - 2).astype(np.int64)]
    first, last = np.zeros(n_rules, np.int64), np.full(n_rules, len(bounds))
    # Values above low, up to and including high: the bins that hold some of them.
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
    """The bins of a nominal attribute, and the rules that each leaves; where labels are many, several share a bin."""
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
    """Rows of bits as rows of words, the first bit the lowest of the first word."""
    padded = np.zeros((len(bits), n_words * WORD // 8), np.uint8)
    packed = np.packbits(bits, axis=1, bitorder="little")
    padded[:, : packed.shape[1]] = packed
    return padded.view("<u8").astype(np.uint64)
