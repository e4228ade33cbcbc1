"""The last steps of a lesson: a new row, rules, samples, pruning, and the score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.lesson.desk import SCRIPTED, Content, Desk
from treecli.lesson.markup import joined, tag
from treecli.lesson.newrow import leaf_of
from treecli.lesson.panes import BAR_WIDTH, ancestors, color_class, short_number
from treecli.lesson.prunings import Pruning
from treecli.lesson.sheetpage import sheet_markup
from treecli.lesson.wordings import isolated
from treecli.wording import quoted

if TYPE_CHECKING:
    from treecli.lesson.steps import Step
    from treecli.lesson.variants import Variant
    from treecli.teaching.trace import NodeTrace


MOST_ATTRIBUTES_NAMED = 6

CLEAR_SHARE = 0.9
"""A root that this share of the samples have was no luck."""


def row(desk: Desk, step: Step, variant: Variant) -> Content:
    say, model, row = desk.speaker.say, variant.model, desk.row
    grown = set(variant.inner)
    texts = row.texts(model)
    names = [quoted(own.name) for own in model.schema.attributes]
    asked = set(model.tree.attribute) if len(names) > MOST_ATTRIBUTES_NAMED else set(range(len(names)))
    shown = ", ".join(
        f"{isolated(name)} {isolated(text)}"
        for place, (name, text) in enumerate(zip(names, texts, strict=True))
        if place in asked
    )
    leaf = _leaf_of(desk, variant)
    label = leaf.prediction if leaf.labels is not None else short_number(leaf.prediction)
    key = "say_row" if row.is_new else "say_row_seen"
    text = say(key, row=shown, prediction="{}")
    before, _, after = text.partition("{}")
    ends = tag("span", isolated(label), cls="answer" if desk.has_quiz else None)
    says = [joined(before, ends, tag("span", "?", cls="blank"), after)]
    quiz = None
    if desk.has_quiz and leaf.labels is not None:
        buttons = [tag("button", tag("bdi", own), type="button", data_value=own) for own in leaf.labels]
        quiz = desk.question("row", say("ask_row"), buttons, leaf.prediction, say("question_row"))
    form = tag("form", cls=f"row-form {SCRIPTED}")
    told = tag("output", cls="walked")
    side = tag("div", quiz, form, told, cls="pane lines-pane")
    path = [0, *ancestors(variant, leaf.id)]
    pane = desk.painter.tree_pane(desk.painter.tree(variant, grown, lit=path))
    heard = [desk.heard_tree(variant, grown)]
    return Content(say("title_row"), says, (pane, side), heard)


def _leaf_of(desk: Desk, variant: Variant) -> NodeTrace:
    """Where the new row ends."""
    if variant is desk.story.main:
        return variant.nodes[desk.row.leaf]
    return variant.nodes[leaf_of(variant.model, desk.story.dataset, desk.row)]


def rules(desk: Desk, step: Step, variant: Variant) -> Content:
    grown = set(variant.inner)
    leaves = list(variant.frontier(grown))
    items = []
    for leaf in leaves:
        own = variant.nodes[leaf]
        label = own.prediction if own.labels is not None else short_number(own.prediction)
        text = f"{isolated(own.path)} ⇒ {isolated(label)}  {desk.painter.brackets(own.counts)}"
        path = " ".join(map(str, [0, *ancestors(variant, leaf)]))
        code = f"rule {_color(desk, variant, leaf)}"
        items.append(tag("li", tag("span", text), tabindex=0, cls=code, data_path=path, data_leaf=leaf))
    groups = desk.painter.groups_of_nodes(variant, leaves)
    panes = (
        desk.cards(groups, variant),
        desk.painter.tree_pane(desk.painter.tree(variant, grown)),
        tag("div", tag("ol", *items, cls="paths"), cls="pane lines-pane"),
    )
    return Content(desk.speaker.say("title_rules"), [desk.speaker.say("say_rules")], panes, [])


def _color(desk: Desk, variant: Variant, node: int) -> str:
    own = variant.nodes[node]
    if own.labels is None:
        return desk.painter.shade(float(own.prediction))
    return color_class(own.labels.index(own.prediction))


def luck(desk: Desk, step: Step, variant: Variant) -> Content:
    say, roots, n = desk.speaker.say, desk.story.roots, desk.story.n_samples
    rows = []
    for name, share in roots:
        text = say("no_split") if name is None else isolated(quoted(name))
        bar = desk.painter.length(share * BAR_WIDTH)
        cls = "chosen" if name is not None and quoted(name) == variant.nodes[0].chosen.attribute else None  # type: ignore[union-attr]
        rows.append(
            tag(
                "tr",
                tag("th", tag("bdi", text), scope="row"),
                tag("td", bar, cls="length"),
                tag("td", percent(share), cls="number"),
                cls=cls,
            )
        )
    best, share = roots[0]
    name = say("no_split") if best is None else isolated(quoted(best))
    if share == 1:
        last = say("say_luck_alone", n=n, best=name)
    else:
        last = say("say_luck_clear" if share >= CLEAR_SHARE else "say_luck_best", best=name, share=percent(share))
    table = tag("div", tag("table", tag("tbody", *rows), cls="bars luck"), cls="pane bars-pane alone")
    return Content(say("title_luck"), [say("say_luck", n=n), last], (table,), [])


def pruning(desk: Desk, step: Step, variant: Variant) -> Content:
    pruning = Pruning(desk.speaker, variant, desk.story.method or "", desk.story.confidence)
    grown = set(variant.inner)
    panes = (
        desk.painter.tree_pane(desk.painter.tree(variant, grown)),
        tag("div", pruning.items(desk.has_quiz), cls="pane lines-pane"),
    )
    return Content(desk.speaker.say("title_pruning"), pruning.says(), panes, [desk.heard_tree(variant, grown)])


def score(desk: Desk, step: Step, variant: Variant) -> Content:
    say = desk.speaker.say
    if desk.has_quiz:
        score = tag(
            "div",
            tag("p", say("score_none"), cls="total"),
            tag("ol", cls="answers"),
            tag("p", cls="tree-kept"),
            cls=f"pane score-pane {SCRIPTED}",
        )
    else:
        score = None
    leaves = desk.speaker.counted("leaves", variant.n_leaves)
    if variant.nodes[0].labels is None:
        text = desk.speaker.digits.text
        end = say("say_end_numeric", leaves=leaves, before=text(variant.nodes[0].counts[2]), after=text(variant.errors))
    else:
        end = say("say_end", leaves=leaves, errors=desk.speaker.errors(variant.errors))
    panes = (
        score,
        tag(
            "div",
            *(sheet_markup(own, number, desk.speaker) for number, own in enumerate(desk.story.sheets)),
            cls="pane sheets",
        ),
    )
    return Content(say("title_score" if desk.has_quiz else "title_end"), [end], panes, [])


def percent(share: float) -> str:
    """Return a share in percent with one digit, without a trailing 0."""
    return f"{100 * share:.1f}".removesuffix(".0") + " %"
