"""The heading of a model file: format, schema and settings, validated when read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from math import inf
from typing import Any, TypeVar

import msgspec

from treecli.data import Attribute, Derived, Kind, Schema
from treecli.errors import ModelError
from treecli.features import derived_of, derived_record
from treecli.model import Model
from treecli.settings import recorded

FORMAT = "treecli-model"
FORMAT_VERSION = 1

NODES_OPENING = b'\n"nodes": [\n'
TREES_OPENING = b'\n"trees": [\n'
CLOSING = b"\n]\n}\n"

LARGE = 1 << 17
"""Bytes of a file; in a smaller one, loading the kernel that reads nodes would take more time than it saves."""


class _AttributeRecord(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    name: str
    kind: Kind
    labels: list[str] = []
    range: tuple[float, float] | None = None


class SchemaRecord(msgspec.Struct, forbid_unknown_fields=True):
    attributes: list[_AttributeRecord]
    target: _AttributeRecord
    derived: list[dict[str, Any]] = []


class Heading(msgspec.Struct):
    """The fields that identify a model file, read first."""

    format: str | None = None
    format_version: int | None = None
    kind: Any = None


Record = TypeVar("Record")


def read_heading(text: bytes, name: str) -> Heading:
    """Return the heading of a model file; raise a ModelError if the format or version is wrong."""
    heading = None
    lines = lines_of(text) or lines_of(text, TREES_OPENING)
    if lines is not None:
        with suppress(ModelError):  # reported with its place in the whole file
            heading = decoded(without_nodes(text, lines[0]), Heading, name)
    heading = heading or decoded(text, Heading, name)
    if heading.format != FORMAT:
        raise ModelError(f"{name}: not a model of treecli's", "models are written by 'treecli train'")
    if heading.format_version != FORMAT_VERSION:
        raise ModelError(
            f"{name}: format version {heading.format_version}, expected {FORMAT_VERSION}",
            "train it again with this treecli, or use the treecli that wrote it",
        )
    return heading


def lines_of(text: bytes, opening: bytes = NODES_OPENING) -> tuple[int, int] | None:
    """Return where the nodes, or trees, of a large file begin, and where the line break after the last one is.

    None if the file is small, has no nodes, or is not as treecli writes it: with a node a line.
    """
    if len(text) < LARGE or not text.endswith(CLOSING):
        return None
    start = text.find(opening)
    return None if start < 0 else (start + len(opening), len(text) - len(CLOSING))


def without_nodes(text: bytes, start: int) -> bytes:
    """Return the text before the first node, with an empty list of nodes."""
    return text[:start] + b"]}"


def decoded(text: bytes, record: type[Record], name: str) -> Record:
    """Decode JSON as a record; raise a ModelError with the location of the first error."""
    try:
        return msgspec.json.decode(text, type=record)
    except msgspec.ValidationError as error:
        raise ModelError(f"{name}: {_placed(error)}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ModelError(f"{name}: not readable as JSON: {error}", "the file may be cut off or damaged") from error
    except RecursionError as error:
        raise ModelError(f"{name}: nested too deeply to be a model") from error


def heading_lines(model: Model, **more: Any) -> Iterator[bytes]:
    """Yield the first lines of a model file: an open JSON object with format, schema, settings and lineage.

    `more` has fields to insert before the schema.
    """
    encoder = msgspec.json.Encoder()
    schema = model.schema
    fields: dict[str, Any] = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "kind": model.KIND,
        **more,
        "schema": {
            "attributes": [_attribute_record(a) for a in schema.attributes],
            "target": _attribute_record(schema.target),
            **({"derived": [derived_record(column) for column in schema.derived]} if schema.derived else {}),
        },
        "settings": recorded(model.settings),
        "lineage": list(model.lineage),
    }
    yield b"{\n"
    for key, value in fields.items():
        yield encoder.encode(key) + b": " + encoder.encode(value) + b",\n"


_ENTRY = re.compile(r" - at `\$\.(node|rule)s\[(\d+)\]\.?(.*)`")
"""The location of an error in a node or a rule, in msgspec's messages."""


def _placed(error: msgspec.ValidationError) -> str:
    """Return the message of a JSON error, starting with its node or rule."""
    found = _ENTRY.search(str(error))
    if found is None:
        return str(error)
    message, (kind, index, field) = str(error)[: found.start()], found.groups()
    number = int(index) + (kind == "rule")  # messages number rules from 1; nodes have ids
    return f"{kind} {number}: {message}" + (f" - at `{field}`" if field else "")


def _attribute_record(attribute: Attribute) -> _AttributeRecord:
    return _AttributeRecord(attribute.name, attribute.kind, list(attribute.labels), attribute.range)


def schema_of(record: SchemaRecord, name: str) -> Schema:
    attributes = [Attribute(a.name, a.kind, tuple(a.labels), a.range) for a in [*record.attributes, record.target]]
    for attribute in attributes:
        where = f"{name}: schema: '{attribute.name}'"
        if attribute.is_numeric and attribute.labels:
            raise ModelError(f"{where}: a numeric column has no labels")
        if len(set(attribute.labels)) != len(attribute.labels):
            raise ModelError(f"{where}: a label stands twice")
        if attribute.range is not None and not (
            attribute.is_numeric and -inf < attribute.range[0] <= attribute.range[1] < inf
        ):
            raise ModelError(f"{where}: 'range' must be two rising numbers, of a numeric column")
    if len({attribute.name for attribute in attributes}) != len(attributes):
        raise ModelError(f"{name}: schema: a column's name stands twice")
    if not attributes[-1].is_numeric and not attributes[-1].labels:
        raise ModelError(f"{name}: schema: the target '{attributes[-1].name}' has no labels")
    schema = Schema(tuple(attributes[:-1]), attributes[-1])
    derived: list[Derived] = []
    for number, entry in enumerate(record.derived, start=1):
        try:
            derived.append(derived_of(entry, schema))
        except ValueError as error:
            raise ModelError(f"{name}: schema: derived column {number}: {error}") from error
    if len({column.name for column in (*attributes, *derived)}) != len(attributes) + len(derived):
        raise ModelError(f"{name}: schema: the name of a derived column stands twice")
    return replace(schema, derived=tuple(derived)) if derived else schema
