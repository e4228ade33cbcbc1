from __future__ import annotations

import pytest

from treecli.draw.latextext import in_latex


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("petalwidth <= 0.5", r"petalwidth $\le$ 0.5"),
        ("2 < x >= 3 != 4", r"2 $<$ x $\ge$ 3 $\ne$ 4"),
        ("a_b & 50 %", r"a\_b \& 50 \%"),
        ("\\end{forest}", r"\textbackslash{}end\{forest\}"),
        ("[x]--y", "{[}x{]}{-}{-}y"),
        ("~^$#", r"\textasciitilde{}\textasciicircum{}\$\#"),
        ("Größe 日本", "Größe 日本"),
    ],
)
def test_every_sign_that_means_something_is_escaped(text: str, expected: str) -> None:
    assert in_latex(text) == expected
