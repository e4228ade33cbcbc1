"""Matplotlib figures and the files they are saved to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treecli.draw.fonts import USUAL, families_for
from treecli.errors import UsageError
from treecli.records import dataclass

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
"""Omits metadata that differs between runs."""


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
        """Return the figure as a file; the viewer of an SVG renders its text."""
        file = BytesIO()
        self.figure.savefig(file, format=format, metadata=_METADATA[format])
        return Picture(file.getvalue(), "" if format == "svg" else self.lacking)


def check_suffix(path: str) -> str:
    """Return the format given by a file's suffix; raise UsageError if it is not supported."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        *others, last = SUFFIXES
        raise UsageError(f"{path}: pictures are {', '.join(others)} or {last}, by the name of the file")
    return suffix.removeprefix(".")


@contextmanager
def canvas(
    inches: tuple[float, float], text: str, dots_per_inch: float = DOTS_PER_INCH, *, is_laid_out: bool = True
) -> Iterator[Canvas]:
    """Create a figure with fonts for `text`, which must contain all text drawn on it."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UsageError("drawing needs the package matplotlib", "pip install 'treecli[plot]'") from error
    from logging import ERROR, getLogger
    from warnings import catch_warnings, simplefilter

    getLogger("matplotlib").setLevel(ERROR)  # it reports fonts and its cache on stderr
    families, lacking = families_for(text)
    settings: Any = {
        "svg.hashsalt": "treecli",  # instead of random ids
        "svg.fonttype": "none",  # searchable text
        # TrueType if possible; it cannot embed the OpenType fonts of other scripts.
        "pdf.fonttype": 42 if families == [USUAL] else 3,
        "font.family": families,
    }
    with rc_context(settings), catch_warnings():
        simplefilter("ignore", UserWarning)  # characters without a glyph are reported separately, with a remedy
        figure = Figure(figsize=inches, dpi=dots_per_inch, layout="constrained" if is_laid_out else None)
        yield Canvas(figure, lacking)
