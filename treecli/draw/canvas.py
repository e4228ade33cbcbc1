"""Figures of matplotlib, and the files they become."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treecli.draw.fonts import USUAL, families_for
from treecli.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")

INCHES = (7.0, 4.5)
DOTS_PER_INCH = 150

_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None},
}
"""Without what differs from one run to the next."""


@dataclass(frozen=True, slots=True)
class Picture:
    """The content of a file, and the characters in it that no installed font has."""

    content: bytes
    lacking: str = ""


@dataclass(frozen=True, slots=True)
class Canvas:
    """A figure to draw on, and the characters of its text that no installed font has."""

    figure: Figure
    lacking: str

    def saved(self, format: str) -> Picture:
        """The figure as a file; the text of an SVG is drawn by whatever shows it."""
        file = BytesIO()
        self.figure.savefig(file, format=format, metadata=_METADATA[format])
        return Picture(file.getvalue(), "" if format == "svg" else self.lacking)


def check_suffix(path: str) -> str:
    """The format that a file's name asks for; a UsageError if it asks for none."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        *others, last = SUFFIXES
        raise UsageError(f"{path}: pictures are {', '.join(others)} or {last}, by the name of the file")
    return suffix.removeprefix(".")


@contextmanager
def canvas(
    inches: tuple[float, float], text: str, dots_per_inch: float = DOTS_PER_INCH, *, is_laid_out: bool = True
) -> Iterator[Canvas]:
    """A figure with fonts for the given text, which is all that will be written on it."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UsageError("drawing needs the package matplotlib", "pip install 'treecli[plot]'") from error
    from logging import ERROR, getLogger
    from warnings import catch_warnings, simplefilter

    getLogger("matplotlib").setLevel(ERROR)  # it tells on stderr what it does with fonts and its cache
    families, lacking = families_for(text)
    settings: Any = {
        "svg.hashsalt": "treecli",  # instead of random ids
        "svg.fonttype": "none",  # text that can be searched
        # TrueType where that works; OpenType fonts of other scripts cannot be embedded so.
        "pdf.fonttype": 42 if families == [USUAL] else 3,
        "font.family": families,
    }
    with rc_context(settings), catch_warnings():
        simplefilter("ignore", UserWarning)  # characters without a glyph are told of in one line, with a cure
        figure = Figure(figsize=inches, dpi=dots_per_inch, layout="constrained" if is_laid_out else None)
        yield Canvas(figure, lacking)
