"""Identifiers and comments in generated source code."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from textwrap import wrap

from treecli import __version__
from treecli.errors import UsageError
from treecli.predict.program import Program

LONGEST_NAME = 40
"""For variables: column names may be whole sentences."""

_WIDTH = 100

OWN_NAMES = re.compile(r"(part|weight|total)_\d+|\w+_labels", re.IGNORECASE)
"""Names that the generated code uses for functions, weights, totals and labels."""

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def free_name(wanted: str, taken: set[str]) -> str:
    """Return an unused name derived from `wanted`, and add it to `taken`."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    taken.add(name)
    return name


def identifiers(names: Iterable[str], reserved: Collection[str]) -> list[str]:
    """Return a distinct identifier for each name, as similar to it as possible and not reserved."""
    taken = set(reserved)
    found = []
    for name in names:
        plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")[:LONGEST_NAME]
        if not plain or plain[0].isdigit() or plain in reserved or OWN_NAMES.fullmatch(plain):
            plain = f"value_{plain}".rstrip("_")
        found.append(free_name(plain, taken))
    return found


def is_free_name(name: str, reserved: Collection[str]) -> bool:
    """Return whether a function or class can have this name."""
    return bool(IDENTIFIER.fullmatch(name)) and name not in reserved and not OWN_NAMES.fullmatch(name)


def checked_name(name: str, reserved: Collection[str], title: str) -> str:
    """Return the user's name for a function; raise UsageError if the language does not allow it."""
    if not is_free_name(name, reserved):
        raise UsageError(
            f"--name: '{name}' cannot be the name of a function in {title}",
            "use letters, digits and _, not a digit first, and no word of the language",
        )
    return name


def comment_text(text: str, *, ascii_only: bool = False) -> str:
    """Escape text so that it cannot end a comment in any of the languages.

    Removes line breaks; `*/`, `</script>` and `-->`; backslashes, which continue a line in C and start a Unicode escape
    in Java, and the trigraph for a backslash; and `${`, which Spark substitutes even in comments.
    """
    safe = "".join(
        c if c.isprintable() and c != "\\" and (c.isascii() or not ascii_only) else f"<{ord(c):x}>" for c in text
    )
    for trap in ("*/", "/*", "</", "--", "??", "${"):
        safe = safe.replace(trap, f"{trap[0]} {trap[1]}")
    return safe


def heading(program: Program, notes: Iterable[str]) -> Iterator[str]:
    """Yield the lines of an artefact's header comment: what it predicts, its origin and its usage."""
    made = [
        " ".join(str(step[key]) for key in ("command", "method", "data") if isinstance(step.get(key), str))
        for step in program.lineage
    ]
    history = f" from a model made by: {', then '.join(made)}" if made else ""
    target = program.schema.target
    texts = [f"Predicts '{target.name}'. Written by treecli {__version__}{history}.", *notes]
    for text in texts:
        # Escape before wrapping, so that a line break cannot recreate a sequence that was split.
        yield from wrap(comment_text(text), _WIDTH)
