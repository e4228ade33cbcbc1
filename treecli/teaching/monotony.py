"""Monotone predictions: the bounds of a node, and the splits that are refused because they would not keep the order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite, sqrt
from typing import TYPE_CHECKING

import numpy as np

from treecli.errors import CheckError
from treecli.teaching import trace
from treecli.teaching.branches import values_of
from treecli.teaching.checks import ACCURACY, FAULT, ROUNDING
from treecli.teaching.trace import Candidate, Monotony, NodeTrace, Refused
from treecli.tree import MEAN
from treecli.wording import quoted

if TYPE_CHECKING:
    from treecli.teaching.candidates import Writer
    from treecli.teaching.seen import Option, Ordered, Seen

NONE_ALLOWED = "no split keeps the predictions monotone"

NOT_KEPT = "the order or the bounds would not be kept"


def with_bounds(writer: Writer, found: NodeTrace, seen: Seen) -> NodeTrace:
    """Return a node with the bounds of its predictions, and the splits that are refused.

    Raise an error if a candidate is not allowed.
    """
    ordered = seen.ordered
    assert ordered is not None
    assert found.impurity is not None
    every, refused = [], []
    candidates = {own.attribute: own for own in found.candidates}
    for option in seen.options:
        own = candidates.get(quoted(writer.growth.schema.columns[option.attribute].name))
        if own is None:
            continue
        if not option.is_drawn:
            every.append(own)
            continue
        if option.split is not None:
            why = why_not(writer, own, option.attribute, ordered)
            if why:
                raise CheckError(f"node {found.id}, {own.title}: is not monotone: {why}", FAULT)
            own = _with_marks(writer, own, option.attribute, ordered)
        free = ordered.free[option.attribute]
        if free.split is not None and (option.split is None or free.gain > option.own_gain + ACCURACY):
            refused.append(_refused(writer, free, seen, found))
            if option.split is None:
                own = replace(own, status=trace.EXCLUDED, why=NONE_ALLOWED)
        every.append(own)
    monotony = Monotony(tuple(_bounds(writer, ordered)), tuple(refused))
    return replace(found, candidates=tuple(every), monotony=monotony)


def _refused(writer: Writer, free: Option, seen: Seen, found: NodeTrace) -> Refused:
    assert found.impurity is not None
    assert seen.ordered is not None
    values = values_of(writer.growth.dataset, free.attribute, seen.rows)
    own = replace(writer.worked_out(seen, free, values, found.impurity), test=None)
    writer.check(found.id, free, own, writer.size(found.impurity, seen))
    assert own.gain is not None
    return Refused(own.title, own.gain, why_not(writer, own, free.attribute, seen.ordered) or NOT_KEPT)


def why_not(writer: Writer, own: Candidate, attribute: int, ordered: Ordered) -> str:
    """Return why a split is not allowed; empty if it is."""
    counts = [branch.counts for branch in own.branches]
    place = _broken(writer, counts, ordered.sign_of.get(attribute, 0), ordered)
    if place is None:
        return ""
    kind, branch, number = place
    digits, what, numbers = writer.style.digits, _names(writer)[number], _numbers(writer, counts)
    labels = [each.label for each in own.branches]
    if kind == "order":
        texts = [digits.text(each[number]) for each in numbers]
        rule = "fall" if ordered.sign_of[attribute] > 0 else "rise"
        return f"{what} is {texts[0]} with {labels[0]} and {texts[1]} with {labels[1]}, but must not {rule}"
    side, bound = ("below", ordered.low) if kind == "low" else ("above", ordered.high)
    bound_text = digits.text(bound[number if len(bound) > 1 else 0])
    return f"{what} is {digits.text(numbers[branch][number])} with {labels[branch]}, {side} {bound_text}"


def _with_marks(writer: Writer, own: Candidate, attribute: int, ordered: Ordered) -> Candidate:
    """Return a candidate whose other splits are marked if they are not allowed."""
    sign = ordered.sign_of.get(attribute, 0)
    ways = [replace(way, is_allowed=_broken(writer, way.counts, sign, ordered) is None) for way in own.ways]
    return replace(own, ways=tuple(ways))


def _broken(
    writer: Writer, counts: Sequence[Sequence[float]], sign: int, ordered: Ordered
) -> tuple[str, int, int] | None:
    """Return the first rule that branches break: its kind, the branch and the ordered number; None if there is none."""
    numbers, slack = _numbers(writer, counts), _slack(writer)
    if sign:
        for number, (first, second) in enumerate(zip(numbers[0], numbers[1], strict=True)):
            if sign * (second - first) < -slack:
                return "order", 0, number
    low, high = (np.broadcast_to(own, numbers.shape[1]) for own in (ordered.low, ordered.high))
    for branch, each in enumerate(numbers.tolist()):
        for number, own in enumerate(each):
            if own < low[number] - slack:
                return "low", branch, number
            if own > high[number] + slack:
                return "high", branch, number
    return None


def _numbers(writer: Writer, counts: Sequence[Sequence[float]]) -> np.ndarray:
    """Return the ordered numbers of branches: the mean, or the shares of the second class and above, and so on."""
    table = np.array(counts)
    if writer.growth.plan.is_numeric:
        return np.asarray(table[:, MEAN, None])
    upper = np.cumsum(table[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(upper[:, 1:] / upper[:, :1])


def _slack(writer: Writer) -> float:
    """Return how far an ordered number may be from the learner's."""
    if not writer.growth.plan.is_numeric:
        return ACCURACY
    weight, mean, deviance = writer.growth.tree.outcomes_of(0)
    return ROUNDING * (abs(mean) + sqrt(deviance / weight))


def _names(writer: Writer) -> list[str]:
    target = writer.growth.schema.target
    if target.is_numeric:
        return [f"the mean of {quoted(target.name)}"]
    *middle, last = map(quoted, target.labels[1:])
    return [*(f"the share of {label} and above" for label in middle), f"the share of {last}"]


def _bounds(writer: Writer, ordered: Ordered) -> list[str]:
    """Return the bounds that splits above set."""
    texts = []
    for number, name in enumerate(_names(writer)):
        low, high = (float(own[number if len(own) > 1 else 0]) for own in (ordered.low, ordered.high))
        parts = [f"at least {writer.style.digits.text(low)}"] if isfinite(low) else []
        parts += [f"at most {writer.style.digits.text(high)}"] if isfinite(high) else []
        if parts:
            texts.append(f"{name} stays {' and '.join(parts)} here, halfway between the branches of splits above")
    return texts
