"""Explanations of several trees, as text and as JSON facts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from treecli.cli.report import Table, plain
from treecli.explain.ensembleexplanation import EnsembleExplanation, Moved, Vote
from treecli.explain.rulesetsexplanation import RulesetsExplanation
from treecli.wording import quoted, readable

MOST_MOVED = 3
"""The number of attributes listed for each tree; JSON has all."""


def vote_lines(explained: EnsembleExplanation, *, by_tree: bool) -> Iterator[str]:
    """Yield how the trees vote, and which attributes moved their votes."""
    said, n_trees = explained.said, len(explained.votes)
    if isinstance(said, str):
        n_agreeing = sum(vote.said == said for vote in explained.votes)
        yield f"{n_agreeing} of {n_trees} trees vote for {quoted(said)}.\n"
        what = f"the mean probability of {quoted(said)}"
    else:
        numbers = [float(vote.said) for vote in explained.votes]
        yield f"{n_trees} trees predict {readable(min(numbers))} to {readable(max(numbers))}.\n"
        what = "the mean prediction"
    yield f"\nIt starts from {readable(explained.base)}, {what} at the roots. Splits on each attribute moved it by:\n"
    rows = [(one.given.attribute.name, one.given.text, _signed(one.by)) for one in explained.moved]
    yield from plain(Table("", ("attribute", "value", "moved"), rows))
    if by_tree:
        yield "\n"
        trees = [_row(number, vote) for number, vote in enumerate(explained.votes, start=1)]
        value = "probability" if isinstance(said, str) else "value"
        yield from plain(Table("", ("tree", "weight", "prediction", value, "most moved by"), trees))


def vote_facts(explained: EnsembleExplanation, *, by_tree: bool) -> dict[str, Any]:
    """Return the base, the attributes that moved it, and on request the votes of the trees."""
    facts: dict[str, Any] = {"base": explained.base, "moved": [_moved(one) for one in explained.moved]}
    facts["trees_agreeing"] = sum(vote.said == explained.said for vote in explained.votes)
    facts["trees"] = len(explained.votes)
    if by_tree:
        facts["votes"] = [
            {
                "tree": number,
                "weight": vote.weight,
                "prediction": vote.said,
                "value": vote.value,
                "moved": [_moved(one) for one in vote.moved],
            }
            for number, vote in enumerate(explained.votes, start=1)
        ]
    return facts


def set_lines(explained: RulesetsExplanation) -> Iterator[str]:
    """Yield how the sets of rules vote, and which of their rules match."""
    n_agreeing = sum(vote.said == explained.said for vote in explained.votes)
    yield f"{n_agreeing} of {len(explained.votes)} sets of rules vote for {quoted(str(explained.said))}.\n\n"
    rows = [
        (number, quoted(vote.said), vote.confidence, ", ".join(map(str, vote.holding)) or "none: the default")
        for number, vote in enumerate(explained.votes, start=1)
    ]
    yield from plain(Table("", ("set", "prediction", "confidence", "rules that match"), rows))


def set_facts(explained: RulesetsExplanation) -> dict[str, Any]:
    """Return the votes of the sets of rules."""
    votes = [
        {"set": number, "prediction": vote.said, "confidence": vote.confidence, "rules": list(vote.holding)}
        for number, vote in enumerate(explained.votes, start=1)
    ]
    return {"votes": votes}


def _row(number: int, vote: Vote) -> tuple[Any, ...]:
    most = ", ".join(f"{quoted(one.given.attribute.name)} {_signed(one.by)}" for one in vote.moved[:MOST_MOVED])
    said = quoted(vote.said) if isinstance(vote.said, str) else readable(vote.said)
    return number, vote.weight, said, vote.value, most


def _moved(one: Moved) -> dict[str, Any]:
    return {"attribute": one.given.attribute.name, "value": one.given.value, "by": one.by}


def _signed(number: float) -> str:
    return f"{number:+.4g}" if number else "0"
