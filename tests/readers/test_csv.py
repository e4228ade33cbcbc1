"""CSV and TSV files, through the functions that commands call."""

from __future__ import annotations

import encodings.aliases
import json
import math
from contextlib import suppress
from pathlib import Path

import pytest

from tests.conftest import Runner
from treecli import intake
from treecli.errors import DataError, UsageError
from treecli.intake import ReadOptions
from treecli.interchange import echo
from treecli.readers import _delimited, _rows
from treecli.readers._source import Source
from treecli.writers._delimited import csv_text


@pytest.fixture(params=[True, False], ids=["kernel", "tokenizer"], autouse=True)
def is_compiled(request, monkeypatch):
    monkeypatch.setattr(_delimited, "are_compiled", lambda: request.param)


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
    path = write(tmp_path, "a\tb\tclass\np,5\t\tx\n2\t3\ty\n", "data.tsv")
    dataset = read(path)
    assert values_of(dataset, "a") == ["p,5", "2"]
    assert values_of(dataset, "b") == [None, 3]


def test_the_delimiter_and_the_decimal_mark_are_as_asked(tmp_path):
    path = write(tmp_path, "a;class\n1,5;x\n2;y\n")
    assert values_of(read(path, delimiter=";", decimal="."), "a") == ["1,5", "2"]
    assert values_of(read(path, delimiter=";", decimal=","), "a") == [1.5, 2]
    quoted = write(tmp_path, 'a,class\n"1,5",x\n2,y\n', "quoted.csv")
    assert values_of(read(quoted, decimal=","), "a") == [1.5, 2]


@pytest.mark.parametrize(
    ("text", "values", "detected"),
    [
        ("a;b;class\n1;u;x\n2;v;y\n", [1, 2], ["delimiter ';'"]),
        ("a\tb\tclass\n1\tu\tx\n2\tv\ty\n", [1, 2], ["delimiter tab"]),
        ("a|b|class\n1|u|x\n2|v|y\n", [1, 2], ["delimiter '|'"]),
        ("a;b;class\n1,5;u;x\n2,5;v, w;y\n", [1.5, 2.5], ["delimiter ';'", "decimal ','"]),
        ('"a";"b";"class"\n"1,5";"u;v";"x"\n?;"v";"y"\n', [1.5, None], ["delimiter ';'", "decimal ','"]),
        ("a;b;class\n1,5;u;x\n2.5;v;y\n", ["1,5", "2.5"], ["delimiter ';'"]),
        ("a;b;class\n1,5;2.5;x\n2,5;3;y\n", ["1,5", "2,5"], ["delimiter ';'"]),
        ("\ufeffa;b;class\r\n\r\n1;u;x\r\n2;v;y\r\n", [1, 2], ["delimiter ';'"]),
        ('"a";"b";"class"\n1;"u, v";x\n2;"v, w";y\n', [1, 2], ["delimiter ';'"]),
    ],
)
def test_a_delimiter_that_clearly_fits_is_detected_with_a_notice(tmp_path, text, values, detected):
    path = write(tmp_path, text)
    taken = intake.read_training(path, ReadOptions(), keep_identifiers=True)
    assert values_of(taken.dataset, "a") == values
    assert taken.remarks == tuple(f"detected {what} (use --{what.split()[0]} to choose)" for what in detected)
    # A model reads the same file alike, and what is echoed has the same columns.
    again = intake.read_for_model(path, ReadOptions(), taken.dataset.schema)
    assert values_of(again.dataset, "a") == values
    assert again.remarks == taken.remarks
    names, rows = echo.echo_rows(path, ReadOptions())
    cells = list(rows)
    assert (names, {len(row) for row in cells}) == (["a", "b", "class"], {3})
    lines = echo.echo_lines(path, ReadOptions())
    # Lines with quotes, carriage returns or tabs may not be those that CSV has.
    assert (lines is None) == any(sign in text for sign in '"\r\t')
    if lines is not None:
        assert [line.split(lines.marks.delimiter) for some in lines.lines for line in some] == cells


def test_a_comma_in_a_quoted_name_is_no_delimiter(tmp_path):
    path = write(tmp_path, 'a;"b, or ""B""";class\n1,5;u;x\n2,5;v;y\n')
    assert values_of(read(path, keep=('b, or "B"',)), "a") == [1.5, 2.5]


@pytest.mark.parametrize(
    "text",
    [
        "a\n1;2\n3;4\n",  # the header has one name
        "a;b\n1;2\n3\n",  # uneven
        "a;b\n",  # no row to agree with
        "a;b|c\n1;2|3\n4;5|6\n",  # two delimiters fit
        "a b\n1 2\n3 4\n",  # a blank is in many texts
        '"a;b"\n"1;2"\n"3;4"\n',
    ],
)
def test_a_file_of_one_column_stays_one(tmp_path, text):
    names, _ = echo.echo_rows(write(tmp_path, text), ReadOptions())
    assert len(names) == 1


@pytest.mark.parametrize("text", ["a;b,class\n1;2,x\n3;4,y\n", "a\tb,class\n1\t2,x\n3\t4,y\n"])
def test_a_comma_in_the_header_is_the_delimiter(tmp_path, text):
    names, _ = echo.echo_rows(write(tmp_path, text), ReadOptions())
    assert names[1] == "class"


def test_a_delimiter_is_detected_in_lines_longer_than_the_inspected_bytes(tmp_path):
    text = "\n".join(";".join(f"{kind}{number}" for number in range(20000)) for kind in "abc")
    names, _ = echo.echo_rows(write(tmp_path, text), ReadOptions())
    assert len(names) == 20000


LONG = 100_000


@pytest.mark.parametrize(
    ("text", "n_rows"),
    [
        (",".join(f"c{number}" for number in range(50_000)) + "\n" + ",".join(["1"] * 50_000) + "\n", 1),
        ("a,class\n" + " " * LONG + "1" + " " * LONG + ",x\n", 1),
        ('a,class\n"' + '""' * LONG + '",x\n', 1),
        ("a,class\nx" + '"' * LONG + ",x\n", 1),
        ('a,class\n1,"' + "\n" * LONG + '"\n', 1),
        ("a,class\n" + "\n" * LONG + "1,x\n", 1),
        ("a,class\n" + '"x\ny",z\n' * (LONG // 10), LONG // 10),
        ("a,class\n" + "1" * LONG + ",x\n", 1),
        ("a,class\n1e" + "1" * LONG + ",x\n", 1),
    ],
    ids=range(9),
)
def test_a_long_text_takes_no_more_than_its_length(tmp_path, text, n_rows):
    # Each would take minutes if the time grew with the square of the length.
    source = Source("data.csv", "csv", text.encode(), b"")
    assert _delimited.read(source, ReadOptions(), {}, ",").n_rows == n_rows


def test_a_quoted_cell_keeps_the_blanks_at_its_edges(tmp_path):
    path = write(tmp_path, 'a, b ," c ",class\n" u", u ," 5 ",x\n"\u00a0v",\u00a0v,6,y\n')
    dataset = read(path)
    assert [attribute.name for attribute in dataset.schema.attributes] == ["a", "b", " c "]
    assert values_of(dataset, "a") == [" u", "\u00a0v"]
    assert values_of(dataset, "b") == ["u", "\u00a0v"]
    assert values_of(dataset, " c ") == [5, 6]


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


def test_only_the_given_texts_are_missing(tmp_path):
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
def test_an_error_names_its_line(tmp_path, text, message):
    with pytest.raises(DataError) as caught:
        read(write(tmp_path, text))
    assert caught.value.message == message


def test_another_encoding_is_noticed_with_its_line_and_a_cure(tmp_path):
    path = write(tmp_path, "a,class\nx,y\ncafé,y\n", encoding="latin-1")
    with pytest.raises(DataError, match=r"data\.csv:3: found byte 0xe9, expected text in utf-8") as caught:
        read(path)
    assert "--encoding latin-1" in caught.value.hint


def test_utf_16_is_distinguished_from_other_encodings(tmp_path):
    path = write(tmp_path, "a,class\n1,x\n", encoding="utf-16")
    with pytest.raises(DataError) as caught:
        read(path)
    assert "--encoding utf-16" in caught.value.hint


@pytest.mark.parametrize("encoding", ["klingon", "rot13", "base64", "hex", "zlib", "aliases", "é", ""])
def test_an_encoding_that_is_none_is_a_usage_error(tmp_path, encoding):
    with pytest.raises(UsageError, match=f"unknown encoding '{encoding}'"):
        read(write(tmp_path, "a,class\n1,x\n"), encoding=encoding)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("data", [b"a,class\n1,x\n2,y\n", b"a,class\n\\ud800,x\n\xff\xfe,y\n", b"a"])
def test_no_encoding_that_python_has_is_more_than_an_error(tmp_path, data):
    path = tmp_path / "data.csv"
    path.write_bytes(data)
    for encoding in sorted({*encodings.aliases.aliases.values()}):
        with suppress(DataError, UsageError):
            read(str(path), encoding=encoding)


def test_a_number_with_another_decimal_mark_is_answered_with_the_option(tmp_path):
    schema = read(write(tmp_path, "a,class\n1.5,x\n2,y\n")).schema
    path = write(tmp_path, 'a,class\n"1,5",x\n', "new.csv")
    with pytest.raises(DataError, match="found '1,5' in 'a', expected a number") as caught:
        intake.read_for_model(path, ReadOptions(), schema)
    assert caught.value.hint == "if it has a decimal comma, use --decimal ,"


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "§", "\n"])
def test_a_delimiter_is_one_plain_character(tmp_path, delimiter):
    with pytest.raises(UsageError, match="--delimiter"):
        read(write(tmp_path, "a,class\n1,x\n"), delimiter=delimiter)


def test_rows_are_echoed_as_written(tmp_path):
    path = write(tmp_path, 'a,b,class\n007,"x, y",?\n\n1.50,,NA\n')
    names, rows = echo.echo_rows(path, ReadOptions())
    assert names == ["a", "b", "class"]
    assert list(rows) == [["007", "x, y", "?"], ["1.50", "", "NA"]]


def test_a_blank_line_in_a_file_of_one_column_is_a_missing_value(tmp_path):
    schema = read(write(tmp_path, "a,class\n1,x\n2,y\n")).schema
    path = write(tmp_path, "a\n1\n\n3\n", "new.csv")
    dataset = intake.read_for_model(path, ReadOptions(), schema, needs_target=False).dataset
    assert [None if math.isnan(value) else value for value in dataset.columns[0]] == [1, None, 3]
    assert len(list(echo.echo_rows(path, ReadOptions())[1])) == 3


@pytest.mark.parametrize("text", ["a,class\n1,x\n2\n", 'a,class\n1,x\n"2,x\n'])
def test_rows_out_of_shape_are_not_echoed(tmp_path, text):
    _, rows = echo.echo_rows(write(tmp_path, text), ReadOptions())
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
def test_lines_are_echoed_if_they_equal_their_cells(tmp_path, text, is_plain):
    path = write(tmp_path, text)
    lines = echo.echo_lines(path, ReadOptions())
    assert (lines is not None) == is_plain
    if lines is not None:
        names, cells = echo.echo_rows(path, ReadOptions())
        written = "".join(csv_text(names, cells)).splitlines()[1:]
        assert lines[0] == names
        assert [line for some in lines[1] for line in some] == written


def test_lines_are_echoed_some_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(_rows, "LINES_BYTES", 5)
    lines = echo.echo_lines(write(tmp_path, "a,b\n1,2\n3,4\n5,6\n7,8\n9,10"), ReadOptions())
    assert lines is not None
    assert list(lines[1]) == [["1,2", "3,4"], ["5,6", "7,8"], ["9,10"]]


def test_decimal_commas_beside_tabs_are_detected(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "eu.tsv").write_text("x\ty\n1,5\ta\n2,5\tb\n3,25\ta\n")
    done = treecli("info", "eu.tsv", "-f", "json")
    assert json.loads(done.out)["attributes"][0]["kind"] == "numeric"
    assert "detected decimal ','" in done.err


def test_a_tsv_file_of_empty_cells_has_rows() -> None:
    source = Source("a.tsv", "tsv", b"x\ty\n\t\n\t\n", b"")
    assert _delimited.read(source, ReadOptions(), {}, "\t").n_rows == 2
