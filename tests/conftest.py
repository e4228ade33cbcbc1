"""Running command lines inside the test process, and golden outputs."""

from __future__ import annotations

import gc
import os

# As in treecli itself: each process that a test starts would otherwise start a thread per core for numpy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import HealthCheck, settings

from tests.inside import BINARY, Outcome, run_inside

__all__ = ["BINARY", "COLUMNS", "Outcome", "Runner"]

GOLDEN = Path(__file__).parent / "golden"

FOLDER_NUMBERS = count()
"""Of the folders of tests, in each process."""

COLUMNS = 100
"""The width of help texts and tables, whatever terminal the tests run in."""

USUAL_EXAMPLES = 30
"""Of each property, in `make test`."""

MOST_EXAMPLES = 300
"""Of each property, in `make test-thorough`."""

NEW_OBJECTS = 100_000
"""Objects between two collections of garbage, as in treecli itself. A collection reads all live objects."""

gc.set_threshold(NEW_OBJECTS)

# What a test writes need not survive a failure of the power, and waiting for the disk takes longer than most tests.
# Processes that tests start do wait.
os.fsync = lambda _: None

# Nothing here depends on how busy the machine is; on a build server a run repeats the one before.
# `make test-thorough` takes the profile "thorough".
for name, n_examples in (("treecli", USUAL_EXAMPLES), ("thorough", MOST_EXAMPLES)):
    settings.register_profile(
        name,
        max_examples=n_examples,
        deadline=None,
        derandomize=bool(os.environ.get("CI")),
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("treecli")


def examples(wanted: int) -> int:
    """The number of examples of a property that needs more or fewer than others, in this run.

    `wanted` is relative to 50 for a property of the usual difficulty.
    """
    return max(min(wanted * settings.default.max_examples // 50, MOST_EXAMPLES), 1)


class Runner(Protocol):
    def __call__(
        self, *arguments: str | Path, input: str | bytes | None = None, cwd: Path | None = None
    ) -> Outcome: ...


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-golden", action="store_true", help="rewrite tests/golden instead of comparing")


def pytest_collection_finish() -> None:
    """Excludes modules and collected tests from garbage collections, which would read them again each time."""
    gc.freeze()


def pytest_unconfigure() -> None:
    gc.unfreeze()


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder, without pytest's link to the newest one of each test, which takes longer than the folder."""
    return tmp_path_factory.mktemp(f"{next(FOLDER_NUMBERS)}-{request.node.originalname[:30]}", numbered=False)


@pytest.fixture
def treecli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    """Runs a command line in tmp_path; stdin, stdout and stderr are pipes, as far as the program can see."""
    for variable in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("COLUMNS", str(COLUMNS))

    def call(*arguments: str | Path, input: str | bytes | None = None, cwd: Path | None = None) -> Outcome:
        given = input.encode() if isinstance(input, str) else input or b""
        return run_inside([str(argument) for argument in arguments], given, cwd or tmp_path)

    return call


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a text with tests/golden/NAME.txt, or writes it there under --rewrite-golden."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / f"{name}.txt"
        if request.config.getoption("--rewrite-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        elif not path.exists():
            pytest.fail(f"there is no {path}; 'make golden' writes it")
        assert text == path.read_bytes().decode()

    return compare
