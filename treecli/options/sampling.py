"""The texts of --features: how many attributes are drawn at each node."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt

from treecli.errors import UsageError, did_you_mean
from treecli.wording import counted

ALL = "all"

WORDS: dict[str, Callable[[int], int]] = {
    "sqrt": isqrt,
    "log2": lambda n: n.bit_length() - 1,
    "third": lambda n: n // 3,
    ALL: lambda n: n,
}
"""The words, and the number of attributes that each takes of n; at least 1."""

EXPECTED = "a whole number of 1 or more, or a share with a decimal point, above 0 and up to 1.0"


def checked_features(text: str) -> str:
    """Return the text if it is a number of attributes; raise UsageError if not."""
    _number(text)
    return text


def n_features(text: str, n_attributes: int) -> int:
    """Return how many of the attributes are drawn at a node, at least 1; raise UsageError if there are fewer."""
    if text in WORDS:
        return max(WORDS[text](n_attributes), 1)
    number = _number(text)
    if isinstance(number, float):
        return max(int(number * n_attributes), 1)
    if number > n_attributes:
        raise UsageError(
            f"--features {text}: there {'is' if n_attributes == 1 else 'are'} only "
            f"{counted(n_attributes, 'attribute')}",
            f"use at most {n_attributes}, or sqrt",
        )
    return number


def _number(text: str) -> int | float:
    """Return a number of attributes or, as a float, a share of them; 1 for a word."""
    if text in WORDS:
        return 1
    if text.isascii() and text.isdecimal():
        if int(text) >= 1:
            return int(text)
    else:
        try:
            share = float(text)
        except ValueError:
            known = tuple(WORDS)
            raise UsageError(
                f"--features: found '{text}', expected {', '.join(known)}, {EXPECTED}", did_you_mean(text, known)
            ) from None
        if 0 < share <= 1:
            return share
    raise UsageError(f"--features: found '{text}', expected {EXPECTED}")
