"""The text of exports, which no name or number can break."""

from __future__ import annotations

import re
from math import inf, nextafter

import pytest

from tests.example_models import chain, iris_like, model_of, playtennis
from tests.exporters.models import HOSTILE_LABELS, MODELS, to_one_branch
from treecli import plugins
from treecli.data import Attribute, Schema
from treecli.errors import UsageError
from treecli.exporters import Options
from treecli.exporters._dialects import DIALECTS
from treecli.exporters._layout import Layout
from treecli.exporters._names import comment_text, identifiers
from treecli.models import program_of
from treecli.values import in_double


def exported(target: str, **options: str) -> str:
    text: str = plugins.load("exporters", target).export(to_one_branch(iris_like()), Options(**options))  # type: ignore[arg-type]
    return text


def test_a_tree_in_python_reads_like_the_tree() -> None:
    body = exported("python").split('missing values."""\n')[1].split("\n\n")[0]
    assert body == (
        "    petallength = _number(row.get('petallength'))\n"
        "    petalwidth = _number(row.get('petalwidth'))\n"
        "    if petalwidth <= 0.6 or isnan(petalwidth):\n"
        "        return 'Iris-setosa'  # 50 of 50 cases\n"
        "    if petalwidth <= 1.7 or isnan(petalwidth):\n"
        "        if petallength <= 4.9 or isnan(petallength):\n"
        "            return 'Iris-versicolor'  # 47 of 48 cases\n"
        "        if petalwidth <= 1.5 or isnan(petalwidth):\n"
        "            return 'Iris-virginica'  # 3 of 3 cases\n"
        "        return 'Iris-versicolor'  # 2 of 3 cases\n"
        "    return 'Iris-virginica'  # 45 of 46 cases"
    )


@pytest.mark.parametrize(
    ("dialect", "condition"),
    [
        ("sqlite", "`petalwidth` <= 0.6 OR `petalwidth` IS NULL"),
        ("duckdb", '"petalwidth" <= 0.6e0 OR "petalwidth" IS NULL OR "petalwidth" = \'NaN\'::DOUBLE'),
        ("postgres", '"petalwidth" <= \'0.6\'::float8 OR "petalwidth" IS NULL OR "petalwidth" = \'NaN\'::float8'),
        ("spark", "`petalwidth` <= 0.6D OR `petalwidth` IS NULL OR isnan(`petalwidth`)"),
        ("bigquery", "`petalwidth` <= CAST(0.6 AS FLOAT64) OR `petalwidth` IS NULL OR IS_NAN(`petalwidth`)"),
        ("mysql", "`petalwidth` <= 0.6e0 OR `petalwidth` IS NULL"),
    ],
)
def test_a_dialect_compares_doubles_with_doubles_and_names_null(dialect: str, condition: str) -> None:
    assert f"CASE\nWHEN {condition} THEN\n  'Iris-setosa' -- 50 of 50 cases\n" in exported("sql", dialect=dialect)


@pytest.mark.parametrize(
    ("dialect", "literals"),
    [
        ("sqlite", ["'it''s'", "'back\\slash'", "('new' || char(10) || 'line')"]),
        ("duckdb", ["'it''s'", "'back\\slash'", "('new' || chr(10) || 'line')"]),
        ("postgres", ["'it''s'", "E'back\\\\slash'", "E'new\\u000aline'"]),
        (
            "spark",
            [
                "CAST(X'69742773' AS STRING /* it.s */)",
                "CAST(X'6261636b5c736c617368' AS STRING /* back<5c>slash */)",
                "CAST(X'6e65770a6c696e65' AS STRING /* new<a>line */)",
            ],
        ),
        ("bigquery", ["'it\\'s'", "'back\\\\slash'", "'new\\u000aline'"]),
        (
            "mysql",
            [
                "'it''s'",
                "_utf8mb4 X'6261636b5c736c617368' /* back<5c>slash */",
                "_utf8mb4 X'6e65770a6c696e65' /* new<a>line */",
            ],
        ),
    ],
)
def test_a_dialect_quotes_texts_in_its_own_way(dialect: str, literals: list[str]) -> None:
    texts = (HOSTILE_LABELS[0], HOSTILE_LABELS[2], HOSTILE_LABELS[4])
    assert [DIALECTS[dialect].literal(text) for text in texts] == literals


@pytest.mark.parametrize("text", ["${x}", "a ${env:HOME} b", "${", "$${x}}"])
def test_nothing_that_spark_would_replace_is_left_in_its_sql(text: str) -> None:
    spark = DIALECTS["spark"]
    written = [spark.literal(text), spark.compared(text), spark.name(text), spark.name("t", text), comment_text(text)]
    assert not [part for part in written if "${" in part]


@pytest.mark.parametrize(
    ("dialect", "condition"),
    [
        ("sqlite", "`Outlook` COLLATE BINARY = 'Overcast'"),
        ("duckdb", "\"Outlook\" COLLATE C = 'Overcast'"),
        ("postgres", '"Outlook"::text COLLATE "C" = \'Overcast\''),
        ("spark", "CAST(`Outlook` AS BINARY) = CAST('Overcast' AS BINARY)"),
        ("bigquery", "CAST(`Outlook` AS BYTES) = b'Overcast'"),
        ("mysql", "CAST(CONVERT(`Outlook` USING utf8mb4) AS BINARY) = _binary 'Overcast'"),
    ],
)
def test_a_dialect_compares_labels_byte_by_byte(dialect: str, condition: str) -> None:
    text = plugins.load("exporters", "sql").export(to_one_branch(playtennis()), Options(dialect=dialect))
    assert f"WHEN {condition} THEN" in text


@pytest.mark.parametrize("name", ["a ", "x" * 65, "tree 🌲"])
def test_a_name_that_mysql_cannot_have_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be a name in MySQL"):
        DIALECTS["mysql"].name(name)


def test_columns_that_differ_beyond_63_bytes_only_are_refused_in_postgresql() -> None:
    names = ("ü" * 32 + "a", "ü" * 32 + "b")  # 64 bytes before the letter
    schema = Schema(tuple(Attribute(name, "numeric") for name in names), Attribute("y", "numeric"))
    from tests.example_models import Inner
    from treecli.splits import threshold

    leaf = (1.0, 2.0, 0.0)
    model = model_of(schema, Inner(threshold.Split(0, 1.0), (leaf, Inner(threshold.Split(1, 1.0), (leaf, leaf), 0)), 0))
    with pytest.raises(UsageError, match="are one column in PostgreSQL, which cuts off long names"):
        plugins.load("exporters", "sql").export(model, Options(dialect="postgres"))


def test_sqlite_reads_numbers_that_decimals_could_miss_as_quotients() -> None:
    number = DIALECTS["sqlite"].number
    assert number(2.45) == "2.45"
    assert number(0.0625) == "0.0625"  # exact in binary
    # 1/3 is 6004799503160661 / 2^54, and 2^54 is 18014398509481984.
    assert number(1 / 3) == "(6004799503160661.0 / 18014398509481984.0 /* 0.3333333333333333 */)"


@pytest.mark.parametrize("text", ["*/ x", "a\n#define", "</script>", "--> x", "x \\", "\\u002a/", "??/", "/*"])
def test_no_text_gets_out_of_a_comment(text: str) -> None:
    assert not re.search(r"\*/|/\*|\n|</|--|\\|\?\?", comment_text(text))


def test_variables_are_like_the_names_and_all_different() -> None:
    names = ["a b", "a_b", "1st", "", "für", "class", "weight_3", "Part_1", "x_labels"]
    expected = ["a_b", "a_b_2", "value_1st", "value", "f_r", "value_class"]
    assert identifiers(names, {"class"}) == [*expected, "value_weight_3", "value_Part_1", "value_x_labels"]


@pytest.mark.parametrize("target", ["python", "c", "java", "javascript"])
def test_a_function_that_is_named_as_no_function_can_be_is_refused(target: str) -> None:
    for name in ("two words", "1st", "return", ""):
        with pytest.raises(UsageError, match="--name") if name else _nothing():
            exported(target, name=name)


def _nothing() -> object:
    from contextlib import nullcontext

    return nullcontext()


def test_code_of_a_deep_tree_is_flat() -> None:
    # Python's parser takes 100 levels of indentation, and SQLite's some 20 of CASE.
    model = to_one_branch(chain(300))
    (part,) = Layout(program_of(model), most_lines=10**9).parts()
    assert max(line.level for line in part) == 1


@pytest.mark.parametrize(("dialect", "word"), [("spark", "Spark"), ("bigquery", "BigQuery")])
def test_databases_without_inner_queries_refuse_rows_in_parts(dialect: str, word: str) -> None:
    with pytest.raises(UsageError, match=f"{word} cannot add up") as refusal:
        plugins.load("exporters", "sql").export(playtennis(), Options(dialect=dialect))
    assert "--missing majority" in str(refusal.value.hint)


def test_columns_that_differ_in_case_only_are_refused_where_case_is_not_minded() -> None:
    schema = Schema((Attribute("x", "numeric"), Attribute("X", "numeric")), Attribute("y", "numeric"))
    from tests.example_models import Inner
    from treecli.splits import threshold

    leaf = (1.0, 2.0, 0.0)
    model = model_of(schema, Inner(threshold.Split(0, 1.0), (leaf, Inner(threshold.Split(1, 1.0), (leaf, leaf), 0)), 0))
    export = plugins.load("exporters", "sql").export
    with pytest.raises(UsageError, match="'x' and 'X' are one column in SQLite"):
        export(model, Options())
    assert '"X"' in export(model, Options(dialect="postgres"))


@pytest.mark.parametrize("threshold", [0.0, 2.45, 1 / 3, -1e-46, 1e300, -1e300, 3.4028234663852886e38, 16777217.0])
def test_a_threshold_in_double_precision_splits_like_rounding_to_single(threshold: float) -> None:
    from ctypes import c_float

    bound = in_double(threshold)
    assert c_float(bound).value <= threshold < c_float(nextafter(bound, inf)).value


def test_rules_that_vote_are_refused() -> None:
    from dataclasses import replace

    rules = MODELS["rules"]()
    with pytest.raises(UsageError, match="decide by vote"):
        program_of(replace(rules, votes=True))  # type: ignore[type-var]


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres"])
@pytest.mark.parametrize("name", [name for name in MODELS if "derived" in name and "error" not in name])
def test_the_formula_of_a_derived_column_stands_once_in_the_sql(name: str, dialect: str) -> None:
    text = plugins.load("exporters", "sql").export(MODELS[name](), Options(dialect=dialect))
    # Each formula has a number that occurs nowhere else in it: 1 / 3, the bound 0.3 of a literal, -7.25.
    for part in ("* 1e-05", "1e-05::", "-7.25"):
        assert text.count(part) <= 1, text
