"""The rules as one self-contained web page, to sort, search and try on a row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec

from treecli.draw.pagedata import encoded, formula_data, heading, short
from treecli.draw.webpage import page as webpage
from treecli.models import program_of
from treecli.rule_formats import Page
from treecli.rules.formulas import sum_text
from treecli.rules.rule import Rule
from treecli.rules.sentences import clause
from treecli.rules.text import Antecedents, default_line, rule_lines
from treecli.values import Condition
from treecli.wording import readable

SUFFIX = ".html"
HAS_WORDING = True


def render(page: Page) -> Iterator[str]:
    """Return the page."""
    return webpage("rules", ("rules.js",), _data(page))


def _data(page: Page) -> Iterator[str]:
    """Return the data of the page's script, as JSON: the model, then its rules, one per line."""
    encode = msgspec.json.Encoder().encode
    rules, schema = replace(page.heading, rules=tuple(page.rules)), page.heading.schema
    program = program_of(replace(rules, votes=False))
    lines = [*rule_lines(rules.rules, schema, readable), default_line(rules.default, schema, readable)]
    texts = Antecedents(schema, clause if page.is_plain else None)
    records = []
    for place, (rule, line) in enumerate(zip((*rules.rules, rules.default), lines, strict=True)):
        record = _record(rule) | {"text": line.removesuffix("\n"), "says": program.prediction[2 * place]}
        step = program.steps[2 * place][0].test[0] if rule is not rules.default else ()
        if rule.model is not None:
            text = sum_text(rule.model, schema, readable)
            record["formula"] = formula_data(text, rule.model.expression(), rule.model)
        records.append(record | {"conditions": texts.texts(rule), "sets": _sets(step)})
    head = heading(schema, rules.lineage) | {
        "votes": rules.votes,
        "refused": program.refused,
        "error": "mae" if rules.default.takes_medians else "rmse",
        "default": records.pop(),
    }
    yield encode(head).decode().removesuffix("}") + ',"rules":['
    for number, record in enumerate(records):
        yield (",\n" if number else "\n") + encode(record).decode()
    yield "\n]}"


def _sets(member: tuple[Condition, ...]) -> list[list[Any]]:
    return [encoded(values) for values in member]


def _record(rule: Rule) -> dict[str, Any]:
    """Return the prediction of a rule and its quality, as far as known."""
    if not rule.conditions and not rule.covered:  # a default without cases has no counts
        return {"value": rule.value} if rule.label is None else {"label": rule.label}
    known: dict[str, Any] = {"covered": rule.covered}
    if rule.label is None:
        return known | {"value": rule.value, "error": rule.mae if rule.takes_medians else rule.rmse}
    counts = None if rule.outcomes is None else [short(count) for count in rule.outcomes]
    facts = {"correct": rule.correct, "confidence": rule.confidence, "lift": rule.lift}
    return known | {"label": rule.label, **facts, "counts": counts}
