"""The arithmetic of skewing: the gains of the trials, what counts, and which attribute wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from treecli.errors import CheckError
from treecli.teaching import trace
from treecli.teaching.branches import values_of
from treecli.teaching.checks import FAULT, disagree
from treecli.teaching.formulas import Count, Formula, Given, Name, Product, Quotient, Result, Step
from treecli.teaching.trace import Candidate, Instead, NodeTrace, Skewing, Spelled
from treecli.teaching.trace import Trial as Shown

if TYPE_CHECKING:
    from treecli.settings import Settings
    from treecli.teaching.candidates import Writer
    from treecli.teaching.seen import Option, Seen, Trial

TIE_RULE = "the better by itself wins, then the first column"

SHARE = "Share"

HEAVIEST = "heaviest case"


def with_trials(writer: Writer, found: NodeTrace, seen: Seen, attributes: list[int], settings: Settings) -> NodeTrace:
    """Return a node with its trials; `found.candidates` are those of `attributes`, in this order.

    Raise an error if a gain, a count or the choice is not the learner's.
    """
    skewed = seen.skewed
    assert skewed is not None
    assert found.impurity is not None
    is_sequential = settings.searching.search == "skewing-sequential"
    trials = [_shown(writer, found.id, seen, trial, attributes) for trial in skewed.trials]
    plain_gains = tuple(0.0 if own.gain is None else own.gain.exact for own in found.candidates)
    plain_counts = tuple(skewed.plain_counts[a] for a in attributes)
    plain = Shown((), found.impurity.exact, plain_gains, plain_counts)
    counts = tuple(skewed.counts[a] for a in attributes)
    for place, (name, count) in enumerate(zip(found.candidates, counts, strict=True)):
        summed = plain_counts[place] + sum(trial.counts[place] or 0.0 for trial in trials)
        disagree(found.id, name.title, "count", summed, count)
    _check_choice(writer, found, seen, attributes)
    candidates = tuple(
        _with_used(writer, found, seen, own, a, place, trials)
        for place, (own, a) in enumerate(zip(found.candidates, attributes, strict=True))
    )
    chosen = attributes.index(seen.chosen)
    found = replace(found, candidates=_ranked(candidates, chosen, counts, seen, writer, attributes))
    spelled = None
    if trials:
        number = _largest(trials, chosen)
        spelled = _spelled(writer, seen, skewed.trials[number], number + 1, attributes, settings.searching.skew)
    least = None if is_sequential else settings.searching.skew_gain
    return replace(found, skewing=Skewing(least, plain, tuple(trials), counts, spelled, TIE_RULE))


def _shown(writer: Writer, number: int, seen: Seen, trial: Trial, attributes: Sequence[int]) -> Shown:
    """Return the gains of a trial, each computed again and compared with the learner's."""
    inside = replace(seen, weights=trial.weights)
    whole = _whole(writer, inside)
    gains: list[float | None] = []
    for a in attributes:
        option = trial.options.get(a)
        if option is None:
            gains.append(None)
        elif option.split is None:
            gains.append(0.0)
        else:
            own = writer.worked_out(inside, option, values_of(writer.growth.dataset, a, seen.rows), whole)
            writer.check(number, option, own, writer.size(whole, inside))
            assert own.gain is not None
            gains.append(own.gain.exact)
    favoured = tuple(own.condition for own in trial.favoured)
    return Shown(favoured, whole.exact, tuple(gains), tuple(trial.counts.get(a) for a in attributes))


def _whole(writer: Writer, seen: Seen) -> Step:
    (counts,) = writer.outcomes(np.zeros(len(seen.rows), np.int64), 1, seen)
    return writer.impurity_step(writer.notation.whole(), counts)


def _largest(trials: Sequence[Shown], place: int) -> int:
    """Return the trial in which a candidate has the largest share of the impurity; the first of equal ones."""
    shares = [trial.shares[place] for trial in trials]
    most = max((share for share in shares if share is not None), default=0.0)
    return next((i for i, share in enumerate(shares) if share is not None and share >= most - trace.EQUAL), 0)


def _with_used(
    writer: Writer, found: NodeTrace, seen: Seen, own: Candidate, attribute: int, place: int, trials: Sequence[Shown]
) -> Candidate:
    """Return a candidate with the split that may be chosen, if that is not the best one in the data by themselves."""
    assert seen.skewed is not None
    option, used = seen.options[attribute], seen.skewed.used[attribute]
    if option.split is None or used.split is None:
        return own
    if (used.split, used.missing_to, used.cost) == (option.split, option.missing_to, option.cost):
        return own
    assert found.impurity is not None
    values = values_of(writer.growth.dataset, attribute, seen.rows)
    number = _largest(trials, place)
    if seen.skewed.trials[number].options[attribute].split != used.split:
        raise CheckError(
            f"node {found.id}: the threshold of '{own.attribute}' is not that of trial {number + 1}", FAULT
        )
    return replace(own, instead=Instead(writer.worked_out(seen, used, values, found.impurity), number + 1))


def _check_choice(writer: Writer, found: NodeTrace, seen: Seen, attributes: Sequence[int]) -> None:
    """Raise an error unless the largest count wins, of equal ones the better by itself, then the first."""
    assert seen.skewed is not None
    slack = writer.growth.plan.tolerance
    counts = {o.attribute: seen.skewed.counts[o.attribute] for o in seen.options if isfinite(o.merit)}
    most = max(counts.values(), default=0.0)
    if most <= slack:
        return
    merits = {a: seen.options[a].merit for a, count in counts.items() if count >= most - slack}
    best = min(a for a, merit in merits.items() if merit >= max(merits.values()) - slack)
    if best != seen.chosen:
        names = [writer.growth.schema.columns[a].name for a in (best, seen.chosen)]
        raise CheckError(
            f"node {found.id}: the trace chooses '{names[0]}', the learner '{names[1]}'",
            FAULT,
        )


def _ranked(
    candidates: tuple[Candidate, ...],
    chosen: int,
    counts: Sequence[float],
    seen: Seen,
    writer: Writer,
    attributes: Sequence[int],
) -> tuple[Candidate, ...]:
    slack = writer.growth.plan.tolerance
    ranked = []
    for place, (own, a) in enumerate(zip(candidates, attributes, strict=True)):
        is_equal = abs(counts[place] - counts[chosen]) <= slack
        is_equal = is_equal and abs(seen.options[a].merit - seen.options[seen.chosen].merit) <= slack
        if place == chosen:
            own = replace(own, status=trace.CHOSEN)
        elif own.status == trace.BEATEN and is_equal:
            own = replace(own, status=trace.TIED)
        ranked.append(own)
    return tuple(ranked)


def _spelled(writer: Writer, seen: Seen, trial: Trial, number: int, attributes: Sequence[int], skew: float) -> Spelled:
    """Return all steps of a trial."""
    digits = writer.style.digits
    inner = replace(writer, of=f"trial {number}")
    inside = replace(seen, weights=trial.weights)
    whole = _whole(inner, inside)
    found: list[tuple[Option, Candidate]] = []
    for a in attributes:
        option = trial.options.get(a)
        if option is not None and option.split is not None:
            values = values_of(writer.growth.dataset, a, seen.rows)
            found.append((option, inner.worked_out(inside, option, values, whole)))
    factors = np.prod([own.factors for own in trial.favoured], axis=0) if trial.favoured else np.ones(len(seen.rows))
    total, raw = float(seen.weights.sum()), float((factors * seen.weights).sum())
    row = int(np.argmax(factors))
    scale = Step(Name("Scale"), Quotient(Count(total), Given(raw)), digits)
    parts: list[Formula] = [Given(float(own.factors[row])) for own in trial.favoured] or [Given(1.0)]
    if seen.weights[row] != 1:
        parts = [Count(float(seen.weights[row])), *parts]
    product = Step(Name("Weight", HEAVIEST), Product((*parts, Result(scale))), digits)
    disagree(0, f"trial {number}", "weight of a case", product.exact, float(trial.weights[row]))
    shares = tuple(
        Step(Name(SHARE, split=own.title), Quotient(Result(own.gain), Result(whole)), digits)
        for _, own in found
        if own.gain is not None
    )
    lines = tuple((own.condition, skew, own.other) for own in trial.favoured)
    # The gain decides in a trial, whatever ranks the data by themselves.
    plain = tuple(replace(own, info=None, ratio=None, test=None) for _, own in found)
    return Spelled(number, lines, scale, product, whole, plain, shares)
