"""The engines, each started once; where one is missing its tests are skipped, or fail where it is required."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from tests.engines.servers import MariaDB, Postgres

REQUIRED = "TREECLI_REQUIRE_ENGINES"
"""The variable of the environment that makes a missing engine an error."""


def missing(what: str) -> None:
    """Skips the test, or fails it where engines are required."""
    if os.environ.get(REQUIRED):
        pytest.fail(f"{what}, and {REQUIRED} is set")
    pytest.skip(what)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    programs = Postgres.found()
    if programs is None:
        missing("PostgreSQL is not installed (apt install postgresql)")
    assert programs is not None
    with Postgres.started(programs) as server:
        yield server


@pytest.fixture(scope="session")
def mariadb() -> Iterator[MariaDB]:
    programs = MariaDB.found()
    if programs is None:
        missing("MariaDB is not installed (apt install mariadb-server)")
    assert programs is not None
    with MariaDB.started(programs) as server:
        yield server


@pytest.fixture(scope="session")
def needs_spark() -> None:
    if find_spec("pyspark") is None:
        missing("pyspark is not installed (pip install 'treecli[spark]')")
    if shutil.which("java") is None:
        missing("Java is not installed (apt install default-jdk-headless)")


@pytest.fixture(scope="session")
def needs_sqlglot() -> None:
    if find_spec("sqlglot") is None:
        missing("sqlglot is not installed (pip install 'treecli[engines]')")
