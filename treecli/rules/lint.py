"""Defects of a rule list. Rules are treated as boxes, so each finding is proved and has a witness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING, Any, Literal

from treecli.outcomes.rows import total
from treecli.records import dataclass
from treecli.rules import text
from treecli.rules.boxes import Allowance, Space, TooIntricateError, intersection
from treecli.rules.boxindex import Index, bits
from treecli.rules.rule import BY_CONDITION, Rule
from treecli.rules.rulelist import SLACK, RuleList
from treecli.rules.witness import witness
from treecli.tree import WEIGHT
from treecli.values import Interval
from treecli.wording import counted, number_text, quoted

if TYPE_CHECKING:
    from treecli.leaves.linear import Line
    from treecli.rules.boxes import Box

Kind = Literal["unreachable", "redundant", "conflict", "default", "undecided"]

MOST_CONFLICTS = 1000
"""Conflicting pairs of rules reported one by one; further pairs are only counted."""

MOST_NAMED = 5
"""Rules listed in a message as covering another; further ones are only counted."""

QUESTION = 200_000
"""Box comparisons allowed per question before it is reported as undecided."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A defect or, if the kind is "default", a remark.

    `rules` are numbers from 1. `witness` is an example row: by attribute name, a number, a label, or None if the value
    is missing. `share` is the share of cases affected, None if not counted.
    """

    kind: Kind
    rules: tuple[int, ...]
    message: str
    witness: dict[str, float | str | None] | None = None
    share: float | None = None

    @property
    def is_defect(self) -> bool:
        """Whether the list should be changed; rows left to the default are not a defect."""
        return self.kind != "default"

    @property
    def text(self) -> str:
        """The finding as one line of text."""
        subject = ("rule " if len(self.rules) == 1 else "rules ") + ", ".join(map(str, self.rules))
        line = f"{self.kind}: {subject}: {self.message}" if self.rules else f"{self.kind}: {self.message}"
        return line if self.witness is None else f"{line}, e.g. {_row_text(self.witness)}"

    def to_json(self) -> dict[str, Any]:
        """Return the finding as a JSON object."""
        return {
            "kind": self.kind,
            "rules": list(self.rules),
            "message": self.message,
            "witness": self.witness,
            "share": self.share,
            "is_defect": self.is_defect,
            "text": self.text,
        }


def findings(rules: RuleList) -> list[Finding]:
    """Return all defects of a list, in the order of the rules, and last the rows left to the default.

    Unreachable: no row satisfies the rule, or every row that does also satisfies an earlier rule. Redundant: dropping
    the condition changes no prediction and adds no conflict with another rule. Conflict: two rules make different
    predictions for the same row, so that order, or the vote, decides. If rules vote, earlier rules do not make a rule
    unreachable and no condition is redundant, because each vote counts.
    """
    checker = _Checker(rules)
    found = list(checker.impossible())
    if not rules.votes:
        found += checker.unreachable()
        found += checker.redundant()
    found += checker.conflicts()
    found.sort(key=lambda finding: finding.rules or (inf,))
    return found + list(checker.left_to_default())


class _Checker:
    """A rule list as boxes, with an index."""

    def __init__(self, rules: RuleList) -> None:
        self.rules = rules
        self.schema = rules.schema
        self.space = Space(rules.schema, tells_unseen=rules.settings.predicting.unseen == BY_CONDITION)
        self.numbers: list[int] = []
        self.boxes: list[Box] = []
        for number, rule in enumerate(rules.rules, start=1):
            box = self.space.box(rule.conditions)
            if box is not None:
                self.numbers.append(number)
                self.boxes.append(box)
        self.index = Index(self.boxes)
        alike: dict[float | Line | None, list[int]] = {}
        self.overlaps: dict[int, int] = {}
        for position, box in enumerate(self.boxes):
            alike.setdefault(self._rule(position).prediction, []).append(position)
            if others := self.index.overlapping(box) ^ 1 << position:
                self.overlaps[position] = others
        # Skip predictions that only one rule makes: a bit set per distinct value would take too much memory.
        self.saying = {
            says: sum(1 << position for position in positions) for says, positions in alike.items() if positions[1:]
        }
        self.dead = 0

    def _others(self, position: int) -> int:
        """Return the other rules that overlap a rule, as a bit set."""
        return self.overlaps.get(position, 0)

    def _against(self, position: int) -> int:
        """Return the rules whose prediction differs from a rule's, as a bit set."""
        agreeing = self.saying.get(self._rule(position).prediction, 1 << position)
        return ((1 << len(self.boxes)) - 1) & ~agreeing & ~self.dead

    def _rule(self, position: int) -> Rule:
        return self.rules.rules[self.numbers[position] - 1]

    def _first_uncovered(self, box: Box, by: int) -> Box | None:
        """Return a part of the box that none of the rules in the bit set `by` covers; None if there is none."""
        if not by:
            return box
        others = [self.boxes[position] for position in bits(by)]
        return next(self.space.uncovered(box, others, Allowance(QUESTION)), None)

    def impossible(self) -> Iterator[Finding]:
        for number in sorted(set(range(1, len(self.rules.rules) + 1)).difference(self.numbers)):
            yield Finding("unreachable", (number,), "no value satisfies its conditions")

    def unreachable(self) -> Iterator[Finding]:
        for position, box in enumerate(self.boxes):
            earlier = self._others(position) & ((1 << position) - 1)
            if not earlier:
                continue
            number = self.numbers[position]
            try:
                if self._first_uncovered(box, earlier) is not None:
                    continue
            except TooIntricateError:
                yield Finding("undecided", (number,), "whether a row gets as far would take too long to tell")
                continue
            self.dead |= 1 << position
            takers = [self.numbers[taker] for taker in bits(earlier & ~self.dead)]
            named = f"rule{'s' if len(takers) > 1 else ''} {_numbers_text(takers)}"
            yield Finding("unreachable", (number,), f"{named} take{'' if len(takers) > 1 else 's'} all its rows")

    def redundant(self) -> Iterator[Finding]:
        for position, box in enumerate(self.boxes):
            if self.dead >> position & 1:
                continue
            against = self._against(position)
            for condition in self._rule(position).conditions:
                text = condition.wording(self.schema.columns[condition.attribute])
                without = {attribute: values for attribute, values in box.items() if attribute != condition.attribute}
                try:
                    is_needed = condition.attribute in box and self._would_change(position, against, box, without)
                except TooIntricateError:
                    message = f"whether it needs the condition {text} would take too long to tell"
                    yield Finding("undecided", (self.numbers[position],), message)
                    continue
                if not is_needed:
                    message = f"without the condition {text} the list would predict the same"
                    yield Finding("redundant", (self.numbers[position],), message)

    def _would_change(self, position: int, against: int, box: Box, without: Box) -> bool:
        """Return whether widening the box would add a conflict or change a prediction."""
        says = self._rule(position).prediction
        others = self._others(position)
        in_no_conflict = against & ~others if others else against
        for part in self.space.left_of(without, box):
            if self.index.has_overlapping(part, in_no_conflict, near=position):
                return True
            near = self.index.overlapping(part) & ~self.dead
            for other in bits((near & against) >> position << position):
                common = intersection(part, self.boxes[other])
                assert common is not None
                if self._first_uncovered(common, near & ((1 << other) - 1)) is not None:
                    return True
            if self.rules.default.prediction != says and self._first_uncovered(part, near) is not None:
                return True
        return False

    def conflicts(self) -> Iterator[Finding]:
        n_named = n_more = 0
        for position, box in enumerate(self.boxes):
            if self.dead >> position & 1:
                continue
            others = self._others(position)
            later = (others & self._against(position)) >> (position + 1) if others else 0
            if n_named + later.bit_count() > MOST_CONFLICTS:
                n_more += later.bit_count()
                continue
            for other in bits(later):
                n_named += 1
                common = intersection(box, self.boxes[position + 1 + other])
                assert common is not None
                yield self._conflict(position, position + 1 + other, common)
        if n_more:
            yield Finding(
                "conflict", (), f"{counted(n_more, 'more pair')} of rules that say different things of some rows"
            )

    def _conflict(self, first: int, second: int, common: Box) -> Finding:
        said = [text.predicted(self._rule(position), self.schema, number_text) for position in (first, second)]
        decided = "both vote" if self.rules.votes else "the first decides"
        message = f"they say {said[0]} and {said[1]} of the same rows ({decided})"
        numbers = (self.numbers[first], self.numbers[second])
        row = self._named(common)
        if row is None:
            return Finding("undecided", numbers, "whether a row satisfies both depends on derived columns")
        return Finding("conflict", numbers, message, row)

    def left_to_default(self) -> Iterator[Finding]:
        region = self._asked_region()
        disjoint = 0
        for position in range(len(self.boxes)):
            if not self._others(position) & disjoint:
                disjoint |= 1 << position
        is_disjoint = not self.overlaps
        if self.space.is_filled(region, (self.boxes[position] for position in bits(disjoint))):
            return
        row = None
        try:
            rest = next(self.space.uncovered(region, self.boxes, Allowance(QUESTION)), None)
        except TooIntricateError:
            if not is_disjoint:
                yield Finding("undecided", (), "whether every row satisfies a rule would take too long to tell")
                return
        else:
            if rest is None:
                return
            row = self._named(rest)
            if row is None:
                yield Finding("undecided", (), "whether every row satisfies a rule depends on derived columns")
                return
        default = text.predicted(self.rules.default, self.schema, number_text)
        covered, total = self.rules.default.covered, self._n_cases()
        share, part = None, ""
        if covered is not None and total and covered <= total * (1 + SLACK):
            share = covered / total
            part = f", {number_text(covered)} of {number_text(total)} cases ({share:.1%})"
        message = f"rows that satisfy no rule are left to the default, {default}{part}"
        yield Finding("default", (), message, row, share)

    def _asked_region(self) -> Box:
        """Return all rows except those with missing or unseen values that no condition on the attribute accepts.

        By the policy of every list such values satisfy only conditions that name them, so they are no finding.
        """
        taken: dict[int, tuple[bool, bool]] = {}
        for rule in self.rules.rules:
            for condition in rule.conditions:
                missing, unseen = taken.get(condition.attribute, (False, False))
                taken[condition.attribute] = missing or condition.missing, unseen or condition.unseen
        region: Box = {}
        for attribute, (missing, unseen) in taken.items():
            values = self.space.values(Interval(attribute, -inf, inf, missing, unseen))
            if values != self.space.everything[attribute]:
                region[attribute] = values
        return region

    def _n_cases(self) -> float | None:
        """Return the total weight of the cases that the rules were counted on; None if unknown."""
        outcomes = self.rules.outcomes
        if outcomes is None:
            return None
        return total(outcomes) if self.schema.is_classification else outcomes[WEIGHT]

    def _named(self, box: Box) -> dict[str, float | str | None] | None:
        """Return a row of the box, by attribute names and labels; None if none was found."""
        found = witness(self.space, box)
        if found is None:
            return None
        row: dict[str, float | str | None] = {}
        for attribute, value in found.items():
            described = self.schema.columns[attribute]
            row[described.name] = described.labels[value] if isinstance(value, int) else value
        return row


def _row_text(row: dict[str, float | str | None]) -> str:
    """Return a row as text; "any row" if it restricts no attribute."""
    pairs = []
    for name, value in row.items():
        if value is None:
            pairs.append(f"{quoted(name)} missing")
        else:
            pairs.append(f"{quoted(name)} = {quoted(value) if isinstance(value, str) else number_text(value)}")
    return ", ".join(pairs) or "any row"


def _numbers_text(numbers: Sequence[int]) -> str:
    """Return the numbers as text, shortened if there are many."""
    named = ", ".join(map(str, numbers[:MOST_NAMED]))
    return named if len(numbers) <= MOST_NAMED else f"{named} and {len(numbers) - MOST_NAMED} more"
