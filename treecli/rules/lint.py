"""What is wrong with a list of rules, exactly: rules are boxes, so that each finding is proved and has its witness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Literal

from treecli.rules import text
from treecli.rules.boxes import Allowance, Space, TooIntricateError, intersection
from treecli.rules.boxindex import Index, bits
from treecli.rules.rule import BY_CONDITION, Rule
from treecli.rules.rulelist import SLACK, RuleList
from treecli.tree import WEIGHT
from treecli.values import Interval
from treecli.wording import counted, number_text, quoted

if TYPE_CHECKING:
    from treecli.data import Schema
    from treecli.rules.boxes import Box

Kind = Literal["unreachable", "redundant", "conflict", "default", "undecided"]

MOST_CONFLICTS = 1000
"""So many pairs of rules in conflict are named; the others are counted."""

MOST_NAMED = 5
"""So many of the rules that take all rows of another are named; the others are counted."""

QUESTION = 200_000
"""How many comparisons of two boxes one question may take before it is left undecided."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or, of kind "default", worth knowing.

    `rules` are numbers from 1. `witness` is a row that shows it, by the names of the attributes that matter: a number,
    a label, or None where the value is missing. `share` is that of the cases concerned, None if not counted.
    """

    kind: Kind
    rules: tuple[int, ...]
    message: str
    witness: dict[str, float | str | None] | None = None
    share: float | None = None

    @property
    def is_defect(self) -> bool:
        """Whether the list should be changed; that a default does something is no defect."""
        return self.kind != "default"

    @property
    def text(self) -> str:
        """The finding in one line of words."""
        subject = ("rule " if len(self.rules) == 1 else "rules ") + ", ".join(map(str, self.rules))
        line = f"{self.kind}: {subject}: {self.message}" if self.rules else f"{self.kind}: {self.message}"
        return line if self.witness is None else f"{line}, e.g. {_row_text(self.witness)}"

    def to_json(self) -> dict[str, Any]:
        """The finding as scripts read it."""
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
    """Everything that is wrong with a list, rule by rule, and at last what is left to the default.

    Unreachable: no row satisfies the rule, or each row that does satisfies an earlier rule, too. Redundant: a condition
    without which no prediction changes and the rule contradicts no rule that it did not contradict before. Conflict:
    two rules predict different things for a row, and order decides, or votes. Where rules vote, earlier rules do not
    make a rule unreachable and no condition is redundant, since each vote counts.
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
    """A list of rules as boxes, ready to be asked."""

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
        alike: dict[float | None, list[int]] = {}
        self.overlaps: dict[int, int] = {}
        for position, box in enumerate(self.boxes):
            alike.setdefault(_says(self._rule(position)), []).append(position)
            if others := self.index.overlapping(box) ^ 1 << position:
                self.overlaps[position] = others
        # Bits as long as the list for each of its values would be too much: a value of its own needs none.
        self.saying = {
            says: sum(1 << position for position in positions) for says, positions in alike.items() if positions[1:]
        }
        self.dead = 0

    def _others(self, position: int) -> int:
        """The other rules that have a row in common with a rule, as bits."""
        return self.overlaps.get(position, 0)

    def _against(self, position: int) -> int:
        """The rules with another prediction than a rule, as bits."""
        agreeing = self.saying.get(_says(self._rule(position)), 1 << position)
        return ((1 << len(self.boxes)) - 1) & ~agreeing & ~self.dead

    def _rule(self, position: int) -> Rule:
        return self.rules.rules[self.numbers[position] - 1]

    def _first_uncovered(self, box: Box, by: int) -> Box | None:
        """A part of the box that none of these rules, as bits, holds for; None if there is none."""
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
                text = condition.wording(self.schema.attributes[condition.attribute])
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
        """Whether a wider box would bring the rule into a conflict that it was not in, or change a prediction."""
        says = _says(self._rule(position))
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
            if _says(self.rules.default) != says and self._first_uncovered(part, near) is not None:
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
        said = [_said(self._rule(position), self.schema) for position in (first, second)]
        decided = "both vote" if self.rules.votes else "the first decides"
        message = f"they say {said[0]} and {said[1]} of the same rows ({decided})"
        numbers = (self.numbers[first], self.numbers[second])
        return Finding("conflict", numbers, message, self._named(common))

    def left_to_default(self) -> Iterator[Finding]:
        region = self._asked_region()
        disjoint = 0
        for position in range(len(self.boxes)):
            if not self._others(position) & disjoint:
                disjoint |= 1 << position
        is_disjoint = not self.overlaps
        if self.space.is_filled(region, (self.boxes[position] for position in bits(disjoint))):
            return
        witness = None
        try:
            rest = next(self.space.uncovered(region, self.boxes, Allowance(QUESTION)), None)
        except TooIntricateError:
            if not is_disjoint:
                yield Finding("undecided", (), "whether every row satisfies a rule would take too long to tell")
                return
        else:
            if rest is None:
                return
            witness = self._named(rest)
        default = _said(self.rules.default, self.schema)
        covered, total = self.rules.default.covered, self._n_cases()
        share, part = None, ""
        if covered is not None and total and covered <= total * (1 + SLACK):
            share = covered / total
            part = f", {number_text(covered)} of {number_text(total)} cases ({share:.1%})"
        message = f"rows that satisfy no rule are left to the default, {default}{part}"
        yield Finding("default", (), message, witness, share)

    def _asked_region(self) -> Box:
        """All rows but those with a missing or unseen value of an attribute of which no condition takes such values.

        These satisfy a condition only if it names them: the policy of every list, and no finding.
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
        """The weight of all cases that the rules were counted on; None where that is not known."""
        outcomes = self.rules.outcomes
        if outcomes is None:
            return None
        return sum(outcomes) if self.schema.is_classification else outcomes[WEIGHT]

    def _named(self, box: Box) -> dict[str, float | str | None]:
        """A row of the box, by names and labels."""
        row: dict[str, float | str | None] = {}
        for attribute, value in self.space.witness(box).items():
            described = self.schema.attributes[attribute]
            row[described.name] = described.labels[value] if isinstance(value, int) else value
        return row


def _says(rule: Rule) -> float | None:
    return rule.value if rule.label is None else rule.label


def _said(rule: Rule, schema: Schema) -> str:
    return text.consequent(Rule((), label=rule.label, value=rule.value), schema, number_text)


def _row_text(row: dict[str, float | str | None]) -> str:
    """A row in words; nothing in it matters where there is none."""
    pairs = []
    for name, value in row.items():
        if value is None:
            pairs.append(f"{quoted(name)} missing")
        else:
            pairs.append(f"{quoted(name)} = {quoted(value) if isinstance(value, str) else number_text(value)}")
    return ", ".join(pairs) or "any row"


def _numbers_text(numbers: Sequence[int]) -> str:
    """The numbers, the first few of many."""
    named = ", ".join(map(str, numbers[:MOST_NAMED]))
    return named if len(numbers) <= MOST_NAMED else f"{named} and {len(numbers) - MOST_NAMED} more"
