"""Rows that show a defect of rules on derived columns, whose values depend on those of the attributes."""

from __future__ import annotations

from math import inf, nan, nextafter
from random import Random
from typing import TYPE_CHECKING

from treecli.data import MISSING, UNSEEN
from treecli.rules.boxes import Box, Space, Witness, shortest_between
from treecli.values import Condition, Labels

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.predict.probevalues import Probe

N_TRIALS = 200
"""Rows that are tried."""


def witness(space: Space, box: Box) -> Witness | None:
    """Return a row of a box; None if none was found, which happens only if the box restricts derived columns.

    A box treats a derived column as independent of the attributes, so that it may contain no row at all.
    """
    n_attributes = len(space.schema.attributes)
    if all(index < n_attributes for index in box):
        return space.witness(box)
    from treecli.predict.probeparts import usual_values
    from treecli.predict.probevalues import dataset_of

    random = Random(0)
    parts = space.schema.inputs(box)
    choices = {part: usual_values(space.schema.columns[part]) or [float(MISSING)] for part in parts}
    # Derived columns come last: attributes are moved until they have these values.
    choices |= {index: _some_of(values, choices.get(index, [])) for index, values in sorted(box.items())}
    rows: list[Probe] = [{index: random.choice(own) for index, own in choices.items()} for _ in range(N_TRIALS)]
    dataset = dataset_of(space.schema, rows)
    for place in range(N_TRIALS):
        if all(_holds(space, values, dataset, place) for values in box.values()):
            return {part: _example(space, dataset, part, place) for part in parts}
    return None


def _some_of(values: Condition, usual: list[float]) -> list[float]:
    """Return some values of a set, as in a data set: known ones if possible."""
    if isinstance(values, Labels):
        return [float(code) for code in values.codes] or [float(MISSING if values.missing else UNSEEN)]
    if not values.takes_known:
        return [nan]
    ends = [shortest_between(values.low, values.high), values.high, nextafter(values.low, inf)]
    return [number for number in (*ends, *usual) if abs(number) < inf and values.holds(number)]


def _holds(space: Space, values: Condition, dataset: Dataset, place: int) -> bool:
    value = dataset.column(values.attribute)[place].item()
    if space.schema.columns[values.attribute].is_numeric:
        return values.holds(None if value != value else value)
    if value == UNSEEN and space.tells_unseen:
        return values.unseen
    return values.holds(None if value < 0 else value)


def _example(space: Space, dataset: Dataset, part: int, place: int) -> float | int | None:
    value: float | int = dataset.columns[part][place].item()
    if space.schema.columns[part].is_numeric:
        return None if value != value else float(value)
    return None if value < 0 else int(value)
