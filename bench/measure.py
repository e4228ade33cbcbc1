"""Running a command: wall seconds, CPU seconds, peak memory, and output."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
LAUNCHER = str(Path(__file__).parent / "launch.py")
KILOBYTE = 1024

MOST_OF_MESSAGE = 2000
"""Characters kept from the end of a failed command's output."""


class CommandFailedError(Exception):
    """A command that failed."""


@dataclass(frozen=True)
class Run:
    """One run of a command; `cpu` is the CPU time of all threads, `memory` the peak in bytes."""

    wall: float
    cpu: float
    memory: int
    stdout: str
    stderr: str


def run(command: list[str], *, keeps_output: bool = True) -> Run:
    """The cost of a command, and its output unless discarded."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        report, reporting = os.pipe()
        subprocess.run(
            [sys.executable, "-I", "-S", LAUNCHER, str(reporting), *command],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=out if keeps_output else subprocess.DEVNULL,
            stderr=err,
            pass_fds=[reporting],
            check=False,
        )
        os.close(reporting)
        with os.fdopen(report) as stream:
            told = stream.read().split()
        out.seek(0)
        err.seek(0)
        stdout, stderr = out.read().decode(errors="replace"), err.read().decode(errors="replace")
    if not told or told[3] != "0":
        code = f"exit code {told[3]}" if told else "could not be started"
        raise CommandFailedError(f"{' '.join(command)}: {code}\n{stderr[-MOST_OF_MESSAGE:]}")
    # Linux reports kilobytes, macOS bytes.
    memory = int(told[2]) * (1 if sys.platform == "darwin" else KILOBYTE)
    return Run(float(told[0]), float(told[1]), memory, stdout, stderr)
