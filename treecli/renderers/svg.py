"""The tree as one self-contained SVG picture, for light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from html import escape

from treecli.draw.drawing import DARK, LIGHT, Bend, Box, Theme, Words
from treecli.model import TreeModel
from treecli.renderers import View
from treecli.renderers._picture import announced

HAS_CHARTS = True

FONTS = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif"


def render(model: TreeModel, view: View) -> Iterator[str]:
    """The picture, one group per node."""
    drawing = announced(model, view)
    width, height = _number(drawing.width), _number(drawing.height)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" font-family="{FONTS}">\n'
        f"<title>{escape(drawing.title, quote=False)}</title>\n"
        f"<style>\n{_rules(LIGHT)}\n@media (prefers-color-scheme: dark) {{\n{_rules(DARK)}\n}}\n</style>\n"
        f'<rect class="paper" width="{width}" height="{height}"/>\n'
    )
    for group in drawing.groups:
        yield "<g>" + (f"<title>{escape(group.title, quote=False)}</title>" if group.title else "") + "\n"
        for shape in group.shapes:
            yield _element(shape) + "\n"
        yield "</g>\n"
    yield "</svg>\n"


def _rules(theme: Theme) -> str:
    """CSS classes; not variables, which only browsers support."""
    colors = [(field.name, getattr(theme, field.name)) for field in fields(theme)]
    return "\n".join(f".{name} {{ fill: {color} }} .{name}-stroke {{ stroke: {color} }}" for name, color in colors)


def _element(shape: Box | Words | Bend) -> str:
    if isinstance(shape, Words):
        anchor = "" if shape.anchor == "start" else f' text-anchor="{shape.anchor}"'
        weight = ' font-weight="600"' if shape.is_bold else ""
        place = f'x="{_number(shape.x)}" y="{_number(shape.y)}" font-size="{_number(shape.size)}"'
        return f"<text {place}{anchor}{weight} {_paint(shape.color)}>{escape(shape.text, quote=False)}</text>"
    if isinstance(shape, Box):
        place = f'x="{_number(shape.x)}" y="{_number(shape.y)}"'
        size = f'width="{_number(shape.width)}" height="{_number(shape.height)}"'
        radius = f' rx="{_number(shape.radius)}"' if shape.radius else ""
        opacity = f' fill-opacity="{_number(shape.opacity)}"' if shape.opacity < 1 else ""
        return f"<rect {place} {size}{radius}{opacity} {_paint(shape.fill, shape.stroke)}/>"
    points = [shape.root, shape.start, *shape.controls(), shape.end, shape.tip]
    root, start, first, second, end, tip = (f"{_number(x)} {_number(y)}" for x, y in points)
    width = f'stroke-width="{_number(shape.width)}"'
    line = f"M{root} L{start} C{first} {second} {end} L{tip}"
    return f'<path d="{line}" fill="none" {width} class="{shape.color}-stroke"/>'


def _paint(fill: str, stroke: str | None = None) -> str:
    """Colours of the theme as classes, those of the data literally."""
    classes, plain = [], []
    for attribute, color, suffix in (("fill", fill, ""), ("stroke", stroke, "-stroke")):
        if color is None:
            continue
        if color.startswith("#"):
            plain.append(f'{attribute}="{color}"')
        else:
            classes.append(color + suffix)
    if classes:
        plain.append('class="' + " ".join(classes) + '"')
    return " ".join(plain)


def _number(value: float) -> str:
    """The number with at most two decimals: finer differences are invisible."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
