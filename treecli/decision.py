"""From candidates to splits: what the chosen ones ask, how the level keeps it, and what is remembered beside it."""

from __future__ import annotations

from typing import Any

import numpy as np

from treecli import binning
from treecli.candidates import Candidates, Codes, Floats
from treecli.data import Schema
from treecli.levels import Level
from treecli.memory import Decision
from treecli.tree import ALL_BRANCHES, LEAF, STAYS, kinds, split_type


def decided(candidates: list[Candidates], chosen: Codes, *, stays: bool) -> Decision:
    """What the chosen candidates ask, in the form in which the engine sends cases down.

    `stays`: a case whose value is missing ends at the node.
    """
    n = len(chosen)
    n_branches, number, missing_to = np.zeros(n, np.int64), np.zeros(n), np.full(n, ALL_BRANCHES, np.int32)
    tables: dict[int, Codes] = {}
    bounds: dict[int, Floats] = {}
    for attribute in _used(chosen):
        found, nodes = candidates[attribute], np.flatnonzero(chosen == attribute)
        n_branches[nodes] = found.n_branches[nodes]
        missing_to[nodes] = found.missing_to[nodes]
        if found.number is not None:
            number[nodes] = found.number[nodes]
        if found.table is not None:
            # Where known values are parted from missing ones, all labels take the first branch.
            tables[attribute] = np.where(found.parts_missing[nodes, None], 0, found.table[nodes])
            number[nodes] = np.where(found.parts_missing[nodes], np.inf, 0.0)
        if found.bounds is not None:
            bounds[attribute] = found.bounds
    if stays:
        missing_to[:] = STAYS
    first_child = np.concatenate([[0], np.cumsum(n_branches)])
    return Decision(chosen, first_child, number, missing_to, tables, bounds)


def kinds_of(candidates: list[Candidates], chosen: Codes) -> np.ndarray:
    """The kind of each node's split, or LEAF."""
    kind = np.full(len(chosen), LEAF, np.int8)
    for attribute in _used(chosen):
        found, nodes = candidates[attribute], chosen == attribute
        kind[nodes] = kinds().index(found.kind)
        if found.kind == "bins":
            kind[nodes & binning.is_two_way(found)] = kinds().index("threshold")
        kind[nodes & found.parts_missing] = kinds().index("known")
    return kind


def first_branches(candidates: list[Candidates], chosen: Codes) -> Codes:
    """The branch of each node with the smaller mean, and 0 where that is not known."""
    first = np.zeros(len(chosen), np.int32)
    for attribute in _used(chosen):
        found, nodes = candidates[attribute], chosen == attribute
        if found.first is not None:
            first[nodes] = found.first[nodes]
    return first


def keep_tables(level: Level, nodes_of_level: np.ndarray, decision: Decision) -> None:
    """Puts the tables from labels to branches, and bounds, into the order of the level's nodes."""
    known = kinds().index("known")
    nodes_of, sizes = {}, np.zeros(len(nodes_of_level), np.int64)
    binned = {}
    for attribute, table in decision.tables.items():
        nodes = np.flatnonzero(decision.attribute == attribute)
        has_table = level.kind[nodes_of_level[nodes]] != known
        if attribute in decision.bounds:
            binned[attribute] = nodes[has_table], table[has_table]
            continue
        nodes_of[attribute] = nodes[has_table], table[has_table]
        sizes[nodes[has_table]] = table.shape[1]
    start = np.cumsum(sizes) - sizes
    level.table = np.empty(int(sizes.sum()), np.int32)
    for nodes, table in nodes_of.values():
        level.table[start[nodes, None] + np.arange(table.shape[1])] = table
    level.table_size[nodes_of_level] = sizes
    first, n_further, level.further = binning.bounds_between(binned, decision.bounds, len(nodes_of_level))
    for nodes, _ in binned.values():
        level.number[nodes_of_level[nodes]] = first[nodes]
    level.further_size[nodes_of_level] = n_further


def printed_thresholds(candidates: list[Candidates], chosen: Codes) -> dict[int, float]:
    """The thresholds that J48 prints otherwise than it tests them, by open node."""
    printed = {}
    for attribute in _used(chosen):
        found = candidates[attribute]
        if found.printed is None or found.number is None:
            continue
        for i in np.flatnonzero((chosen == attribute) & (found.printed != found.number)).tolist():
            printed[i] = float(found.printed[i])
    return printed


def competitors(
    candidates: list[Candidates], chosen: Codes, merit: Floats, score: Floats, most: int, schema: Schema
) -> dict[int, list[dict[str, Any]]]:
    """The splits on other attributes that came next at each open node, the best first, of equals the first attribute.

    Each as in a model file, with its score.
    """
    ranked = np.argsort(-merit, axis=0, kind="stable")
    found: dict[int, list[dict[str, Any]]] = {}
    for i in np.flatnonzero(chosen >= 0).tolist():
        others = [a for a in ranked[:, i].tolist() if a != chosen[i] and np.isfinite(merit[a, i])]
        found[i] = [_described(candidates[a], a, i, schema) | {"score": float(score[a, i])} for a in others[:most]]
    return found


def _described(candidate: Candidates, attribute: int, node: int, schema: Schema) -> dict[str, Any]:
    kind = "known" if candidate.parts_missing[node] else candidate.kind
    number = 0.0 if candidate.number is None else float(candidate.number[node])
    table = () if candidate.table is None else tuple(candidate.table[node].tolist())
    further: tuple[float, ...] = ()
    if kind == "bins":
        number, *others = binning.bounds_of(candidate, node)
        kind, further = "bins" if others else "threshold", tuple(others)
    split = split_type(kind).load(attribute, number, table, further)
    return {"kind": kind, "attribute": schema.attributes[attribute].name} | split.to_json(schema)


def _used(chosen: Codes) -> list[int]:
    used: list[int] = sorted(set(chosen[chosen >= 0].tolist()))
    return used
