"""Self-contained web pages: markup, style, data and script in one file.

The sources are in `_page`. Names and labels are never part of the markup: they are data in a script element that the
browser does not execute, and the page's script inserts them as text.
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256

SOURCES = os.path.join(os.path.dirname(__file__), "_page")

POLICY, STYLE, DATA, SCRIPT = "{policy}", "/* style */", "/* data */", "/* script */"
"""Placeholders in the markup."""

ESCAPES = {sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
"""Characters that could end a script element or a line in one; in JSON they occur only within strings."""


COLORS, SHARED_STYLE = "colors.css", "shared.css"
SHARED_SCRIPTS = ("words.js", "data.js", "theme.js", "sets.js", "formula.js", "rows.js", "answers.js", "form.js")
"""Style and scripts of all pages; page-specific ones follow them."""


LESSON_SCRIPTS = ("words.js", "data.js", "theme.js", "sets.js")
"""The shared scripts of pages without a form for rows."""


def page(
    name: str,
    scripts: Sequence[str],
    data: Iterable[str],
    *,
    shared: Sequence[str] = SHARED_SCRIPTS,
    fields: Mapping[str, str] | None = None,
    style: str = "",
) -> Iterator[str]:
    """Yield the page in pieces: NAME.html with NAME.css, the scripts joined in this order, and the JSON data.

    `fields` are placeholders of the markup with escaped contents, `style` is added to the rules of NAME.css.
    """
    sheets = (COLORS, *((SHARED_STYLE,) if shared == SHARED_SCRIPTS else ()), f"{name}.css")
    style = "".join(map(_source, sheets)) + style
    script = "{\n" + "".join(map(_source, (*shared, *scripts))) + "}\n"
    # Only content with these digests runs or is applied as style, so data cannot, even if the script has a bug.
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    before_style, _, rest = _source(f"{name}.html").replace(POLICY, policy).partition(STYLE)
    before_data, _, rest = rest.partition(DATA)
    before_script, _, end = rest.partition(SCRIPT)
    yield _filled(before_style, fields or {}) + style + _filled(before_data, fields or {})
    for piece in data:
        for sign, escape in ESCAPES.items():
            piece = piece.replace(sign, escape)
        yield piece
    yield before_script + script + end


def _filled(markup: str, fields: Mapping[str, str]) -> str:
    """The markup with its placeholders replaced; contents that look like placeholders stay as they are."""
    for place, text in fields.items():
        before, found, after = markup.partition(place)
        if found:
            return _filled(before, fields) + text + _filled(after, fields)
    return markup


def _source(name: str) -> str:
    with open(os.path.join(SOURCES, name), encoding="utf-8") as file:
        return file.read()


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
