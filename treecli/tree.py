"""A tree as parallel arrays, and a readable view of one node of it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import sqrt
from typing import TYPE_CHECKING, Any, cast

from treecli import plugins
from treecli.conditions import Condition, Interval, Labels
from treecli.data import Schema
from treecli.priors import Costs, Priors, class_scale, expected_costs
from treecli.splits import NO_BRANCH, SEARCHES, Split

if TYPE_CHECKING:
    Codes = array[int]
    Numbers = array[float]

LEAF = -1
"""The kind and the attribute of a node that asks nothing."""

ALL_BRANCHES = -1
"""Where missing values go: down every branch, each with that branch's share of the weight."""

STAYS = -2
"""Where missing values go: nowhere, the case ends at this node."""

WEIGHT, MEAN, DEVIANCE = 0, 1, 2
"""What a node keeps of a numeric target: total weight, mean, and sum of squared differences from the mean; a tree that
was grown by absolute error keeps the median and the sum of absolute differences from it instead."""


@cache
def kinds() -> tuple[str, ...]:
    """The kinds of split; a node's kind is a position in this."""
    return tuple(name for name in plugins.names("splits") if name not in SEARCHES)


@cache
def split_type(kind: str) -> type[Split]:
    """The class of a kind of split."""
    return cast("type[Split]", plugins.load("splits", kind).Split)


@dataclass(frozen=True, slots=True)
class Surrogate:
    """A test on another attribute that says where a case goes whose value is missing.

    A case that takes branch i of `split` takes branch branches[i] of the node's. `agreement` is the share of the node's
    cases with a known value that both send the same way; `adjusted` is 0 where that is no more than sending all of them
    down the heavier branch, and 1 where it is all.
    """

    split: Split
    branches: tuple[int, int]
    agreement: float
    adjusted: float

    def to_json(self, schema: Schema) -> dict[str, Any]:
        described = {"kind": self.split.KIND, "attribute": schema.attributes[self.split.attribute].name}
        shares = {"agreement": self.agreement, "adjusted": self.adjusted}
        return described | self.split.to_json(schema) | {"branches": list(self.branches)} | shares


@dataclass(slots=True)
class Tree:
    """Nodes in level order; the children of a node are `first_child + branch`.

    The arrays are the standard library's, so that a small model is read and shown without numpy; numpy sees
    them without a copy. `outcomes` holds `n_outcomes` numbers a node: the weight of each class, or weight,
    mean and deviance of a numeric target. `notes` are what is known of a few nodes and needed only to show them.
    `class_scale` (empty: 1 each) and `costs` are what a case of each class counts, and costs, when a label is chosen.
    """

    n_outcomes: int
    kind: Codes = field(default_factory=lambda: array("b"))
    attribute: Codes = field(default_factory=lambda: array("i"))
    number: Numbers = field(default_factory=lambda: array("d"))
    further_start: Codes = field(default_factory=lambda: array("q", [0]))
    further: Numbers = field(default_factory=lambda: array("d"))
    table_start: Codes = field(default_factory=lambda: array("q", [0]))
    table: Codes = field(default_factory=lambda: array("i"))
    missing_to: Codes = field(default_factory=lambda: array("i"))
    first_child: Codes = field(default_factory=lambda: array("i"))
    n_branches: Codes = field(default_factory=lambda: array("i"))
    score: Numbers = field(default_factory=lambda: array("d"))
    outcomes: Numbers = field(default_factory=lambda: array("d"))
    notes: dict[int, dict[str, Any]] = field(default_factory=dict)
    surrogates: dict[int, tuple[Surrogate, ...]] = field(default_factory=dict)
    class_scale: Sequence[float] = ()
    costs: Costs | None = None

    def judge_by(self, priors: Priors, costs: Costs | None, labels: Sequence[str]) -> None:
        """Makes the tree choose labels by these priors, against the counts of its root, and these costs."""
        if priors is not None:
            self.class_scale = class_scale(priors, labels, self.outcomes_of(0))
        self.costs = costs

    def label(self, outcomes: Sequence[float]) -> int:
        """The class of least expected cost, without priors and costs the heaviest; of equals the first."""
        if not self.class_scale and self.costs is None:
            return outcomes.index(max(outcomes))
        expected = expected_costs(outcomes, self.class_scale, self.costs)
        return expected.index(min(expected))

    @property
    def n_nodes(self) -> int:
        return len(self.kind)

    @property
    def n_leaves(self) -> int:
        return self.kind.count(LEAF)

    def append(
        self,
        outcomes: Iterable[float],
        split: Split | None = None,
        *,
        first_child: int = 0,
        n_branches: int = 0,
        missing_to: int = ALL_BRANCHES,
        score: float = 0.0,
        notes: dict[str, Any] | None = None,
        surrogates: tuple[Surrogate, ...] = (),
    ) -> None:
        """Adds a node after all others: a leaf, or an inner node whose children are to follow."""
        if notes:
            self.notes[self.n_nodes] = notes
        if surrogates:
            self.surrogates[self.n_nodes] = surrogates
        self.kind.append(LEAF if split is None else kinds().index(split.KIND))
        self.attribute.append(LEAF if split is None else split.attribute)
        self.number.append(0.0 if split is None else split.number)
        self.further.extend(() if split is None else split.further)
        self.further_start.append(len(self.further))
        self.table.extend(() if split is None else split.table)
        self.table_start.append(len(self.table))
        self.missing_to.append(missing_to)
        self.first_child.append(first_child)
        self.n_branches.append(n_branches)
        self.score.append(score)
        self.outcomes.extend(outcomes)

    def is_leaf(self, node: int) -> bool:
        return self.first_child[node] == 0

    def children(self, node: int) -> range:
        """The numbers of a node's children, a branch each; none for a leaf."""
        first = self.first_child[node]
        return range(first, first + self.n_branches[node])

    def inner_nodes(self) -> Iterator[int]:
        """The inner nodes, parents before children."""
        return (node for node, first in enumerate(self.first_child) if first)

    def outcomes_of(self, node: int) -> Numbers:
        """Class weights, or weight, mean and deviance."""
        return self.outcomes[node * self.n_outcomes : (node + 1) * self.n_outcomes]

    def split(self, node: int) -> Split:
        """What an inner node asks."""
        table = tuple(self.table[self.table_start[node] : self.table_start[node + 1]])
        further = tuple(self.further[self.further_start[node] : self.further_start[node + 1]])
        return split_type(kinds()[self.kind[node]]).load(self.attribute[node], self.number[node], table, further)

    def parents(self) -> list[int]:
        """The parent of every node; the root has -1."""
        parent = [-1] * self.n_nodes
        for node in self.inner_nodes():
            for child in self.children(node):
                parent[child] = node
        return parent

    def depths(self) -> list[int]:
        """How many tests lie between the root and every node."""
        depth = [0] * self.n_nodes
        for node in self.inner_nodes():
            for child in self.children(node):
                depth[child] = depth[node] + 1
        return depth

    def in_reading_order(self, root: int = 0) -> Iterator[int]:
        """A node, then what is below it, branch by branch: the order in which a tree is printed."""
        pending = [root]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(self.children(node)))

    def collapsed(self, becomes_leaf: Callable[[int], bool]) -> Tree:
        """The tree in which every node that is asked for is a leaf, and the rest is as it was.

        Nodes are numbered anew, in level order.
        """
        kept = [0]
        for node in kept:  # grows while it is walked: a queue
            if not self.is_leaf(node) and not becomes_leaf(node):
                kept.extend(self.children(node))
        new = Tree(self.n_outcomes, class_scale=self.class_scale, costs=self.costs)
        first_child = 1
        for node in kept:
            if self.is_leaf(node) or becomes_leaf(node):
                new.append(self.outcomes_of(node))
                continue
            n_branches = self.n_branches[node]
            new.append(
                self.outcomes_of(node),
                self.split(node),
                first_child=first_child,
                n_branches=n_branches,
                missing_to=self.missing_to[node],
                score=self.score[node],
                notes=self.notes.get(node),
                surrogates=self.surrogates.get(node, ()),
            )
            first_child += n_branches
        return new


class Node:
    """One node of a tree that predicts for a schema, for everything that is not hot."""

    __slots__ = ("_split", "index", "schema", "tree")

    def __init__(self, tree: Tree, index: int, schema: Schema) -> None:
        self.tree = tree
        self.index = index
        self.schema = schema
        self._split: Split | None = None

    @property
    def is_leaf(self) -> bool:
        return self.tree.is_leaf(self.index)

    @property
    def split(self) -> Split:
        if self._split is None:  # kept, or all conditions of a node with k branches would cost k * k
            self._split = self.tree.split(self.index)
        return self._split

    @property
    def children(self) -> list[Node]:
        return [Node(self.tree, child, self.schema) for child in self.tree.children(self.index)]

    @property
    def outcomes(self) -> Numbers:
        return self.tree.outcomes_of(self.index)

    @property
    def weight(self) -> float:
        """The weight of the training cases that reached the node."""
        return sum(self.outcomes) if self.schema.is_classification else self.outcomes[WEIGHT]

    @property
    def errors(self) -> float:
        """The weight that the node gets wrong as a leaf; for a numeric target the squared or absolute error."""
        if self.schema.is_classification:
            return self.weight - self.outcomes[self.tree.label(self.outcomes)]
        return self.outcomes[DEVIANCE]

    def condition(self, branch: int) -> Condition:
        """What a case must satisfy to take a branch, missing values included where they have one branch.

        Where surrogates decide, a missing value may take either, and the condition asks for a known one.
        """
        split = self.split
        if branch != self.tree.missing_to[self.index] or self.index in self.tree.surrogates:
            return split.condition(branch, self.schema)
        takes_known = branch < split.n_branches()
        condition = split.condition(branch if takes_known else 0, self.schema)
        if isinstance(condition, Interval):
            return replace(condition, missing=True) if takes_known else Interval(condition.attribute, 0.0, 0.0, True)
        # A label that no training case had at this node goes where missing values go.
        codes = {code for code, taken in enumerate(split.table) if taken == NO_BRANCH}
        if takes_known:
            codes.update(condition.codes)
        return Labels(condition.attribute, tuple(sorted(codes)), missing=True)


def competitors(node: Node) -> list[tuple[Split, float]]:
    """The splits that came next to a node's own, as far as they were kept, each with its score."""
    index_of = {attribute.name: index for index, attribute in enumerate(node.schema.attributes)}
    return [
        (split_type(record["kind"]).from_json(index_of[record["attribute"]], record, node.schema), record["score"])
        for record in node.tree.notes.get(node.index, {}).get("competitors", [])
    ]


def predicted_codes(tree: Tree) -> list[int]:
    """The class that each node predicts; an empty node takes its parent's."""
    codes = [0] * tree.n_nodes
    for node in range(tree.n_nodes):
        outcomes = tree.outcomes_of(node)
        if node == 0 or max(outcomes) > 0:
            codes[node] = tree.label(outcomes)
        for child in tree.children(node):
            codes[child] = codes[node]
    return codes


def predicted_values(tree: Tree) -> list[float]:
    """The mean or median that each node predicts; an empty node takes its parent's."""
    values = [0.0] * tree.n_nodes
    for node in range(tree.n_nodes):
        outcomes = tree.outcomes_of(node)
        if outcomes[WEIGHT] > 0 or node == 0:
            values[node] = outcomes[MEAN]
        for child in tree.children(node):
            values[child] = values[node]
    return values


def risks(tree: Tree, *, is_classification: bool) -> list[float]:
    """What each node costs as a leaf: the weight that it gets wrong, by priors and costs; or the squared error."""
    if not is_classification:
        return [tree.outcomes[first + DEVIANCE] for first in range(0, len(tree.outcomes), tree.n_outcomes)]
    risk = []
    for node in range(tree.n_nodes):
        outcomes = tree.outcomes_of(node)
        if tree.class_scale or tree.costs is not None:
            risk.append(min(expected_costs(outcomes, tree.class_scale, tree.costs)))
        else:
            risk.append(sum(outcomes) - max(outcomes))
    return risk


def typical_error(outcomes: Sequence[float], *, takes_medians: bool) -> float:
    """The root of the mean squared error of a numeric target; the mean absolute error of a tree of medians."""
    mean = outcomes[DEVIANCE] / outcomes[WEIGHT]
    return mean if takes_medians else sqrt(mean)
