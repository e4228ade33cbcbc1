"""Exchange of rows and answers with an artefact in another process: one line each, bit-exact.

A cell is `-` if missing, `n` and the 16 hexadecimal digits of a double, or `s` and a text's UTF-8 bytes in hexadecimal.
An answer is a cell, several numbers for probabilities, or `!` for an error.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from treecli.errors import CheckError, UsageError
from treecli.files.signals import removed_on_signal
from treecli.predict.program import Program
from treecli.verifiers import REFUSED, Answer, Cell, Row

SHORT_LIVED = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Settings of a Java machine that runs for a second: no time for the second compiler and for threads that collect."""


def tool(names: Sequence[str], what: str, package: str) -> str:
    """Return the path of the first of the programs that is installed."""
    for name in names:
        found = shutil.which(name)
        if found is not None:
            return found
    raise UsageError(
        f"--verify: needs {what} ({' or '.join(names)}), which is not installed",
        f"on Debian and Ubuntu: apt install {package}; or leave out --verify",
    )


@contextmanager
def workshop(files: dict[str, str], program: Program, rows: list[Row]) -> Iterator[Path]:
    """Create a temporary folder that holds the files, `columns.txt` and `rows.txt`."""
    with TemporaryDirectory(prefix="treecli-") as folder, removed_on_signal(partial(shutil.rmtree, folder, True)):
        path = Path(folder)
        for name, text in files.items():
            (path / name).write_text(text, encoding="utf-8", newline="\n")
        columns = (program.schema.columns[index].name for index in program.attributes)
        (path / "columns.txt").write_text("".join(f"{_written(name)}\n" for name in columns), encoding="ascii")
        with (path / "rows.txt").open("w", encoding="ascii", newline="\n") as stream:
            stream.writelines(" ".join(map(_written, row)) + "\n" for row in rows)
        yield path


def run(command: Sequence[str], folder: Path) -> str:
    """Return a program's output; on failure raise CheckError with the first error line of stderr, else the last."""
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode != 0:
        complaint = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"]
        telling = next((line for line in complaint if "error" in line.lower()), complaint[-1])
        raise CheckError(f"the artefact does not run: {Path(command[0]).name}: {telling}", "nothing was written")
    return done.stdout.decode("ascii")


def answers_in(output: str) -> list[Answer]:
    """Return the answers that a program printed."""
    return [_answer(line) for line in output.splitlines()]


def _written(cell: Cell) -> str:
    if cell is None:
        return "-"
    return f"s{cell.encode().hex()}" if isinstance(cell, str) else f"n{struct.pack('>d', cell).hex()}"


def _answer(line: str) -> Answer:
    if line == "!":
        return REFUSED
    if line == "-":
        return None
    if line.startswith("s"):
        return bytes.fromhex(line[1:]).decode()
    numbers = tuple(float(struct.unpack(">d", bytes.fromhex(word[1:]))[0]) for word in line.split(" "))
    return numbers if " " in line else numbers[0]
