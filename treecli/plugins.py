"""The one registry: the members of a folder are its files, by the names that a user types."""

import os
from functools import cache
from importlib import import_module
from types import ModuleType

from treecli.errors import UsageError, did_you_mean

FAMILIES = (
    "commands",
    "criteria",
    "discretizers",
    "exporters",
    "missing",
    "models",
    "presets",
    "pruners",
    "readers",
    "renderers",
    "rule_formats",
    "simplifiers",
    "splits",
    "verifiers",
    "writers",
)
"""The folders whose files are choices; every other folder of the package holds the parts of one verb."""


@cache
def names(folder: str) -> tuple[str, ...]:
    """The choices that a folder offers, in alphabetical order, without importing any of them.

    A leading underscore marks a file that serves its siblings and is not a choice.
    """
    # importlib.resources would say the same, after importing what reads and unpacks archives.
    files = os.listdir(os.path.join(os.path.dirname(__file__), folder))
    return tuple(
        sorted(
            file.removesuffix(".py").replace("_", "-")
            for file in files
            if file.endswith(".py") and not file.startswith("_")
        )
    )


def load(folder: str, name: str) -> ModuleType:
    """The module behind one choice."""
    known = names(folder)
    if name not in known:
        raise UsageError(f"unknown choice '{name}' (known: {', '.join(known)})", did_you_mean(name, known))
    return import_module(f"treecli.{folder}.{name.replace('-', '_')}")


def summary(folder: str, name: str) -> str:
    """The first line of the file behind one choice, which says what it does, without importing it."""
    path = os.path.join(os.path.dirname(__file__), folder, f"{name.replace('-', '_')}.py")
    with open(path, encoding="utf-8") as file:
        return file.readline().strip().strip('"')
