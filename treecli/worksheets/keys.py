"""Keys: the right answers as CSV, and what marking knows besides: mistakes, and answers that follow from others."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from treecli.errors import DataError
from treecli.worksheets import follow
from treecli.worksheets.csvfile import Line, number_of, read_lines
from treecli.worksheets.follow import Follow
from treecli.worksheets.sheet import Sheet, told_apart
from treecli.writers._delimited import csv_text

KEY, MARKING = "key.csv", "marking.json"
COLUMNS = ("sheet", "blank", "answer", "low", "high", "points")

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """The right answer of a blank; `low` and `high` are None for a choice. `mistakes` are wrong numbers with notes."""

    answer: str
    low: float | None
    high: float | None
    points: float
    choices: tuple[str, ...] = ()
    mistakes: tuple[tuple[float, str], ...] = ()
    follows: Follow | None = None

    @property
    def is_number(self) -> bool:
        return self.low is not None


Key = dict[tuple[str, str], Entry]
"""Entries by sheet and blank, in the order of the sheets."""


def key_text(sheets: Iterable[Sheet]) -> Iterator[str]:
    """Yield the key of some sheets as CSV."""
    rows = [
        (str(sheet.number), blank.key, blank.answer, _cell(blank.low), _cell(blank.high), blank.points)
        for sheet in sheets
        for blank in sheet.blanks()
    ]
    yield from csv_text(COLUMNS, rows)


def _cell(number: float | None) -> str:
    return "" if number is None else f"{number:.4f}".rstrip("0").rstrip(".")


def marking_text(sheets: Iterable[Sheet]) -> Iterator[str]:
    """Yield what marking knows besides the key, as JSON."""
    found = {
        str(sheet.number): {
            blank.key: {
                "choices": blank.choices,
                "mistakes": told_apart(blank) if blank.is_number else (),
                "follows": None if blank.follows is None else blank.follows.to_json(),
            }
            for blank in sheet.blanks()
        }
        for sheet in sheets
    }
    yield json.dumps({"schema_version": SCHEMA_VERSION, "sheets": found}, indent=1, ensure_ascii=False) + "\n"


def read_key(path: str) -> tuple[Key, bool]:
    """Return a key, and whether the file with the mistakes is beside it."""
    key: Key = {}
    for line in read_lines(path, COLUMNS):
        name = line["sheet"], line["blank"]
        if name in key:
            raise DataError(f"{path}:{line.number}: '{name[1]}' of sheet {name[0]} is there already")
        key[name] = _entry(line)
    if not key:
        raise DataError(f"{path}: found no answers")
    beside = os.path.join(os.path.dirname(path), MARKING)
    if not os.path.exists(beside):
        return key, False
    return _with_marking(key, beside), True


def _entry(line: Line) -> Entry:
    low, high = (None if line[name] == "" else number_of(line, name) for name in ("low", "high"))
    if (low is None) != (high is None):
        raise DataError(f"{line.place}: found only one of 'low' and 'high'")
    points = number_of(line, "points")
    if points < 0:
        raise DataError(f"{line.place}: found {line['points']} points, expected 0 or more")
    return Entry(line["answer"], low, high, points)


def _with_marking(key: Key, path: str) -> Key:
    """The key with mistakes and follow-ups; raise a DataError if their file is damaged."""
    from treecli.files import guard

    try:
        with guard.open_input(path) as stream:
            sheets = json.loads(stream.read())["sheets"]
        return {name: _completed(entry, sheets[name[0]][name[1]]) for name, entry in key.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"{path}: does not fit the key ({error!r})", "keep the files that 'worksheet' wrote together"
        ) from error


def _completed(entry: Entry, record: Any) -> Entry:
    mistakes: Sequence[Any] = record["mistakes"]
    return Entry(
        entry.answer,
        entry.low,
        entry.high,
        entry.points,
        tuple(map(str, record["choices"])),
        tuple((float(number), str(note)) for number, note in mistakes),
        None if record["follows"] is None else follow.from_json(record["follows"]),
    )
