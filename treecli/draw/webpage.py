"""Self-contained web pages: markup, style, data and script in one file.

The sources are in `_page`. Names and labels are never part of the markup: they are data in a script element that the
browser does not execute, and the page's script inserts them as text.
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

SOURCES = os.path.join(os.path.dirname(__file__), "_page")

POLICY, STYLE, DATA, SCRIPT = "{policy}", "/* style */", "/* data */", "/* script */"
"""Placeholders in the markup."""

ESCAPES = {sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
"""Characters that could end a script element or a line in one; in JSON they occur only within strings."""


SHARED_STYLE = "shared.css"
SHARED_SCRIPTS = ("words.js", "data.js", "theme.js", "sets.js", "formula.js", "rows.js", "answers.js", "form.js")
"""Style and scripts of all pages; page-specific ones follow them."""


def page(name: str, scripts: Sequence[str], data: Iterable[str]) -> Iterator[str]:
    """Yield the page in pieces: NAME.html with NAME.css, the scripts joined in this order, and the JSON data."""
    style = _source(SHARED_STYLE) + _source(f"{name}.css")
    script = "{\n" + "".join(map(_source, (*SHARED_SCRIPTS, *scripts))) + "}\n"
    # Only content with these digests runs or is applied as style, so data cannot, even if the script has a bug.
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    before_style, _, rest = _source(f"{name}.html").replace(POLICY, policy).partition(STYLE)
    before_data, _, rest = rest.partition(DATA)
    before_script, _, end = rest.partition(SCRIPT)
    yield before_style + style + before_data
    for piece in data:
        for sign, escape in ESCAPES.items():
            piece = piece.replace(sign, escape)
        yield piece
    yield before_script + script + end


def _source(name: str) -> str:
    with open(os.path.join(SOURCES, name), encoding="utf-8") as file:
        return file.read()


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
