"""The program of a rule list."""

from __future__ import annotations

from dataclasses import replace

from treecli.errors import UsageError
from treecli.predict.program import Program, Step, resolved, with_labels
from treecli.rules.predict import probabilities
from treecli.rules.rule import BY_CONDITION, Rule
from treecli.rules.rulelist import RuleList, columns_used
from treecli.values import Condition, Labels


def program(rules: RuleList) -> Program:
    """Return the program of a first-match list; raise a UsageError if the rules vote."""
    if rules.votes:
        raise UsageError(
            "the rules decide by vote, and only lists of which the first rule that holds decides can be exported",
            "write the list in an order, with 'decide by first match'",
        )
    schema = rules.schema
    every_rule = [*rules.rules, rules.default]
    table: list[list[float]] = (
        probabilities(rules).tolist() if schema.is_classification else [[rule.value or 0.0] for rule in every_rule]
    )
    # Node 2 i tests rule i, node 2 i + 1 is its prediction, and node 2 i + 2 is the next test; the default is last.
    steps: list[tuple[Step, ...]] = []
    for rule in rules.rules:
        member = tuple(_resolved(condition, rules) for condition in rule.conditions)
        question = len(steps)
        steps += [(Step((member,), question + 1), Step((), question + 2)), ()]
    steps.append(())
    rule_of_node = [rule for rule in rules.rules for _ in range(2)] + [rules.default]
    ends = [*((2 * place + 1, rule) for place, rule in enumerate(rules.rules)), (len(steps) - 1, rules.default)]
    refused = columns_used(rules) if rules.settings.predicting.unseen == "error" else []
    return Program(
        schema,
        rules.lineage,
        steps,
        {},
        [prediction for prediction in table[:-1] for _ in range(2)] + [table[-1]],
        [rule.label or 0 for rule in rule_of_node],
        [_cases(rule) for rule in rule_of_node],
        None,
        with_labels(refused, schema),
        has_unseen=rules.settings.predicting.unseen == BY_CONDITION,
        is_ordered=True,
        expressions={place: rule.model.expression() for place, rule in ends if rule.model is not None},
        tallies=[(rule.covered, rule.correct) for rule in rules.rules],
    )


def _resolved(condition: Condition, rules: RuleList) -> Condition:
    """Return the condition as used in programs; unseen labels count as missing unless conditions tell them apart."""
    found = resolved(condition, rules.schema, is_single=rules.settings.predicting.single_precision)
    if rules.settings.predicting.unseen == BY_CONDITION or not isinstance(found, Labels):
        return found
    return replace(found, unseen=found.missing)


def _cases(rule: Rule) -> str:
    """Return a remark on the number of training cases of a rule."""
    if not rule.conditions:
        return "where no rule holds"
    if rule.covered is None:
        return "nobody counted"
    return f"{rule.covered:g} cases" if rule.correct is None else f"{rule.correct:g} of {rule.covered:g} cases"
