"""All splits of the open nodes on one attribute, where other searches look at the best one only.

They are Candidates with one entry per split instead of one per node. Gains are computed from the count tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.grow import thresholds
from treecli.grow.candidates import Candidates, Codes, CountTables, Cuts, Flags, Floats, Indices, empty_test, joined
from treecli.kernels import codes, impurity
from treecli.kernels.args import Found
from treecli.kernels.list_cuts import list_cuts
from treecli.records import dataclass
from treecli.settings.growing import ONE_PLACE

if TYPE_CHECKING:
    from treecli.grow.level import MemoryLevel
    from treecli.kernels.args import Plan

MOST_WEIGHT = 1 << 22
"""Whole weights below this have tables of logarithms."""


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Splits on one attribute; `node` is the open node of each, in ascending order."""

    attribute: int
    node: Indices
    splits: Candidates

    def __len__(self) -> int:
        return len(self.node)

    def taken(self, places: Indices) -> Alternatives:
        """Return these splits, in this order."""
        return Alternatives(self.attribute, self.node[places], self.splits.taken(places))

    def best(self, most: int, slack: Floats) -> Alternatives:
        """Return the `most` splits of each node that gain most, in the given order; of equal ones the first.

        `slack` is the difference up to which gains of a node are equal: rounding must not decide.
        """
        order = np.lexsort((-self.splits.gain, self.node))
        gain, node = self.splits.gain[order], self.node[order]
        is_less = np.ones(len(order), bool)
        is_less[1:] = (node[1:] != node[:-1]) | (gain[:-1] - gain[1:] > slack[node[1:]])
        group = np.empty(len(order), np.int64)
        group[order] = np.cumsum(is_less)
        order = np.lexsort((np.arange(len(self)), group))
        node = self.node[order]
        is_first = np.concatenate([[True], node[1:] != node[:-1]]) if len(node) else np.zeros(0, bool)
        place = np.arange(len(node))
        rank = place - np.maximum.accumulate(np.where(is_first, place, 0))
        return self.taken(np.sort(order[rank < most]))


def alternatives(engine: Any, level: MemoryLevel, attribute: int, usual: Candidates) -> Alternatives:
    """Return the splits on an attribute that the limits allow; `usual` has the best one of each node.

    A numeric attribute has a split at every threshold, a nominal one for each label against the rest or for each
    grouping of up to `most_exhaustive` labels, as --nominal says. Where --nominal, --discretize or --threshold leave
    one split, and at nodes with more labels, it is the usual one.
    """
    plan: Plan = engine.plan
    is_nominal = engine.schema.columns[attribute].kind == "nominal"
    if attribute in engine.bounds or (not is_nominal and plan.settings.splitting.threshold in ONE_PLACE):
        return _usual(attribute, usual)
    if not is_nominal:
        if _are_counted(level, attribute, plan):
            node, cuts = _counted_cuts(level, attribute, plan, usual)
        else:
            (tables,) = engine.tables(level, attribute)
            node, cuts = _cuts(tables, plan, usual)
        return Alternatives(attribute, node, thresholds.placed(engine, attribute, cuts))
    if plan.nominal not in (codes.ONE_AGAINST_REST, codes.GROUPS):
        return _usual(attribute, usual)
    parts, first = [], 0
    for tables in engine.tables(level, attribute):
        n_nodes = len(tables.weights)
        own = usual.taken(np.arange(first, first + n_nodes))
        parts += [(node + first, splits) for node, splits in _groupings(tables, plan, own) if len(node)]
        first += n_nodes
    if not parts:
        return _usual(attribute, usual.taken(np.zeros(0, np.int64)))
    node = np.concatenate([part[0] for part in parts])
    order = np.argsort(node, kind="stable")
    return Alternatives(attribute, node[order], joined([part[1] for part in parts]).taken(order))


def _usual(attribute: int, usual: Candidates) -> Alternatives:
    """Return the best split of every node that has one."""
    node = np.flatnonzero(np.isfinite(usual.gain))
    return Alternatives(attribute, node, usual.taken(node))


@dataclass(frozen=True, slots=True)
class _TwoWay:
    """The outcomes of the two branches of splits, their numbers of rows, and their nodes."""

    node: Indices
    left: Floats
    right: Floats
    left_rows: Indices
    right_rows: Indices

    def scored(self, tables: CountTables, plan: Plan, least: float | Floats) -> tuple[Floats, Floats, Flags]:
        """Return the gain and the split information, and whether both branches are large enough."""
        weight = tables.weights[self.node]
        left, right = weights(self.left, plan), weights(self.right, plan)
        decrease = spreads(self.left + self.right, plan) - spreads(self.left, plan) - spreads(self.right, plan)
        gain = np.maximum(decrease, 0.0) / weight
        unknown = np.maximum(weight - left - right, 0.0)
        info = (xlog2(weight) - xlog2(left) - xlog2(right) - xlog2(unknown)) / weight
        least = np.maximum(np.asarray(least) - plan.tolerance, np.finfo(float).tiny)
        is_allowed = (left >= least) & (right >= least)
        is_allowed &= (self.left_rows >= plan.min_rows) & (self.right_rows >= plan.min_rows)
        return gain, info, is_allowed


def weights(outcomes: Floats, plan: Plan) -> Floats:
    """Return the weight of each row of additive outcomes."""
    found = np.empty(len(outcomes))
    impurity.totals(np.ascontiguousarray(outcomes), plan.is_numeric, found)
    return found


def spreads(outcomes: Floats, plan: Plan) -> Floats:
    """Return weight times impurity of each row of additive outcomes."""
    found = np.empty(len(outcomes))
    impurity.spreads(np.ascontiguousarray(outcomes), plan.impurity, plan.least_variance, found)
    return found


def xlog2(values: Floats) -> Floats:
    """Return x log2 x, which is 0 at 0."""
    return values * np.log2(np.where(values > 0, values, 1.0))


def _are_counted(level: MemoryLevel, attribute: int, plan: Plan) -> bool:
    """Return whether the branches of all cuts are whole numbers of known cases, which one kernel counts."""
    return (
        not plan.is_numeric
        and not plan.is_scaled
        and not plan.counts_rows
        and level.is_whole
        and float(level.totals.sum(axis=1).max(initial=0.0)) < MOST_WEIGHT
        and np.array_equal(level.orders[attribute].n_known, np.diff(level.start))
    )


@cache
def _xlog2_up_to(n_bits: int) -> Floats:
    """Return x log2 x for numbers of so many bits."""
    return xlog2(np.arange(1 << n_bits, dtype=float))


def _counted_cuts(level: MemoryLevel, attribute: int, plan: Plan, usual: Candidates) -> tuple[Indices, Cuts]:
    """Like _cuts, for whole numbers of known cases."""
    n, order, known = level.n_cases, level.orders[attribute], level.totals.sum(axis=1)
    least = _least_branch(known, order.n_known, plan, level.totals.shape[1])
    least = np.maximum(least - plan.tolerance, np.finfo(float).tiny)
    node, (gain, info, lower, upper) = np.empty(n, np.int64), np.empty((4, n))
    found = Found()
    found.gain, found.split_info, found.lower, found.upper = gain, info, lower, upper
    xlog2_of = _xlog2_up_to(int(known.max(initial=0.0)).bit_length())
    count = np.empty((2, level.totals.shape[1]))
    n = list_cuts(level.cases, order.args, least, xlog2_of, count, node, found, plan)
    node, gain = node[:n], gain[:n]
    cost = _cost(usual)
    if cost.any():
        gain = gain - cost[node] / known[node]
    no_side = np.full(n, codes.NO_SIDE, np.int32)
    return node, Cuts(gain, info[:n], lower[:n], upper[:n], no_side, empty_test(n), cost=cost[node])


def _cost(usual: Candidates) -> Floats:
    """Return the bits that the choice of a threshold costs at each node; 0 where there is none."""
    nothing = np.zeros(len(usual.gain))
    return nothing if usual.cost is None else np.where(np.isfinite(usual.gain), usual.cost, nothing)


def _cuts(tables: CountTables, plan: Plan, usual: Candidates) -> tuple[Indices, Cuts]:
    """Return the node of every cut of a numeric attribute, and the cuts; missing values may be on either side."""
    assert tables.value is not None
    n_nodes = len(tables.weights)
    node_of_entry = np.repeat(np.arange(n_nodes), np.diff(tables.start))
    value, is_known = tables.value, tables.value == tables.value
    sums = np.concatenate([np.zeros((1, tables.outcomes.shape[1])), np.cumsum(tables.outcomes, axis=0)])
    rows = np.concatenate([[0], np.cumsum(tables.n_rows)])
    n_known = np.bincount(node_of_entry[is_known], minlength=n_nodes)
    first, end = tables.start[:-1], tables.start[:-1] + n_known
    # Differences of running sums over all nodes are inexact where weights are not whole: sum each node by itself.
    known = _sums_by_node(tables, node_of_entry, is_known)
    missing = _sums_by_node(tables, node_of_entry, ~is_known)
    missing_rows = rows[tables.start[1:]] - rows[end]
    with np.errstate(over="ignore", invalid="ignore"):
        is_cut = np.zeros(len(value), bool)
        is_cut[:-1] = (node_of_entry[1:] == node_of_entry[:-1]) & (value[1:] - value[:-1] > plan.value_gap)
    cut = np.flatnonzero(is_cut)
    node = node_of_entry[cut]
    left = sums[cut + 1] - sums[first[node]]
    sides = [
        _TwoWay(node, left, known[node] - left, rows[cut + 1] - rows[first[node]], rows[end[node]] - rows[cut + 1])
    ]
    side_of = [codes.NO_SIDE]
    lower, upper = value[cut], value[np.minimum(cut + 1, len(value) - 1)]
    bounds = [(lower, upper)]
    if plan.missing_is_value and missing_rows.any():
        plain = sides.pop()
        bounds.pop()
        side_of = [0, 1, codes.KNOWN_OR_NOT]
        more, more_rows = missing[node], missing_rows[node]
        apart = np.flatnonzero((missing_rows > 0) & (n_known > 0))
        sides = [
            replace(plain, left=plain.left + more, left_rows=plain.left_rows + more_rows),
            replace(plain, right=plain.right + more, right_rows=plain.right_rows + more_rows),
            _TwoWay(apart, known[apart], missing[apart], (rows[end] - rows[first])[apart], missing_rows[apart]),
        ]
        bounds = [(lower, upper), (lower, upper), (np.zeros(len(apart)), np.ones(len(apart)))]
    least = _least_branch(weights(known, plan), n_known, plan, sums.shape[1])
    parts = []
    for own, side, (low, high) in zip(sides, side_of, bounds, strict=True):
        gain, info, is_allowed = own.scored(tables, plan, least[own.node])
        if side == 1:  # without missing values, the same split as with side 0
            is_allowed &= missing_rows[own.node] > 0
        taken = slice(None) if is_allowed.all() else np.flatnonzero(is_allowed)
        sides_of = np.full(len(own.node[taken]), side, np.int32)
        parts.append((own.node[taken], gain[taken], info[taken], low[taken], high[taken], sides_of))
    if len(parts) == 1:
        ((node, gain, info, lower, upper, side_of_cut),) = parts
    else:
        order = np.argsort(np.concatenate([part[0] for part in parts]), kind="stable")
        columns = (np.concatenate(column)[order] for column in zip(*parts, strict=True))
        node, gain, info, lower, upper, side_of_cut = columns
    cost = _cost(usual)
    if cost.any():
        gain = gain - cost[node] / tables.weights[node]
    return node, Cuts(gain, info, lower, upper, side_of_cut, empty_test(len(node)), cost=cost[node])


def _sums_by_node(tables: CountTables, node_of_entry: Indices, chosen: Flags) -> Floats:
    """Return the sums of the outcomes of the chosen entries of each node, added in their order."""
    if not chosen.any():
        return np.zeros((len(tables.weights), tables.outcomes.shape[1]))
    is_all = chosen.all()
    node, outcomes = (node_of_entry, tables.outcomes) if is_all else (node_of_entry[chosen], tables.outcomes[chosen])
    columns = [np.bincount(node, column, minlength=len(tables.weights)) for column in outcomes.T]
    return np.ascontiguousarray(np.transpose(columns))


def _least_branch(known: Floats, n_known: Indices, plan: Plan, n_classes: int) -> Floats:
    """Return the least weight of a branch at each node, with C4.5's share of the known cases if the plan has one."""
    if plan.branch_share <= 0:
        return np.full(len(known), plan.min_leaf)
    share = plan.branch_share * known / n_classes
    least = np.where(share < plan.min_leaf + plan.tolerance, plan.min_leaf, np.minimum(share, plan.most_branch_share))
    return np.where(n_known < 2 * least - plan.tolerance, np.inf, least)


def _groupings(tables: CountTables, plan: Plan, usual: Candidates) -> Iterator[tuple[Indices, Candidates]]:
    """Yield the nodes and the two-way splits of a nominal attribute, for nodes with equally many labels."""
    n_entries = np.diff(tables.start)
    is_one = plan.nominal == codes.ONE_AGAINST_REST
    is_many = np.zeros(len(n_entries), bool) if is_one else n_entries > plan.n_exhaustive
    many = np.flatnonzero(is_many & np.isfinite(usual.gain))
    yield many, usual.taken(many)
    for n in np.unique(n_entries[~is_many & (n_entries > 1)]).tolist():
        nodes = np.flatnonzero(~is_many & (n_entries == n))
        entry = tables.start[nodes][:, None] + np.arange(n)
        # Whether each grouping (row) has each entry (column) in branch 0.
        is_first = np.eye(n, dtype=bool)[: n if n > 2 else 1] if is_one else _halves(n)
        n_ways = len(is_first)
        left = np.einsum("gi,nic->ngc", is_first.astype(float), tables.outcomes[entry]).reshape(
            -1, tables.outcomes.shape[1]
        )
        right = np.einsum("gi,nic->ngc", (~is_first).astype(float), tables.outcomes[entry]).reshape(left.shape)
        left_rows = (tables.n_rows[entry] @ is_first.T).reshape(-1)
        right_rows = (tables.n_rows[entry] @ ~is_first.T).reshape(-1)
        sides = _TwoWay(np.repeat(nodes, n_ways), left, right, left_rows, right_rows)
        gain, info, is_allowed = sides.scored(tables, plan, plan.min_leaf)
        table = np.full((len(nodes) * n_ways, tables.n_labels + 1), codes.NO_BRANCH, np.int32)
        code = np.repeat(tables.code[entry], n_ways, axis=0)
        table[np.arange(len(table))[:, None], code] = np.tile(np.where(is_first, 0, 1), (len(nodes), 1))
        taken = np.flatnonzero(is_allowed)
        yield sides.node[taken], _labelled(gain[taken], info[taken], table[taken], usual.kind, is_one=is_one)


def _halves(n: int) -> Flags:
    """Return the ways to put n entries into two branches, the first of them always into branch 0."""
    ways = np.arange(2 ** (n - 1) - 1)
    others = (ways[:, None] >> np.arange(n - 1)) & 1
    return np.concatenate([np.ones((len(ways), 1), bool), others.astype(bool)], axis=1)


def _labelled(gain: Floats, info: Floats, table: Codes, kind: str, *, is_one: bool) -> Candidates:
    """Return splits by label; the last column of the table is the branch of missing values that count as a label."""
    by_label, missing_to = np.ascontiguousarray(table[:, :-1]), table[:, -1].copy()
    is_alone = (by_label != missing_to[:, None]).all(axis=1) & (missing_to >= 0)
    missing_to[is_alone] = 1
    if is_one:
        by_label[by_label < 0] = 1
    n_branches = np.full(len(gain), 2, np.int32)
    return Candidates(kind, gain, info, empty_test(len(gain)), n_branches, missing_to, is_alone, table=by_label)
