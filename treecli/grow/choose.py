"""Choose the attribute that splits each node, and build the split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from treecli.grow import bins
from treecli.grow.candidates import NO_GAIN, Candidates, Codes, Floats, Indices
from treecli.kernels import choose as kernel
from treecli.kernels import impurity
from treecli.kernels.args import Found, Plan
from treecli.records import dataclass
from treecli.splits._registry import kinds
from treecli.tree import ALL_BRANCHES, LEAF

if TYPE_CHECKING:
    from treecli.grow.level import Level
    from treecli.grow.nodes import Nodes


@dataclass(frozen=True, slots=True)
class Chosen:
    """The attribute that splits each open node (or LEAF), and the merits and scores of all candidates.

    `merit`, `score` and `gain` have one row per attribute and one column per node.
    """

    attribute: Codes
    merit: Floats
    score: Floats
    gain: Floats

    def of_chosen(self, values: Floats) -> Floats:
        """Return the entries of the chosen candidates; 0 if no candidate is chosen."""
        is_split = self.attribute >= 0
        return np.where(is_split, values[self.attribute, np.arange(len(self.attribute))], 0.0)


@dataclass(frozen=True, slots=True)
class Decision:
    """The splits of a level; the children of open node i are first_child[i] to first_child[i + 1] (exclusive)."""

    attribute: Codes
    kind: np.ndarray
    first_child: Indices
    number: Floats
    missing_to: Codes
    tables: dict[int, Codes]
    """For each attribute split by label: the branch of each label, with one row per node that the attribute splits."""
    bounds: dict[int, Floats]
    """For each attribute of `tables` whose labels are bins: the upper bound of each bin except the last."""
    first: Codes
    """The branch with the smaller mean of the target, or of the class numbers; 0 if unknown."""
    merit: Floats
    gain: Floats
    cost: Floats
    """The bits that the choice of a threshold costs."""
    printed: dict[int, float]
    """By open node: thresholds that J48 prints differently from those it tests."""
    values: Floats | None = None
    """By case: the number that a derived column splits, NaN at nodes that an attribute splits."""


class Chooser:
    """Choose splits level by level; keeps the greatest improvement so far."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._greatest = 0.0

    def choose(self, level: Level, candidates: Sequence[Candidates], second: Floats | None = None) -> Chosen:
        """Return the best candidate of every open node; ties go to the larger `second`, then to the first attribute."""
        plan = self._plan
        gain = np.array([c.gain for c in candidates])
        self._refuse(gain, level, candidates)
        ranking = plan.scorer.rank(candidates, gain, level, plan)
        second = ranking.second if second is None else second
        slack = np.broadcast_to(np.asarray(ranking.slack, np.float64), level.n_nodes).copy()
        chosen = np.full(level.n_nodes, LEAF, np.int32)
        if second is None:
            found = Found()
            found.merit = np.empty(len(candidates))
            kernel.choose(np.ascontiguousarray(ranking.merit), slack, found, chosen)
        else:
            _choose_by_two(ranking.merit, second, slack, chosen)
        return Chosen(chosen, ranking.merit, ranking.score, gain)

    def _refuse(self, gain: Floats, level: Level, candidates: Sequence[Candidates]) -> None:
        """Set the gain of splits that the plan does not allow to -inf."""
        plan = self._plan
        if plan.chi2_alpha < np.inf:
            gain[np.array([c.test.p_values() for c in candidates]) > plan.chi2_alpha] = NO_GAIN
        if plan.min_gain > -np.inf:
            gain[gain * shares(level, plan) < plan.min_gain] = NO_GAIN
        if plan.least_share > 0:
            worth = plan.scorer.worth(candidates, gain, level, plan)
            # As in rpart, each attribute is compared only with the attributes before it.
            greatest = np.maximum.accumulate(np.maximum(worth, self._greatest), axis=0)
            gain[worth <= plan.least_share * greatest] = NO_GAIN
            self._greatest = max(self._greatest, float(worth.max(initial=0.0)))


def shares(level: Level, plan: Plan) -> Floats:
    """Return the factor by which each node's gain is multiplied before the comparison with min_gain.

    It is the node's share of the total weight, or 1.
    """
    if not plan.gain_of_all:
        return np.ones(level.n_nodes)
    return weights(level.outcomes, plan) / plan.root_weight


def weights(outcomes: Floats, plan: Plan) -> Floats:
    """Return the weight of each row of outcomes in the tree's format."""
    out = np.empty(len(outcomes))
    impurity.totals(outcomes, plan.is_numeric, out)
    return out


def _choose_by_two(merit: Floats, second: Floats, slack: Floats, chosen: Codes) -> None:
    """Fill `chosen` with the attribute of the largest merit; ties go to the larger `second`."""
    best, best_second = np.full(len(chosen), NO_GAIN), np.zeros(len(chosen))
    for attribute, merits in enumerate(merit):
        # isfinite is needed: -inf ties with -inf, so an impossible split could be chosen.
        is_tie = (merits >= best - slack) & (second[attribute] > best_second + slack)
        is_better = np.isfinite(merits) & ((merits > best + slack) | is_tie)
        chosen[is_better] = attribute
        best[is_better], best_second[is_better] = merits[is_better], second[attribute][is_better]


def decided(candidates: Sequence[Candidates] | Mapping[int, Candidates], chosen: Chosen, plan: Plan) -> Decision:
    """Return the chosen candidates as the Decision by which an engine routes cases."""
    attribute_of = chosen.attribute
    n = len(attribute_of)
    n_branches, number, missing_to = np.zeros(n, np.int64), np.zeros(n), np.full(n, ALL_BRANCHES, np.int32)
    kind, first, cost = np.full(n, LEAF, np.int8), np.zeros(n, np.int32), np.zeros(n)
    tables: dict[int, Codes] = {}
    bounds: dict[int, Floats] = {}
    printed: dict[int, float] = {}
    for attribute in sorted(set(attribute_of[attribute_of >= 0].tolist())):
        found, nodes = candidates[attribute], np.flatnonzero(attribute_of == attribute)
        is_apart = found.parts_missing[nodes]
        n_branches[nodes] = found.n_branches[nodes]
        missing_to[nodes] = found.missing_to[nodes]
        kind[nodes] = _kinds(found, nodes)
        if found.number is not None:
            number[nodes] = found.number[nodes]
            if found.printed is not None:
                differs = nodes[found.printed[nodes] != found.number[nodes]]
                printed |= dict(zip(differs.tolist(), found.printed[differs].tolist(), strict=True))
        if found.table is not None:
            # If known values are separated from missing ones, all labels take branch 0.
            tables[attribute] = np.where(is_apart[:, None], 0, found.table[nodes])
            number[nodes] = np.where(is_apart, np.inf, 0.0)
        if found.bounds is not None:
            bounds[attribute] = found.bounds
        if found.first is not None:
            first[nodes] = found.first[nodes]
        if found.cost is not None:
            cost[nodes] = found.cost[nodes]
    if plan.policy.stays:
        missing_to[:] = plan.missing_to
    return Decision(
        attribute_of,
        kind,
        np.concatenate([[0], np.cumsum(n_branches)]),
        number,
        missing_to,
        tables,
        bounds,
        first,
        chosen.of_chosen(chosen.score),
        chosen.of_chosen(chosen.gain),
        cost,
        printed,
    )


def _kinds(found: Candidates, nodes: Indices) -> np.ndarray:
    """Return the kind of split of the candidate at each of these nodes."""
    kind = np.full(len(nodes), kinds().index(found.kind), np.int8)
    if found.kind == "bins":
        kind[bins.is_two_way(found)[nodes]] = kinds().index("threshold")
    kind[found.parts_missing[nodes]] = kinds().index("known")
    return kind


def set_splits(nodes: Nodes, places: Indices, decision: Decision, n_nodes: int) -> None:
    """Store the splits of the decision in the open nodes at these places.

    `n_nodes`, the number of nodes in the tree so far, is the number of the first child.
    """
    is_split = decision.attribute >= 0
    split = places[is_split]
    nodes.kind[split] = decision.kind[is_split]
    nodes.attribute[split] = decision.attribute[is_split]
    nodes.number[split] = decision.number[is_split]
    nodes.missing_to[split] = decision.missing_to[is_split]
    nodes.first_child[split] = n_nodes + decision.first_child[:-1][is_split]
    nodes.n_branches[split] = np.diff(decision.first_child)[is_split]
    nodes.score[split] = decision.merit[is_split]
    nodes.first[split] = decision.first[is_split]
    nodes.cost[split] = decision.cost[is_split]
    _set_tables(nodes, places, decision)


def _set_tables(nodes: Nodes, places: Indices, decision: Decision) -> None:
    """Store the label-to-branch tables and the bounds in node order."""
    known = kinds().index("known")
    nodes_of, sizes = {}, np.zeros(len(places), np.int64)
    binned = {}
    for attribute, table in decision.tables.items():
        own = np.flatnonzero(decision.attribute == attribute)
        has_table = nodes.kind[places[own]] != known
        if attribute in decision.bounds:
            binned[attribute] = own[has_table], table[has_table]
            continue
        nodes_of[attribute] = own[has_table], table[has_table]
        sizes[own[has_table]] = table.shape[1]
    start = np.cumsum(sizes) - sizes
    nodes.table = np.empty(int(sizes.sum()), np.int32)
    for own, table in nodes_of.values():
        nodes.table[start[own, None] + np.arange(table.shape[1])] = table
    nodes.table_start[places], nodes.table_size[places] = start, sizes
    first, n_further, nodes.further = bins.bounds_between(binned, decision.bounds, len(places))
    for own, _ in binned.values():
        nodes.number[places[own]] = first[own]
    nodes.further_size[places] = n_further
    nodes.further_start[places] = np.cumsum(n_further) - n_further
