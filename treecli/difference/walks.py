"""Cutting a box into parts with one prediction each, step by step, as a tree or a rule list decides.

A step cuts a box at one test. Steps of two models can alternate, so two trees with common tests are walked together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from treecli.expressions import Number
from treecli.predict.leafmodels import expressions
from treecli.predict.nodevalues import node_labels
from treecli.predict.routes import Routes, Routing
from treecli.rules.boxes import Box, common, difference, does_contain, intersection
from treecli.rules.boxindex import Index
from treecli.rules.expansion import expanded
from treecli.rules.rulelist import RuleList
from treecli.tree import ALL_BRANCHES, STAYS
from treecli.values import Condition, Interval, Labels

if TYPE_CHECKING:
    from treecli.difference.joint import Side
    from treecli.model import TreeModel
    from treecli.rules.boxes import Space
    from treecli.splits import Split

Test = tuple[int, int]
"""A node and the number of a surrogate, from 1; 0 is the node's own split."""


@dataclass(frozen=True, slots=True)
class Position:
    """How far the rows of a box have come: the tests that they have yet to take, and the leaves or rules reached.

    There are several tests or leaves if a label without a branch goes down several, and several rules if rules vote.
    """

    tests: tuple[Test, ...] = ()
    reached: tuple[int, ...] = ()

    @property
    def is_final(self) -> bool:
        return not self.tests


class Walk(Protocol):
    """A model as steps through a space."""

    def start(self) -> Position:
        """Return the position of rows that have taken no test."""
        ...

    def cut(self, box: Box, position: Position) -> list[tuple[Box, Position]]:
        """Return the parts of a box that separate at the next test; the box itself if all its rows go one way."""
        ...

    def prediction(self, position: Position) -> float | None:
        """Return the prediction at a final position, a joint code or a number; None if rows have to be predicted."""
        ...


class TreeWalk:
    """The tests of a tree, including the surrogates of labels that have no branch."""

    def __init__(self, side: Side, model: TreeModel, space: Space) -> None:
        self._side, self._model, self._space = side, model, space
        self._routing, self._missing_to = Routing.of(model), Routes.of(model).missing_to
        own = node_labels(model).tolist()
        for node, expression in expressions(model).items():
            own[node] = expression.value if isinstance(expression, Number) else None  # formulas have no regions
        self._of_node = [side.target_codes[code] for code in own] if model.schema.is_classification else own
        self._ways_of: dict[Test, tuple[int, list[tuple[Condition, Position]]]] = {}
        self._parts_of: dict[Test, list[tuple[Box, Position]]] = {}

    def start(self) -> Position:
        return self._at(0)

    def prediction(self, position: Position) -> float | None:
        return self._of_node[position.reached[0]] if len(position.reached) == 1 else None

    def cut(self, box: Box, position: Position) -> list[tuple[Box, Position]]:
        test, *others = position.tests
        if self._asks_count(test):
            return self._cut_by_count(box, test, tuple(others), position)
        attribute, ways = self._ways(test)
        own = box.get(attribute, self._space.everything[attribute])
        parts = []
        for values, to in ways:
            both = common(own, values)
            if both.is_empty:
                continue
            further = Position((*to.tests, *others), position.reached + to.reached)
            if both == own:
                return [(box, further)]
            parts.append((box | {attribute: both}, further))
        return parts

    def _asks_count(self, test: Test) -> bool:
        """Return whether a test asks about a derived column: how many of some literals hold."""
        node, number = test
        tree = self._model.tree
        asked = tree.surrogates[node][number - 1].split.attribute if number else tree.attribute[node]
        return asked >= len(self._model.schema.attributes)

    def _cut_by_count(
        self, box: Box, test: Test, others: tuple[Test, ...], position: Position
    ) -> list[tuple[Box, Position]]:
        """Return the parts of a box that take the branches of a test of literals."""
        if test not in self._parts_of:
            self._parts_of[test] = list(self._found_parts(*test))
        parts = []
        for taken, to in self._parts_of[test]:
            further = Position((*to.tests, *others), position.reached + to.reached)
            if does_contain(taken, box):
                return [(box, further)]
            both = intersection(box, taken)
            if both is not None:
                parts.append((both, further))
        return parts

    def _found_parts(self, node: int, number: int) -> Iterator[tuple[Box, Position]]:
        """Yield disjoint boxes of all rows, each with the position that a test of literals leads to."""
        tree, schema = self._model.tree, self._model.schema
        surrogates, first = tree.surrogates.get(node, ()), tree.first_child[node]
        own = surrogates[number - 1] if number else None
        split, branches = (tree.split(node), range(tree.n_branches[node])) if own is None else (own.split, own.branches)
        to = Position(tests=((node, number + 1),)) if number < len(surrogates) else self._lost(node)
        ways = [(split.condition(b, schema), self._at(first + branches[b])) for b in range(split.n_branches())]
        for condition, leads in [*ways, (Interval.none(split.attribute, missing=True), to)]:
            for conjunction in expanded([condition], schema):
                box = self._space.box(map(self._side.condition, conjunction))
                if box is not None:
                    yield box, leads

    def _at(self, node: int) -> Position:
        return Position(reached=(node,)) if self._model.tree.is_leaf(node) else Position(tests=((node, 0),))

    def _ways(self, test: Test) -> tuple[int, list[tuple[Condition, Position]]]:
        found = self._ways_of.get(test)
        if found is None:
            found = self._ways_of[test] = self._found_ways(*test)
        return found

    def _found_ways(self, node: int, number: int) -> tuple[int, list[tuple[Condition, Position]]]:
        """Return the attribute of a test, and disjoint sets of its values with the position that each leads to."""
        tree, first = self._model.tree, self._model.tree.first_child[node]
        surrogates = tree.surrogates.get(node, ())
        split: Split
        branches: Sequence[int]
        if number:
            split, branches = surrogates[number - 1].split, surrogates[number - 1].branches
        else:
            split, branches = tree.split(node), range(tree.n_branches[node])
        ways = [
            (self._known(split, branch), self._at(first + branches[branch])) for branch in range(split.n_branches())
        ]
        attribute = self._side.places[split.attribute]
        if number == 0 and self._side.unseen_by_condition:
            own = self._space.everything[attribute]
            if isinstance(own, Labels):
                foreign = Labels(attribute, self._side.foreign[split.attribute], unseen=True)
                ways.append((common(own, foreign), self._at(first + int(self._routing.heaviest[node]))))
        rest: Sequence[Condition] = [self._space.everything[attribute]]
        for values, _ in ways:
            rest = [part for own in rest for part in difference(own, values)]
        to = Position(tests=((node, number + 1),)) if number < len(surrogates) else self._lost(node)
        return attribute, [*ways, *((part, to) for part in rest)]

    def _known(self, split: Split, branch: int) -> Condition:
        return self._side.condition(split.condition(branch, self._model.schema))

    def _lost(self, node: int) -> Position:
        """Return the position of values without a branch, once no surrogate decides."""
        tree, to = self._model.tree, self._missing_to[node]
        if to == STAYS:
            return Position(reached=(node,))
        if to != ALL_BRANCHES:
            return self._at(tree.first_child[node] + to)
        spread = [self._at(child) for child in tree.children(node) if self._routing.share[child] > 0]
        return Position(
            tuple(test for one in spread for test in one.tests), tuple(leaf for one in spread for leaf in one.reached)
        )


class RuleWalk:
    """The rules of a list: the first that matches, or all that match if they vote.

    A test is the number of the first rule that may still match, in place of a node.
    """

    def __init__(self, side: Side, rules: RuleList, space: Space) -> None:
        self._space, self._rules = space, rules
        self._numbers, self._boxes = [], []
        for number, rule in enumerate(rules.rules):
            for conjunction in expanded(rule.conditions, rules.schema):
                box = space.box(map(side.condition, conjunction))
                if box is not None:
                    self._numbers.append(number)
                    self._boxes.append(box)
        self._index = Index(self._boxes)
        everyone = (*rules.rules, rules.default)
        self._of_rule: list[float | None] = [
            rule.value if rule.label is None else side.target_codes[rule.label] for rule in everyone
        ]

    def start(self) -> Position:
        return Position(tests=((0, 0),))

    def prediction(self, position: Position) -> float | None:
        return None if self._rules.votes else self._of_rule[position.reached[0]]

    def cut(self, box: Box, position: Position) -> list[tuple[Box, Position]]:
        begin = position.tests[0][0]
        near = self._index.overlapping(box) >> begin if self._boxes else 0
        if not near:
            reached = position.reached if self._rules.votes else (len(self._rules.rules),)
            return [(box, Position(reached=reached))]
        place = begin + (near & -near).bit_length() - 1
        matched = (*position.reached, self._numbers[place])
        inside = Position(((place + 1, 0),) if self._rules.votes else (), matched)
        if does_contain(self._boxes[place], box):
            return [(box, inside)]
        both = intersection(box, self._boxes[place])
        assert both is not None, "the index finds only boxes that overlap"
        outside = Position(((place + 1, 0),), position.reached)
        return [(both, inside), *((part, outside) for part in self._space.left_of(box, self._boxes[place]))]


def undetermined(side: Side, tree: TreeModel | None) -> set[int]:
    """Return the joint attributes whose missing values go down several branches, or where surrogates ask."""
    if tree is None:
        return set()
    missing_to = Routes.of(tree).missing_to
    nodes = (n for n in tree.tree.inner_nodes() if missing_to[n] == ALL_BRANCHES or n in tree.tree.surrogates)
    asked = {tree.tree.attribute[node] for node in nodes}
    return {side.places[attribute] for attribute in tree.schema.inputs(asked)}
