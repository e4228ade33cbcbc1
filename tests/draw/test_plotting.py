from __future__ import annotations

import sys

import pytest

from treecli.draw.canvas import check_suffix
from treecli.draw.plotting import Curve, bars, errors_against_leaves
from treecli.errors import UsageError

CURVES = [Curve("training data", [0.0, 0.2, 0.4]), Curve("3-fold $x$", [0.3, 0.25, 0.4], [0.05, 0.04, 0.05])]


def picture(format: str, n_leaves: tuple[int, ...] = (9, 4, 1)) -> bytes:
    return errors_against_leaves(format, "Pruning a_$b.json", "share of wrong cases", n_leaves, CURVES).content


def test_a_png_and_a_pdf_are_such() -> None:
    assert picture("png").startswith(b"\x89PNG\r\n\x1a\n")
    assert picture("pdf").startswith(b"%PDF")


def test_an_svg_holds_its_words_as_text() -> None:
    text = picture("svg").decode()
    assert text.startswith("<?xml")
    for word in ("Pruning a_$b.json", "share of wrong cases", "leaves", "training data", "± one standard error"):
        assert word in text


@pytest.mark.parametrize("format", ["png", "svg", "pdf"])
@pytest.mark.parametrize("n_leaves", [(9, 4, 1), (1000, 40, 1)])
def test_the_same_errors_give_the_same_bytes(format: str, n_leaves: tuple[int, ...]) -> None:
    assert picture(format, n_leaves) == picture(format, n_leaves)


@pytest.mark.parametrize(("path", "format"), [("a.png", "png"), ("a.b/c.SVG", "svg"), ("c.pdf", "pdf")])
def test_the_suffix_tells_the_format(path: str, format: str) -> None:
    assert check_suffix(path) == format


@pytest.mark.parametrize("path", ["a.gif", "png", "-", "a.png.gz"])
def test_any_other_suffix_is_refused(path: str) -> None:
    with pytest.raises(UsageError, match=r"pictures are \.png, \.svg or \.pdf"):
        check_suffix(path)


def test_without_matplotlib_there_is_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # what Python does for a package that is not there
    with pytest.raises(UsageError, match="drawing needs the package matplotlib") as caught:
        picture("png")
    assert caught.value.hint == "pip install 'treecli[plot]'"


def test_bars_have_names_and_shares_as_they_are() -> None:
    text = bars("svg", "a_$b.json", "share", ["$x$", "y" * 200], [0.75, 0.0004]).content.decode()
    for word in ("a_$b.json", "$x$", "yyy…", "0.750", "&lt; 0.001"):
        assert word in text
