"""The steps of a lesson, and the choice of some of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from treecli.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from treecli.lesson.story import Story

DATA, IMPURITY, ATTRIBUTES, CHOICE, GROWTH, NODES = "data", "impurity", "attributes", "choice", "growth", "nodes"
ROW, RULES, LUCK, PRUNING, SCORE = "row", "rules", "luck", "pruning", "score"
KINDS = (DATA, IMPURITY, ATTRIBUTES, CHOICE, GROWTH, NODES, ROW, RULES, LUCK, PRUNING, SCORE)

FLAG = "--steps"


@dataclass(frozen=True, slots=True)
class Step:
    """A step with its number on the page; `place` counts the steps of its kind from 0."""

    number: int
    kind: str
    place: int = 0

    @property
    def follows_tree(self) -> bool:
        """Whether the step shows the tree that was kept."""
        return self.kind in (GROWTH, NODES, ROW, RULES, PRUNING)


def all_steps(story: Story) -> list[Step]:
    """Return the steps of a whole lesson."""
    repeated = {ATTRIBUTES: len(story.main.nodes[0].candidates), NODES: len(story.node_steps)}
    repeated[PRUNING] = 1 if story.method is not None else 0
    kinds = [(kind, place) for kind in KINDS for place in range(repeated.get(kind, 1))]
    return [Step(number, kind, place) for number, (kind, place) in enumerate(kinds, 1)]


def chosen(steps: list[Step], wanted: str | None) -> list[Step]:
    """Return the steps that a text such as '1-7,luck' names, in the order of the lesson and numbered again."""
    if wanted is None:
        return steps
    kept: set[int] = set()
    for word in (part.strip() for part in wanted.split(",")):
        kept |= _named(steps, word)
    return [replace(step, number=number) for number, step in enumerate((s for s in steps if s.number in kept), 1)]


def check(wanted: str) -> None:
    """Raise a UsageError for a text that names no steps of any lesson."""
    for word in (part.strip() for part in wanted.split(",")):
        ends = word.split("-")
        if word not in KINDS and not (len(ends) <= 2 and all(end.isdecimal() and int(end) > 0 for end in ends)):
            raise UsageError(
                f"{FLAG}: found '{word}', expected a number, a range such as 1-7, or one of {', '.join(KINDS)}",
                did_you_mean(word, KINDS),
            )


def _named(steps: list[Step], word: str) -> set[int]:
    if word in KINDS:
        found = {step.number for step in steps if step.kind == word}
        if not found:
            raise UsageError(f"{FLAG} {word}: this lesson has no such step", "leave it out")
        return found
    first, _, last = word.partition("-")
    low, high = int(first), int(last or first)
    if not low <= high <= len(steps):
        raise UsageError(f"{FLAG} {word}: the steps of this lesson are 1 to {len(steps)}")
    return set(range(low, high + 1))
