"""Parts of treecli timed inside one process, without Python's startup; each is run as a script and prints JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from time import perf_counter

ROUNDS = 3


def print_best(works: dict[str, Callable[[], object]]) -> None:
    """Prints the least seconds of each function; the functions are run in turn."""
    best: dict[str, float] = {}
    for _ in range(ROUNDS):
        for name, work in works.items():
            begun = perf_counter()
            work()
            seconds = perf_counter() - begun
            best[name] = min(best.get(name, seconds), seconds)
    print(json.dumps(best))
