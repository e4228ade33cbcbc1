"""The comparison of each subtree with a leaf, in a lesson's language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treecli.lesson.markup import Markup, tag
from treecli.lesson.wordings import Speaker, isolated

if TYPE_CHECKING:
    from treecli.lesson.variants import Variant
    from treecli.teaching.prunetrace import PruneNode

METHOD_NAMES = {"pessimistic": "C4.5", "mdl": "MDL", "min-error": "Cestnik"}
"""Whom a lesson names for a method."""

KEEP, REPLACE = "keep", "replace"


@dataclass(frozen=True, slots=True)
class Pruning:
    """Writes the pruning of a tree."""

    speaker: Speaker
    variant: Variant
    method: str
    confidence: float | None

    def says(self) -> list[str]:
        """Return the sentences before the comparisons."""
        found = [self.speaker.say("say_pruning", method=METHOD_NAMES[self.method])]
        if self.confidence is not None:
            found.append(self.speaker.say("line_estimate", confidence=f"{self.confidence:g}"))
        return found

    def items(self, has_quiz: bool) -> Markup:
        """Return a part for each inner node, bottom-up: both numbers, and what is decided."""
        assert self.variant.pruning is not None
        return tag("ol", *(self._item(own, has_quiz) for own in self.variant.pruning.nodes), cls="prunings")

    def _item(self, own: PruneNode, has_quiz: bool) -> Markup:
        assert self.variant.pruning is not None
        concealed = "answer" if has_quiz else None
        node, say, digits = self.variant.nodes[own.id], self.speaker.say, self.speaker.digits
        path = self.speaker.path(node)
        key = "pruning_value_pessimistic" if self.method == "pessimistic" else "pruning_value"
        numbers = say(key, subtree=digits.text(own.subtree), leaf=digits.text(own.leaf))
        end = say("replaced", label=isolated(node.prediction)) if own.is_replaced else say("kept")
        lines = [tag("li", self._translated(line)) for line in own.lines[:-1]]
        quiz = None
        if has_quiz:
            quiz = tag(
                "div",
                tag("span", say("ask_pruning")),
                " ",
                tag("button", say("keep_subtree"), type="button", data_value=KEEP),
                tag("button", say("make_leaf"), type="button", data_value=REPLACE),
                tag("output", cls="told"),
                cls="quiz scripted",
                data_question=f"pruning-{own.id}",
                data_right=REPLACE if own.is_replaced else KEEP,
                data_title=say("question_pruning", path=path),
            )
        return tag(
            "li",
            tag("b", path),
            tag("ul", *lines, cls="lines"),
            quiz,
            tag("p", f"⇒ {numbers}: {end}", cls=concealed),
            self._result(concealed) if own is self.variant.pruning.nodes[-1] else None,
            data_node=own.id,
            cls="replaced" if own.is_replaced else None,
        )

    def _translated(self, line: str) -> str:
        """Return a line of the trace, which has no names, with its words in the lesson's language."""
        for pair in self.speaker.say("pruning_words").split("|"):
            word, _, own = pair.partition("=")
            line = re.sub(rf"\b{word}\b", own, line)
        return " ".join(line.split())

    def _result(self, cls: str | None) -> Markup:
        """Return how many leaves are left."""
        assert self.variant.pruning is not None
        replaced = {own.id for own in self.variant.pruning.nodes if own.is_replaced}
        leaves = self.speaker.counted("leaves", self.variant.n_leaves)
        if not replaced:
            return tag("p", self.speaker.say("pruned_none", leaves=leaves), cls=cls)
        after = self.variant.model.tree.collapsed(replaced.__contains__).n_leaves
        counted = self.speaker.counted("leaves", after)
        return tag("p", self.speaker.say("pruned_some", after=counted, before=self.variant.n_leaves), cls=cls)
