from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecli.draw.drawing import cut, text_width, wrapped
from treecli.draw.palette import SCALE, mixed, scale_color


def test_words_that_fit_stay_as_they_are() -> None:
    assert cut("petalwidth", 200, 13) == "petalwidth"


@pytest.mark.parametrize("text", ["petalwidth " * 9, "W" * 50, "il" * 90, "日本語のラベル" * 5, "e\u0301" * 60])
@pytest.mark.parametrize("width", [30, 100])
@pytest.mark.parametrize("is_bold", [False, True])
def test_what_is_cut_fits_and_says_that_there_is_more(text: str, width: float, is_bold: bool) -> None:
    short = cut(text, width, 12, is_bold=is_bold)
    assert short.endswith("…")
    assert text.startswith(short[:-1])
    assert text_width(short, 12, is_bold=is_bold) <= width


def test_an_accent_is_not_parted_from_its_letter() -> None:
    short = cut("e\u0301" * 60, 50, 12)
    assert short[:-1] == "e\u0301" * (len(short) // 2)


@pytest.mark.parametrize("is_bold", [False, True])
def test_no_ascii_character_is_wider_than_it_is_taken_for(is_bold: bool) -> None:
    from matplotlib.font_manager import FontProperties, findfont
    from matplotlib.ft2font import FT2Font

    font = FT2Font(findfont(FontProperties(family="DejaVu Sans", weight="bold" if is_bold else "normal")))
    font.set_size(100, 72)
    for character in map(chr, range(32, 127)):
        width = font.load_char(ord(character)).linearHoriAdvance / 65536
        assert text_width(character, 100, is_bold=is_bold) > width - 0.6, character


def test_wide_signs_take_more_room_than_narrow_ones() -> None:
    assert text_width("iii", 10) < text_width("aaa", 10) < text_width("mmm", 10) < text_width("日日日", 10)


def test_a_scale_goes_from_its_first_colour_to_its_last() -> None:
    assert [scale_color(share) for share in (-1, 0, 1, 2)] == [SCALE[0], SCALE[0], SCALE[-1], SCALE[-1]]
    assert scale_color(0.2) == SCALE[1]


def test_colours_mix_by_their_shares() -> None:
    # A quarter of 0x00 and three of 0xff: 191.25, 0xbf.
    assert mixed("#000000", "#ffffff", 0.25) == "#bfbfbf"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("short", ["short"]),
        ("in {North Harbour, South Bridge, West Hills}", ["in {North Harbour,", "South Bridge,", "West Hills}"]),
        ("the_town_where_they_lived", ["the_town_where_", "they_lived"]),
        ("1000 2000 3000 4000 5000 6000 7000 8000 9000 1000", ["1000 2000 3000", "4000 5000 6000", "7000 8000 9000…"]),
        ("x" * 60, ["xxxxxxxxxxxxx…"]),
    ],
)
def test_a_text_is_broken_after_words_and_cut_after_the_last_line(text: str, lines: list[str]) -> None:
    found = wrapped(text, 120, 12, 3)
    assert found == lines
    assert all(text_width(line, 12) <= 120 for line in found)


@given(st.text(max_size=80), st.floats(15, 300), st.integers(1, 4))
def test_broken_lines_fit_and_hold_the_whole_text_or_say_that_there_is_more(text: str, width: float, most: int) -> None:
    found = wrapped(text, width, 12, most)
    assert 1 <= len(found) <= most
    assert all(text_width(line, 12) <= width for line in found)
    if not any(line.endswith("…") for line in found):
        assert "".join("".join(found).split()) == "".join(text.split())
