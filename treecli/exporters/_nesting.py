"""The order in which to sum the parts of a row that missing values send down several branches."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple, TypeVar

from treecli.exporters._layout import nested_spreads
from treecli.predict.program import Program

T = TypeVar("T")


class Member(NamedTuple):
    """A term of a sum: an end, by its place in depth-first order, or a nested sum, by its number."""

    place: int
    is_sum: bool = False


def sums_of(program: Program, root: int = 0) -> list[list[Member]]:
    """Return the terms of each sum over branches below a node, in order; the first is the total, outer before inner."""
    added = nested_spreads(program)
    sums: list[list[Member]] = [[]]
    n_ends = 0
    pending = [(root, 0, False)]
    while pending:
        node, number, is_stay = pending.pop()
        steps = program.steps[node]
        if is_stay or not steps:
            sums[number].append(Member(n_ends))
            n_ends += 1
            continue
        if node in added:
            sums[number].append(Member(len(sums), is_sum=True))
            number = len(sums)
            sums.append([])
        pending += [(step.child, number, step.child == node) for step in reversed(steps)]
    return sums


def summed(sums: list[list[Member]], terms: dict[int, T], join: Callable[[list[T]], T]) -> T | None:
    """Return the total of the ends' terms, with `join` combining several; None if there are none."""
    found: dict[int, T] = {}
    for number in reversed(range(len(sums))):
        kept = [found if member.is_sum else terms for member in sums[number]]
        members = [of[m.place] for of, m in zip(kept, sums[number], strict=True) if m.place in of]
        if members:
            found[number] = members[0] if len(members) == 1 else join(members)
    return found.get(0)


def by_level(sums: list[list[Member]], ends: Collection[int]) -> list[list[tuple[int, list[Member]]]]:
    """Return the sums that contain any of the ends, with their terms, by level, innermost first."""
    level = [0] * len(sums)
    for number, members in enumerate(sums):
        for member in members:
            if member.is_sum:
                level[member.place] = level[number] + 1
    holds = [False] * len(sums)
    levels: list[list[tuple[int, list[Member]]]] = [[] for _ in range(max(level) + 1)]
    for number in reversed(range(len(sums))):
        kept = [m for m in sums[number] if (holds[m.place] if m.is_sum else m.place in ends)]
        holds[number] = bool(kept)
        if kept:
            levels[level[number]].append((number, kept))
    return [found for found in reversed(levels) if found]
