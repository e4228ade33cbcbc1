from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.example_models import Inner, model_of
from treecli.data import Attribute, Schema
from treecli.draw.fonts import USUAL, families_for, lacking_text
from treecli.models import write_model
from treecli.splits import threshold


@pytest.fixture
def usual_font_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without any font but the one that comes with matplotlib."""
    from matplotlib import font_manager

    usual = [entry for entry in font_manager.fontManager.ttflist if entry.name == USUAL]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", usual)
    monkeypatch.setattr(font_manager, "findSystemFonts", list)


def test_latin_greek_and_cyrillic_need_no_other_font() -> None:
    assert families_for("petal wïdth, λ, ж ≤ 2.45 …\n") == ([USUAL], "")


def test_an_installed_font_is_asked_for_what_the_usual_one_lacks() -> None:
    families, lacking = families_for("天気 a")
    # Either some font here has them all, or they are told of.
    assert (len(families) > 1) != (lacking == "天気")


@pytest.mark.usefixtures("usual_font_only")
def test_characters_that_no_font_has_are_told_in_one_line(treecli: Runner, tmp_path: Path) -> None:
    schema = Schema((Attribute("気温", "numeric"),), Attribute("天気", "nominal", ("雨", "sun")))
    write_model(str(tmp_path / "m.json"), model_of(schema, Inner(threshold.Split(0, 14.5), ((3.0, 1.0), (0.0, 2.0)))))
    rest = "so boxes are drawn; install one (such as Noto), or"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for format in ("png", "pdf"):
            done = treecli("show", "m.json", "-f", format, "-o", f"m.{format}")
            assert (done.code, done.err) == (
                0,
                f"Warning: no installed font has 天気温雨, {rest} use -f svg or -f html\n",
            )
        done = treecli("plot", "importance", "m.json", "-o", "i.png")
        assert done.err == f"Warning: no installed font has 気温, {rest} write .svg\nwrote i.png\n"
        assert treecli("plot", "importance", "m.json", "-o", "i.svg").err == "wrote i.svg\n"
        assert treecli("show", "m.json", "-f", "svg", "-o", "m.svg").err == ""


def test_of_many_characters_some_are_named() -> None:
    assert lacking_text("天" * 25, "x").startswith(f"no installed font has {'天' * 20} and 5 more, so")
