"""docs/settings.md, which lists every setting: `make docs` writes it, test_docs.py compares it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from treecli import plugins
from treecli.settings import FIELDS, GROUPS, options, set_by

PATH = Path(__file__).parents[1] / "docs" / "settings.md"

HEADING = """\
# Settings

Every entry of `settings` in a model file, written by `make docs`. An option of `train` and `crossval` sets it. Those
without an option describe what another program does: `--like` sets them, with the rest of that program's settings.
"""

DEFAULT = re.compile(r"  \[default: .*\]$")
"""What a help text says about the default, which has a column of its own here."""


def text() -> str:
    """The whole page."""
    return HEADING + "".join(_section(group) for group in GROUPS)


def _section(group: str) -> str:
    rows = [_row(key) for key, (own, _) in FIELDS.items() if own == group]
    about = (GROUPS[group].__doc__ or "").splitlines()[0]
    table = "| setting | option | default | other under --like | meaning |\n|---|---|---|---|---|\n"
    return f"\n## {group.capitalize()}\n\n{about}\n\n{table}{''.join(rows)}"


def _row(key: str) -> str:
    field = FIELDS[key][1]
    typed = "" if set_by(key) == "--like" else f"`{set_by(key)}`"
    if key in options() and options()[key].opposite:
        typed += f", `{options()[key].opposite}`"
    changed = {
        name: plugins.load("presets", name).SETTINGS.get(key, field.default) for name in plugins.names("presets")
    }
    others = [f"{name} {_value(value)}" for name, value in changed.items() if value != field.default]
    meaning = DEFAULT.sub("", field.metadata["help"])
    return f"| `{key}` | {typed} | {_value(field.default)} | {', '.join(others)} | {meaning} |\n"


def _value(value: object) -> str:
    return f"`{value if isinstance(value, str) else json.dumps(value)}`"
