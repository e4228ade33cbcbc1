"""A tree as a model file: one node a line; docs/model.md describes the format."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import msgspec

from treecli.errors import ModelError
from treecli.model import ABSOLUTE, MEAN_KEYS, MEDIAN_KEYS, Lineage, Model
from treecli.models._heading import FORMAT, FORMAT_VERSION, Heading, SchemaRecord, attribute_record, placed, schema_of
from treecli.models._nodes import NodeRecord, encoded, tree_of
from treecli.models._settings import settings_of
from treecli.settings import recorded


class _ModelRecord(msgspec.Struct, forbid_unknown_fields=True):
    format: Literal["treecli-model"]
    format_version: int
    kind: Literal["tree"]
    schema: SchemaRecord
    settings: dict[str, Any]
    lineage: list[Lineage]
    nodes: list[NodeRecord]


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
    settings = settings_of(record.settings, schema, name)
    tree = tree_of(record.nodes, schema, name, MEDIAN_KEYS if settings.splitting.criterion == ABSOLUTE else MEAN_KEYS)
    tree.judge_by(settings.predicting.priors, settings.predicting.costs, schema.target.labels)
    return Model(schema, settings, tuple(record.lineage), tree)
