"""Running treecli in this process and capturing its output."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout

from treecli.cli.app import run


def answer(*arguments: str) -> str:
    """The stdout of a command; an AssertionError with its message if it fails."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(list(arguments))
    out.flush()
    assert code == 0, f"treecli {' '.join(arguments)}: exit code {code}: {err.getvalue()}"
    assert isinstance(out.buffer, io.BytesIO)
    return out.buffer.getvalue().decode()


def say(text: str) -> None:
    """Prints a line of the comparison at once, so that a long run can be watched."""
    print(text, flush=True)
    sys.stdout.flush()
