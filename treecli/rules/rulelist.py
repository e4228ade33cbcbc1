"""Rule lists: models that consist of rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, ClassVar

from treecli.model import Model, TreeModel
from treecli.outcomes.rows import row_of
from treecli.records import dataclass
from treecli.rules.from_tree import from_tree, with_value
from treecli.rules.rule import Rule, class_shares
from treecli.tree import MEAN

if TYPE_CHECKING:
    from treecli.outcomes.rows import Outcomes

ORDERS = ("tree", "confidence", "coverage", "utility")
"""Orders of rules; the first is the order in the tree."""

SLACK = 1e-6
"""Relative tolerance for sums, which may have been typed with a few decimals."""


@dataclass(frozen=True, slots=True)
class RuleList(Model):
    """An ordered list of rules, and a default for rows that match none.

    The first rule that matches decides; with `votes`, all rules that match vote with their confidence. A missing value
    satisfies a condition only if the condition includes it. An unseen label counts as missing; under the policy
    "majority" of the settings it satisfies the conditions that include it. `outcomes` are the class counts, or weight,
    mean and deviance, of all cases that the rules were counted on; None if they were not counted.
    """

    KIND: ClassVar[str] = "rules"

    rules: tuple[Rule, ...]
    default: Rule
    votes: bool = False
    outcomes: Outcomes | None = None

    @property
    def takes_medians(self) -> bool:
        """Whether the values of the rules are medians."""
        return self.default.takes_medians


def columns_used(rules: RuleList) -> list[int]:
    """Return the attributes that the conditions and formulas use."""
    return sorted({*rules.schema.inputs(columns_asked(rules)), *_in_formulas(rules)})


def _in_formulas(rules: RuleList) -> set[int]:
    models = (rule.model for rule in (*rules.rules, rules.default) if rule.model is not None)
    return {own.attribute for model in models for own, _ in model.terms}


def columns_asked(rules: RuleList) -> list[int]:
    """Return the columns that the conditions are about, attributes or derived."""
    return sorted({condition.attribute for rule in rules.rules for condition in rule.conditions})


def default_of(model: TreeModel) -> Rule:
    """Return the default of a tree's rules: the prediction of the root.

    It covers no training case: all are counted at the leaves, as fractions if they reach several.
    """
    tree = model.tree
    outcomes = row_of([0.0] * tree.n_outcomes)
    if not model.schema.is_classification:
        rule = Rule((), None, outcomes, 0.0, takes_medians=model.takes_medians)
        return with_value(rule, tree.outcomes_of(0)[MEAN], tree.leaf_models.get(0))
    code = tree.label(tree.outcomes_of(0))
    return Rule((), None, outcomes, 0.0, code, 0.0, class_shares(tree.outcomes_of(0))[code])


def heading_of(model: TreeModel) -> RuleList:
    """Return the rule list of a tree without its rules, for callers that generate these one by one."""
    return RuleList(
        model.schema, model.settings, model.lineage, (), default_of(model), outcomes=model.tree.outcomes_of(0)
    )


def of_tree(model: TreeModel) -> RuleList:
    """Return the rules of a tree as a list, with the root's prediction as the default."""
    return replace(heading_of(model), rules=tuple(from_tree(model)))


def in_order(rules: RuleList, order: str) -> RuleList:
    """Return the list in one of the ORDERS; the sort is stable."""
    if order == ORDERS[0]:
        return rules
    merits: dict[str, Callable[[Rule], float]] = {
        "confidence": _sureness,
        "coverage": _coverage,
        "utility": partial(_utility, rules.outcomes),
    }
    return replace(rules, rules=tuple(sorted(rules.rules, key=merits[order], reverse=True)))


def _sureness(rule: Rule) -> float:
    """Return the confidence, or the negated error of a value; -inf if the error is unknown."""
    if rule.label is not None:
        return rule.confidence or 0.0
    error = rule.mae if rule.takes_medians else rule.rmse
    return -inf if error is None else -error


def _coverage(rule: Rule) -> float:
    return rule.covered or 0.0


def _utility(outcomes: Outcomes | None, rule: Rule) -> float:
    """Return the weight of correct minus wrong cases; for a value, weight times distance from the overall mean.

    The value of a formula is the mean of its cases.
    """
    covered = rule.covered or 0.0
    if rule.label is None:
        value = rule.value if rule.model is None else rule.outcomes[MEAN] if rule.outcomes is not None else None
        return 0.0 if value is None else covered * abs(value - (outcomes[MEAN] if outcomes is not None else 0.0))
    return 2 * (rule.correct or 0.0) - covered
