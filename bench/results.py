"""What was measured, as plain records that are printed, written as JSON and judged."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass
class Result:
    """The best of several runs of one program at one work; seconds, bytes."""

    work: str
    program: str
    way: str = ""
    wall: float = 0.0
    cpu: float = 0.0
    fit: float | None = None
    memory: int | None = None
    leaves: int | None = None
    accuracy: float | None = None
    runs: int = 0
    error: str = ""
    """What a command said that failed; the other fields tell nothing then."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def find(results: list[Result], work: str, program: str, way: str | None = None) -> Result | None:
    """The result of a program at a work, or None if it was not measured."""
    fitting = (r for r in results if r.work == work and r.program == program and way in (None, r.way) and not r.error)
    return next(fitting, None)


def peers_at(results: list[Result], work: str) -> list[Result]:
    """The results of all others at a work."""
    return [result for result in results if result.work == work and result.program != TREECLI and not result.error]


TREECLI = "treecli"
