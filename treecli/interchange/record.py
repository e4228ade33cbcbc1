"""Properties of columns that a file's format cannot express: kinds, label order, declared types, notation of numbers.

`treecli convert` stores this record as JSON: beside CSV in the file of --schema, in ARFF as a comment, in Parquet as
metadata. Members with their usual value are left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast, get_args

from treecli.data import Kind
from treecli.errors import DataError, did_you_mean

VERSION = 1

HINT = "'treecli convert DATA.arff DATA.csv --schema FILE.json' writes one"


@dataclass(frozen=True, slots=True)
class ColumnRecord:
    """A column: its kind, its labels in order (None: not restricted), and the type that an ARFF file declares.

    The text of a number is the shortest one, or has this many `decimals`, except in the rows of `texts`.
    """

    name: str
    kind: Kind
    labels: tuple[str, ...] | None = None
    arff: str | None = None
    decimals: int | None = None
    texts: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Record:
    """A file: its title, its columns, the marks of delimited text, row weights, and an Arrow schema in base64."""

    columns: Mapping[str, ColumnRecord]
    title: str = ""
    missing: str = ""
    delimiter: str = ","
    decimal: str = "."
    weights: Sequence[float] | None = None
    parquet: str | None = None

    def column(self, name: str) -> ColumnRecord | None:
        return self.columns.get(name)

    def to_json(self, *, indent: int | None = None) -> str:
        """The record as JSON, in one line unless there is an indent."""
        columns = []
        for column in self.columns.values():
            entry: dict[str, Any] = {"name": column.name, "kind": column.kind}
            entry |= {} if column.labels is None else {"labels": list(column.labels)}
            entry |= {} if column.arff is None else {"arff": column.arff}
            entry |= {} if column.decimals is None else {"decimals": column.decimals}
            entry |= {"texts": {str(row): text for row, text in column.texts.items()}} if column.texts else {}
            columns.append(entry)
        document: dict[str, Any] = {"schema_version": VERSION}
        for name, usual in _USUAL.items():
            value = getattr(self, name)
            if value != usual:
                document[name] = list(value) if name == "weights" else value
        return json.dumps(document | {"columns": columns}, ensure_ascii=False, indent=indent)


_USUAL: dict[str, Any] = {
    "title": "",
    "missing": "",
    "delimiter": ",",
    "decimal": ".",
    "weights": None,
    "parquet": None,
}


def from_json(text: str, place: str) -> Record:
    """The record; DataError, with its place, if the text is not one."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise DataError(f"{place}: is not JSON: {error}", HINT) from None
    if not isinstance(document, dict) or not isinstance(document.get("columns"), list):
        raise DataError(f"{place}: found no columns, expected the schema of a CSV file", HINT)
    if document.get("schema_version") != VERSION:
        found = json.dumps(document.get("schema_version"))
        raise DataError(f"{place}: found the schema_version {found}, expected {VERSION}", HINT)
    given = {name: value for name, value in document.items() if name not in {"schema_version", "columns"}}
    for name, value in given.items():
        if name not in _USUAL:
            raise DataError(f"{place}: found the member '{name}'", did_you_mean(name, _USUAL))
        is_right = _are_numbers(value) if name == "weights" else isinstance(value, str)
        if not is_right:
            raise _wrong(place, name, value)
    columns = [_column(entry, place) for entry in document["columns"]]
    return Record({column.name: column for column in columns}, **given)


def _column(entry: Any, place: str) -> ColumnRecord:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise DataError(f"{place}: found a column without a name", HINT)
    name = entry["name"]
    kind, labels, texts = entry.get("kind"), entry.get("labels"), entry.get("texts", {})
    if kind not in get_args(Kind):
        raise _wrong(place, f"kind' of '{name}", kind, f"one of {', '.join(get_args(Kind))}")
    if labels is not None and not (_are_texts(labels) and len(set(labels)) == len(labels)):
        raise _wrong(place, f"labels' of '{name}", labels, "a list of different texts")
    if not isinstance(texts, dict) or not _are_texts(list(texts.values())) or not all(map(str.isdecimal, texts)):
        raise _wrong(place, f"texts' of '{name}", texts, "texts by row")
    arff, decimals = entry.get("arff"), entry.get("decimals")
    if not isinstance(arff, str | None):
        raise _wrong(place, f"arff' of '{name}", arff)
    if decimals is not None and not (isinstance(decimals, int) and 0 <= decimals <= MOST_DECIMALS):
        raise _wrong(place, f"decimals' of '{name}", decimals, f"a number from 0 to {MOST_DECIMALS}")
    own = None if labels is None else tuple(labels)
    return ColumnRecord(name, cast("Kind", kind), own, arff, decimals, {int(row): text for row, text in texts.items()})


MOST_DECIMALS = 30


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, str) for entry in value)


def _are_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, int | float) for entry in value)


def _wrong(place: str, name: str, value: Any, expected: str = "a text") -> DataError:
    shown = json.dumps(value, ensure_ascii=False)
    return DataError(f"{place}: found {shown[:40]} as '{name}', expected {expected}", HINT)
