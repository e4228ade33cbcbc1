"""IF-THEN rules: one for each leaf of a tree."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import hypot, inf
from typing import TYPE_CHECKING, Any

from treecli.data import Attribute, Schema
from treecli.model import Model
from treecli.splits import NO_BRANCH, Split
from treecli.tree import (
    ALL_BRANCHES,
    MEAN,
    STAYS,
    WEIGHT,
    predicted_codes,
    predicted_values,
    typical_error,
)
from treecli.values import NOWHERE, Condition, Interval, Labels

if TYPE_CHECKING:
    from treecli.tree import Numbers

    Merged = dict[int, Condition]

BY_CONDITION = "majority"
"""The policy for unseen labels under which a condition says itself whether they satisfy it."""

ROUNDING = 1e-9
"""Differences of weights that are a smaller share than this are no differences."""

ALTERNATIVES = (" or missing", " or unseen")
"""How a condition ends that known values are not the only ones to satisfy."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What a case must satisfy, at most one condition an attribute, and what is predicted then.

    A nominal target has `label` (a code), a numeric one `value`. `outcomes` are what a node keeps of its cases, here of
    those that the rule decides; `covered` is their weight and `correct` the part of it with the label. `prior` is the
    label's share of all cases. `leaf` is the node that the rule was made of. All of these are None where nobody counted
    or knows, as in rules that a person wrote; such a rule may have a `stated_confidence`.
    """

    conditions: tuple[Condition, ...]
    leaf: int | None = None
    outcomes: Numbers | None = None
    covered: float | None = None
    label: int | None = None
    correct: float | None = None
    prior: float | None = None
    value: float | None = None
    takes_medians: bool = False
    stated_confidence: float | None = None

    @property
    def confidence(self) -> float | None:
        """The share of the cases that is right, after Laplace, with two added for any number of labels (C5.0)."""
        if self.correct is None or self.covered is None:
            return self.stated_confidence
        return (self.correct + 1) / (self.covered + 2)

    @property
    def lift(self) -> float | None:
        """The confidence divided by the label's share of all cases; None where that share is 0 or next to it."""
        if self.confidence is None or not self.prior:
            return None
        lift = self.confidence / self.prior
        return lift if lift < inf else None

    @property
    def rmse(self) -> float | None:
        """The root of the mean squared error of the value; None where no case is covered, or the value is a median."""
        return None if self.takes_medians else self._error

    @property
    def mae(self) -> float | None:
        """The mean absolute error of the value; None where no case is covered, or the value is a mean."""
        return self._error if self.takes_medians else None

    @property
    def _error(self) -> float | None:
        if self.value is None or not self.covered or self.outcomes is None or not self.outcomes[WEIGHT]:
            return None
        error = typical_error(self.outcomes, takes_medians=self.takes_medians)
        # Cases that the value was not made of may have another mean.
        return error if self.takes_medians else hypot(error, self.outcomes[MEAN] - self.value)

    def antecedent(self, schema: Schema) -> str:
        """The conditions in words, TRUE where there are none."""
        return wording(self.conditions, schema) or "TRUE"

    def quality(self, schema: Schema) -> dict[str, Any]:
        """What is predicted, and how well that fits the cases, in full precision."""
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


def wording(conditions: Iterable[Condition], schema: Schema) -> str:
    """What must hold together, in words; an `or` stands in brackets, so that it cannot be misread among ANDs."""
    texts = (condition.wording(schema.attributes[condition.attribute]) for condition in conditions)
    return conjunction(texts)


def conjunction(texts: Iterable[str]) -> str:
    """Conditions in words, as one that asks for all of them."""
    return " AND ".join(f"({text})" if text.endswith(ALTERNATIVES) else text for text in texts)


def from_tree(model: Model) -> Iterator[Rule]:
    """The rules of a tree in reading order: one for each leaf that a row can reach; no row satisfies two.

    A row satisfies the rule of the leaf where it ends. An inner node where rows with a missing value stay has a rule of
    its own. Only where missing values go down several branches, or surrogates decide, the conditions ask for a
    known value, and a row without one may satisfy no rule. A leaf that no case reached covers 0.
    """
    tree, schema = model.tree, model.schema
    if not schema.is_classification:
        values = predicted_values(tree)
        for node, conditions in _ends(model):
            kept = tree.outcomes_of(node)
            outcomes: Numbers | None = kept
            covered = kept[WEIGHT]
            if not tree.is_leaf(node):
                covered = _left(covered, (tree.outcomes_of(child)[WEIGHT] for child in tree.children(node)))
                outcomes = None if covered else array("d", bytes(8 * tree.n_outcomes))
            value, takes_medians = values[node], model.takes_medians
            yield Rule(conditions, node, outcomes, covered, value=value, takes_medians=takes_medians)
        return
    codes = predicted_codes(tree)
    priors = class_shares(tree.outcomes_of(0))
    for node, conditions in _ends(model):
        counts = tree.outcomes_of(node)
        if not tree.is_leaf(node):  # a case that stays at a node is counted there and in no branch
            below = [tree.outcomes_of(child) for child in tree.children(node)]
            counts = array("d", [_left(n, (child[code] for child in below)) for code, n in enumerate(counts)])
        code = codes[node]
        yield Rule(conditions, node, counts, sum(counts), code, counts[code], priors[code])


def class_shares(outcomes: Sequence[float]) -> list[float | None]:
    """The share of each class of some cases; None where there are no cases."""
    weight = sum(outcomes)
    return [count / weight if weight else None for count in outcomes]


def conditions_at(model: Model, node: int) -> tuple[Condition, ...]:
    """What leads from the root to a node, at most one condition an attribute."""
    merged: Merged = {}
    for condition in Paths(model).to(node):
        narrow(merged, condition, model.schema)
    return tuple(c for c in merged.values() if not _holds_for_all(c, model))


class Paths:
    """What leads from the root to the nodes of a tree, one condition a split."""

    def __init__(self, model: Model) -> None:
        self._tree = model.tree
        self._parents = model.tree.parents()
        self._ways = _Ways(model)
        self._known: dict[int, tuple[list[Condition], Condition | None]] = {}

    def to(self, node: int) -> list[Condition]:
        """What a row must satisfy to come to a node."""
        path = []
        while self._parents[node] >= 0:
            parent = self._parents[node]
            path.append(self._of(parent)[0][node - self._tree.first_child[parent]])
            node = parent
        return path[::-1]

    def to_end_at(self, node: int) -> list[Condition]:
        """What a row must satisfy to end at a node: at an inner one only those that stay there do."""
        stay = None if self._tree.is_leaf(node) else self._of(node)[1]
        return self.to(node) if stay is None else [*self.to(node), stay]

    def _of(self, node: int) -> tuple[list[Condition], Condition | None]:
        if node not in self._known:
            self._known[node] = self._ways.of(node)
        return self._known[node]


def _ends(model: Model) -> Iterator[tuple[int, tuple[Condition, ...]]]:
    """Each node where rows can end, in reading order, with what leads to it.

    One dictionary serves the whole walk, with a note of what each step changed, because a copy for every leaf of
    a deep tree would cost the square of its depth.
    """
    tree, schema = model.tree, model.schema
    ways = _Ways(model)
    merged: Merged = {}
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
            if not can_hold(narrow(merged, condition, schema)):
                continue
        if stays or tree.is_leaf(node):
            held = tuple(merged.values())
            if ways.take_missing:  # else no condition can hold for all
                held = tuple(c for c in held if not _holds_for_all(c, model))
            yield node, held
            continue
        own, stay = ways.of(node)
        if stay is not None:
            pending.append((node, depth + 1, stay, True))
        first = tree.first_child[node]
        for branch in range(len(own) - 1, -1, -1):
            pending.append((first + branch, depth + 1, own[branch], False))


class _Ways:
    """What a row must satisfy to take each branch of a node, missing values and unseen labels included."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._unseen_to: Sequence[int] | None = None
        self.take_missing = False
        """Whether a condition so far was satisfied by missing values too."""

        if model.settings.predicting.unseen == BY_CONDITION:
            from treecli.predict.routes import Routing

            # The heaviest branch by the very sums that rows are routed by.
            self._unseen_to = Routing.of(model).unseen_route.tolist()

    def of(self, node: int) -> tuple[list[Condition], Condition | None]:
        """The condition of every branch, and of staying at the node, if rows may."""
        tree, schema = self._model.tree, self._model.schema
        split = tree.split(node)
        n_known = split.n_branches()
        own: list[Condition] = [split.condition(branch, schema) for branch in range(n_known)]
        if isinstance(own[0], Interval):
            own += [Interval(split.attribute, NOWHERE, NOWHERE)] * (tree.n_branches[node] - n_known)
        else:
            own += [Labels(split.attribute, ())] * (tree.n_branches[node] - n_known)
        route = self._missing_route(node)
        stay: Condition | None = None
        self.take_missing = self.take_missing or route != ALL_BRANCHES
        if route >= 0:
            own[route] = _with_missing(own[route], split)
        elif route == STAYS:
            nothing = Interval(split.attribute, NOWHERE, NOWHERE) if isinstance(own[0], Interval) else None
            stay = _with_missing(nothing or Labels(split.attribute, ()), split)
        if self._unseen_to is not None and not schema.attributes[split.attribute].is_numeric:
            heaviest = self._unseen_to[node]
            own[heaviest] = replace(own[heaviest], unseen=True)
        return own, stay

    def _missing_route(self, node: int) -> int:
        """The one branch that missing values take, STAYS, or ALL_BRANCHES also where surrogates decide."""
        tree = self._model.tree
        if node in tree.surrogates:
            return ALL_BRANCHES
        if tree.missing_to[node] != ALL_BRANCHES:
            return tree.missing_to[node]
        # Fractions go only where training cases went.
        filled = []
        for branch, child in enumerate(tree.children(node)):
            start = child * tree.n_outcomes
            if any(tree.outcomes[start : start + (tree.n_outcomes if self._model.schema.is_classification else 1)]):
                filled.append(branch)
                if len(filled) == 2:
                    return ALL_BRANCHES
        return filled[0] if filled else STAYS


def _with_missing(condition: Condition, split: Split) -> Condition:
    """The condition for missing values too, and for labels that no case had at the node, which go where these go."""
    if isinstance(condition, Interval):
        return Interval(condition.attribute, condition.low, condition.high, True)
    unknown = {code for code, taken in enumerate(split.table) if taken == NO_BRANCH}
    return Labels(condition.attribute, tuple(sorted(unknown.union(condition.codes))), True)


def _left(whole: float, parts: Iterable[float]) -> float:
    """What the parts leave of the whole, 0 where that is no more than rounding."""
    left = whole - sum(parts)
    return left if left > ROUNDING * whole else 0.0


def narrow(merged: Merged, condition: Condition, schema: Schema) -> Condition:
    """Adds one more condition to those that hold together; gives what they now say of its attribute."""
    before = merged.get(condition.attribute)
    attribute = schema.attributes[condition.attribute]
    if before is None:
        result = condition
    elif isinstance(before, Interval) and isinstance(condition, Interval):
        result = before.merge(condition)
    else:
        n_labels = len(attribute.labels)
        result = as_labels(before, n_labels).merge(as_labels(condition, n_labels))
    if attribute.kind == "ordinal" and isinstance(result, Interval) and not _takes_labels(result, attribute):
        result = Interval(result.attribute, NOWHERE, NOWHERE, result.missing, result.unseen)
    merged[condition.attribute] = result
    return result


def _takes_labels(condition: Interval, attribute: Attribute) -> bool:
    return condition.takes_known and max(condition.low, -1) < min(condition.high, len(attribute.labels) - 1)


def can_hold(condition: Condition) -> bool:
    """Whether any value satisfies a condition."""
    return condition.takes_known or condition.missing or condition.unseen


def as_labels(condition: Condition, n_labels: int) -> Labels:
    """A condition on an ordinal attribute as the labels that satisfy it."""
    if isinstance(condition, Labels):
        return condition
    codes = tuple(code for code in range(n_labels) if condition.low < code <= condition.high)
    return Labels(condition.attribute, codes, condition.missing, condition.unseen)


def _holds_for_all(condition: Condition, model: Model) -> bool:
    if not condition.missing:
        return False
    attribute = model.schema.attributes[condition.attribute]
    if model.settings.predicting.unseen == BY_CONDITION and not attribute.is_numeric and not condition.unseen:
        return False
    if isinstance(condition, Interval):
        return condition.low == -inf and condition.high == inf
    return len(condition.codes) == len(attribute.labels)
