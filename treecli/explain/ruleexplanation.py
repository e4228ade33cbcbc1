"""Explains a rule list's prediction for a row: the rule that decides, and the others that match."""

from __future__ import annotations

from dataclasses import dataclass, field

from treecli.explain.arithmetic import Arithmetic, attributes_in, of_line
from treecli.explain.explanation import (
    Explained,
    Given,
    Grounds,
    RowOf,
    flags_of,
    grounds_of_classes,
    grounds_of_numbers,
    holds,
)
from treecli.outcomes.rows import heaviest, total
from treecli.rules.predict import answers
from treecli.rules.rule import BY_CONDITION, Rule
from treecli.rules.rulelist import RuleList, columns_asked, columns_used
from treecli.tree import MEAN


@dataclass(frozen=True, slots=True)
class RuleExplanation(Explained):
    """A rule list's prediction, and the numbers, from 1, of the rules that match the row.

    `rule` is the one that decided; if rules vote, it is the default rule if none matches, else None. `number` is None
    for the default rule. `checks` are its conditions with the values that satisfy them.
    """

    rule: Rule | None
    number: int | None
    checks: tuple[tuple[str, Given], ...]
    holding: tuple[int, ...]
    formula: Arithmetic | None
    """The formula of the rule that decides, with the values of the row."""
    rules: RuleList = field(repr=False, compare=False)


def explain_rules(rules: RuleList, row: RowOf) -> RuleExplanation:
    """Return the prediction of a rule list for a row, and the rules behind it."""
    schema = rules.schema
    predictions, shares = answers(rules, row.dataset, 1)
    answer = predictions[0].item()
    by_condition = rules.settings.predicting.unseen == BY_CONDITION
    columns = columns_used(rules)
    given = {index: row[index] for index in columns_asked(rules)}
    holding = tuple(
        number
        for number, rule in enumerate(rules.rules, start=1)
        if all(holds(condition, given[condition.attribute], by_condition=by_condition) for condition in rule.conditions)
    )
    number = holding[0] if holding and not rules.votes else None
    rule = None if holding and rules.votes else rules.default if number is None else rules.rules[number - 1]
    tried = rules.rules if number is None else rules.rules[:number]
    checks = (
        ()
        if rule is None
        else tuple(
            (condition.wording(schema.columns[condition.attribute]), given[condition.attribute])
            for condition in rule.conditions
        )
    )
    formula = None if rule is None or rule.model is None else of_line(rule.model, row, schema)
    asked = {condition.attribute for each in tried for condition in each.conditions}
    asked |= attributes_in([] if formula is None else [formula], schema)
    return RuleExplanation(
        answer if schema.target.is_numeric else schema.target.labels[answer],
        tuple(shares[0].tolist()),
        _grounds(rules, rule),
        flags_of(row, columns, asked),
        rule,
        number,
        checks,
        holding,
        formula,
        rules,
    )


def _grounds(rules: RuleList, rule: Rule | None) -> Grounds:
    """Return the evidence for a rule's prediction: its own cases, or all if it has none and predicts their mode."""
    schema = rules.schema
    nothing = Grounds(None, (None,) * (len(schema.target.labels) or 1))
    if rule is None:
        return nothing
    if not schema.is_classification:
        if rule.model is not None:
            return Grounds(rule.covered or None, (None,))
        # If the cases were counted on other data, their mean may differ from the value.
        if rule.outcomes is None or not rule.covered or rule.outcomes[MEAN] != rule.value:
            return nothing
        return grounds_of_numbers([(1.0, rule.outcomes)], takes_medians=rule.takes_medians)
    outcomes = rule.outcomes
    if outcomes is None or not total(outcomes):
        outcomes = rules.outcomes
        if outcomes is None or heaviest(outcomes) != rule.label:
            return nothing
    return grounds_of_classes([(1.0, outcomes)], has_priors=rules.settings.predicting.priors is not None)
