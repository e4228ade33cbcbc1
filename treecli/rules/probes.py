"""Probes of a rule list: rows that a rule decides, rows that narrowly miss it, and rows that two rules match."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from treecli.expressions import attributes_of
from treecli.predict.probevalues import ProbeValues, dataset_of, probe_rows
from treecli.rules.rule import BY_CONDITION
from treecli.values import Condition, narrow

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.predict.probevalues import Maker, Probe
    from treecli.rules.rule import Rule
    from treecli.rules.rulelist import RuleList

N_RIVALS = 3
"""Number of later rules with another prediction that each rule is probed against."""

MOST_LOOKED_AT = 50
"""Number of later rules searched for rivals."""

MOST_REPAIRS = 20
"""Attempts to change a row so that no earlier rule matches."""

MOST_CHECKS = 1_000_000
"""Limit on rule checks over all repairs; beyond it rows are left unrepaired."""

N_DEFAULTS = 10
"""Number of rows that no rule should match."""


def probes(rules: RuleList) -> Dataset:
    """Return the probes of a rule list as rows of its schema."""
    return dataset_of(rules.schema, probe_rows(RuleProbes(rules)))


class RuleProbes:
    """The probes of a first-match list."""

    def __init__(self, model: RuleList) -> None:
        self.rules = model.rules
        self.schema = model.schema
        self.values = values = ProbeValues(model.schema, is_single=model.settings.predicting.single_precision)
        self._by_condition = model.settings.predicting.unseen == BY_CONDITION
        self._n_checks = 0
        self._base: dict[int, Probe] = {}
        for rule in model.rules:
            for condition in rule.conditions:
                values.add(condition.attribute, values.of_condition(condition))
        for rule in (*model.rules, model.default):
            if rule.model is not None:
                values.add_parts(attributes_of(rule.model.expression()))

    def makers(self) -> Iterator[Maker]:
        """Yield a maker of every probe."""
        for place, rule in enumerate(self.rules):
            yield partial(self._decided, place, {})
            for condition in rule.conditions:
                for value in self.values.of_condition(condition):
                    yield partial(self._decided, place, {condition.attribute: value})
            for both in self._rivals(place):
                yield partial(self._row, both, place)
        for _ in range(N_DEFAULTS if self.rules else 0):
            yield partial(self._row, {}, len(self.rules))

    def _decided(self, place: int, changes: Probe) -> Probe:
        """Return a row that a rule decides, with some values changed."""
        if place not in self._base:
            merged = {condition.attribute: condition for condition in self.rules[place].conditions}
            self._base[place] = self._row(merged, place)
        base = self._base[place]
        return {index: value for index, value in base.items() if index not in changes} | changes

    def _rivals(self, place: int) -> Iterator[dict[int, Condition]]:
        """Yield conditions for rows that match both a rule and a later rule with another prediction."""
        rule, n_found = self.rules[place], 0
        for other in self.rules[place + 1 : place + 1 + MOST_LOOKED_AT]:
            if other.prediction == rule.prediction:
                continue
            both = {condition.attribute: condition for condition in rule.conditions}
            if not any(narrow(both, condition, self.schema).is_empty for condition in other.conditions):
                yield both
                n_found += 1
                if n_found == N_RIVALS:
                    return

    def _row(self, wanted: dict[int, Condition], n_before: int) -> Probe:
        """Return a row that satisfies some conditions and, if possible, none of the first `n_before` rules."""
        row = self.values.filled({index: self.values.pick(condition) for index, condition in wanted.items()})
        for _ in range(MOST_REPAIRS):
            self._n_checks += n_before
            if self._n_checks > MOST_CHECKS:
                break
            first = next((rule for rule in self.rules[:n_before] if self._holds(rule, row)), None)
            if first is None or not self._repaired(row, first, wanted):
                break
        return row

    def _repaired(self, row: Probe, rule: Rule, wanted: dict[int, Condition]) -> bool:
        """Change one value of a row so that a rule no longer matches; return whether that was possible."""
        conditions = list(rule.conditions)
        self.values.random.shuffle(conditions)
        for condition in conditions:
            attribute = condition.attribute
            choices = [*self.values.known[attribute], self.values.missing(attribute)]
            self.values.random.shuffle(choices)
            for value in choices:
                stays = attribute not in wanted or self._satisfies(wanted[attribute], value)
                if stays and not self._satisfies(condition, value):
                    row[attribute] = value
                    return True
        return False

    def _holds(self, rule: Rule, row: Probe) -> bool:
        return all(self._satisfies(condition, row[condition.attribute]) for condition in rule.conditions)

    def _satisfies(self, condition: Condition, value: float) -> bool:
        return self.values.holds(condition, value, by_condition=self._by_condition)
