"""A rule list, as JSON or as text; docs/model.md and docs/rules.md describe the formats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from treecli.errors import UsageError
from treecli.expressions import Expression, attributes_of
from treecli.models._rulerecords import encoded, rules_of
from treecli.rules.predict import answers, deciding, predictions, refuse_unseen
from treecli.rules.rule import BY_CONDITION
from treecli.rules.rulelist import RuleList, columns_used
from treecli.rules.text import predicted
from treecli.tree import WEIGHT
from treecli.wording import readable

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.explain.explanation import RowOf
    from treecli.explain.nearness import Flip
    from treecli.explain.ruleexplanation import RuleExplanation
    from treecli.predict.program import Program
    from treecli.rules.rule import Rule
    from treecli.values import Condition

__all__ = ["answers", "columns_used", "predictions", "refuse_unseen"]

TITLE = "a rule list"
TREE_HINT = "name the tree that the rules were made of"

# Optional blank lines and comments, which may extend beyond the head, then a statement.
_BEGINNING = re.compile(
    rb"(\xef\xbb\xbf)?(\s*#[^\n]*(\n|$))*\s*"
    rb"(if|default|target|attribute|derived|cases|decide|missing|unseen|numbers|probabilities|priors)[^\S\n]+[^\s,]",
    re.IGNORECASE,
)
_THEN = re.compile(rb"\sTHEN\s", re.IGNORECASE)


def encode(model: RuleList) -> Iterator[bytes]:
    """Yield the model file in pieces: one rule per line."""
    return encoded(model, model.rules)


def decode(text: bytes, name: str) -> RuleList:
    """Return the rule list in a JSON file; `name` is the file's name in messages."""
    return rules_of(text, name)


def begins(head: bytes) -> bool:
    """Return whether a file may contain rules as text, by its first bytes."""
    return _BEGINNING.match(head) is not None or _THEN.search(head) is not None


def decode_text(text: bytes, name: str) -> RuleList:
    """Return the rule list in a text file."""
    from treecli.rules.reading import decode

    return decode(text, name)


def places(rules: RuleList, dataset: Dataset, jobs: int | None = None) -> list[int | None]:
    """Return the number of the rule that decides each row, from 1; None for the default, and if rules vote."""
    if rules.votes:
        return [None] * dataset.n_rows
    n_rules = len(rules.rules)
    return [None if rule == n_rules else rule + 1 for rule in deciding(rules, dataset, jobs).tolist()]


def n_leaves(rules: RuleList) -> int:
    """Return the number of rules, without the default."""
    return len(rules.rules)


def conditions(rules: RuleList) -> Iterator[Condition]:
    return (condition for rule in rules.rules for condition in rule.conditions)


def formulas(rules: RuleList) -> list[Expression]:
    return [rule.model.expression() for rule in (*rules.rules, rules.default) if rule.model is not None]


def facts(rules: RuleList) -> dict[str, Any]:
    schema = rules.schema
    asked = [condition.attribute for condition in conditions(rules)]
    in_formulas = [attribute for expression in formulas(rules) for attribute in attributes_of(expression)]
    outcomes, is_number = rules.outcomes, rules.default.value is not None
    return {
        "kind": rules.KIND,
        "rules": len(rules.rules),
        "conditions": len(asked),
        "decide": "vote" if rules.votes else "first match",
        "default": rules.default.value if is_number else predicted(rules.default, schema, readable),
        "target": schema.target.name or None,
        "labels": list(schema.target.labels) if schema.is_classification else None,
        "weight": None if outcomes is None else sum(outcomes) if schema.is_classification else outcomes[WEIGHT],
        "attributes": [
            {"name": attribute.name, "kind": attribute.kind, "conditions": asked.count(index)}
            | ({"formulas": in_formulas.count(index)} if in_formulas else {})
            for index, attribute in enumerate(schema.columns)
        ],
    }


def with_unseen(rules: RuleList, policy: str, name: str) -> RuleList:
    if policy == BY_CONDITION and rules.settings.predicting.unseen != BY_CONDITION:
        raise UsageError(
            f"--unseen {policy}: {name} is a rule list, and its rules have no heaviest branch",
            f"make the rules of a tree that was trained with --unseen {policy}",
        )
    return replace(rules, settings=rules.settings.changed(unseen=policy))


def with_missing(rules: RuleList, policy: str, name: str) -> RuleList:
    """Return the list itself if missing values are to be an error; reject all other policies."""
    if policy == "error":
        return rules
    raise UsageError(
        f"--missing {policy}: {name} is a rule list, and each of its conditions says whether a missing value "
        "satisfies it",
        "change the tree and make the rules again, or edit the rules",
    )


def as_rules(rules: RuleList) -> tuple[RuleList, Iterable[Rule]]:
    return rules, rules.rules


def program(rules: RuleList) -> Program:
    from treecli.rules.program import program

    return program(rules)


def probes(rules: RuleList) -> Dataset:
    from treecli.rules.probes import probes

    return probes(rules)


def explainer(rules: RuleList) -> Callable[[RowOf], RuleExplanation]:
    from treecli.explain.ruleexplanation import explain_rules

    return partial(explain_rules, rules)


def flip(rules: RuleList, row: Dataset, label: int, fixed: Iterable[int] = ()) -> Flip | None:
    from treecli.explain.counterfactual import flip_rules

    return flip_rules(rules, row, label, fixed)
