"""The parts of a file's name, as in pathlib, whose import would take a twentieth of the time of a small command."""

from __future__ import annotations

import os


def name_of(path: str) -> str:
    """The last part of a path; empty if there is none."""
    path = os.path.splitdrive(path)[1]
    if os.altsep:
        path = path.replace(os.altsep, os.sep)
    return next((part for part in reversed(path.split(os.sep)) if part not in ("", ".")), "")


def suffix_of(path: str) -> str:
    """The last suffix with its dot, in lower case; empty if there is none."""
    return _divided(path)[1].lower()


def stem_of(path: str) -> str:
    """The last part of a path without its last suffix."""
    return _divided(path)[0]


def _divided(path: str) -> tuple[str, str]:
    name = name_of(path)
    dot = name.rfind(".")
    return (name[:dot], name[dot:]) if 0 < dot < len(name) - 1 else (name, "")
