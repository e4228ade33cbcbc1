"""Counting the instructions of a command with callgrind, if valgrind is installed."""

from __future__ import annotations

import os
import re
import shutil
import sys

from bench import measure
from bench.contest import Say
from bench.results import PYTHON, TREECLI, Result
from bench.works import Use

WORK = "S instructions"

_COLLECTED = re.compile(r"Collected\s*:\s*(\d+)")


def counted(uses: list[Use], say: Say) -> list[Result]:
    """The instructions of commands, and of Python without a program; nothing if valgrind is not installed."""
    if shutil.which("valgrind") is None:
        say("valgrind is not here (apt install valgrind): instructions are not counted")
        return []
    results = [_result(Result(WORK, PYTHON, "-c pass"), [sys.executable, "-c", "pass"], say)]
    return results + [_result(Result(WORK, TREECLI, use.way), [sys.executable, *use.command], say) for use in uses]


def instructions(report: str) -> int | None:
    """The number in callgrind's report."""
    found = _COLLECTED.search(report)
    return int(found[1]) if found else None


def _result(result: Result, command: list[str], say: Say) -> Result:
    say(f"{result.work}: {result.program} {result.way}")
    try:
        measure.run(command)  # compiles what is imported
        run = measure.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={os.devnull}", *command])
    except measure.CommandFailedError as error:
        say(f"{result.work}: {result.program} {result.way} failed: {error}")
        result.error = str(error)
        return result
    result.instructions = instructions(run.stderr)
    return result
