"""Columns out of delimited text, by pyarrow where it is installed and by pandas where it is not."""

from __future__ import annotations

import io
import re
from collections.abc import Collection
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.readers._arrow import strings, values_of
from treecli.readers._rows import SPACES, Dialect, check_shape
from treecli.readers._table import known_texts, number_of, tidy

if TYPE_CHECKING:
    from treecli.readers._table import Cells

# pandas reads the text nan as a number, and the least int64 as missing in a column that misses values.
_MISREAD_BY_PANDAS = re.compile(rb"nan|9223372036854775808", re.IGNORECASE)

SNIFFED_BYTES = 1 << 16
"""So much of a file shows which of its columns hold numbers."""

# From here on pandas rounds numbers correctly by itself, and asking for it is deprecated.
_PANDAS_EXACT_SINCE = (3, 1)


def parse(body: bytes, n_columns: int, dialect: Dialect, as_text: Collection[int]) -> list[Cells]:
    """Values and labels of every column, numbers where all are, except in the columns kept `as_text`.

    Raises MisshapenError. pyarrow and pandas give the same; pyarrow starts sooner.
    """
    columns = parse_with_pyarrow(body, n_columns, dialect, as_text) if find_spec("pyarrow") else None
    if columns is None:
        check_shape(body, n_columns, dialect)
        columns = parse_with_pandas(body, n_columns, dialect, as_text)
    return columns


def parse_with_pyarrow(body: bytes, n_columns: int, dialect: Dialect, as_text: Collection[int]) -> list[Cells] | None:
    """As `parse`; None where pyarrow cannot be trusted with the rows."""
    has_quotes = dialect.quote.encode() in body
    if has_quotes:
        # pyarrow takes a quote that follows a space for a character like others.
        if any(f"{space}{dialect.quote}".encode() in body for space in SPACES if space != dialect.delimiter):
            return None
        if not body.endswith(b"\n"):
            body += b"\n"
    if len(body) > SNIFFED_BYTES:
        cells = _parse_as_guessed(body, n_columns, dialect, has_quotes, as_text)
        if cells is not None:
            return cells
    table = _read_with_pyarrow(body, n_columns, dialect, has_quotes, ())
    if table is None:
        return None
    return [
        _cells_from_pyarrow(column, dialect.missing_texts, position in as_text)
        for position, column in enumerate(table.columns)
    ]


def _parse_as_guessed(
    body: bytes, n_columns: int, dialect: Dialect, has_quotes: bool, as_text: Collection[int]
) -> list[Cells] | None:
    """As `parse`, reading columns as numbers at once that begin as such; None if one of them goes on otherwise."""
    head = _read_with_pyarrow(body[: body.rfind(b"\n", 0, SNIFFED_BYTES) + 1], n_columns, dialect, has_quotes, ())
    if head is None:
        return None
    numeric = [
        position
        for position, column in enumerate(head.columns)
        if position not in as_text and _numbers_from_pyarrow(column, dialect.missing_texts) is not None
    ]
    table = _read_with_pyarrow(body, n_columns, dialect, has_quotes, numeric)
    if table is None:
        return None
    cells: list[Cells] = []
    for position, column in enumerate(table.columns):
        if position in numeric:
            numbers = _known_numbers(column)
            if numbers is None:
                return None
            cells.append((numbers, None))
        else:
            cells.append(_cells_from_pyarrow(column, dialect.missing_texts, position in as_text))
    return cells


def _read_with_pyarrow(
    body: bytes, n_columns: int, dialect: Dialect, has_quotes: bool, numeric: Collection[int]
) -> Any | None:
    """A table of texts, and of numbers in the columns that are said to hold them; None if pyarrow cannot read it."""
    import pyarrow
    from pyarrow import csv as arrow_csv

    names = [str(position) for position in range(n_columns)]
    types = dict.fromkeys(names, pyarrow.string()) | {names[position]: pyarrow.float64() for position in numeric}
    try:
        table = arrow_csv.read_csv(
            pyarrow.BufferReader(body),
            read_options=arrow_csv.ReadOptions(column_names=names),
            parse_options=arrow_csv.ParseOptions(
                delimiter=dialect.delimiter,
                quote_char=dialect.quote if has_quotes else False,
                newlines_in_values=has_quotes,
                ignore_empty_lines=n_columns > 1,
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=types, null_values=sorted(dialect.missing_texts), strings_can_be_null=True
            ),
        )
    except pyarrow.ArrowInvalid:
        return None
    # pyarrow closes an open quote at the end of the text without a word.
    last = n_columns - 1
    if has_quotes and last not in numeric and (table.column(last)[-1].as_py() or "").endswith("\n"):
        return None
    return table


def _cells_from_pyarrow(column: Any, missing_texts: Collection[str], as_text: bool) -> Cells:
    if not as_text:
        numbers = _numbers_from_pyarrow(column, missing_texts)
        if numbers is not None:
            return numbers, None
    chunks = column.dictionary_encode().unify_dictionaries().chunks
    codes = values_of([chunk.indices for chunk in chunks], -1, np.int32)
    return tidy(codes, known_texts(chunks[0].dictionary.to_pylist(), missing_texts), as_text=as_text)


def _numbers_from_pyarrow(column: Any, missing_texts: Collection[str]) -> Any:
    """The texts as numbers, or None if one of them is none."""
    import pyarrow
    from pyarrow import compute

    def as_written() -> Any:
        return column

    def trimmed() -> Any:
        texts = compute.utf8_trim_whitespace(column)
        is_missing = compute.is_in(texts, value_set=strings(sorted(missing_texts)))
        return compute.if_else(is_missing, pyarrow.nulls(len(texts), pyarrow.string()), texts)

    for prepare in (as_written, trimmed):
        texts = prepare()
        try:
            numbers = texts.cast(pyarrow.float64())
        except pyarrow.ArrowInvalid:
            continue
        return _known_numbers(numbers)
    return None


def _known_numbers(column: Any) -> Any:
    """Arrow's numbers as numpy's, or None if there are more NaN than nulls: the text nan, which is no number here."""
    numbers = values_of(column.chunks, np.nan, np.float64)
    return numbers if np.count_nonzero(np.isnan(numbers)) == column.null_count else None


def parse_with_pandas(body: bytes, n_columns: int, dialect: Dialect, as_text: Collection[int]) -> list[Cells]:
    """As `parse`, for rows whose shape is known to be right."""
    import pandas
    from pandas.api.types import infer_dtype

    exactness: dict[str, Any] = {}
    if tuple(int(part) for part in pandas.__version__.split(".")[:2]) < _PANDAS_EXACT_SINCE:
        exactness["float_precision"] = "round_trip"

    def load(positions: Collection[int], raw: Collection[int]) -> Any:
        return pandas.read_csv(
            io.BytesIO(body),
            sep=dialect.delimiter,
            quotechar=dialect.quote,
            header=None,
            names=range(n_columns),
            usecols=sorted(positions),
            index_col=False,
            dtype=dict.fromkeys(raw, object),
            keep_default_na=False,
            na_values=sorted(missing_words),
            skipinitialspace=True,
            skip_blank_lines=n_columns > 1,
            low_memory=False,
            engine="c",
            **exactness,
        )

    @cache
    def may_be_misread() -> bool:
        return _MISREAD_BY_PANDAS.search(body) is not None

    def is_doubtful(series: Any) -> bool:
        """Whether pandas may have changed cells: into booleans, missing values or whole numbers of any size."""
        if series.dtype.kind == "f":
            return bool(series.hasnans) and may_be_misread()
        return series.dtype.kind not in "iu" and infer_dtype(series, skipna=True) not in {"string", "empty"}

    everything = range(n_columns)
    # pandas compares missing numbers by value: 9 would make 9.0 missing as well. `tidy` knows better.
    missing_words = [text for text in dialect.missing_texts if number_of(text) is None]
    raw = set(as_text if len(missing_words) == len(dialect.missing_texts) else everything)
    frame = load(everything, raw)
    doubtful = {position for position in everything if position not in raw and is_doubtful(frame[position])}
    reread = load(doubtful, doubtful) if doubtful else frame
    columns: list[Cells] = []
    for position in everything:
        series = (reread if position in doubtful else frame)[position]
        if series.dtype.kind in "iuf":
            # pandas may hand out its own array, which is then not to be written to; the kernels take none such.
            columns.append((np.array(series, dtype=np.float64), None))
        else:
            codes, labels = pandas.factorize(series)
            columns.append(tidy(codes, known_texts(labels, dialect.missing_texts), as_text=position in as_text))
    return columns
