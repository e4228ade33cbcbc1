"""ARFF in its dialects, through the functions that commands call."""

from __future__ import annotations

import math
from pathlib import Path

import arff as liac_arff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from treecli import intake
from treecli.errors import DataError, UsageError
from treecli.intake import ReadOptions
from treecli.interchange import echo
from treecli.readers import arff
from treecli.readers._source import Source

FIXTURES = Path(__file__).parents[1] / "fixtures" / "data"

WEATHER = """\
% The weather, in part.
@relation weather

@attribute outlook {sunny, overcast, rainy}
@attribute temperature real
@attribute play {yes, no}

@data
"""


@pytest.fixture(params=[True, False], ids=["kernel", "tokenizer"], autouse=True, scope="module")
def is_compiled(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arff, "are_compiled", lambda: request.param)
        yield


def table_of(text, **options):
    return arff.read(Source("weather.arff", "arff", text.encode(), b""), ReadOptions(**options), {})


def cells_of(table):
    """The cells of every column, None for missing."""
    return [
        [None if math.isnan(value) else value for value in column.values.tolist()]
        if column.labels is None
        else [None if code < 0 else column.labels[code] for code in column.values.tolist()]
        for column in table.columns
    ]


def message_of(text, **options):
    with pytest.raises(DataError) as caught:
        table_of(text, **options)
    return caught.value.message


@pytest.mark.parametrize(
    "rows",
    [
        "sunny,85,no\nrainy,?,yes\n",
        "sunny, 85, no\n\nrainy, ?, yes",
        "sunny,\t85,\tno\nrainy\t,\t?\t,\tyes\t\n",
        "sunny\t85\tno\nrainy\t?\tyes\n",
        "sunny 85 no\nrainy   ? yes\n",
        "  sunny , 85 , no  \n   rainy,?,yes\n",
        "'sunny',85,'no'\n'rainy',?,'yes'\n",
        '"sunny",85,"no"\n"rainy",?,"yes"\n',
        "'sunny',85,\"no\"\n'rainy',?,yes\n",
        "'sunny', 85, 'no'\n'rainy', ?, 'yes'\n",
        "% a comment\nsunny,85,no\n  % another\nrainy,?,yes\n%\n",
        "sunny,85,no % a comment, 'of a kind\nrainy,?,yes %\n",
        "'s\\u0075nny',85,no\nrainy,?,yes\n",
        "{1 85, 2 no}\n{0 rainy, 1 ?}\n",
        "{ 1 85 , 2 'no' }\n{0 rainy,1 ?, 2 yes}\n",
        "sunny,85,no\n{0 rainy, 1 ?}\n",
        "sunny,8.5e1,no\r\nrainy,?,yes\r\n",
    ],
)
def test_one_table_can_be_written_in_many_ways(rows):
    assert cells_of(table_of(WEATHER + rows)) == [["sunny", "rainy"], [85, None], ["no", "yes"]]


@pytest.mark.parametrize(
    ("row", "weight"),
    [
        ("sunny,85,no", 1),
        ("sunny,85,no,{2}", 2),
        ("sunny,85,no, { 0.5 }", 0.5),
        ("{1 85, 2 no},{3}", 3),
        ("{1 85,2 no}, {0}", 0),
    ],
)
def test_a_row_may_end_in_its_weight(row, weight):
    table = table_of(WEATHER + "rainy,70,yes,{7}\n" + row + "\n")
    assert cells_of(table) == [["rainy", "sunny"], [70, 85], ["yes", "no"]]
    assert table.weights.tolist() == [7, weight]


def test_rows_without_weights_have_none():
    assert table_of(WEATHER + "sunny,85,no\n").weights is None


def test_the_labels_are_those_declared_in_their_order():
    column = table_of(WEATHER + "rainy,1,yes\nsunny,2,no\n").columns[0]
    assert (column.labels, column.declared) == (("sunny", "overcast", "rainy"), "nominal")
    assert column.values.tolist() == [2, 0]


def test_what_is_omitted_from_a_sparse_row_is_0_or_the_first_label():
    assert cells_of(table_of(WEATHER + "{}\n{2 no}\n")) == [["sunny", "sunny"], [0, 0], ["yes", "no"]]


@pytest.mark.parametrize(
    "declaration",
    [
        "@attribute a numeric",
        "@ATTRIBUTE a REAL",
        "@Attribute\ta\tInteger",
        "@attribute 'a' numeric % a comment",
        '@attribute "a" real [0, 10]',
    ],
)
def test_numeric_attributes_are_declared_in_many_ways(declaration):
    table = table_of(f"@RELATION r\n{declaration}\n@attribute b{{x,y}}\n@DATA\n1.5,x\n")
    assert table.columns[0].name == "a"
    assert cells_of(table) == [[1.5], ["x"]]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("{a,b}", ("a", "b")),
        ("{ a , b }", ("a", "b")),
        ("{'a b' , \"c,d\"}", ("a b", "c,d")),
        (r"""{'it\'s','say "hi"',"\\"}""", ("it's", 'say "hi"', "\\")),
        (r"{'\t','\u00e9','\101'}", ("\t", "é", "A")),
        (r"{'\ud83d\ude00','\u00E9'}", ("\U0001f600", "é")),
        ("{'\u00a0 q','\u00a0',\u00a0x}", ("\u00a0 q", "\u00a0", "\u00a0x")),
        ("{' q ',\"\\'\"}", (" q ", "'")),
    ],
)
def test_labels_are_declared_in_many_ways(labels, expected):
    table = table_of(f"@relation r\n@attribute a {labels}\n@attribute b numeric\n@data\n?,1\n")
    assert table.columns[0].labels == expected


def test_quotes_escapes_and_odd_names_are_read_as_meant():
    # The labels as the file's author listed them; a quoted ? is a value, and no cell is missing.
    table = arff.read(Source("quoting.arff", "arff", (FIXTURES / "quoting.arff").read_bytes(), b""), ReadOptions(), {})
    labels = ("plain", "two words", "it's", 'say "hi"', "a,b", "50%", "{set}", "back\\slash", "café", "?")
    assert [column.name for column in table.columns] == ["odd name", "x (cm)", "100%", "the class"]
    assert table.columns[0].labels == labels
    assert cells_of(table)[0][:11] == [*labels, "plain"]
    assert table.columns[3].labels == ("class A", "class,B")


def test_an_arff_file_and_its_csv_twin_hold_the_same():
    schema = intake.read_training(str(FIXTURES / "quoting.arff"), ReadOptions()).dataset.schema
    twins = [
        intake.read_for_model(str(FIXTURES / name), options, schema).dataset
        for name, options in (("quoting.arff", ReadOptions()), ("quoting.csv", ReadOptions(na=("",))))
    ]
    for column, other in zip(twins[0].columns, twins[1].columns, strict=True):
        assert np.array_equal(column, other)


@pytest.mark.parametrize("rows", ["'?',1\n?,2\n", '"?",1\n?,2\n', "'?', 1\n ?, 2\n"])
def test_a_quoted_question_mark_is_a_value_and_a_bare_one_is_missing(rows):
    table = table_of("@relation r\n@attribute a {x,'?'}\n@attribute b numeric\n@data\n" + rows)
    assert cells_of(table)[0] == ["?", None]


@pytest.mark.parametrize("rows", ["' x ',1\n", "' x ' ,1\n", '" x ",1\n'])
def test_quotes_keep_the_spaces_inside(rows):
    table = table_of("@relation r\n@attribute a {' x '}\n@attribute b numeric\n@data\n" + rows)
    assert cells_of(table)[0] == [" x "]


@pytest.mark.parametrize("row", ["'\u00a0 q',1\n", "'\u00a0 q' 1\n", "'\u00a0 q'\t1\n", "'\\u00a0 q',1\n"])
def test_quotes_keep_unicode_spaces(row):
    table = table_of("@relation r\n@attribute a {'\u00a0 q',b}\n@attribute b numeric\n@data\n" + row)
    assert cells_of(table)[0] == ["\u00a0 q"]


def test_a_line_of_blanks_and_tabs_is_no_row():
    rows = "1\tp\n2\tq\n\t\n \t \n3\tp\n"
    table = table_of("@relation r\n@attribute a real\n@attribute b {p,q}\n@data\n" + rows)
    assert cells_of(table) == [[1, 2, 3], ["p", "q", "p"]]


LONG = 100_000


@pytest.mark.parametrize(
    ("row", "found"),
    [
        (f"sunny,85,no{' ' * LONG}% comment\n", None),
        (f"sunny,{' ' * LONG}85{' ' * LONG},no\n", None),
        (f"'sunny'{' ' * LONG},85,no\n", None),
        (f"{{1 85,{' ' * LONG}2{' ' * LONG}no}}{' ' * LONG},{' ' * LONG}{{1}}\n", None),
        (f"sunny,85,no{',' * LONG}\n", f"found {LONG + 3} values"),
        ("'\\" * LONG, "cannot read"),
        (" '\\" * LONG, "cannot read"),
        ("'\"" * LONG, "cannot read"),
        ("{" * LONG, "cannot read"),
        ("}" * LONG, "cannot read"),
        ("{1 " * LONG + "}" * LONG, "cannot read"),
        (" %" * LONG, "found no row"),
        ("5%" * LONG, "found 1 value"),
        ("\n" * LONG, "found no row"),
        ("'" + "a" * LONG, "cannot read"),
    ],
    ids=range(15),
)
def test_a_long_row_takes_no_more_than_its_length(row, found):
    # Each would take minutes if the time grew with the square of the length.
    if found is None:
        assert cells_of(table_of(WEATHER + row)) == [["sunny"], [85], ["no"]]
    else:
        assert found in message_of(WEATHER + row)


@pytest.mark.parametrize(
    ("declarations", "found"),
    [
        ("a {" + ",".join(f"l{number}" for number in range(LONG)) + ",l99999}", "declares the label 'l99999' twice"),
        ("a {" + "x " * LONG + "}", "cannot read the labels"),
        ("a {" + "'x'," * LONG + "}", "declares the label 'x' twice"),
        ("a {x" + " " * LONG + "}" + " " * LONG + "y", "after the type"),
        ("a " + "{" * LONG, "cannot read the type"),
        ("'\\" * LONG, "found no name"),
        ("a real\n@attribute " * 3000 + "a real", "columns 1 and 2 are both named 'a'"),
        ("a real\n" + "@" * LONG, "expected @relation"),
    ],
    ids=range(8),
)
def test_a_long_declaration_takes_no_more_than_its_length(declarations, found):
    message = message_of(f"@relation r\n@attribute {declarations}\n@data\n1\n")
    assert found in message
    assert len(message) < 200


def test_strings_and_dates_are_nominal_in_order_of_appearance_and_it_is_said():
    text = "@relation r\n@attribute s string\n@attribute d date 'yyyy-MM-dd'\n@attribute c {x,y}\n@data\n"
    table = table_of(text + "'b c','2020-01-02',x\na,2020-01-01,y\n'b c',?,y\n")
    assert cells_of(table)[:2] == [["b c", "a", "b c"], ["2020-01-02", "2020-01-01", None]]
    assert table.columns[0].labels == ("b c", "a")
    assert table.notices == ("'s' is declared string and read as nominal", "'d' is declared date and read as nominal")


def test_a_file_of_one_attribute_has_a_row_for_every_line_that_is_not_blank():
    table = table_of("@relation r\n@attribute a {'two words',b}\n@data\n\n'two words'\n\nb\n?\n")
    assert cells_of(table) == [["two words", "b", None]]


def test_a_percent_sign_inside_a_value_is_no_comment():
    table = table_of("@relation r\n@attribute a string\n@attribute b {x,y}\n@data\n50%,x\n'% 5',y % end\n")
    assert cells_of(table) == [["50%", "% 5"], ["x", "y"]]


def test_more_texts_can_mean_missing():
    table = table_of(WEATHER + "sunny,NA,no\nrainy,?,yes\n", na=("NA",))
    assert cells_of(table)[1] == [None, None]


UNDECLARED = "'overcst' is not a label of 'outlook' (sunny, overcast, rainy)"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("sunny,85,no\n\n%\novercst,1,no\n", f"12: {UNDECLARED}"),
        ("{1 5}\n{0 overcst}\n", f"10: {UNDECLARED}"),
        ("sunny,85,no\nsunny,hot,no\n", "10: found 'hot' in 'temperature', expected a number"),
        ("sunny,nan,no\n", "9: found 'nan' in 'temperature', expected a number"),
        ("sunny,85,no\nsunny,85\n", "10: found 2 values, expected 3, one for each attribute"),
        ("sunny,85,no,1\n", "9: found 4 values, expected 3, one for each attribute"),
        ("sunny\n", "9: found 1 value, expected 3, one for each attribute"),
        ("{3 x}\n", "9: found a value for attribute 3, expected 0 to 2"),
        ("{1 5, 1 6}\n", "9: found two values for attribute 1"),
        ("sunny,85,no,{-1}\n", "9: found the weight '-1', expected a number of 0 or more"),
        ("sunny,85,no,{?}\n", "9: found the weight '?', expected a number of 0 or more"),
        (r"'s\q',85,no", r"9: found the escape \q, which has no meaning"),
        (r"'s\8',85,no", r"9: found the escape \8, which has no meaning"),
        (r"'s\²',85,no", r"9: found the escape \², which has no meaning"),
        (r"'s\u12',85,no", r"9: found the escape \u, which has no meaning"),
        (r"'\udc00',85,no", r"9: «'\udc00'» contains half of a character"),
        ("sunny,85,no}\n", "9: cannot read «no}»: an open quote, a brace, or text after a closing quote"),
        (f"{{{'1' * 5000} x}}\n", f"9: found a value for attribute {'1' * 40}…, expected 0 to 2"),
        ("\t\nsunny\t0x1p3\tno\n", "10: found '0x1p3' in 'temperature', expected a number"),
        ("", "8: found no row after @data"),
        ("% nothing\n\n", "8: found no row after @data"),
    ],
)
def test_what_is_wrong_with_a_row_is_said_with_its_line(rows, message):
    assert message_of(WEATHER + rows) == f"weather.arff:{message}"


@pytest.mark.parametrize(
    ("declarations", "message"),
    [
        ("a number", "2: found the type 'number' of 'a', expected numeric, real, integer, string, date or {…}"),
        ("a relational", "2: 'a' is relational, expected one value per row"),
        ("a real\n@attribute a real", "3: columns 1 and 2 are both named 'a'"),
        ("a {x,x}", "2: 'a' declares the label 'x' twice"),
        ("a {}", "2: 'a' has no labels, expected {label,label,…}"),
        ("a {x,?}", "2: 'a' has the bare label ?, which means missing"),
        ("a {x,two words}", "2: cannot read the labels of 'a' from «two words»"),
        (r"a {x,'\q'}", r"2: found the escape \q, which has no meaning"),
        (r"a {x,'\9'}", r"2: found the escape \9, which has no meaning"),
        (r"'a\9' real", r"2: found the escape \9, which has no meaning"),
        (r"a {x,'\ud800'}", r"2: «'\ud800'» contains half of a character"),
        (r"'a\ud800' real", r"2: «'a\ud800'» contains half of a character"),
        (r"'a\0' real", r"2: «'a\0'» contains a NUL character"),
        ("a {x} y", "2: found «y» after the type of 'a', expected the end of the line"),
        ("a", "2: cannot read the type of 'a'"),
        ("'a real", "2: found no name after @attribute"),
    ],
)
def test_what_is_wrong_with_a_declaration_is_said_with_its_line(declarations, message):
    assert message_of(f"@relation r\n@attribute {declarations}\n@data\nx\n") == f"weather.arff:{message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "weather.arff: the file is empty, expected @relation, @attribute and @data"),
        ("@relation r\n@attribute a numeric\n", "weather.arff:2: found no @data before the end of the file"),
        ("@relation r\n\n@data\n1\n", "weather.arff:3: found @data, expected @attribute before it"),
        ("a,b\n1,2\n", "weather.arff:1: found 'a,b', expected @relation, @attribute or @data"),
    ],
)
def test_a_file_that_is_no_arff_is_refused(text, message):
    assert message_of(text) == message


def test_a_mistyped_label_is_answered_with_the_nearest():
    with pytest.raises(DataError) as caught:
        table_of(WEATHER + "overcst,1,no\n")
    assert caught.value.hint == "did you mean 'overcast'?"


@pytest.mark.parametrize("row", ["'sunny,85,no", "sunny,85,'no", "'sunny'x,85,no", "sun{ny,85,no", "{1 5", "{a b}"])
def test_a_row_that_cannot_be_read_is_named_by_its_line(row):
    assert message_of(WEATHER + "sunny,85,no\n" + row + "\n").startswith("weather.arff:10: cannot read «")


def test_an_open_brace_after_many_labels_is_found_at_once():
    # liac-arff 2.5.0 needs twice the time for every label more: with 60 it would not come back.
    labels = ",".join(f"v{number}" for number in range(60))
    text = f"@relation r\n@attribute a {{{labels},two words\n@attribute b numeric\n@data\nv1,1\n"
    assert message_of(text).startswith("weather.arff:2: cannot read the type of 'a'")


@pytest.mark.parametrize("option", [{"delimiter": ";"}, {"header": False}, {"decimal": ","}])
def test_options_of_delimited_text_are_refused(option):
    with pytest.raises(UsageError, match="is for csv and tsv, not for arff"):
        table_of(WEATHER + "sunny,85,no\n", **option)


def test_rows_are_echoed_as_written_without_quotes(tmp_path):
    path = tmp_path / "weather.arff"
    path.write_text(WEATHER + "'sunny', 085, no\n% comment\n{1 ?}\nrainy,1.50,yes,{2}\n")
    names, rows = echo.echo_rows(str(path), ReadOptions())
    assert names == ["outlook", "temperature", "play"]
    assert list(rows) == [["sunny", "085", "no"], ["sunny", "?", "yes"], ["rainy", "1.50", "yes"]]


@pytest.mark.parametrize(
    ("rows", "is_plain"),
    [
        ("sunny,1,yes\n\n?,2.50,no", True),
        ("sunny,1,yes % no comment\n", False),
        ("'sunny',1,yes\n", False),
        ("{0 sunny}\n", False),
        ("sunny 1 yes\n", False),
    ],
)
def test_lines_are_echoed_if_they_equal_their_cells(tmp_path, rows, is_plain):
    path = tmp_path / "weather.arff"
    path.write_text(WEATHER + rows)
    lines = echo.echo_lines(str(path), ReadOptions())
    assert (lines is not None) == is_plain
    if lines is not None:
        names, cells = echo.echo_rows(str(path), ReadOptions())
        assert (lines[0], [line for some in lines[1] for line in some]) == (names, [*map(",".join, cells)])


def test_rows_that_cannot_be_read_are_not_echoed(tmp_path):
    path = tmp_path / "weather.arff"
    path.write_text(WEATHER + "sunny,85,no\nsunny,85\n")
    _, rows = echo.echo_rows(str(path), ReadOptions())
    with pytest.raises(DataError, match=r"weather\.arff:10: found 2 values"):
        list(rows)


TEXTS = st.text(alphabet="ab'\"\\,%{} \té?", min_size=1, max_size=6)


@given(st.lists(TEXTS, min_size=1, max_size=4, unique=True), st.data())
@settings(max_examples=examples(60))
def test_what_liac_arff_writes_is_read_back(labels, data):
    rows = data.draw(st.lists(st.tuples(st.sampled_from([*labels, None]), st.floats(-9, 9)), min_size=1, max_size=5))
    # liac-arff 2.5.0 leaves a lone ? or a text with braces bare, which it could not read back either.
    labels = [f"{label} x" for label in labels]
    rows = [[None if label is None else f"{label} x", number] for label, number in rows]
    text = liac_arff.dumps({"relation": "r", "attributes": [("a", labels), ("b", "REAL")], "data": rows})
    table = table_of(text)
    assert table.columns[0].labels == tuple(labels)
    assert cells_of(table) == [[label for label, _ in rows], [number for _, number in rows]]
