"""The parts of a step: cards, tree, lines and bars."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treecli.lesson.bars import bar_record
from treecli.lesson.markup import Markup, joined, tag
from treecli.lesson.wordings import Speaker, isolated
from treecli.teaching.branches import MISSING_LABEL, UNKNOWN, labels, values_of
from treecli.teaching.candidates import placed
from treecli.tree import predicted_codes, predicted_values
from treecli.wording import number_text, quoted

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.lesson.variants import Variant
    from treecli.teaching.trace import Candidate, NodeTrace, Trace

BAR_WIDTH, BAR_HEIGHT = 100, 10

FULL = 1 - 1e-9
"""A share of a row above this is the whole row."""

MOST_CLASSES_IN_BRACKETS = 6


@dataclass(frozen=True, slots=True)
class Group:
    """Cards that belong together: the weight of each row, and the outcomes of all."""

    label: str
    rows: dict[int, float]
    outcomes: tuple[float, ...]
    note: str = ""
    is_active: bool = False
    node: int | None = None


@dataclass(frozen=True, slots=True)
class Painter:
    """Makes the parts of a page; `has_cards`: rows are cards, not counts."""

    speaker: Speaker
    dataset: Dataset
    has_cards: bool

    @property
    def labels(self) -> tuple[str, ...] | None:
        target = self.dataset.schema.target
        return tuple(map(quoted, target.labels)) if self.dataset.schema.is_classification else None

    def outcomes(self, rows: dict[int, float]) -> tuple[float, ...]:
        """Return the class weights of rows, or their weight, mean and squared deviations."""
        assert self.dataset.target is not None
        places, weights = np.array(list(rows), int), np.array(list(rows.values()))
        target = self.dataset.target[places]
        if self.labels is not None:
            return tuple(np.bincount(target, weights, len(self.labels)).tolist())
        mean = float(target @ weights) / max(float(weights.sum()), 1e-300)
        return float(weights.sum()), mean, float(((target - mean) ** 2) @ weights)

    def cards(self, groups: Sequence[Group], *, is_big: bool = False, is_empty: bool = False) -> Markup:
        """Return the pane of the cards; `is_empty`: the page's script fills the groups from their rows."""
        decks = [self._group(group, is_empty=is_empty) for group in groups]
        cls = "pane cards big" if is_big else "pane cards"
        return tag("div", *decks, cls=cls, role="group", aria_label=self.speaker.say("cards_label"))

    def _group(self, group: Group, *, is_empty: bool) -> Markup:
        if not self.has_cards:
            deck: Markup | None = self._counts(group)
            rows = None
        else:
            deck = tag("ul", *(() if is_empty else (self.card(r, w) for r, w in group.rows.items())), cls="deck")
            rows = " ".join(f"{row}:{weight:.4g}" for row, weight in group.rows.items()) if is_empty else None
        heading = None
        if group.label:
            heading = tag(
                "h4", tag("bdi", group.label), " ", tag("span", self.brackets(group.outcomes), cls="brackets")
            )
        note = tag("p", group.note, cls="note") if group.note else None
        cls = "group active" if group.is_active else "group"
        return tag("div", heading, deck, note, cls=cls, data_rows=rows, data_node=group.node)

    def card(self, row: int, weight: float) -> Markup:
        """Return the card of a row, with its values for big cards and, if the row is divided, its share."""
        assert self.dataset.target is not None
        target = self.dataset.target[row]
        share = None if abs(weight - 1.0) < 1 - FULL else tag("i", f"×{weight:.3g}")
        if self.labels is not None:
            label, cls = self.labels[int(target)], f"card {color_class(int(target))}"
        else:
            label, cls = number_text(float(target)), f"card {self.shade(float(target))}"
        values = [
            tag("small", tag("bdi", self.value(attribute, row)))
            for attribute in range(len(self.dataset.schema.attributes))
        ]
        return tag("li", tag("b", str(row + 1)), tag("bdi", label), share, tag("div", *values), cls=cls, data_r=row)

    def shade(self, value: float) -> str:
        """Return the class of a number's colour, from the least to the greatest target."""
        assert self.dataset.target is not None
        low, high = float(np.min(self.dataset.target)), float(np.max(self.dataset.target))
        place = (value - low) / (high - low) if high > low else 0.0
        return f"s{min(int(place * N_SHADES), N_SHADES - 1)}"

    def value(self, attribute: int, row: int) -> str:
        """Return a value of a row as text."""
        column, own = self.dataset.schema.attributes[attribute], self.dataset.columns[attribute][row]
        if column.is_numeric:
            return "?" if own != own else number_text(float(own))
        return "?" if own < 0 else quoted(column.labels[int(own)])

    def _counts(self, group: Group) -> Markup:
        """Return the number of cases of each class, with a bar."""
        if self.labels is None:
            return tag("p", self.speaker.classes(group.outcomes, None), cls="count-line")
        present = [(code, count) for code, count in enumerate(group.outcomes) if count > 0]
        items = [
            tag(
                "li",
                tag("b", self.speaker.digits.count(count)),
                " ",
                tag("bdi", self.labels[code]),
                cls=f"count {color_class(code)}",
            )
            for code, count in present
        ]
        return joined(self.mix(group.outcomes), tag("ul", *items, cls="counts"))

    def mix(self, outcomes: Sequence[float]) -> Markup | None:
        """Return a bar of the classes of some cases; None for a numeric target."""
        if self.labels is None:
            return None
        total, x, parts = sum(outcomes), 0.0, []
        for code, count in enumerate(outcomes):
            width = BAR_WIDTH * count / total if total > 0 else 0.0
            if width > 0:
                parts.append(_rect(x, width, color_class(code)))
            x += width
        return _svg(*parts, cls="mix")

    def brackets(self, outcomes: Sequence[float]) -> str:
        """Return the class weights in brackets, only their sum if classes are many."""
        if self.labels is not None and len(self.labels) > MOST_CLASSES_IN_BRACKETS:
            return f"[{self.speaker.digits.count(sum(outcomes))}]"
        return self.speaker.counts(outcomes, self.labels)

    def groups_of_nodes(self, variant: Variant, nodes: Iterable[int], active: int | None = None) -> list[Group]:
        """Return the cases of nodes."""
        tree, found = variant.model.tree, []
        for node in nodes:
            own = variant.nodes[node]
            label = own.prediction if own.labels is not None else short_number(own.prediction)
            note = f"→ {isolated(label)}" if tree.is_leaf(node) else ""
            rows = self._rows(variant, node)
            found.append(Group(group_label(variant, node), rows, own.counts, note, node == active, node))
        return found

    def _rows(self, variant: Variant, node: int) -> dict[int, float]:
        weights = variant.weight_of_row
        if weights is None:
            return {}
        return {row: float(weights[node, row]) for row in np.flatnonzero(weights[node] > 0).tolist()}

    def groups_of_split(self, variant: Variant, own: Candidate) -> list[Group]:
        """Return the cases of the root by the branches of a candidate, and those whose value is unknown."""
        growth = variant.growth
        seen = growth.seen[0]
        option = next(o for o in seen.options if quoted(growth.schema.columns[o.attribute].name) == own.attribute)
        impurities = {branch.label: branch.impurity for branch in own.branches}
        branch, texts = placed(growth, option, values_of(growth.dataset, option.attribute, seen.rows))
        found = []
        for number, text in [*enumerate(texts), (UNKNOWN, "")]:
            at = np.flatnonzero(branch == number)
            if not len(at):
                continue
            rows = dict(zip(seen.rows[at].tolist(), seen.weights[at].tolist(), strict=True))
            step = impurities.get(text)
            note = "" if step is None else f"{step.name.symbol} = {step.text}"
            label = (
                self.speaker.say("unknown")
                if number == UNKNOWN
                else text.replace(MISSING_LABEL, self.speaker.say("missing"))
            )
            found.append(Group(isolated(label), rows, self.outcomes(rows), note))
        return found

    def tree(self, variant: Variant, grown: set[int], active: int | None = None, lit: Collection[int] = ()) -> Markup:
        """Return the tree in some state; for another tree a place that the page's script fills from the whole tree."""
        if variant.pick is None:
            return self.whole_tree(variant, grown, active, lit)
        nodes = " ".join(map(str, sorted(grown)))
        return tag("ul", cls="tree", data_grown=nodes, data_active=active, data_lit=" ".join(map(str, lit)) or None)

    def whole_tree(
        self, variant: Variant, grown: set[int], active: int | None = None, lit: Collection[int] = ()
    ) -> Markup:
        """Return the tree as nested lists; inner nodes that are not in `grown` are shown as open."""
        tree, edges = variant.model.tree, edge_labels(variant)
        codes = predicted_codes(tree) if self.labels is not None else []
        pieces: list[str] = []
        pending: list[tuple[int, str]] = [(0, "")]
        while pending:
            node, closing = pending.pop()
            if closing:
                pieces.append(closing)
                continue
            is_leaf = tree.is_leaf(node)
            classes = [*([] if is_leaf or node in grown else ["closed"]), *(["active"] if node == active else [])]
            classes += ["lit"] if node in lit else []
            opening = tag("li", cls=" ".join(classes) or None, data_n=node).removesuffix("</li>")
            edge = tag("span", tag("bdi", edges[node]), cls="edge") if node else None
            pieces += [opening, joined(edge, self._node(variant, node, codes))]
            pending.append((0, "</li>"))
            if not is_leaf:
                pieces.append("<ul>")
                pending.append((0, "</ul>"))
                pending += [(child, "") for child in reversed(tree.children(node))]
        return Markup(f'<ul class="tree">{"".join(pieces)}</ul>')

    def _node(self, variant: Variant, node: int, codes: list[int]) -> Markup:
        tree, own = variant.model.tree, variant.nodes[node]
        brackets = tag("small", self.brackets(own.counts))
        if tree.is_leaf(node):
            cls = (
                f"node leaf {color_class(codes[node])}"
                if codes
                else f"node leaf {self.shade(predicted_values(tree)[node])}"
            )
            return tag(
                "div",
                tag("b", tag("bdi", own.prediction if codes else short_number(own.prediction))),
                brackets,
                cls=cls,
            )
        name = quoted(variant.model.schema.columns[tree.split(node).attribute].name)
        asked, open_ = tag("b", tag("bdi", name), "?", cls="asked"), tag("b", "?", cls="open")
        return tag("div", asked, open_, self.mix(own.counts), brackets, cls="node")

    def tree_pane(self, *content: Markup | None) -> Markup:
        return tag(
            "div", *content, cls="pane tree-pane", role="group", tabindex=0, aria_label=self.speaker.say("tree_label")
        )

    def lines(self, texts: Iterable[str], concealed: Iterable[str] = (), *extra: Markup | None) -> Markup:
        """Return the pane of the trace's lines; a question conceals the second ones until it is answered."""
        items = [tag("li", text) for text in texts]
        items += [tag("li", text, cls="answer") for text in concealed]
        content = tag("ol", *items, cls="lines")
        return tag(
            "div", content, *extra, cls="pane lines-pane", role="group", aria_label=self.speaker.say("lines_label")
        )

    def bars(
        self,
        node: NodeTrace,
        trace: Trace,
        shown: Sequence[Candidate],
        *extra: Markup | None,
        picks: Callable[[Candidate], Markup] | None = None,
        is_decided: bool = True,
        concealed: Candidate | None = None,
    ) -> Markup:
        """Return the bars of candidates, scaled to the greatest; `picks` gives the button of a candidate.

        `is_decided`: the chosen one is marked. A question conceals one of them.
        """
        rows = [bar_record(own, node, trace) for own in shown]
        body = [
            tag(
                "tr",
                tag("th", picks(own) if picks is not None else tag("bdi", own.title), scope="row"),
                tag("td", self.length(record[2] * BAR_WIDTH), cls="length"),
                tag("td", record[1], cls="number"),
                tag("td", cls="mark"),
                data_attribute=own.attribute,
                cls=_bar_class(record[3] if is_decided else None, is_concealed=own is concealed),
            )
            for own, record in zip(shown, rows, strict=True)
        ]
        table = tag("table", tag("tbody", *body), cls="bars", data_symbol=trace.symbol)
        return tag("div", *extra, table, cls="pane bars-pane", role="group", aria_label=self.speaker.say("bars_label"))

    def length(self, width: float) -> Markup:
        """Return a bar of this width, out of BAR_WIDTH."""
        return _svg(_rect(0, width, "fill"), cls="bar")


N_SHADES = 6
N_COLORS = 30


def color_class(code: int) -> str:
    """Return the style class of a target class's colour."""
    return f"c{code % N_COLORS}"


def short_number(text: str) -> str:
    """Return a number with at most three digits after the point."""
    return f"{float(text):.3f}".rstrip("0").rstrip(".")


def _bar_class(status: str | None, *, is_concealed: bool) -> str | None:
    return " ".join(name for name in (status, "answer" if is_concealed else None) if name) or None


def edge_labels(variant: Variant) -> list[str]:
    """Return the condition of the branch that leads to each node, without the attribute; empty for the root."""
    tree, found = variant.model.tree, [""] * variant.model.tree.n_nodes
    for node in tree.inner_nodes():
        texts = labels(tree.split(node), variant.model.schema)
        for branch, child in enumerate(tree.children(node)):
            found[child] = isolated(texts[branch] if branch < len(texts) else MISSING_LABEL)
    return found


def group_label(variant: Variant, node: int) -> str:
    """Return the labels on the path to a node; its conditions if some are not labels; empty for the root."""
    tree, parents, edges = variant.model.tree, variant.model.tree.parents(), edge_labels(variant)
    path = ancestors(variant, node)
    if all(tree.split(parents[own]).KIND == "multiway" for own in path):
        return " · ".join(edges[own] for own in path)
    return isolated(variant.nodes[node].path)


def ancestors(variant: Variant, node: int) -> list[int]:
    """Return the nodes below the root on the path to a node, and the node itself."""
    parents, found = variant.model.tree.parents(), []
    while node:
        found.append(node)
        node = parents[node]
    return found[::-1]


def _svg(*parts: Markup, cls: str) -> Markup:
    return tag(
        "svg", *parts, cls=cls, viewBox=f"0 0 {BAR_WIDTH} {BAR_HEIGHT}", preserveAspectRatio="none", aria_hidden="true"
    )


def _rect(x: float, width: float, cls: str) -> Markup:
    return tag("rect", x=f"{x:.4g}", width=f"{width:.4g}", height=BAR_HEIGHT, cls=cls)
