"""Rules as English sentences."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nextafter
from typing import TYPE_CHECKING

from treecli.rules.text import predicted
from treecli.values import Condition, Interval, bound_text
from treecli.wording import number_text, readable

if TYPE_CHECKING:
    from treecli.data import Attribute, Schema
    from treecli.rules.rule import Rule


def clause(condition: Condition, attribute: Attribute) -> str:
    """Return a condition as a clause: `humidity is above 65 and at most 77.5`."""
    texts = _ranges(condition, attribute) if isinstance(condition, Interval) else _choices(condition.codes, attribute)
    if condition.missing:
        texts.append("missing")
    if condition.unseen:
        texts.append("a label never seen before")
    return f"{readable(attribute.name)} is {_either(texts)}"


def consequence(rule: Rule, schema: Schema) -> str:
    """Return the prediction of a rule and how often it was right: `no (3 of 3)`."""
    if rule.label is not None:
        label = readable(schema.target.labels[rule.label])
        if rule.covered is None:
            return label
        return f"{label} ({readable(rule.correct)} of {readable(rule.covered)})"
    value = predicted(rule, schema, readable)
    error = rule.mae if rule.takes_medians else rule.rmse
    if rule.covered is None:
        return value
    cases = f"{readable(rule.covered)} case{'' if rule.covered == 1 else 's'}"
    return f"{value} ({cases})" if error is None else f"{value} ({cases}, typically off by {readable(error)})"


def sentence(clauses: Sequence[str], predicted: str) -> str:
    """Return a rule as a sentence."""
    return f"If {' and '.join(clauses)}, then {predicted}." if clauses else f"In any case, {predicted}."


def _ranges(condition: Interval, attribute: Attribute) -> list[str]:
    if not condition.takes_known:
        return []
    if condition.low == -inf and condition.high == inf:
        return ["known"]
    if attribute.is_numeric and nextafter(condition.low, inf) == condition.high < inf:
        return [number_text(condition.high)]
    bounds = []
    if condition.low != -inf:
        low, is_in = _bound(condition.low, attribute)
        bounds.append(f"{'at least' if is_in else 'above'} {low}")
    if condition.high != inf:
        high, is_out = _bound(condition.high, attribute)
        bounds.append(f"{'below' if is_out else 'at most'} {high}")
    return [" and ".join(bounds)]


def _bound(bound: float, attribute: Attribute) -> tuple[str, bool]:
    return bound_text(bound, attribute) if attribute.is_numeric else (readable(attribute.labels[int(bound)]), False)


def _choices(codes: Sequence[int], attribute: Attribute) -> list[str]:
    others = sorted(set(range(len(attribute.labels))).difference(codes))
    if codes and not others:
        return ["known"]
    if len(codes) > 1 and len(others) == 1:
        return [f"known but not {readable(attribute.labels[others[0]])}"]
    return [readable(attribute.labels[code]) for code in codes]


def _either(texts: Sequence[str]) -> str:
    *first, last = texts
    return f"{', '.join(first)} or {last}" if first else last
