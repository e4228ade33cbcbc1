"""The sentences and tables of skewing in a trace."""

from __future__ import annotations

from treecli.teaching import trace as status
from treecli.teaching.branches import OR_MISSING
from treecli.teaching.numbers import NOTHING, Digits
from treecli.teaching.trace import Candidate, Instead, NodeTrace, Skewing, Spelled, Trial
from treecli.wording import counted

COUNTED = " *"

DATA, COUNT = "data", "count"


def title(candidate: Candidate) -> str:
    """Return the name of the split that may be chosen."""
    return candidate.title if candidate.instead is None else candidate.instead.candidate.title


def decision(node: NodeTrace, own: Skewing, chosen: Candidate, digits: Digits) -> str:
    """Return the chosen split with its count, and the next best."""
    count = _counts(node, own)
    most = count[id(chosen)]
    if most <= NOTHING:
        return f"split on {title(chosen)}: no attribute counts in any trial, so the best one by itself"
    text = f"split on {title(chosen)}: {_count(own, most, digits)}"
    if node.runner_up is not None:
        second = count[id(node.runner_up)]
        text += f"; next {node.runner_up.attribute} {_count(own, second, digits, is_short=True)}"
        if node.runner_up.status == status.TIED:
            text += f", a TIE: {own.tie_rule}"
        elif abs(most - second) <= NOTHING:
            text += ", the worse by itself"
    return text


def _counts(node: NodeTrace, own: Skewing) -> dict[int, float]:
    return {id(each): count for each, count in zip(node.every, own.counts, strict=True)}


def _count(own: Skewing, count: float, digits: Digits, *, is_short: bool = False) -> str:
    if own.least is None:
        return digits.text(count) if is_short else f"shares of {digits.text(count)} together"
    return f"{round(count)}" if is_short else f"counted {round(count)} of {len(own.trials) + 1} times"


def instead(own: Instead) -> str:
    """Return where the threshold comes from, that is taken if the attribute is chosen."""
    found = own.candidate
    text = f"if chosen, the split is that of trial {own.trial}, where the attribute gains most: {found.title}"
    sides = [branch.label.removesuffix(OR_MISSING) for branch in found.branches if branch.label.endswith(OR_MISSING)]
    return f"{text}, missing values with {sides[0]}" if sides else text


def introduction(own: Spelled, node: NodeTrace, digits: Digits) -> list[str]:
    """Return what a trial favours, and how cases are weighted."""
    factors = [
        f"{condition} by {digits.count(factor)}, others by {digits.count(other)}"
        for condition, factor, other in own.factors
    ]
    if not factors:
        return [f"Trial {own.number}: every attribute has one value here; the weights stay as they are"]
    n = digits.count(node.weight)
    return [
        f"Trial {own.number} multiplies the weights of cases with {'; '.join(factors)}",
        f"then all weights by a scale, so that they add up to {n} again",
    ]


def table(node: NodeTrace, own: Skewing, digits: Digits) -> tuple[str, tuple[str, ...], list[tuple[str, ...]]]:
    """Return a sentence, the columns and the rows of all trials: the shares of the impurity that attributes gain."""
    names = tuple(each.attribute for each in node.every)
    if own.least is None:
        sentence = (
            "Gain as a share of the impurity, in the data by themselves (twice), and in the trials of each skewed "
            "attribute (twice together)"
        )
    else:
        sentence = (
            f"Gain as a share of the impurity, in the data by themselves and in {counted(len(own.trials), 'trial')}"
        )
        sentence += f"; {COUNTED.strip()} counts, from {own.least:g} on"
    rows = [(DATA, *_shares(own.plain, own, digits), "")]
    rows += [
        (str(number), *_shares(trial, own, digits), ", ".join(trial.favoured))
        for number, trial in enumerate(own.trials, 1)
    ]
    counts = [str(round(count)) if own.least is not None else digits.text(count) for count in own.counts]
    rows.append((COUNT, *counts, ""))
    return sentence, ("trial", *names, "favours"), rows


def _shares(trial: Trial, own: Skewing, digits: Digits) -> list[str]:
    texts = []
    for share, count in zip(trial.shares, trial.counts, strict=True):
        if share is None:
            texts.append("-")
        else:
            texts.append(digits.text(share) + (COUNTED if own.least is not None and count else ""))
    return texts
