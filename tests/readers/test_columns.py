"""pyarrow, pandas and the plain reading of csv.reader agree on what delimited text holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from treecli.readers import _columns
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
@example(rows=[["1 "]], delimiter=",", missing_texts=frozenset({"1"}), as_text=set(), ends_in_newline=True)
@example(
    rows=[["5", '"abc'], ["1", "2"]], delimiter=",", missing_texts=frozenset(), as_text=set(), ends_in_newline=True
)
@settings(max_examples=200, deadline=None)
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
    # With all of the text to look at, and with so little that the guess which columns are numeric is often wrong.
    for n_sniffed in (_columns.SNIFFED_BYTES, 4):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_columns, "SNIFFED_BYTES", n_sniffed)
            with_pyarrow = parse_with_pyarrow(body, n_columns, dialect, as_text)
        if with_pyarrow is not None:
            assert [cell_by_cell(*cells) for cells in with_pyarrow] == expected


@pytest.mark.parametrize("parser", [parse_with_pyarrow, parse_with_pandas])
@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", "2.5", "?"], [1.0, 2.5, None]),
        (["007", "1e5", "+1"], [7.0, 1e5, 1.0]),
        (["inf", "-Infinity", "1"], [float("inf"), float("-inf"), 1.0]),
        (["nan", "1", "2"], ["nan", "1", "2"]),
        (["1_000", "1", "2"], ["1_000", "1", "2"]),
        (["NA", "None", "null"], ["NA", "None", "null"]),
        (["true", "FALSE", "True"], ["true", "FALSE", "True"]),
        (["2020-01-01", "?", ""], ["2020-01-01", None, None]),
        ([" x ", "x", " ? "], ["x", "x", None]),
        (["?", "", "?"], [None, None, None]),
    ],
)
def test_a_column_is_numeric_only_if_every_known_cell_is_a_decimal_number(parser, cells, expected):
    body = "".join(f"{cell},end\n" for cell in cells).encode()
    values = parser(body, 2, Dialect(",", '"', frozenset({"", "?"})), set())[0]
    assert cell_by_cell(*values) == expected


@pytest.mark.parametrize("parser", [parse_with_pyarrow, parse_with_pandas])
def test_numbers_are_the_nearest_doubles(parser):
    # 0.1 + 0.2 and its neighbours, a halfway case (2^53 + 1), and more digits than a double holds.
    texts = [
        "0.30000000000000004",
        "0.3",
        "9007199254740993.0",
        "0.1000000000000000055511151231257827",
        "4.35",
        "5e-324",
    ]
    body = "".join(f"{text},end\n" for text in texts).encode()
    values, labels = parser(body, 2, Dialect(",", '"', frozenset()), set())[0]
    assert labels is None
    assert values.tolist() == [float(text) for text in texts]


@pytest.mark.parametrize("parser", [parse_with_pyarrow, parse_with_pandas])
def test_columns_can_be_written_to_as_the_kernels_want_it(parser):
    columns = parser(b"1.5,a\n2.5,b\n", 2, Dialect(",", '"', frozenset()), set())
    assert all(values.flags.writeable for values, _ in columns)


@pytest.mark.parametrize("parser", [parse_with_pyarrow, parse_with_pandas])
def test_labels_come_in_order_of_first_appearance(parser):
    body = b"b,1\na,1\nb,1\nc,1\n"
    codes, labels = parser(body, 2, Dialect(",", '"', frozenset()), set())[0]
    assert labels == ("b", "a", "c")
    assert codes.tolist() == [0, 1, 0, 2]
    assert codes.dtype == np.int32


@pytest.mark.parametrize("parser", [parse_with_pyarrow, parse_with_pandas])
def test_numbers_kept_as_text_keep_their_text(parser):
    body = b"007,1\n7.0,1\n1e5,1\n"
    _, labels = parser(body, 2, Dialect(",", '"', frozenset()), {0})[0]
    assert labels == ("007", "7.0", "1e5")


def test_the_line_of_a_misshapen_row_counts_the_newlines_inside_quotes():
    body = b'"a\nb",2\n\n3\n'
    with pytest.raises(MisshapenError) as caught:
        check_shape(body, 2, Dialect(",", '"', frozenset()))
    assert (caught.value.line, caught.value.n_cells) == (4, 1)


@pytest.mark.parametrize(
    ("last", "expected"),
    [("8", 8.0), ("?", None), (" 8 ", 8.0), ("nan", "nan"), ("x", "x"), ('"8"', 8.0), ('"y"', "y")],
)
def test_a_column_that_begins_with_numbers_may_end_otherwise(last: str, expected: object) -> None:
    n_rows = 2 * _columns.SNIFFED_BYTES // len("7,a\n")
    body = ("7,a\n" * n_rows + f"{last},a\n").encode()
    cells = parse_with_pyarrow(body, 2, Dialect(",", '"', frozenset({"", "?"})), set())
    assert cells is not None
    column = cell_by_cell(*cells[0])
    assert column[-1] == expected
    assert column[0] == ("7" if isinstance(expected, str) else 7.0)
