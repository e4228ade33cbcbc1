"""The tree as a picture in PDF, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Iterator

from treecli.cli import terminal
from treecli.draw.fonts import lacking_text
from treecli.draw.painting import painted_pdf
from treecli.model import TreeModel
from treecli.renderers import View
from treecli.renderers._picture import announced

IS_BINARY = True
HAS_CHARTS = True


def render(model: TreeModel, view: View) -> Iterator[bytes]:
    """The same picture as svg, in light colours."""
    picture = painted_pdf(announced(model, view))
    if picture.lacking:
        terminal.warn(lacking_text(picture.lacking, "use -f svg or -f html"))
    yield picture.content
