"""treecli as a process among others: signals, closed pipes, full disks and terminals."""

from __future__ import annotations

import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
from encodings.aliases import aliases
from itertools import combinations
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.example_models import chain, playtennis
from tests.inside import heed_interrupts
from treecli.models import write_model

SAMPLES = Path(__file__).parents[1] / "sample_data"

TREECLI = [sys.executable, "-m", "treecli"]

MORE_THAN_A_PIPE_HOLDS = 1 << 20
"""Bytes; a pipe of Linux holds 1 << 16, so who has written these knows that the other end is reading."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The 14 days and their tree."""
    shutil.copy(SAMPLES / "playtennis.csv", tmp_path / "days.csv")
    write_model(str(tmp_path / "model.json"), playtennis())
    return tmp_path


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tree and data whose output is more than a pipe holds."""
    folder = tmp_path_factory.mktemp("large")
    write_model(str(folder / "model.json"), playtennis())
    write_model(str(folder / "deep.json"), chain(5000))
    header, *days = (SAMPLES / "playtennis.csv").read_text().splitlines()
    (folder / "many.csv").write_text("\n".join([header, *days * 5000]) + "\n")
    return folder


def environment(**changes: str) -> dict[str, str]:
    """This process's own, without what decides about colour."""
    kept = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR"}}
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
def test_a_reader_that_has_seen_enough_is_no_error(large: Path, arguments: list[str]) -> None:
    process = subprocess.Popen(
        [*TREECLI, *arguments], cwd=large, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
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


INTERRUPTED_WHILE_IMPORTING = """
import os, signal, sys

class Finder:
    def find_spec(name, path=None, target=None):
        if name == interrupting:
            os.kill(os.getpid(), signal.SIGINT)

from treecli.__main__ import main

interrupting = sys.argv[1]
sys.argv = ["treecli", "train", "days.csv", "-o", "new.json"]
sys.meta_path.insert(0, Finder)
main()
"""


@pytest.mark.parametrize("module", ["treecli.cli.app", "click", "treecli.commands.train", "treecli.settings", "numpy"])
def test_an_interrupt_while_modules_are_imported_is_one_line_too(folder: Path, module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_WHILE_IMPORTING, module],
        cwd=folder,
        capture_output=True,
        text=True,
        preexec_fn=heed_interrupts,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Error: interrupted\n")
    assert not (folder / "new.json").exists()


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
    """The output on a terminal, which must be less than a terminal buffers (4 kB)."""
    ours, theirs = os.openpty()
    try:
        subprocess.run([*TREECLI, *arguments], cwd=folder, env=variables, stdout=theirs, check=True)
        return os.read(ours, 4096)
    finally:
        os.close(ours)
        os.close(theirs)


STREAMS = ("<&-", ">&-", "2>&-")


@pytest.mark.parametrize(
    "closed",
    [
        pytest.param(list(some), marks=pytest.mark.thorough if n == 2 else ())
        for n in (1, 2, 3)
        for some in combinations(STREAMS, n)
    ],
    ids=" ".join,
)
@pytest.mark.parametrize(
    ("arguments", "code", "code_without_stdout"),
    [
        ("show model.json", 0, 2),
        ("show model.json -f svg -o tree.svg", 0, 0),
        ("train days.csv -q -o new.json", 0, 2),
        ("show nothing-of-this-name", 4, 4),
    ],
)
def test_closed_streams_change_nothing_that_does_not_need_them(
    folder: Path, arguments: str, closed: list[str], code: int, code_without_stdout: int
) -> None:
    command = shlex.join([*TREECLI, *arguments.split()])
    done = subprocess.run(["sh", "-c", " ".join([command, *closed])], cwd=folder, capture_output=True, text=True)
    assert done.returncode == (code_without_stdout if ">&-" in closed else code)
    is_lost = ">&-" in closed and code_without_stdout != code
    if "2>&-" not in closed:
        assert done.stderr == (
            "Error: stdout: is closed\n" if is_lost else "Error: nothing-of-this-name: no such file\n" * (code == 4)
        )
    if "train" in arguments:
        assert (folder / "new.json").read_bytes().startswith(b"{\n"), "no message got into the file"


@pytest.mark.parametrize(
    "arguments", ["show -", "info -", "train - --from csv -o new.json", "predict model.json - --from csv"]
)
def test_reading_from_a_closed_stdin_is_refused(folder: Path, arguments: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{shlex.join([*TREECLI, *arguments.split()])} <&-"], cwd=folder, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch("Error: stdin: is closed, expected [a-z ]+\nHint: name a file\n", done.stderr)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    ("arguments", "code", "err"),
    [
        ("show model.json > /dev/full", 2, "Error: stdout: cannot be used: No space left on device\n"),
        ("predict model.json many.csv > /dev/full", 2, "Error: stdout: cannot be used: No space left on device\n"),
        ("train days.csv -q -o /dev/full", 2, "Error: /dev/full: cannot be written: No space left on device\n"),
        ("show nowhere.json 2> /dev/full", 4, ""),
        ("train days.csv -o new.json 2> /dev/full", 0, ""),
    ],
)
def test_a_full_device_costs_one_line_and_the_right_exit_code(
    folder: Path, large: Path, arguments: str, code: int, err: str
) -> None:
    arguments = arguments.replace("many.csv", shlex.quote(str(large / "many.csv")))
    done = subprocess.run(
        ["sh", "-c", f"{shlex.join(TREECLI)} {arguments}"], cwd=folder, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (code, err)


BYTES = b"\xff"


def test_names_that_are_not_utf8_work_everywhere_and_are_shown_escaped(treecli: Runner, folder: Path) -> None:
    def name(text: str) -> str:
        return os.fsdecode(text.encode().replace(b"*", BYTES))

    shutil.copy(folder / "days.csv", folder / name("d*.csv"))
    lines = [
        "train d*.csv -o m*.json",
        "train d*.csv",
        "prune m*.json",
        "prune m*.json --path --plot p*.svg",
        "evaluate m*.json d*.csv",
        "predict m*.json d*.csv -o p*.csv",
        "show m*.json -f html -o m*.html",
        "rules m*.json -o r*.txt",
        "explain m*.json d*.csv --row 1",
        "info d*.csv",
        "info d*.csv -f json",
        "export m*.json --to pmml -o m*.pmml",
        "plot importance m*.json -o i*.svg",
    ]
    for line in lines:
        done = treecli(*map(name, line.split()))
        assert done.code == 0, line
        assert "\udcff" not in done.out + done.err
    assert treecli("train", name("d*.csv"), "-o", "m.json").err.startswith("d\\xff.csv: 14 rows")
    assert json.loads((folder / "m.json").read_text())["lineage"][0]["data"] == "d\\xff.csv"
    assert treecli("show", name("n*.json"), "-q").err.startswith("Error: n\\xff.json: no such file\n")
    words = treecli("train", "days.csv", "--na", name("*"), "-q", "-o", "m.json")
    assert (words.code, words.out) == (2, "")
    assert words.err.startswith("Error: found '\\xff', which is not valid utf-8 text\n")


def test_every_codec_that_python_knows_reads_text_or_is_refused(treecli: Runner, folder: Path) -> None:
    refused = set()
    for encoding in sorted({*aliases.values(), "undefined", "punycode", "idna", "no such", "", "\udcff"}):
        done = treecli("train", "days.csv", "-q", "-o", "new.json", "--encoding", encoding)
        assert done.code in {0, 2, 3}, encoding
        if done.code:
            assert re.fullmatch(r"Error: [^\n]+\n(Hint: [^\n]+\n)?", done.err), encoding
        if done.code == 2:
            refused.add(encoding)
    assert {"rot_13", "base64_codec", "hex_codec", "zlib_codec", "no such", "", "\udcff"} <= refused


HOSTILE = "a\x1b]0;owned\x07\x1b[31m\x9b2J\x7f\u202e\u2066z"


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "hostile.csv", "-v"],
        ["train", "hostile.csv", "-t", HOSTILE],
        ["train", "hostile.csv", "--debug", "-t", HOSTILE],
        ["train", f"{HOSTILE}.csv"],
        ["train", "hostile.csv", "--criterion", HOSTILE],
        [HOSTILE],
        ["train", "hostile.csv", f"--{HOSTILE}"],
        ["evaluate", "hostile.json", "hostile.csv", "-v"],
        ["info", "hostile.csv"],
        ["info", "hostile.csv", "-f", "markdown"],
        ["info", "hostile.json"],
        ["show", "hostile.json"],
        ["rules", "hostile.json"],
        ["explain", "hostile.json", "hostile.csv", "--row", "1"],
        ["predict", "hostile.json", "hostile.csv", "-f", "table"],
    ],
    ids=lambda arguments: ascii(" ".join(arguments)),
)
def test_no_value_of_a_file_reaches_the_terminal_as_a_control_character(
    treecli: Runner, folder: Path, arguments: list[str]
) -> None:
    rows = [f"{HOSTILE}name,y", f"1,{HOSTILE}", "2,q", "3,q", f"?,{HOSTILE}2"]
    (folder / "hostile.csv").write_text("\n".join(rows) + "\n")
    assert treecli("train", "hostile.csv", "-o", "hostile.json").code == 0
    done = treecli(*arguments)
    shown = done.out + done.err
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    assert "\\u{1b}" in shown or "\\x1b" in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "hostile.json"],
        ["show", "hostile.json", "-f", "j48"],
        ["show", "hostile.json", "-f", "json"],
        ["show", "hostile.json", "-f", "dot"],
        ["rules", "hostile.json", "-f", "csv"],
        ["export", "hostile.json", "--to", "sql"],
        ["predict", "hostile.json", "hostile.csv"],
        ["predict", "hostile.json", "hostile.csv", "-f", "tsv"],
        ["predict", "hostile.json", "hostile.csv", "-f", "arff"],
        ["predict", "hostile.json", "hostile.csv", "-f", "jsonl"],
        ["info", "hostile.csv", "-f", "json"],
        ["evaluate", "hostile.json", "hostile.csv"],
        ["train", "hostile.csv", "-q", "-o", "-"],
    ],
    ids=" ".join,
)
def test_a_terminal_gets_no_control_character_but_our_own_colours(
    treecli: Runner, folder: Path, arguments: list[str]
) -> None:
    (folder / "hostile.csv").write_text(f"x,y\n1,{HOSTILE}\n2,q\n")
    assert treecli("train", "hostile.csv", "-o", "hostile.json").code == 0
    shown = on_a_terminal(arguments, folder, environment()).decode().replace("\r\n", "\n")
    plain = re.sub("\x1b\\[[0-9;]*m", "", shown)
    assert "owned" in plain
    assert "\x1b[31mx" not in shown
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", plain)


def test_results_that_are_data_keep_their_bytes_in_a_pipe(treecli: Runner, folder: Path) -> None:
    (folder / "hostile.csv").write_text(f"x,y\n1,{HOSTILE}\n2,q\n")
    assert treecli("train", "hostile.csv", "-o", "hostile.json").code == 0
    out = treecli("predict", "hostile.json", "hostile.csv").out
    assert out == f"x,y,prediction\n1,{HOSTILE},{HOSTILE}\n2,q,q\n"


def test_help_into_a_closed_pipe_is_no_error(folder: Path) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run([*TREECLI, "--help"], cwd=folder, stdout=write_end, stderr=subprocess.PIPE, check=False)
    os.close(write_end)
    assert (done.returncode, done.stderr) == (0, b"")
