"""A tree as parallel arrays, and the predictions of its nodes."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import accumulate, chain, count, islice, repeat
from math import sqrt
from typing import TYPE_CHECKING, Any, TypeVar, cast

from treecli.outcomes.counts import SparseCounts
from treecli.outcomes.rows import SparseRow, heaviest
from treecli.priors import Costs, Priors, class_scale, expected_costs
from treecli.records import dataclass
from treecli.splits import Split, packed, unpacked
from treecli.splits._registry import kinds, on_column, packs_itself, place_of, split_at
from treecli.splits._surrogate import Surrogate

if TYPE_CHECKING:
    from treecli.leaves import Leaf

    Codes = array[int]
    Numbers = array[float]

T = TypeVar("T")

NUMBERS_AT_ONCE = 1 << 16
"""Number of outcomes that are converted to Python numbers at a time."""

LEAF = -1
"""The kind and the attribute of a leaf."""

ALL_BRANCHES = -1
"""Missing values go down every branch, with that branch's share of the weight."""

STAYS = -2
"""Missing values go down no branch: the case stops at this node."""

WEIGHT, MEAN, DEVIANCE = 0, 1, 2
"""Outcomes for a numeric target: total weight, mean, and sum of squared differences from the mean; a tree grown by
absolute error has the median and the sum of absolute differences from it instead."""


@dataclass(slots=True)
class Tree:
    """Nodes in level order; the children of a node are `first_child + branch`.

    The arrays are from the standard library, so that a small model is read and shown without numpy; numpy views them
    without a copy. `outcomes` has `n_outcomes` numbers per node: the weight of each class, or weight, mean and deviance
    of a numeric target. With many classes it has only the weights that are not 0. `notes` has display information
    about a few nodes. `class_scale` (empty: 1 each) and `costs` are the weight and the costs of each class when a label
    is chosen. `leaf_models` has the nodes that predict another number than the mean or median of their cases, `forced`
    the leaves whose class was given by hand.
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
    outcomes: Numbers | SparseCounts = field(default_factory=lambda: array("d"))
    notes: dict[int, dict[str, Any]] = field(default_factory=dict)
    surrogates: dict[int, Sequence[Surrogate]] = field(default_factory=dict)
    leaf_models: dict[int, Leaf] = field(default_factory=dict)
    class_scale: Sequence[float] = ()
    costs: Costs | None = None
    forced: dict[int, int] = field(default_factory=dict)

    def judge_by(self, priors: Priors, costs: Costs | None, labels: Sequence[str]) -> None:
        """Makes the tree choose labels by these priors, relative to the counts of its root, and these costs."""
        if priors is not None:
            self.class_scale = class_scale(priors, labels, self.outcomes_of(0))
        self.costs = costs

    def label(self, outcomes: Sequence[float]) -> int:
        """The class of least expected cost, without priors and costs the heaviest; the first of equals."""
        if not self.class_scale and self.costs is None:
            return heaviest(outcomes)
        expected = expected_costs(outcomes, self.class_scale, self.costs)
        return expected.index(min(expected))

    @property
    def n_nodes(self) -> int:
        return len(self.kind)

    @property
    def n_leaves(self) -> int:
        # Bytes are counted at once; an array would make a Python integer of every kind.
        return self.kind.tobytes().count(LEAF & 0xFF)

    @classmethod
    def of_leaves(cls, n_outcomes: int, outcomes: Numbers | SparseCounts) -> Tree:
        """A tree of unconnected leaves with these outcomes, for `ask` to add splits."""
        n = len(outcomes) if isinstance(outcomes, SparseCounts) else len(outcomes) // n_outcomes
        return cls(
            n_outcomes,
            kind=array("b", [LEAF]) * n,
            attribute=array("i", [LEAF]) * n,
            number=array("d", [0.0]) * n,
            further_start=array("q", [0]) * (n + 1),
            table_start=array("q", [0]) * (n + 1),
            missing_to=array("i", [ALL_BRANCHES]) * n,
            first_child=array("i", [0]) * n,
            n_branches=array("i", [0]) * n,
            score=array("d", [0.0]) * n,
            outcomes=outcomes,
        )

    def ask(self, node: int, split: Split, first_child: int, n_branches: int, missing_to: int, score: float) -> None:
        """Turns a leaf into an inner node; call it for the nodes in order, then `settle`."""
        self.kind[node] = place_of(split.KIND)
        self.attribute[node] = split.attribute
        self.number[node] = split.number
        self.missing_to[node] = missing_to
        self.first_child[node] = first_child
        self.n_branches[node] = n_branches
        self.score[node] = score
        further = split.further
        # One kind has a sparse form that need not be made from a table.
        kept: Sequence[int] | None = split.packed if packs_itself(split.KIND) else None  # type: ignore[attr-defined]
        table = kept or split.table
        if further:
            self.further.extend(further)
            self.further_start[node + 1] = len(self.further)
        if table:
            kept = kept or packed(table)
            self.number[node] = float(kept is not None)
            self.table.extend(kept or table)
            self.table_start[node + 1] = len(self.table)

    def settle(self) -> None:
        """Completes the calls of `ask`: an empty run starts where the previous one ended."""
        if self.further:
            self.further_start = array("q", accumulate(self.further_start, max))
        if self.table:
            self.table_start = array("q", accumulate(self.table_start, max))

    def renumbered(self, number: Mapping[int, int]) -> Tree:
        """The tree whose splits ask about columns by other numbers; `number` has the new one of each column in use."""
        surrogates: dict[int, Sequence[Surrogate]] = {
            node: tuple(
                replace(surrogate, split=on_column(surrogate.split, number[surrogate.split.attribute]))
                for surrogate in own
            )
            for node, own in self.surrogates.items()
        }
        attribute = array("i", [number.get(index, LEAF) for index in self.attribute])
        return replace(self, attribute=attribute, surrogates=surrogates)

    def is_leaf(self, node: int) -> bool:
        return self.first_child[node] == 0

    def children(self, node: int) -> range:
        """The numbers of a node's children, one per branch; empty for a leaf."""
        first = self.first_child[node]
        return range(first, first + self.n_branches[node])

    def inner_nodes(self) -> Iterator[int]:
        """The inner nodes, parents before children."""
        return (node for node, first in enumerate(self.first_child) if first)

    def all_outcomes(self) -> Iterator[Sequence[float]]:
        """The outcomes of each node in turn.

        A few nodes at a time are converted to Python numbers, which take four times the memory of the array.
        """
        if isinstance(self.outcomes, SparseCounts):
            yield from map(self.outcomes.__getitem__, range(self.n_nodes))
            return
        n = self.n_outcomes
        step = n * max(NUMBERS_AT_ONCE // n, 1)
        for begin in range(0, len(self.outcomes), step):
            numbers = iter(self.outcomes[begin : begin + step].tolist())
            yield from zip(*[numbers] * n, strict=True)

    def outcomes_of(self, node: int) -> Numbers | SparseRow:
        """Class weights, or weight, mean and deviance."""
        if isinstance(self.outcomes, SparseCounts):
            return self.outcomes[node]
        return self.outcomes[node * self.n_outcomes : (node + 1) * self.n_outcomes]

    def moments(self, place: int) -> Numbers:
        """One of WEIGHT, MEAN and DEVIANCE of every node, for a numeric target."""
        return cast("Numbers", self.outcomes)[place :: self.n_outcomes]

    def weights(self, *, is_classification: bool) -> list[float]:
        """The weight of every node."""
        if not is_classification:
            return self.moments(WEIGHT).tolist()
        if isinstance(self.outcomes, SparseCounts):
            return self.outcomes.totals()
        return list(map(sum, self.all_outcomes()))

    def is_packed(self, node: int) -> bool:
        """Whether the table of a node is sparse: its number, which nodes with a table do not need, says so."""
        return self.number[node] > 0

    def split(self, node: int) -> Split:
        """The split of an inner node."""
        begin, end = self.table_start[node], self.table_start[node + 1]
        table = tuple(self.table[begin:end]) if begin < end else ()
        if table and self.is_packed(node):
            if packs_itself(kinds()[self.kind[node]]):
                return cast("Split", split_at(self.kind[node]).load_packed(self.attribute[node], table))  # type: ignore[attr-defined]
            table = unpacked(table)
        begin, end = self.further_start[node], self.further_start[node + 1]
        further = tuple(self.further[begin:end]) if begin < end else ()
        return split_at(self.kind[node]).load(self.attribute[node], self.number[node], table, further)

    def parents(self) -> list[int]:
        """The parent of every node; -1 for the root."""
        # Children are in the order of their parents.
        return [-1, *chain.from_iterable(map(repeat, count(), self.n_branches))]

    def depths(self) -> list[int]:
        """The number of tests between the root and every node."""
        depth = [0]
        for node, n_branches in enumerate(self.n_branches):
            if n_branches:
                depth += [depth[node] + 1] * n_branches
        return depth

    def depth(self) -> int:
        """The largest number of tests between the root and a node."""
        first_of_next = array("q", accumulate(self.n_branches, initial=1))
        end, found = 1, 0
        while first_of_next[end] > end:  # the children of a level's last node end the next level
            end, found = first_of_next[end], found + 1
        return found

    def in_reading_order(self, root: int = 0) -> Iterator[int]:
        """A node, then its descendants, branch by branch: the order in which a tree is printed."""
        pending = [root]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(self.children(node)))

    def collapsed(self, becomes_leaf: Callable[[int], bool]) -> Tree:
        """The tree with the selected nodes turned into leaves, except those above a leaf with a forced class.

        Nodes are renumbered in level order.
        """
        kept, tests = [0], []
        above = self.above_forced()
        for node in kept:  # grows during the loop: a queue
            first = self.first_child[node]
            if first and (node in above or not becomes_leaf(node)):
                kept.extend(range(first, first + self.n_branches[node]))
                tests.append(node)
            else:
                tests.append(LEAF)
        return self.rearranged(tests, self._outcomes_of(kept), kept)

    def above_forced(self) -> set[int]:
        """The inner nodes above leaves with a forced class."""
        if not self.forced:
            return set()
        parents, found = self.parents(), set()
        for leaf in self.forced:
            node = parents[leaf]
            while node >= 0 and node not in found:
                found.add(node)
                node = parents[node]
        return found

    def _outcomes_of(self, nodes: Sequence[int]) -> Numbers | SparseCounts:
        """The outcomes of some nodes, as a tree keeps them."""
        if isinstance(self.outcomes, SparseCounts):
            return self.outcomes.taken(nodes)
        n, outcomes = self.n_outcomes, array("d")
        for node in nodes:
            outcomes.extend(self.outcomes[node * n : node * n + n])
        return outcomes

    def rearranged(self, tests: Sequence[int], outcomes: Numbers | SparseCounts, kept: Sequence[int] = ()) -> Tree:
        """A tree whose nodes, in level order, have the splits of these nodes and these outcomes.

        LEAF marks a leaf. `kept` has the nodes whose leaf models and forced classes the nodes have; by default they
        have none.
        """

        def taken(values: array[Any], of_leaf: float) -> array[Any]:
            return array(values.typecode, [of_leaf if test == LEAF else values[test] for test in tests])

        n_branches = taken(self.n_branches, 0)
        ends = islice(accumulate(n_branches, initial=1), 1, None)  # end of each node's children
        further_start, further = _runs(self.further_start, self.further, tests)
        table_start, table = _runs(self.table_start, self.table, tests)
        return Tree(
            self.n_outcomes,
            kind=taken(self.kind, LEAF),
            attribute=taken(self.attribute, LEAF),
            number=taken(self.number, 0.0),
            further_start=further_start,
            further=further,
            table_start=table_start,
            table=table,
            missing_to=taken(self.missing_to, ALL_BRANCHES),
            first_child=array("i", [n and end - n for n, end in zip(n_branches, ends, strict=True)]),
            n_branches=n_branches,
            score=taken(self.score, 0.0),
            outcomes=outcomes,
            notes=_of_nodes(self.notes, tests),
            surrogates=_of_nodes(self.surrogates, tests),
            leaf_models=_of_nodes(self.leaf_models, kept),
            class_scale=self.class_scale,
            costs=self.costs,
            forced=_of_nodes(self.forced, kept),
        )


def _runs(start: Codes, values: array[Any], tests: Sequence[int]) -> tuple[Codes, array[Any]]:
    """The concatenated values of these nodes, and the start of each node's run."""
    found: array[Any] = array(values.typecode)
    if not values:
        return array("q", [0]) * (len(tests) + 1), found
    found_start = array("q", [0])
    for test in tests:
        if test != LEAF:
            found.extend(values[start[test] : start[test + 1]])
        found_start.append(len(found))
    return found_start, found


def _of_nodes(known: dict[int, T], tests: Sequence[int]) -> dict[int, T]:
    """The entries of a dict by node, under the new numbers of the remaining nodes."""
    return {node: known[test] for node, test in enumerate(tests) if test in known} if known else {}


def predicted_codes(tree: Tree) -> list[int]:
    """The class that each node predicts; an empty node predicts the same as its parent."""
    codes: list[int] = []
    is_plain = not tree.class_scale and tree.costs is None
    empty = []
    if isinstance(tree.outcomes, SparseCounts):
        for node, row in enumerate(tree.all_outcomes()):
            codes.append(tree.forced.get(node, tree.label(row)))
            if not row[heaviest(row)] > 0 and node not in tree.forced:
                empty.append(node)
        return _filled_from_parents(empty, codes, tree)
    if is_plain:
        codes = [outcomes.index(max(outcomes)) for outcomes in tree.all_outcomes()]
    else:
        codes = list(map(tree.label, tree.all_outcomes()))
    empty = [node for node, outcomes in enumerate(tree.all_outcomes()) if not max(outcomes) > 0]
    for node, code in tree.forced.items():
        codes[node] = code
    return _filled_from_parents([node for node in empty if node not in tree.forced], codes, tree)


def predicted_values(tree: Tree) -> list[float]:
    """The mean or median that each node predicts; an empty node predicts the same as its parent."""
    weights, values = tree.moments(WEIGHT), tree.moments(MEAN).tolist()
    return _filled_from_parents([node for node, weight in enumerate(weights) if not weight > 0], values, tree)


def _filled_from_parents(empty: list[int], predictions: list[T], tree: Tree) -> list[T]:
    """The predictions, with those of empty nodes, except the root, replaced by their parents'."""
    if empty:
        parents = tree.parents()
        for node in empty:
            if node:
                predictions[node] = predictions[parents[node]]
    return predictions


def risks(tree: Tree, *, is_classification: bool) -> list[float]:
    """The cost of each node as a leaf: the misclassified weight, by priors and costs; or the squared error."""
    if not is_classification:
        return tree.moments(DEVIANCE).tolist()
    families: Iterable[Sequence[float]] = tree.all_outcomes()
    if tree.class_scale or tree.costs is not None:
        return [min(expected_costs(outcomes, tree.class_scale, tree.costs)) for outcomes in families]
    if isinstance(tree.outcomes, SparseCounts):
        families = (row.weights or [0.0] for row in map(tree.outcomes.__getitem__, range(tree.n_nodes)))
    found = [sum(outcomes) - max(outcomes) for outcomes in families]
    for node, code in tree.forced.items():
        outcomes = tree.outcomes_of(node)
        found[node] = sum(outcomes) - outcomes[code]
    return found


def typical_error(outcomes: Sequence[float], *, takes_medians: bool) -> float:
    """The root mean squared error of a numeric target; the mean absolute error for a tree of medians."""
    mean = outcomes[DEVIANCE] / outcomes[WEIGHT]
    return mean if takes_medians else sqrt(mean)
