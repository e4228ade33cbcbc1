"""Any text as LaTeX prints it."""

from __future__ import annotations

import re

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    # Two or three of them in a row would become one dash.
    "-": "{-}",
    "…": r"\dots{}",
}
_SIGNS = {"<=": r"$\le$", ">=": r"$\ge$", "!=": r"$\ne$", "<": "$<$", ">": "$>$"}
# Signs of comparison stand between words; elsewhere they belong to a name or a label.
_TO_ESCAPE = re.compile(f"(?<!\\S)(?:{'|'.join(_SIGNS)})(?!\\S)|[{re.escape(''.join(_SPECIAL))}]")


def in_latex(text: str) -> str:
    """The text with everything escaped that means something to LaTeX, signs of comparison as such."""
    return _TO_ESCAPE.sub(lambda match: _SIGNS.get(match.group()) or _SPECIAL[match.group()], text)
