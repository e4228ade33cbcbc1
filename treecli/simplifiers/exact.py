"""Fewer and shorter rules without any change in what is predicted, whatever the row.

Rules are boxes, so each step can be proved. Two rules with the same prediction are merged if their union is a box; a
condition is dropped if earlier rules cover all rows that the rule then matches in addition; a rule is dropped if
another rule, or the default, makes the same prediction for its rows. No step moves cases between two rules that both
remain, so counts stay valid.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from heapq import heapify, heappop, heappush
from math import inf
from typing import TYPE_CHECKING

from treecli.errors import UsageError
from treecli.rules.boxes import Allowance, Space, TooIntricateError, do_overlap, intersection
from treecli.rules.boxindex import BLOCK, Index, bits
from treecli.rules.rule import BY_CONDITION
from treecli.rules.step import Step
from treecli.rules.text import predicted
from treecli.simplifiers import Simplified
from treecli.simplifiers._draft import Draft, added, may_move, n_comparisons, no_cases
from treecli.simplifiers._merging import merge
from treecli.values import Interval
from treecli.wording import number_text

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.leaves.linear import Line
    from treecli.model import TreeModel
    from treecli.rules.boxes import Box
    from treecli.rules.rule import Rule
    from treecli.rules.rulelist import RuleList

WORK = 1_000_000
"""The total number of box comparisons allowed: some seconds. Lists of a few thousand rules stay below it. Beyond it the
result is still correct, but longer than necessary.
"""

QUESTION = 20_000
"""Box comparisons allowed per question: covering a box by boxes is hard in general."""

ROUNDS = 10
"""Dropping conditions may enable merges, and vice versa; this is the largest number of rounds."""


def simplify(model: TreeModel | None, rules: RuleList, dataset: Dataset | None) -> Simplified:
    """Return a shorter list with the same prediction for every row, including missing and unseen values."""
    if rules.votes:
        raise UsageError(
            "exact simplification needs rules of which the first that holds decides, and in this list they vote",
            "say 'decide by first match' in the rule file, or leave out --simplify exact",
        )
    space = Space(rules.schema, tells_unseen=rules.settings.predicting.unseen == BY_CONDITION)
    steps: list[Step] = []
    drafts = []
    for number, rule in enumerate(rules.rules, start=1):
        box = space.box(rule.conditions)
        if box is None:
            steps.append(Step("rule dropped", (number,), result="no value satisfies its conditions"))
        else:
            drafts.append(Draft((number,), box, rule))
    shortest = _Search(space, drafts, rules.default, steps).run()
    default = shortest.default
    kept = tuple(draft.as_rule(space) for draft in shortest.drafts)
    return Simplified(replace(rules, rules=kept, default=default), shortest.steps)


def _wider(box: Box, attribute: int) -> Iterator[Box]:
    """Yield the box without its condition on an attribute, then without either of its bounds."""
    values = box[attribute]
    yield {other: kept for other, kept in box.items() if other != attribute}
    if isinstance(values, Interval) and -inf < values.low < values.high < inf:
        yield box | {attribute: replace(values, low=-inf)}
        yield box | {attribute: replace(values, high=inf)}


def _may_swap(rule: Rule, other: Rule) -> bool:
    """Return whether rows may move between the rules: the predictions are equal, and no count becomes wrong."""
    return rule.prediction == other.prediction and may_move(rule, other)


class _Search:
    """The state of the simplification."""

    def __init__(self, space: Space, drafts: list[Draft], default: Rule, steps: list[Step]) -> None:
        self.space = space
        self.drafts = drafts
        self.default = default
        self.steps = steps
        self.left = WORK
        self.index = Index([])
        self.everyone = 0
        self.asked: list[int] = []

    def run(self) -> _Search:
        """Return the shortest list found; ties go to the one closer to the original order."""
        is_disjoint = self._drop_unreachable()
        self._merge(is_disjoint=is_disjoint)
        self._choose_default(is_disjoint)
        in_order, by_length = self._copy(), self._copy()
        in_order.left = by_length.left = self.left // 2
        has_moved = by_length._put_short_rules_first(is_disjoint)
        in_order._shorten()
        if not has_moved:
            return in_order
        by_length._shorten()
        return by_length if by_length.length < in_order.length else in_order

    @property
    def length(self) -> tuple[int, int]:
        """The number of rules, and of comparisons in their conditions."""
        return len(self.drafts), sum(n_comparisons(draft.box) for draft in self.drafts)

    def _copy(self) -> _Search:
        copied = _Search(self.space, [replace(draft) for draft in self.drafts], self.default, list(self.steps))
        copied.left = self.left
        return copied

    def _shorten(self) -> None:
        for _ in range(ROUNDS):
            before = self.length
            for shorten in (self._widen, self._drop_repeated, self._merge):
                if self.left > 0:
                    shorten()
            if self.length == before:
                break

    def _reindex(self) -> None:
        self.index = Index([draft.box for draft in self.drafts])
        self.everyone = (1 << len(self.drafts)) - 1
        self.asked = sorted({attribute for draft in self.drafts for attribute in draft.box})

    def _overlapping(self, box: Box) -> int:
        self.left -= 1 + len(self.drafts) // BLOCK
        return self.index.overlapping(box)

    def _is_covered(self, box: Box, by: int) -> bool:
        """Return whether the rules in the bit set `by` cover a box; False also if that exceeds the work limit."""
        if not by or self.left <= 0:
            return False
        allowance = Allowance(min(QUESTION, self.left))
        granted = allowance.left
        others = [self.drafts[position].box for position in bits(by)]
        try:
            return next(self.space.uncovered(box, others, allowance), None) is None
        except TooIntricateError:
            return False
        finally:
            self.left -= granted - max(allowance.left, 0)

    def _drop_unreachable(self) -> bool:
        """Drop the rules that earlier ones cover; return whether the remaining rules are disjoint."""
        self._reindex()
        is_disjoint = True
        kept = []
        for position, draft in enumerate(self.drafts):
            earlier = self.index.overlapping(draft.box) & ((1 << position) - 1)
            if self._is_covered(draft.box, earlier):
                self.steps.append(Step("rule dropped", draft.numbers, result="earlier rules take all its rows"))
            else:
                is_disjoint = is_disjoint and not earlier
                kept.append(draft)
        self.drafts = kept
        return is_disjoint

    def _merge(self, *, is_disjoint: bool = False) -> None:
        def is_free(first: int, second: int, moved: int) -> bool:
            """Return whether no rule between the two overlaps the one that moves."""
            if is_disjoint:
                return True
            self.left -= second - first
            between = (self.drafts[position] for position in range(first + 1, second))
            box = self.drafts[moved].box
            return self.left > 0 and not any(other.is_alive and do_overlap(box, other.box) for other in between)

        self.steps += merge(self.space, self.drafts, is_free)
        self.drafts = [draft for draft in self.drafts if draft.is_alive]

    def _choose_default(self, is_disjoint: bool) -> None:
        """Drop the rules that predict the default, after choosing the default that makes the list shortest."""
        shares: dict[float | Line | None, list[int]] = {}
        for draft in self.drafts:
            share = shares.setdefault(draft.rule.prediction, [0, 0])
            share[0] += 1
            share[1] += n_comparisons(draft.box)
        other = self._copy()
        self._drop_repeated(is_disjoint=is_disjoint)
        shares.pop(self.default.prediction, None)
        if not shares:
            return
        most = max(shares, key=shares.__getitem__)
        sample = next(draft.rule for draft in other.drafts if draft.rule.prediction == most)
        rest = other._left_to_default(is_disjoint, at_most=len(self.drafts))
        if rest is None:
            return
        before = other.default
        other.default = replace(no_cases(sample), conditions=(), leaf=None)
        if rest and before.covered and len(rest) > 1:
            return  # the default's cases cannot be assigned to the parts
        own = before if rest and before.covered else no_cases(before)
        other.drafts += [Draft((), box, replace(own, leaf=None)) for box in rest]
        n_rules = f"{len(rest)} rule{'s' if len(rest) > 1 else ''}"
        apart = f"; what was left to the default before becomes {n_rules}" if rest else ""
        label = predicted(other.default, self.space.schema, number_text)
        other.steps.append(Step("default chosen", (), result=label + apart))
        other._drop_repeated(is_disjoint=is_disjoint)
        if other.length < self.length:
            self.drafts, self.default, self.steps = other.drafts, other.default, other.steps

    def _left_to_default(self, is_disjoint: bool, at_most: int) -> list[Box] | None:
        """Return the rows that no rule matches, as boxes; None if there are too many or the work limit is exceeded."""
        boxes = [draft.box for draft in self.drafts]
        if is_disjoint and self.space.is_filled({}, boxes):
            return []
        found: list[Box] = []
        try:
            for box in self.space.uncovered({}, boxes, Allowance(min(self.left, 10 * QUESTION))):
                found.append(box)
                if len(found) > at_most:
                    return None
        except TooIntricateError:
            return None
        return found

    def _put_short_rules_first(self, is_disjoint: bool) -> bool:
        """Sort by number of conditions, keeping overlapping rules in order; return whether the order changed.

        Later rules need not exclude the rows that a short rule takes.
        """
        after: list[int] = [0] * len(self.drafts)
        n_before = [0] * len(self.drafts)
        if not is_disjoint:
            self._reindex()
            for position, draft in enumerate(self.drafts):
                after[position] = self._overlapping(draft.box) >> (position + 1) << (position + 1)
                for later in bits(after[position]):
                    n_before[later] += 1
        ready = [(len(d.box), position) for position, d in enumerate(self.drafts) if not n_before[position]]
        heapify(ready)
        order = []
        while ready:
            _, position = heappop(ready)
            order.append(position)
            for later in bits(after[position]):
                n_before[later] -= 1
                if not n_before[later]:
                    heappush(ready, (len(self.drafts[later].box), later))
        if order == list(range(len(order))):
            return False
        self.drafts = [self.drafts[position] for position in order]
        numbers = tuple(draft.numbers[0] for draft in self.drafts if draft.numbers)
        self.steps.append(Step("reordered", numbers, result="rules with fewer conditions first"))
        return True

    def _widen(self) -> None:
        """Drop the conditions and bounds that exclude only rows taken by earlier rules.

        The rows taken by each prefix of the list do not change, so one index serves for all rules.
        """
        self._reindex()
        widened = {}
        for position, draft in enumerate(self.drafts):
            if self.left <= 0:
                break
            wider = self._widened(position, list(draft.box))
            if wider != draft.box:
                # Dropping one condition may prevent others from being dropped: try both orders.
                wider = min(wider, self._widened(position, list(reversed(draft.box))), key=n_comparisons)
                widened[position] = wider
        for position, box in widened.items():
            draft = self.drafts[position]
            self.steps += draft.steps_to(box, self.space)
            draft.box = box

    def _widened(self, position: int, attributes: list[int]) -> Box:
        """Return the box of a rule without unneeded conditions and bounds, tried in the given order."""
        box = self.drafts[position].box
        for attribute in attributes:
            for wider in _wider(box, attribute):
                if all(self._may_take(position, part) for part in self.space.left_of(wider, box)):
                    box = wider
                    break
        return box

    def _may_take(self, position: int, box: Box) -> bool:
        """Return whether a rule may match these rows too: earlier rules take them, or no counted case moves."""
        if self._is_out_of_question(position, box, self.everyone):
            return False
        earlier = self._overlapping(box) & ((1 << position) - 1)
        if self._is_covered(box, earlier):
            return True
        rule = self.drafts[position].rule
        for taker, part in self._takers(position, box, self.everyone):
            if not _may_swap(self._rule(taker), rule) and not self._is_covered(part, earlier):
                return False
        return self.left > 0

    def _is_out_of_question(self, position: int, box: Box, alive: int) -> bool:
        """Return whether a corner of the box refutes that its rows get the rule's prediction without the rule.

        This cheap test settles most questions before the search for a proof.
        """
        rule = self.drafts[position].rule
        for corner in self.space.corners(box, self.asked):
            holding = self._overlapping(corner) & alive
            if holding & ((1 << position) - 1):
                continue
            later = holding >> (position + 1)
            taker = position + (later & -later).bit_length() if later else len(self.drafts)
            if self._rule(taker).prediction != rule.prediction:
                return True
        return False

    def _rule(self, position: int) -> Rule:
        return self.drafts[position].rule if position < len(self.drafts) else self.default

    def _takers(self, position: int, box: Box, alive: int) -> Iterator[tuple[int, Box]]:
        """Yield the later rules (or the default) that take rows of a box if no earlier rule does, with those rows."""
        pending = [(box, position + 1)]
        while pending and self.left > 0:
            piece, start = pending.pop()
            later = (self._overlapping(piece) & alive) >> start
            if not later:
                yield len(self.drafts), piece
                continue
            first = start + (later & -later).bit_length() - 1
            taken = intersection(piece, self.drafts[first].box)
            assert taken is not None
            yield first, taken
            pending += [(part, first + 1) for part in self.space.left_of(piece, self.drafts[first].box)]

    def _drop_repeated(self, *, is_disjoint: bool = False) -> None:
        """Drop the rules whose rows would get the same prediction from other rules or the default."""
        if not is_disjoint:
            self._reindex()
        alive = self.everyone
        for position in reversed(range(len(self.drafts))):
            draft = self.drafts[position]
            if is_disjoint:
                is_same = draft.rule.prediction == self.default.prediction
                takers = [len(self.drafts)] if is_same else None
            else:
                takers = self._takers_of(position, alive)
            if takers is None:
                continue
            alive ^= 1 << position
            draft.is_alive = False
            for taker in takers:
                if taker == len(self.drafts):
                    self.default = added(self.default, draft.rule)
                else:
                    self.drafts[taker].rule = added(self.drafts[taker].rule, draft.rule)
            names = [self.drafts[t].name if t < len(self.drafts) else "the default" for t in takers]
            why = f"{' and '.join(names)} would say the same" if names else "earlier rules take all its rows"
            self.steps.append(Step("rule dropped", draft.numbers, result=why))
        self.drafts = [draft for draft in self.drafts if draft.is_alive]

    def _takers_of(self, position: int, alive: int) -> list[int] | None:
        """Return the rules that take a dropped rule's rows; None if that changes a prediction or loses a count."""
        draft = self.drafts[position]
        if self._is_out_of_question(position, draft.box, alive):
            return None
        earlier = self._overlapping(draft.box) & alive & ((1 << position) - 1)
        takers: list[int] = []
        for taker, part in self._takers(position, draft.box, alive):
            if taker in takers:
                continue
            other = self._rule(taker)
            may_take = not takers or all(may_move(draft.rule, self._rule(each)) for each in [taker, *takers])
            if other.prediction == draft.rule.prediction and may_take:
                takers.append(taker)
            elif not self._is_covered(part, earlier):
                return None
        return takers if self.left > 0 else None
