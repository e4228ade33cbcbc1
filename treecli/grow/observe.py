"""Observers of growing: each is called with a level, its candidates and the choice, before the level is split."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.grow import bins
from treecli.grow.candidates import Candidates
from treecli.tree import split_type

if TYPE_CHECKING:
    from treecli.data import Schema
    from treecli.grow.choose import Chosen
    from treecli.grow.level import Level

Remarks = dict[int, dict[str, Any]]
"""What an observer adds to the notes of nodes, by their numbers in the tree."""

Observer = Callable[["Level", Sequence[Candidates], "Chosen"], Remarks]


def competitors(most: int, schema: Schema) -> Observer:
    """An observer that keeps the splits on other attributes that came next at each node, up to a number of them."""

    def observe(level: Level, candidates: Sequence[Candidates], chosen: Chosen) -> Remarks:
        # The best first, of equals the first attribute.
        ranked = np.argsort(-chosen.merit, axis=0, kind="stable")
        remarks: Remarks = {}
        for i in np.flatnonzero(chosen.attribute >= 0).tolist():
            others = [a for a in ranked[:, i].tolist() if a != chosen.attribute[i] and np.isfinite(chosen.merit[a, i])]
            remarks[int(level.numbers[i])] = {
                "competitors": [
                    described(candidates[a], a, i, schema) | {"score": float(chosen.score[a, i])} for a in others[:most]
                ]
            }
        return remarks

    return observe


def described(candidate: Candidates, attribute: int, node: int, schema: Schema) -> dict[str, Any]:
    """A candidate of one node, as a model file describes a split."""
    kind = "known" if candidate.parts_missing[node] else candidate.kind
    number = 0.0 if candidate.number is None else float(candidate.number[node])
    table = () if candidate.table is None else tuple(candidate.table[node].tolist())
    further: tuple[float, ...] = ()
    if kind == "bins":
        number, *others = bins.bounds_of(candidate, node)
        kind, further = "bins" if others else "threshold", tuple(others)
    split = split_type(kind).load(attribute, number, table, further)
    return {"kind": kind, "attribute": schema.attributes[attribute].name} | split.to_json(schema)
