"""What a reader hands over: named columns, as numbers or as labels, and where each row stands in the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from treecli.data import MISSING, Kind
from treecli.errors import DataError

if TYPE_CHECKING:
    from treecli.data import CodeArray, Column, FloatArray

    Cells = tuple[Column, tuple[str, ...] | None]
    """The values of a column, and its labels where they are codes."""

BLANKS = " \t"
"""The characters that are trimmed from the edges of a cell that is not quoted."""

_SURROGATE = re.compile("[\ud800-\udfff]")

# Longer lists are cut in messages.
_MOST_WORDS = 6


class TableColumn(NamedTuple):
    """A column of a file; `labels` is None where the values are numbers.

    `declared` is the kind that the file itself states, and overrides what the values look like. `decimal` is the
    decimal mark of numbers among the labels.
    """

    name: str
    values: Column
    labels: tuple[str, ...] | None
    declared: Kind | None = None
    decimal: str = "."


class Table(NamedTuple):
    """The columns of a file in its order; `place` words where a row stands, for messages."""

    name: str
    columns: Sequence[TableColumn]
    n_rows: int
    place: Callable[[int], str]
    weights: FloatArray | None = None
    notices: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    """(column, reason) of columns that cannot be read as numbers or labels."""
    detected: tuple[str, ...] = ()
    """Decisions made from the content, for the user to know."""
    is_delimited: bool = False
    """Whether the file is delimited text, so that --delimiter and --decimal mean something."""


def number_of(text: str, decimal: str = ".") -> float | None:
    """The number that a text writes in decimals, or None; blanks and tabs around it do not count.

    That is what float() accepts, less other spaces, underscores, digits of other scripts and nan.
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
    """Values and labels of a column whose codes point at texts, None for missing; numbers if all are.

    Labels keep the order of the texts; equal ones become one. `as_text` keeps texts even where all are numbers.
    """
    import numpy as np

    code_of: dict[str, int] = {}
    renumbered = [MISSING if text is None else code_of.setdefault(text, len(code_of)) for text in texts]
    # The value appended at the end is what code -1 picks.
    tidy_codes = np.array([*renumbered, MISSING], dtype=np.int32)[codes]
    labels = tuple(code_of)
    if not as_text:
        numbers = numbers_of(labels, decimal)
        if numbers is not None:
            return numbers[tidy_codes], None
    return tidy_codes, labels


def known_texts(texts: Iterable[str], missing_texts: Collection[str]) -> Iterator[str | None]:
    """The texts, None for those that mean missing; blanks and tabs at the edges do not matter for that."""
    for text in texts:
        yield None if text.strip(BLANKS) in missing_texts else text


def trimmed(missing_texts: Iterable[str]) -> frozenset[str]:
    """The texts that mean missing, as `known_texts` compares them."""
    # A text from the command line that is not Unicode is in no file.
    return frozenset(text.strip(BLANKS) for text in missing_texts if text.isascii() or not _SURROGATE.search(text))


def numbers_of(labels: Iterable[str], decimal: str = ".") -> FloatArray | None:
    """The labels as numbers, followed by NaN for code -1 to pick; None if one of them is no number."""
    import numpy as np

    numbers = [number_of(label, decimal) for label in labels]
    if None in numbers:
        return None
    return np.array([*cast("list[float]", numbers), np.nan], dtype=np.float64)


def missing_options(missing_texts: Iterable[str], further: Iterable[str]) -> str:
    """The options for a shell that make further texts mean missing; --na replaces the whole list."""
    from shlex import quote

    return " ".join(f"--na {quote(text)}" for text in dict.fromkeys([*missing_texts, *further]))


def shortened(words: Sequence[str]) -> str:
    """The words with commas between them, the first few of many."""
    if len(words) <= _MOST_WORDS + 1:
        return ", ".join(words)
    return f"{', '.join(words[:_MOST_WORDS])} and {len(words) - _MOST_WORDS} more"


def check_names(names: Sequence[str], place: Callable[[int], str]) -> None:
    """Raises where two columns share a name; `place` words where the column at a position is named."""
    first: dict[str, int] = {}
    for position, name in enumerate(names):
        if name in first:
            raise DataError(
                f"{place(position)}: columns {first[name] + 1} and {position + 1} are both named '{name}'",
                "rename one of them in the file, or say --no-header if the first line of a CSV file is data",
            )
        first[name] = position
