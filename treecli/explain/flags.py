"""Flags for values outside the training evidence: missing, unseen, out of range."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal

from treecli.data import MISSING, UNSEEN, Dataset, Schema
from treecli.wording import quoted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Flag = Literal["missing", "unseen", "out-of-range"]

SEPARATOR = ";"
"""Separates the flags of one row; a name that contains it is quoted."""


def without_range(schema: Schema, columns: Iterable[int]) -> list[str]:
    """Return the names of the numeric columns whose training range is unknown."""
    used = (schema.columns[index] for index in columns)
    return [attribute.name for attribute in used if attribute.is_numeric and attribute.range is None]


def flagged(dataset: Dataset, columns: Iterable[int]) -> Iterator[tuple[int, Flag, NDArray[np.bool_]]]:
    """Yield each column with a flag and the rows that have it; a row has at most one flag per column."""
    import numpy as np

    for index in columns:
        attribute, values = dataset.schema.columns[index], dataset.columns[index]
        found: dict[Flag, NDArray[np.bool_]]
        if attribute.is_numeric:
            found = {"missing": np.isnan(values)}
            if attribute.range is not None:
                low, high = attribute.range
                found["out-of-range"] = (values < low) | (values > high)
        else:
            found = {"missing": values == MISSING, "unseen": values == UNSEEN}
        for flag, has_flag in found.items():
            if has_flag.any():
                yield index, flag, has_flag


def flag_texts(dataset: Dataset, columns: Iterable[int]) -> list[str]:
    """Return the flags of every row as text, such as `missing:humidity;out-of-range:age`, or "" if none."""
    import numpy as np

    texts = np.full(dataset.n_rows, "", object)
    for index, flag, has_flag in flagged(dataset, columns):
        text = f"{flag}:{quoted(dataset.schema.columns[index].name)}"
        rows = np.flatnonzero(has_flag)
        before = texts[rows]
        texts[rows] = np.where(before == "", text, before + (SEPARATOR + text))
    listed: list[str] = texts.tolist()
    return listed
