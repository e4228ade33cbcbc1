"""Programs: a model as steps, with all policies for missing values, unseen labels and empty leaves resolved.

Exporters translate a program into another language and make no decisions of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from enum import Enum
from typing import TYPE_CHECKING

from treecli.data import Schema
from treecli.expressions import Expression, attributes_of
from treecli.model import Lineage, TreeModel
from treecli.outcomes.rows import total
from treecli.predict.leafmodels import expressions
from treecli.predict.nodevalues import node_distributions, predicted
from treecli.predict.predict import columns_used
from treecli.predict.routes import Routes, Routing
from treecli.records import dataclass
from treecli.splits import Split, unrouted
from treecli.tree import ALL_BRANCHES, STAYS, WEIGHT, Tree
from treecli.values import Condition, Interval, Labels, as_labels, in_doubles

if TYPE_CHECKING:
    from treecli.priors import Costs

Test = tuple[tuple[Condition, ...], ...]
"""A disjunction of conjunctions of conditions; () is never true."""

Tally = tuple[float | None, float | None]
"""The weight of the cases that a rule covers, and of those it classifies correctly; None if not counted."""


ALWAYS: Test = ((),)
"""The test that holds for every row."""


class Joining(Enum):
    """How the predictions of several trees are joined."""

    NONE = "one tree"
    AVERAGE = "mean of numbers or probabilities"
    MAJORITY = "a vote each"
    WEIGHTED = "a vote each, with a weight"
    CONFIDENCE = "a vote each, with the probability of its class"


@dataclass(frozen=True, slots=True)
class Vote:
    """The vote of a tree: its weight goes to the class with the largest total.

    A class must exceed the best before it by more than `tie`. `by_share`: the vote is the total itself.
    """

    weight: float
    tie: float
    by_share: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """A transition from a node to a child or, if `child` is the node itself, to the end.

    `share` is the part of a row that takes this step if the node distributes rows over its steps.
    """

    test: Test
    child: int
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class Program:
    """The steps of a model, from node 0. Conditions on labels, including ordinal ones, are sets of labels.

    The `steps` of a node are tried in order, and the last one always applies; a row ends at a node without steps.
    `spreads`: the test under which a node distributes a row over all steps with a share. `prediction` is the node's
    prediction for rows that end there: the class probabilities, or the number; `label` is the class, and `cases` a
    remark on its training cases. `refused`: attributes whose unseen labels are an error; `refused_missing`: attributes
    whose missing values are an error. `is_ordered`: steps overlap, so their order matters.
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
    """For a tree: the class weights, or weight, mean and deviance, of a node."""
    expressions: dict[int, Expression] = field(default_factory=dict)
    """By node: the prediction as an expression of the row's attributes, where it is not a number."""
    divisor: float = 1.0
    """Numbers and probabilities are the totals divided by this."""
    votes: dict[int, Vote] = field(default_factory=dict)
    """By the root of a tree whose rows spread: the totals below it become one vote."""
    joining: Joining = Joining.NONE
    weights: tuple[float, ...] = ()
    """The weight of each tree's vote."""
    tallies: Sequence[Tally] = ()
    """For a rule list: the cases of each rule. The step of rule i is the first of node 2 i."""

    @property
    def attributes(self) -> list[int]:
        """The attributes that the steps, derived columns and expressions use: the inputs."""
        used = {attribute for own in self.expressions.values() for attribute in attributes_of(own)}
        return self.schema.inputs(used.union(self._asked(), self.refused, self.refused_missing))

    @property
    def derived(self) -> dict[int, Expression]:
        """The derived columns that the steps use."""
        n_attributes, columns = len(self.schema.attributes), self.schema.derived
        derived = (index for index in sorted(self._asked()) if index >= n_attributes)
        return {index: columns[index - n_attributes].feature.expression() for index in derived}

    def _asked(self) -> set[int]:
        tests = (step.test for steps in self.steps for step in steps)
        return {values.attribute for test in tests for member in test for values in member}

    @property
    def is_joint(self) -> bool:
        """Whether there are several trees: every row takes all steps of node 0, as a whole."""
        return self.spreads.get(0) == ALWAYS

    @property
    def how_to_shrink(self) -> str:
        """A hint for a model that is too large: the trees of an ensemble cannot be pruned."""
        return "train fewer or smaller trees (--max-depth)" if self.is_joint else "prune it"

    def is_end(self, node: int) -> bool:
        return not self.steps[node]

    def heights(self) -> list[int]:
        """Return the largest number of steps that may follow each node."""
        height = [0] * len(self.steps)
        for node in reversed(range(len(self.steps))):
            for step in self.steps[node]:
                if step.child != node:
                    height[node] = max(height[node], height[step.child] + 1)
        return height

    def sizes(self) -> list[int]:
        """Return the size of each node's subtree, in nodes."""
        size = [1] * len(self.steps)
        for node in reversed(range(len(self.steps))):
            size[node] += sum(size[step.child] for step in self.steps[node] if step.child != node)
        return size


def program(model: TreeModel) -> Program:
    """Return the program of a tree."""
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
        expressions=expressions(model) if tree.leaf_models else {},
    )


def with_labels(attributes: Sequence[int], schema: Schema) -> tuple[int, ...]:
    """Return those attributes that are not numeric."""
    return tuple(index for index in attributes if not schema.columns[index].is_numeric)


def resolved(condition: Condition, schema: Schema, *, is_single: bool) -> Condition:
    """Return a condition as used in programs: sets of labels, and bounds for unrounded numbers."""
    attribute = schema.columns[condition.attribute]
    if attribute.is_numeric:
        return in_doubles(condition, attribute, is_single=is_single)
    return as_labels(condition, len(attribute.labels))


class _Steps:
    """Generates the steps of the inner nodes of a tree."""

    def __init__(self, model: TreeModel) -> None:
        self._model = model
        self._missing_to, self._routing = Routes.of(model).missing_to, Routing.of(model)
        self._is_unseen_apart = model.settings.predicting.unseen == "majority"

    def of(self, node: int) -> tuple[tuple[Step, ...], Test]:
        """Return the steps of an inner node, and the test under which a row takes all of them."""
        tree, schema = self._model.tree, self._model.schema
        split, first = tree.split(node), tree.first_child[node]
        surrogates = tree.surrogates.get(node, ())
        # The adjusted route in `Routes` applies only to nodes without surrogates.
        last = tree.missing_to[node] if surrogates else self._missing_to[node]
        lost = self._unrouted(split, is_unseen_apart=self._is_unseen_apart)
        sets = {branch: self._resolved(split, branch) for branch in range(split.n_branches())}
        if self._is_unseen_apart and not schema.columns[split.attribute].is_numeric:
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
            # One set of values reads better than two joined by "or".
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
        """Return the values without a branch: missing ones, and labels that no training case had."""
        if self._model.schema.columns[split.attribute].is_numeric:
            return Interval.none(split.attribute, missing=True)
        return Labels.of(split.attribute, unrouted(split), missing=True, unseen=not is_unseen_apart)


def extended(values: Condition, lost: Condition) -> Condition:
    """Return the union with values that have no branch (labels or missing)."""
    if isinstance(values, Labels) and isinstance(lost, Labels):
        return values.join(lost)
    return replace(values, missing=True)


def _cases(tree: Tree, node: int, schema: Schema, code: int) -> str:
    """Return a remark on the number of training cases at a node."""
    outcomes = tree.outcomes_of(node)
    weight = total(outcomes) if schema.is_classification else outcomes[WEIGHT]
    if not weight:
        return "no training case came here"
    if not schema.is_classification:
        return f"{weight:g} cases"
    return f"{outcomes[code]:g} of {weight:g} cases"
