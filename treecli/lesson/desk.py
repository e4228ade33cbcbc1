"""The parts that all steps of a lesson share: story, texts, questions, and texts for screen readers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treecli.lesson import steps as kinds
from treecli.lesson.answers import Answer, of_gain
from treecli.lesson.bars import longest_first
from treecli.lesson.curve import Curve
from treecli.lesson.markup import Markup, tag
from treecli.lesson.panes import Group, Painter
from treecli.lesson.wordings import Speaker, isolated
from treecli.teaching import wording

if TYPE_CHECKING:
    from treecli.lesson.newrow import NewRow
    from treecli.lesson.steps import Step
    from treecli.lesson.story import Story
    from treecli.lesson.variants import Variant
    from treecli.teaching.trace import Candidate, NodeTrace


SCRIPTED = "scripted"
"""The class of elements that do something only with the page's script."""


@dataclass(frozen=True, slots=True)
class Content:
    """A step's title, its sentences, its panes, and what only a screen reader says."""

    title: str
    says: Iterable[str]
    panes: tuple[Markup | None, ...]
    heard: list[str]


@dataclass(frozen=True, slots=True)
class Desk:
    """The material of all steps; `steps` are those of the page."""

    story: Story
    speaker: Speaker
    painter: Painter
    steps: list[Step]
    has_quiz: bool
    curve: Curve
    row: NewRow

    def number_of(self, kind: str) -> int | None:
        return next((step.number for step in self.steps if step.kind == kind), None)

    @property
    def asked_gain(self) -> Step | None:
        """The step that asks for a number: the last one of an attribute whose gain is not 0."""
        found = None
        for step in self.steps:
            if step.kind == kinds.ATTRIBUTES:
                own = self.story.main.nodes[0].candidates[step.place]
                if own.gain is not None and own.gain.text != "0":
                    found = step
        return found

    def answer(self, variant: Variant, own: Candidate) -> Answer:
        """Return the gain of a candidate at the root as an answer."""
        root = variant.nodes[0]
        assert root.impurity is not None
        return of_gain(own, root.impurity, root, str(variant.growth.plan.criterion.impurity))

    def concealed(self, text: str) -> Markup:
        """A sentence that a question conceals until it is answered."""
        return tag("span", text, cls="answer" if self.has_quiz else None)

    def cards(self, groups: list[Group], variant: Variant) -> Markup:
        return self.painter.cards(groups, is_empty=variant.pick is not None)

    def question(self, name: str, text: str, buttons: list[Markup], right: str, title: str) -> Markup:
        """A question with an answer to choose."""
        return tag(
            "fieldset",
            tag("legend", text),
            tag("div", *buttons, cls="choices"),
            tag("output", cls="told"),
            cls=f"quiz {SCRIPTED}",
            data_question=name,
            data_right=right,
            data_title=title,
        )

    def heard_groups(self, groups: list[Group]) -> str:
        labels = self.painter.labels
        parts = [
            self.speaker.say(
                "hear_group",
                label=group.label or self.speaker.say("all_cases"),
                counts=self.speaker.classes(group.outcomes, labels),
            )
            for group in groups
        ]
        return self.speaker.say("hear_groups", groups="; ".join(parts))

    def heard_bars(self, node: NodeTrace, variant: Variant) -> str:
        parts = [
            f"{isolated(own.title)} {wording.result(own, variant.trace)}"
            for own in longest_first(node, variant.trace)
            if own.gain is not None
        ]
        return self.speaker.say("hear_candidates", candidates="; ".join(parts))

    def heard_tree(self, variant: Variant, grown: set[int]) -> str:
        parts = []
        for node in variant.frontier(grown):
            own = variant.nodes[node]
            key = "hear_tree_leaf" if variant.model.tree.is_leaf(node) else "hear_tree_open"
            parts.append(self.speaker.say(key, path=self.speaker.path(own), label=isolated(own.prediction)))
        return self.speaker.say("hear_tree", tree="; ".join(parts))
