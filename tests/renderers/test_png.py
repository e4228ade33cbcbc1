"""show -f png"""

from __future__ import annotations

import struct
import sys
from io import BytesIO

import numpy as np
import pytest

from tests.example_models import iris_like, playtennis, regression
from tests.renderers.hostile import hostile
from treecli.draw.palette import class_color
from treecli.errors import UsageError
from treecli.model import TreeModel
from treecli.renderers import View, png
from treecli.renderers._picture import picture


def drawn(model: TreeModel) -> bytes:
    return b"".join(png.render(model, View()))


@pytest.mark.parametrize("model", [playtennis(), regression(), hostile()], ids=["nominal", "numeric", "hostile"])
def test_the_picture_has_two_dots_for_every_pixel_of_the_drawing(model: TreeModel) -> None:
    found, drawing = drawn(model), picture(model, View())
    assert found.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", found[16:24])
    assert (width, height) == pytest.approx((2 * drawing.width, 2 * drawing.height), abs=1)


def test_the_same_model_gives_the_same_bytes() -> None:
    assert drawn(iris_like()) == drawn(iris_like())


def test_the_colours_of_the_classes_are_in_the_picture() -> None:
    from matplotlib.image import imread

    dots = (imread(BytesIO(drawn(playtennis())))[:, :, :3] * 255).round().astype(int)
    numbers = np.unique(dots @ [0x10000, 0x100, 1]).tolist()
    found = {f"#{number:06x}" for number in numbers}
    assert {class_color(0), class_color(1), "#ffffff"} <= found


def test_without_matplotlib_there_is_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # what Python does for a package that is not there
    with pytest.raises(UsageError, match="drawing needs the package matplotlib") as caught:
        drawn(playtennis())
    assert caught.value.hint == "pip install 'treecli[plot]'"
