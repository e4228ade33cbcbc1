"""The results, as plain records that are printed, written as JSON and checked."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass
class Result:
    """The best of several runs of one program on one task; seconds, bytes."""

    work: str
    program: str
    way: str = ""
    wall: float = 0.0
    cpu: float = 0.0
    fit: float | None = None
    memory: int | None = None
    leaves: int | None = None
    accuracy: float | None = None
    instructions: int | None = None
    """As callgrind counts them, which does not depend on the load of the machine."""
    runs: int = 0
    error: str = ""
    """The message of a failed command; the other fields are then meaningless."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def find(results: list[Result], work: str, program: str, way: str | None = None) -> Result | None:
    """The result of a program on a task, or None if it was not measured."""
    fitting = (r for r in results if r.work == work and r.program == program and way in (None, r.way) and not r.error)
    return next(fitting, None)


def peers_at(results: list[Result], work: str) -> list[Result]:
    """The results of all other programs on a task."""
    return [result for result in results if result.work == work and result.program != TREECLI and not result.error]


TREECLI = "treecli"
PYTHON = "Python"
