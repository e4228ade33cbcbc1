"""The columns of a data set as ranks, each sorted once and shared by all trees of a forest."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.grow.candidates import Codes, Floats
from treecli.grow.lists import set_order
from treecli.kernels.args import Plan
from treecli.kernels.forest_args import Ranked
from treecli.records import dataclass

if TYPE_CHECKING:
    from treecli.data import Dataset, Schema


@dataclass(slots=True)
class Columns:
    """The columns of a data set as all trees of a forest read them."""

    schema: Schema
    ranked: Ranked
    label_of_row: Codes
    weights: Floats
    least_gap: float
    """The least difference between two values of an attribute."""
    mixed: Any = None
    """The other columns of trees with a branch per label, fractions of cases, or weights."""
    rooms: list[Any] = field(default_factory=list)
    """Room to grow trees in, which the trees grown so far have left."""

    @property
    def most_ranks(self) -> int:
        return int(np.asarray(self.ranked.n_ranks).max())


def columns_of(dataset: Dataset, plan: Plan) -> Columns:
    """Return the columns as ranks, each sorted once."""
    attributes, n_rows = dataset.schema.attributes, dataset.n_rows
    n_attributes = len(attributes)
    ordered = [a for a, attribute in enumerate(attributes) if attribute.kind != "nominal"]
    ranked = Ranked()
    rank, order = np.empty((n_attributes, n_rows), np.uint32), np.empty((len(ordered), n_rows), np.uint32)
    n_ranks, n_labels = np.zeros(n_attributes, np.int32), np.full(n_attributes, -1, np.int32)
    has_missing, n_known = np.zeros(n_attributes, np.uint8), np.zeros(n_attributes, np.int64)
    slot = np.zeros(n_attributes, np.int32)
    slot[ordered] = np.arange(len(ordered))

    def rank_column(a: int) -> Floats:
        column = dataset.columns[a]
        if attributes[a].kind == "nominal":
            n_labels[a] = n_ranks[a] = len(attributes[a].labels)
            is_missing = column < 0
            rank[a] = np.where(is_missing, n_ranks[a], column)
            has_missing[a] = is_missing.any()
            return np.empty(0)
        is_coded = attributes[a].kind == "ordinal"
        numbers: Floats = np.asarray(np.where(column < 0, np.nan, column) if is_coded else column, np.float64)
        known = np.flatnonzero(numbers == numbers)
        entry = np.empty(len(known), np.uint32)
        if len(known):
            set_order(numbers[known], np.arange(len(known), dtype=np.uint32) << np.uint32(1), 1, entry)
        known = known[entry >> np.uint32(1)]
        value, is_new = numbers[known], (entry & np.uint32(1)).astype(bool)
        is_new[:1] = True
        of_known = np.cumsum(is_new) - 1
        n_ranks[a], n_known[a] = np.count_nonzero(is_new), len(known)
        has_missing[a] = len(known) < n_rows
        rank[a] = n_ranks[a]
        rank[a, known] = of_known
        distinct: Floats = value[is_new]
        is_new[:1] = False  # the first rank is 0
        order[slot[a], : len(known)] = (known << 1) | is_new
        return distinct

    values = [rank_column(a) for a in range(n_attributes)]
    ranked.rank, ranked.order, ranked.n_ranks, ranked.n_labels = rank, order, n_ranks, n_labels
    ranked.has_missing, ranked.n_known, ranked.slot = has_missing, n_known, slot
    ranked.value = np.concatenate(values)
    ranked.first_value = np.cumsum([0, *map(len, values[:-1])]).astype(np.int64)
    target = np.asarray(dataset.target)
    ranked.target = target.astype(np.float64) if plan.is_numeric else np.zeros(0)
    label_of_row = np.zeros(n_rows, np.int32) if plan.is_numeric else target.astype(np.int32)
    return Columns(dataset.schema, ranked, label_of_row, dataset.weights, _least_gap(values))


def _least_gap(values: list[Floats]) -> float:
    """Return the least difference between two neighbouring values of an attribute."""
    with np.errstate(over="ignore", invalid="ignore"):
        return min((float(np.diff(own).min()) for own in values if len(own) > 1), default=np.inf)
