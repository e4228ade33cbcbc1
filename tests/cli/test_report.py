"""Reports in all their formats."""

from __future__ import annotations

import csv
import io
import json
import re
from math import inf, nan

import pytest

from treecli.cli.report import Table, render
from treecli.wording import readable
from treecli.writers._delimited import LINES_AT_ONCE, csv_text

MEASURES = Table("Measures", ("measure", "value"), [("n", 14), ("accuracy", 13 / 14), ("errors", 1.0), ("kappa", None)])
ODD = Table("", ("a|b", "日本"), [("x|y", "say \"hi\", 'you'"), ("two\nlines", ""), ("\x1b[31mred", "é")])


def rendered(format: str, *tables: Table, **facts: object) -> str:
    return "".join(render(format, tables, facts))


def test_a_table_lines_up_decimal_points_and_has_no_trailing_spaces() -> None:
    assert rendered("table", MEASURES) == (
        "Measures\n"  #
        "measure      value\n"
        "n          14\n"
        "accuracy    0.9286\n"
        "errors      1\n"
        "kappa     n/a\n"
    )


def test_tables_are_separated_by_an_empty_line_and_titles_and_headers_may_be_absent() -> None:
    bare = Table("", ("", ""), [("long name", "x"), ("b", "y")])
    assert rendered("table", bare, bare) == "long name  x\nb          y\n\nlong name  x\nb          y\n"


def test_a_table_without_rows_shows_its_columns() -> None:
    assert rendered("table", Table("None yet", ("a", "b"), [])) == "None yet\na  b\n"


def test_wide_characters_take_two_places_and_control_characters_are_spelled_out() -> None:
    assert rendered("table", Table("", ("日本", "b"), [("x", "1"), ("\x1b[31m", "2")])) == (
        "日本        b\n"  #
        "x           1\n"
        "\\u{1b}[31m  2\n"
    )


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (13 / 14, "0.9286"),
        (0.5, "0.5"),
        (2 / 3, "0.6667"),
        (12.3456, "12.35"),
        (123456.789, "123457"),
        (1200.0, "1200"),
        (-0.00123456, "-0.001235"),
        (1e-7, "1e-07"),
        (1.5e300, "1.5e+300"),
        (inf, "inf"),
        (nan, "n/a"),
        (None, "n/a"),
        (10**20, "100000000000000000000"),
    ],
)
def test_numbers_are_given_with_the_digits_that_a_person_wants(number: float | None, text: str) -> None:
    assert readable(number) == text


def test_json_begins_with_its_version_and_keeps_every_digit() -> None:
    text = rendered("json", MEASURES, accuracy=13 / 14, none=nan, many=(inf, 1, {"é": None}))
    assert text.startswith('{\n  "schema_version": 1,')
    assert text.endswith("}\n")
    assert json.loads(text) == {
        "schema_version": 1,
        "accuracy": 13 / 14,
        "none": None,
        "many": [None, 1, {"é": None}],
    }


def test_csv_is_the_first_table_in_full_precision() -> None:
    assert rendered("csv", MEASURES, ODD) == "measure,value\nn,14\naccuracy,0.9285714285714286\nerrors,1\nkappa,\n"


def test_csv_survives_being_read_back() -> None:
    cells = ['quote " and , comma', "two\nlines", "carriage\rreturn", "", " space ", "é"]
    text = "".join(csv_text(["name"] * len(cells), [cells] * (LINES_AT_ONCE + 1)))
    assert list(csv.reader(io.StringIO(text, newline="")))[1:] == [cells] * (LINES_AT_ONCE + 1)
    assert '"carriage\rreturn"' in text


def test_csv_comes_in_pieces_as_the_rows_do() -> None:
    taken = []
    pieces = csv_text(["n"], ([taken.append(n) or n] for n in range(3 * LINES_AT_ONCE)))
    next(pieces)
    assert len(taken) < 2 * LINES_AT_ONCE


def test_markdown_holds_all_tables_with_bars_escaped() -> None:
    assert rendered("markdown", MEASURES, ODD) == (
        "**Measures**\n\n"
        "| measure | value |\n| --- | ---: |\n"
        "| n | 14 |\n| accuracy | 0.9286 |\n| errors | 1 |\n| kappa | n/a |\n"
        "\n"
        "| a\\|b | 日本 |\n| --- | --- |\n"
        "| x\\|y | say \"hi\", 'you' |\n| two\\u{a}lines |  |\n| \\u{1b}[31mred | é |\n"
    )


def test_latex_has_a_tabular_for_each_table_with_special_characters_escaped() -> None:
    noted = Table("", ("", ""), [("a_b & c", -0.5), ("5 %", 2)], notes=("x <= 2 & y",))
    assert rendered("latex", MEASURES, noted) == (
        "% needs \\usepackage[T1]{fontenc} and \\usepackage{textcomp}\n"
        "Measures\n\n"
        "\\begin{tabular}{lr}\n\\hline\nmeasure & value \\\\\n\\hline\n"
        "n & 14 \\\\\naccuracy & 0.9286 \\\\\nerrors & 1 \\\\\nkappa & n/a \\\\\n"
        "\\hline\n\\end{tabular}\n"
        "\n"
        "\\begin{tabular}{lr}\n\\hline\n"
        "a\\_b \\& c & $-0.5$ \\\\\n5 \\% & 2 \\\\\n"
        "\\hline\n\\end{tabular}\n\nx $\\le$ 2 \\& y\n"
    )


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("has_color", [True, False])
def test_a_terminal_gets_a_drawing_within_its_width(monkeypatch: pytest.MonkeyPatch, has_color: bool) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    if not has_color:
        monkeypatch.setenv("NO_COLOR", "1")
    else:
        monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("sys.stdout", Terminal())
    markup = Table("[bold]", ("a", "b"), [("[red]x", 0.25), ("many words " * 9, 12)])
    drawing = re.sub(r"\x1b\[[0-9;]*m", "", "".join(render("table", [MEASURES, markup], {}, is_drawn=True)))
    assert "─" in drawing
    assert "[red]x" in drawing
    assert all(len(line) <= 40 for line in drawing.splitlines())
    points = {line.index(".") for line in drawing.splitlines() if "0.9286" in line}
    assert {line.index("14") + 2 for line in drawing.splitlines() if "14" in line} == points


def drawn(monkeypatch: pytest.MonkeyPatch, width: int, *tables: Table) -> str:
    """The output on a terminal of some width."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdout", Terminal())
    return re.sub(r"\x1b\[[0-9;]*m", "", "".join(render("table", tables, {}, is_drawn=True)))


NAME = "a-rather-long-name-of-an-attribute"
COLUMNS = Table(
    "", ("name", "kind", "mean", "labels"), [(NAME, "numeric", 1234.5, "one, two, three, four")], dispensable=("mean",)
)


@pytest.mark.parametrize("width", [65, 71, 72, 120])
def test_a_narrow_terminal_keeps_names_whole_and_lacks_dispensable_columns(
    monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    text = drawn(monkeypatch, width, COLUMNS)
    assert NAME in text
    assert "…" not in text
    has_mean = width >= 72
    assert ("1234" in text) == has_mean
    assert ("not shown because the terminal is too narrow: mean\n" in text) == (not has_mean)


@pytest.mark.parametrize("width", [46, 50, 60, 70, 120])
def test_a_list_is_folded_after_commas_and_not_inside_its_entries(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    entries = ["Iris-setosa 50", "Iris-versicolor 50", "Iris-virginica 50", "x 1", "y 2"]
    table = Table(
        "", ("name", "n", "labels"), [("class", 150, ", ".join(entries)), ("size", 3, None)], lists=("labels",)
    )
    text = drawn(monkeypatch, width, table)
    assert all(len(line) <= width for line in text.splitlines())
    assert [entry for entry in entries if entry not in text] == []
    assert "n/a" in text


def test_a_column_is_left_out_before_an_entry_of_a_list_is_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("class", 123456, "Iris-setosa 50, Iris-versicolor 50")]
    table = Table("", ("name", "n", "labels"), rows, dispensable=("n",), lists=("labels",))
    assert "123456" in drawn(monkeypatch, 40, table)
    text = drawn(monkeypatch, 39, table)
    assert "123456" not in text
    assert "Iris-versicolor 50" in text


def test_a_long_entry_of_a_list_is_folded_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table("", ("name", "labels"), [("class", "a label of quite a few words 5, short one 6")], lists=("labels",))
    lines = drawn(monkeypatch, 32, table).splitlines()
    assert [line[10:].strip() for line in lines[3:6]] == ["a label of quite a", "few words 5,", "short one 6"]


def test_text_that_cannot_be_folded_is_not_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    text = drawn(monkeypatch, 20, Table("", tuple("abcdef"), [(123456, 234567, 345678, 456789, 567891, 678912)]))
    assert "123456  234567  345678  456789  567891  678912\n" in text


def test_a_table_with_a_gap_has_no_lines_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(monkeypatch, 80, Table("", ("a", "b"), [(1, 2)], gap=" ")) == "a b\n1 2\n\n"
