"""The result of a reader: named columns, as numbers or labels, and the location of each row in the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from treecli.data import MISSING, Kind
from treecli.errors import DataError

if TYPE_CHECKING:
    from treecli.data import CodeArray, Column, FloatArray

    Cells = tuple[Column, tuple[str, ...] | None]
    """The values of a column, and its labels if the values are codes."""

BLANKS = " \t"
"""The characters that are trimmed from the edges of an unquoted cell."""

_SURROGATE = re.compile("[\ud800-\udfff]")

# Longer lists are truncated in messages.
_MOST_WORDS = 6


class TableColumn(NamedTuple):
    """A column of a file; `labels` is None if the values are numbers.

    `declared` is the kind that the file itself declares; it overrides the kind suggested by the values. `decimal` is
    the decimal mark of numbers among the labels.
    """

    name: str
    values: Column
    labels: tuple[str, ...] | None
    declared: Kind | None = None
    decimal: str = "."


class Table(NamedTuple):
    """The columns of a file in order; `place` gives the location of a row for messages."""

    name: str
    columns: Sequence[TableColumn]
    n_rows: int
    place: Callable[[int], str]
    weights: FloatArray | None = None
    notices: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    """(column, reason) of columns that cannot be read as numbers or labels."""
    detected: tuple[str, ...] = ()
    """Notices about decisions made from the content."""
    is_delimited: bool = False
    """Whether the file is delimited text, so that --delimiter and --decimal apply."""


def number_of(text: str, decimal: str = ".") -> float | None:
    """The number that a text represents, or None; blanks and tabs around it are ignored.

    Like float(), without other whitespace, underscores, digits of other scripts and nan.
    """
    text = text.strip(BLANKS)
    if not text.isascii() or "_" in text or text != text.strip():
        return None
    if decimal != ".":
        if "." in text:
            return None
        text = text.replace(decimal, ".")
    try:
        number = float(text)
    except ValueError:
        return None
    return number if number == number else None


def tidy(codes: CodeArray, texts: Iterable[str | None], *, as_text: bool, decimal: str = ".") -> Cells:
    """Values and labels of a column of codes into texts (None: missing); numbers if all texts are numbers.

    Labels keep the order of the texts; equal texts are merged. `as_text` keeps texts even if all are numbers.
    """
    import numpy as np

    code_of: dict[str, int] = {}
    renumbered = [MISSING if text is None else code_of.setdefault(text, len(code_of)) for text in texts]
    # The last entry is the one that code -1 selects.
    tidy_codes = np.array([*renumbered, MISSING], dtype=np.int32)[codes]
    labels = tuple(code_of)
    if not as_text:
        numbers = numbers_of(labels, decimal)
        if numbers is not None:
            return numbers[tidy_codes], None
    return tidy_codes, labels


def known_texts(texts: Iterable[str], missing_texts: Collection[str]) -> Iterator[str | None]:
    """The texts, None for those that mean missing, compared without blanks and tabs at the edges."""
    for text in texts:
        yield None if text.strip(BLANKS) in missing_texts else text


def trimmed(missing_texts: Iterable[str]) -> frozenset[str]:
    """The texts that mean missing, as `known_texts` compares them."""
    # A command-line text that is not valid Unicode occurs in no file.
    return frozenset(text.strip(BLANKS) for text in missing_texts if text.isascii() or not _SURROGATE.search(text))


def numbers_of(labels: Iterable[str], decimal: str = ".") -> FloatArray | None:
    """The labels as numbers, followed by NaN for code -1; None if a label is not a number."""
    import numpy as np

    numbers = [number_of(label, decimal) for label in labels]
    if None in numbers:
        return None
    return np.array([*cast("list[float]", numbers), np.nan], dtype=np.float64)


def missing_options(missing_texts: Iterable[str], further: Iterable[str]) -> str:
    """The shell options that make further texts mean missing; --na replaces the whole list."""
    from shlex import quote

    return " ".join(f"--na {quote(text)}" for text in dict.fromkeys([*missing_texts, *further]))


def shortened(words: Sequence[str]) -> str:
    """The words separated by commas; only the first few of many."""
    if len(words) <= _MOST_WORDS + 1:
        return ", ".join(words)
    return f"{', '.join(words[:_MOST_WORDS])} and {len(words) - _MOST_WORDS} more"


def check_names(names: Sequence[str], place: Callable[[int], str]) -> None:
    """Raises if two columns share a name; `place` gives the location of a column's name."""
    first: dict[str, int] = {}
    for position, name in enumerate(names):
        if name in first:
            raise DataError(
                f"{place(position)}: columns {first[name] + 1} and {position + 1} are both named '{name}'",
                "rename one of them in the file, or use --no-header if the first line of a CSV file is data",
            )
        first[name] = position
