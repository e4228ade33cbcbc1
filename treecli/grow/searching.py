"""The search that the settings name, with the number after its colon."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treecli import plugins
from treecli.errors import UsageError
from treecli.options.option import chosen
from treecli.settings import GROUPS, Settings, options

OPTION = "--search"


def search_of(text: str) -> tuple[Any, int | None]:
    """Return the member of `searches` that a user's text names, and the number after its colon, as in `lookahead:2`."""
    name, colon, number = text.partition(":")
    found = plugins.load("searches", chosen(name, OPTION, plugins.names("searches")))
    suffix = found.SUFFIX
    if suffix is None:
        if colon:
            raise UsageError(f"{OPTION}: found '{text}', but '{name}' takes no number", f"use {OPTION} {name}")
        return found, None
    if not colon:
        if suffix.usual is None:
            raise UsageError(f"{OPTION}: found '{text}', expected {name}:{suffix.letter}", f"for example {name}:2")
        return found, suffix.usual
    return found, int(suffix.number.read(number, f"{OPTION} {name}:{suffix.letter}"))


def check(settings: Settings, given: Mapping[str, Any]) -> None:
    """Raise a UsageError if the search is unknown, or does not support the settings or the options `given` by key."""
    search, _ = search_of(settings.searching.search)
    search.check(settings)
    for key in GROUPS["searching"].__slots__:
        if key != "search" and key in given and key not in search.SETTINGS:
            names = [name for name in plugins.names("searches") if key in plugins.load("searches", name).SETTINGS]
            raise UsageError(
                f"{options()[key].flag} is for {OPTION} {' and '.join(names)}, not for {settings.searching.search}"
            )
