"""The model file, which is also a report."""

from __future__ import annotations

from collections.abc import Iterator

from treecli.models._rulerecords import encoded
from treecli.rule_formats import Page

SUFFIX = ".json"
HAS_WORDING = False


def render(page: Page) -> Iterator[str]:
    """Return the file, one rule per line."""
    return (piece.decode() for piece in encoded(page.heading, page.rules))
