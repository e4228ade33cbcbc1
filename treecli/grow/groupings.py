"""How many groupings of labels are tried: all of them only where that takes seconds."""

from __future__ import annotations

import numpy as np

from treecli.data import Schema
from treecli.grow.candidates import Flags, Indices
from treecli.kernels.args import Plan
from treecli.settings import Settings

MOST_STEPS = 5e8
"""The groupings, times classes, that one tree may try: a few seconds."""

ALWAYS_TRIED = 12
"""All groupings of no more labels are tried at every node."""

MOST_UNMEASURED = 16
"""The most labels whose groupings are all tried where no budget is kept."""


class Budget:
    """The groupings that may still be tried for one tree, an equal share of them for each attribute."""

    def __init__(self, steps: float) -> None:
        """`steps`: groupings times classes, for each attribute."""
        self._steps = steps
        self._spent: dict[int, float] = {}
        self.exceeded: set[int] = set()
        """The attributes of which not all groupings were tried at some node."""

    def exhaustive(self, attribute: int, n_labels: Indices, n_classes: int, plan: Plan) -> Flags:
        """Whether all groupings are tried at each node, which has so many labels; nodes with few labels come first."""
        if plan.is_numeric or n_classes <= 2:  # cuts in the order of the means are enough
            return np.zeros(len(n_labels), bool)
        is_few = n_labels <= plan.n_exhaustive
        cost = np.where(is_few, n_classes * 2.0 ** (np.minimum(n_labels, plan.n_exhaustive) - 1), 0.0)
        order = np.argsort(cost, kind="stable")
        spent = np.empty(len(cost))
        spent[order] = self._spent.get(attribute, 0.0) + np.cumsum(cost[order])
        is_tried = is_few & ((spent <= self._steps) | (n_labels <= ALWAYS_TRIED))
        self._spent[attribute] = self._spent.get(attribute, 0.0) + float(cost[is_tried].sum())
        if (is_few & ~is_tried).any():
            self.exceeded.add(attribute)
        return is_tried


def budget(settings: Settings, schema: Schema) -> Budget:
    """The budget of a tree; unlimited where the settings insist."""
    if settings.splitting.insists:
        return Budget(np.inf)
    n_wide = sum(
        attribute.kind == "nominal" and len(attribute.labels) > ALWAYS_TRIED for attribute in schema.attributes
    )
    return Budget(MOST_STEPS / max(n_wide, 1))


def most_exhaustive(settings: Settings, *, is_measured: bool) -> int:
    """Up to how many labels all groupings may be tried; `is_measured`: a budget is kept."""
    if is_measured or settings.splitting.insists:
        return settings.splitting.most_exhaustive
    return min(settings.splitting.most_exhaustive, MOST_UNMEASURED)


def warnings(settings: Settings, schema: Schema, exceeded: set[int], *, is_measured: bool) -> list[str]:
    """Warnings about attributes whose groupings were not all tried, though the settings ask for it."""
    if (
        not is_measured
        and settings.splitting.nominal == "subset"
        and schema.n_outcomes > 2
        and schema.is_classification
    ):
        most = most_exhaustive(settings, is_measured=False)
        for index, attribute in enumerate(schema.attributes):
            if attribute.kind == "nominal" and most < len(attribute.labels) <= settings.splitting.most_exhaustive:
                exceeded = exceeded | {index}
    return [
        f"'{name}' has {n_labels} labels, and to try every grouping of them at every node would take long: some nodes "
        f"try only groupings in the order of a principal component (--exhaustive {n_labels} insists)"
        for name, n_labels in ((schema.attributes[i].name, len(schema.attributes[i].labels)) for i in sorted(exceeded))
    ]
