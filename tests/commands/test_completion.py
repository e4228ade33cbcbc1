"""Completion in real shells: each completes a line."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Runner

PATIENCE_SECONDS = 60
"""A shell without output for this long has finished."""

PROMPT = "ready>"

COMPLETED = [
    ("treecli trai", "train"),
    ("treecli help pr", "predict|project|prune"),
    ("treecli train dat", "data file.csv"),
    ("treecli train data.csv --criterion ga", "gain|gainratio"),
    ("treecli train data.csv --criterion=gi", "gini"),
    ("treecli train data.csv --discretize w", "width"),
    ("treecli train data.csv -o fol", "folder"),
    ("treecli train data.csv --output=fol", "folder"),
    ("treecli train data.csv -t dat", ""),
    ("treecli plot bou", "boundary"),
    ("treecli plot boundary data.csv --model fol", "folder"),
]
"""Lines, and the words that may complete their last one."""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A folder with `treecli` as its one program, a file whose name has a space, and a folder."""
    (tmp_path / "data file.csv").touch()
    (tmp_path / "folder").mkdir()
    programs = tmp_path / "programs"
    programs.mkdir()
    program = programs / "treecli"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m treecli "$@"\n')
    program.chmod(0o755)
    root = Path(__file__).parents[2]
    return {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": str(root), "HOME": str(tmp_path)}


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"needs {shell}")


BASH = """
source ./script
compopt() { IFS=' ' asked="$*"; }
while IFS= read -r line; do
    # As readline divides a line: each = is a word.
    read -ra COMP_WORDS <<< "${line//=/ = }"
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) asked=
    _treecli_completion treecli
    [[ $asked != "-o default" ]] || mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[-1]}")
    (IFS='|'; echo "${COMPREPLY[*]}")
done
"""

FISH = """
source ./script
while read -l line
    set -l words (complete -C "$line" | string replace -r '\\t.*' '' | string replace -r '^--.*=' '')
    echo (string trim -r -c / -- $words | sort | string join '|')
end
"""


@pytest.mark.parametrize(
    ("shell", "driver"),
    [pytest.param("bash", BASH, marks=needs("bash")), pytest.param("fish", FISH, marks=needs("fish"))],
)
def test_a_shell_completes_commands_options_choices_and_files(
    treecli: Runner, tmp_path: Path, environment: dict[str, str], shell: str, driver: str
) -> None:
    (tmp_path / "script").write_text(treecli("completion", shell).out)
    done = subprocess.run(
        [shell, "-c", driver],
        cwd=tmp_path,
        env=environment,
        input="".join(f"{line}\n" for line, _ in COMPLETED),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    found = dict(zip([line for line, _ in COMPLETED], done.stdout.splitlines(), strict=True))
    assert found == dict(COMPLETED)


@pytest.mark.parametrize(
    ("shell", "command"),
    [
        pytest.param("bash", ["bash", "--norc", "--noprofile", "-i"], marks=needs("bash")),
        pytest.param("zsh", ["zsh", "-f", "-i"], marks=needs("zsh")),
    ],
)
def test_the_tab_key_completes(
    treecli: Runner, tmp_path: Path, environment: dict[str, str], shell: str, command: list[str]
) -> None:
    (tmp_path / "script").write_text(treecli("completion", shell).out)
    setup = "autoload -Uz compinit; compinit -u; " if shell == "zsh" else ""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(tmp_path)
        os.execvpe(command[0], command, {**environment, "PS1": PROMPT, "TERM": "dumb", "COLUMNS": "200"})
    try:
        read = _reader(terminal)
        read(PROMPT)
        os.write(terminal, f"{setup}source ./script; echo set-$((1 + 1))\n".encode())
        read("set-2")
        for line, completed in (
            ("treecli trai", "train "),
            ("dat", "data\\ file.csv "),
            ("--criterion=gi", "gini "),
            ("-o fol", "folder/"),
        ):
            os.write(terminal, f"{line}\t".encode())
            read(re.escape(completed.removeprefix(re.split("[ =]", line)[-1])))
    finally:
        os.close(terminal)
        os.waitpid(process, 0)


def _reader(terminal: int) -> Callable[[str], None]:
    """Reads on until a pattern appears."""
    text = ""

    def read(pattern: str) -> None:
        nonlocal text
        while (match := re.search(pattern, text)) is None:
            readable, _, _ = select.select([terminal], [], [], PATIENCE_SECONDS)
            assert readable, f"expected {pattern}, found {text!r}"
            text += os.read(terminal, 4096).decode(errors="replace")
        text = text[match.end() :]

    return read


def test_an_unknown_shell_is_answered_with_those_that_there_are(treecli: Runner) -> None:
    code, out, err = treecli("completion", "powershell")
    assert (code, out, err) == (2, "", "Error: SHELL: unknown 'powershell' (known: bash, zsh, fish)\n")
