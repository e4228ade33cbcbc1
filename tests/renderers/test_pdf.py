"""show -f pdf"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.example_models import iris_like, playtennis, regression
from tests.renderers.hostile import hostile
from treecli.draw.drawing import Drawing
from treecli.draw.painting import painted_pdf
from treecli.model import TreeModel
from treecli.models import write_model
from treecli.renderers import View, pdf
from treecli.renderers._picture import picture


def drawn(model: TreeModel) -> bytes:
    return b"".join(pdf.render(model, View()))


def page_size(content: bytes) -> list[float]:
    found = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", content)
    assert found is not None
    return [float(size) for size in found.groups()]


@pytest.mark.parametrize("model", [playtennis(), regression(), hostile()], ids=["nominal", "numeric", "hostile"])
def test_a_page_has_a_point_for_every_pixel_of_the_drawing(model: TreeModel) -> None:
    drawing = picture(model, View())
    assert page_size(drawn(model)) == pytest.approx([drawing.width, drawing.height], abs=0.01)


def test_a_page_is_never_larger_than_readers_show() -> None:
    assert page_size(painted_pdf(Drawing(28_800.0, 1000.0, "", [])).content) == pytest.approx([14_400, 500])


def test_the_same_model_gives_the_same_bytes() -> None:
    assert drawn(iris_like()) == drawn(iris_like())


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext (poppler-utils) is not installed")
def test_its_words_are_text(treecli: Runner, tmp_path: Path) -> None:
    write_model(str(tmp_path / "model.json"), playtennis())
    assert treecli("show", "model.json", "-f", "pdf", "-o", "tree.pdf").code == 0
    done = subprocess.run(["pdftotext", tmp_path / "tree.pdf", "-"], capture_output=True, text=True, check=True)
    for word in ("Outlook?", "14 cases, 64 % Yes", "= Overcast"):
        assert word in done.stdout
