"""Rules from a tree: one for each leaf."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from treecli.model import TreeModel
from treecli.outcomes.rows import combined, total
from treecli.predict.leafmodels import leaf_models
from treecli.predict.routes import Routes, Routing
from treecli.rules.formulas import line_of
from treecli.rules.rule import BY_CONDITION, Rule, class_shares
from treecli.splits import with_missing
from treecli.tree import ALL_BRANCHES, STAYS, WEIGHT, predicted_codes, predicted_values
from treecli.values import Condition, Interval, narrow

if TYPE_CHECKING:
    from treecli.leaves import Leaf
    from treecli.outcomes.rows import Outcomes

ROUNDING = 1e-9
"""Relative tolerance: smaller differences of weights count as 0."""


def from_tree(model: TreeModel) -> Iterator[Rule]:
    """Yield the rules of a tree in reading order: one for each leaf that a row can reach. Rules are disjoint.

    A row satisfies the rule of the leaf where it ends. An inner node where rows with a missing value stay has its own
    rule. If missing values go down several branches, or surrogates decide, conditions require a known value, and a row
    without one may satisfy no rule. A leaf that no training case reached covers 0.
    """
    tree, schema = model.tree, model.schema
    if not schema.is_classification:
        values, own = predicted_values(tree), leaf_models(model)
        for node, conditions in _ends(model):
            kept = tree.outcomes_of(node)
            outcomes: Outcomes | None = kept
            covered = kept[WEIGHT]
            if not tree.is_leaf(node):
                covered = _left(covered, (tree.outcomes_of(child)[WEIGHT] for child in tree.children(node)))
                outcomes = None if covered else array("d", bytes(8 * tree.n_outcomes))
            rule = Rule(conditions, node, outcomes, covered, takes_medians=model.takes_medians)
            yield with_value(rule, values[node], own.get(node))
        return
    codes = predicted_codes(tree)
    priors = class_shares(tree.outcomes_of(0))
    for node, conditions in _ends(model):
        counts = tree.outcomes_of(node)
        if not tree.is_leaf(node):  # a case that stays at a node is counted there and in no branch
            below = [tree.outcomes_of(child) for child in tree.children(node)]
            counts = combined([counts, *below], lambda weights: _left(weights[0], weights[1:]))
        code = codes[node]
        yield Rule(conditions, node, counts, total(counts), code, counts[code], priors[code])


def with_value(rule: Rule, value: float, leaf: Leaf | None) -> Rule:
    """Return the rule with a value, or with the formula of a leaf model."""
    if leaf is None:
        return replace(rule, value=value)
    line = line_of(leaf)
    if not line.terms:
        return replace(rule, value=line.intercept)
    return replace(rule, model=line, model_error=getattr(leaf, "rmse", None) if rule.covered else None)


def conditions_at(model: TreeModel, node: int) -> tuple[Condition, ...]:
    """Return the conditions on the path from the root to a node, at most one per attribute."""
    merged: dict[int, Condition] = {}
    for condition in Paths(model).to(node):
        narrow(merged, condition, model.schema)
    return tuple(c for c in merged.values() if not _holds_for_all(c, model))


class Paths:
    """The conditions on the paths from the root to the nodes of a tree, one per split."""

    def __init__(self, model: TreeModel) -> None:
        self._tree = model.tree
        self._parents = model.tree.parents()
        self._branches = _Branches(model)
        self._known: dict[int, tuple[list[Condition], Condition | None]] = {}

    def to(self, node: int) -> list[Condition]:
        """Return the conditions satisfied by rows that reach a node."""
        path = []
        while self._parents[node] >= 0:
            parent = self._parents[node]
            path.append(self._of(parent)[0][node - self._tree.first_child[parent]])
            node = parent
        return path[::-1]

    def to_end_at(self, node: int) -> list[Condition]:
        """Return the conditions satisfied by rows that end at a node; for an inner node, by rows that stay there."""
        stay = None if self._tree.is_leaf(node) else self._of(node)[1]
        return self.to(node) if stay is None else [*self.to(node), stay]

    def _of(self, node: int) -> tuple[list[Condition], Condition | None]:
        if node not in self._known:
            self._known[node] = self._branches.of(node)
        return self._known[node]


def _ends(model: TreeModel) -> Iterator[tuple[int, tuple[Condition, ...]]]:
    """Yield each node where rows can end, in reading order, with the conditions on its path.

    The walk shares one dictionary and undoes the changes of each step: copying it for every leaf of a deep tree would
    take time quadratic in the depth.
    """
    tree, schema = model.tree, model.schema
    branches = _Branches(model)
    merged: dict[int, Condition] = {}
    changes: list[tuple[int, Condition | None]] = []
    pending: list[tuple[int, int, Condition | None, bool]] = [(0, 0, None, False)]
    while pending:
        node, depth, condition, stays = pending.pop()
        while len(changes) >= max(depth, 1):
            attribute, before = changes.pop()
            if before is None:
                del merged[attribute]
            else:
                merged[attribute] = before
        if condition is not None:
            attribute = condition.attribute
            changes.append((attribute, merged.get(attribute)))
            if narrow(merged, condition, schema).is_empty:
                continue
        if stays or tree.is_leaf(node):
            held = tuple(merged.values())
            if branches.take_missing:  # else no condition can hold for all
                held = tuple(c for c in held if not _holds_for_all(c, model))
            yield node, held
            continue
        own, stay = branches.of(node)
        if stay is not None:
            pending.append((node, depth + 1, stay, True))
        first = tree.first_child[node]
        for branch in range(len(own) - 1, -1, -1):
            pending.append((first + branch, depth + 1, own[branch], False))


class _Branches:
    """The conditions of a node's branches, including missing values and unseen labels."""

    def __init__(self, model: TreeModel) -> None:
        self._tree, self._schema = model.tree, model.schema
        self._missing_to = Routes.of(model).missing_to
        # The heaviest branch, by the same sums as in prediction, which need numpy.
        self._unseen_to = (
            Routing.of(model).heaviest.tolist() if model.settings.predicting.unseen == BY_CONDITION else None
        )
        self.take_missing = False
        """Whether any condition so far includes missing values."""

    def of(self, node: int) -> tuple[list[Condition], Condition | None]:
        """Return the condition of each branch, and the condition for staying at the node, or None."""
        tree, schema = self._tree, self._schema
        split = tree.split(node)
        n_known = split.n_branches()
        own: list[Condition] = [split.condition(branch, schema) for branch in range(n_known)]
        nothing = own[0].nothing()
        own += [nothing] * (tree.n_branches[node] - n_known)
        # With surrogates, a missing value may take either branch.
        to = ALL_BRANCHES if node in tree.surrogates else self._missing_to[node]
        self.take_missing = self.take_missing or to != ALL_BRANCHES
        if to >= 0:
            own[to] = with_missing(own[to], split)
        if self._unseen_to is not None and not schema.columns[split.attribute].is_numeric:
            heaviest = self._unseen_to[node]
            own[heaviest] = replace(own[heaviest], unseen=True)
        return own, with_missing(nothing, split) if to == STAYS else None


def _left(whole: float, parts: Iterable[float]) -> float:
    """Return the whole minus its parts; 0 if the difference is only rounding."""
    left = whole - sum(parts)
    return left if left > ROUNDING * whole else 0.0


def _holds_for_all(condition: Condition, model: TreeModel) -> bool:
    if not condition.missing:
        return False
    attribute = model.schema.columns[condition.attribute]
    if model.settings.predicting.unseen == BY_CONDITION and not attribute.is_numeric and not condition.unseen:
        return False
    if isinstance(condition, Interval):
        return condition.low == -inf and condition.high == inf
    return condition.bits.bit_count() == len(attribute.labels)
