"""Arguments of the kernel that grows subtrees depth first: the attributes, and scratch for one thread."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from treecli.grow.candidates import Codes, Floats, Indices
from treecli.grow.nodes import Nodes
from treecli.grow.peeling import least_peeled
from treecli.kernels import codes, score_groups, score_sums
from treecli.kernels.args import Found, Labels, Plan, Scratch, Tables
from treecli.kernels.mixed_args import Columns
from treecli.splits import MANY_LABELS
from treecli.splits._registry import kinds

Move = Callable[[Nodes, Indices, Floats], Floats]
"""Given all nodes and some that have a threshold, return the data values to which these thresholds are moved."""


class Shared:
    """Read-only state of all subtrees that are grown depth first.

    `by_row`: the labels of all rows are stored row by row; without it, each call copies those of its own cases.
    """

    def __init__(
        self, engine: Any, move: Move | None = None, most_nodes: int | None = None, *, by_row: bool = True
    ) -> None:
        self.move = move
        self.most_nodes = most_nodes
        attributes = engine.schema.attributes
        labelled = [a for a, attribute in enumerate(attributes) if attribute.kind == "nominal"]
        self.engine, self.plan = engine, engine.plan
        self.ordered = [a for a, attribute in enumerate(attributes) if attribute.kind != "nominal"]
        self.slot = np.zeros(len(attributes), np.int32)
        self.slot[labelled] = np.arange(len(labelled))
        self.slot[self.ordered] = np.arange(len(self.ordered))
        self.n_labels = np.full(len(attributes), -1, np.int32)
        self.n_labels[labelled] = [len(attributes[a].labels) for a in labelled]
        self.labelled = labelled
        self.code_of_row = self.codes_of(slice(None)) if by_row else None
        self.most_labels = int(self.n_labels.max(initial=1))
        self.kind_of = np.full(len(attributes), kinds().index("threshold"), np.int8)
        if labelled:
            self.kind_of[labelled] = kinds().index(engine.plan.settings.splitting.nominal)

    def codes_of(self, rows: Codes | slice) -> Codes:
        """Return the labels of some rows, those of each row next to each other."""
        found = [self.engine.columns[a][rows] for a in self.labelled]
        return np.stack(found, axis=1).ravel() if found else np.empty(0, np.int32)

    def under(self, plan: Plan) -> Shared:
        """Return the same under another plan of the same settings."""
        other = copy(self)
        other.plan = plan
        return other


def columns_of(shared: Shared, n_outcomes: int) -> Columns:
    """Return the attributes as kernels take them, with scratch for one thread."""
    columns = room_for_labels(shared.most_labels, n_outcomes, shared.plan)
    columns.labels.code_of_row = np.empty(0, np.int32) if shared.code_of_row is None else shared.code_of_row
    columns.labels.step = len(shared.labelled)
    columns.live = np.arange(len(shared.slot), dtype=np.int32)
    columns.slot, columns.n_labels = shared.slot.copy(), shared.n_labels
    columns.label = np.full(len(shared.slot), -1, np.int32)
    is_one_label = shared.plan.nominal == codes.ONE_AGAINST_REST and not shared.plan.missing_is_value
    columns.least_peeled = least_peeled(shared.plan, shared.n_labels, n_outcomes)
    columns.most_listed = MANY_LABELS if is_one_label else np.iinfo(np.int32).max
    return columns


def room_for_labels(most_labels: int, n_outcomes: int, plan: Plan) -> Columns:
    """Return columns with scratch for the labels of one node, and with no attributes."""
    n_codes = most_labels + 1
    columns, labels, tables = Columns(), Labels(), Tables()
    labels.entry = np.full(n_codes, -1, np.int64)
    tables.code, tables.outcomes = np.empty(n_codes, np.int32), np.zeros((n_codes, n_outcomes))
    tables.n_rows, tables.order = np.zeros((2, n_codes), np.int64)
    tables.kind, tables.table = plan.nominal, np.empty((1, n_codes), np.int32)
    columns.labels, columns.tables, columns.are_whole = labels, tables, False
    columns.score, columns.spare = np.empty(n_codes), np.empty(n_codes, np.int64)
    return columns


def found_of(n_attributes: int) -> Found:
    """Return room for the best split on each attribute at one node."""
    found = Found()
    found.gain, found.split_info, found.lower, found.upper, found.merit, found.cost = np.empty((6, n_attributes))
    found.missing_side = np.empty(n_attributes, np.int32)
    return found


def scratch_of(n_outcomes: int) -> Scratch:
    """Return scratch for the best split of one node."""
    scratch = Scratch()
    scratch.sides, scratch.counted, scratch.terms = np.zeros((3, score_sums.SCRATCH_ROWS, n_outcomes))
    scratch.sums = np.empty((score_groups.SCRATCH_ROWS, n_outcomes))
    scratch.slots = np.zeros(score_groups.SLOTS, np.int64)
    return scratch
