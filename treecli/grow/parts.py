"""The nodes of subtrees, as arrays: parts are joined, and put in level order."""

from __future__ import annotations

from typing import Any

import numpy as np

from treecli.grow.nodes import settled
from treecli.kernels.args import Plan
from treecli.kernels.level_order import level_order
from treecli.kernels.packed_args import Subtree
from treecli.outcomes.counts import SparseCounts, joined

Arrays = dict[str, Any]
"""The fields of kernels.packed_args.Subtree; the outcomes of many classes are sparse once the nodes are made."""

NARROW: dict[str, type] = {"first_child": np.int32}
"""The types of some fields while the nodes of all subtrees wait to be joined."""

MOST_IN_SINGLE = 1 << 24
"""Counts up to this number are exact in 32 bits."""


def room_for_nodes(n_nodes: int, n_outcomes: int, plan: Plan) -> Arrays:
    """Allocate so many nodes."""
    return {
        "attribute": np.empty(n_nodes, np.int32),
        "first_child": np.empty(n_nodes, np.int64),
        "neighbour": np.empty((n_nodes, 2), np.int32),
        "cost": np.zeros(n_nodes),
        "outcomes": np.empty((n_nodes, n_outcomes)),
        "sums": np.empty((n_nodes if plan.is_numeric else 1, 3)),
    }


def args_of(arrays: Arrays) -> Subtree:
    """Return the nodes as the object that kernels fill."""
    subtree = Subtree()
    for name, values in arrays.items():
        setattr(subtree, name, values)
    return subtree


def first_nodes(arrays: Arrays, n: int, plan: Plan, n_cases: int) -> Arrays:
    """Return copies of the first n nodes of a subtree of so many cases, in types that take little memory.

    They are without the sums, which are needed only while growing, and without costs if thresholds cost nothing.
    """
    left_out = ("sums", "outcomes") if plan.cut_cost else ("sums", "outcomes", "cost")
    copied = {
        name: values[:n].astype(NARROW.get(name, values.dtype))
        for name, values in arrays.items()
        if name not in left_out
    }
    is_exact = not plan.is_numeric and n_cases < MOST_IN_SINGLE
    outcomes = settled(arrays["outcomes"][:n])
    if isinstance(outcomes, SparseCounts):
        return copied | {"outcomes": outcomes}
    return copied | {"outcomes": outcomes.astype(np.float32 if is_exact else np.float64)}


def without_first(arrays: Arrays, n: int) -> Arrays:
    """Return all but the first n nodes, in the same memory."""
    return {
        name: values.taken_at(np.arange(n, len(arrays["attribute"])))
        if isinstance(values, SparseCounts)
        else values[n:]
        for name, values in arrays.items()
    }


def _taken(arrays: Arrays, nodes: np.ndarray) -> Arrays:
    """Return some of the nodes."""
    return {
        name: values.taken_at(nodes) if isinstance(values, SparseCounts) else values[nodes]
        for name, values in arrays.items()
    }


def set_nodes(arrays: Arrays, nodes: np.ndarray, grown: Arrays) -> None:
    """Replace nodes, which were leaves, by the first of those grown below them; their outcomes are the same."""
    for name, values in arrays.items():
        if name != "outcomes":
            values[nodes] = grown[name][: len(nodes)]


def concatenated(parts: list[Arrays]) -> Arrays:
    return {
        name: joined([part[name] for part in parts])
        if isinstance(values, SparseCounts)
        else np.concatenate([part[name] for part in parts])
        for name, values in parts[0].items()
    }


def chained(parts: list[Arrays], roots: list[np.ndarray]) -> Arrays:
    """Return the nodes of a subtree that was grown in parts: each begins with nodes of the part before it.

    roots[i] are the numbers of the first nodes of part i in the part before it.
    """
    if len(parts) == 1:
        return parts[0]
    place, n_nodes, kept = np.zeros(1, np.int64), 1, []
    for part, own in zip(parts, roots, strict=True):
        n = len(part["attribute"])
        place = np.concatenate([place[own], n_nodes + np.arange(n - len(own))])
        is_inner = part["first_child"] > 0
        part["first_child"][is_inner] = place[part["first_child"][is_inner]]
        kept.append((place[: len(own)], part))
        n_nodes += n - len(own)
    whole = concatenated([parts[0], *(without_first(part, len(at)) for at, part in kept[1:])])
    for at, part in kept[1:]:
        set_nodes(whole, at, part)
    return whole


def in_level_order(arrays: Arrays) -> Arrays:
    """Return the nodes in level order, each level in the order of its parents, in the types of the kernels."""
    first_child = arrays["first_child"].astype(np.int64)
    order = np.empty(len(first_child), np.int32)
    level_order(first_child, np.where(first_child > 0, 2, 0).astype(np.int32), order)
    ordered = _taken(arrays, order)
    is_inner = ordered["first_child"] > 0
    ordered["first_child"] = first_child
    first_child[:] = 0
    first_child[is_inner] = 1 + 2 * np.arange(np.count_nonzero(is_inner))
    if not isinstance(ordered["outcomes"], SparseCounts):
        ordered["outcomes"] = ordered["outcomes"].astype(np.float64)
    return ordered
