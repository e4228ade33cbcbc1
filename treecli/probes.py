"""Rows that lie where a model's answer may change: at every bound, next to it, at every label, without a value.

For each node there is a row that comes there, and copies of it with one value changed. Whoever answers all of them
as the model does, has understood it.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, nan, nextafter
from random import Random
from sys import float_info
from typing import TYPE_CHECKING

from treecli.data import MISSING, UNSEEN, Dataset, Schema
from treecli.flow import Flow, Test, Values

if TYPE_CHECKING:
    from treecli.data import Column

MOST_CELLS = 2_000_000
"""Of all probes together; beyond that only some of them are taken, evenly."""

N_MIXED = 300
"""Rows with values drawn for every attribute, of which some are missing."""

MISSING_SHARE = 0.25

Probe = dict[int, float]
"""A value for some attributes, NaN and codes below 0 as in a data set."""


def probes(flow: Flow) -> Dataset:
    """The probes of a model as rows of its schema."""
    import numpy as np

    schema = flow.schema
    n_most = MOST_CELLS // max(len(schema.attributes), 1)
    n_all = sum(1 for _ in _probes(flow, stride=0))
    rows = [*_probes(flow, stride=1 + n_all // n_most), *_mixed(flow)]
    columns: list[Column] = []
    for index, attribute in enumerate(schema.attributes):
        values = [row.get(index, 0.0) for row in rows]
        columns.append(np.array(values, np.float64) if attribute.is_numeric else np.array(values, np.int32))
    return Dataset(schema, columns, None, np.ones(len(rows)))


def _probes(flow: Flow, stride: int) -> Iterator[Probe]:
    """Every `stride`-th of the rows; with 0 their number is right, and nothing else."""
    place = 0
    pending: list[tuple[int, dict[int, Values]]] = [(0, {})]
    while pending:
        node, path = pending.pop()
        for test in [*(way.test for way in flow.ways[node]), flow.spreads.get(node, ())]:
            for member in test or ((),):
                here = _narrowed(path, member)
                for attribute, value in [(None, nan), *_changes(member, flow.schema)]:
                    place += 1
                    if stride and place % stride == 0 and here is not None:
                        probe = {index: pick(values) for index, values in here.items()}
                        yield probe if attribute is None else {**probe, attribute: value}
                    elif not stride:
                        yield {}
        for way in flow.ways[node]:
            if way.child != node:
                ways_in = (_narrowed(path, member) for member in way.test)
                pending.append((way.child, next((found for found in ways_in if found is not None), path)))


def _narrowed(path: dict[int, Values], member: tuple[Values, ...]) -> dict[int, Values] | None:
    """What holds on a path and beyond one more test; None where no value can satisfy both."""
    narrowed = dict(path)
    for values in member:
        before = narrowed.get(values.attribute)
        both = values if before is None else before.merge(values)
        if not (both.holds_known or both.missing or both.unseen):
            return None
        narrowed[values.attribute] = both
    return narrowed


def pick(values: Values) -> float:
    """One of the values: the highest number if there is one, the first label, else a missing value."""
    if values.codes is None:
        if not values.holds_known:
            return nan
        if values.high < inf:
            return values.high
        return nextafter(values.low, inf) if values.low > -inf else 0.0
    return values.codes[0] if values.codes else MISSING if values.missing else UNSEEN


def _changes(member: tuple[Values, ...], schema: Schema) -> Iterator[tuple[int, float]]:
    for values in member:
        for value in critical(values, schema):
            yield values.attribute, value


def critical(values: Values, schema: Schema) -> list[float]:
    """The values of an attribute about which a test may be mistaken."""
    if values.codes is not None:
        return [*range(len(schema.attributes[values.attribute].labels)), MISSING, UNSEEN]
    bounds = [bound for bound in (values.low, values.high) if abs(bound) < inf]
    return [near for bound in bounds for near in (nextafter(bound, -inf), bound, nextafter(bound, inf))] + [nan]


def _mixed(flow: Flow) -> Iterator[Probe]:
    """Rows with several missing values, and with numbers that are infinite, huge or tiny."""
    choices: dict[int, set[float]] = {}
    for test in [*(way.test for ways in flow.ways for way in ways), *flow.spreads.values()]:
        for values in _members(test):
            known = (value for value in critical(values, flow.schema) if value == value and value != MISSING)
            choices.setdefault(values.attribute, set()).update(known)
    random = Random(0)
    lists: dict[int, list[float]] = {}
    for attribute, known_values in sorted(choices.items()):
        is_numeric = flow.schema.attributes[attribute].is_numeric
        extremes = {-inf, inf, -float_info.max, float_info.max, 5e-324, -5e-324, 0.0} if is_numeric else set()
        lists[attribute] = sorted(known_values | extremes)
    for _ in range(N_MIXED if lists else 1):
        yield {attribute: _drawn(random, values, flow.schema, attribute) for attribute, values in lists.items()}


def _drawn(random: Random, values: list[float], schema: Schema, attribute: int) -> float:
    if random.random() < MISSING_SHARE:
        return nan if schema.attributes[attribute].is_numeric else MISSING
    return random.choice(values)


def _members(test: Test) -> Iterator[Values]:
    return (values for member in test for values in member)
