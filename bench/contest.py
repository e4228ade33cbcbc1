"""One task, run in turn by treecli and every suitable peer, several times; the best run of each counts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from types import ModuleType

from bench import measure
from bench.results import PYTHON, TREECLI, Result
from bench.works import Use, Work

ROUNDS = 3
LONG = 20.0
"""Commands that take more seconds are run once."""

Say = Callable[[str], None]

TRAINED = {
    "fit": r"grown in ([\d.]+) s",
    "leaves": r"(\d+) lea(?:f|ves),",
    "accuracy": r"training: .*?(?:accuracy|r2) ([\d.]+)",
}


def held(work: Work, peers: list[ModuleType], say: Say, rounds: int = ROUNDS) -> list[Result]:
    """The results of treecli, in all its variants, and of the peers."""
    able = {peer.TITLE: peer for peer in peers if peer.can(work.task)}
    results = [Result(work.name, TREECLI, way) for way in work.ways]
    results += [Result(work.name, title) for title in able]
    for _ in range(rounds):
        for result in results:
            if result.program == TREECLI:
                once(result, work.command(result.way), say)
            else:
                peer = able[result.program]
                score = None if result.runs else peer.score_command(work.task)
                once(result, peer.fit_command(work.task), say, peer.answer, score)
    return results


def used(use: Use, say: Say, rounds: int = ROUNDS) -> Result:
    """The result of another treecli command, whose output is discarded."""
    result = Result(use.name, TREECLI, use.way)
    for _ in range(rounds):
        once(result, use.command, say, keeps_output=False)
    return result


def told(printed: str) -> dict[str, float]:
    """The figures that treecli printed after training."""
    found = {name: re.search(pattern, printed) for name, pattern in TRAINED.items()}
    return {name: float(match[1]) for name, match in found.items() if match}


def once(
    result: Result,
    command: list[str],
    say: Say,
    answer: Callable[[str], dict[str, float]] = told,
    score: list[str] | None = None,
    *,
    keeps_output: bool = True,
) -> None:
    """Runs a command again, and then scores its model, unless it takes long or has failed before."""
    if result.error or result.wall > LONG:
        return
    say(f"{result.work}: {result.program} {result.way}")
    try:
        run = measure.run(command, keeps_output=keeps_output)
        said = answer(run.stdout if answer is not told else run.stdout + run.stderr)
        if score is not None:
            said |= answer(measure.run(score).stdout)
    except measure.CommandFailedError as error:
        say(f"{result.work}: {result.program} {result.way} failed: {error}")
        result.error = str(error)
        return
    keep(result, run, said)


def probed(name: str, command: list[str], say: Say) -> list[Result]:
    """The results of a probe: one per timed item, named `PROGRAM WAY` or by the way of treecli alone."""
    say(name)
    try:
        best: dict[str, float] = json.loads(measure.run(command).stdout)
    except measure.CommandFailedError as error:
        say(f"{name} failed: {error}")
        return [Result(name, TREECLI, error=str(error))]
    results = []
    for what, seconds in best.items():
        program = next((each for each in ("scikit-learn", PYTHON) if what.startswith(each)), TREECLI)
        way = what.removeprefix(program).strip()
        results.append(Result(name, program, way, seconds))
    return results


def keep(result: Result, run: measure.Run, said: dict[str, float]) -> None:
    """Updates the minimum seconds and bytes with a run."""
    result.wall = min(run.wall, result.wall) if result.runs else run.wall
    result.cpu = min(run.cpu, result.cpu or run.cpu)
    result.memory = min(run.memory, result.memory or run.memory)
    if "fit" in said:
        result.fit = min(said["fit"], said["fit"] if result.fit is None else result.fit)
    result.leaves = int(said["leaves"]) if "leaves" in said else result.leaves
    result.accuracy = said.get("accuracy", result.accuracy)
    result.runs += 1
