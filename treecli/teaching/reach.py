"""The nodes of a tree that a case can reach, given some answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treecli.teaching.answers import Answer, Between, Known, Weighted
from treecli.tree import STAYS

if TYPE_CHECKING:
    from treecli.teaching.interview import Interview


@dataclass(frozen=True, slots=True)
class Reach:
    """Nodes where a case can end, attributes that the next tests need, and all attributes that can change its path."""

    ends: tuple[int, ...]
    next_tests: tuple[int, ...]
    tests: frozenset[int]


def is_certain(answers: Mapping[int, Answer]) -> bool:
    """Return whether every answer is a value or unknown."""
    return not any(isinstance(answer, Between | Weighted) for answer in answers.values())


def reach(interview: Interview, answers: Mapping[int, Answer]) -> Reach:
    """Return the nodes that a case can reach; values without an answer may be any, or missing."""
    tree, certain = interview.model.tree, is_certain(answers)
    ends: list[int] = []
    next_tests: dict[int, None] = {}
    tests: set[int] = set()
    pending = [(0, False)]
    while pending:
        node, is_below = pending.pop()
        if tree.is_leaf(node):
            ends.append(node)
            continue
        attribute = tree.attribute[node]
        ways = interview.ways(node, answers)
        if isinstance(ways, int):
            tests.add(ways)
            if not is_below:
                next_tests[ways] = None
        if isinstance(ways, int) or (not certain and node in tree.surrogates):
            # Parts of an uncertain answer may decide as surrogates, each its own way.
            tests.update(_open(interview, attribute, answers))
            below = [(child, is_below or isinstance(ways, int)) for child in tree.children(node)]
            ends += [node] if interview.missing_to(node) == STAYS else []
        else:
            first = tree.first_child[node]
            below = [(first + way.branch, is_below) for way in ways]
            tests.update(_open(interview, attribute, answers) if len(ways) > 1 else ())
            ends += [] if ways else [node]
        pending += reversed(below)
    return Reach(tuple(ends), tuple(next_tests), frozenset(tests))


def _open(interview: Interview, column: int, answers: Mapping[int, Answer]) -> list[int]:
    """Return an attribute, or the attributes of a derived column without a value."""
    if column < len(interview.schema.attributes):
        return [column]
    return [index for index in interview.schema.inputs([column]) if not isinstance(answers.get(index), Known)]
