"""A tree with everything needed to use it and to trace its origin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from treecli.data import Schema
from treecli.node import Node
from treecli.settings import Settings
from treecli.tree import Tree

MEAN_KEYS = ("weight", "mean", "deviance")
MEDIAN_KEYS = ("weight", "median", "deviation")
"""The outcomes of a node for a numeric target; MEDIAN_KEYS for trees that predict medians."""

LARGEST_WEIGHT = 1e50
SMALLEST_WEIGHT = 1e-50
LARGEST_VALUE = 1e110
LARGEST_SPREAD = 1e220
"""Limits of weights, means and squared deviations per case, beyond what training allows: sums and products of them stay
finite. The smallest weight is that of the root; parts of it may be smaller."""

ABSOLUTE = "absolute"
"""The criterion of trees that predict medians."""

Lineage = dict[str, Any]
"""One step in the history of a model: the command, its options, and its input."""


@dataclass(frozen=True, slots=True)
class Model:
    """A tree with everything needed to use it and to trace its origin."""

    schema: Schema
    settings: Settings
    lineage: tuple[Lineage, ...]
    tree: Tree

    @property
    def takes_medians(self) -> bool:
        """Whether nodes keep the median of a numeric target and the absolute error in place of mean and deviance."""
        return self.settings.splitting.criterion == ABSOLUTE

    def node(self, index: int = 0) -> Node:
        return Node(self.tree, index, self.schema)


def wrong_moments(outcomes: Sequence[float], kept: tuple[str, ...]) -> str | None:
    """The error in weight, mean and deviance, or None."""
    limits = ((0.0, LARGEST_WEIGHT), (-LARGEST_VALUE, LARGEST_VALUE), (0.0, LARGEST_SPREAD * (outcomes[0] or 1.0)))
    for key, number, (least, most) in zip(kept, outcomes, limits, strict=True):
        if not least <= number <= most:
            return f"'{key}' is {number}, expected a number from {least:g} to {most:g}"
    return None
