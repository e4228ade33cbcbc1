"""Tables of SQLite and PostgreSQL as the source of `--engine duckdb`, which needs DuckDB's extensions for them."""

from __future__ import annotations

import json
import sqlite3
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import Runner
from tests.engines.servers import Postgres
from treecli.engines._connection import _packaged

pytestmark = pytest.mark.engines

ROWS = [(i / 3 if i % 7 else None, "ab"[i % 2], i % 5, "pq"[i % 3 == 0]) for i in range(60)]


def needs(extension: str) -> None:
    """Skips the test without the Python package of an extension for this version of DuckDB; none is downloaded."""
    if _packaged(extension, duckdb.__version__) is None:
        has_package = find_spec(f"duckdb_extension_{extension}") is not None
        found = "is for another version" if has_package else "is not installed"
        pytest.skip(f"duckdb-extension-{extension.replace('_', '-')} {found}; DuckDB is {duckdb.__version__}")


def model_of(treecli: Runner, *words: str) -> dict[str, Any]:
    code, out, err = treecli("train", *words, "-q", "-o", "-")
    assert code == 0, err
    model: dict[str, Any] = json.loads(out)
    return model


@pytest.fixture
def expected(treecli: Runner, tmp_path: Path) -> dict[str, Any]:
    """The model of the rows as a file in memory."""
    lines = [",".join("?" if cell is None else str(cell) for cell in row) for row in ROWS]
    (tmp_path / "rows.csv").write_text("\n".join(["x,w,n,class", *lines]) + "\n")
    return model_of(treecli, "rows.csv")


def check(treecli: Runner, source: str, expected: dict[str, Any]) -> None:
    """The table and a query of it give the model of the file; unknown names are answered with a near one."""
    there = [source, "--engine", "duckdb"]
    for words in (["--table", "rows"], ["--query", "SELECT x, w, n, class FROM rows"]):
        model = model_of(treecli, *there, *words)
        assert (model["schema"], model["nodes"]) == (expected["schema"], expected["nodes"])
    found = treecli("train", *there, "--table", "rowz", "-o", "m.json")
    assert found.code == 3
    assert found.err.endswith("found no table 'rowz'; there are rows\nHint: did you mean 'rows'?\n")
    assert "did you mean 'class'?" in treecli("train", *there, "--table", "rows", "-t", "clas", "-o", "m.json").err


def test_a_table_of_sqlite_gives_the_model_of_the_rows(
    treecli: Runner, tmp_path: Path, expected: dict[str, Any]
) -> None:
    needs("sqlite_scanner")
    with sqlite3.connect(tmp_path / "shop.sqlite") as database:
        database.execute("CREATE TABLE rows (x REAL, w TEXT, n INTEGER, class TEXT)")
        database.executemany("INSERT INTO rows VALUES (?, ?, ?, ?)", ROWS)
    database.close()
    check(treecli, "shop.sqlite", expected)


def test_a_table_of_postgresql_gives_the_model_of_the_rows(
    treecli: Runner, postgres: Postgres, expected: dict[str, Any]
) -> None:
    needs("postgres_scanner")
    values = ", ".join(f"({'NULL' if x is None else repr(x)}, '{w}', {n}, '{own}')" for x, w, n, own in ROWS)
    table = "CREATE TABLE rows (x double precision, w text, n integer, class text);"
    postgres.run(f"{table}\nINSERT INTO rows VALUES {values};")
    try:
        check(treecli, f"postgresql://postgres@/postgres?host={postgres.folder}", expected)
    finally:
        postgres.run("DROP TABLE rows;")


def test_a_password_is_not_in_the_message_about_a_server_that_does_not_answer(treecli: Runner) -> None:
    needs("postgres_scanner")
    source = "postgresql://me:secret@/shop?host=/nowhere"
    code, _, err = treecli("train", source, "--engine", "duckdb", "--table", "rows", "-o", "m.json")
    assert code == 3
    assert "shop" in err
    assert "secret" not in err
