"""Merges two rules with the same prediction if their boxes differ in one attribute and the union is a box."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from treecli.rules.rule import wording
from treecli.rules.step import Step
from treecli.rules.text import predicted
from treecli.rules.touching import Touching, do_merge, hash_of, joined
from treecli.simplifiers._draft import Draft, added
from treecli.wording import number_text

if TYPE_CHECKING:
    from treecli.rules.boxes import Space


def merge(space: Space, drafts: list[Draft], is_free: Callable[[int, int, int], bool]) -> list[Step]:
    """Merge rules until no two can be merged, and return the steps; an absorbed rule is marked not alive.

    `is_free(first, second, moved)`: whether the rule `moved` may take the other's position. Rules that can merge share
    a hash key, so the time is linear in the number of conditions.
    """
    steps = []
    touching = Touching()
    hashes = [hash_of(draft.box) for draft in drafts]
    pending = deque(range(len(drafts)))
    while pending:
        position = pending.popleft()
        draft = drafts[position]
        if not draft.is_alive:
            continue
        says = draft.rule.prediction
        # The last test of a tree first: leaves with the same parent merge first.
        for attribute, values in reversed(draft.box.items()):
            rest = hashes[position] ^ hash((attribute, values))
            candidates = touching.candidates(says, attribute, rest, values)
            partner = next((c for c in candidates if c != position and _do_merge(draft, drafts[c], attribute)), None)
            touching.add(says, attribute, rest, values, position)
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
            kept.box = joined(kept.box, gone.box, attribute, space)
            kept.rule = added(kept.rule, gone.rule)
            kept.numbers = numbers
            gone.is_alive = False
            hashes[stays] = hash_of(kept.box)
            conditions = wording(kept.conditions(space), space.schema) or "TRUE"
            result = f"IF {conditions} THEN {predicted(kept.rule, space.schema, number_text)}"
            steps.append(Step("merged", numbers, result=result))
            pending.append(stays)
            break
    return steps


def _do_merge(draft: Draft, other: Draft, attribute: int) -> bool:
    """Return whether the boxes of two rules that are left can be merged along an attribute."""
    return other.is_alive and do_merge(draft.box, other.box, attribute)
