"""The texts of --force and --monotone: names of attributes, and directions."""

from __future__ import annotations

from treecli.errors import UsageError

SIGNS = {"+": 1, "-": -1}


def names_of(text: str) -> tuple[str, ...]:
    """Return the names of attributes in an option's text."""
    names = tuple(dict.fromkeys(word.strip() for word in text.split(",")))
    if not all(names):
        raise UsageError(f"--force: found '{text}', expected names separated by commas")
    return names


def directions_of(text: str) -> tuple[str, ...]:
    """Return the words NAME=+ and NAME=- of an option's text."""
    words = tuple(word.strip() for word in text.split(","))
    names = [direction_of(word)[0] for word in words]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--monotone: '{name}' stands twice")
    return words


def direction_of(word: str) -> tuple[str, int]:
    """Return the attribute of a word NAME=+ or NAME=-, and 1 or -1."""
    name, _, sign = word.rpartition("=")
    if not name or sign not in SIGNS:
        raise UsageError(f"--monotone: found '{word}', expected NAME=+ or NAME=-")
    return name, SIGNS[sign]
