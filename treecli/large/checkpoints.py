"""Checkpoints of training where the data are: what must be equal to go on, and the codes that are kept."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treecli import __version__
from treecli.data import Attribute, Schema
from treecli.engines._checkpoint import Checkpoint, reached, write
from treecli.errors import DataError
from treecli.grow.coded import CodedColumn, CodedData
from treecli.large.reading import LargeIntake

if TYPE_CHECKING:
    from treecli.engines._limits import Ceiling
    from treecli.recipe import Recipe

FORMAT = 2
INTAKE, VALUES = "intake.json", "values.npz"


class Read(NamedTuple):
    """Coded data, the notices about their source, and the passes over it."""

    intake: LargeIntake
    remarks: tuple[str, ...]
    n_passes: int


def key_of(engine: str, identity: dict[str, Any], recipe: Recipe, reading: Any, ceiling: Ceiling) -> dict[str, Any]:
    """Return the values that a training must share with the one that it goes on with."""
    given = f"{recipe!r} {reading!r}"
    return {
        "versions": [FORMAT, __version__, engine],
        "data": identity,
        "options": sha256(given.encode()).hexdigest(),
        "sizes of --memory": ceiling.memory,
    }


def save(checkpoint: Checkpoint, read: Read) -> None:
    """Keep the description of the codes, which are in the checkpoint's folder."""
    reached("codes")
    intake, data = read.intake, read.intake.data
    columns = [(own.is_dense, own.n_codes, own.n_missing, own.range) for own in data.columns]
    record = {
        "attributes": [(own.name, own.kind, own.labels) for own in (*data.schema.attributes, data.schema.target)],
        "columns": columns,
        "cases": (data.n_cases, data.n_rows, data.has_weights, data.is_whole, data.target_range),
        "intake": intake[1:],
        "remarks": read.remarks,
        "passes": read.n_passes,
    }
    values = {str(a): own.values for a, own in enumerate(data.columns) if own.values is not None}
    values |= {"classes": data.class_weights, "weights": data.weights}
    with (checkpoint.codes / VALUES).open("wb") as file:
        np.savez(file, **values)  # type: ignore[arg-type]
    # Written last: the codes are complete if it is there.
    write(checkpoint.codes / INTAKE, [json.dumps(record).encode()])
    reached("codes-kept")


def load(checkpoint: Checkpoint) -> Read | None:
    """Return the codes that were kept; None if they were not complete."""
    path = checkpoint.codes / INTAKE
    if not path.exists():
        for left in checkpoint.codes.iterdir():
            left.unlink()
        return None
    try:
        record = json.loads(path.read_bytes())
        with np.load(checkpoint.codes / VALUES, allow_pickle=False) as file:
            values = {name: file[name] for name in file.files}
        *attributes, target = (Attribute(name, kind, tuple(labels)) for name, kind, labels in record["attributes"])
        columns = [
            CodedColumn(is_dense, n_codes, values.get(str(a)), n_missing, None if range_ is None else tuple(range_))
            for a, (is_dense, n_codes, n_missing, range_) in enumerate(record["columns"])
        ]
        n_cases, n_rows, has_weights, is_whole, target_range = record["cases"]
        of_cases = n_cases, n_rows, values["classes"], has_weights, values["weights"]
        name, digest, notices, warnings, left_out = record["intake"]
    except (OSError, ValueError, KeyError, TypeError):
        raise DataError(f"{path}: is damaged", "begin again with a new --checkpoint") from None
    schema = Schema(tuple(attributes), target)
    of_target = None if target_range is None else (target_range[0], target_range[1])
    data = CodedData(schema, columns, checkpoint.codes, *of_cases, is_whole=is_whole, target_range=of_target)
    texts = tuple(notices), tuple(warnings), tuple((own, reason) for own, reason in left_out)
    return Read(LargeIntake(data, name, digest, *texts), tuple(record["remarks"]), record["passes"])
