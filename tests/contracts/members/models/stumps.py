"""Some labels of one column, each with a prediction: the smallest model that is neither a tree nor rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from treecli.model import Lineage, Model
from treecli.models._heading import SchemaRecord, decoded, heading_lines, schema_of
from treecli.models._settings import settings_of

if TYPE_CHECKING:
    from treecli.data import Column, Dataset, FloatArray

TITLE = "a table of labels"


@dataclass(frozen=True, slots=True)
class Stumps(Model):
    """The code of the label that is predicted for each label of a column."""

    KIND: ClassVar[str] = "stumps"

    column: int
    code_of: tuple[int, ...]


class _Record(msgspec.Struct):
    schema: SchemaRecord
    settings: dict[str, Any]
    lineage: list[Lineage]
    column: int
    codes: list[int]


def encode(model: Stumps) -> Iterator[bytes]:
    yield from heading_lines(model)
    yield msgspec.json.encode({"column": model.column, "codes": list(model.code_of)})[1:]


def decode(text: bytes, name: str) -> Stumps:
    record = decoded(text, _Record, name)
    schema = schema_of(record.schema, name)
    settings = settings_of(record.settings, schema, name)
    return Stumps(schema, settings, tuple(record.lineage), record.column, tuple(record.codes))


def answers(model: Stumps, dataset: Dataset, jobs: int | None) -> tuple[Column, FloatArray]:
    import numpy as np

    codes = np.array(model.code_of, np.int32)[np.maximum(dataset.columns[model.column], 0)]
    return codes, np.eye(model.schema.n_outcomes)[codes]


def columns_used(model: Stumps) -> list[int]:
    return [model.column]


def facts(model: Stumps) -> dict[str, Any]:
    return {"kind": model.KIND, "asks": model.schema.attributes[model.column].name, "attributes": []}
