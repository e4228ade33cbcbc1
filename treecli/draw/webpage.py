"""Web pages that need nothing but themselves: markup, style, data and script in one file.

The sources are in `_page`. Names and labels are never part of the markup: they are data in a script element that the
browser does not run, and the page's script puts them on the screen as text.
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
"""Signs that could end a script element, or a line of one; in JSON they occur only within strings."""


SHARED_STYLE = "shared.css"
SHARED_SCRIPTS = ("words.js", "data.js", "theme.js", "sets.js", "rows.js", "answers.js", "form.js")
"""Style and scripts of all pages; those of a page come after them."""


def page(name: str, scripts: Sequence[str], data: Iterable[str]) -> Iterator[str]:
    """The page, piece by piece: NAME.html with NAME.css, the scripts as one, in this order, and the data, as JSON."""
    style = _source(SHARED_STYLE) + _source(f"{name}.css")
    script = "{\n" + "".join(map(_source, (*SHARED_SCRIPTS, *scripts))) + "}\n"
    # Only what bears these very digests runs or counts as style, so not even a slip in the script can let data do so.
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
