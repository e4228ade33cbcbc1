"""One colour per class in every picture, distinguishable with colour vision deficiencies."""

from __future__ import annotations

import re
import zlib
from io import BytesIO
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.example_models import Inner, model_of
from treecli import plugins
from treecli.data import Attribute, Dataset, Schema
from treecli.draw.boundary import plane
from treecli.draw.palette import CLASS_COLORS, class_color
from treecli.draw.planes import regions
from treecli.model import TreeModel
from treecli.renderers import View
from treecli.splits import bins

# Machado, Oliveira and Fernandes 2009, for complete dichromacy, on linear RGB.
SEEN_BY = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE_POINT = np.array([0.9505, 1.0, 1.089])

WITHOUT_COLORS = {"text", "json", "j48", "m5p"}
"""Renderers that draw no picture; the colours of a terminal are its own."""


def in_cielab(color: str, seen_by: NDArray[np.float64]) -> NDArray[np.float64]:
    parts = np.array([int(color[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    x, y, z = TO_XYZ @ np.clip(seen_by @ linear, 0, 1) / WHITE_POINT
    fx, fy, fz = (np.cbrt(part) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z))
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])


@pytest.mark.parametrize("people", SEEN_BY)
@pytest.mark.parametrize(("n_classes", "least"), [(10, 17.0), (30, 11.0)])
def test_any_two_classes_can_be_told_apart(people: str, n_classes: int, least: float) -> None:
    places = [in_cielab(color, SEEN_BY[people]) for color in CLASS_COLORS[:n_classes]]
    assert min(np.linalg.norm(one - two) for one, two in combinations(places, 2)) > least


def test_after_the_thirtieth_class_the_colours_repeat() -> None:
    assert len({class_color(code) for code in range(30)}) == 30
    assert class_color(30) == class_color(0)


def of_classes(n_classes: int) -> TreeModel:
    """A tree with a leaf for each class; the later a class, the more cases it has."""
    labels = tuple(f"label {code}" for code in range(n_classes))
    schema = Schema((Attribute("x", "numeric"), Attribute("y", "numeric")), Attribute("class", "nominal", labels))
    leaves = tuple(tuple(float(code + 1) * (code == own) for code in range(n_classes)) for own in range(n_classes))
    return model_of(schema, Inner(bins.Split(0, tuple(float(cut) for cut in range(1, n_classes))), leaves))


def colors_in(name: str, content: bytes) -> set[str]:
    """The colours in a picture, as #rrggbb."""
    if name == "png":
        from matplotlib.image import imread

        dots = (imread(BytesIO(content))[:, :, :3] * 255).round().astype(int)
        return {f"#{number:06x}" for number in np.unique(dots @ [0x10000, 0x100, 1]).tolist()}
    if name == "pdf":
        streams = re.findall(rb"stream\r?\n(.*?)endstream", content, re.DOTALL)
        text = b"".join(zlib.decompressobj().decompress(part) for part in streams if part.startswith(b"x")).decode(
            "latin1"
        )
        return {
            "#" + "".join(f"{round(float(part) * 255):02x}" for part in triple)
            for triple in re.findall(r"([\d.]+) ([\d.]+) ([\d.]+) rg", text)
        }
    return {f"#{found.lower()}" for found in re.findall(r"(?:#|HTML}{)([0-9a-fA-F]{6})\b", content.decode())}


@pytest.mark.parametrize("name", sorted(set(plugins.names("renderers")) - WITHOUT_COLORS))
def test_every_picture_gives_a_class_the_same_colour(name: str) -> None:
    pieces = plugins.load("renderers", name).render(of_classes(12), View())
    content = b"".join(piece if isinstance(piece, bytes) else piece.encode() for piece in pieces)
    assert {class_color(code) for code in range(12)} <= colors_in(name, content)


def test_a_plane_gives_a_class_the_same_colour_and_with_many_classes_its_label() -> None:
    model = of_classes(12)
    rows = np.arange(12) + 0.5
    dataset = Dataset(model.schema, [rows, rows], np.arange(12, dtype=np.int32), np.ones(12))
    content = regions("svg", "t", "", ("x", "y", "class"), plane(model, dataset, 0, 1)).content
    assert {class_color(code) for code in range(12)} <= colors_in("svg", content)
    # Once in the legend, once in its region.
    assert all(content.decode().count(f">label {code}</text>") == 2 for code in range(12))
