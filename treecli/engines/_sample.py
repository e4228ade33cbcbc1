"""A sample of coded data that fits into memory, and the trees that bootstrap samples of it give.

These trees only predict the splits of the data, so nothing that is decided here changes the tree that is grown.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from treecli import plugins
from treecli.grow.nodes import as_tree
from treecli.grow.plan import plan_of

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.grow.candidates import Indices
    from treecli.grow.coded import CodedData
    from treecli.settings import Settings
    from treecli.tree import Tree

N_BOOTSTRAPS = 8

SHARE = 100
"""One row of so many is drawn, within the two limits below."""

LEAST_DRAWN, MOST_DRAWN = 50_000, 1_000_000

MOST_LEVELS = 40
"""Deeper levels are not predicted."""


def size_of(n_cases: int, most_rows: int) -> int:
    """Return how many rows to draw, of which at most `most_rows` fit into memory."""
    return min(n_cases, max(most_rows, 1), min(max(n_cases // SHARE, LEAST_DRAWN), MOST_DRAWN))


def drawn(data: CodedData, n: int, seed: int, rows_at_once: int) -> Dataset:
    """Return about n rows in the order of the source, drawn at random in one pass."""
    if n >= data.n_cases:
        rows = np.arange(data.n_cases)
    else:
        rows = np.unique(np.random.default_rng(seed).integers(0, data.n_cases, n))
    taken = [_taken(data, rows, first, size) for first, size in data.batches(rows_at_once)]
    columns = [np.concatenate([own[0][a] for own in taken]) for a in range(len(data.columns))]
    labels, weights = (np.concatenate([own[place] for own in taken]) for place in (1, 2))
    return data.dataset(columns, labels, weights)


def _taken(data: CodedData, rows: Indices, first: int, n: int) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Return the columns, classes and weights of the drawn rows among n consecutive ones."""
    own = rows[slice(*np.searchsorted(rows, [first, first + n]))] - first
    columns = [data.decoded(a, data.column(a, first, n)[own]) for a in range(len(data.columns))]
    return columns, data.labels(first, n)[own].astype(np.int32), data.weights_of(first, n)[own]


def trees_of(sample: Dataset, settings: Settings, share: float, weight: float, jobs: int | None) -> list[Tree]:
    """Return the tree of a sample and those of bootstrap samples, down to nodes of this share of the sample.

    `weight` is that of all data, for which the limits of the settings are meant.
    """
    random = np.random.default_rng(settings.computing.seed)
    total, stopping = float(sample.weights.sum()), settings.stopping
    own = settings.changed(
        min_split=max(share * total, 2.0),
        min_leaf=stopping.min_leaf * min(total / weight, 1.0),
        max_depth=min(MOST_LEVELS if stopping.max_depth is None else stopping.max_depth, MOST_LEVELS),
        max_leaves=None,
        collapse=False,
        chi2_alpha=None,
    )
    trees = [_grown(sample, own, jobs)]
    for _ in range(N_BOOTSTRAPS):
        times = random.multinomial(sample.n_rows, np.full(sample.n_rows, 1 / sample.n_rows))
        rows = np.flatnonzero(times)
        trees.append(_grown(replace(sample.take(rows), weights=sample.weights[rows] * times[rows]), own, jobs))
    return trees


def _grown(sample: Dataset, settings: Settings, jobs: int | None) -> Tree:
    return as_tree(plugins.load("searches", "greedy").grow(sample, plan_of(settings, sample), jobs=jobs))
