"""Special cases of the reading kernel; test_one_reading.py compares it with the other readers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.readers.ways import AS_PYTHON, cell_by_cell, with_kernel
from treecli.errors import DataError
from treecli.intake import ReadOptions
from treecli.kernels import parsing
from treecli.readers import _blocks, _delimited, arff
from treecli.readers._blocks import Grammar
from treecli.readers._rows import Dialect
from treecli.readers._source import Source

CELLS = st.one_of(
    st.sampled_from(["", " ", "?", " 2 ", "\t3", "1e5", '"', 'a"b', '"a', '"a"b', '"a""b"', '"x,y"', '"x\ny"', "é"]),
    st.text(alphabet='a1. ,"\n\té', max_size=4),
)
MISSING_TEXTS = frozenset({"", "?"})
CSV = Grammar(Dialect(",", '"', MISSING_TEXTS), '"')

# Numbers whose nearest double is hard to find: 2^53 and its neighbours, halves between doubles, many digits.
NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.from_regex(r"[+-]?[0-9]{0,3}\.?[0-9]{1,22}(e[+-]?[0-9]{1,3})?", fullmatch=True),
    st.builds("{}e{}".format, st.integers(2**53 - 3, 2**64 + 3), st.integers(-110, 110)),
    st.builds("{}".format, st.integers(2**53, 2**62).map(lambda n: 2 * n + 1)),
)


in_both_forms = pytest.mark.parametrize("kernel", [parsing, AS_PYTHON], ids=["installed", "python"])


@in_both_forms
@given(texts=st.lists(NUMBERS, min_size=1, max_size=8))
def test_numbers_are_the_nearest_doubles(kernel, texts):
    found = with_kernel(kernel, "".join(f"{text}\n" for text in texts), 1, CSV.dialect)
    assert found is not None
    assert list(map(repr, found[0][0].tolist())) == [repr(float(text)) for text in texts]


@in_both_forms
@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("4.35", True),
        ("-0", True),
        ("0.30000000000000004", True),  # 17 digits: more than 2^53, found by the product with 128 bits of a power
        ("9007199254740993", False),  # half way between two doubles: Python decides
        ("123456789012345678901", False),  # more digits than 64 bits hold
        ("0000000000000000000000000.5", True),  # zeros in front are none of them
        ("1e99", True),
        ("1e101", False),
        ("inf", False),
        (" 7 ", True),
        ('"7"', True),
        ("5.", True),
        (".5", True),
    ],
)
def test_a_number_that_the_kernel_cannot_read_exactly_is_left_to_python(kernel, text, is_read, monkeypatch):
    monkeypatch.setattr(_blocks, "parsing", kernel)
    holds_other = np.zeros(1, np.uint8)
    numbers = np.empty((1, 1))
    no_codes = np.empty((0, 1), np.int32)
    no_places = np.empty((0, 1), np.int64)
    line = f"{text}\n".encode()
    columns = kernel.Columns(np.zeros(1, np.uint8), np.zeros(1, np.int32), numbers, no_codes, holds_other)
    texts = kernel.Texts(no_codes, no_places, no_places, np.empty(0, np.int32))
    assert kernel.parse_block(line, 0, len(line), 0, _blocks._syntax(CSV), columns, texts) == 1
    assert bool(holds_other[0]) == (not is_read)
    if is_read:
        assert repr(float(numbers[0, 0])) == repr(float(text.strip(' "')))
    found = with_kernel(kernel, line.decode(), 1, CSV.dialect)
    assert found is not None
    assert found[0][0].tolist() == [float(text.strip(' "'))]


@in_both_forms
@pytest.mark.parametrize("text", ["1,2\n3,4\r5,6\n", '1,"a\rb"\n', "1,a\0b\n", '1,"a\0b"\n'])
def test_text_that_has_to_be_decoded_first_is_refused(kernel, text):
    assert with_kernel(kernel, text, 2, CSV.dialect) is None


def test_text_that_is_no_utf8_is_refused():
    assert _blocks.parse_in_blocks(b"1,caf\xe9\n", 0, 2, CSV, ()) is None


@in_both_forms
def test_a_block_may_end_inside_quotes(kernel):
    text = '1,"a\nb"\n' * 5 + '2,"c\n\n'
    assert with_kernel(kernel, text, 2, CSV.dialect, limit=3) is None
    found = with_kernel(kernel, text + 'd"\n', 2, CSV.dialect, limit=3)
    assert found is not None
    assert cell_by_cell(*found[1]) == ["a\nb"] * 5 + ["c\n\nd"]


@in_both_forms
def test_labels_come_in_order_of_first_appearance_over_all_blocks(kernel):
    cells = with_kernel(kernel, "b,1\na,2\n\nb,3\nc,4\na,x\n", 2, CSV.dialect, limit=4)
    assert cells is not None
    (codes, labels), (others, texts) = cells
    assert (labels, codes.tolist(), codes.dtype) == (("b", "a", "c"), [0, 1, 0, 2, 1], np.int32)
    assert (texts, others.tolist()) == (("1", "2", "3", "4", "x"), [0, 1, 2, 3, 4])


@in_both_forms
def test_labels_that_share_a_place_in_the_table_stay_apart(kernel):
    # 500 in a table of 2048 places: about 57 pairs want the same one.
    labels = [f"label{number}" for number in range(500)]
    found = with_kernel(kernel, "".join(f"{label}\n" for label in labels * 2), 1, CSV.dialect)
    assert found is not None
    assert cell_by_cell(*found[0]) == labels * 2


def table_or_message(parse, *arguments):
    """The names or the header, and the cells of all columns; or what is wrong; None where `parse` gives none."""
    try:
        found = parse(*arguments)
    except DataError as error:
        return error.message
    return None if found is None else (found[0], [cell_by_cell(*cells) for cells in found[1]])


@given(
    lines=st.lists(
        st.one_of(
            st.lists(CELLS, min_size=2, max_size=2).map(",".join),
            st.sampled_from(["", " ", "\t", "\v", "a,b", '"a b",c', '"a', "a,a", "é,ü", ",", "1,2,3", "\0"]),
        ),
        max_size=6,
    ),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
    has_mark=st.booleans(),
    has_header=st.booleans(),
    last=st.sampled_from(["", "\n", "\n\n", "\r"]),
)
def test_a_file_holds_the_same_whether_its_text_is_plain_or_not(lines, line_end, has_mark, has_header, last):
    data = ("\ufeff" * has_mark + line_end.join(lines) + last).encode()
    source = Source("data.csv", "csv", data, data)
    arguments = (source, ReadOptions(header=has_header), {}, CSV.dialect)
    plain = table_or_message(_delimited._parse_plain, *arguments)
    if plain is not None:
        assert plain == table_or_message(_delimited._parse_any, *arguments)


def test_most_csv_files_are_plain():
    data = b'\xef\xbb\xbf\r\nn,"a name"\r\n1, x\r\n\r\n"2.5","y, z"\r\n?,'
    source = Source("data.csv", "csv", data, data)
    found = table_or_message(_delimited._parse_plain, source, ReadOptions(), {}, CSV.dialect)
    assert found == (["n", "a name"], [[1.0, 2.5, None], ["x", "y, z", None]])


ARFF_CELLS = st.one_of(
    CELLS,
    st.sampled_from(["'a, b'", "'?'", "?", "' a'", '"it\'s"', "'it\\'s'", "% no", "5%", "{1}", "'{1}'", "a b", "a\tb"]),
)


@given(
    rows=st.lists(st.lists(ARFF_CELLS, min_size=1, max_size=3), min_size=1, max_size=5),
    delimiter=st.sampled_from([",", "\t", ", "]),
    line_end=st.sampled_from(["\n", "\r\n", "\n% comment\n"]),
)
def test_an_arff_file_holds_the_same_whether_its_rows_are_plain_or_not(rows, delimiter, line_end):
    header = "@relation r\n@attribute a string\n@attribute b numeric\n@DATA\n"
    data = (header + line_end.join(delimiter.join(row) for row in rows)).encode()
    source = Source("data.arff", "arff", data, data)
    arguments = (source, "utf-8", {}, MISSING_TEXTS)
    plain = table_or_message(arff._parse_plain_file, *arguments)
    if plain is not None:
        assert plain == table_or_message(arff._parse_any_file, *arguments)


def test_most_arff_files_are_plain():
    data = b"% c\r\n@relation r\r\n@attribute a {'x y',z}\r\n@attribute b real\r\n@data\r\n'x y',1\r\n\r\nz,?\r\n"
    source = Source("data.arff", "arff", data, data)
    found = arff._parse_plain_file(source, "utf-8", {}, MISSING_TEXTS)
    assert found is not None
    assert [cell_by_cell(*cells) for cells in found[1]] == [["x y", "z"], [1.0, None]]
