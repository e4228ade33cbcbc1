"""Runs command lines in a separate process: `python -m tests.fuzz.worker` reads JSON lines and answers each."""

from __future__ import annotations

import contextlib
import io
import json
import os
import selectors
import subprocess
import sys
import traceback
from pathlib import Path
from typing import NamedTuple

MOST_SECONDS = 60
"""A command that takes longer on a small file hangs."""

MOST_CALLS = 3000
"""Then a new process takes over, so that nothing piles up."""


class Answer(NamedTuple):
    """The outcome of a command line; `defect` is the traceback of an exception that no command may raise."""

    code: int
    out: str
    err: str
    defect: str | None


class Worker:
    """A process that runs treecli's command lines one after another, with kernels in one of their two forms."""

    def __init__(self, *, is_compiled: bool) -> None:
        self.name = "compiled" if is_compiled else "uncompiled"
        self._environment = os.environ | {"COLUMNS": "100", "NO_COLOR": "1", "PYTHONWARNINGS": "error"}
        self._environment["TREECLI_UNCOMPILED"] = "" if is_compiled else "1"
        self._process: subprocess.Popen[bytes] | None = None
        self._n_calls = 0

    def run(self, arguments: list[str], folder: Path) -> Answer:
        """The outcome of a command line in a folder."""
        if self._process is None or self._n_calls >= MOST_CALLS:
            self.close()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.fuzz.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=self._environment,
            )
        self._n_calls += 1
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps([arguments, str(folder)]).encode() + b"\n")
        process.stdin.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            is_answered = selector.select(MOST_SECONDS)
        line = process.stdout.readline() if is_answered else b""
        if line:
            return Answer(*json.loads(line))
        process.kill()
        code = process.wait()
        self._process, self._n_calls = None, 0
        reason = f"the process died with code {code}" if is_answered else f"no answer within {MOST_SECONDS} s"
        return Answer(-1, "", "", reason)

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._process, self._n_calls = None, 0


def answer(arguments: list[str], folder: str) -> Answer:
    """Runs a command line in this process."""
    from treecli.cli.app import run

    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True) for _ in range(2))
    defect = None
    code = -1
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = run(arguments)
        except BaseException:  # noqa: BLE001 - any exception that reaches this place is a finding
            defect = traceback.format_exc()
    texts = (stream.detach().getvalue().decode(errors="backslashreplace") for stream in (out, err))  # type: ignore[attr-defined]
    return Answer(code, *texts, defect)


def main() -> None:
    # Commands may write to file descriptor 1; the answers go to a copy of it that they do not know.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    requests = sys.stdin.buffer
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"")))
    for line in requests:
        answers.write(json.dumps(answer(*json.loads(line))).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
