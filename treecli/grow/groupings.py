"""Limit the number of label groupings that are tried, so that the search takes seconds at most."""

from __future__ import annotations

import numpy as np

from treecli.data import Schema
from treecli.grow.candidates import Flags, Indices
from treecli.kernels.args import Plan
from treecli.settings import Settings

MOST_STEPS = 5e8
"""The budget of one tree, in groupings times classes: a few seconds."""

ALWAYS_TRIED = 12
"""Up to this many labels, every node tries all groupings, whatever the budget."""

MOST_UNMEASURED = 16
"""Without a budget, all groupings are tried up to this many labels."""


class Budget:
    """The remaining number of groupings that one tree may try; each attribute has an equal share."""

    def __init__(self, steps: float) -> None:
        """`steps`: the budget of each attribute, in groupings times classes."""
        self._steps = steps
        self._spent: dict[int, float] = {}
        self.exceeded: set[int] = set()
        """Attributes for which some node did not try all groupings."""

    def exhaustive(self, attribute: int, n_labels: Indices, n_classes: int, plan: Plan) -> Flags:
        """Return whether each node tries all groupings of its `n_labels`; nodes with few labels are served first."""
        if plan.is_numeric or n_classes <= 2:  # the best grouping is a cut in the order of the means
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
    """Return the budget of a tree; unlimited if the settings insist on all groupings."""
    if settings.splitting.insists:
        return Budget(np.inf)
    n_wide = sum(
        attribute.kind == "nominal" and len(attribute.labels) > ALWAYS_TRIED for attribute in schema.attributes
    )
    return Budget(MOST_STEPS / max(n_wide, 1))


def most_exhaustive(settings: Settings, *, is_measured: bool) -> int:
    """Return the largest number of labels for which all groupings may be tried; `is_measured`: there is a budget."""
    if is_measured or settings.splitting.insists:
        return settings.splitting.most_exhaustive
    return min(settings.splitting.most_exhaustive, MOST_UNMEASURED)


def warnings(settings: Settings, schema: Schema, exceeded: set[int], *, is_measured: bool) -> list[str]:
    """Return a warning for each attribute whose groupings were not all tried although the settings ask for it."""
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
        for name, n_labels in ((schema.columns[i].name, len(schema.columns[i].labels)) for i in sorted(exceeded))
    ]
