"""The page of a lesson: its sections, the trees that can be kept, and the data of its script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from treecli import __version__
from treecli.draw.pagedata import heading, steps_data
from treecli.draw.palette import CLASS_COLORS, SCALE
from treecli.draw.webpage import LESSON_SCRIPTS, page
from treecli.lesson.bars import bar_record, longest_first
from treecli.lesson.curve import curve_of
from treecli.lesson.desk import SCRIPTED, Desk
from treecli.lesson.markup import Markup, joined, tag
from treecli.lesson.newrow import new_row
from treecli.lesson.panes import Painter, color_class
from treecli.lesson.sections import section
from treecli.lesson.steps import CHOICE, NODES, SCORE, Step, all_steps, chosen
from treecli.lesson.story import Story
from treecli.lesson.variants import MOST_CARDS, MOST_NODES, Variant
from treecli.lesson.wordings import Speaker, isolated
from treecli.models import program_of
from treecli.wording import printable, quoted

SCRIPTS = ("route.js", "lesson.js", "quiz.js", "picks.js", "walk.js", "curve.js", "sheet.js")

SCRIPT_TEXTS = (
    *("check", "choose", "curve_value", "mistake", "missing", "not_a_number", "noted", "or", "other_pick", "right"),
    *("row_", "score", "sheet_right", "shown", "tied_pick", "too_", "tree_kept", "wrong_number", "your_guess"),
)
"""The beginnings of the keys of texts that the page's script needs."""


def render(story: Story, language: str, wanted: str | None, *, has_quiz: bool) -> Iterator[str]:
    """Yield the page in pieces."""
    speaker = Speaker.of(language, story.digits)
    painter = Painter(speaker, story.dataset, story.dataset.n_rows <= MOST_CARDS)
    steps = chosen(all_steps(story), wanted)
    root = story.main.nodes[0]
    impurity = str(story.main.growth.plan.criterion.impurity)
    seed = story.main.model.settings.computing.seed
    curve = curve_of(root, impurity, story.dataset)
    row = new_row(story.main.model, story.dataset, seed)
    desk = Desk(story, speaker, painter, steps, has_quiz, curve, row)
    body = joined(
        _header(story, speaker),
        tag("main", *(section(desk, step, story.main) for step in steps)),
        _footer(steps, speaker),
        *(_template(desk, variant, number) for number, variant in enumerate(story.kept, 1)),
    )
    data = _data(story, desk)
    fields = {"{lang}": language, "{title}": _title(story, speaker), "{body}": body}
    encoded = msgspec.json.encode(data).decode()
    return page("lesson", SCRIPTS, [encoded], shared=LESSON_SCRIPTS, fields=fields, style=_colors())


def _colors() -> str:
    """The colours of classes and of numbers as rules of style."""
    pairs = [(f"c{code}", color) for code, color in enumerate(CLASS_COLORS)]
    pairs += [(f"s{place}", color) for place, color in enumerate(SCALE)]
    return "".join(f".{name}{{--c:{color};fill:{color}}}\n" for name, color in pairs)


def _title(story: Story, speaker: Speaker) -> Markup:
    return joined(speaker.say("title", data=printable(story.name)))


def _header(story: Story, speaker: Speaker) -> Markup:
    schema = story.dataset.schema
    facts = speaker.say(
        "facts", n=story.dataset.n_rows, attributes=len(schema.attributes), target=isolated(quoted(schema.target.name))
    )
    legend = None
    if schema.is_classification:
        items = [
            tag("li", tag("span", cls=f"swatch {color_class(code)}", aria_hidden="true"), tag("bdi", quoted(label)))
            for code, label in enumerate(schema.target.labels)
        ]
        legend = tag("ul", *items, cls="legend", aria_label=speaker.say("classes"))
    theme = tag("button", speaker.say("dark"), type="button", id="theme", aria_pressed="false", cls=SCRIPTED)
    return tag(
        "header",
        tag(
            "div",
            tag("h1", speaker.say("title", data=printable(story.name))),
            tag("p", facts, cls="facts"),
            cls="title",
        ),
        legend,
        theme,
        tag("noscript", tag("p", speaker.say("without_script"))),
    )


def _footer(steps: list[Step], speaker: Speaker) -> Markup:
    links = [tag("li", tag("a", str(step.number), href=f"#step={step.number}")) for step in steps]
    return tag(
        "footer",
        tag("button", f"← {speaker.say('back')}", type="button", id="back", cls=SCRIPTED),
        tag("nav", tag("ol", *links), aria_label=speaker.say("steps")),
        tag("button", f"{speaker.say('next')} →", type="button", id="next", cls=SCRIPTED),
        tag("p", f"{speaker.say('keys')} {speaker.say('made_by', program=f'treecli {__version__}')}", cls="keys"),
    )


def _template(desk: Desk, variant: Variant, number: int) -> Markup:
    """The steps that show another tree; the script fills them into the page if the tree is kept.

    The whole tree stands first; the steps have the numbers of the nodes that are split in them.
    """
    assert variant.pick is not None
    after = _step_of_pick(desk, variant)
    parts = [section(desk, step, variant, number) for step in desk.steps if step.follows_tree and step.number > after]
    whole = desk.painter.whole_tree(variant, set(variant.inner))
    return tag("template", whole, *parts, id=f"variant-{number}")


def _step_of_pick(desk: Desk, variant: Variant) -> int:
    """The number of the step where the pick is made."""
    assert variant.pick is not None
    story = desk.story
    for step in desk.steps:
        if step.kind == CHOICE and variant.pick.node == 0:
            return step.number
        if step.kind == NODES and story.node_steps[step.place] == variant.pick.node:
            return step.number
    return len(desk.steps)


def _data(story: Story, desk: Desk) -> dict[str, Any]:
    """The data of the script."""
    speaker, main = desk.speaker, story.main
    asked = desk.asked_gain
    gain = None
    if asked is not None:
        gain = desk.answer(main, main.nodes[0].candidates[asked.place]).record()
    has_sheets = any(step.kind == SCORE for step in desk.steps)
    used = {a for variant in (main, *story.kept) for a in variant.model.tree.attribute if a >= 0}
    return heading(story.dataset.schema, main.model.lineage) | {
        "texts": {key: text for key, text in speaker.texts.items() if key.startswith(SCRIPT_TEXTS)},
        "quiz": desk.has_quiz,
        "digits": story.digits.digits,
        "curve": desk.curve.record(),
        "gain": gain,
        "criteria": {name: _bars(found.trace) for name, found in story.switch.items()},
        "variants": [_variant(variant, story, desk) for variant in (main, *story.kept)],
        "further": [
            {
                node: [[own.pick.name, speaker.compared(own, kept)] for own in trees if own.pick is not None]
                for node, trees in by_node.items()
            }
            for kept, by_node in zip(story.kept, story.further, strict=True)
        ],
        "picks": {node: [_pick(own, story, speaker) for own in variants] for node, variants in story.others.items()},
        "row": {"fields": sorted(used), "values": desk.row.values},
        "sheets": [[answer.record() for answer in sheet.answers] for sheet in story.sheets] if has_sheets else [],
        "costs": None,
    }


def _bars(trace: Any) -> dict[str, Any]:
    node = trace.nodes[0]
    return {
        "symbol": trace.symbol,
        "chosen": None if node.chosen is None else node.chosen.attribute,
        "bars": [[*bar_record(own, node, trace)] for own in longest_first(node, trace)],
    }


def _variant(variant: Variant, story: Story, desk: Desk) -> dict[str, Any]:
    """A tree for the script: its size, its errors, and how a row walks down."""
    program = program_of(variant.model)
    speaker, tree = desk.speaker, variant.model.tree
    if story.dataset.schema.is_classification:
        errors = speaker.errors(variant.errors)
    else:
        errors = speaker.say("squares", n=speaker.digits.text(variant.errors))
    nodes = [
        {"id": node, "label": program.label[node] if program.label else 0, "text": variant.nodes[node].prediction}
        | steps_data(program, node)
        for node in range(tree.n_nodes)
    ]
    return {
        "pick": None if variant.pick is None else variant.pick.name,
        "leaves": speaker.counted("leaves", variant.n_leaves),
        "errors": errors,
        "after": 0 if variant.pick is None else _step_of_pick(desk, variant),
        "nodes": nodes,
    }


def _pick(variant: Variant, story: Story, speaker: Speaker) -> list[Any]:
    """The attribute of another pick, what its tree is like, and the number of the tree, or why it cannot be kept."""
    assert variant.pick is not None
    found: int | str = "too_large" if variant.model.tree.n_nodes > MOST_NODES else "too_many"
    if any(variant is own for own in story.kept):
        found = story.kept.index(variant) + 1
    return [variant.pick.name, speaker.compared(variant, story.main), found]
