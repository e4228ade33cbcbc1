"""A rule list as an interview: it asks for the attribute that most of the rules that can still match need."""

from __future__ import annotations

from collections import Counter
from ctypes import c_float
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treecli.errors import UsageError
from treecli.rules.predict import CERTAIN, probabilities
from treecli.rules.text import default_line, predicted, rule_lines
from treecli.teaching import derivedanswers
from treecli.teaching.answers import Answer, Known, Unknown
from treecli.teaching.consulting import RowConsultation, share_of
from treecli.wording import quoted, readable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treecli.rules.rule import Rule
    from treecli.rules.rulelist import RuleList
    from treecli.values import Condition

    Answers = Mapping[int, Answer]
    Values = Mapping[int, tuple[float | None, ...]]

ROUNDING = 1e-9
"""Sums of votes that differ by less may be equal."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The rules that match whatever the other values are, and those that may.

    With first match, none after the first sure one counts.
    """

    sure: tuple[int, ...]
    open: tuple[int, ...]


class RuleConsultation(RowConsultation):
    """The questions of a rule list."""

    def __init__(self, rules: RuleList) -> None:
        if any(rule.model is not None for rule in (*rules.rules, rules.default)):
            raise UsageError("the rules predict by formulas, which need all attributes", "use 'treecli predict'")
        super().__init__(rules)
        self._list = rules
        self._rounds = rules.settings.predicting.single_precision

    def standing(self, answers: Answers) -> Standing:
        """Return the rules that match, or may match, a case with these answers."""
        values = self._values(answers)
        sure, open_ = [], []
        for index, rule in enumerate(self._list.rules):
            truths = {self._truth(condition, values) for condition in rule.conditions}
            if False in truths:
                continue
            if None in truths:
                open_.append(index)
                continue
            sure.append(index)
            if not self._list.votes:
                break
        return Standing(tuple(sure), tuple(open_))

    def wanted(self, answers: Answers) -> list[int]:
        standing = self.standing(answers)
        if self._is_decided(standing):
            return []
        found = Counter(index for rule in standing.open for index in self._unanswered(rule, answers))
        return [index for index, _ in found.most_common()]

    def why(self, answers: Answers) -> str:
        standing, n_rules = self.standing(answers), len(self._list.rules)
        index = self.needed(answers)
        text = f"{len(standing.open)} of {n_rules} rules can still match"
        if standing.sure:
            text += f", and rule {standing.sure[0] + 1} does" + ("" if self._list.votes else " if none of them does")
        if index is not None:
            n_wanting = sum(index in self._unanswered(rule, answers) for rule in standing.open)
            text += f"; {quoted(self.schema.columns[index].name)} is needed by {n_wanting}"
        return text

    def rest(self, answers: Answers) -> list[str]:
        """Return the rules that can still match, and the default if it can decide."""
        standing = self.standing(answers)
        numbers = sorted((*standing.sure, *standing.open))
        lines = rule_lines((self._list.rules[index] for index in numbers), self.schema, readable)
        shown = [f"{index + 1}  {line.rstrip()}" for index, line in zip(numbers, lines, strict=True)]
        if not standing.sure:
            shown.append(default_line(self._list.default, self.schema, readable).rstrip())
        return shown

    def open_attributes(self, answers: Answers) -> set[int]:
        values = self._values(answers)
        conditions = (own for rule in self.standing(answers).open for own in self._list.rules[rule].conditions)
        columns = {own.attribute for own in conditions if self._truth(own, values) is None}
        attributes = {index for index in columns if index < len(self.schema.attributes)}
        # Attributes of derived columns have one value each, or none.
        return attributes | {index for index in self.schema.inputs(columns - attributes) if index not in answers}

    def limits(self, answers: Answers, code: int) -> tuple[float, float]:
        standing = self.standing(answers)
        if self._list.votes and self.schema.is_classification:
            return self._limits_of_votes(standing, code)
        places = [*standing.open, *(standing.sure or (len(self._list.rules),))]
        if self.schema.is_classification:
            column = probabilities(self._list)[places, code].tolist()
            return min(column), max(column)
        numbers = [self._rule(place).value or 0.0 for place in places]
        return min(numbers), max(numbers)

    def basis(self, answers: Answers) -> str:
        shares = self._shares(answers)
        names = [self._name(index) for index in shares]
        covered = [self._rule(index).covered for index in shares]
        if not self._list.votes and all(covered):
            return f"{', '.join(names)}: {readable(float(sum(own or 0.0 for own in covered)))} training cases"
        return ", ".join(names)

    def reasons(self, answers: Answers) -> str:
        texts = []
        for index, share in self._shares(answers).items():
            part = "" if share > 1 - ROUNDING else f" ({share:.2f})"
            said = predicted(self._rule(index), self.schema, readable)
            if index == len(self._list.rules):
                texts.append(f"no rule matches{part}, and the default is {said}")
            else:
                texts.append(f"{self._rule(index).antecedent(self.schema)}{part} says {said}")
        return "; ".join(texts)

    def parts(self, answers: Answers) -> dict[str, Any]:
        shares, n_rules = self._shares(answers), len(self._list.rules)
        covered = [self._rule(index).covered for index in shares]
        return {
            "cases": None if self._list.votes or None in covered else sum(own or 0.0 for own in covered),
            "rules": [
                {"number": None if index == n_rules else index + 1, "share": share} for index, share in shares.items()
            ],
        }

    def _rule(self, index: int) -> Rule:
        return self._list.default if index == len(self._list.rules) else self._list.rules[index]

    def _name(self, index: int) -> str:
        return "the default" if index == len(self._list.rules) else f"rule {index + 1}"

    def _unanswered(self, rule: int, answers: Answers) -> list[int]:
        columns = [own.attribute for own in self._list.rules[rule].conditions]
        asked = dict.fromkeys(index for column in columns for index in self.schema.inputs([column]))
        return [index for index in asked if index not in answers]

    def _values(self, answers: Answers) -> Values:
        """Return the values that each answer stands for."""
        pieces = {index: self._rows.pieces(index, answer) for index, answer in answers.items()}
        return {index: tuple(value for value, _ in own) for index, own in pieces.items()}

    def _truth(self, condition: Condition, values: Values) -> bool | None:
        """Return whether a condition holds; None if that depends on a value that is not certain."""
        if condition.attribute >= len(self.schema.attributes):
            return self._truth_of_derived(condition, values)
        if condition.attribute not in values:
            return None
        found = {self._holds(condition, value) for value in values[condition.attribute]}
        return found.pop() if len(found) == 1 else None

    def _truth_of_derived(self, condition: Condition, values: Values) -> bool | None:
        answers = {index: Unknown() if own is None else Known(own, "") for index, (own, *_) in values.items()}
        found = derivedanswers.whole_answer_to(condition.attribute, self.schema, answers)
        if isinstance(found, int):
            return None
        return condition.holds(found.value if isinstance(found, Known) else None)

    def _holds(self, condition: Condition, value: float | None) -> bool:
        if self._rounds and value is not None and self.schema.columns[condition.attribute].is_numeric:
            value = c_float(value).value
        return condition.holds(value)

    def _is_decided(self, standing: Standing) -> bool:
        """Return whether all rules that may decide predict the same."""
        if not standing.open:
            return True
        if not self._list.votes:
            last = standing.sure or (len(self._list.rules),)
            return len({self._rule(index).prediction for index in (*standing.open, *last)}) == 1
        if not self.schema.is_classification:
            return False  # a mean of values
        least, most = self._votes(standing)
        if sum(least) <= 0:
            everyone = (*standing.open, *standing.sure, len(self._list.rules))
            return len({self._rule(index).label for index in everyone}) == 1
        best = max(range(len(least)), key=least.__getitem__)
        return all(least[best] > own + ROUNDING for code, own in enumerate(most) if code != best)

    def _votes(self, standing: Standing) -> tuple[list[float], list[float]]:
        """Return the least and the greatest sum of votes of each class."""
        least = [0.0] * self.schema.n_outcomes
        for index in standing.sure:
            least[self._rule(index).label or 0] += self._confidence(index)
        most = list(least)
        for index in standing.open:
            most[self._rule(index).label or 0] += self._confidence(index)
        return least, most

    def _confidence(self, index: int) -> float:
        own = self._rule(index).confidence
        return CERTAIN if own is None else own

    def _limits_of_votes(self, standing: Standing, code: int) -> tuple[float, float]:
        least, most = self._votes(standing)
        others_least, others_most = sum(least) - least[code], sum(most) - most[code]
        low = share_of(least[code], others_most)
        high = share_of(most[code], others_least)
        if sum(least) > 0:
            return low, high
        by_default = float(probabilities(self._list)[-1, code])
        return min(low, by_default), max(high, by_default)

    def _shares(self, answers: Answers) -> dict[int, float]:
        """Return the rules that decide, the default last, each with the share of the case that it decides.

        If rules vote, these are all that match. Values without an answer are missing.
        """
        dataset, shares = self._rows.rows(answers)
        found: dict[int, float] = {}
        for row, share in enumerate(shares.tolist()):
            values: dict[int, tuple[float | None, ...]] = {}
            for index, attribute in enumerate(self.schema.attributes):
                value = float(dataset.columns[index][row])
                is_missing = value != value if attribute.is_numeric else value < 0
                values[index] = (None if is_missing else value,)
            matching = (
                index
                for index, rule in enumerate(self._list.rules)
                if all(self._truth(condition, values) for condition in rule.conditions)
            )
            every = list(matching) if self._list.votes else [next(matching, len(self._list.rules))]
            for index in every or [len(self._list.rules)]:
                found[index] = found.get(index, 0.0) + share
        return dict(sorted(found.items()))
