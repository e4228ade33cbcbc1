"""A model as data for web pages: its attributes, and conditions that a script can test."""

from __future__ import annotations

from typing import Any

from treecli import __version__
from treecli.data import Schema
from treecli.draw.palette import SCALE, class_color
from treecli.model import Lineage
from treecli.values import Condition, Labels
from treecli.wording import quoted

MISSING, UNSEEN, NO_NUMBER = 1, 2, 4
"""Flags of a condition, shared with sets.js."""


def heading(schema: Schema, lineage: tuple[Lineage, ...]) -> dict[str, Any]:
    """Return the data common to all pages: columns, classes with their colours, and lineage."""
    attributes = [
        {"name": attribute.name, "text": quoted(attribute.name)}
        | ({} if attribute.is_numeric else {"labels": attribute.labels})
        for attribute in schema.columns
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
    """Encode a condition: the attribute, its bounds (null if unbounded) or label codes, and flags."""
    flags = MISSING * values.missing | UNSEEN * values.unseen
    if isinstance(values, Labels):
        return [values.attribute, values.codes, flags]
    # JSON has no infinity: msgspec writes null.
    return [values.attribute, values.low, values.high, flags | NO_NUMBER * (not values.takes_known)]


def short(number: float) -> float | int:
    """Return an integer if possible, to omit `.0` from the thousands of counts on a page."""
    return int(number) if number.is_integer() else number
