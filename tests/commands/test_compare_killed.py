"""compare, killed or interrupted at any point: no process is left, and the next start ends with the same bytes."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.conftest import Runner
from treecli.__main__ import main
from treecli.experiment import results, workers

ARGUMENTS = (
    *("compare", "set1.csv", "set2.csv", "--learner", "j48: --like j48", "--learner", "rpart: --like rpart"),
    *("--learner", "rep: --prune reduced-error", "--folds", "4", "--repeats", "3", "--results", "r.jsonl", "--jobs"),
)

N_RUNS = 2 * 3 * 3

OWNERS: dict[str, Any] = {"_replace": results, "add": results.Results, "finish": results.Results, "write": os}

POINTS = [
    ("_replace", "before", 1),  # there is no file
    ("_replace", "after", 1),  # there is only a specification
    ("_started", "after", 1),  # one worker of three runs
    ("_started", "after", 3),
    ("_received", "before", 1),
    ("_received", "after", 5),
    ("add", "before", 1),
    ("add", "after", 1),
    ("write", "halfway", 2),  # half of a record is written
    ("write", "halfway", 7),
    ("add", "after", N_RUNS - 1),
    ("add", "after", N_RUNS),
    ("_ended", "before", 1),
    ("_ended", "after", 1),
    ("finish", "before", 1),
    ("finish", "after", 1),
]
"""Before or after the n-th call of a function of the package; when half of the n-th record is written."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in (1, 2):
        rows = [f"{i % 7},{i * number % 11},{'yes' if i % 7 > 3 and i % (number + 3) else 'no'}" for i in range(60)]
        (tmp_path / f"set{number}.csv").write_text("\n".join(["a,b,class", *rows]) + "\n")
    return tmp_path


@pytest.fixture(scope="module")
def undisturbed() -> list[object]:
    """Room for the report and the results of a comparison that nothing disturbs, which are made once."""
    return []


def struck(function: Callable[..., Any], when: str, number: int, sign: signal.Signals) -> Callable[..., Any]:
    """The function, which sends a signal to its own process at one of its calls; not in a worker."""
    process, n_calls = os.getpid(), 0

    def strike() -> None:
        if n_calls == number:
            os.kill(process, sign)

    def called(*arguments: Any) -> Any:
        nonlocal n_calls
        if os.getpid() != process:
            return function(*arguments)
        n_calls += 1
        if when == "before":
            strike()
        if when == "halfway" and n_calls == number:
            file, line = arguments
            function(file, line[: len(line) // 2])
            strike()
        found = function(*arguments)
        if when == "after":
            strike()
        return found

    return called


def run_apart(folder: Path, point: tuple[str, str, int], sign: signal.Signals) -> tuple[int, int]:
    """Run treecli in a process group of its own; return the group, and how the process ended."""
    process = os.fork()
    if process == 0:
        _run(folder, point, sign)
    return process, os.waitpid(process, 0)[1]


def _run(folder: Path, point: tuple[str, str, int], sign: signal.Signals) -> NoReturn:
    code = 99
    try:
        os.setsid()
        os.chdir(folder)
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        name, when, number = point
        owner = OWNERS.get(name, workers)
        setattr(owner, name, struck(getattr(owner, name), when, number, sign))
        sys.argv = ["treecli", *ARGUMENTS, "3"]
        main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0
    finally:
        os._exit(code)


def running(group: int) -> list[int]:
    """The processes of a group that have not ended."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            state, _, own = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
        except (OSError, ValueError):
            continue  # no process, or one that has just ended
        if int(own) == group and state != "Z":
            found.append(int(entry.name))
    return found


def cases() -> list[Any]:
    """Every point with both signals; in `make test` with one of them in turn."""
    found = []
    for place, point in enumerate(POINTS):
        for own, sign in enumerate([signal.SIGKILL, signal.SIGINT]):
            name = "-".join(map(str, (*point, sign.name)))
            marks = pytest.mark.thorough if (place + own) % 2 else ()
            found.append(pytest.param(point, sign, id=name, marks=marks))
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(("point", "sign"), cases())
def test_no_process_is_left_and_the_next_start_ends_with_the_same_bytes(
    treecli: Runner, folder: Path, sign: signal.Signals, point: tuple[str, str, int], undisturbed: list[object]
) -> None:
    group, status = run_apart(folder, point, sign)
    while running(group):  # a worker that outlives its parent would keep the test here until its time limit
        os.sched_yield()
    if sign == signal.SIGKILL:
        assert os.WTERMSIG(status) == signal.SIGKILL
    else:
        assert os.waitstatus_to_exitcode(status) == 130
        assert (folder / "err").read_text() == "Error: interrupted\n"
    again = treecli(*ARGUMENTS, "1"), (folder / "r.jsonl").read_bytes()
    (folder / "r.jsonl").unlink()
    if not undisturbed:
        undisturbed.append((treecli(*ARGUMENTS, "1"), (folder / "r.jsonl").read_bytes()))
    assert undisturbed == [again]
    assert again[0].code == 0
