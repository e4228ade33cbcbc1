"""Rule lists: models that are made of rules."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, ClassVar

from treecli.model import Model, TreeModel
from treecli.rules.from_tree import from_tree
from treecli.rules.rule import Rule, class_shares
from treecli.tree import MEAN

if TYPE_CHECKING:
    from treecli.tree import Numbers

ORDERS = ("tree", "confidence", "coverage", "utility")
"""Which rules may come first; the first of these is how they stand in the tree."""

SLACK = 1e-6
"""A sum that was typed with a few decimals may miss by this share."""


@dataclass(frozen=True, slots=True)
class RuleList(Model):
    """An ordered list of rules, and a default for rows that satisfy none.

    The first rule that holds decides; with `votes`, all rules that hold vote with their confidence. A missing value
    satisfies a condition only if the condition says so. A label that the schema does not hold counts as a missing
    value; under the policy "majority" of the settings it satisfies the conditions that say so. `outcomes` are the
    class counts, or weight, mean and deviance, of all cases that the rules were counted on; None if they were not.
    """

    KIND: ClassVar[str] = "rules"

    rules: tuple[Rule, ...]
    default: Rule
    votes: bool = False
    outcomes: Numbers | None = None

    @property
    def takes_medians(self) -> bool:
        """Whether the values of the rules are medians."""
        return self.default.takes_medians


def columns_used(rules: RuleList) -> list[int]:
    """The columns that any condition is about."""
    return sorted({condition.attribute for rule in rules.rules for condition in rule.conditions})


def default_of(model: TreeModel) -> Rule:
    """The default of a tree's rules: the prediction of the root.

    It covers no training case: each is counted at the leaves, in fractions if it reached several.
    """
    tree = model.tree
    outcomes = array("d", bytes(8 * tree.n_outcomes))
    if not model.schema.is_classification:
        value = tree.outcomes_of(0)[MEAN]
        return Rule((), None, outcomes, 0.0, value=value, takes_medians=model.takes_medians)
    code = tree.label(tree.outcomes_of(0))
    return Rule((), None, outcomes, 0.0, code, 0.0, class_shares(tree.outcomes_of(0))[code])


def heading_of(model: TreeModel) -> RuleList:
    """The rule list of a tree without its rules, for callers that take these one by one."""
    return RuleList(
        model.schema, model.settings, model.lineage, (), default_of(model), outcomes=model.tree.outcomes_of(0)
    )


def of_tree(model: TreeModel) -> RuleList:
    """The rules of a tree as a list, with the root's prediction as the default."""
    return replace(heading_of(model), rules=tuple(from_tree(model)))


def in_order(rules: RuleList, order: str) -> RuleList:
    """The list with its rules in one of the ORDERS; ties keep their order."""
    if order == ORDERS[0]:
        return rules
    merits: dict[str, Callable[[Rule], float]] = {
        "confidence": _sureness,
        "coverage": _coverage,
        "utility": partial(_utility, rules.outcomes),
    }
    return replace(rules, rules=tuple(sorted(rules.rules, key=merits[order], reverse=True)))


def _sureness(rule: Rule) -> float:
    """The confidence, or the negative error of a value; -inf if the error is unknown."""
    if rule.label is not None:
        return rule.confidence or 0.0
    error = rule.mae if rule.takes_medians else rule.rmse
    return -inf if error is None else -error


def _coverage(rule: Rule) -> float:
    return rule.covered or 0.0


def _utility(outcomes: Numbers | None, rule: Rule) -> float:
    """The weight of the cases that are right less that of the wrong; of a value how far it is from that of all."""
    covered = rule.covered or 0.0
    if rule.value is not None:
        return covered * abs(rule.value - (outcomes[MEAN] if outcomes is not None else 0.0))
    return 2 * (rule.correct or 0.0) - covered
