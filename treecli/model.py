"""A model file: tree, schema, settings and lineage as JSON, checked on the way in.

docs/model.md describes the format, model.schema.json states it.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from typing import Any, Literal

import msgspec

from treecli.data import Attribute, Kind, Schema
from treecli.errors import ModelError
from treecli.node import Node
from treecli.noderecords import MEAN_KEYS, MEDIAN_KEYS, NodeRecord, encoded, tree_of
from treecli.settings import Settings, recorded
from treecli.settingsrecord import check_settings
from treecli.tree import Tree

FORMAT = "treecli-model"
FORMAT_VERSION = 1

ABSOLUTE = "absolute"
"""The criterion of trees that predict medians."""

Lineage = dict[str, Any]
"""One step that made the model what it is: the command, its options, and what it was given."""


@dataclass(frozen=True, slots=True)
class Model:
    """A tree together with all that is needed to use it and to know where it came from."""

    schema: Schema
    settings: Settings
    lineage: tuple[Lineage, ...]
    tree: Tree

    @property
    def takes_medians(self) -> bool:
        """Whether nodes keep the median of a numeric target and the absolute error in place of mean and deviance."""
        return self.settings.criterion == ABSOLUTE

    def node(self, index: int = 0) -> Node:
        return Node(self.tree, index, self.schema)


class _AttributeRecord(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    name: str
    kind: Kind
    labels: list[str] = []
    range: tuple[float, float] | None = None


class SchemaRecord(msgspec.Struct, forbid_unknown_fields=True):
    attributes: list[_AttributeRecord]
    target: _AttributeRecord


class _ModelRecord(msgspec.Struct, forbid_unknown_fields=True):
    format: Literal["treecli-model"]
    format_version: int
    kind: Literal["tree"]
    schema: SchemaRecord
    settings: Settings
    lineage: list[Lineage]
    nodes: list[NodeRecord]


class Heading(msgspec.Struct):
    """The fields that identify a model file, read first; of the settings only the keys count."""

    format: str | None = None
    format_version: int | None = None
    settings: dict[str, Any] = {}


_ENTRY = re.compile(r" - at `\$\.(node|rule)s\[(\d+)\]\.?(.*)`")
"""How msgspec names a place in a node or a rule."""


def encode(model: Model) -> Iterator[bytes]:
    """The model file, piece by piece: one node a line, so that files can be read, compared and streamed."""
    encoder = msgspec.json.Encoder()
    schema = model.schema
    head = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "kind": "tree",
        "schema": {
            "attributes": [attribute_record(a) for a in schema.attributes],
            "target": attribute_record(schema.target),
        },
        "settings": recorded(model.settings),
        "lineage": list(model.lineage),
    }
    yield b"{\n"
    for key, value in head.items():
        yield encoder.encode(key) + b": " + encoder.encode(value) + b",\n"
    yield b'"nodes": [\n'
    yield from encoded(model.tree, schema, MEDIAN_KEYS if model.takes_medians else MEAN_KEYS)
    yield b"\n]\n}\n"


def decode(text: bytes, name: str) -> Model:
    """The model that a file holds; `name` is what messages call the file."""
    with _no_collection():
        return _decoded(text, name)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Holds the garbage collector, which would look through all nodes again and again while none of them is garbage."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _decoded(text: bytes, name: str) -> Model:
    try:
        heading = msgspec.json.decode(text, type=Heading)
        if heading.format != FORMAT:
            raise ModelError(f"{name}: not a model of treecli's", "models are written by 'treecli train'")
        if heading.format_version != FORMAT_VERSION:
            raise ModelError(
                f"{name}: format version {heading.format_version}, expected {FORMAT_VERSION}",
                "train it again with this treecli, or use the treecli that wrote it",
            )
        record = msgspec.json.decode(text, type=_ModelRecord)
    except msgspec.ValidationError as error:
        raise ModelError(f"{name}: {placed(error)}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ModelError(f"{name}: not readable as JSON: {error}", "the file may be cut off or damaged") from error
    except RecursionError as error:
        raise ModelError(f"{name}: nested too deeply to be a model") from error
    schema = schema_of(record.schema, name)
    settings = record.settings
    check_settings(settings, heading.settings, schema, name)
    tree = tree_of(record.nodes, schema, name, MEDIAN_KEYS if settings.criterion == ABSOLUTE else MEAN_KEYS)
    tree.judge_by(settings.priors, settings.costs, schema.target.labels)
    return Model(schema, settings, tuple(record.lineage), tree)


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
