"""Counts as tables: the entries of each attribute at the open nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from treecli.engines._levels import Counted
from treecli.errors import DataError
from treecli.grow.candidates import CountTables
from treecli.kernels import impurity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import Attribute
    from treecli.grow.candidates import Codes, Floats, Indices
    from treecli.grow.coded import CodedColumn

ROUNDING = 1e-9
"""By this share, sums of fractions may differ from sums of the same in another order."""


def check(sums: Floats, totals: Floats, margin: Floats | float) -> None:
    """Raise a DataError if sums differ from the totals of nodes by more than a margin."""
    if (np.abs(sums - totals) > margin).any():
        raise DataError("the data changed while they were read: the counts of a pass differ from those before it")


class Counters(NamedTuple):
    """The counts of one attribute by node, code and class, and the field `unknown` of Counted."""

    counts: NDArray[Any]
    unknown: Floats

    @classmethod
    def of(cls, n_nodes: int, n_codes: int, n_classes: int, *, is_whole: bool = True) -> Counters:
        kind: Any = np.int64 if is_whole else np.float64
        return cls(np.zeros((n_nodes, n_codes + 1, n_classes), kind), np.zeros(n_nodes))

    def counted(self, column: CodedColumn, totals: Floats, margin: Floats | float = 0.0) -> Counted:
        """Return the counters of a dense attribute as tables of the entries that occur; `margin` as in Entries."""
        missing = self.counts[:, column.n_codes].astype(np.float64)
        node, code = np.nonzero(self.counts[:, : column.n_codes].any(axis=2))
        outcomes = self.counts[node, code].astype(np.float64)
        value = None if column.values is None else column.values[code]
        entries = Entries(node, code, value, outcomes)
        return entries.counted(missing, self.unknown, totals, column.n_codes, margin)


class Entries(NamedTuple):
    """The entries of an attribute in the order of nodes and codes; `value` are those of a numeric attribute."""

    node: Indices
    code: Indices
    value: Floats | None
    outcomes: Floats
    low: Floats | None = None
    """If an entry stands for a range of values up to `value`: the lowest of them."""

    def counted(
        self, missing: Floats, unknown: Floats, totals: Floats, n_labels: int, margin: Floats | float = 0.0
    ) -> Counted:
        """Return the entries as tables; raise a DataError if they do not sum to the totals of the nodes.

        `margin` is by how much sums of fractions may differ.
        """
        sums = missing.copy()
        np.add.at(sums, self.node, self.outcomes)
        check(sums, totals, margin)
        start = np.concatenate([[0], np.cumsum(np.bincount(self.node, minlength=len(totals)))]).astype(np.int64)
        no_rows, is_nominal = np.zeros(len(self.code), np.int64), self.value is None
        codes = self.code.astype(np.int32) if is_nominal else np.empty(0, np.int32)
        n_labels = n_labels if is_nominal else 0
        weights = np.empty(len(totals))
        impurity.totals(totals, False, weights)
        tables = CountTables(n_labels, start, codes, self.outcomes, no_rows, weights, self.value)
        return Counted(tables, missing, unknown, self.low)


class SortedRows(NamedTuple):
    """The node, number, class and weight (None: 1) of rows, for an attribute of very many values."""

    node: Codes | Indices
    value: Floats
    label: NDArray[Any]
    weight: NDArray[Any] | None

    def counted(self, described: Attribute, totals: Floats, scale: Floats, margin: Floats | float = 0.0) -> Counted:
        """Return the tables of the attribute: the rows sorted by value; `margin` as in Entries."""
        (node, value, label, weight), n_classes = self, totals.shape[1]
        is_missing = value != value
        lacking, of_lacking = node[is_missing], label[is_missing]
        missing = sums_of(lacking * n_classes + of_lacking, _taken(weight, is_missing), totals.shape)
        unknown = np.zeros(len(totals))
        np.add.at(unknown, lacking, scale[of_lacking] * (1.0 if weight is None else weight[is_missing]))
        known = np.flatnonzero(~is_missing)
        node, value, label, weight = node[known], value[known], label[known], _taken(weight, known)
        order = np.lexsort((value, node))
        node, value = node[order], value[order]
        is_new = np.ones(len(node), bool)
        is_new[1:] = (value[1:] != value[:-1]) | (node[1:] != node[:-1])
        entry = np.cumsum(is_new) - 1
        n_entries = int(np.count_nonzero(is_new))
        outcomes = sums_of(entry * n_classes + label[order], _taken(weight, order), (n_entries, n_classes))
        node_of_entry, value = node[is_new].astype(np.int64), value[is_new]
        if described.kind == "nominal":
            entries = Entries(node_of_entry, value.astype(np.int64), None, outcomes)
        else:
            entries = Entries(node_of_entry, entry[is_new], value, outcomes)
        return entries.counted(missing, unknown, totals, len(described.labels), margin)


def _taken(values: NDArray[Any] | None, places: Any) -> NDArray[Any] | None:
    return None if values is None else values[places]


def sums_of(place: Any, weight: NDArray[Any] | None, shape: tuple[int, int]) -> Floats:
    """Return the weight, or the number of rows, of each place; whole numbers, so the order does not matter."""
    return np.bincount(place, weight, shape[0] * shape[1]).astype(np.float64).reshape(shape)


def joined(parts: list[Counted]) -> Counted:
    """Return the counts of several portions of the nodes."""
    if len(parts) == 1:
        return parts[0]
    tables = [part.tables for part in parts]
    n_before = np.cumsum([0, *(own.start[-1] for own in tables)])
    start = np.concatenate([own.start[:-1] + n for own, n in zip(tables, n_before, strict=False)] + [n_before[-1:]])
    value = None if tables[0].value is None else np.concatenate([cast("Floats", own.value) for own in tables])
    code, outcomes, n_rows, weights = (
        np.concatenate([getattr(own, name) for own in tables]) for name in ("code", "outcomes", "n_rows", "weights")
    )
    return Counted(
        CountTables(tables[0].n_labels, start, code, outcomes, n_rows, weights, value),
        np.concatenate([part.missing for part in parts]),
        np.concatenate([part.unknown for part in parts]),
    )
