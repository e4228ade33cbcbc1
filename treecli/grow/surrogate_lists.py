"""The surrogates of nodes that are grown depth first: the arrays that the kernels fill, enlarged when full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from treecli.grow.room import longer, more
from treecli.grow.thresholds import between
from treecli.kernels.surrogate_args import Agreement, Splits, Surrogates
from treecli.kernels.surrogates import SIDES
from treecli.splits._surrogate import StoredSurrogates, Surrogate, SurrogateColumns

if TYPE_CHECKING:
    from treecli.data import Schema
    from treecli.grow.candidates import Codes, Floats
    from treecli.kernels.args import Plan

NUMBERS = ("node", "attribute", "low_branch", "lower", "upper", "agreement", "adjusted")
"""The fields of kernels' Surrogates with one number for each surrogate."""


class SurrogateLists:
    """The surrogates of the nodes made so far; `args` is what kernels take."""

    def __init__(self, schema: Schema, plan: Plan, n_labels: Codes, weight: Floats) -> None:
        """Take the attributes' numbers of labels, negative for ordered ones, and the weights of all cases."""
        n_attributes, most_labels = len(n_labels), int(n_labels.max(initial=1))
        self._n_labels, self._is_strict = n_labels, plan.is_strict
        self._is_ordinal = np.array([own.kind == "ordinal" for own in schema.attributes], bool)
        self._has_counts = bool((weight == 1.0).all())
        splits, found = Splits(), Agreement()
        splits.first, splits.weight = np.zeros(1, np.int32), np.zeros((SIDES, 1))
        splits.has_slip = plan.settings.missing.surrogate_slip
        found.agreeing, found.lower, found.upper = np.zeros((3, n_attributes))
        found.low_branch = np.zeros(n_attributes, np.int32)
        found.table = np.empty((n_attributes, most_labels), np.int32)
        found.sides = np.empty((SIDES, most_labels))
        found.n_cases = np.empty((SIDES, most_labels), np.int64)
        self.args = args = Surrogates()
        args.splits, args.found, args.most = splits, found, plan.settings.missing.max_surrogates
        args.n_kept, args.n_entries = 0, 0
        args.node, args.attribute, args.low_branch, args.table = (np.empty(0, np.int32) for _ in range(4))
        args.lower, args.upper, args.agreement, args.adjusted = np.empty((4, 0))
        self.make_room()

    def take_branches(self, branch: Codes) -> None:
        """Let kernels find the branches of cases in this array."""
        self.args.splits.branch = branch
        self.args.splits.step = np.empty(len(branch) if self._has_counts else 0, np.int8)
        self.args.lacking = np.empty(len(branch), np.int32)

    def make_room(self) -> None:
        """Make room for the surrogates of one more node, and for as many again as there are."""
        most = self.args.most
        n_kept, n_entries = self.args.n_kept + most, self.args.n_entries + most * self.args.found.table.shape[1]
        for name in NUMBERS:
            setattr(self.args, name, longer(np.asarray(getattr(self.args, name)), more(n_kept)))
        self.args.table = longer(np.asarray(self.args.table), more(n_entries))

    def taken(self) -> dict[int, Sequence[Surrogate]]:
        """Return the surrogates by node, and begin again with none."""
        n, n_entries = self.args.n_kept, self.args.n_entries
        self.args.n_kept = self.args.n_entries = 0
        kept = {name: np.asarray(getattr(self.args, name))[:n].copy() for name in NUMBERS}
        node, attribute = kept["node"], kept["attribute"]
        table_size = np.maximum(self._n_labels[attribute], 0).astype(np.int64)
        is_cut = self._n_labels[attribute] < 0
        number = between(kept["lower"], kept["upper"], is_strict=self._is_strict)
        number = np.where(self._is_ordinal[attribute], np.floor(number), number)
        columns = SurrogateColumns(
            attribute,
            np.where(is_cut, number, 0.0),
            np.where(is_cut, kept["low_branch"], 0).astype(np.int32),
            kept["agreement"],
            kept["adjusted"],
            np.concatenate([[0], np.cumsum(table_size)]),
            np.asarray(self.args.table)[:n_entries].copy(),
        )
        begin = np.flatnonzero(np.diff(node, prepend=-1))
        end = np.append(begin[1:], n) if len(begin) else begin
        ranges = zip(begin.tolist(), end.tolist(), strict=True)
        stored = (StoredSurrogates(columns, first, after) for first, after in ranges)
        return dict(zip(node[begin].tolist(), stored, strict=True))
