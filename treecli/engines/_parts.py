"""Rows that go down several branches: their parts are carried beside the counts, in the order of the rows.

Sums of fractions depend on their order. The memory engine adds the cases of a node in the order of the rows, and so do
passes over files, so the sums are equal bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treecli.engines._tables import ROUNDING, check
from treecli.errors import DataError
from treecli.kernels import count_codes, partition
from treecli.kernels.args import Cases, Sent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.engines._levels import SentCounts
    from treecli.engines._passes import Moves, Passes
    from treecli.grow.candidates import Codes, Flags, Floats, Indices
    from treecli.kernels.args import Plan


MOST_PARTS = 1 << 22
"""The limit on the parts of a level, if no ceiling of memory is given."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Fractions of rows: the row, the node and the weight of each, in the order of the rows."""

    row: Indices
    node: Codes
    weight: Floats

    def __len__(self) -> int:
        return len(self.row)

    def taken(self, places: Any) -> Parts:
        return Parts(self.row[places], self.node[places], self.weight[places])

    def between(self, first: int, n: int) -> Parts:
        """Return the parts of some consecutive rows."""
        return self.taken(slice(*np.searchsorted(self.row, [first, first + n])))

    def moved(self, to: Codes) -> Parts:
        """Return the parts with the nodes that their nodes become."""
        return Parts(self.row, to[self.node], self.weight)

    @property
    def are_whole(self) -> bool:
        return bool((self.weight == np.floor(self.weight)).all())


def no_parts() -> Parts:
    return Parts(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0))


def in_order(several: list[Parts]) -> Parts:
    """Return parts in the order of the rows."""
    row, node, weight = (np.concatenate([getattr(own, name) for own in several]) for name in Parts.__slots__)
    return Parts(row, node, weight).taken(np.argsort(row, kind="stable"))


class Batch(NamedTuple):
    """Consecutive rows with their parts, in the order of the rows; `row` is their place, None if there are no parts."""

    first: int
    row: Indices | None
    node: Codes
    label: NDArray[np.uint16]
    weight: Floats
    is_part: Flags
    target: Floats | None
    """The numeric target of each case."""

    def of(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return the values of the cases, given those of the rows."""
        return column if self.row is None else column[self.row]


def batch_of(
    first: int, node: Codes, label: NDArray[np.uint16], weight: Floats, parts: Parts, target: Floats | None = None
) -> Batch:
    """Return rows with their nodes, and the parts of these rows."""
    if not len(parts):
        return Batch(first, None, node, label, weight, np.zeros(len(node), bool), target)
    whole = np.flatnonzero(node >= 0)
    row = np.concatenate([whole, parts.row - first])
    order = np.argsort(row, kind="stable")
    row = row[order]
    of_cases = np.concatenate([node[whole], parts.node])[order], label[row]
    weight = np.concatenate([weight[whole], parts.weight])[order]
    return Batch(first, row, *of_cases, weight, order >= len(whole), None if target is None else target[row])


class Divided(NamedTuple):
    """The children of a level whose rows were divided: parts by child, and the number of cases of each child."""

    parts: Parts
    size: Indices


def divide(
    passes: Passes, sent: SentCounts, expected: Floats | None, moves: Moves, most_parts: int, plan: Plan
) -> Divided:
    """Sum the outcomes of every child in one pass, into sent.children, and divide the rows without a branch.

    `expected` are the class weights of the rows with a branch, as they were counted before.
    `moves` send a row without a branch to the number after the leaf, which follows the last child.
    """
    level, decision = sent.level, sent.decision
    first_child, n_children = decision.first_child, len(sent.children)
    share, known, size = np.zeros(n_children), np.zeros(level.n_nodes), np.zeros(n_children, np.int64)
    kept, lacking, labels, targets = [], [], [], []
    n_parts = 0
    n_branches = np.diff(first_child)
    for batch in passes.cases():
        child = passes.children(batch, moves)
        if batch.target is None:
            count_codes.add_children(batch.node, child, batch.label, batch.weight, sent.children, share, known)
        else:
            of_cases = batch.target, batch.weight, level.center
            count_codes.add_targets(batch.node, child, *of_cases, sent.children, share, known)
        has_child = (child >= 0) & (child < n_children)
        size += np.bincount(child[has_child], minlength=n_children)
        places = np.arange(len(child)) if batch.row is None else batch.row
        still = np.flatnonzero(has_child & batch.is_part)
        kept.append(Parts(batch.first + places[still], child[still], batch.weight[still]))
        own = np.flatnonzero(child == n_children + 1)
        lacking.append(Parts(batch.first + places[own], batch.node[own], batch.weight[own]))
        labels.append(batch.label[own])
        targets.append(np.zeros(len(own)) if batch.target is None else batch.target[own])
        n_parts += len(still) + (int(n_branches[batch.node[own]].sum()) if plan.spreads else 0)
        if n_parts > most_parts:
            raise DataError(
                f"missing values divide the rows of a level into more than {most_parts} parts, for which there is room",
                "use --missing branch, majority or stay, which divide no row, or give more --memory",
            )
    unknown, label = in_order(lacking), np.concatenate(labels).astype(np.int32)
    y = np.concatenate(targets)
    if expected is not None:
        check(sent.children, expected, ROUNDING * np.repeat(level.totals, n_branches, axis=0))
    _check_sums(passes, sent, unknown, label if expected is not None else y - level.center[unknown.node])
    order = np.argsort(unknown.node, kind="stable")
    start = np.searchsorted(unknown.node[order], np.arange(level.n_nodes + 1)).astype(np.int64)
    row, n = np.arange(len(order), dtype=np.int32), len(order)
    of_unknown = label[order], y[order], unknown.weight[order]
    cases = Cases(start, row, *of_unknown, level.center, level.totals)
    branch = decision.missing_to[unknown.node[order]]  # no branch yet, or none at all
    args = Sent(first_child, branch, share, decision.missing_to, sent.children)
    args.decrease, args.information = sent.decrease, sent.information
    partition.spread(cases, args, known, plan)
    if not plan.spreads:
        size += np.bincount((first_child[unknown.node[order]] + branch)[branch >= 0], minlength=n_children)
        return Divided(in_order([*kept, no_parts()]), size)
    case = np.repeat(np.arange(n), n_branches[unknown.node])
    own_node = unknown.node[case]
    first_of_case = np.cumsum(n_branches[unknown.node]) - n_branches[unknown.node]
    child = (first_child[own_node] + np.arange(len(case)) - first_of_case[case]).astype(np.int32)
    made = Parts(unknown.row[case], child, unknown.weight[case] * share[child]).taken(share[child] > 0)
    size += np.bincount(made.node, minlength=n_children)
    return Divided(in_order([*kept, made]), size)


def _check_sums(passes: Passes, sent: SentCounts, unknown: Parts, of_unknown: NDArray[Any]) -> None:
    """Raise a DataError if the children and the rows without a branch do not sum to the totals of split nodes.

    `of_unknown` are the classes of these rows, or a numeric target about the centres of their nodes.
    """
    first_child, totals = sent.decision.first_child, sent.level.totals
    sums = np.zeros_like(totals)
    np.add.at(sums, np.repeat(np.arange(len(totals)), np.diff(first_child)), sent.children)
    if of_unknown.dtype == np.int32:
        np.add.at(sums, (unknown.node, of_unknown), unknown.weight)
    else:
        for place, power in enumerate((np.ones(len(of_unknown)), of_unknown, of_unknown**2)):
            np.add.at(sums[:, place], unknown.node, unknown.weight * power)
    is_split = sent.decision.attribute >= 0
    check(sums[is_split], totals[is_split], passes.margin(totals[is_split]) + ROUNDING * np.abs(totals[is_split]))
