"""Database servers that live as long as a test run, in a temporary folder and behind a socket there.

Rows go in and predictions come out through each server's own command-line client, exactly.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

Cell = str | None


class EngineError(Exception):
    """A server's message about SQL that it rejects."""


@contextmanager
def folder_of(user: str) -> Iterator[tuple[Path, dict[str, str]]]:
    """A temporary folder, and how to run a process that owns it: as `user` where this process is root's."""
    # Not tmp_path: another user could not enter it, and a socket's path must be short.
    folder = Path(mkdtemp(prefix="treecli-"))
    run_as = {}
    if os.geteuid() == 0:
        account = pwd.getpwnam(user)
        os.chown(folder, account.pw_uid, account.pw_gid)
        run_as = {"user": user, "group": account.pw_gid}
    try:
        yield folder, run_as  # type: ignore[misc]
    finally:
        shutil.rmtree(folder)


def run(command: Sequence[str | Path], text: str = "", **options: object) -> str:
    """The output of a program."""
    done = subprocess.run(
        [str(word) for word in command], input=text.encode(), capture_output=True, check=False, **options
    )  # type: ignore[call-overload]
    if done.returncode != 0:
        raise EngineError(done.stderr.decode("utf-8", "replace").strip()[-1000:])
    return str(done.stdout.decode())


class Postgres:
    """PostgreSQL, whose programs Debian keeps outside of PATH."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs = programs
        self.folder = folder

    @staticmethod
    def found() -> Path | None:
        """The folder of the programs of the newest version that is installed."""
        installed = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        on_path = shutil.which("postgres")
        if on_path is not None:
            installed.append(Path(on_path).resolve().parent)
        needed = ("initdb", "pg_ctl", "psql")
        return next((path for path in reversed(installed) if all((path / name).exists() for name in needed)), None)

    @classmethod
    @contextmanager
    def started(cls, programs: Path) -> Iterator[Postgres]:
        with folder_of("postgres") as (folder, run_as):
            data = folder / "data"
            make = [programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"]
            run([*make, "--no-sync"], cwd=folder, **run_as)
            options = f"-k {folder} -c listen_addresses= -c fsync=off"
            control = [programs / "pg_ctl", "-D", data, "-l", folder / "log"]
            run([*control, "-w", "-o", options, "start"], cwd=folder, **run_as)
            try:
                yield cls(programs, folder)
            finally:
                run([*control, "-m", "immediate", "stop"], cwd=folder, **run_as)

    def run(self, script: str) -> list[list[Cell]]:
        """The rows that a script copies out, in the text format of COPY."""
        psql = [self.programs / "psql", "-X", "-q", "-h", self.folder, "-U", "postgres", "-v", "ON_ERROR_STOP=1"]
        output = run([*psql, "-f", "-"], script, env={**os.environ, "PGCLIENTENCODING": "UTF8"})
        return [[self._read(cell) for cell in line.split("\t")] for line in output.split("\n")[:-1]]

    @staticmethod
    def written(cell: float | str | None) -> str:
        """A cell in the text format of COPY."""
        if cell is None:
            return "\\N"
        if not isinstance(cell, str):
            return {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}.get(repr(cell), repr(cell))
        return cell.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")

    @staticmethod
    def _read(cell: str) -> Cell:
        if cell == "\\N":
            return None
        letters = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}
        text, rest = "", iter(cell)
        for letter in rest:
            if letter == "\\":
                letter = next(rest)
                letter = letters.get(letter, letter)
            text += letter
        return text


class MariaDB:
    """MariaDB, through its client in batch mode; texts go and come as hexadecimal digits."""

    def __init__(self, client: str, socket: Path) -> None:
        self.client = client
        self.socket = socket

    @staticmethod
    def found() -> tuple[str, str, str] | None:
        """The programs that create, serve and query a database."""
        search = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/bin"])
        programs = [shutil.which(name, path=search) for name in ("mariadb-install-db", "mariadbd", "mariadb")]
        make, serve, ask = programs
        return (make, serve, ask) if make and serve and ask else None

    @classmethod
    @contextmanager
    def started(cls, programs: tuple[str, str, str]) -> Iterator[MariaDB]:
        make, serve, ask = programs
        with folder_of("mysql") as (folder, run_as):
            data, socket = folder / "data", folder / "socket"
            own = [f"--datadir={data}", "--innodb-flush-log-at-trx-commit=0"]
            run([make, "--no-defaults", *own, "--auth-root-authentication-method=normal"], cwd=folder, **run_as)
            options = [f"--socket={socket}", f"--pid-file={folder / 'pid'}", "--skip-networking", "--skip-grant-tables"]
            with (folder / "log").open("wb") as log:
                server = subprocess.Popen(
                    [serve, "--no-defaults", *own, *options], cwd=folder, stdout=log, stderr=log, **run_as
                )  # type: ignore[call-overload]
            try:
                found = cls(ask, socket)
                found._wait(server, folder / "log")
                found.run("CREATE DATABASE treecli CHARACTER SET utf8mb4;", database="")
                yield found
            finally:
                server.terminate()
                server.wait()

    def _wait(self, server: subprocess.Popen[bytes], log: Path) -> None:
        """Returns as soon as the server answers."""
        while True:
            try:
                self.run("SELECT 1;", database="")
            except EngineError:
                if server.poll() is not None:
                    raise EngineError(log.read_text()[-1000:]) from None
            else:
                return

    def run(self, script: str, *, database: str = "treecli", options: Sequence[str] = ()) -> list[list[Cell]]:
        """The rows that a script selects."""
        command = [self.client, "--no-defaults", f"--socket={self.socket}", "--batch", "--skip-column-names"]
        output = run([*command, "--default-character-set=utf8mb4", *options, *([database] if database else [])], script)
        return [[None if cell == "NULL" else cell for cell in line.split("\t")] for line in output.splitlines()]

    @staticmethod
    def written(cell: float | str | None) -> str:
        if cell is None or cell != cell:  # it has no NaN
            return "NULL"
        if isinstance(cell, str):
            return f"_utf8mb4 X'{cell.encode().hex()}'"
        return repr(cell) if "e" in repr(cell) else f"{cell!r}e0"
