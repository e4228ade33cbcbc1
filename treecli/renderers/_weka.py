"""The layout of Weka's trees: indentation and numbers."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

INDENT = "|   "

MOST_BARS = 1000
"""Weka indents without limit; deeper levels show the number of bars instead, or a deep tree would fill the disk."""

KEPT_TEXTS = 4096
"""Size of the cache of number texts: those of leaves repeat often, and each threshold occurs twice."""

WHOLE_FROM = 2.0**53
"""From here every double is an integer, and its product with a power of ten may overflow."""


def indent(n_bars: int) -> str:
    """The bars before a branch."""
    return INDENT * n_bars if n_bars <= MOST_BARS else f"|*{n_bars}  "


@lru_cache(maxsize=KEPT_TEXTS)
def rounded(number: float, places: int) -> str:
    """The number with at most this many decimals, halves away from zero, without trailing zeros."""
    if abs(number) >= WHOLE_FROM:
        return format(Decimal(number), "f")
    # Java rounds the double times a power of ten, not its decimal expansion.
    scaled = Decimal(number * 10**places).to_integral_value(ROUND_HALF_UP)
    text = format((scaled / 10**places).normalize(), "f")
    return "0" if text == "-0" else text
