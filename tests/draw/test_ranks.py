"""Critical-difference diagrams."""

from __future__ import annotations

import re

import pytest

from treecli.draw.ranks import critical_difference_diagram

RANKS = {"cart": 2.5, "j48": 1.25, "stump": 3.75, "rep": 2.5}


def svg(bars: list[list[str]], cd: float | None = None) -> str:
    return critical_difference_diagram("svg", RANKS, bars, "The caption.", cd).content.decode()


def test_the_diagram_names_every_learner_with_its_mean_rank() -> None:
    found = svg([])
    for label in ("j48  1.25", "cart  2.50", "2.50  rep", "3.75  stump", "The caption."):
        assert f">{label}<" in found


def test_equal_input_gives_equal_bytes() -> None:
    assert svg([["j48", "cart"]]) == svg([["j48", "cart"]])


def test_a_bar_joins_its_members_and_a_learner_alone_has_none() -> None:
    def thick(text: str) -> int:
        return len(re.findall(r"stroke-width: 3.5", text))

    assert thick(svg([["j48"], ["cart"]])) == 0
    # Overlapping sets, which do not nest.
    assert thick(svg([["j48", "cart"], ["cart", "stump"]])) == 2


def test_a_critical_difference_is_drawn_to_scale() -> None:
    assert "critical difference 1.50" in svg([], 1.5)
    assert "critical difference" not in svg([])


def test_the_diagram_has_no_colour() -> None:
    colors = set(re.findall(r"#[0-9a-f]{6}", svg([["j48", "cart"]], 1.0)))
    assert colors
    assert all(color[1:3] == color[3:5] == color[5:7] for color in colors)


@pytest.mark.parametrize(("form", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_other_forms(form: str, start: bytes) -> None:
    assert critical_difference_diagram(form, RANKS, [list(RANKS)], "caption").content.startswith(start)
