"""Columns of delimited text without compiled kernels: same results, slower."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from treecli.readers._rows import Dialect, even_rows
from treecli.readers._table import known_texts, tidy

if TYPE_CHECKING:
    from treecli.data import CodeArray
    from treecli.readers._table import Cells

MANY_CELLS = 5_000_000
"""From this number of cells, pandas saves more time than its import takes."""


def parse(body: bytes, n_columns: int, dialect: Dialect, as_text: Collection[int]) -> list[Cells]:
    """Values and labels of every column; numbers if all texts are, except in the columns kept `as_text`.

    There must be a row. Raises MisshapenError.
    """
    rows = list(even_rows(body, dialect, n_columns))
    factorize = _factorize_with_pandas if len(rows) * n_columns >= MANY_CELLS else _factorize
    columns = []
    for position, texts in enumerate(zip(*rows, strict=True)):
        codes, distinct = factorize(texts)
        known = known_texts(distinct, dialect.missing_texts)
        columns.append(tidy(codes, known, as_text=position in as_text, decimal=dialect.decimal))
    return columns


def _factorize(texts: Sequence[str]) -> tuple[CodeArray, Iterable[str]]:
    """The codes of the texts, and the distinct texts in order of appearance."""
    code_of = {text: code for code, text in enumerate(dict.fromkeys(texts))}
    return np.fromiter(map(code_of.__getitem__, texts), np.int32, len(texts)), code_of


def _factorize_with_pandas(texts: Sequence[str]) -> tuple[CodeArray, Iterable[str]]:
    """Like `_factorize`, faster."""
    import pandas

    codes, distinct = pandas.factorize(np.array(texts, dtype=object))
    return codes.astype(np.int32), distinct.tolist()
