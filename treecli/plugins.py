"""The registry: the members of a family are the files in its folder, named by what a user types."""

import os
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

from treecli.errors import UsageError, did_you_mean


class Family(NamedTuple):
    """A folder whose files are choices.

    `chosen_by`: the option or command before the name of a file, or the field of a model file; empty where the program
    chooses. `protocol`: the class in
    the folder's `__init__.py` that a member implements. `held_as`: the name of the implementation in the member's
    file; empty if the module itself implements it.
    """

    chosen_by: str
    protocol: str
    held_as: str = ""


FAMILIES = {
    "commands": Family("treecli", "Subcommand"),
    "criteria": Family("treecli train --criterion", "Criterion", "CRITERION"),
    "discretizers": Family("treecli train --discretize", "Discretizer"),
    "engines": Family("treecli train --engine", "Engine", "Engine"),
    "exporters": Family("treecli export --to", "Exporter"),
    "features": Family("schema.derived.kind", "Feature", "Feature"),
    "languages": Family("treecli lesson --lang", "Language"),
    "leaves": Family("nodes.model.kind", "Leaf", "Leaf"),
    "measures": Family("treecli evaluate --fail-under", "Measure"),
    "missing": Family("treecli train --missing", "Policy", "POLICY"),
    "models": Family("kind", "ModelKind"),
    "nominal": Family("treecli train --nominal", "Grouping"),
    "presets": Family("treecli train --like", "Preset"),
    "pruners": Family("treecli prune --method", "Pruner"),
    "readers": Family("treecli train --from", "Reader"),
    "renderers": Family("treecli show --format", "Renderer"),
    "rule_formats": Family("treecli rules --format", "RuleFormat"),
    "scorers": Family("settings.arithmetic", "Scorer"),
    "searches": Family("treecli train --search", "Search"),
    "simplifiers": Family("treecli rules --simplify", "Simplifier"),
    "splits": Family("nodes.split.kind", "Split", "Split"),
    "trace_formats": Family("treecli trace --format", "TraceFormat"),
    "verifiers": Family("treecli export --to", "Runner"),
    "worksheet_formats": Family("treecli worksheet --to", "WorksheetFormat"),
    "writers": Family("treecli predict --format", "Writer"),
}
"""The families of choices; any other folder holds the parts of one task."""


@cache
def names(folder: str) -> tuple[str, ...]:
    """The choices in a folder, in alphabetical order, without importing them.

    A leading underscore marks a file that is shared by its siblings and is not a choice.
    """
    # Not importlib.resources, which imports zipfile and more.
    files = os.listdir(os.path.join(os.path.dirname(__file__), folder))
    return tuple(
        sorted(
            file.removesuffix(".py").replace("_", "-")
            for file in files
            if file.endswith(".py") and not file.startswith("_")
        )
    )


@cache
def load(folder: str, name: str) -> ModuleType:
    """The module of a choice."""
    known = names(folder)
    if name not in known:
        raise UsageError(f"unknown choice '{name}' (known: {', '.join(known)})", did_you_mean(name, known))
    return import_module(f"treecli.{folder}.{name.replace('-', '_')}")


def member(folder: str, name: object) -> ModuleType:
    """The module that a file names; raises ValueError if there is none."""
    known = names(folder)
    if not isinstance(name, str) or name not in known:
        raise ValueError(f"unknown kind {name!r} (known: {', '.join(known) or 'none'})")
    return load(folder, name)


def summary(folder: str, name: str) -> str:
    """The first line of a choice's file, its description, without importing it."""
    path = os.path.join(os.path.dirname(__file__), folder, f"{name.replace('-', '_')}.py")
    with open(path, encoding="utf-8") as file:
        return file.readline().strip().strip('"')
