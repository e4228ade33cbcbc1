"""Place the thresholds of all nodes of subtrees that were grown depth first."""

from __future__ import annotations

import numpy as np

from treecli.grow import thresholds
from treecli.grow.candidates import Cuts, Flags, Floats, empty_test
from treecli.grow.mixed_columns import Shared
from treecli.grow.nodes import Nodes
from treecli.kernels import codes


def place(nodes: Nodes, neighbour: Floats, is_apart: Flags, shared: Shared) -> None:
    """Set the numbers of the nodes that ordered attributes split, given the values on both sides of each cut.

    `is_apart`: known values are divided from missing ones, at no threshold.
    """
    at_once = [a for a in shared.ordered if _is_placed_at_once(a, shared)]
    if not _are_placed_at_once(nodes, at_once, neighbour, nodes.is_inner & ~is_apart, shared):
        at_once = []
    for a in shared.ordered:
        if a not in at_once:
            _place_of(a, nodes, neighbour, is_apart, shared)


def _is_placed_at_once(attribute: int, shared: Shared) -> bool:
    """Return whether thresholds on a numeric attribute are midpoints, or data values that are clearly apart."""
    plan, engine = shared.plan, shared.engine
    if not engine.schema.attributes[attribute].is_numeric:
        return False
    tolerance = min(plan.tolerance, plan.value_gap)
    if plan.settings.splitting.threshold == "midpoint" or shared.move is not None:
        return True
    return bool(0 < thresholds.FINE * tolerance < engine.least_gap(attribute))


def _are_placed_at_once(nodes: Nodes, attributes: list[int], neighbour: Floats, is_cut: Flags, shared: Shared) -> bool:
    """Set the thresholds on these attributes in a few operations; return False if there are too many."""
    plan, engine = shared.plan, shared.engine
    place = np.full(len(shared.n_labels), -1)
    place[attributes] = np.arange(len(attributes))
    own = np.flatnonzero(is_cut & (place[nodes.attribute] >= 0))
    if not len(own):
        return True
    n_rows = len(engine.column(attributes[0]))
    number = thresholds.between(*neighbour[own].T, is_strict=plan.is_strict)
    if plan.settings.splitting.threshold == "datavalue" and shared.move is not None:
        number = shared.move(nodes, own, number)
    elif plan.settings.splitting.threshold == "datavalue":
        if len(own) * n_rows > thresholds.MOST_AT_ONCE:
            return False
        values = np.array([engine.column(a) for a in attributes])[place[nodes.attribute[own]]]
        number = thresholds.at_values_below(number, values, min(plan.tolerance, plan.value_gap))
    nodes.number[own] = number
    return True


def _place_of(attribute: int, nodes: Nodes, neighbour: Floats, is_apart: Flags, shared: Shared) -> None:
    """Set the thresholds of the nodes that one attribute splits."""
    own = np.flatnonzero(nodes.attribute == attribute)
    if not len(own):
        return
    lower, upper = neighbour[own].T
    side = np.where(is_apart[own], codes.KNOWN_OR_NOT, codes.NO_SIDE).astype(np.int32)
    gain = np.zeros(len(own))
    cuts = Cuts(gain, gain, lower, upper, side, empty_test(len(own)))
    found = thresholds.placed(shared.engine, attribute, cuts)
    assert found.number is not None
    nodes.number[own] = found.number
    if found.printed is not None:
        for i in np.flatnonzero(found.printed != found.number).tolist():
            nodes.note(int(own[i]), "printed", float(found.printed[i]))
