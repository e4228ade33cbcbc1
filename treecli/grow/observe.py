"""Observers are called with each level, its candidates and the chosen splits, and add notes to nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.grow import bins
from treecli.grow.candidates import Candidates
from treecli.splits._registry import split_type

if TYPE_CHECKING:
    from treecli.data import Schema
    from treecli.grow.choose import Chosen
    from treecli.grow.level import Level
    from treecli.settings.growing import Computing

Remarks = dict[int, dict[str, Any]]
"""The notes that an observer adds, by node number in the tree."""

Observer = Callable[["Level", Sequence[Candidates], "Chosen"], Remarks]


def observers_of(computing: Computing, schema: Schema) -> list[Observer]:
    """Return the observers that the settings ask for."""
    found = []
    if computing.competitors > 0:
        found.append(competitors(computing.competitors, schema))
    if computing.ties is not None:
        found.append(ties(computing.ties, computing.tolerance, schema))
    return found


def competitors(most: int, schema: Schema) -> Observer:
    """Return an observer that notes, for each split node, the best `most` splits on other attributes."""

    def observe(level: Level, candidates: Sequence[Candidates], chosen: Chosen) -> Remarks:
        # Best first; ties go to the first attribute.
        ranked = np.argsort(-chosen.merit, axis=0, kind="stable")
        remarks: Remarks = {}
        for i in np.flatnonzero(chosen.attribute >= 0).tolist():
            # Proposed features come after the attributes; those that are not chosen have no column in the model.
            own = [a for a in ranked[:, i].tolist() if a < len(schema.attributes) and np.isfinite(chosen.merit[a, i])]
            others = [a for a in own if a != chosen.attribute[i]]
            remarks[int(level.numbers[i])] = {
                "competitors": [
                    described(candidates[a], a, i, schema) | {"score": float(chosen.score[a, i])} for a in others[:most]
                ]
            }
        return remarks

    return observe


def ties(nearest: float, tolerance: float, schema: Schema) -> Observer:
    """Return an observer that notes, for each split node, the splits on other attributes that tie, or nearly tie.

    Merits that differ by at most the tolerance tie; scores that differ by at most `nearest` nearly do.
    """

    def observe(level: Level, candidates: Sequence[Candidates], chosen: Chosen) -> Remarks:
        ranked = np.argsort(-chosen.merit, axis=0, kind="stable")
        remarks: Remarks = {}
        for i in np.flatnonzero(chosen.attribute >= 0).tolist():
            merit, score, best = chosen.merit[:, i], chosen.score[:, i], int(chosen.attribute[i])
            found = []
            for a in ranked[:, i].tolist():
                if a == best or a >= len(schema.attributes) or not np.isfinite(merit[a]):
                    continue
                is_tie = bool(abs(merit[best] - merit[a]) <= tolerance)
                if is_tie or abs(score[best] - score[a]) <= nearest:
                    record = described(candidates[a], a, i, schema)
                    found.append(record | {"score": float(score[a]), "is_tie": is_tie})
            if found:
                remarks[int(level.numbers[i])] = {"ties": found}
        return remarks

    return observe


def described(candidate: Candidates, attribute: int, node: int, schema: Schema) -> dict[str, Any]:
    """Return a node's candidate as a model file describes a split."""
    kind = "known" if candidate.parts_missing[node] else candidate.kind
    number = 0.0 if candidate.number is None else float(candidate.number[node])
    table = () if candidate.table is None else tuple(candidate.table[node].tolist())
    further: tuple[float, ...] = ()
    if kind == "bins":
        number, *others = bins.bounds_of(candidate, node)
        kind, further = "bins" if others else "threshold", tuple(others)
    split = split_type(kind).load(attribute, number, table, further)
    return {"kind": kind, "attribute": schema.columns[attribute].name} | split.to_json(schema)
