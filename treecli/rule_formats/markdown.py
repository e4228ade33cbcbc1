"""A table for Markdown documents."""

from __future__ import annotations

from collections.abc import Iterator

from treecli.cli import report
from treecli.rule_formats import Page
from treecli.rule_formats._rows import columns, rows

SUFFIX = ".md"
HAS_WORDING = True


def render(page: Page) -> Iterator[str]:
    """Return the table, with rounded numbers."""
    table = report.Table("", columns(page), [tuple(row.values()) for row in rows(page)])
    return report.render("markdown", [table], {})
