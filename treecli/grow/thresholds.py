"""Place the thresholds of cuts: halfway between two values, at a data value, at a mean or median, or at random."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.grow.candidates import Candidates, Cuts, Floats
from treecli.kernels import drawing
from treecli.kernels import middles as kernel
from treecli.kernels.codes import KNOWN_OR_NOT
from treecli.settings.growing import ONE_PLACE, RANDOM
from treecli.splits.threshold import LOWEST

SHORT_DIGITS = 12
"""Significant digits; sums of decimal fractions differ from decimal fractions only in later ones."""

if TYPE_CHECKING:
    from treecli.grow.level import MemoryLevel, SortedCases
    from treecli.kernels.args import Plan


FINE = 10
"""As in scorers/_usual: values so many tolerances apart cannot lie within one tolerance of a threshold."""

OF_NUMBERS = 1 << 31
"""Stands for the attribute of a random threshold on numbers that are no attribute."""

MOST_AT_ONCE = 1 << 18
"""The limit on thresholds times rows for moving all thresholds of a small tree to data values at once."""


def best(engine: Any, level: MemoryLevel, attribute: int) -> Candidates:
    """Return the best threshold on an ordered attribute at every open node."""
    plan: Plan = engine.plan
    order = level.orders[attribute]
    middles = _middles(level, order, attribute, plan)
    return placed(engine, attribute, plan.scorer.cuts(level, order, middles, plan), middles)


def on_numbers(level: MemoryLevel, order: SortedCases, plan: Plan) -> Candidates:
    """Return the best threshold at every open node on numbers that are no attribute; it is never a data value."""
    middles = _middles(level, order, OF_NUMBERS, plan)
    cuts = plan.scorer.cuts(level, order, middles, plan)
    found = halfway(cuts, middles, is_ordinal=False, is_strict=plan.is_strict)
    if middles is not None or plan.is_strict or found.number is None:
        return found
    is_cut = np.isfinite(found.gain) & ~found.parts_missing
    return replace(found, number=np.where(is_cut, shortened(found.number, cuts.lower, cuts.upper), found.number))


def shortened(number: Floats, lower: Floats, upper: Floats) -> Floats:
    """Return thresholds with fewer digits, where those separate the same two values: 1.72, not 1.7200000000000002."""
    short = np.array([float(f"{own:.{SHORT_DIGITS}g}") for own in number.tolist()])
    return np.where((lower <= short) & (short < upper), short, number)


def _middles(level: MemoryLevel, order: SortedCases, attribute: int, plan: Plan) -> Floats | None:
    """Return the only threshold of every node, if there is one: its mean, its median or a random number."""
    where = plan.settings.splitting.threshold
    if where not in ONE_PLACE:
        return None
    if where == RANDOM:
        return _random(level, order, attribute)
    middles = np.empty(level.n_nodes)
    with np.errstate(over="ignore", invalid="ignore"):
        kernel.middles(level.cases, order.args, where == "median", middles)
    return middles


def _random(level: MemoryLevel, order: SortedCases, attribute: int) -> Floats:
    """Return a random number for every node, at least its least known value and below its greatest."""
    share, first = np.empty(level.n_nodes), level.start[:-1]
    drawing.uniform(level.key, attribute, share)
    low, high = order.value[first], order.value[np.maximum(first + order.n_known - 1, first)]
    with np.errstate(over="ignore", invalid="ignore"):
        number = low + share * (high - low)
        number = np.where(np.isfinite(number), number, (1 - share) * low + share * high)
    number = np.where((number >= low) & (number < high), number, low)
    return np.where(low == low, number, 0.0)


def placed(engine: Any, attribute: int, cuts: Cuts, middles: Floats | None = None) -> Candidates:
    """Return the cuts of an attribute as thresholds, placed as the settings ask."""
    plan: Plan = engine.plan
    is_ordinal = engine.schema.columns[attribute].kind == "ordinal"
    found = halfway(cuts, middles, is_ordinal=is_ordinal, is_strict=plan.is_strict)
    if plan.settings.splitting.threshold != "datavalue":
        return found
    at: Candidates = plan.scorer.at_data_values(
        found, cuts, engine.occurring(attribute), engine.column(attribute), plan
    )
    return at


def halfway(cuts: Cuts, middles: Floats | None, *, is_ordinal: bool, is_strict: bool = False) -> Candidates:
    """Return the best cut of every node as a threshold halfway between the two neighbouring values.

    `middles` are the nodes' means, medians or random numbers, if only those thresholds are allowed. A threshold is
    always below the upper neighbour, so it separates the two. `is_strict`: a value exactly halfway takes the upper
    branch, so the threshold is the next smaller number.
    """
    is_cut = np.isfinite(cuts.gain) & (cuts.missing_side != KNOWN_OR_NOT)
    lower, upper = np.where(is_cut, cuts.lower, 0.0), np.where(is_cut, cuts.upper, 1.0)
    number = between(lower, upper, is_strict=is_strict) if middles is None else np.maximum(middles, LOWEST)
    n_nodes = len(cuts.gain)
    parts_missing = cuts.missing_side == KNOWN_OR_NOT
    return Candidates(
        "threshold",
        cuts.gain,
        cuts.split_info,
        cuts.test,
        n_branches=np.full(n_nodes, 2, np.int32),
        missing_to=np.where(parts_missing, 1, cuts.missing_side).astype(np.int32),
        parts_missing=parts_missing,
        number=np.where(parts_missing, np.inf, np.floor(number) if is_ordinal else number),
        improvement=cuts.improvement,
        first=cuts.first,
        cost=cuts.cost,
    )


def between(lower: Floats, upper: Floats, *, is_strict: bool) -> Floats:
    """Return the thresholds halfway between these values, always below the upper ones; `is_strict` as in `halfway`."""
    with np.errstate(over="ignore", invalid="ignore"):
        number = (lower + upper) / 2
        number = np.where(np.isfinite(number), number, lower / 2 + upper / 2)
    # The midpoint of adjacent doubles may round to the upper one; infinite values have no midpoint.
    number = np.where((number >= lower) & (number < upper), number, lower)
    if is_strict:
        number = np.where(number > lower, np.nextafter(number, lower), number)
    return np.maximum(number, LOWEST)


def at_values_below(number: Floats, values: Floats, tolerance: float) -> Floats:
    """Return for each threshold the largest value in its row of `values` that is not above it by the tolerance.

    The same as scorers/_usual.at_data_values for values that are clearly apart.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        is_below = (values <= number[:, None]) | (values - number[:, None] < tolerance)
    below = np.where(is_below, values, -np.inf)
    first = below.argmax(axis=1)  # the first of equal ones: 0 or -0, as in the file
    return np.asarray(np.maximum(below[np.arange(len(number)), first], LOWEST))
