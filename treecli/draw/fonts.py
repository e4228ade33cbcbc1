"""Selects installed fonts that have the characters of a matplotlib picture."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.font_manager import FontEntry

USUAL = "DejaVu Sans"
"""Included in matplotlib."""

PREFERRED = (
    "Noto Sans",
    "Noto Sans CJK JP",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Devanagari",
    "Hiragino Sans",
    "Yu Gothic",
    "Microsoft YaHei",
    "Arial Unicode MS",
    "Segoe UI Symbol",
    "Noto Emoji",
)
"""Tried first for characters that the default font lacks, before all other installed fonts."""

UNHELPFUL = ("Last Resort", "Noto Color Emoji", "Apple Color Emoji")
"""Prefixes of fonts that draw a box for every character, or that matplotlib cannot use."""

MOST_LISTED = 20


def families_for(text: str) -> tuple[list[str], str]:
    """Return the fonts for a text, in order of preference, and the characters that no installed font has."""
    lacking = {character for character in set(text) if character.isprintable()} - _characters(_entry(USUAL))
    families = [USUAL]
    # matplotlib caches its font list between runs; the second pass includes fonts installed since then.
    for is_fresh in (False, True):
        if not lacking:
            break
        if is_fresh:
            _add_new_fonts()
        for family in _families():
            own = lacking & _characters(_entry(family))
            if own and family not in families:
                families.append(family)
                lacking -= own
            if not lacking:
                break
    return families, "".join(sorted(lacking))


def lacking_text(lacking: str, cure: str) -> str:
    """Return a one-line message about characters that no installed font has."""
    shown = lacking[:MOST_LISTED] + (f" and {len(lacking) - MOST_LISTED} more" if len(lacking) > MOST_LISTED else "")
    return f"no installed font has {shown}, so boxes are drawn; install one (such as Noto), or {cure}"


def _families() -> list[str]:
    """Return all families, the preferred ones first."""
    from matplotlib.font_manager import fontManager

    installed = {entry.name for entry in fontManager.ttflist if not entry.name.startswith(UNHELPFUL)}
    return [*(family for family in PREFERRED if family in installed), *sorted(installed.difference(PREFERRED))]


def _entry(family: str) -> FontEntry:
    from matplotlib.font_manager import fontManager

    return min((entry for entry in fontManager.ttflist if entry.name == family), key=lambda entry: entry.fname)


@cache
def _characters_of_file(path: str) -> frozenset[str]:
    from matplotlib.ft2font import FT2Font

    return frozenset(map(chr, FT2Font(path).get_charmap()))


def _characters(entry: FontEntry) -> frozenset[str]:
    return _characters_of_file(entry.fname)


def _add_new_fonts() -> None:
    """Add fonts installed after matplotlib cached its list."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    known = {entry.fname for entry in fontManager.ttflist}
    for path in sorted(set(findSystemFonts()) - known):
        try:
            fontManager.addfont(path)
        except (OSError, RuntimeError, UnicodeDecodeError):
            continue  # skip fonts that matplotlib cannot read
