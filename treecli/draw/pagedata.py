"""A model as data for web pages: its attributes, and sets of values that a script can test."""

from __future__ import annotations

from typing import Any

from treecli import __version__
from treecli.data import Schema
from treecli.draw.palette import SCALE, class_color
from treecli.model import Lineage
from treecli.values import Condition, Labels
from treecli.wording import quoted

MISSING, UNSEEN, NO_NUMBER = 1, 2, 4
"""Flags of a set of values, shared with sets.js."""


def heading(schema: Schema, lineage: tuple[Lineage, ...]) -> dict[str, Any]:
    """The facts on every page: columns, classes with their colours, and lineage."""
    attributes = [
        {"name": attribute.name, "text": quoted(attribute.name)}
        | ({} if attribute.is_numeric else {"labels": attribute.labels})
        for attribute in schema.attributes
    ]
    return {
        "program": f"treecli {__version__}",
        "source": next((step["data"] for step in lineage if isinstance(step.get("data"), str)), None),
        "attributes": attributes,
        "target": schema.target.name,
        "labels": schema.target.labels if schema.is_classification else None,
        "colors": [class_color(code) for code in range(len(schema.target.labels))],
        "scale": SCALE,
    }


def encoded(values: Condition) -> list[Any]:
    """An attribute, then its bounds (null: none) or the codes of labels, then flags."""
    flags = MISSING * values.missing | UNSEEN * values.unseen
    if isinstance(values, Labels):
        return [values.attribute, values.codes, flags]
    # JSON has no infinity: msgspec makes null of it.
    return [values.attribute, values.low, values.high, flags | NO_NUMBER * (not values.takes_known)]


def short(number: float) -> float | int:
    """The number without a trailing `.0`, which a page of thousands of counts can do without."""
    return int(number) if number.is_integer() else number
