"""Every row that can make a difference to a rule list, and the list's prediction, computed in a plain way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import inf, nextafter
from random import Random

from treecli.data import Attribute, Schema
from treecli.rules.rule import Rule
from treecli.rules.rulelist import RuleList
from treecli.values import Condition, Interval

UNSEEN = "unseen"
"""The value of a row whose label the schema does not hold."""

Value = float | str | None
"""A number, a code, None where it is missing, or UNSEEN."""

Row = tuple[Value, ...]


def values(attribute: Attribute, conditions: Sequence[Condition]) -> list[Value]:
    """Every label, or each bound with one ulp either side and both ends; missing; and unseen where there are labels."""
    if not attribute.is_numeric:
        return [*map(float, range(len(attribute.labels))), None, UNSEEN]
    numbers = {-inf, inf, 0.0}
    for condition in conditions:
        assert isinstance(condition, Interval)
        for bound in (condition.low, condition.high):
            numbers |= {nextafter(bound, -inf), bound, nextafter(bound, inf)}
    return [*sorted(numbers), None]


def rows(schema: Schema, rules: Sequence[Rule], at_most: int = 4000) -> list[Row]:
    """All combinations of the values that distinguish the rules, or a random sample of them."""
    by_attribute = [
        values(attribute, [c for rule in rules for c in rule.conditions if c.attribute == index])
        for index, attribute in enumerate(schema.attributes)
    ]
    n_rows = 1
    for on_it in by_attribute:
        n_rows *= len(on_it)
    if n_rows <= at_most:
        return list(product(*by_attribute))
    random = Random(0)
    return list(islice(_random_rows(by_attribute, random), at_most))


def _random_rows(by_attribute: list[list[Value]], random: Random) -> Iterator[Row]:
    while True:
        yield tuple(random.choice(on_it) for on_it in by_attribute)


def holds(conditions: Sequence[Condition], row: Row, policy: str) -> bool:
    """Whether a row satisfies all conditions, under a policy for unseen labels."""
    for condition in conditions:
        value = row[condition.attribute]
        if value == UNSEEN:
            is_satisfied = condition.unseen if policy == "majority" else condition.missing
        else:
            assert not isinstance(value, str)
            is_satisfied = condition.holds(value)
        if not is_satisfied:
            return False
    return True


def decider(rules: RuleList, row: Row) -> int:
    """The position of the first rule that holds; that of the default is behind the last."""
    policy = rules.settings.predicting.unseen
    for position, rule in enumerate(rules.rules):
        if holds(rule.conditions, row, policy):
            return position
    return len(rules.rules)


def said(rules: RuleList, row: Row) -> tuple[int | None, float | None]:
    """The prediction of the list: a label's code, or a value."""
    rule = (*rules.rules, rules.default)[decider(rules, row)]
    return rule.label, rule.value
