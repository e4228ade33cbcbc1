"""pyarrow, pandas and the plain reading of csv.reader agree on what delimited text holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from treecli.readers._columns import parse_with_pandas, parse_with_pyarrow
from treecli.readers._rows import Dialect, MisshapenError, check_shape, records
from treecli.readers._table import known_texts, number_of

CELLS = st.one_of(
    st.sampled_from(["", " ", "?", " ?", "NA", "nan", "-NaN", "inf", "-Infinity", "True", "false", "007", "+1", "1e5"]),
    st.sampled_from(["1_000", "0x10", "1e", ".", "-.5", "5.", "1e999", "1e-999", " 2 ", "\t3", "9007199254740993"]),
    st.sampled_from(
        ["9223372036854775807", "-9223372036854775808", "18446744073709551616", "1.0", "1", "None", "null"]
    ),
    st.sampled_from(
        ['"', 'a"b', '"a', '"a"b', '""', '"a""b"', '"x,y"', '"x\ny"', ' "x,y"', "é", "2020-01-01", "\u00a05"]
    ),
    st.floats(allow_nan=False).map(repr),
    st.text(alphabet='a1. ,"\n\té', max_size=4),
)


def read_plainly(body: bytes, n_columns: int, dialect: Dialect, as_text: set[int]) -> list[list[object]] | None:
    """Every column cell by cell: a number, a text, or None for missing; None for text out of shape."""
    try:
        rows = [cells for _, cells in records(body, dialect, n_columns)]
    except MisshapenError:
        return None
    if any(len(cells) != n_columns for cells in rows):
        return None
    columns: list[list[object]] = []
    for position in range(n_columns):
        texts = list(known_texts((row[position] for row in rows), dialect.missing_texts))
        numbers = [None if text is None else number_of(text) for text in texts]
        is_numeric = all((text is None) == (number is None) for text, number in zip(texts, numbers, strict=True))
        columns.append(list(numbers if is_numeric and position not in as_text else texts))
    return columns


def cell_by_cell(values: np.ndarray, labels: tuple[str, ...] | None) -> list[object]:
    if labels is None:
        return [None if np.isnan(value) else value for value in values.tolist()]
    return [None if code < 0 else labels[code] for code in values.tolist()]


@given(
    rows=st.integers(1, 3).flatmap(
        lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=5)
    ),
    delimiter=st.sampled_from(",\t;"),
    missing_texts=st.sampled_from([frozenset({"", "?"}), frozenset({"1"}), frozenset({"NA", "nan"})]),
    as_text=st.sampled_from([set(), {0}, {0, 1, 2}]),
    ends_in_newline=st.booleans(),
)
@example(
    rows=[["5", '"abc'], ["1", "2"]], delimiter=",", missing_texts=frozenset(), as_text=set(), ends_in_newline=True
)
@settings(max_examples=3000, deadline=None)
def test_both_parsers_read_what_csv_reader_reads(rows, delimiter, missing_texts, as_text, ends_in_newline):
    n_columns = len(rows[0])
    body = ("\n".join(delimiter.join(row) for row in rows) + "\n" * ends_in_newline).encode()
    assume(body.strip())
    dialect = Dialect(delimiter, '"', missing_texts)
    expected = read_plainly(body, n_columns, dialect, as_text)
    if not expected or not expected[0]:
        with_pyarrow = parse_with_pyarrow(body, n_columns, dialect, as_text)
        assert with_pyarrow is None or not len(with_pyarrow[0][0])
        if expected is None:
            with pytest.raises(MisshapenError):
                check_shape(body, n_columns, dialect)
        return
    check_shape(body, n_columns, dialect)
    assert [cell_by_cell(*cells) for cells in parse_with_pandas(body, n_columns, dialect, as_text)] == expected
    with_pyarrow = parse_with_pyarrow(body, n_columns, dialect, as_text)
    if with_pyarrow is not None:
        assert [cell_by_cell(*cells) for cells in with_pyarrow] == expected
