"""A folder from which an interrupted training goes on: the codes, and the counts of every level that was counted.

The tree follows from the counts, so resuming grows it again from them without counting: rows are only moved. Every file
appears complete or not at all.
"""

from __future__ import annotations

import json
from dataclasses import fields
from io import BytesIO
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from treecli.engines._levels import Counted
from treecli.errors import DataError, UsageError
from treecli.files import atomic
from treecli.grow.candidates import CountTables, room_for_cuts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from treecli.grow.candidates import Floats

STATE, CODES = "state.json", "codes"
TOTALS, N_DONE = "totals", "passes"
NAMES_OF_CUTS = ("gain", "split_info", "lower", "upper", "missing_side", "cost")


def reached(point: str) -> None:
    """Do nothing: tests end the process here."""


class Checkpoint:
    """A folder with a checkpoint, which is empty at first; `is_new` if it had none before."""

    def __init__(self, folder: Path, *, is_new: bool) -> None:
        self.folder = folder
        self.is_new = is_new

    @classmethod
    def opened(cls, path: str, key: Mapping[str, Any], *, resumes: bool) -> Checkpoint:
        """Return the checkpoint in a folder; raise an error if it is that of another training.

        The values of `key` are those that must be equal, by what they are.
        """
        folder = Path(path)
        state = folder / STATE
        own = json.loads(json.dumps(key))
        try:
            if state.exists():
                _check(path, own, state, resumes=resumes)
                return cls(folder, is_new=False)
            if folder.is_dir() and any(entry.name != CODES for entry in folder.iterdir() if entry.suffix != ".tmp"):
                raise UsageError(f"--checkpoint: {path} has other files", "name a new or an empty folder")
            rmtree(folder / CODES, ignore_errors=True)
            (folder / CODES).mkdir(parents=True)
            reached("folder")
            write(state, [json.dumps(own).encode()])
        except OSError as error:
            raise UsageError(f"--checkpoint: {path} cannot be written: {error.strerror or error}") from None
        reached("state")
        return cls(folder, is_new=True)

    @property
    def codes(self) -> Path:
        return self.folder / CODES

    def level(self, depth: int, totals: Floats) -> tuple[list[Counted], int] | None:
        """Return the counts of a level and the passes until then; None if it was not counted yet."""
        path = self._path(depth)
        if not path.exists():
            return None
        try:
            with np.load(path, allow_pickle=False) as file:
                if not np.array_equal(file[TOTALS], totals):
                    raise DataError(f"{path}: has the counts of another tree", "begin again with a new --checkpoint")
                return [_read(file, a) for a in range(int(file["attributes"]))], int(file[N_DONE])
        except (OSError, ValueError, KeyError, BadZipFile):
            raise DataError(f"{path}: is damaged", "remove it, or begin again with a new --checkpoint") from None

    def save(self, depth: int, totals: Floats, counted: list[Counted], n_done: int) -> None:
        """Keep the counts of a level."""
        arrays: dict[str, Any] = {TOTALS: totals, N_DONE: n_done, "attributes": len(counted)}
        for a, own in enumerate(counted):
            arrays |= _written(own, a)
        stream = BytesIO()
        np.savez(stream, **arrays)
        reached(f"level-{depth}")
        write(self._path(depth), self._halves(stream.getvalue(), depth))
        reached(f"level-{depth}-kept")

    def _path(self, depth: int) -> Path:
        return self.folder / f"level-{depth}.npz"

    @staticmethod
    def _halves(data: bytes, depth: int) -> Iterable[bytes]:
        yield data[: len(data) // 2]
        reached(f"level-{depth}-writing")
        yield data[len(data) // 2 :]

    def remove(self) -> None:
        """Remove the files of the checkpoint, and the folder if it is empty then."""
        reached("done")
        (self.folder / STATE).unlink(missing_ok=True)
        for path in self.folder.glob("level-*.npz"):
            path.unlink()
        rmtree(self.codes, ignore_errors=True)
        if not any(self.folder.iterdir()):
            self.folder.rmdir()


def write(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file that appears complete or not at all."""
    atomic.replace(str(path.resolve()), pieces)


def _check(path: str, key: Mapping[str, Any], state: Path, *, resumes: bool) -> None:
    """Raise an error if a checkpoint is not to be used, or not the one of a key."""
    try:
        found = json.loads(state.read_bytes())
    except ValueError:
        raise DataError(f"{state}: is damaged", "begin again with a new --checkpoint") from None
    if not resumes:
        raise UsageError(f"--checkpoint: {path} has a checkpoint", "go on with --resume, or name a new folder")
    for name, value in key.items():
        if found.get(name) != value:
            raise UsageError(
                f"--resume: {path} is the checkpoint of another training: {name} differ",
                "give the same data and options, or begin again with a new --checkpoint",
            )


def _written(counted: Counted, attribute: int) -> dict[str, Any]:
    """Return the arrays of the counts of an attribute; those that are None are left out."""
    own: dict[str, Any] = {name: getattr(counted, name) for name in _names_of_arrays()}
    if counted.cuts is not None:
        own |= {f"cuts.{name}": getattr(counted.cuts, name) for name in NAMES_OF_CUTS}
    tables = {f"tables.{name}": getattr(counted.tables, name) for name in _names_of_tables()}
    return {f"{attribute}.{name}": value for name, value in (own | tables).items() if value is not None}


def _read(file: Any, attribute: int) -> Counted:
    found: dict[str, Any] = {}
    for name in file.files:
        start, _, rest = name.partition(".")
        if start == str(attribute):
            value = file[name]
            found[rest] = value.item() if value.ndim == 0 else value
    tables = {name: found.get(f"tables.{name}") for name in _names_of_tables()}
    own: dict[str, Any] = {name: found.get(name) for name in _names_of_arrays()}
    if f"cuts.{NAMES_OF_CUTS[0]}" in found:
        own["cuts"] = room_for_cuts(len(own["missing"]))
        for name in NAMES_OF_CUTS:
            getattr(own["cuts"], name)[:] = found[f"cuts.{name}"]
    return Counted(CountTables(**tables), **own)  # type: ignore[arg-type]


def _names_of_arrays() -> list[str]:
    return [field.name for field in fields(Counted) if field.name not in ("tables", "cuts")]


def _names_of_tables() -> list[str]:
    return list(CountTables.__dataclass_fields__)
