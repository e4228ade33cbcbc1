"""Boosted trees; the file has a tree a line, and docs/model.md describes the format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.model import BoostedModel
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
from treecli.predict.ensembles import boosted_answers

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

TITLE = "a boosted ensemble"


def decode(text: bytes, name: str) -> BoostedModel:
    """Return the boosted trees in a file; `name` is the file's name in messages."""
    return decode_as(BoostedModel, text, name)


def answers(model: BoostedModel, dataset: Dataset, jobs: int | None = None) -> tuple[Column, FloatArray]:
    return boosted_answers(model, dataset, jobs)
