"""The first steps of a lesson: the data, their impurity, and one attribute after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.lesson import steps as kinds
from treecli.lesson.answers import Answer
from treecli.lesson.desk import SCRIPTED, Content, Desk
from treecli.lesson.markup import Markup, tag, void
from treecli.lesson.panes import Group
from treecli.lesson.wordings import isolated

if TYPE_CHECKING:
    from treecli.lesson.steps import Step
    from treecli.lesson.variants import Variant


def data(desk: Desk, step: Step, variant: Variant) -> Content:
    say, root = desk.speaker.say, variant.nodes[0]
    cases = desk.speaker.counted("cases", root.weight)
    suffix = "" if desk.painter.has_cards else "_counts"
    if root.labels is None:
        says = [say(f"say_data_numeric{suffix}", cases=cases, mean=desk.speaker.digits.text(root.counts[1]))]
    else:
        says = [say(f"say_data{suffix}", cases=cases, counts=desk.speaker.classes(root.counts, root.labels))]
    groups = desk.painter.groups_of_nodes(variant, [0])
    quiz = None
    if desk.has_quiz and desk.number_of(kinds.CHOICE) is not None and root.chosen is not None:
        buttons = [
            tag("button", tag("bdi", own.attribute), type="button", data_value=own.attribute)
            for own in root.every
            if own.gain is not None
        ]
        quiz = desk.question("guess", say("ask_guess"), buttons, root.chosen.attribute, say("question_guess"))
    panes = (desk.painter.cards(groups, is_big=True), quiz)
    return Content(say("title_data"), says, panes, [desk.heard_groups(groups)])


def impurity(desk: Desk, step: Step, variant: Variant) -> Content:
    say, root, digits, curve = desk.speaker.say, variant.nodes[0], desk.speaker.digits, desk.curve
    assert root.impurity is not None
    value, axis = root.impurity.text, say("curve_axis_numbers")
    if root.labels is None:
        key = "say_deviation" if curve.kind == "deviation" else "say_numbers"
        says = [say(key, mean=digits.text(curve.at), value=value)]
        heard = say("hear_parabola", axis=axis, x=digits.text(curve.at), y=value)
        groups = desk.painter.groups_of_nodes(variant, [0])
    else:
        label = isolated(curve.label)
        axis = say("curve_axis", label=label)
        share = f"{digits.count(curve.at * root.weight)}/{digits.count(root.weight)}"
        says = [say(f"say_{curve.kind}", share=share, label=label, value=value)]
        heard = say("hear_curve", axis=axis, x=share, y=value)
        groups = _groups_of_classes(desk, variant)
    picture = tag(
        "div",
        curve.picture(axis),
        tag("output", say("curve_value", x=digits.text(curve.at), y=value), cls="curve-value"),
        tag("p", say("curve_hint"), cls=f"hint {SCRIPTED}"),
        cls="pane curve-pane",
    )
    panes = (desk.painter.cards(groups), picture, desk.painter.lines([desk.speaker.impurity(root.impurity)]))
    return Content(say("title_impurity"), says, panes, [desk.heard_groups(groups), heard])


def _groups_of_classes(desk: Desk, variant: Variant) -> list[Group]:
    groups = []
    (whole,) = desk.painter.groups_of_nodes(variant, [0])
    target = desk.story.dataset.target
    assert target is not None
    for code, label in enumerate(desk.painter.labels or ()):
        rows = {row: weight for row, weight in whole.rows.items() if int(target[row]) == code}
        outcomes = tuple(own if place == code else 0.0 for place, own in enumerate(whole.outcomes))
        if whole.outcomes[code] > 0:
            groups.append(Group(isolated(label), rows, outcomes))
    return groups


def attribute(desk: Desk, step: Step, variant: Variant) -> Content:
    root = variant.nodes[0]
    own = root.candidates[step.place]
    title = desk.speaker.say("title_attribute", split=isolated(own.attribute))
    if own.gain is None:
        line = f"{isolated(own.attribute)}: {desk.speaker.why_not(own)}"
        says = [desk.speaker.say("say_no_split", split=isolated(own.attribute))]
        groups = desk.painter.groups_of_nodes(variant, [0])
        return Content(title, says, (desk.painter.cards(groups), desk.painter.lines([line])), [])
    assert root.impurity is not None
    assert own.remainder is not None
    groups = desk.painter.groups_of_split(variant, own)
    says = [
        desk.speaker.say(
            "say_attribute",
            split=isolated(own.title),
            n=len(own.branches),
            remainder=own.remainder.text,
            gain=own.gain.text,
        )
    ]
    stub = tag("div", tag("b", tag("bdi", own.attribute), "?", cls="asked"), cls="node")
    branches = [
        tag(
            "li",
            tag("span", tag("bdi", isolated(branch.label)), cls="edge"),
            tag(
                "div",
                tag("b", "?"),
                desk.painter.mix(branch.counts),
                tag("small", desk.painter.brackets(branch.counts)),
                cls="node",
            ),
        )
        for branch in own.branches
    ]
    tree = tag("ul", tag("li", stub, tag("ul", *branches)), cls="tree tried")
    before = [desk.speaker.impurity(root.impurity), *desk.speaker.setup_lines(own, root, n_ways=3)]
    after = list(desk.speaker.result_lines(own))
    is_asked = desk.has_quiz and step == desk.asked_gain
    if is_asked:
        lines = desk.painter.lines(before, after, _typed(desk, desk.answer(variant, own)))
    else:
        lines = desk.painter.lines([*before, *after])
    shown = root.candidates[: step.place + 1]
    bars = desk.painter.bars(root, variant.trace, shown, is_decided=False, concealed=own if is_asked else None)
    panes = (desk.painter.cards(groups), desk.painter.tree_pane(tree), lines, bars)
    says = [tag("span", *says, cls="answer")] if is_asked else says
    return Content(title, says, panes, [desk.heard_groups(groups)])


def _typed(desk: Desk, answer: Answer) -> Markup:
    say = desk.speaker.say
    label = tag(
        "label",
        say("ask_gain", name=answer.name),
        " ",
        void("input", type="text", inputmode="decimal", autocomplete="off", size=8),
    )
    buttons = (tag("button", say("check"), type="submit"), tag("button", say("show"), type="button", cls="show"))
    told = tag("output", cls="told")
    return tag("form", label, " ", *buttons, told, cls=f"quiz typed {SCRIPTED}", data_question="gain")
