"""A table for other programs, with a column for the count of each class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, tee

from treecli.rule_formats import Page
from treecli.rule_formats._rows import columns, rows
from treecli.rules.rule import Rule
from treecli.wording import Cell
from treecli.writers._delimited import csv_text

SUFFIX = ".csv"
HAS_WORDING = True


def render(page: Page) -> Iterator[str]:
    """Return the table, in pieces."""
    from dataclasses import replace

    labels = page.heading.schema.target.labels
    described, counted = tee(page.rules)
    facts = rows(replace(page, rules=described))
    default = [page.heading.default] if page.has_default else []
    cells = (
        [*fact.values(), *_counts(rule, len(labels))] for fact, rule in zip(facts, chain(counted, default), strict=True)
    )
    return csv_text((*columns(page), *(f"count_{label}" for label in labels)), cells)


def _counts(rule: Rule, n_labels: int) -> Iterable[Cell]:
    """Return the weight of each class among the cases of a rule."""
    if not n_labels or rule.outcomes is None:
        return [None] * n_labels
    return rule.outcomes
