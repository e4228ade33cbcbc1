"""treecli as a process among others: signals, closed pipes, full disks and terminals."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.models import chain, playtennis
from treecli.files import write_model

SAMPLES = Path(__file__).parents[1] / "sample_data"

TREECLI = [sys.executable, "-m", "treecli"]

MORE_THAN_A_PIPE_HOLDS = 1 << 20
"""Bytes; a pipe of Linux holds 1 << 16, so who has written these knows that the other end is reading."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The 14 days and their tree; a tree and data whose output is more than a pipe holds."""
    shutil.copy(SAMPLES / "playtennis.csv", tmp_path / "days.csv")
    write_model(str(tmp_path / "model.json"), playtennis())
    write_model(str(tmp_path / "deep.json"), chain(5000))
    header, *days = (tmp_path / "days.csv").read_text().splitlines()
    (tmp_path / "many.csv").write_text("\n".join([header, *days * 5000]) + "\n")
    return tmp_path


def environment(**changes: str) -> dict[str, str]:
    """This process's own, without what decides about colour."""
    kept = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR", "PYTHONPATH"}}
    return {**kept, "TERM": "xterm", **changes}


def test_the_module_and_the_script_are_the_same_program(folder: Path) -> None:
    script = shutil.which("treecli", path=Path(sys.executable).parent)
    assert script is not None
    answers = [
        subprocess.run([*program, "show", "model.json"], cwd=folder, capture_output=True, text=True, check=True)
        for program in (TREECLI, [script])
    ]
    assert answers[0].stdout == answers[1].stdout
    assert answers[0].stdout.startswith("Outlook = Sunny\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["rules", "deep.json"],
        ["rules", "deep.json", "-f", "csv"],
        ["show", "deep.json"],
        ["show", "deep.json", "-f", "json"],
        ["prune", "deep.json", "--depth", "4000", "-o", "-", "-q"],
        ["predict", "model.json", "many.csv"],
    ],
    ids=" ".join,
)
def test_a_reader_that_has_seen_enough_is_no_error(folder: Path, arguments: list[str]) -> None:
    process = subprocess.Popen(
        [*TREECLI, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.read(1)
    process.stdout.close()
    with process.stderr:
        assert process.stderr.read() == b""
    assert process.wait() == 0


@pytest.mark.parametrize(
    "arguments", [["show", "-"], ["train", "-", "--from", "csv", "-o", "new.json"], ["info", "-"]], ids=" ".join
)
def test_an_interrupt_ends_the_work_with_130_and_one_line(folder: Path, arguments: list[str]) -> None:
    before = sorted(path.name for path in folder.iterdir())
    process = subprocess.Popen(
        [*TREECLI, *arguments],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heed_interrupts,
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b"{" + b" " * MORE_THAN_A_PIPE_HOLDS)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        # Python looks at a signal that comes just before it waits for more only when there is more, or no more.
        process.stdin.close()
        assert process.stderr.read() == b"Error: interrupted\n"
        assert process.stdout.read() == b""
    assert process.returncode == 130
    assert sorted(path.name for path in folder.iterdir()) == before


def heed_interrupts() -> None:
    """Undoes what a shell does to the jobs in its background, of which the tests may be one."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def no_room() -> None:
    """As on a full disk: no file may grow."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def test_a_full_disk_keeps_the_old_model_and_leaves_nothing_behind(folder: Path) -> None:
    (folder / "days.json").write_text("old")
    before = sorted(path.name for path in folder.iterdir())
    done = subprocess.run(
        [*TREECLI, "train", "days.csv", "-q"],
        cwd=folder,
        capture_output=True,
        text=True,
        preexec_fn=no_room,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: days.json: cannot be written: File too large\n"
    assert (folder / "days.json").read_text() == "old"
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize("arguments", [["show", "model.json"], ["evaluate", "model.json", "days.csv"], ["--help"]])
def test_a_result_that_finds_no_room_is_an_error_of_one_line(folder: Path, arguments: list[str]) -> None:
    with (folder / "output.txt").open("wb") as output:
        done = subprocess.run(
            [*TREECLI, *arguments],
            cwd=folder,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=no_room,
        )
    assert done.returncode == 2
    assert done.stderr == "Error: stdout: cannot be used: File too large\n"


@pytest.mark.parametrize(
    ("arguments", "variables", "is_colored"),
    [
        ([], {}, True),
        ([], {"NO_COLOR": "1"}, False),
        ([], {"NO_COLOR": ""}, True),  # no-color.org: it counts when it is not empty
        (["--color", "never"], {}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
    ],
)
def test_a_terminal_gets_colour_unless_that_is_not_wanted(
    folder: Path, arguments: list[str], variables: dict[str, str], is_colored: bool
) -> None:
    shown = on_a_terminal(["show", "model.json", *arguments], folder, environment(**variables))
    assert b"Humidity = High" in shown
    assert (b"\x1b[" in shown) == is_colored


def test_a_table_on_a_terminal_has_lines_and_in_a_pipe_none(folder: Path) -> None:
    arguments = ["evaluate", "model.json", "days.csv"]
    piped = subprocess.run([*TREECLI, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    assert "─" not in piped.stdout
    assert "─" in on_a_terminal(arguments, folder, environment()).decode()


def on_a_terminal(arguments: list[str], folder: Path, variables: dict[str, str]) -> bytes:
    """What treecli writes to a terminal, which must be less than a terminal holds unread (4 kB)."""
    ours, theirs = os.openpty()
    try:
        subprocess.run([*TREECLI, *arguments], cwd=folder, env=variables, stdout=theirs, check=True)
        return os.read(ours, 4096)
    finally:
        os.close(ours)
        os.close(theirs)
