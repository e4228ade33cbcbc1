"""Explains the prediction of several sets of rules for a row: the vote of each set, and its rules that match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treecli.explain.explanation import Explained, Grounds, RowOf, flags_of
from treecli.explain.ruleexplanation import explain_rules
from treecli.rules.rulelist import columns_asked, columns_used
from treecli.rules.rulesets import RulesetsModel, ballots, rulesets_answers

if TYPE_CHECKING:
    from treecli.data import CodeArray


@dataclass(frozen=True, slots=True)
class SetVote:
    """The label that a set of rules votes for, its confidence, and the numbers, from 1, of its rules that match."""

    said: str
    confidence: float
    holding: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RulesetsExplanation(Explained):
    """The prediction of several sets of rules, and the vote of each."""

    votes: tuple[SetVote, ...]


def explain_rulesets(model: RulesetsModel, row: RowOf) -> RulesetsExplanation:
    """Return the prediction for a row, and the votes behind it."""
    labels = model.schema.target.labels
    codes, shares = rulesets_answers(model, row.dataset, 1)
    votes, used, asked = list[SetVote](), set[int](), set[int]()
    for member in model.members():
        voted: CodeArray
        voted, confidence = ballots(member, row.dataset, 1)
        holding = explain_rules(member, row).holding
        votes.append(SetVote(labels[voted[0]], float(confidence[0]), holding))
        used.update(columns_used(member))
        asked.update(columns_asked(member))
    return RulesetsExplanation(
        labels[codes[0].item()],
        tuple(shares[0].tolist()),
        Grounds(None, (None,) * len(labels)),
        flags_of(row, sorted(used), asked),
        tuple(votes),
    )
