"""Numeric columns of very many values in bins: the counts of each cell by bin.

A bin holds the values above one bound up to the next, with the least and the greatest of them at each node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treecli.engines._hidden import Ranges
from treecli.kernels import count_codes

if TYPE_CHECKING:
    from treecli.grow.candidates import Codes, Floats, Indices

N_BINS = 2048
"""The number of bins of a column, in which the sample has about equally many rows."""


class Held(NamedTuple):
    """The held rows of a node, in the order of the rows."""

    value: Floats
    label: Indices
    weight: Floats


def bounds_of(values: Floats, further: list[float]) -> Floats:
    """Return the upper bounds of the bins but the last, from the numbers of a sample, with further bounds."""
    known = np.sort(values[values == values])
    places = np.linspace(0, len(known) - 1, min(N_BINS, len(known)) + 1)[:-1].astype(np.int64)
    return np.unique(np.concatenate([known[places], np.array(further)]))


class Bins:
    """The counts of a column by cell, bin and class, and the least and greatest value by cell and bin."""

    def __init__(self, bounds: Floats, n_cells: int, n_classes: int) -> None:
        self.bounds = bounds
        self.n_bins = len(bounds) + 1
        self.counts = np.zeros((n_cells, self.n_bins + 1, n_classes), np.int64)  # the last bin is for missing values
        self.low = np.full((n_cells, self.n_bins), np.inf)
        self.high = np.full((n_cells, self.n_bins), -np.inf)

    @staticmethod
    def size(n_classes: int) -> int:
        """Return about how many bytes the counts of a cell take."""
        return N_BINS * (8 * n_classes + 16)

    def place(self, values: Floats) -> Any:
        """Return the bin of each value."""
        return np.where(values == values, np.searchsorted(self.bounds, values), self.n_bins).astype(np.uint16)

    def add(self, cell: Codes, values: Floats, label: Any, weights: Any) -> None:
        """Add the rows that have a cell."""
        place = self.place(values)
        scale, unknown = np.ones(self.counts.shape[2]), np.zeros(len(self.counts))
        if weights is None:
            count_codes.count(cell, place, label, self.counts, scale, unknown)
        else:
            count_codes.count_weights(cell, place, label, weights, self.counts, scale, unknown)
        own = np.flatnonzero((cell >= 0) & (values == values))
        at = cell[own].astype(np.int64) * self.n_bins + place[own]
        np.minimum.at(self.low.reshape(-1), at, values[own])
        np.maximum.at(self.high.reshape(-1), at, values[own])

    def node(self, cells: slice, held: Held) -> Ranges:
        """Return the values of a node in ascending order: those of some cells in bins, held ones as they are."""
        counts = self.counts[cells].sum(axis=0).astype(np.float64)
        low, high = self.low[cells].min(axis=0, initial=np.inf), self.high[cells].max(axis=0, initial=-np.inf)
        is_binned = counts[: self.n_bins].any(axis=1)
        place = self.place(held.value)
        inside = is_binned[np.minimum(place, self.n_bins - 1)] & (place < self.n_bins)
        np.add.at(counts, (place[inside], held.label[inside]), held.weight[inside])
        np.minimum.at(low, place[inside], held.value[inside])
        np.maximum.at(high, place[inside], held.value[inside])
        alone = np.flatnonzero(~inside & (place < self.n_bins))
        value, entry = np.unique(held.value[alone], return_inverse=True)
        outcomes = np.zeros((len(value), counts.shape[1]))
        np.add.at(outcomes, (entry, held.label[alone]), held.weight[alone])
        bins = np.flatnonzero(is_binned)
        highs = np.concatenate([high[bins], value])
        order = np.argsort(highs)
        missing = counts[self.n_bins].copy()
        np.add.at(missing, held.label[place == self.n_bins], held.weight[place == self.n_bins])
        return Ranges(
            np.concatenate([low[bins], value])[order],
            highs[order],
            np.concatenate([counts[bins], outcomes])[order],
            missing,
        )
