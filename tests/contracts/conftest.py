"""treecli with one more member in every family: a copy of the package, and the files in `members`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import treecli
from tests.conftest import COLUMNS, Runner
from tests.inside import Outcome, ask

PACKAGE = Path(treecli.__file__).parent
MEMBERS = Path(__file__).parent / "members"


@pytest.fixture(scope="session")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package, to which the throw-away members were added and nothing else was done."""
    folder = tmp_path_factory.mktemp("extended")
    # The times of the files stay, so that what Python compiled of them stays valid.
    shutil.copytree(PACKAGE, folder / PACKAGE.name)
    for file in members():
        new = folder / PACKAGE.name / file.relative_to(MEMBERS)
        assert not new.exists(), f"{file}: there is such a choice already"
        shutil.copyfile(file, new)
    return folder


def members() -> Iterator[Path]:
    """The files of the throw-away members."""
    yield from sorted(MEMBERS.glob("*/*.py"))


@pytest.fixture(scope="session")
def server(extended: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that runs command lines of the extended package, one after the other."""
    environment = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "NO_COLOR")}
    environment |= {"PYTHONPATH": os.pathsep.join([str(extended), str(PACKAGE.parent)]), "COLUMNS": str(COLUMNS)}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.inside"],
        cwd=extended,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process


@pytest.fixture
def new_treecli(server: subprocess.Popen[str], tmp_path: Path) -> Runner:
    """Runs a command line of the extended package in tmp_path."""

    def call(*arguments: str | Path, input: str | bytes | None = None, cwd: Path | None = None) -> Outcome:
        assert server.stdin is not None
        assert server.stdout is not None
        given = input.encode() if isinstance(input, str) else input or b""
        return ask(server.stdin, server.stdout, [str(argument) for argument in arguments], given, cwd or tmp_path)

    return call
