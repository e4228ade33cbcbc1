"""The text of numbers where a format stores only their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treecli.wording import number_text


def notation_of(texts: Sequence[str | None], values: Sequence[float], most: int) -> tuple[int | None, dict[int, str]]:
    """The number of decimals of a column (None: shortest texts), and the texts of rows that differ, by row.

    A text of None is missing. `most` is the greatest number of decimals.
    """
    first = next((text for text in texts if text is not None), "")
    n_decimals = len(first.partition(".")[2])
    # The likelier one first: if no text differs, the other is not tried.
    choices = [n_decimals, None] if 0 < n_decimals <= most else [None, 0]
    best: tuple[int | None, dict[int, str]] | None = None
    for decimals in choices:
        usual = number_texts(values, decimals, {})
        differing = {
            row: text
            for row, (text, other) in enumerate(zip(texts, usual, strict=True))
            if text is not None and text != other
        }
        if best is None or len(differing) < len(best[1]):
            best = decimals, differing
        if not differing:
            break
    assert best is not None
    return best


def number_texts(values: Sequence[float], decimals: int | None, texts: Mapping[int, str]) -> list[str]:
    """The texts of numbers: shortest or with these decimals, except in the rows of `texts`."""
    usual = [number_text(value) if decimals is None else f"{value:.{decimals}f}" for value in values]
    for row, text in texts.items():
        if row < len(usual):
            usual[row] = text
    return usual
