"""The arithmetic of lookahead: a split is worth its gain plus the gains of the best splits of its branches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from treecli.teaching.branches import values_of
from treecli.teaching.formulas import Formula, Product, Quotient, Result, Share, Step, added
from treecli.teaching.numbers import NOTHING
from treecli.teaching.trace import Ahead, Candidate, Further

if TYPE_CHECKING:
    from treecli.teaching.candidates import Writer
    from treecli.teaching.seen import Below, Seen


NOTHING_FURTHER = "no split of a branch gains anything"


def with_ahead(
    writer: Writer, found: Candidate, conditions: Sequence[str], seen: Seen, below: tuple[Below, ...]
) -> Candidate:
    """Return a candidate with the best splits of its branches, and the gain of all of them together.

    `conditions` has the condition of every branch.
    """
    assert found.gain is not None
    notation, digits = writer.notation, writer.style.digits
    total = sum(branch.mass for branch in found.branches) + found.unknown_mass
    further = tuple(_further(writer, conditions[own.branch], own) for own in below)
    worths = [(own.mass, own.candidate.worth) for own in further]
    gain = Step(notation.ahead(found.title), _with_shares(found.gain, worths, total), digits)
    if not further:
        gain = replace(gain, remark=NOTHING_FURTHER)
    info = ratio = None
    score = found.gain.exact / writer.scale
    if found.info is not None:
        infos = [(own.mass, _info(own.candidate)) for own in further]
        name = replace(found.info.name, below="subtree")
        info = Step(name, _with_shares(found.info, infos, total), digits)
        if found.ratio is not None:
            score = found.ratio.exact
        if info.exact > NOTHING:
            ratio = Step(
                replace(notation.ratio(found.title), below="subtree"), Quotient(Result(gain), Result(info)), digits
            )
    return replace(found, ahead=Ahead(further, gain, info, ratio, score), ratio=ratio)


def _info(candidate: Candidate) -> Step | None:
    return candidate.info if candidate.ahead is None else candidate.ahead.info


def _with_shares(own: Step, others: list[tuple[float, Step | None]], total: float) -> Formula:
    """Return a number of a split plus those of its branches, each times the branch's share of the cases."""
    parts = [Product((Share(weight, total), Result(step))) for weight, step in others if step is not None]
    return added([Result(own), *parts])


def _further(writer: Writer, condition: str, own: Below) -> Further:
    growth = writer.growth
    text = f"{writer.of}, {condition}" if writer.of else condition
    inner = replace(writer, of=text)
    rows, weights = own.seen.rows, own.seen.weights
    (counts,) = writer.outcomes(np.zeros(len(rows), np.int64), 1, own.seen)
    whole = inner.impurity_step(inner.notation.whole(), counts)
    values = values_of(growth.dataset, own.option.attribute, rows)
    found = inner.worked_out(own.seen, own.option, values, whole)
    ahead = None if found.ahead is None else replace(found.ahead, ratio=None)
    # The gain decides below; the ratio is that of the whole subtree.
    mass = float(writer.scaled(counts).sum()) if not growth.plan.is_numeric else float(weights.sum())
    return Further(text, float(weights.sum()), whole, replace(found, ratio=None, ahead=ahead), mass)
