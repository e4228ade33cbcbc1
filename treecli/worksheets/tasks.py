"""The tasks of a worksheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treecli.errors import UsageError, did_you_mean

ENTROPY, GAIN, ROOT, TREE, RATIO, GINI, CLASSIFY, PRUNE, XOR = (
    "entropy",
    "gain",
    "root",
    "tree",
    "ratio",
    "gini",
    "classify",
    "prune",
    "xor",
)
TASKS = (ENTROPY, GAIN, ROOT, TREE, RATIO, GINI, CLASSIFY, PRUNE, XOR)
OF_NUMBERS = (ENTROPY, GAIN, ROOT, TREE, CLASSIFY, XOR)
"""The tasks of a numeric target; entropy asks for the squared deviations of a node."""

USUAL = (ENTROPY, GAIN, ROOT, TREE)

CRITERIA = {GAIN: "gain", RATIO: "gainratio", GINI: "gini"}
"""The tasks that choose how the tree grows, with the criterion of each."""

ALL, RESULTS = "all", "results"
BLANKS = (RESULTS, ALL)


@dataclass(frozen=True, slots=True)
class Tasks:
    """The tasks of a sheet; `asks_all`: branches and remainders are blanks, too."""

    names: tuple[str, ...] = USUAL
    asks_all: bool = False

    def __contains__(self, name: str) -> bool:
        return name in self.names

    @property
    def criterion(self) -> str:
        """The criterion of the tree: that of the first task that has one."""
        return next((CRITERIA[name] for name in self.names if name in CRITERIA), CRITERIA[GAIN])

    @property
    def uses_logarithms(self) -> bool:
        return any(name in self for name in (ENTROPY, GAIN, RATIO))


def parsed(text: str) -> tuple[str, ...]:
    """Return the tasks that a comma-separated list names."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise UsageError("--tasks: found no task", f"the tasks are {', '.join(TASKS)}")
    for name in names:
        if name not in TASKS:
            hint = did_you_mean(name, TASKS) or f"the tasks are {', '.join(TASKS)}"
            raise UsageError(f"--tasks: found '{name}', which is no task", hint)
    return names


def check_numeric(wanted: Tasks, target: str) -> None:
    """Raise a UsageError for tasks that are about classes."""
    for name in (RATIO, GINI, PRUNE):
        if name in wanted:
            raise UsageError(
                f"--tasks {name}: is about classes, but the target '{target}' is numeric",
                f"the tasks of a numeric target are {', '.join(OF_NUMBERS)}",
            )


def title(tasks: Sequence[str], *, is_numeric: bool = False) -> str:
    """Return the title of a sheet with these tasks."""
    words = {GAIN: "information gain", RATIO: "gain ratio", GINI: "the Gini index"}
    found = next((words[name] for name in tasks if name in words), words[GAIN])
    if is_numeric:
        found = "squared deviations"
    if TREE in tasks:
        return f"Grow a tree by {found}"
    return f"Find the root of a tree by {found}" if ROOT in tasks else "Decision trees"
