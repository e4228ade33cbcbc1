"""The README's commands run, and print the output that it shows.

In a ```console block `$ ` starts a command, `> ` continues it, and the following lines are its stdout and stderr. `...`
matches any text within a line.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

from tests.conftest import COLUMNS
from tests.inside import run_inside
from treecli import plugins
from treecli.kernels import are_compiled

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"

UNCOMPILED = "kernels are not compiled"
"""How the notice begins that train gives where there was no C compiler."""


SHELL_SYNTAX = re.compile(r"[|&;<>()$`*?\\\n\[{~#]")
"""Signs that bash may read as more than the text of a word."""


class Shown(NamedTuple):
    """A command, and its output on the page."""

    command: str
    output: str


def shown_in(text: str) -> list[Shown]:
    """All commands of the console blocks, in order."""
    commands: list[Shown] = []
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                commands.append(Shown(line.removeprefix("$ "), ""))
            elif line.startswith("> ") and not commands[-1].output:
                commands[-1] = Shown(f"{commands[-1].command}\n{line.removeprefix('> ')}", "")
            else:
                commands[-1] = Shown(commands[-1].command, f"{commands[-1].output}{line}\n")
    return commands


def printed_by(commands: list[Shown], folder: Path) -> list[str]:
    """The output of each command, run in a folder, one after the other.

    A plain command line of treecli runs inside this process; bash runs all others, with treecli on the PATH.
    """
    with pytest.MonkeyPatch.context() as patch:
        # MAKE…: a make that is started by the tests under `make test` would print more.
        for variable in ("NO_COLOR", "FORCE_COLOR", "MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
            patch.delenv(variable, raising=False)
        patch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        patch.setenv("COLUMNS", str(COLUMNS))
        return [_printed_by(shown.command, folder) for shown in commands]


def _printed_by(command: str, folder: Path) -> str:
    if command.startswith("treecli ") and not SHELL_SYNTAX.search(command):
        return run_inside(shlex.split(command)[1:], b"", folder, merged=True).out
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ).stdout


@cache
def printed() -> list[str]:
    with TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "sample_data", folder, dirs_exist_ok=True)
        return printed_by(COMMANDS, Path(folder))


COMMANDS = shown_in(README.read_text(encoding="utf-8"))


@pytest.mark.parametrize("number", range(len(COMMANDS)), ids=lambda number: COMMANDS[number].command)
def test_a_command_of_the_readme_prints_what_the_readme_shows(number: int) -> None:
    command, output = COMMANDS[number]
    if "jq " in command and shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    found = printed()[number]
    if not are_compiled():
        found = "".join(line for line in found.splitlines(keepends=True) if not line.startswith(UNCOMPILED))
    if "..." in output:
        assert re.fullmatch(".*?".join(map(re.escape, output.split("..."))), found), found
    else:
        assert found == output


def test_the_readme_has_a_row_for_every_command() -> None:
    rows = re.findall(r"^\| `(\w+) [^|]", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(rows) == list(plugins.names("commands"))


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "docs/algorithms.md", "docs/cookbook.md", "docs/model.md"]
)
def test_every_link_within_the_project_leads_to_a_file(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = [target for target in re.findall(r"\]\(([^)#]+)", text) if "://" not in target]
    assert [target for target in targets if not ((ROOT / page).parent / target).exists()] == []
