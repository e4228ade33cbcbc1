"""The least cost of a tree by trying every one: slow, and written without the search that it checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import inf

import numpy as np

from treecli.data import Dataset
from treecli.settings import Settings


@dataclass
class Exhaustive:
    """All trees on a data set; a cost is the weight of wrong cases, times their costs, plus the penalty of leaves."""

    dataset: Dataset
    settings: Settings
    scale: np.ndarray | None = None

    def least(self, depth: int, rows: np.ndarray | None = None) -> tuple[float, int]:
        """The least cost of a tree of this depth, and its least number of leaves."""
        if rows is None:
            rows = np.arange(self.dataset.n_rows)
        best = self._leaf(rows)
        if depth == 0 or self._size(rows) < (self.settings.stopping.min_split or 0):
            return best
        for left in self._divisions(rows):
            sides = rows[left], rows[~left]
            if min(map(self._size, sides)) < self.settings.stopping.min_leaf:
                continue
            (one, n_one), (other, n_other) = (self.least(depth - 1, side) for side in sides)
            cost = round(one + other, 9)
            best = min(best, (cost, n_one + n_other))
        return best

    def _size(self, rows: np.ndarray) -> float:
        counts = self.settings.predicting.priors is not None or self.settings.predicting.costs is not None
        return float(len(rows) if counts else self.dataset.weights[rows].sum())

    def _leaf(self, rows: np.ndarray) -> tuple[float, int]:
        target, n_classes = np.asarray(self.dataset.target)[rows], len(self.dataset.schema.target.labels)
        weights = np.bincount(target, self.dataset.weights[rows], n_classes)
        if self.scale is not None:
            weights = weights * self.scale
        costs = self.settings.predicting.costs
        by_label = weights @ (1 - np.eye(n_classes) if costs is None else np.array(costs))
        return round(float(by_label.min()) + self.settings.searching.penalty, 9), 1

    def _divisions(self, rows: np.ndarray) -> Iterator[np.ndarray]:
        """Which of the rows go left, for every test: thresholds, one label against the rest, known values."""
        for attribute, column in zip(self.dataset.schema.attributes, self.dataset.columns, strict=True):
            values = np.asarray(column, np.float64)[rows]
            if not attribute.is_numeric:
                values = np.where(values < 0, np.nan, values)
            is_missing = np.isnan(values)
            known = np.unique(values[~is_missing])
            tests = [values == label for label in known]
            if attribute.kind != "nominal":
                tests = [values <= lower for lower, _ in pairwise([*known, inf])]
            for test in [*tests, ~is_missing]:
                for left in (test, test | is_missing):
                    if left.any() and not left.all():
                        yield left
