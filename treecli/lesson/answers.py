"""Right answers with their tolerance, and the numbers that typical mistakes give instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treecli.lesson.wordings import left_side
from treecli.teaching import mistakes

if TYPE_CHECKING:
    from treecli.teaching.formulas import Step
    from treecli.teaching.mistakes import Mistake
    from treecli.teaching.trace import Candidate, NodeTrace

RELATIVE_SLACK = 1e-3
"""The tolerance for large numbers, as a share of them."""


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
    wrong = [] if node.labels is None else mistakes.in_impurity(step, node.counts, impurity)
    return _answer(left_side(step), step, wrong)


def of_gain(own: Candidate, whole: Step, node: NodeTrace, impurity: str) -> Answer:
    """Return the gain of a split as an answer."""
    assert own.gain is not None
    wrong = mistakes.in_gain(own, (own.known or whole).exact, node.weight, impurity)
    return _answer(left_side(own.gain), own.gain, wrong)


def _answer(name: str, step: Step, wrong: list[Mistake]) -> Answer:
    rounded = float(step.text_from_rounded.replace("−", "-"))
    slack = max(mistakes.tolerance(step.exact, rounded), RELATIVE_SLACK * abs(step.exact))
    apart = [(mistakes.KEYS[own.note], own.number) for own in wrong if abs(own.number - step.exact) > slack]
    return Answer(name, step.text, step.exact, slack, tuple(apart))
