"""Rules as the rows of a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from treecli.rule_formats import Page
from treecli.rules.sentences import clause
from treecli.rules.text import Antecedents, predicted
from treecli.wording import readable

if TYPE_CHECKING:
    from treecli.data import Schema
    from treecli.rules.rule import Rule

DEFAULT, OTHERWISE = "DEFAULT", "otherwise"
ALWAYS = "in any case"


def rows(page: Page) -> Iterator[dict[str, Any]]:
    """Each rule by column name: its conditions as text, its prediction, and its quality."""
    schema = page.heading.schema
    antecedents = Antecedents(schema, clause if page.is_plain else None)
    for rule in page.rules:
        plain = " and ".join(antecedents.texts(rule)) or ALWAYS if page.is_plain else antecedents(rule)
        yield {"conditions": plain, **_quality(rule, schema)}
    if page.has_default:
        yield {"conditions": OTHERWISE if page.is_plain else DEFAULT, **_quality(page.heading.default, schema)}


def _quality(rule: Rule, schema: Schema) -> dict[str, Any]:
    """Return the quality of a rule; a formula is its value, as text."""
    quality = rule.quality(schema)
    return quality if rule.model is None else quality | {"value": predicted(rule, schema, readable)}


def columns(page: Page) -> tuple[str, ...]:
    """Return the names of the columns."""
    return ("conditions", *page.heading.default.quality(page.heading.schema))
