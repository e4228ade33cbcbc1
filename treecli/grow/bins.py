"""Treat ordered attributes as categories: numeric attributes in bins, and ordinal attributes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from treecli import plugins
from treecli.discretizers import NONE, discretizer
from treecli.errors import UsageError
from treecli.grow.candidates import Candidates, Codes, Flags, Floats, Indices, joined
from treecli.kernels import codes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from treecli.data import Schema
    from treecli.grow.candidates import CountTables
    from treecli.grow.level import MemoryLevel
    from treecli.kernels.args import Plan
    from treecli.settings import Settings

MERGED = "merged"
"""The value of --nominal under which ordinal attributes are also treated as categories."""

Bounds = dict[int, Floats]
"""For each attribute treated as categories: the upper bound of every bin except the last."""


def check(settings: Settings, schema: Schema, impurity: str) -> None:
    """Raise UsageError if the settings ask for categories that cannot be formed on this schema."""
    name = schema.target.name
    cure = f"leave it out, or say --type {name}=nominal"
    if settings.splitting.nominal == MERGED and not schema.is_classification:
        raise UsageError(
            f"--nominal merged tests whether labels differ in their classes, but '{name}' is numeric", cure
        )
    if settings.splitting.discretize == NONE:
        return
    if discretizer(settings.splitting.discretize)[0].CLASSES and not schema.is_classification:
        raise UsageError(
            f"--discretize {settings.splitting.discretize} looks at classes, but '{name}' is numeric", cure
        )
    if impurity == "absolute":
        raise UsageError("--discretize and --criterion absolute exclude each other", "use --criterion variance")


def bounds_at(root: MemoryLevel, schema: Schema, settings: Settings) -> Bounds:
    """Return the bin bounds of the ordered attributes treated as categories, computed from the root's cases."""
    bounds: Bounds = {}
    for index, attribute in enumerate(schema.attributes):
        if attribute.kind == "ordinal" and settings.splitting.nominal == MERGED:
            bounds[index] = np.arange(len(attribute.labels) - 1, dtype=np.float64)
        elif attribute.is_numeric and settings.splitting.discretize != NONE:
            bounds[index] = _numeric_bounds(root, index, settings.splitting.discretize)
    return bounds


def _numeric_bounds(root: MemoryLevel, attribute: int, way: str) -> Floats:
    found, n_bins = discretizer(way)
    order = root.orders[attribute]
    case, values = order.case[: order.n_known[0]], order.value[: order.n_known[0]]
    if not len(values):
        return np.empty(0)
    bounds = found.bounds(values, root.weight[case], root.label[case], n_bins)
    return np.unique(np.maximum(bounds, -np.finfo(float).max))  # JSON has no -inf


def best(tables: Iterable[CountTables], bounds: Floats, plan: Plan) -> Candidates:
    """Return, for every open node, the split with one branch per bin or, if bins are merged, per group of bins."""
    if plan.nominal == codes.MERGED:
        found = joined([plan.grouping.best(each, plan, is_ordered=True) for each in tables])
        return replace(found, bounds=bounds)
    multiway = plugins.load("nominal", "multiway")
    found = joined([multiway.best(each, plan) for each in tables])
    parts_missing = np.full(len(found.gain), len(bounds) == 0)
    return replace(found, kind="bins", parts_missing=parts_missing, bounds=bounds)


def is_two_way(found: Candidates) -> Flags:
    """Return whether the bins of each node form two groups; such a split is a threshold."""
    assert found.table is not None
    return np.asarray(found.table.max(axis=1) == 1)


def bounds_of(found: Candidates, node: int) -> list[float]:
    """Return the bounds between the groups of bins at a node."""
    assert found.table is not None
    assert found.bounds is not None
    table = found.table[node]
    bounds: list[float] = found.bounds[table[1:] != table[:-1]].tolist()
    return bounds


def bounds_between(
    tables: dict[int, tuple[Indices, Codes]], bounds: Bounds, n_nodes: int
) -> tuple[Floats, Indices, Floats]:
    """Return each node's first bound between groups, its number of further bounds, and all further bounds concatenated.

    `tables` maps an attribute to the nodes that it splits and the group of each bin.
    """
    number, n_further = np.zeros(n_nodes), np.zeros(n_nodes, np.int64)
    is_further = {}
    tables = {attribute: pair for attribute, pair in tables.items() if len(pair[0])}
    for attribute, (nodes, table) in tables.items():
        is_bound = table[:, 1:] != table[:, :-1]
        first = is_bound.argmax(axis=1)
        number[nodes] = bounds[attribute][first]
        is_bound[np.arange(len(nodes)), first] = False
        n_further[nodes] = is_bound.sum(axis=1)
        is_further[attribute] = is_bound
    start = np.cumsum(n_further) - n_further
    further = np.empty(int(n_further.sum()))
    for attribute, (nodes, _) in tables.items():
        row, bound = np.nonzero(is_further[attribute])
        of_row = n_further[nodes]
        place_in_row = np.arange(len(row)) - np.repeat(np.cumsum(of_row) - of_row, of_row)
        further[start[nodes][row] + place_in_row] = bounds[attribute][bound]
    return number, n_further, further
