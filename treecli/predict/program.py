"""Programs: a model as steps, with every rule about missing values, unseen labels and empty leaves resolved.

Exporters write a program down in another language and decide nothing themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from treecli.data import Schema
from treecli.model import Lineage, TreeModel
from treecli.predict.predict import columns_used, node_distributions, predicted
from treecli.predict.routes import Routes, Routing
from treecli.splits import Split, unrouted
from treecli.tree import ALL_BRANCHES, STAYS, WEIGHT, Tree
from treecli.values import Condition, Interval, Labels, as_labels, in_doubles

if TYPE_CHECKING:
    from treecli.priors import Costs

Test = tuple[tuple[Condition, ...], ...]
"""True if all conditions of one of its members hold; () is never true."""

Tally = tuple[float | None, float | None]
"""The weight of the cases that a rule covers, and of those that it gets right; None if not counted."""


@dataclass(frozen=True, slots=True)
class Step:
    """One way on from a node: to a child or, if `child` is the node itself, to the end.

    `share` is the part of a row that takes this step if the node spreads the row.
    """

    test: Test
    child: int
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class Program:
    """The steps of a model; node 0 comes first. Conditions on labels, ordinal ones too, are sets of labels.

    The `steps` of a node are tried in order, and the last always applies; a row ends at a node without steps.
    `spreads`: the test of a node that makes a row take all steps that have a share. `prediction` is what a node
    predicts for a row that ends there: the probability of each class, or the number; `label` is the class, and `cases`
    a remark on the training cases behind it. `refused`: attributes of which an unseen label is an error;
    `refused_missing`: of which a missing value is one. `is_ordered`: steps overlap, so their order counts.
    """

    schema: Schema
    lineage: tuple[Lineage, ...]
    steps: Sequence[tuple[Step, ...]]
    spreads: dict[int, Test]
    prediction: Sequence[Sequence[float]]
    label: Sequence[int]
    cases: Sequence[str]
    costs: Costs | None
    refused: tuple[int, ...]
    has_unseen: bool
    """Whether an unseen label may differ from a missing value."""
    is_ordered: bool = False
    refused_missing: tuple[int, ...] = ()
    outcomes: Callable[[int], Sequence[float]] | None = None
    """Of a tree: the class weights, or weight, mean and deviance, of a node."""
    tallies: Sequence[Tally] = ()
    """Of a rule list: the cases of each rule. The step of rule i is the first of node 2 i."""

    @property
    def attributes(self) -> list[int]:
        """The attributes that any step is about."""
        tests = (step.test for steps in self.steps for step in steps)
        asked = {values.attribute for test in tests for member in test for values in member}
        return sorted(asked.union(self.refused, self.refused_missing))

    def is_end(self, node: int) -> bool:
        return not self.steps[node]

    def heights(self) -> list[int]:
        """The largest number of steps that may follow on each node."""
        height = [0] * len(self.steps)
        for node in reversed(range(len(self.steps))):
            for step in self.steps[node]:
                if step.child != node:
                    height[node] = max(height[node], height[step.child] + 1)
        return height

    def sizes(self) -> list[int]:
        """The number of nodes in the subtree of each node."""
        size = [1] * len(self.steps)
        for node in reversed(range(len(self.steps))):
            size[node] += sum(size[step.child] for step in self.steps[node] if step.child != node)
        return size


def program(model: TreeModel) -> Program:
    """The program of a tree."""
    tree, schema = model.tree, model.schema
    prediction = node_distributions(model)
    label = predicted(model, prediction).tolist() if schema.is_classification else [0] * tree.n_nodes
    writer = _Steps(model)
    steps: list[tuple[Step, ...]] = []
    spreads: dict[int, Test] = {}
    for node in range(tree.n_nodes):
        if tree.is_leaf(node):
            steps.append(())
            continue
        own, spread = writer.of(node)
        steps.append(own)
        if spread:
            spreads[node] = spread
    refused = columns_used(model) if model.settings.predicting.unseen == "error" else []
    return Program(
        schema,
        model.lineage,
        steps,
        spreads,
        prediction.tolist(),
        label,
        [_cases(tree, node, schema, code) for node, code in enumerate(label)],
        tree.costs,
        with_labels(refused, schema),
        has_unseen=model.settings.predicting.unseen == "majority",
        outcomes=tree.outcomes_of,
    )


def with_labels(attributes: Sequence[int], schema: Schema) -> tuple[int, ...]:
    """Those of some attributes that are not numeric."""
    return tuple(index for index in attributes if not schema.attributes[index].is_numeric)


def resolved(condition: Condition, schema: Schema, *, is_single: bool) -> Condition:
    """A condition as programs have it: labels one by one, and bounds for unrounded numbers."""
    attribute = schema.attributes[condition.attribute]
    if attribute.is_numeric:
        return in_doubles(condition, attribute, is_single=is_single)
    return as_labels(condition, len(attribute.labels))


class _Steps:
    """The steps on from the inner nodes of a tree."""

    def __init__(self, model: TreeModel) -> None:
        self._model = model
        self._missing_to, self._routing = Routes.of(model).missing_to, Routing.of(model)
        self._is_unseen_apart = model.settings.predicting.unseen == "majority"

    def of(self, node: int) -> tuple[tuple[Step, ...], Test]:
        """The steps on from an inner node, and the test that makes a row take all of them."""
        tree, schema = self._model.tree, self._model.schema
        split, first = tree.split(node), tree.first_child[node]
        surrogates = tree.surrogates.get(node, ())
        # What the routes made of the tree's rule counts only without surrogates.
        last = tree.missing_to[node] if surrogates else self._missing_to[node]
        lost = self._unrouted(split, is_unseen_apart=self._is_unseen_apart)
        sets = {branch: self._resolved(split, branch) for branch in range(split.n_branches())}
        if self._is_unseen_apart and not schema.attributes[split.attribute].is_numeric:
            heaviest = int(self._routing.heaviest[node])
            sets[heaviest] = replace(sets.get(heaviest, lost.nothing()), unseen=True)
        tests: dict[int, list[tuple[Condition, ...]]] = {branch: [(values,)] for branch, values in sets.items()}
        before: tuple[Condition, ...] = (lost,)
        for surrogate in surrogates:
            for branch in (0, 1):
                test = (*before, self._resolved(surrogate.split, branch))
                tests.setdefault(surrogate.branches[branch], []).append(test)
            before = (*before, self._unrouted(surrogate.split, is_unseen_apart=False))
        spread: Test = ()
        if last == ALL_BRANCHES:
            spread = (before,)
        elif surrogates or last == STAYS or last not in sets:
            tests.setdefault(last, []).append(before)
        else:
            # One set of values reads better than two that are joined by "or".
            tests[last] = [(extended(sets[last], lost),)]
        steps = (
            Step(
                tuple(member for member in tests.get(branch, ()) if not any(values.is_empty for values in member)),
                node if branch == STAYS else first + branch,
                0.0 if branch == STAYS else float(self._routing.share[first + branch]),
            )
            for branch in [*range(tree.n_branches[node]), STAYS]
        )
        return tuple(step for step in steps if step.test or (spread and step.share > 0)), spread

    def _resolved(self, split: Split, branch: int) -> Condition:
        condition = split.condition(branch, self._model.schema)
        return resolved(condition, self._model.schema, is_single=self._model.settings.predicting.single_precision)

    def _unrouted(self, split: Split, *, is_unseen_apart: bool) -> Condition:
        """The values that a split has no branch for: missing ones, and labels that no training case had."""
        if self._model.schema.attributes[split.attribute].is_numeric:
            return Interval.none(split.attribute, missing=True)
        return Labels.of(split.attribute, unrouted(split), missing=True, unseen=not is_unseen_apart)


def extended(values: Condition, lost: Condition) -> Condition:
    """The values together with some that a split has no branch for, which are labels or missing."""
    if isinstance(values, Labels) and isinstance(lost, Labels):
        return values.join(lost)
    return replace(values, missing=True)


def _cases(tree: Tree, node: int, schema: Schema, code: int) -> str:
    """A remark on the number of training cases at a node."""
    outcomes = tree.outcomes_of(node)
    weight = sum(outcomes) if schema.is_classification else outcomes[WEIGHT]
    if not weight:
        return "no training case came here"
    if not schema.is_classification:
        return f"{weight:g} cases"
    return f"{outcomes[code]:g} of {weight:g} cases"
