"""The tree as a picture in PNG, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Iterator

from treecli.model import Model
from treecli.pictures.plotting import painted
from treecli.renderers import View
from treecli.renderers._picture import picture

IS_BINARY = True


def render(model: Model, view: View) -> Iterator[bytes]:
    """The picture that svg draws, in its light colours."""
    yield painted(picture(model, view))
