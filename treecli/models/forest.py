"""A random forest; its file has a tree a line, and docs/model.md describes the format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.model import ForestModel
from treecli.models._ensemble import (
    TREE_HINT,
    columns_used,
    conditions,
    decode_as,
    encode,
    explainer,
    facts,
    n_leaves,
    probes,
    program,
    refuse_unseen,
    trees,
    with_missing,
)
from treecli.predict.ensembles import forest_answers

if TYPE_CHECKING:
    from treecli.data import Column, Dataset, FloatArray

__all__ = [
    "TREE_HINT",
    "columns_used",
    "conditions",
    "encode",
    "explainer",
    "facts",
    "n_leaves",
    "probes",
    "program",
    "refuse_unseen",
    "trees",
    "with_missing",
]

TITLE = "a forest"


def decode(text: bytes, name: str) -> ForestModel:
    """Return the forest in a file; `name` is the file's name in messages."""
    return decode_as(ForestModel, text, name)


def answers(model: ForestModel, dataset: Dataset, jobs: int | None = None) -> tuple[Column, FloatArray]:
    return forest_answers(model, dataset, jobs)
