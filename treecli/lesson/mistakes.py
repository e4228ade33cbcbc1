"""Numbers that typical mistakes give instead of the right answer."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, log10
from typing import TYPE_CHECKING

from treecli.lesson.wordings import left_side

if TYPE_CHECKING:
    from treecli.teaching.formulas import Step
    from treecli.teaching.trace import Candidate, NodeTrace

SLACK = 0.002
"""The least difference from the right answer that is still right: two units of the third digit."""

ROUNDING_SLACK = 0.0011
"""An answer may differ by this much more than both ways of rounding do."""

RELATIVE_SLACK = 1e-3
"""The same for large numbers, as a share of them."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A right number with its tolerance, and the numbers of mistakes by the keys of their texts."""

    name: str
    text: str
    exact: float
    slack: float
    mistakes: tuple[tuple[str, float], ...]

    def record(self) -> dict[str, object]:
        """Return the answer as data for the page."""
        return {
            "name": self.name,
            "text": self.text,
            "exact": self.exact,
            "slack": self.slack,
            "mistakes": [[key, value] for key, value in self.mistakes],
        }


def of_impurity(step: Step, node: NodeTrace, impurity: str) -> Answer:
    """Return the impurity of a node as an answer."""
    wrong: list[tuple[str, float]] = []
    if node.labels is not None:
        shares = [count / node.weight for count in node.counts if count > 0]
        wrong += _logarithms(step.exact) if impurity == "entropy" else []
        wrong += [("squares", sum(share * share for share in shares))] if impurity == "gini" else []
        wrong += [("share", max(shares)), ("share", 1.0 - max(shares))] if impurity != "error" else []
    return _answer(left_side(step), step, wrong)


def of_gain(own: Candidate, whole: Step, node: NodeTrace, impurity: str) -> Answer:
    """Return the gain of a split as an answer."""
    assert own.gain is not None
    assert own.remainder is not None
    before = (own.known or whole).exact
    branches = [branch.impurity.exact for branch in own.branches]
    wrong: list[tuple[str, float]] = _logarithms(own.gain.exact) if impurity == "entropy" else []
    if impurity == "variance":
        wrong.append(("not_divided", own.gain.exact * node.weight))
    else:
        wrong.append(("unweighted", before - sum(branches) / len(branches)))
        wrong.append(("sum", before - sum(branches)))
    wrong += [("remainder", own.remainder.exact), ("whole", before), ("sign", -own.gain.exact)]
    return _answer(left_side(own.gain), own.gain, wrong)


def _logarithms(number: float) -> list[tuple[str, float]]:
    return [("natural", number * log(2)), ("decimal", number * log10(2))]


def _answer(name: str, step: Step, wrong: list[tuple[str, float]]) -> Answer:
    rounded = float(step.text_from_rounded.replace("−", "-"))
    slack = max(SLACK, abs(step.exact - rounded) + ROUNDING_SLACK, RELATIVE_SLACK * abs(step.exact))
    apart = [(key, value) for key, value in wrong if abs(value - step.exact) > slack]
    return Answer(name, step.text, step.exact, slack, tuple(apart))
