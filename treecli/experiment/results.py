"""The file of an experiment's results: its specification on the first line, then a line for each finished run.

A run is appended by one write. A process that is killed leaves at most one incomplete line, which the next one drops.
At the end the lines are in the order of the specification, so a file that was interrupted, or extended by learners and
data sets, has the same bytes as one that was not.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treecli.errors import DataError, UsageError, nearby_file
from treecli.files import atomic, guard

Spec = dict[str, Any]
"""A specification of results: plain values, and the `learners` and `datasets`, each a list of records with a `name`."""

Record = dict[str, Any]
"""A finished run: `dataset`, `learner`, `run`, and either `cells`, a record for each fold, or an `error`."""

Key = tuple[str, str, int]

KIND = "treecli_results"
"""The first key of a results file; its value is the command that made it."""

LISTS = {"learners": "learner", "datasets": "data set"}
"""The parts of a specification that may grow, and what their entries are called."""

START_OVER = "use --force to start over, or another file to keep both"


@dataclass(slots=True)
class Results:
    """The runs that are finished, in memory and, if there is a `path`, in a file."""

    spec: Spec
    path: str | None = None
    records: dict[Key, Record] = field(default_factory=dict)

    def finished(self, dataset: str, learner: str, run: int) -> Record | None:
        """Return the record of a run; None if it has not finished or has failed."""
        record = self.records.get((dataset, learner, run))
        return None if record is None or "error" in record else record

    def add(self, record: Record) -> None:
        """Append a finished run."""
        self.records[key_of(record)] = record
        if self.path is None:
            return
        line = _line(record)
        try:
            file = os.open(self.path, os.O_WRONLY | os.O_APPEND)
            try:
                written = os.write(file, line)
            finally:
                os.close(file)
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be written: {error.strerror}") from error
        if written < len(line):
            raise UsageError(f"{self.path}: cannot be written: the disk is full")

    def finish(self) -> None:
        """Put the lines of the file in the order of the specification."""
        if self.path is None:
            return
        content = b"".join(self._lines())
        if Path(self.path).read_bytes() != content:
            _replace(self.path, [content])

    def _lines(self) -> Iterator[bytes]:
        yield _line(self.spec)
        for key in self.runs():
            if key in self.records:
                yield _line(self.records[key])

    def runs(self) -> Iterator[Key]:
        """Yield the runs of the specification, in order."""
        for dataset in self.spec["datasets"]:
            for learner in self.spec["learners"]:
                for run in range(1, self.spec["repeats"] + 1):
                    yield dataset["name"], learner["name"], run


def key_of(record: Record) -> Key:
    return record["dataset"], record["learner"], record["run"]


def opened(path: str | None, spec: Spec, *, is_new: bool = False) -> Results:
    """Return the results of a specification, with those of the file that were made for it before.

    A file of another specification is refused, except that learners and data sets may be added. `is_new` starts over.
    """
    results = planned(path, spec, is_new=is_new)
    if path is None:
        return results
    results.path = path
    _replace(path, [_line(results.spec), *map(_line, results.records.values())])
    return results


def planned(path: str | None, spec: Spec, *, is_new: bool = False) -> Results:
    """Return the results that `opened` would start from, and change no file."""
    if path is None or not os.path.exists(path) or not os.path.getsize(path):
        return Results(spec)
    before = read(path)  # also if it starts over: a file of another kind is not overwritten
    return Results(spec) if is_new else Results(_extended(path, before.spec, spec), None, before.records)


def read(path: str) -> Results:
    """Return the results in a file, which is left as it is; an incomplete last line is passed over."""
    try:
        with guard.open_input(path) as stream:
            lines = stream.read().split(b"\n")[:-1]
    except OSError as error:
        hint = nearby_file(path, (".jsonl",)) if isinstance(error, FileNotFoundError) else None
        raise UsageError(f"{path}: cannot be read: {error.strerror}", hint) from error
    name = guard.as_text(path)
    spec = _parsed(lines[0] if lines else b"", name, 1)
    if next(iter(spec), None) != KIND or not all(isinstance(spec.get(key), list) for key in LISTS):
        raise UsageError(f"{name}: is not a results file of treecli, and is left as it is", "name another file")
    results = Results(spec, path)
    for number, line in enumerate(lines[1:], start=2):
        record = _parsed(line, name, number)
        try:
            results.records[key_of(record)] = record
        except KeyError as error:
            raise DataError(f"{name}:{number}: found no {error}, expected a finished run", "remove the line") from None
    return results


def _parsed(line: bytes, name: str, number: int) -> Record:
    try:
        record = json.loads(line)
    except ValueError:
        record = None
    if isinstance(record, dict):
        return record
    if number == 1:
        return {}
    raise DataError(f"{name}:{number}: found a line that is not a JSON object, expected a finished run")


def _extended(path: str, before: Spec, spec: Spec) -> Spec:
    """Return the specification of the file with the new learners and data sets; raise if anything else differs."""
    for key in dict.fromkeys((*spec, *before)):
        if key not in LISTS and before.get(key) != spec.get(key):
            name = "command" if key == KIND else key.replace("_", "-")
            raise UsageError(
                f"{path}: made with {name} {_shown(before.get(key))}, not {_shown(spec.get(key))}", START_OVER
            )
    return spec | {key: _united(path, noun, before[key], spec[key]) for key, noun in LISTS.items()}


def _united(path: str, noun: str, before: Sequence[Record], asked: Sequence[Record]) -> list[Record]:
    """Return all entries; the order of the file remains unless entries are new."""
    known = {entry["name"]: entry for entry in before}
    for entry in asked:
        own = known.get(entry["name"], entry)
        for key in entry:
            if own.get(key) != entry[key]:
                found, wanted = _shown(own.get(key)), _shown(entry[key])
                raise UsageError(
                    f"{path}: made with {key} {found} of the {noun} '{entry['name']}', not {wanted}", START_OVER
                )
    names = {entry["name"] for entry in asked}
    if names <= known.keys():
        return list(before)
    return [*asked, *(entry for entry in before if entry["name"] not in names)]


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={entry}" for key, entry in value.items()) or "nothing"
    return "nothing" if value is None else str(value) or "''"


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _replace(path: str, pieces: Sequence[bytes]) -> None:
    try:
        atomic.replace(os.path.realpath(path), pieces)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error
