"""Exported SQL predicts the same as its model in real databases."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.engines.models import ALL, FORMS, HARD
from tests.engines.servers import MariaDB, Postgres
from tests.exporters.models import VOTING_PARTS
from treecli.errors import UsageError
from treecli.exporters import Options
from treecli.exporters.sql import export
from treecli.models import as_ensemble, probes, program_of, write_model
from treecli.verifiers import Answer, Row, cells, said_by
from treecli.verifiers._spark import results_of
from treecli.verifiers.sql import Script, script_of, spark_job

pytestmark = pytest.mark.engines

Case = tuple[str, str]
CASES: list[Case] = [(name, form) for name in ALL for form in FORMS if form == "case" or name in HARD]

Refusals = dict[str, str]
RAISING = dict.fromkeys((name for name in ALL if name.endswith("unseen error")), "takes an unseen label for an error")
VOTING = dict.fromkeys(VOTING_PARTS, "the trees vote")

REFUSED: dict[str, Refusals] = {
    "postgres": RAISING,
    "mysql": {**RAISING, **VOTING},
    "spark": {
        **RAISING,
        **VOTING,
        **dict.fromkeys(
            (
                name
                for name, make in ALL.items()
                if name not in VOTING_PARTS and (program_of(make()).spreads or as_ensemble(make()) is not None)
            ),
            "Spark cannot add up in one expression",
        ),
    },
}
"""The models that each database refuses, and the reasons."""


def prepared(name: str, options: Options) -> tuple[Script, list[Row], list[Answer]]:
    """How to run a model, the rows to run it on, and the model's predictions."""
    model = ALL[name]()
    program = program_of(model)
    script = script_of(export(model, options), program, options)
    rows = probes(model)
    return script, cells(rows, program), said_by(model, rows, options)


def is_refused(dialect: str, name: str, options: Options) -> bool:
    """Whether a model is one that the database refuses; checks that the exporter does."""
    if name not in REFUSED[dialect]:
        return False
    with pytest.raises(UsageError, match=REFUSED[dialect][name]):
        export(ALL[name](), options)
    return True


def compare(found: list[Answer], expected: list[Answer], rows: list[Row]) -> None:
    assert len(found) == len(expected)
    for theirs, ours, row in zip(found, expected, rows, strict=True):
        assert theirs == ours, row


def answer(cell: str | None, expected: Answer) -> Answer:
    """A cell that a client printed, as a number where the model predicts one."""
    return float(cell) if isinstance(expected, float) and cell is not None else cell


POSTGRES_SETTINGS = {
    "standard": "",
    "old strings": "SET standard_conforming_strings = off;\nSET escape_string_warning = off;\n",
}

TEXTS = {
    "text": "text",
    "no case": "text COLLATE no_case",
    "citext": "citext",
}
"""Types of text columns, of which some compare as equal what is not."""


def in_postgres(
    server: Postgres, script: Script, rows: list[Row], settings: str = "", text: str = "text"
) -> list[str | None]:
    lines = ["\t".join(map(server.written, (place, *row))) for place, row in enumerate(rows)]
    found = server.run(
        "SET client_min_messages = warning;\nDROP SCHEMA IF EXISTS own CASCADE;\nCREATE SCHEMA own;\n"
        "SET search_path = own, public;\n"
        "CREATE EXTENSION IF NOT EXISTS citext SCHEMA public;\n"
        "CREATE COLLATION no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);\n"
        f"{script.create('float8', text)};\nCOPY {script.quoted_table} FROM STDIN;\n"
        + "".join(f"{line}\n" for line in lines)
        + "\\.\n"
        + settings
        + "".join(f"{statement}\n" for statement in script.statements)
        + f"COPY (\n{script.query}\n) TO STDOUT;\n"
    )
    return [cell for _, cell in found]


@pytest.mark.parametrize(("name", "form"), CASES)
def test_postgresql_answers_as_the_model(postgres: Postgres, name: str, form: str) -> None:
    options = replace(FORMS[form], dialect="postgres")
    if is_refused("postgres", name, options):
        return
    script, rows, expected = prepared(name, options)
    found = in_postgres(postgres, script, rows)
    compare([answer(*pair) for pair in zip(found, expected, strict=True)], expected, rows)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("settings", POSTGRES_SETTINGS)
def test_postgresql_answers_alike_whatever_the_collation_and_settings(
    postgres: Postgres, settings: str, text: str
) -> None:
    script, rows, expected = prepared("every label", Options(dialect="postgres"))
    compare(in_postgres(postgres, script, rows, POSTGRES_SETTINGS[settings], TEXTS[text]), expected, rows)  # type: ignore[arg-type]


def in_mariadb(
    server: MariaDB, script: Script, rows: list[Row], expected: list[Answer], settings: str = "", text: str = ""
) -> list[Answer]:
    is_number = isinstance(expected[0], float)
    values = ",\n".join(f"({', '.join(map(server.written, (place, *row)))})" for place, row in enumerate(rows))
    result = "DOUBLE" if is_number else "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
    found = server.run(
        "DROP DATABASE treecli;\nCREATE DATABASE treecli CHARACTER SET utf8mb4;\nUSE treecli;\n"
        f"{script.create('DOUBLE', text or 'VARCHAR(100)')};\nINSERT INTO {script.quoted_table} VALUES {values};\n"
        f"CREATE TABLE answers (place INTEGER, answer {result});\n"
        + settings
        + "".join(f"{statement}\n" for statement in script.statements)
        + f"INSERT INTO answers\n{script.query};\n"
        f"SELECT place, {'answer' if is_number else 'HEX(answer)'} FROM answers ORDER BY place;\n"
    )
    cells = [cell for _, cell in found]
    if is_number:
        return [None if cell is None else float(cell) for cell in cells]
    return [None if cell is None else bytes.fromhex(cell).decode() for cell in cells]


def finite(rows: list[Row], expected: list[Answer]) -> tuple[list[Row], list[Answer]]:
    """The rows without infinite numbers, which MySQL and MariaDB do not have, and their answers."""
    kept = [place for place, row in enumerate(rows) if inf not in row and -inf not in row]
    return [rows[place] for place in kept], [expected[place] for place in kept]


@pytest.mark.parametrize(("name", "form"), CASES)
def test_mariadb_answers_as_the_model(mariadb: MariaDB, name: str, form: str) -> None:
    options = replace(FORMS[form], dialect="mysql")
    if is_refused("mysql", name, options):
        return
    script, rows, expected = prepared(name, options)
    rows, expected = finite(rows, expected)
    compare(in_mariadb(mariadb, script, rows, expected), expected, rows)


MARIADB_SETTINGS = {
    "standard": "",
    "no backslashes": "SET sql_mode = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES';\n",
    "another connection": "SET character_set_connection = latin1;\nSET collation_connection = latin1_german1_ci;\n",
    "another collation": "SET collation_connection = utf8mb4_unicode_ci;\n",
}


@pytest.mark.parametrize("settings", MARIADB_SETTINGS)
@pytest.mark.parametrize(
    "text", ["VARCHAR(100)", "VARCHAR(100) COLLATE utf8mb4_unicode_ci", "TEXT CHARACTER SET utf16"]
)
def test_mariadb_answers_alike_whatever_the_collation_and_settings(mariadb: MariaDB, settings: str, text: str) -> None:
    for name in ("every label", "groups of labels"):
        script, rows, expected = prepared(name, Options(dialect="mysql"))
        compare(in_mariadb(mariadb, script, rows, expected, MARIADB_SETTINGS[settings], text), expected, rows)


SPARK_SETTINGS = {
    "standard": {},
    "no substitution": {"spark.sql.variable.substitute": "false"},
    "no escapes": {"spark.sql.parser.escapedStringLiterals": "true"},
    "ansi": {"spark.sql.ansi.enabled": "true", "spark.sql.ansi.doubleQuotedIdentifiers": "true"},
    "not ansi": {"spark.sql.ansi.enabled": "false"},
}
SparkCase = tuple[str, str, str]
SPARK_CASES: list[SparkCase] = [
    (name, form, settings)
    for name, form in CASES
    for settings in SPARK_SETTINGS
    if name not in REFUSED["spark"] and (settings == "standard" or (name in HARD and form == "case"))
]
Compared = tuple[list[Answer] | str, list[Answer], list[Row]]


@pytest.fixture(scope="module")
def in_spark(needs_spark: None) -> dict[SparkCase, Compared]:
    """Spark's predictions for all models; it is started once because that takes longest."""
    jobs, expectations = [], []
    for name, form, settings in SPARK_CASES:
        script, rows, expected = prepared(name, replace(FORMS[form], dialect="spark"))
        job = spark_job(script, [(place, *row) for place, row in enumerate(rows)])
        jobs.append(replace(job, settings=SPARK_SETTINGS[settings]))
        expectations.append((expected, rows))
    found = results_of(jobs)
    return {case: (said, *known) for case, said, known in zip(SPARK_CASES, found, expectations, strict=True)}


@pytest.mark.parametrize("case", SPARK_CASES, ids=" ".join)
def test_spark_answers_as_the_model(in_spark: dict[SparkCase, Compared], case: SparkCase) -> None:
    found, expected, rows = in_spark[case]
    assert not isinstance(found, str), found
    compare(found, expected, rows)


@pytest.mark.parametrize("name", REFUSED["spark"])
def test_spark_refuses_what_it_cannot_say(name: str) -> None:
    assert is_refused("spark", name, Options(dialect="spark"))


@pytest.mark.parametrize("name", ALL)
def test_the_text_for_bigquery_is_parsed_as_it_is_meant(needs_sqlglot: None, name: str) -> None:
    import sqlglot
    from sqlglot import expressions

    options = Options(dialect="bigquery", form="select", table="project.dataset.table")
    if name in REFUSED["spark"]:
        with pytest.raises(UsageError):
            export(ALL[name](), options)
        return
    model = ALL[name]()
    program = program_of(model)
    (query,) = sqlglot.parse(export(model, options), dialect="bigquery")
    assert isinstance(query, expressions.Select)
    columns = {column.name for column in query.find_all(expressions.Column)} - {"*"}
    # sqlglot takes a dot in backticks for one between names.
    assert columns == {program.schema.attributes[index].name.rpartition(".")[-1] for index in program.attributes}
    if model.schema.is_classification:
        texts = {literal.this for literal in query.find_all(expressions.Literal) if literal.is_string}
        predicted = {
            model.schema.target.labels[program.label[node]]
            for node in range(len(program.steps))
            if program.is_end(node)
        }
        assert predicted <= texts


def test_spark_is_an_engine_of_verify(needs_spark: None, treecli: Runner, tmp_path: Path) -> None:
    write_model(str(tmp_path / "model.json"), ALL["multiway"]())  # type: ignore[arg-type]
    (tmp_path / "days.csv").write_text("Outlook,Temperature,Humidity,Wind\nSunny,Hot,High,Weak\n")
    done = treecli(
        "export", "model.json", "--to", "sql", "--dialect", "spark", "--verify", "days.csv", "-o", "days.sql"
    )
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("verified: the same predictions as the model on 1 row of days.csv and on ")
    assert (tmp_path / "days.sql").exists()
