"""What a reader hands over: named columns, as numbers or as labels, and where each row stands in the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from treecli.data import MISSING, Kind
from treecli.errors import DataError

if TYPE_CHECKING:
    from treecli.data import CodeArray, Column, FloatArray

# What float() accepts, less underscores, digits of other scripts and nan, which is a text like any other.
_NUMBER = re.compile(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a file; `labels` is None where the values are numbers.

    `declared` is the kind that the file itself states, and wins over what the values look like.
    """

    name: str
    values: Column
    labels: tuple[str, ...] | None
    declared: Kind | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of a file in its order; `place` words where a row stands, for messages."""

    name: str
    columns: Sequence[TableColumn]
    n_rows: int
    place: Callable[[int], str]
    weights: FloatArray | None = None
    notices: tuple[str, ...] = ()


def number_of(text: str) -> float | None:
    """The number that a text writes in decimals, or None."""
    return float(text) if _NUMBER.fullmatch(text) else None


def tidy(
    codes: CodeArray, raw_labels: Iterable[str], missing_texts: Collection[str], *, as_text: bool
) -> tuple[Column, tuple[str, ...] | None]:
    """Values and labels of a column of texts: stripped, without those that mean missing, numbers if all are.

    Labels keep the order given. `as_text` keeps them texts even where all are numbers.
    """
    import numpy as np

    code_of: dict[str, int] = {}
    renumbered = [
        MISSING if text in missing_texts else code_of.setdefault(text, len(code_of))
        for text in (label.strip() for label in raw_labels)
    ]
    # The value appended at the end is what code -1 picks.
    tidy_codes = np.array([*renumbered, MISSING], dtype=np.int32)[codes]
    labels = tuple(code_of)
    if not as_text:
        numbers = numbers_of(labels)
        if numbers is not None:
            return numbers[tidy_codes], None
    return tidy_codes, labels


def numbers_of(labels: Iterable[str]) -> FloatArray | None:
    """The labels as numbers, followed by NaN for code -1 to pick; None if one of them is no number."""
    import numpy as np

    numbers = [number_of(label) for label in labels]
    if None in numbers:
        return None
    return np.array([*cast("list[float]", numbers), np.nan], dtype=np.float64)


def check_names(names: Sequence[str], place: str) -> None:
    """Raises where two columns share a name."""
    first: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if name in first:
            raise DataError(
                f"{place}: columns {first[name]} and {position} are both named '{name}'",
                "rename one of them in the file",
            )
        first[name] = position
