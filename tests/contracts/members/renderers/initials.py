"""The first letter of every test."""

from __future__ import annotations

from collections.abc import Iterator

from treecli.model import TreeModel
from treecli.renderers import View, places

SUFFIX = ".abc"


def render(model: TreeModel, view: View) -> Iterator[str]:
    """A line of letters in reading order, a dot for a leaf."""
    names = [attribute.name for attribute in model.schema.attributes]
    for place in places(model, view):
        yield "." if place.node.is_leaf else names[model.tree.attribute[place.node.index]][0]
    yield "\n"
