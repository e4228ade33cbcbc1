"""Attributes drawn at random at each node (Breiman 2001): only these may split it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.grow.candidates import NO_GAIN, Candidates, Flags
from treecli.grow.level import TARGET
from treecli.kernels import drawing

if TYPE_CHECKING:
    from treecli.grow.constraints import Constraints
    from treecli.grow.level import MemoryLevel


def candidates(engine: Any, level: MemoryLevel, constraints: Constraints) -> Sequence[Candidates]:
    """Return the best split of every attribute at the nodes that have drawn it; at all others there is no gain."""
    n_attributes = len(engine.schema.attributes)
    is_drawn = drawn(engine, level)
    if constraints.monotone is not None:
        # The bounds are those of all nodes of the level.
        whole = engine.map(lambda a: engine.candidates(level, a), range(n_attributes), level.n_cases)
        allowed = constraints.allowed(engine, level, whole)
        return [_without_others(own, is_drawn[a]) for a, own in enumerate(allowed)]
    found: list[Candidates] = engine.map(
        lambda a: _of_attribute(engine, level, a, is_drawn[a]), range(n_attributes), level.n_cases
    )
    return found


def drawn(engine: Any, level: MemoryLevel) -> Flags:
    """Return whether each attribute (row) is drawn at each open node (column)."""
    n_attributes = len(engine.schema.attributes)
    live = engine.map(lambda a: is_live(engine, level, a), range(n_attributes), level.n_cases)
    is_drawn = np.zeros((n_attributes, level.n_nodes), np.uint8)
    order = np.arange(n_attributes, dtype=np.int32)
    drawing.draw(level.key, np.array(live, np.uint8), engine.plan.n_sampled, engine.plan.most_drawn, order, is_drawn)
    return is_drawn.astype(bool)


def is_live(engine: Any, level: MemoryLevel, attribute: int) -> Flags:
    """Return whether an attribute has two values at each node, far enough apart for a threshold between them.

    A missing value is one more where it counts as a value.
    """
    first, counts_missing = level.start[:-1], engine.plan.missing_is_value
    if attribute in level.orders and attribute not in engine.bounds:
        order = level.orders[attribute]
        last = np.maximum(first + order.n_known - 1, first)
        has_known, has_missing = order.n_known > 0, order.n_known < np.diff(level.start)
        with np.errstate(invalid="ignore"):
            differ = order.value[first] + order.gap < order.value[last]
    else:
        n_labels, code_of_row = engine.labels(attribute)
        code = code_of_row[level.row]
        most = np.maximum.reduceat(code, first)
        least = np.minimum.reduceat(np.where(code < 0, n_labels, code), first)
        has_known, has_missing = most >= 0, np.minimum.reduceat(code, first) < 0
        differ = least < most
    return np.asarray(has_known & (differ | (has_missing & counts_missing)))


def _of_attribute(engine: Any, level: MemoryLevel, attribute: int, is_drawn: Flags) -> Candidates:
    """Return the best split of an attribute at the nodes that have drawn it, searched among their cases only."""
    if is_drawn.all():
        found: Candidates = engine.candidates(level, attribute)
        return found
    nodes = np.flatnonzero(is_drawn)
    if not len(nodes):
        nodes = np.zeros(1, np.int64)  # any node: the shape of the result is needed
    orders = {own: order for own, order in level.orders.items() if own in (attribute, TARGET)}
    part = replace(level, orders=orders).taken(nodes)
    place = np.zeros(level.n_nodes, np.int64)
    place[nodes] = np.arange(len(nodes))
    return _without_others(engine.candidates(part, attribute).taken(place), is_drawn)


def _without_others(found: Candidates, is_drawn: Flags) -> Candidates:
    return replace(found, gain=np.where(is_drawn, found.gain, NO_GAIN))
