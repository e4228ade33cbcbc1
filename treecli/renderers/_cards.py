"""The content of each node in a picture, independent of the format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from textwrap import wrap

from treecli.data import Attribute, Derived
from treecli.draw.palette import class_color, scale_color
from treecli.draw.roundnumbers import in_round_numbers
from treecli.model import TreeModel
from treecli.node import Node
from treecli.outcomes.rows import present
from treecli.records import dataclass
from treecli.renderers import Place, View, places
from treecli.rules.from_tree import conditions_at
from treecli.rules.rule import wording
from treecli.tree import MEAN, predicted_codes, predicted_values, typical_error
from treecli.wording import quoted, readable

LONGEST = 40

MOST_LINES = 6
"""Of a formula."""

MOST_SIGNS = 2000
"""Longer texts are truncated even in tooltips: a label may be a megabyte, or a node may have 10,000."""


@dataclass(frozen=True, slots=True)
class Card:
    """A node as texts, numbers and colour.

    `title` is its test or, at the end of a branch, its prediction; `lines` give details. `branch` is the condition that
    leads to it without the attribute's name, which its parent shows, `condition` the same in full. `color` belongs to
    the prediction; `strength`, from 0 to 1, is its purity. `shares` are the class shares, `level` the position of a
    number between the lowest and the highest prediction; one of them is empty or None. `flow` is the node's share of
    the cases at the root of the shown part. `counts` is the class weights as text.
    """

    place: Place
    title: str
    lines: tuple[str, ...]
    branch: str
    condition: str
    color: str
    strength: float
    shares: tuple[float, ...]
    level: float | None
    flow: float
    is_end: bool
    counts: str = ""
    is_formula: bool = False
    """Whether the title is a column derived from several attributes."""

    @property
    def number(self) -> int:
        return self.place.node.index

    @property
    def short_lines(self) -> list[str]:
        """The title and the lines for formats that neither wrap nor measure text; a formula takes several lines."""
        title = [short(self.title)]
        if self.is_formula:
            title = wrap(self.title, LONGEST, max_lines=MOST_LINES, placeholder="…", break_on_hyphens=False)
        return [*title, *map(short, self.lines)]

    @property
    def tooltip(self) -> str:
        """The full description of the node, one fact per line, with the weight of each class."""
        counts = () if self.counts in self.lines else (self.counts,)
        return "\n".join(line[:MOST_SIGNS] for line in (self.condition, self.title, *self.lines, *counts) if line)


@dataclass(frozen=True, slots=True)
class Span:
    """The lowest and the highest prediction of a regression tree."""

    low: float
    high: float

    def level(self, value: float) -> float:
        """The position of a value in the span, from 0 to 1."""
        width = self.high - self.low
        return (value - self.low) / width if width > 0 else 0.5


def span(model: TreeModel) -> Span:
    """The lowest and the highest prediction of any node of the tree, also if only a part is shown."""
    values = predicted_values(model.tree)
    return Span(min(values), max(values))


def cards(model: TreeModel, view: View) -> Iterator[Card]:
    """A card for every node that a view shows, in reading order."""
    if model.schema.is_classification:
        yield from _class_cards(model, view)
    else:
        yield from _number_cards(model, view)


def cases(weight: float) -> str:
    """A weight as text."""
    if weight == 1:
        return "1 case"
    return f"{readable(weight)} cases" if weight else "no cases"


def percentage(share: float) -> str:
    """A share in whole percent; shares near 0 or 1 are never rounded to them."""
    if 0 < share < 0.01:
        return "< 1 %"
    if 0.99 < share < 1:
        return "> 99 %"
    return f"{100 * share:.0f} %"


def short(text: str) -> str:
    """A line of text for formats that neither wrap nor measure text."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _class_cards(model: TreeModel, view: View) -> Iterator[Card]:
    labels = [quoted(label) for label in model.schema.target.labels]
    codes = predicted_codes(model.tree)
    whole = Node(model.tree, view.node, model.schema).weight
    for place in places(model, view):
        node, weight = place.node, place.node.weight
        code = codes[node.index]
        shares = tuple(outcome / weight for outcome in node.outcomes) if weight else ()
        is_end = node.is_leaf or place.n_hidden > 0
        summary = cases(weight)
        if shares:
            summary += f", {percentage(shares[code])}" + ("" if is_end else f" {labels[code]}")
        counts = ", ".join(f"{labels[code]}: {readable(outcome)}" for code, outcome in present(node.outcomes))
        more = (counts,) if view.has_counts else ()
        even = 1 / len(labels)
        strength = max(shares[code] - even, 0.0) / (1 - even) if shares and len(labels) > 1 else 0.0
        said = f"{labels[code]} [forced]" if node.index in model.tree.forced else labels[code]
        face = _Face(said, summary, more, class_color(code), strength, weight / whole if whole else 0.0)
        yield replace(_card(model, view, place, face), shares=shares, counts=counts)


def _number_cards(model: TreeModel, view: View) -> Iterator[Card]:
    values, scale = predicted_values(model.tree), span(model)
    whole = Node(model.tree, view.node, model.schema).weight
    middle, error = ("median", "mae") if model.takes_medians else ("mean", "rmse")
    for place in places(model, view):
        node, weight = place.node, place.node.weight
        value = values[node.index]
        is_end = node.is_leaf or place.n_hidden > 0
        summary = cases(weight) + ("" if is_end else f", {middle} {readable(value)}")
        deviation = readable(typical_error(node.outcomes, takes_medians=model.takes_medians)) if weight else ""
        if weight and is_end and node.model_wording is None:
            summary += f", {error} {deviation}"
        more: tuple[str, ...] = ()
        if view.has_counts and weight:
            more = (f"{middle} {readable(node.outcomes[MEAN])}, {error} {deviation}",)
        level = scale.level(value)
        face = _Face(
            node.model_wording or readable(value),
            summary,
            more,
            scale_color(level),
            level,
            weight / whole if whole else 0.0,
        )
        yield replace(_card(model, view, place, face), level=level)


def _asked(column: Attribute) -> str:
    """A column as a question; a formula is no name that needs quotes."""
    return column.name if isinstance(column, Derived) else quoted(column.name)


@dataclass(frozen=True, slots=True)
class _Face:
    """The part of a card that depends on the kind of target."""

    prediction: str
    summary: str
    more: tuple[str, ...]
    color: str
    strength: float
    flow: float


def _card(model: TreeModel, view: View, place: Place, face: _Face) -> Card:
    node, summary = place.node, face.summary
    is_end = node.is_leaf or place.n_hidden > 0
    title = face.prediction if is_end else f"{_asked(model.schema.columns[node.split.attribute])}?"
    lines = [f"#{node.index}: {summary}" if view.has_ids else summary, *(line for line in face.more if line)]
    branch = condition = ""
    if place.condition is not None:
        attribute = model.schema.columns[place.condition.attribute]
        condition = place.condition.wording(attribute)
        branch = in_round_numbers(place.condition, attribute).wording(attribute)
        branch = branch.removeprefix(f"{quoted(attribute.name)} ")
        if isinstance(attribute, Derived):
            # "at most 2 of {…}" below the card "count of {…}?"
            branch = branch.removesuffix(f" {attribute.name.partition(' ')[2]}")
    elif view.node:
        attributes = model.schema.columns
        path = [in_round_numbers(c, attributes[c.attribute]) for c in conditions_at(model, view.node)]
        lines.insert(0, f"where {wording(path, model.schema)}")
    if place.n_hidden:
        lines.append(f"… {place.n_hidden} node{'s' if place.n_hidden > 1 else ''} below")
    is_formula = not is_end and isinstance(model.schema.columns[node.split.attribute], Derived)
    shown = face.color, face.strength, (), None, face.flow, is_end
    return Card(place, title, tuple(lines), branch, condition, *shown, is_formula=is_formula)
