"""Writing a picture to the file that a user named."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from treecli.cli import terminal
from treecli.files.whole import write_whole

if TYPE_CHECKING:
    from treecli.draw.canvas import Picture


def write_picture(path: str, draw: Callable[[str], Picture]) -> None:
    """Write the picture that `draw` makes in the format of the file's suffix, and say so."""
    from treecli.draw.canvas import check_suffix
    from treecli.draw.fonts import lacking_text

    picture = draw(check_suffix(path))
    if picture.lacking:
        terminal.warn(lacking_text(picture.lacking, "write .svg"))
    write_whole(path, [picture.content])
    terminal.note(f"wrote {path}")
