"""IF-THEN rules, one per line; a file also has all data needed to load them again."""

from __future__ import annotations

from collections.abc import Iterator

from treecli.rule_formats import Page
from treecli.rules.sentences import clause, consequence, sentence
from treecli.rules.text import Antecedents, default_line, rule_lines, whole
from treecli.rules.treerules import TreeRules
from treecli.wording import readable

SUFFIX = ".txt"
HAS_WORDING = True


def render(page: Page) -> Iterator[str]:
    """Return the lines of the rules."""
    schema, default = page.heading.schema, page.heading.default
    if page.is_plain:
        clauses = Antecedents(schema, clause)
        for rule in page.rules:
            yield f"{sentence(clauses.texts(rule), consequence(rule, schema))}\n"
        if page.has_default:
            yield f"Otherwise, {consequence(default, schema)}.\n"
    elif page.is_whole:
        yield from whole(page.heading, page.rules)
    else:
        own = page.rules.pieces(readable) if isinstance(page.rules, TreeRules) else None
        yield from own or rule_lines(page.rules, schema, readable)
        if page.has_default:
            yield default_line(default, schema, readable)
