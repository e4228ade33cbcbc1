"""The nodes at which two trees part, from the root down, or the rules that only one of two lists has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from treecli import models
from treecli.model import Model, TreeModel
from treecli.predict.leafmodels import leaf_models
from treecli.rules.formulas import leaf_text
from treecli.rules.from_tree import conditions_at
from treecli.rules.rule import Rule, wording
from treecli.rules.rulelist import RuleList
from treecli.rules.text import predicted
from treecli.tree import predicted_codes, predicted_values
from treecli.wording import number_text, quoted


@dataclass(frozen=True, slots=True)
class Parting:
    """A difference of structure: where, of which kind, and the text of both models; None if one has nothing there."""

    where: str
    difference: str
    a: str | None
    b: str | None
    node_a: int | None = None
    node_b: int | None = None


def partings(a: Model, b: Model, tolerance: float = 0.0) -> Iterator[Parting]:
    """Yield the differences of structure between two models.

    Nodes with the same test, or with another threshold on the same attribute, are followed by their children; below
    any other difference nothing is compared. Leaves differ if their predictions do.
    """
    trees = models.as_tree(a), models.as_tree(b)
    rules = models.as_rule_list(a), models.as_rule_list(b)
    if trees[0] is not None and trees[1] is not None:
        yield from _of_trees(_Side(trees[0]), _Side(trees[1]), tolerance)
    elif rules[0] is not None and rules[1] is not None:
        yield from _of_rules(rules[0], rules[1])
    elif a.KIND != b.KIND:
        yield Parting("", "kind", models.kind_of(a).TITLE, models.kind_of(b).TITLE)


class _Side:
    """One tree: its predictions and the text of its tests."""

    def __init__(self, model: TreeModel) -> None:
        self.model, self.tree, schema = model, model.tree, model.schema
        self.predictions: list[Any] = (
            [schema.target.labels[code] for code in predicted_codes(self.tree)]
            if schema.is_classification
            else predicted_values(self.tree)
        )
        self.formulas = {
            node: leaf_text(leaf, schema) for node, leaf in leaf_models(model).items() if self.tree.is_leaf(node)
        }

    def branches(self, node: int) -> tuple[str, list[dict[str, Any]]]:
        """Return the attribute that a node tests, and the values of each branch."""
        schema, split = self.model.schema, self.tree.split(node)
        attribute = schema.columns[split.attribute]
        of_branch = (split.condition(branch, schema) for branch in range(split.n_branches()))
        return attribute.name, [{"kind": split.KIND, **values.to_json(attribute)} for values in of_branch]

    def is_threshold(self, node: int) -> bool:
        return self.tree.split(node).KIND == "threshold"

    def text(self, node: int) -> str:
        """Return the test of an inner node, or the prediction of a leaf."""
        if node in self.formulas:
            return self.formulas[node]
        if self.tree.is_leaf(node):
            found = self.predictions[node]
            return quoted(found) if isinstance(found, str) else number_text(found)
        schema, split = self.model.schema, self.tree.split(node)
        attribute = schema.columns[split.attribute]
        texts = [split.condition(branch, schema).wording(attribute) for branch in range(split.n_branches())]
        return texts[0] if len(texts) <= 2 else " | ".join(texts)


def _of_trees(a: _Side, b: _Side, tolerance: float) -> Iterator[Parting]:
    pending = [(0, 0)]
    while pending:
        at_a, at_b = pending.pop()
        difference, goes_on = _difference(a, b, at_a, at_b, tolerance)
        if difference:
            where = wording(conditions_at(a.model, at_a), a.model.schema)
            yield Parting(where, difference, a.text(at_a), b.text(at_b), at_a, at_b)
        if goes_on:
            children = zip(a.tree.children(at_a), b.tree.children(at_b), strict=False)
            pending.extend(reversed(list(children)))


def _difference(a: _Side, b: _Side, at_a: int, at_b: int, tolerance: float) -> tuple[str | None, bool]:
    """Return the difference between two nodes, and whether their children correspond."""
    are_leaves = a.tree.is_leaf(at_a), b.tree.is_leaf(at_b)
    if all(are_leaves):
        if at_a in a.formulas or at_b in b.formulas:
            return (None if a.formulas.get(at_a) == b.formulas.get(at_b) else "prediction"), False
        of_a, of_b = a.predictions[at_a], b.predictions[at_b]
        is_same = of_a == of_b if isinstance(of_a, str) else abs(of_a - of_b) <= tolerance
        return (None if is_same else "prediction"), False
    if any(are_leaves):
        return "split against leaf", False
    (name_a, branches_a), (name_b, branches_b) = a.branches(at_a), b.branches(at_b)
    if name_a != name_b:
        return "attribute", False
    if branches_a == branches_b:
        return None, True
    if a.is_threshold(at_a) and b.is_threshold(at_b):
        return "threshold", True
    return "branches", False


def _of_rules(a: RuleList, b: RuleList) -> Iterator[Parting]:
    of_a, of_b = ([_text(rule, rules) for rule in (*rules.rules, rules.default)] for rules in (a, b))
    only_a, only_b = Counter(of_a) - Counter(of_b), Counter(of_b) - Counter(of_a)
    for text in only_a.elements():
        yield Parting("", "rule", text, None)
    for text in only_b.elements():
        yield Parting("", "rule", None, text)
    if not only_a and not only_b and of_a != of_b:
        yield Parting("", "order of rules", None, None)
    if a.votes != b.votes:
        way = {True: "vote", False: "first match"}
        yield Parting("", "decision", way[a.votes], way[b.votes])


def _text(rule: Rule, rules: RuleList) -> str:
    said = predicted(rule, rules.schema, number_text)
    return f"IF {rule.antecedent(rules.schema)} THEN {said}" if rule.conditions else f"DEFAULT {said}"
