"""CSV and TSV files, through the functions that commands call."""

from __future__ import annotations

import math

import pytest

from treecli import intake
from treecli.errors import DataError, UsageError
from treecli.intake import ReadOptions
from treecli.readers import _columns, _rows, _text
from treecli.report import csv_text


@pytest.fixture(params=["kernel", "pyarrow", "pandas"], autouse=True)
def parser(request, monkeypatch):
    if request.param != "kernel":
        monkeypatch.setattr(_text, "are_compiled", lambda: False)
    if request.param == "pandas":
        monkeypatch.setattr(_columns, "find_spec", lambda name: None)
    return request.param


def write(folder, text, name="data.csv", encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return str(path)


def read(path, **options):
    return intake.read_training(path, ReadOptions(**options), keep_identifiers=True).dataset


def values_of(dataset, name):
    """The cells of an attribute or the target, None for missing."""
    schema = dataset.schema
    attribute, values = next(
        (attribute, values)
        for attribute, values in [
            *zip(schema.attributes, dataset.columns, strict=True),
            (schema.target, dataset.target),
        ]
        if attribute.name == name
    )
    if attribute.is_numeric:
        return [None if math.isnan(value) else value for value in values.tolist()]
    return [None if code < 0 else attribute.labels[code] for code in values.tolist()]


def test_quoted_cells_hold_commas_quotes_and_newlines(tmp_path):
    path = write(tmp_path, 'text,class\n"a,b",x\n"say ""hi""",y\n"two\nlines",x\n')
    assert values_of(read(path), "text") == ["a,b", 'say "hi"', "two\nlines"]


def test_a_space_before_a_quote_does_not_matter(tmp_path):
    path = write(tmp_path, 'text, class\n"a, b", "x, y"\nc, d\n')
    dataset = read(path)
    assert values_of(dataset, "text") == ["a, b", "c"]
    assert values_of(dataset, "class") == ["x, y", "d"]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["", "end"])
def test_any_line_end_will_do_and_the_last_may_be_absent(tmp_path, line_end, last):
    path = write(tmp_path, line_end.join(["a,class", "1,x", "2,y"]) + (line_end if last else ""))
    assert values_of(read(path), "a") == [1, 2]


def test_blank_lines_are_passed_over(tmp_path):
    path = write(tmp_path, "\na,class\n\n1,x\n  \n2,y\n\n")
    assert values_of(read(path), "a") == [1, 2]


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path):
    path = write(tmp_path, "\ufeffa,class\n1,x\n2,y\n")
    assert read(path).schema.attributes[0].name == "a"


@pytest.mark.parametrize(("encoding", "text"), [("latin-1", "café"), ("utf-16", "café"), ("cp1252", "€")])
def test_the_encoding_is_as_asked(tmp_path, encoding, text):
    path = write(tmp_path, f"a,class\n{text},x\nb,y\n", encoding=encoding)
    assert values_of(read(path, encoding=encoding), "a") == [text, "b"]


def test_tsv_has_tabs_and_keeps_commas(tmp_path):
    path = write(tmp_path, "a\tb\tclass\n1,5\t\tx\n2\t3\ty\n", "data.tsv")
    dataset = read(path)
    assert values_of(dataset, "a") == ["1,5", "2"]
    assert values_of(dataset, "b") == [None, 3]


def test_the_delimiter_is_as_asked(tmp_path):
    path = write(tmp_path, "a;class\n1,5;x\n2;y\n")
    assert values_of(read(path, delimiter=";"), "a") == ["1,5", "2"]


def test_without_a_header_columns_are_numbered(tmp_path):
    path = write(tmp_path, "1,x\n2,y\n")
    dataset = read(path, header=False)
    assert [attribute.name for attribute in dataset.schema.attributes] == ["column1"]
    assert dataset.schema.target.name == "column2"
    assert dataset.n_rows == 2


def test_a_column_without_a_name_is_called_by_its_position(tmp_path):
    # R's write.csv leaves the name of the row names empty.
    path = write(tmp_path, '"","a","class"\n"1",5,"x"\n"2",6,"y"\n')
    assert [attribute.name for attribute in read(path).schema.attributes] == ["column1", "a"]


def test_missing_is_exactly_what_was_asked(tmp_path):
    path = write(tmp_path, "a,b,class\n-9,NA,x\n-9.0,?,y\n3,,x\n")
    dataset = read(path, na=("-9", "NA"))
    assert values_of(dataset, "a") == [None, -9, 3]
    assert values_of(dataset, "b") == [None, "?", ""]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "data.csv: the file is empty, expected a header and rows"),
        ("\n \n", "data.csv: the file is empty, expected a header and rows"),
        ("a,class\n", "data.csv:1: found no row after the header"),
        ("a,class\n1,x\n2\n", "data.csv:3: found 1 cell, expected 2 as in the header"),
        ("a,class\n1,x\n\n2,x,3\n", "data.csv:4: found 3 cells, expected 2 as in the header"),
        ('a,class\n"1\n2",x\n3\n', "data.csv:4: found 1 cell, expected 2 as in the header"),
        ('a,class\n1,x\n"2,x\n3,x\n', 'data.csv:3: found a quote (") that is never closed'),
        ('a,"class\n1,x\n', 'data.csv:1: found a quote (") that is never closed'),
        ("a,b,a\n1,2,x\n", "data.csv:1: columns 1 and 3 are both named 'a'"),
        ("a,class\n1,x\n\x00\x01,y\n", "data.csv:3: found a NUL byte, expected text"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, text, message):
    with pytest.raises(DataError) as caught:
        read(write(tmp_path, text))
    assert caught.value.message == message


def test_another_encoding_is_noticed_with_its_line_and_a_cure(tmp_path):
    path = write(tmp_path, "a,class\nx,y\ncafé,y\n", encoding="latin-1")
    with pytest.raises(DataError, match=r"data\.csv:3: found byte 0xe9, expected text in utf-8") as caught:
        read(path)
    assert "--encoding latin-1" in caught.value.hint


def test_utf_16_is_told_from_other_encodings(tmp_path):
    path = write(tmp_path, "a,class\n1,x\n", encoding="utf-16")
    with pytest.raises(DataError) as caught:
        read(path)
    assert "--encoding utf-16" in caught.value.hint


def test_an_unknown_encoding_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match="unknown encoding 'klingon'"):
        read(write(tmp_path, "a,class\n1,x\n"), encoding="klingon")


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "§", "\n"])
def test_a_delimiter_is_one_plain_character(tmp_path, delimiter):
    with pytest.raises(UsageError, match="--delimiter"):
        read(write(tmp_path, "a,class\n1,x\n"), delimiter=delimiter)


def test_rows_are_echoed_as_written(tmp_path):
    path = write(tmp_path, 'a,b,class\n007,"x, y",?\n\n1.50,,NA\n')
    names, rows = intake.echo_rows(path, ReadOptions())
    assert names == ["a", "b", "class"]
    assert list(rows) == [["007", "x, y", "?"], ["1.50", "", "NA"]]


def test_a_blank_line_in_a_file_of_one_column_is_a_missing_value(tmp_path):
    schema = read(write(tmp_path, "a,class\n1,x\n2,y\n")).schema
    path = write(tmp_path, "a\n1\n\n3\n", "new.csv")
    dataset = intake.read_for_model(path, ReadOptions(), schema, needs_target=False).dataset
    assert [None if math.isnan(value) else value for value in dataset.columns[0]] == [1, None, 3]
    assert len(list(intake.echo_rows(path, ReadOptions())[1])) == 3


@pytest.mark.parametrize("text", ["a,class\n1,x\n2\n", 'a,class\n1,x\n"2,x\n'])
def test_rows_out_of_shape_are_not_echoed(tmp_path, text):
    _, rows = intake.echo_rows(write(tmp_path, text), ReadOptions())
    with pytest.raises(DataError, match=r"data\.csv:3: found"):
        list(rows)


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        ("a,b\n007,x y\n\n1.50,\n?,é", True),
        ("\ufeffa,b\n1,2\n", True),
        ('"a, b",c\n1,2\n', True),
        ('a,b\n1,"x"\n', False),
        ("a,b\n1, x\n", False),
        ("a,b\n1 ,x\n", False),
        ("a,b\n 1,x\n", False),
        ("a,b\n1,x ", False),
        ("a,b\r\n1,x\r\n", False),
        ("a,b\n1,x\n\t\n", False),
        ("a\n1\n\n3\n", False),
    ],
)
def test_lines_are_echoed_where_they_say_what_the_cells_say(tmp_path, parser, text, is_plain):
    path = write(tmp_path, text)
    lines = intake.echo_lines(path, ReadOptions())
    assert (lines is not None) == (is_plain and parser == "kernel")
    if lines is not None:
        names, cells = intake.echo_rows(path, ReadOptions())
        written = "".join(csv_text(names, cells)).splitlines()[1:]
        assert lines[0] == names
        assert [line for some in lines[1] for line in some] == written


def test_lines_are_echoed_some_at_a_time(tmp_path, parser, monkeypatch):
    monkeypatch.setattr(_rows, "LINES_BYTES", 5)
    lines = intake.echo_lines(write(tmp_path, "a,b\n1,2\n3,4\n5,6\n7,8\n9,10"), ReadOptions())
    if parser == "kernel":
        assert lines is not None
        assert list(lines[1]) == [["1,2", "3,4"], ["5,6", "7,8"], ["9,10"]]
