"""Escapes text for LaTeX."""

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
    # LaTeX joins two or three hyphens into a dash.
    "-": "{-}",
    "…": r"\dots{}",
}
_SIGNS = {"<=": r"$\le$", ">=": r"$\ge$", "!=": r"$\ne$", "<": "$<$", ">": "$>$"}
# A comparison sign is separated by blanks; otherwise it is part of a name or label.
_TO_ESCAPE = re.compile(f"(?<!\\S)(?:{'|'.join(_SIGNS)})(?!\\S)|[{re.escape(''.join(_SPECIAL))}]")


def in_latex(text: str) -> str:
    """Escape LaTeX's special characters and typeset comparison signs."""
    return _TO_ESCAPE.sub(lambda match: _SIGNS.get(match.group()) or _SPECIAL[match.group()], text)
