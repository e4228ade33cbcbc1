"""HTML elements whose texts are escaped."""

from __future__ import annotations

from html import escape

NAMES = {"cls": "class", "label_for": "for"}
"""Attributes whose names are words of Python."""


class Markup(str):
    """HTML that is inserted as it is; any other text is escaped."""

    __slots__ = ()


Child = str | None


def tag(element: str, *children: Child, **attributes: str | int | bool | None) -> Markup:
    """Return an element; children and attributes that are None are left out, and _ in a name stands for -."""
    opening = element
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        name = NAMES.get(key, key.replace("_", "-"))
        opening += f" {name}" if value is True else f' {name}="{escape(str(value))}"'
    return Markup(f"<{opening}>{joined(*children)}</{element}>")


def void(element: str, **attributes: str | int | bool | None) -> Markup:
    """Return an element without content."""
    return Markup(tag(element, **attributes).removesuffix(f"</{element}>"))


def joined(*children: Child) -> Markup:
    """Return children one after the other."""
    return Markup("".join(own if isinstance(own, Markup) else escape(own) for own in children if own is not None))
