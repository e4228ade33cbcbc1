"""The number of conditions of each rule."""

from __future__ import annotations

from collections.abc import Iterator

from treecli.rule_formats import Page

SUFFIX = ".tally"
HAS_WORDING = False


def render(page: Page) -> Iterator[str]:
    """A number a line."""
    for rule in page.rules:
        yield f"{len(rule.conditions)}\n"
