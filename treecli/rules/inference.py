"""The attributes, the target and the default of a rule file that does not declare them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from treecli.data import Attribute
from treecli.outcomes.rows import heaviest
from treecli.records import dataclass
from treecli.rules.rule import Rule
from treecli.rules.stream import number_of
from treecli.tree import MEAN

if TYPE_CHECKING:
    from treecli.outcomes.rows import Outcomes
    from treecli.rules.parser import Contents, Statement

SHARE = re.compile(r"(\S+)/(\S+)")
"""The counts of a rule: right/covered."""


@dataclass(slots=True)
class _Use:
    """How the rules use an attribute."""

    is_compared: bool = False
    labels: dict[str, None] | None = None


def inferred_attributes(contents: Contents) -> Iterator[Attribute]:
    """Yield the attributes of rules without declarations: numeric if compared by < or >, else nominal."""
    uses: dict[str, _Use] = {}
    for test in (test for statement in contents.rules for test in statement.tests):
        use = uses.setdefault(test.name.text, _Use(labels={}))
        use.is_compared = use.is_compared or bool(test.comparisons)
        assert use.labels is not None
        use.labels.update(dict.fromkeys(token.text for token in test.labels))
    for term in (term for statement in statements_of(contents) for term in statement.formula):
        if term.name is not None:
            use = uses.setdefault(term.name.text, _Use(labels={}))
            use.is_compared = use.is_compared or not term.labels
            assert use.labels is not None
            use.labels.update(dict.fromkeys(token.text for token in term.labels))
    for name_of, token in contents.stand_ins.items():  # a label may occur nowhere else
        own = uses[name_of].labels if name_of in uses else None
        if own:
            own[token.text] = None
    for column, use in uses.items():
        yield Attribute(column, "numeric") if use.is_compared else Attribute(column, "nominal", tuple(use.labels or ()))


def inferred_target(contents: Contents) -> Attribute:
    """Return the unnamed target of rules without declarations: numeric if all predictions are numbers."""
    statements = statements_of(contents)
    named = next((statement.predicted.text for statement in statements if statement.formula), None)
    if named is not None:
        return Attribute(named, "numeric")
    is_counted = any(SHARE.fullmatch(t.text) or t.text.startswith("confidence") for s in statements for t in s.items)
    if not is_counted and all(number_of(statement.predicted) is not None for statement in statements):
        return Attribute("", "numeric")
    return Attribute("", "nominal", tuple(dict.fromkeys(statement.predicted.text for statement in statements)))


def statements_of(contents: Contents) -> list[Statement]:
    """Return the rules and the default."""
    return [*contents.rules, *([contents.default] if contents.default is not None else [])]


def usual_default(rules: Sequence[Rule], outcomes: Outcomes | None) -> Rule:
    """Return the default of a list without one: the majority label of the cases, else of the rules; or the mean."""
    if rules[0].label is None:
        values = [rule.value for rule in rules if rule.value is not None]
        value = sum(values) / max(len(values), 1) if outcomes is None else outcomes[MEAN]
        return Rule((), value=value, takes_medians=rules[0].takes_medians)
    if outcomes is not None:
        return Rule((), label=heaviest(outcomes))
    votes: dict[int, float] = {}
    are_counted = all(rule.covered is not None for rule in rules)
    for rule in rules:
        assert rule.label is not None
        votes[rule.label] = votes.get(rule.label, 0.0) + ((rule.covered or 0.0) if are_counted else 1.0)
    return Rule((), label=max(votes, key=lambda label: (votes[label], -label)))
