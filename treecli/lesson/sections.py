"""The steps of a lesson as sections of the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from treecli.lesson import closing, growing, opening
from treecli.lesson import steps as kinds
from treecli.lesson.desk import Content, Desk
from treecli.lesson.markup import Markup, tag
from treecli.lesson.wordings import isolated

if TYPE_CHECKING:
    from treecli.lesson.steps import Step
    from treecli.lesson.variants import Variant


MOST_LEAVES_BESIDE = 6
"""A tree of more leaves gets the whole width of the page."""

MAKERS: dict[str, Callable[[Desk, Step, Variant], Content]] = {
    kinds.DATA: opening.data,
    kinds.IMPURITY: opening.impurity,
    kinds.ATTRIBUTES: opening.attribute,
    kinds.CHOICE: growing.choice,
    kinds.GROWTH: growing.growth,
    kinds.NODES: growing.node,
    kinds.ROW: closing.row,
    kinds.RULES: closing.rules,
    kinds.LUCK: closing.luck,
    kinds.PRUNING: closing.pruning,
    kinds.SCORE: closing.score,
}


def section(desk: Desk, step: Step, variant: Variant, number: int = 0) -> Markup:
    """Return a step with the tree of a variant; `number` is that of the variant, 0 for the first."""
    found = MAKERS[step.kind](desk, step, variant)
    name = f"step={step.number}" if number == 0 else None
    heard = None if number else f"heard-{step.number}"
    kept = None
    if number and variant.pick is not None:
        kept = tag("p", desk.speaker.say("kept_tree", pick=isolated(variant.pick.name)), cls="kept")
    heading = tag(
        "h2",
        tag("span", desk.speaker.say("step_of", step=step.number, n=len(desk.steps)), cls="of"),
        " ",
        found.title,
        tabindex=-1,
        aria_describedby=heard,
    )
    is_wide = variant.n_leaves > MOST_LEAVES_BESIDE and step.follows_tree
    return tag(
        "section",
        heading,
        kept,
        *(tag("p", text, cls="say") for text in found.says),
        tag("div", *found.panes, cls="stage wide" if is_wide else "stage"),
        tag("p", " ".join(found.heard), cls="heard", id=heard),
        id=name,
        cls=f"step {step.kind}",
        data_step=step.number,
        data_kind=step.kind,
    )
