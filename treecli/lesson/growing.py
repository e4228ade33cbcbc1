"""The steps in which the tree grows: the choice at the root, its branches, and the next nodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from treecli.lesson.bars import longest_first
from treecli.lesson.desk import SCRIPTED, Content, Desk
from treecli.lesson.markup import Markup, tag
from treecli.lesson.wordings import isolated, left_side
from treecli.teaching import trace as status
from treecli.teaching import wording

if TYPE_CHECKING:
    from treecli.lesson.steps import Step
    from treecli.lesson.variants import Variant
    from treecli.teaching.trace import Candidate, NodeTrace


SAME = 1e-9
"""Scores with a smaller difference tie."""


def choice(desk: Desk, step: Step, variant: Variant) -> Content:
    say, root = desk.speaker.say, variant.nodes[0]
    says = [
        *([tag("span", say("ask_pick"), cls=SCRIPTED)]),
        desk.concealed(desk.speaker.choice(root, variant.trace)),
    ]
    groups = desk.painter.groups_of_nodes(variant, [0])
    switch = None
    if len(desk.story.switch) > 1:
        buttons = [
            tag(
                "button",
                say(f"criterion_{name}"),
                type="button",
                data_criterion=name,
                aria_pressed=_flag(not place),
            )
            for place, name in enumerate(desk.story.switch)
        ]
        switch = tag(
            "div",
            tag("span", say("criterion")),
            " ",
            *buttons,
            cls=f"switch {SCRIPTED}",
            role="group",
            aria_label=say("criterion"),
        )
    bars = _picked_bars(desk, root, variant, switch)
    gains = [f"{left_side(step)} = {step.text}" for own in root.candidates for step in (own.gain, own.ratio) if step]
    before = [*gains, *desk.speaker.average_lines(root)]
    lines = desk.painter.lines(before, [desk.speaker.decision(root, variant.trace)])
    panes = (desk.painter.cards(groups), desk.painter.tree_pane(desk.painter.tree(variant, set(), 0)), lines, bars)
    return Content(say("title_choice"), says, panes, [desk.heard_bars(root, variant)])


def _picked_bars(desk: Desk, node: NodeTrace, variant: Variant, *extra: Markup | None) -> Markup:
    """The bars of a node's candidates, with a button to pick each that can be picked, and room for the outcome."""

    def button(own: Candidate) -> Markup:
        name = tag("bdi", own.title)
        if own.gain is None:
            return name
        return tag("button", name, type="button", cls="pick", data_pick=own.attribute)

    told = tag(
        "div",
        tag("output", cls="told"),
        tag("p", cls="grown"),
        tag("button", desk.speaker.say("keep_tree"), type="button", cls="keep", hidden=True),
        tag("button", desk.speaker.say("first_tree"), type="button", cls="first", hidden=True),
        cls=f"picked {SCRIPTED}",
    )
    bars = desk.painter.bars(node, variant.trace, longest_first(node, variant.trace), *extra, picks=button)
    assert node.chosen is not None
    return tag(
        "div",
        bars,
        told,
        cls="picking",
        data_node=node.id,
        data_right=node.chosen.attribute,
        data_ties=" | ".join(node.ties) or None,
        data_title=desk.speaker.say("question_pick", path=desk.speaker.path(node)),
    )


def growth(desk: Desk, step: Step, variant: Variant) -> Content:
    root, tree = variant.nodes[0], variant.model.tree
    assert root.chosen is not None
    children = list(tree.children(0))
    n_pure = sum(variant.nodes[child].why_leaf == "pure" for child in children)
    chosen = isolated(root.chosen.attribute)
    says = [desk.speaker.say("say_growth", chosen=chosen, n_pure=n_pure, n=len(children))]
    groups = desk.painter.groups_of_nodes(variant, children)
    lines = [desk.speaker.decision(root, variant.trace)]
    for child in children:
        own = variant.nodes[child]
        is_leaf = tree.is_leaf(child)
        end = desk.speaker.say("line_leaf" if is_leaf else "line_open", label=isolated(own.prediction))
        lines.append(f"{isolated(own.path)}: {desk.speaker.classes(own.counts, own.labels)}  {end}")
    panes = (
        desk.cards(groups, variant),
        desk.painter.tree_pane(desk.painter.tree(variant, {0})),
        desk.painter.lines(lines),
    )
    return Content(desk.speaker.say("title_growth"), says, panes, [desk.heard_tree(variant, {0})])


def node(desk: Desk, step: Step, variant: Variant) -> Content:
    inner = variant.inner[1:]
    if step.place >= len(inner):
        grown = set(variant.inner)
        text = desk.speaker.say("say_no_more_nodes")
        groups = desk.painter.groups_of_nodes(variant, variant.frontier(grown))
        whole = (desk.cards(groups, variant), desk.painter.tree_pane(desk.painter.tree(variant, grown)))
        return Content(desk.speaker.say("title_growth"), [text], whole, [desk.heard_tree(variant, grown)])
    number = inner[step.place]
    node, grown = variant.nodes[number], set(variant.inner[: step.place + 1])
    cases = desk.speaker.counted("cases", node.weight)
    if node.labels is None:
        says = [desk.speaker.say("say_node_numeric", cases=cases, mean=desk.speaker.digits.text(node.counts[1]))]
    else:
        says = [desk.speaker.say("say_node", cases=cases, counts=desk.speaker.classes(node.counts, node.labels))]
    says += _ties(desk, node, variant)
    n_more = len(inner) - len(desk.story.node_steps)
    if step.place == len(desk.story.node_steps) - 1 and n_more > 0:
        says.append(desk.speaker.counted("say_more_nodes", n_more))
    groups = desk.painter.groups_of_nodes(variant, variant.frontier(grown), number)
    lines = [*desk.speaker.short_lines(node), *desk.speaker.average_lines(node)]
    panes = (
        desk.cards(groups, variant),
        desk.painter.tree_pane(desk.painter.tree(variant, grown, number)),
        desk.painter.lines(lines, [desk.speaker.decision(node, variant.trace)]),
        _picked_bars(desk, node, variant),
    )
    heard = [desk.heard_bars(node, variant), desk.heard_tree(variant, grown)]
    return Content(desk.speaker.say("title_node", path=desk.speaker.path(node)), says, panes, heard)


def _ties(desk: Desk, node: NodeTrace, variant: Variant) -> Iterable[str]:
    """A tie among the best of the candidates that were beaten, which does not matter."""
    beaten = [own for own in node.every if own.gain is not None and own.status == status.BEATEN]
    best = max((_score_of(own) for own in beaten), default=0.0)
    names = [isolated(own.title) for own in beaten if abs(_score_of(own) - best) <= SAME]
    if len(names) > 1 and best > SAME:
        value = next(wording.result(own, variant.trace) for own in beaten if _score_of(own) == best)
        yield desk.speaker.say("say_tie_irrelevant", names=", ".join(names), value=value)


def _score_of(own: Candidate) -> float:
    step = own.ratio or own.gain
    return 0.0 if step is None else step.exact


def _flag(is_so: bool) -> str:
    return "true" if is_so else "false"
