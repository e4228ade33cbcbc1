"""The heading of a model file: format, schema and settings, checked on the way in."""

from __future__ import annotations

import re
from math import inf

import msgspec

from treecli.data import Attribute, Kind, Schema
from treecli.errors import ModelError

FORMAT = "treecli-model"
FORMAT_VERSION = 1


class _AttributeRecord(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    name: str
    kind: Kind
    labels: list[str] = []
    range: tuple[float, float] | None = None


class SchemaRecord(msgspec.Struct, forbid_unknown_fields=True):
    attributes: list[_AttributeRecord]
    target: _AttributeRecord


class Heading(msgspec.Struct):
    """The fields that identify a model file, read first."""

    format: str | None = None
    format_version: int | None = None


_ENTRY = re.compile(r" - at `\$\.(node|rule)s\[(\d+)\]\.?(.*)`")
"""How msgspec names a place in a node or a rule."""


def placed(error: msgspec.ValidationError) -> str:
    """The error in a file's JSON, after the node or rule that it is in."""
    found = _ENTRY.search(str(error))
    if found is None:
        return str(error)
    message, (kind, index, field) = str(error)[: found.start()], found.groups()
    number = int(index) + (kind == "rule")  # messages count rules from 1, nodes are named by their id
    return f"{kind} {number}: {message}" + (f" - at `{field}`" if field else "")


def attribute_record(attribute: Attribute) -> _AttributeRecord:
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
    return Schema(tuple(attributes[:-1]), attributes[-1])
