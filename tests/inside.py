"""Running command lines inside this process, or one after the other inside another process.

    python -m tests.inside

answers requests on stdin, a JSON object per line, with outcomes on stdout.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import signal
import sys
from pathlib import Path
from typing import IO, NamedTuple

from treecli.cli.app import run

BINARY = "surrogateescape"
"""How bytes that are not text appear in an outcome."""


class Outcome(NamedTuple):
    """The exit code and the output of a command line."""

    code: int
    out: str
    err: str


def run_inside(arguments: list[str], given: bytes, cwd: Path, *, merged: bool = False) -> Outcome:
    """Run a command line in a folder; the standard streams are pipes, as far as the program can see.

    With `merged`, stderr goes to stdout.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True) for _ in range(2))
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(given)), "utf-8")  # type: ignore[type-var,arg-type]
    try:
        with (
            contextlib.chdir(cwd),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(out if merged else err),
        ):
            code = run(arguments)
    finally:
        sys.stdin = before
    # What is no text, a picture for example, can be had back by encoding it in the same way.
    texts = [stream.detach().getvalue().decode(errors=BINARY) for stream in (out, err)]  # type: ignore[attr-defined]
    return Outcome(code, *texts)


def heed_interrupts() -> None:
    """Undoes a shell's settings for background jobs, because the tests may be one."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def ask(process_in: IO[str], process_out: IO[str], arguments: list[str], given: bytes, cwd: Path) -> Outcome:
    """Have another process that serves run a command line."""
    request = {"arguments": arguments, "given": base64.b64encode(given).decode(), "cwd": str(cwd)}
    process_in.write(json.dumps(request) + "\n")
    process_in.flush()
    return Outcome(*json.loads(process_out.readline()))


def serve(requests: IO[str], answers: IO[str]) -> None:
    """Run a command line per request."""
    for line in requests:
        request = json.loads(line)
        outcome = run_inside(request["arguments"], base64.b64decode(request["given"]), Path(request["cwd"]))
        answers.write(json.dumps(outcome) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve(sys.stdin, sys.stdout)
