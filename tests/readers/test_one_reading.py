"""Every way of reading delimited text gives what a plain reference gives: the rules of docs/reading.md, literally.

The ways: the kernel, compiled and as Python, and the tokenizer for machines without compiled kernels, with and
without pandas. Small limits make short texts reach both sides of every switch.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Collection

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.readers.ways import AS_PYTHON, WAYS
from treecli.intake import ReadOptions
from treecli.kernels import parsing
from treecli.readers import _blocks, _delimited, arff
from treecli.readers._rows import Dialect, MisshapenError, records
from treecli.readers._source import Source

Column = tuple[str, list[str | None]]
"""'numbers' or the labels in order, and every cell as text, None for missing."""


def reference_rows(text: str, delimiter: str, n_columns: int) -> list[list[str]] | None:
    """The cells of every row, character by character; None where a quote is never closed."""
    rows: list[list[str]] = []
    cells: list[str] = []
    at = line_start = 0
    skipped = " " if delimiter == "\t" else " \t"
    while at < len(text):
        if not cells:
            line_start = at
        while at < len(text) and text[at] in skipped:
            at += 1
        cell = ""
        is_quoted = at < len(text) and text[at] == '"'
        if is_quoted:
            quoted = reference_quoted(text, at + 1)
            if quoted is None:
                return None
            cell, at = quoted
        rest = ""
        while at < len(text) and text[at] not in f"{delimiter}\n":
            rest += text[at]
            at += 1
        cells.append(cell if is_quoted and not rest.strip(" \t") else (cell + rest).strip(" \t"))
        if at == len(text) or text[at] == "\n":
            is_blank = not text[line_start:at].strip(skipped)
            if not is_blank or n_columns == 1:
                rows.append(cells if not is_blank else [""])
            cells = []
        elif at + 1 == len(text):
            rows.append([*cells, ""])
        at += 1
    return rows


def reference_quoted(text: str, at: int) -> tuple[str, int] | None:
    """What stands in quotes that were opened before this place, and the place after them; None if they never close."""
    cell = ""
    while at < len(text):
        if text[at] != '"':
            cell += text[at]
        elif text[at : at + 2] == '""':
            cell += '"'
            at += 1
        else:
            return cell, at + 1
        at += 1
    return None


def reference_number(text: str, decimal: str) -> float | None:
    text = text.strip(" \t")
    if set(text.lower()) - set(f"0123456789+-e{decimal}infty"):
        return None
    try:
        return float(text.replace(decimal, "."))
    except ValueError:
        return None


def reference(text: str, n_columns: int, dialect: Dialect, as_text: Collection[int]) -> list[Column] | None:
    """Every column; None where there are no rows, rows are uneven or a quote is never closed."""
    rows = reference_rows(text, dialect.delimiter, n_columns)
    if not rows or any(len(row) != n_columns for row in rows):
        return None
    columns: list[Column] = []
    for position in range(n_columns):
        cells = [None if row[position].strip(" \t") in dialect.missing_texts else row[position] for row in rows]
        known = [cell for cell in cells if cell is not None]
        numbers = [reference_number(cell, dialect.decimal) for cell in known]
        if position in as_text or None in numbers:
            columns.append((repr(tuple(dict.fromkeys(known))), cells))
        else:
            number = iter(numbers)
            columns.append(("numbers", [None if cell is None else repr(next(number)) for cell in cells]))
    return columns


def shown(values: np.ndarray, labels: tuple[str, ...] | None) -> Column:
    """A column as the reference words it."""
    if labels is None:
        return "numbers", [None if value != value else repr(value) for value in values.tolist()]
    return repr(labels), [None if code < 0 else labels[code] for code in values.tolist()]


def check(text: str, n_columns: int, dialect: Dialect, as_text: Collection[int], limit: int) -> None:
    expected = reference(text, n_columns, dialect, as_text)
    for name, way in WAYS.items():
        columns = way(text, n_columns, dialect, as_text, limit=limit)
        assert (columns if columns is None else [shown(*cells) for cells in columns]) == expected, name


CELLS = (
    *("", " ", "?", " ?", "? ", "NA", "nan", "-NaN", "inf", "-Infinity", "True", "007", "+1", "1e5", "-0", "-0.0"),
    *(
        "1_000",
        "0x10",
        "1e",
        ".",
        "-.5",
        "5.",
        "1e999",
        "1e-999",
        " 2 ",
        "\t3",
        "4\t",
        "9007199254740993",
        "- 1",
        "1 2",
    ),
    *(
        "-999",
        " -999",
        "-999 ",
        '"-999"',
        '" -999 "',
        "-999.0",
        "+8798595254025871096.4909336576335479626",
        "1,5",
        "1.5",
    ),
    *(
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551616",
        "1.0",
        "1",
        "None",
        "null",
        "e5",
        "+",
        "-",
    ),
    *('"', 'a"b', '"a', '"a"b', '""', '"a""b"', '"x,y"', '"x\ny"', ' "x,y"', '"x" ', '\t"x"', '"x"\t', "é", '"é"'),
    *('"5"', '" 5 "', '"?"', '" ? "', '"5"5', '" a"b ', '"""5"""', '"5""', '"1"2', '""""', '"a" "b"', '"\n"', '"\t"'),
    *("\u00a05", "5\u00a0", "\u00a0", '"\u00a0q"', "\u2003x", "x\v", "\fx", "\x1c", "\x851", "\u0661", "²", "x\u2028y"),
)
MISSING = (
    frozenset({"", "?"}),
    frozenset({"-999"}),
    frozenset({"1", ""}),
    frozenset({"NA", "nan"}),
    frozenset({'"a""b"', "x y"}),
    frozenset[str](),
)
LINE_ENDS = ("\n", "\n\n", "\n \n", "\n\t\n", "\n\t \n")
NUMBERS = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.from_regex(r"[+-]?[0-9]{0,3}[.,]?[0-9]{1,22}(e[+-]?[0-9]{1,3})?", fullmatch=True),
)


@given(
    rows=st.integers(1, 3).flatmap(
        lambda width: st.lists(
            st.lists(
                st.one_of(st.sampled_from(CELLS), NUMBERS, st.text(alphabet='a1., "\n\té', max_size=4)),
                min_size=width,
                max_size=width,
            ),
            min_size=1,
            max_size=6,
        )
    ),
    delimiter=st.sampled_from(",\t;| .1e-"),
    decimal=st.sampled_from(".,"),
    missing_texts=st.sampled_from(MISSING),
    as_text=st.sampled_from([set(), {0}, {0, 1, 2}]),
    line_end=st.sampled_from(LINE_ENDS),
    ends_in_newline=st.booleans(),
    limit=st.sampled_from([1, 5, 1 << 20]),
)
@example([["1", '"a'], ['b"', "2"]], ",", ".", MISSING[0], set(), "\n", True, 1)
@example([["-999"], ["1"], ["2"]], ",", ".", frozenset({"-999"}), set(), "\n", True, 1)
@example([[" -999"], ["1"], ["2"]], ",", ".", frozenset({"-999"}), set(), "\n", True, 1)
@example([["1", "x"], [" "], ["3", "y"]], " ", ".", MISSING[0], set(), "\n", True, 1 << 20)
def test_every_way_reads_what_the_reference_reads(
    rows, delimiter, decimal, missing_texts, as_text, line_end, ends_in_newline, limit
):
    text = line_end.join(delimiter.join(row) for row in rows) + line_end * ends_in_newline
    check(text, len(rows[0]), Dialect(delimiter, '"', missing_texts, decimal), as_text, limit)


@pytest.mark.parametrize("seed", range(40))
def test_every_way_reads_longer_texts_alike(seed):
    """Columns of one nature with a few odd cells at random places: before and after each limit."""
    chance = random.Random(seed)
    n_columns = chance.randint(1, 5)
    delimiter = chance.choice(",,,\t; |")
    decimal = chance.choice("..,")
    natures = [
        chance.choice(
            (
                lambda: f"{chance.uniform(-1e3, 1e3):.3f}".replace(".", decimal),
                lambda: str(chance.randint(-999, 999)),
                lambda: f'"{chance.randint(0, 9)}"',
                lambda: str(chance.randint(-999, -990)),
                lambda: f" {chance.randint(-999, -990)}",
                lambda: chance.choice(("red", "blue", '"dark blue"', '"a ""b"""', '" x"', "it's")),
                lambda: f'"two\nlines {chance.randint(0, 3)}"',
            )
        )
        for _ in range(n_columns)
    ]
    odd = chance.choice((0, 0.002, 0.05))
    rows = [
        [chance.choice(CELLS[:50]) if chance.random() < odd else nature() for nature in natures]
        for _ in range(chance.choice((3, 60)))
    ]
    # Cells that hold the delimiter would make rows uneven: rarely enough.
    text = "".join(delimiter.join(row) + chance.choice(("\n",) * 9 + LINE_ENDS) for row in rows)
    dialect = Dialect(delimiter, '"', chance.choice(MISSING), decimal)
    for limit in (1, 64, len(text) // 2, 1 << 20):
        check(text, n_columns, dialect, (), limit)


@given(st.text(alphabet='ab1,"\n ', max_size=20), st.integers(1, 2))
def test_the_reference_splits_as_pythons_csv_module(text, n_columns):
    rows = reference_rows(text, ",", n_columns)
    if rows is None:
        return
    expected = list(csv.reader(io.StringIO(text, newline=""), skipinitialspace=True))
    assert [[cell.strip() for cell in row] for row in rows if any(cell.strip() for cell in row)] == [
        [cell.strip() for cell in row] for row in expected if any(cell.strip() for cell in row)
    ]


@given(st.text(alphabet='ab1,"\n \té', max_size=20), st.integers(1, 2), st.sampled_from(",\t "))
def test_rows_are_echoed_as_the_reference_splits_them(text, n_columns, delimiter):
    dialect = Dialect(delimiter, '"', frozenset())
    try:
        rows = [cells for _, cells in records(text.encode(), dialect, n_columns)]
    except MisshapenError:
        rows = None
    assert rows == reference_rows(text, delimiter, n_columns)


@pytest.mark.parametrize("is_compiled", [True, False])
@pytest.mark.parametrize("name", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_neither_encoding_nor_line_end_changes_what_is_read(monkeypatch, is_compiled, name, line_end):
    monkeypatch.setattr(_delimited, "are_compiled", lambda: is_compiled)
    text = 'n,"a name"\n1,"two\nlines"\n\n 2.5 ," é"\n?,\n'
    data = text.replace("\n", line_end).encode(name)
    table = _delimited.read(Source("data.csv", "csv", data, data), ReadOptions(encoding=name), {}, ",")
    assert [column.name for column in table.columns] == ["n", "a name"]
    assert [shown(column.values, column.labels) for column in table.columns] == [
        ("numbers", ["1.0", "2.5", None]),
        ("('two\\nlines', ' é')", ["two\nlines", " é", None]),
    ]


ARFF_VALUES = st.one_of(
    st.sampled_from(
        ["?", "a b", " x ", "it's", 'say "hi"', "50%", "{1}", "a,b", "\\", "\u00a0q", "\u00a0", "x\ty", "é"]
    ),
    st.sampled_from(["é", "-0", "5", " 5", "1e5", "NA", "-999", "'", '"', "", "\U0001f600"]),
    st.text(alphabet="ab1'\"\\,%{} \t", max_size=4),
)


def bare(text: str) -> bool:
    """Whether a value may be written without quotes in a row with commas."""
    return text == text.strip(" \t") and text not in {"", "?"} and not set(text) & set("'\"\\,%{}")


@given(data=st.data(), n_columns=st.integers(2, 3), limit=st.sampled_from([1, 5, 1 << 20]))
def test_values_written_as_arff_are_read_back_in_every_way(data, n_columns, limit):
    values = data.draw(
        st.lists(st.lists(st.none() | ARFF_VALUES, min_size=n_columns, max_size=n_columns), min_size=1, max_size=5)
    )

    def written(value: str | None) -> str:
        blanks = st.sampled_from(["", "", " ", "\t", " \t"])
        if value is None:
            token = "?"
        elif bare(value) and data.draw(st.booleans()):
            token = value
        else:
            quote = data.draw(st.sampled_from("'\""))
            token = quote + value.replace("\\", "\\\\").replace(quote, f"\\{quote}") + quote
        return data.draw(blanks) + token + data.draw(blanks)

    breaks = st.sampled_from(["\n", "\n\n", "\n \t\n", "\n% comment, 'and more\n", " % comment\n", "\r\n"])
    body = "".join(",".join(map(written, row)) + data.draw(breaks) for row in values)
    header = "".join(f"@attribute a{position} string\n" for position in range(n_columns))
    text = f"@relation r\n{header}@data\n{body}".encode()
    source = Source("data.arff", "arff", text, text)
    expected = [list(column) for column in zip(*values, strict=True)]
    for is_compiled, kernel in ((True, parsing), (True, AS_PYTHON), (False, parsing)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(arff, "are_compiled", lambda is_compiled=is_compiled: is_compiled)
            patch.setattr(_blocks, "parsing", kernel)
            patch.setattr(_blocks, "BLOCK_BYTES", limit)
            patch.setattr(_blocks, "SNIFFED_BYTES", 2 * limit)
            table = arff.read(source, ReadOptions(), {})
        assert [shown(column.values, column.labels)[1] for column in table.columns] == expected
