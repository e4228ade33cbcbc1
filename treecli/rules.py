"""IF-THEN rules: one for each leaf of a tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from treecli.conditions import Condition, Interval, Labels
from treecli.data import Schema
from treecli.model import Model
from treecli.tree import WEIGHT, Node, predicted_codes, predicted_values, typical_error

if TYPE_CHECKING:
    from treecli.tree import Numbers

    Merged = dict[int, Condition]


@dataclass(frozen=True, slots=True)
class Rule:
    """What a case must satisfy, at most one condition an attribute, and what is predicted then.

    `covered` is the weight of the training cases that the rule holds for; a nominal target has `label` (a code)
    and `correct` (the part of `covered` with that label), a numeric one `value`. `prior` is the label's share of
    all training cases.
    """

    conditions: tuple[Condition, ...]
    leaf: int
    outcomes: Numbers
    covered: float
    label: int | None = None
    correct: float | None = None
    prior: float | None = None
    value: float | None = None
    takes_medians: bool = False

    @property
    def confidence(self) -> float | None:
        """The share of the cases that is right, after Laplace, with two added for any number of labels (C5.0)."""
        return None if self.correct is None else (self.correct + 1) / (self.covered + 2)

    @property
    def lift(self) -> float | None:
        """How many times the label's share of all cases the confidence is; None where no case has the label."""
        return self.confidence / self.prior if self.confidence is not None and self.prior else None

    @property
    def rmse(self) -> float | None:
        """The root of the mean squared error on the training cases; None where there are none, or no mean."""
        return None if self.takes_medians else self._error

    @property
    def mae(self) -> float | None:
        """The mean absolute error on the training cases; None where there are none, or no median."""
        return self._error if self.takes_medians else None

    @property
    def _error(self) -> float | None:
        if self.value is None or not self.covered:
            return None
        return typical_error(self.outcomes, takes_medians=self.takes_medians)

    def antecedent(self, schema: Schema) -> str:
        """The conditions in words, TRUE where there are none."""
        return wording(self.conditions, schema) or "TRUE"

    def quality(self, schema: Schema) -> dict[str, Any]:
        """What is predicted, and how well that fits the training cases, in full precision."""
        if self.label is None:
            error = {"mae": self.mae} if self.takes_medians else {"rmse": self.rmse}
            return {"value": self.value, "covered": self.covered, **error, "leaf": self.leaf}
        return {
            "label": schema.target.labels[self.label],
            "covered": self.covered,
            "correct": self.correct,
            "confidence": self.confidence,
            "lift": self.lift,
            "leaf": self.leaf,
        }

    def to_json(self, schema: Schema) -> dict[str, Any]:
        """The rule as scripts read it."""
        conditions = [_described(condition, schema) for condition in self.conditions]
        record = {"conditions": conditions, **self.quality(schema)}
        return record | {"counts": list(self.outcomes)} if schema.is_classification else record


def wording(conditions: Iterable[Condition], schema: Schema) -> str:
    """What must hold together, in words; an `or` stands in brackets, so that it cannot be misread among ANDs."""
    texts = (condition.wording(schema.attributes[condition.attribute]) for condition in conditions)
    return " AND ".join(f"({text})" if text.endswith(" or missing") else text for text in texts)


def _described(condition: Condition, schema: Schema) -> dict[str, Any]:
    attribute = schema.attributes[condition.attribute]
    return condition.to_json(attribute) | {"text": condition.wording(attribute)}


def from_tree(model: Model) -> Iterator[Rule]:
    """The rules of a tree, leaf by leaf in reading order; together they hold for every case exactly once.

    That is, unless missing values go down all branches of a split: such a case belongs to several leaves in
    part, and the conditions then ask for a known value. A leaf that no case reached covers 0.
    """
    tree, schema = model.tree, model.schema
    codes = predicted_codes(tree) if schema.is_classification else []
    values = [] if schema.is_classification else predicted_values(tree)
    weight = model.node().weight
    for leaf, merged in _leaves(model):
        conditions = tuple(c for c in merged.values() if not _holds_for_all(c, schema))
        outcomes = tree.outcomes_of(leaf)
        if schema.is_classification:
            code = codes[leaf]
            prior = tree.outcomes_of(0)[code] / weight if weight else None
            yield Rule(conditions, leaf, outcomes, sum(outcomes), label=code, correct=outcomes[code], prior=prior)
        else:
            yield Rule(
                conditions, leaf, outcomes, outcomes[WEIGHT], value=values[leaf], takes_medians=model.takes_medians
            )


def conditions_at(model: Model, node: int) -> tuple[Condition, ...]:
    """What leads from the root to a node, at most one condition an attribute."""
    tree = model.tree
    parents = tree.parents()
    path = []
    while parents[node] >= 0:
        path.append((parents[node], node - tree.first_child[parents[node]]))
        node = parents[node]
    merged: Merged = {}
    for parent, branch in reversed(path):
        _narrow(merged, model.node(parent).condition(branch), model.schema)
    return tuple(c for c in merged.values() if not _holds_for_all(c, model.schema))


def _leaves(model: Model) -> Iterator[tuple[int, Merged]]:
    """Each leaf with what leads to it; the dictionary changes when the next leaf is asked for.

    One dictionary serves all leaves, with a note of what each step changed, because a copy for every leaf of
    a deep tree would cost the square of its depth.
    """
    tree = model.tree
    merged: Merged = {}
    changes: list[tuple[int, Condition | None]] = []
    pending: list[tuple[int, int, Node | None, int]] = [(0, 0, None, 0)]
    while pending:
        index, depth, parent, branch = pending.pop()
        while len(changes) >= max(depth, 1):
            attribute, before = changes.pop()
            if before is None:
                del merged[attribute]
            else:
                merged[attribute] = before
        if parent is not None:
            condition = parent.condition(branch)
            changes.append((condition.attribute, merged.get(condition.attribute)))
            _narrow(merged, condition, model.schema)
        if tree.is_leaf(index):
            yield index, merged
        else:
            node = model.node(index)
            children = enumerate(tree.children(index))
            pending.extend(reversed([(child, depth + 1, node, branch) for branch, child in children]))


def _narrow(merged: Merged, condition: Condition, schema: Schema) -> None:
    """Adds one more condition to those that hold together."""
    before = merged.get(condition.attribute)
    if before is None:
        merged[condition.attribute] = condition
    elif isinstance(before, Interval) and isinstance(condition, Interval):
        merged[condition.attribute] = before.merge(condition)
    else:
        n_labels = len(schema.attributes[condition.attribute].labels)
        merged[condition.attribute] = _labels(before, n_labels).merge(_labels(condition, n_labels))


def _labels(condition: Condition, n_labels: int) -> Labels:
    """A condition on an ordinal attribute as the labels that satisfy it."""
    if isinstance(condition, Labels):
        return condition
    codes = tuple(code for code in range(n_labels) if condition.low < code <= condition.high)
    return Labels(condition.attribute, codes, condition.missing)


def _holds_for_all(condition: Condition, schema: Schema) -> bool:
    if isinstance(condition, Interval):
        return condition.missing and condition.low == -inf and condition.high == inf
    return condition.missing and len(condition.codes) == len(schema.attributes[condition.attribute].labels)
