"""Tables of SQLite and PostgreSQL as the source of `--engine duckdb`, copied where DuckDB lacks its extension."""

from __future__ import annotations

import json
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Runner
from tests.engines.servers import Postgres
from treecli.engines import _copies
from treecli.engines._files import Listing

ROWS = [(i / 3 if i % 7 else None, "ab"[i % 2], i % 5, "pq"[i % 3 == 0]) for i in range(60)]


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


def made_in_sqlite(path: Path, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """Adds a table with these rows; `table` has its name and columns."""
    with sqlite3.connect(path) as database:
        database.execute(f"CREATE TABLE {table}")
        name, columns = table.split(" (")
        marks = ", ".join("?" * (columns.count(",") + 1))
        database.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
    database.close()


def test_a_table_of_sqlite_gives_the_model_of_the_rows(
    treecli: Runner, tmp_path: Path, expected: dict[str, Any]
) -> None:
    made_in_sqlite(tmp_path / "shop.sqlite", "rows (x REAL, w TEXT, n INTEGER, class TEXT)", ROWS)
    check(treecli, "shop.sqlite", expected)
    found = treecli("train", "shop.sqlite", "--engine", "duckdb", "--query", "SELECT * FROM rowz", "-o", "m.json")
    assert found.code == 3
    assert found.err.endswith("Hint: did you mean 'rows'?\n")
    assert not (tmp_path / "m.json").exists()


def test_a_view_of_sqlite_whose_columns_have_no_types_is_read(treecli: Runner, tmp_path: Path) -> None:
    path = tmp_path / "shop.sqlite"
    made_in_sqlite(path, '"odd rows" (x, b BLOB, class)', [(i, b"\0", "pq"[i > 4]) for i in range(9)])
    with sqlite3.connect(path) as database:
        database.execute('CREATE VIEW seen AS SELECT x / 2.0 AS half, b, class FROM "odd rows"')
    database.close()
    model = model_of(treecli, "shop.sqlite", "--engine", "duckdb", "--table", "seen")
    # 0, 0.5 … 2 are p, 2.5 … 4 are q.
    assert [node["split"]["at_most"] for node in model["nodes"] if "split" in node] == [2.25]
    assert [own["name"] for own in model["schema"]["attributes"]] == ["half"]


def test_a_column_of_sqlite_with_numbers_and_texts_is_refused(treecli: Runner, tmp_path: Path) -> None:
    made_in_sqlite(tmp_path / "shop.sqlite", "rows (x REAL, class TEXT)", [(1.0, "p"), ("n/a", "q")])
    code, _, err = treecli("train", "shop.sqlite", "--engine", "duckdb", "--table", "rows", "-o", "m.json")
    assert code == 3
    assert err.startswith("Error: shop.sqlite: 'x' holds numbers and texts, expected one of them\nHint: make a view")


def test_a_table_of_sqlite_is_copied_in_batches_to_the_folder_for_files_and_removed(
    treecli: Runner, tmp_path: Path
) -> None:
    n_rows = 2 * _copies.ROWS_AT_ONCE + 1
    made_in_sqlite(
        tmp_path / "shop.sqlite", "rows (x INTEGER, class TEXT)", ((i, "pq"[i > 100]) for i in range(n_rows))
    )
    (tmp_path / "scratch").mkdir()
    words = ["shop.sqlite", "--engine", "duckdb", "--table", "rows", "--temp", "scratch"]
    model = model_of(treecli, *words)
    assert [node["counts"] for node in model["nodes"]] == [[101, n_rows - 101], [101, 0], [0, n_rows - 101]]
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_disk_without_room_for_the_copies_is_one_line(tmp_path: Path) -> None:
    made_in_sqlite(tmp_path / "shop.sqlite", "rows (x INTEGER, class TEXT)", ((i, "pq"[i > 9]) for i in range(60_000)))
    (tmp_path / "temp").mkdir()
    command = [sys.executable, "-m", "treecli", "train", "shop.sqlite", "--table", "rows", "--engine", "duckdb"]
    limit = 64 << 10  # more than the head of a file of DuckDB, less than the rows
    done = subprocess.run(
        [*command, "--temp", "temp", "-o", "m.json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.returncode == 3
    error, hint = done.stderr.splitlines()
    assert error == "Error: shop.sqlite: tables cannot be copied: the disk is full"
    assert hint == "Hint: name a folder with more room: --temp DIR"
    assert not list((tmp_path / "temp").iterdir())
    assert not (tmp_path / "m.json").exists()


def test_a_file_that_only_begins_like_sqlite_is_one_line(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "shop.sqlite").write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 8)
    code, _, err = treecli("train", "shop.sqlite", "--engine", "duckdb", "--table", "rows", "-o", "m.json")
    assert code == 3
    assert err == "Error: shop.sqlite: SQLite: file is not a database\n"


@pytest.mark.engines
def test_a_table_of_postgresql_gives_the_model_of_the_rows(
    treecli: Runner, postgres: Postgres, expected: dict[str, Any]
) -> None:
    values = ", ".join(f"({'NULL' if x is None else repr(x)}, '{w}', {n}, '{own}')" for x, w, n, own in ROWS)
    table = "CREATE TABLE rows (x double precision, w text, n integer, class text);"
    postgres.run(f"{table}\nINSERT INTO rows VALUES {values};")
    try:
        check(treecli, f"postgresql://postgres@/postgres?host={postgres.folder}", expected)
    finally:
        postgres.run("DROP TABLE rows;")


@pytest.mark.engines
def test_the_types_of_postgresql_are_numbers_and_labels(treecli: Runner, postgres: Postgres, tmp_path: Path) -> None:
    postgres.run(
        """
        CREATE SCHEMA shop;
        CREATE TYPE shop.size AS ENUM ('small', 'large');
        CREATE DOMAIN shop.price AS numeric(8, 2);
        CREATE TABLE shop."Odd rows" (price shop.price, size shop.size, day date, code char(3), open boolean,
            tags text[], class varchar(9));
        INSERT INTO shop."Odd rows" VALUES (0.10, 'small', '2024-02-29', 'a', true, '{x}', 'p'),
            (0.30, 'large', '2024-03-01', 'b', false, NULL, 'q'), (NULL, NULL, NULL, NULL, NULL, NULL, 'q');
        """
    )
    source = f"postgresql://postgres@/postgres?host={postgres.folder}"
    lines = ["price,size,day,code,open,class", "0.10,small,2024-02-29,a,true,p", "0.30,large,2024-03-01,b,false,q"]
    (tmp_path / "rows.csv").write_text("\n".join([*lines, "?,?,?,?,?,q"]) + "\n")
    try:
        for table in ("shop.Odd rows", "Odd rows"):
            model = model_of(treecli, source, "--engine", "duckdb", "--table", table)
            expected = model_of(treecli, "rows.csv")
            assert (model["schema"], model["nodes"]) == (expected["schema"], expected["nodes"])
            assert list(model["lineage"][0]["left_out"]) == ["tags"]
    finally:
        postgres.run("DROP SCHEMA shop CASCADE;")


@pytest.mark.engines
def test_a_password_is_not_in_the_message_about_a_server_that_does_not_answer(treecli: Runner) -> None:
    source = "postgresql://me:secret@/shop?host=/nowhere"
    code, _, err = treecli("train", source, "--engine", "duckdb", "--table", "rows", "-o", "m.json")
    assert code == 3
    assert "shop" in err
    assert "secret" not in err
    assert err.count("\n") == 1


def test_without_the_driver_of_postgresql_there_are_no_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql", None)
    listing = Listing("shop", ("postgresql://me@/shop",), "postgres")
    assert _copies.Copies.of(listing, None, None) is None
