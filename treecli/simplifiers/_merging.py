"""Merges two rules with the same prediction if their boxes differ in one attribute and the union is a box."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING

from treecli.rules.boxes import union
from treecli.rules.rule import wording
from treecli.rules.step import Step
from treecli.simplifiers._draft import Draft, added, consequent, prediction
from treecli.values import Labels

if TYPE_CHECKING:
    from treecli.rules.boxes import Box, Space
    from treecli.values import Condition


def merge(space: Space, drafts: list[Draft], is_free: Callable[[int, int, int], bool]) -> list[Step]:
    """Merge rules until no two can be merged, and return the steps; an absorbed rule is marked not alive.

    `is_free(first, second, moved)`: whether the rule `moved` may take the other's position. Rules that can merge share
    a hash key, so the time is linear in the number of conditions.
    """
    steps = []
    position_of: dict[Hashable, int] = {}
    hashes = [_hash(draft.box) for draft in drafts]
    pending = deque(range(len(drafts)))
    while pending:
        position = pending.popleft()
        draft = drafts[position]
        if not draft.is_alive:
            continue
        says = prediction(draft.rule)
        # The last test of a tree first: leaves with the same parent merge first.
        for attribute, values in reversed(draft.box.items()):
            rest = hashes[position] ^ hash((attribute, values))
            partner = None
            for meeting in _meetings(values):
                found = position_of.get((says, attribute, rest, *meeting))
                if found is not None and found != position and _do_merge(draft, drafts[found], attribute):
                    partner = found
                    break
            for mark in _marks(values):
                position_of[says, attribute, rest, *mark] = position
            if partner is None:
                continue
            first, second = sorted((position, partner))
            if is_free(first, second, second):
                stays, goes = first, second
            elif is_free(first, second, first):
                stays, goes = second, first
            else:
                continue
            kept, gone = drafts[stays], drafts[goes]
            numbers = tuple(sorted(kept.numbers + gone.numbers))
            kept.box = _joined(kept.box, gone.box, attribute, space)
            kept.rule = added(kept.rule, gone.rule)
            kept.numbers = numbers
            gone.is_alive = False
            hashes[stays] = _hash(kept.box)
            conditions = wording(kept.conditions(space), space.schema) or "TRUE"
            result = f"IF {conditions} THEN {consequent(kept.rule, space.schema)}"
            steps.append(Step("merged", numbers, result=result))
            pending.append(stays)
            break
    return steps


def _hash(box: Box) -> int:
    """Return an order-independent hash; XOR with an item's hash removes the item."""
    total = 0
    for item in box.items():
        total ^= hash(item)
    return total


def _marks(values: Condition) -> Iterator[tuple[object, ...]]:
    """Yield the keys under which a set of values is stored."""
    if isinstance(values, Labels):
        yield ("labels",)
    elif values.takes_known:
        yield "from", values.low
        yield "to", values.high
        yield ("numbers",)
    else:
        yield ("missing",)


def _meetings(values: Condition) -> Iterator[tuple[object, ...]]:
    """Yield the keys of sets whose union with this one is a single set."""
    if isinstance(values, Labels):
        yield ("labels",)
    elif values.takes_known:
        yield "to", values.low
        yield "from", values.high
        yield ("missing",)
    else:
        yield ("numbers",)


def _do_merge(draft: Draft, other: Draft, attribute: int) -> bool:
    """Return whether the boxes differ in this attribute only and the union is one set: a key may be stale."""
    box, against = draft.box, other.box
    if not other.is_alive or attribute not in against or len(box) != len(against):
        return False
    if union(box[attribute], against[attribute]) is None:
        return False
    return all(against.get(other_attribute) == v for other_attribute, v in box.items() if other_attribute != attribute)


def _joined(box: Box, other: Box, attribute: int, space: Space) -> Box:
    values = union(box[attribute], other[attribute])
    assert values is not None
    if values == space.everything[attribute]:
        return {other_attribute: v for other_attribute, v in box.items() if other_attribute != attribute}
    return box | {attribute: values}
