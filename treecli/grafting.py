"""Subtrees that were grown apart, in their places in the tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treecli.candidates import Candidates, Codes, Cuts, Floats, Indices, empty_test
from treecli.data import Schema
from treecli.depthfirst import Grown
from treecli.kernels.score_sums import KNOWN_OR_NOT, NO_SIDE
from treecli.levels import Level, flattened, in_level_order
from treecli.tree import ALL_BRANCHES, LEAF, kinds

Thresholds = Callable[[int, Cuts], Candidates]
"""From an attribute and its cuts to thresholds."""


@dataclass(frozen=True, slots=True)
class Graft:
    """Subtrees, and the numbers that their roots have in the tree, level by level."""

    roots: Indices
    grown: Grown


@dataclass(frozen=True, slots=True)
class Joined:
    """All nodes as one level, in the order of a tree, and what they were before."""

    nodes: Level
    number_before: Codes
    """In the tree of the levels alone; beyond its end for nodes of subtrees."""
    printed: dict[int, float]
    """The thresholds that J48 prints otherwise than it tests them, by node of the subtrees."""


def joined(levels: list[Level], grafts: list[Graft], schema: Schema, nominal: str, thresholds: Thresholds) -> Joined:
    """The tree of these levels with the subtrees in it; `nominal` is how labels are split."""
    trunk = flattened(levels)
    n_trunk = len(trunk.kind)
    n_new = [len(graft.grown.attribute) - len(graft.roots) for graft in grafts]
    first_new = n_trunk + np.cumsum([0, *n_new])
    place = np.concatenate(
        [
            np.concatenate([graft.roots, first + np.arange(n)])
            for graft, first, n in zip(grafts, first_new, n_new, strict=False)
        ]
    )
    # The first of a subtree's own nodes comes after its roots.
    shift = np.concatenate(
        [
            np.full(len(graft.grown.attribute), first - len(graft.roots))
            for graft, first in zip(grafts, first_new, strict=False)
        ]
    )
    n_table = np.cumsum([len(trunk.table), *(len(graft.grown.table) for graft in grafts)])
    table_shift = np.repeat(n_table[:-1], [len(graft.grown.attribute) for graft in grafts])
    grown = Grown(*(np.concatenate([getattr(graft.grown, name) for graft in grafts]) for name in Grown.__slots__))
    is_inner = grown.n_branches > 0
    is_apart = grown.parts_missing.astype(bool) & is_inner
    kind_of = np.array([kinds().index(nominal if a.kind == "nominal" else "threshold") for a in schema.attributes])
    n_labels_of = np.array([len(a.labels) if a.kind == "nominal" else 0 for a in schema.attributes])
    number, printed = _numbers(grown, schema, thresholds)
    outcomes = np.empty((int(first_new[-1]), grown.outcomes.shape[1]))
    outcomes[:n_trunk] = trunk.outcomes
    outcomes[place] = grown.outcomes
    nodes = Level.of_leaves(outcomes)
    table_start = np.zeros(len(outcomes), np.int64)
    table_start[:n_trunk] = np.cumsum(trunk.table_size) - trunk.table_size
    table_start[place] = table_shift + grown.table_start
    for name, of_grown in (
        ("kind", np.where(is_inner, np.where(is_apart, kinds().index("known"), kind_of[grown.attribute]), LEAF)),
        ("attribute", grown.attribute),
        ("number", number),
        ("missing_to", np.where(is_inner, grown.missing_to, ALL_BRANCHES)),
        ("first_child", np.where(is_inner, grown.first_child + shift, 0)),
        ("n_branches", grown.n_branches),
        ("score", np.where(is_inner, grown.worth[:, 0], 0.0)),
        ("improvement", np.where(is_inner, grown.worth[:, 1], 0.0)),
        ("table_size", np.where(is_inner & ~is_apart, n_labels_of[grown.attribute], 0)),
    ):
        values = getattr(nodes, name)
        values[:n_trunk] = getattr(trunk, name)
        values[place] = of_grown
    nodes.table = np.concatenate([trunk.table, *(graft.grown.table for graft in grafts)])
    nodes, number_before = in_level_order(nodes, table_start)
    return Joined(nodes, number_before, {int(place[i]): value for i, value in printed.items()})


def _numbers(grown: Grown, schema: Schema, thresholds: Thresholds) -> tuple[Floats, dict[int, float]]:
    """The number of each node's split, and those that are printed otherwise, by node."""
    is_apart = grown.parts_missing.astype(bool) & (grown.n_branches > 0)
    number = np.where(is_apart, np.inf, 0.0)
    printed = {}
    for a, attribute in enumerate(schema.attributes):
        if attribute.kind == "nominal":
            continue
        nodes = np.flatnonzero(grown.attribute == a)
        if not len(nodes):
            continue
        lower, upper = grown.neighbour[nodes].T
        gain, side = np.zeros(len(nodes)), np.where(is_apart[nodes], KNOWN_OR_NOT, NO_SIDE).astype(np.int32)
        found = thresholds(a, Cuts(gain, gain, lower, upper, side, empty_test(len(nodes))))
        assert found.number is not None
        number[nodes] = found.number
        if found.printed is not None:
            for i in np.flatnonzero(found.printed != found.number).tolist():
                printed[int(nodes[i])] = float(found.printed[i])
    return number, printed
