"""Rule lists as JSON, validated when read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from treecli.data import Attribute, Schema
from treecli.errors import ModelError, did_you_mean
from treecli.leaves.linear import Line
from treecli.model import LARGEST_VALUE, LARGEST_WEIGHT, MEAN_KEYS, MEDIAN_KEYS, Lineage, wrong_moments
from treecli.models._heading import SchemaRecord, decoded, heading_lines, schema_of
from treecli.models._settings import settings_of
from treecli.outcomes.rows import as_json, row_of, row_with, total
from treecli.rules.rule import Rule
from treecli.rules.rulelist import SLACK, RuleList
from treecli.rules.text import Antecedents, predicted
from treecli.tree import WEIGHT
from treecli.values import Condition, Interval, Labels, narrow
from treecli.wording import readable

if TYPE_CHECKING:
    from treecli.outcomes.rows import Outcomes

LINEAR = "linear"
"""The kind of a rule's model."""

_LIMITS = {
    "covered": LARGEST_WEIGHT,
    "correct": LARGEST_WEIGHT,
    "confidence": 1.0,
    "prior": 1.0,
    "rmse": LARGEST_VALUE,
}
"""The largest value of each number in a rule; the smallest is 0."""

REPORT_VERSION = 1
"""The `schema_version` of the report; the model file is also a valid report."""


class _ConditionRecord(msgspec.Struct, forbid_unknown_fields=True):
    attribute: str
    labels: list[str] | None = None
    above: float | str | None = None
    at_most: float | str | None = None
    known: bool = True
    missing: bool = False
    unseen: bool = False
    text: str = ""


class _Kept(msgspec.Struct, forbid_unknown_fields=True):
    counts: list[float] | dict[str, float] | None = None
    weight: float | None = None
    mean: float | None = None
    deviance: float | None = None
    median: float | None = None
    deviation: float | None = None


class _RuleRecord(_Kept, forbid_unknown_fields=True):
    conditions: list[_ConditionRecord] = []
    label: str | None = None
    value: float | None = None
    covered: float | None = None
    correct: float | None = None
    confidence: float | None = None
    lift: float | None = None
    prior: float | None = None
    rmse: float | None = None
    mae: float | None = None
    leaf: int | None = None
    model: dict[str, Any] | None = None


class _FileRecord(msgspec.Struct, forbid_unknown_fields=True):
    format: Literal["treecli-model"]
    format_version: Literal[1]
    kind: Literal["rules"]
    schema: SchemaRecord
    settings: dict[str, Any]
    lineage: list[Lineage]
    decide: Literal["first match", "vote"]
    default: _RuleRecord
    rules: list[_RuleRecord]
    cases: _Kept | None = None
    schema_version: Literal[1] = 1
    target: str | None = None


class SetRecord(msgspec.Struct, forbid_unknown_fields=True):
    """One of several sets of rules in a file."""

    default: _RuleRecord
    rules: list[_RuleRecord]
    cases: _Kept | None = None


def set_record(rules: RuleList) -> dict[str, Any]:
    """Return the fields of one of several sets of rules."""
    schema = rules.schema
    record: dict[str, Any] = {"default": _record(rules.default, schema)}
    if rules.outcomes is not None:
        record["cases"] = _kept(rules.outcomes, schema, takes_medians=rules.takes_medians)
    described = []
    for rule in rules.rules:
        columns = [schema.columns[condition.attribute] for condition in rule.conditions]
        own = [
            condition.to_json(column) | {"text": condition.wording(column)}
            for condition, column in zip(rule.conditions, columns, strict=True)
        ]
        described.append({"conditions": own, **_record(rule, schema)})
    return record | {"rules": described}


class SetReader:
    """Reads sets of rules for a nominal target."""

    def __init__(self, schema: Schema) -> None:
        self._reader = _Reader(schema, takes_medians=False)

    def read(self, record: SetRecord, where: str) -> tuple[tuple[Rule, ...], Rule, Outcomes | None]:
        """Return the rules of a set, its default and its class counts; `where` is its place in messages."""
        if record.default.conditions:
            raise ModelError(f"{where}: the default has conditions, expected none")
        numbered = enumerate(record.rules, start=1)
        rules = tuple(self._reader.rule(rule, f"{where}, rule {number}") for number, rule in numbered)
        outcomes = None if record.cases is None else self._reader.outcomes(record.cases, f"{where}: cases")
        return rules, self._reader.rule(record.default, f"{where}: the default"), outcomes


def encoded(heading: RuleList, rules: Iterable[Rule]) -> Iterator[bytes]:
    """Yield the file of a rule list with these rules, which may be generated lazily; one rule per line."""
    encoder = msgspec.json.Encoder()
    schema = heading.schema
    yield from heading_lines(heading, schema_version=REPORT_VERSION, target=schema.target.name)
    fields: dict[str, Any] = {
        "decide": "vote" if heading.votes else "first match",
        "default": _record(heading.default, schema),
    }
    if heading.outcomes is not None:
        fields["cases"] = _kept(heading.outcomes, schema, takes_medians=heading.takes_medians)
    for key, value in fields.items():
        yield encoder.encode(key) + b": " + encoder.encode(value) + b",\n"
    yield b'"rules": [\n'
    conditions = Antecedents(schema, lambda c, a: encoder.encode(c.to_json(a) | {"text": c.wording(a)}).decode())
    separator = b""
    for rule in rules:
        described = encoder.encode(_record(rule, schema))
        asked = ", ".join(conditions.texts(rule)).encode()
        yield separator + b'{"conditions": [' + asked + b"], " + described[1:]
        separator = b",\n"
    yield b"\n]\n}\n"


def _record(rule: Rule, schema: Schema) -> dict[str, Any]:
    """Return the fields of a rule in the file, except its conditions."""
    record = rule.quality(schema)
    if rule.model is not None:
        own = {"kind": LINEAR, **rule.model.to_json(schema.attributes), "text": predicted(rule, schema, readable)}
        record = {"model": own} | {key: value for key, value in record.items() if key != "value"}
    if rule.prior is not None:
        record["prior"] = rule.prior
    if rule.outcomes is not None:
        record |= _kept(rule.outcomes, schema, takes_medians=rule.takes_medians)
    return record


def _kept(outcomes: Outcomes, schema: Schema, *, takes_medians: bool) -> dict[str, Any]:
    if schema.is_classification:
        return {"counts": as_json(outcomes, schema.target.labels)}
    return dict(zip(MEDIAN_KEYS if takes_medians else MEAN_KEYS, outcomes, strict=True))


def rules_of(text: bytes, name: str) -> RuleList:
    """Return the rule list in a JSON file; `name` is the file's name in messages."""
    record = decoded(text, _FileRecord, name)
    schema = schema_of(record.schema, name)
    if record.target not in (None, schema.target.name):
        raise ModelError(f"{name}: the target '{record.target}', but the schema has '{schema.target.name}'")
    settings = settings_of(record.settings, schema, name)
    if record.default.conditions:
        raise ModelError(f"{name}: the default has conditions, expected none")
    reader = _Reader(schema, _takes_medians(record))
    default = reader.rule(record.default, f"{name}: the default")
    rules = tuple(reader.rule(rule, f"{name}: rule {number}") for number, rule in enumerate(record.rules, start=1))
    outcomes = None if record.cases is None else reader.outcomes(record.cases, f"{name}: cases")
    return RuleList(schema, settings, tuple(record.lineage), rules, default, record.decide == "vote", outcomes)


def _takes_medians(record: _FileRecord) -> bool:
    """Return whether the values of the rules are medians, by the keys of their records."""
    kept = [record.default, *record.rules, *([] if record.cases is None else [record.cases])]
    return any(entry.median is not None for entry in kept)


class _Reader:
    """Converts records into rules of a schema."""

    def __init__(self, schema: Schema, takes_medians: bool) -> None:
        self._schema, self._takes_medians = schema, takes_medians
        self._index_of = {attribute.name: index for index, attribute in enumerate(schema.columns)}
        self._code_of = [_codes(attribute) for attribute in schema.columns]
        self._code_of_target = _codes(schema.target)

    def rule(self, record: _RuleRecord, where: str) -> Rule:
        """Return the rule of a record; `where` is its place in messages."""
        merged: dict[int, Condition] = {}
        for entry in record.conditions:
            condition = self._condition(entry, where)
            if condition.attribute in merged:
                raise ModelError(f"{where}: two conditions on '{entry.attribute}', expected one")
            if narrow(merged, condition, self._schema).is_empty:
                raise ModelError(f"{where}: no value satisfies the condition on '{entry.attribute}'")
        for key, most in _LIMITS.items():
            number = getattr(record, key)
            if number is not None and not 0 <= number <= most:
                raise ModelError(f"{where}: '{key}' is {number}, expected a number from 0 to {most:g}")
        outcomes = self.outcomes(record, where)
        self._check_covered(record.covered, outcomes, where)
        rule = Rule(tuple(merged.values()), record.leaf, outcomes, record.covered)
        if not self._schema.is_classification:
            rule = replace(rule, takes_medians=self._takes_medians)
            if record.model is not None:
                if record.value is not None or record.label is not None:
                    raise ModelError(f"{where}: has a 'model' and another prediction, expected one of them")
                return replace(rule, model=self._model(record.model, where), model_error=record.rmse)
            if record.value is None or record.label is not None or not abs(record.value) <= LARGEST_VALUE:
                raise ModelError(
                    f"{where}: needs a 'value', a number from {-LARGEST_VALUE:g} to {LARGEST_VALUE:g}, or a 'model', "
                    "for the target is numeric"
                )
            return replace(rule, value=record.value)
        code = self._code_of_target.get(record.label or "")
        if code is None or record.value is not None or record.model is not None:
            raise ModelError(
                f"{where}: the label '{record.label}', expected one of '{self._schema.target.name}'",
                did_you_mean(str(record.label), self._code_of_target),
            )
        if (record.covered is None) != (record.correct is None) or (record.correct or 0) > (record.covered or 0):
            raise ModelError(f"{where}: 'covered' and 'correct' come together, 'correct' being no larger")
        stated = record.confidence if record.covered is None else None
        return replace(rule, label=code, correct=record.correct, prior=record.prior, stated_confidence=stated)

    def _model(self, record: dict[str, Any], where: str) -> Line:
        """Return the formula in a record."""
        own = {key: value for key, value in record.items() if key not in ("kind", "text")}
        try:
            if record.get("kind") != LINEAR:
                raise ValueError(f"the kind '{record.get('kind')}', expected '{LINEAR}'")
            line = Line.from_json(own, self._schema.attributes)
        except ValueError as error:
            raise ModelError(f"{where}: model: {error}") from error
        if not line.terms:
            raise ModelError(f"{where}: model: has no 'terms'", "a number without terms is a 'value'")
        return line

    def outcomes(self, record: _Kept, where: str) -> Outcomes | None:
        """Return the outcomes in a record, or None if it has none."""
        keys = MEDIAN_KEYS if self._takes_medians else MEAN_KEYS
        of_numbers = {key: getattr(record, key) for key in {*MEAN_KEYS, *MEDIAN_KEYS}}
        given = {key: number for key, number in of_numbers.items() if number is not None}
        if record.counts is None and not given:
            return None
        if self._schema.is_classification:
            if isinstance(record.counts, dict) and not given:
                return self._by_label(record.counts, where)
            if record.counts is None or given or len(record.counts) != self._schema.n_outcomes:
                raise ModelError(f"{where}: needs {self._schema.n_outcomes} 'counts', one for each label of the target")
            kept: list[float] = list(record.counts)  # type: ignore[arg-type]
            if not all(0 <= number <= LARGEST_WEIGHT for number in kept):
                raise ModelError(f"{where}: 'counts' must be from 0 to {LARGEST_WEIGHT:g}")
        else:
            if record.counts is not None or given.keys() != set(keys):
                raise ModelError(f"{where}: needs '{keys[0]}', '{keys[1]}' and '{keys[2]}', for the target is numeric")
            kept = [given[key] for key in keys]
            refusal = wrong_moments(kept, keys)
            if refusal is not None:
                raise ModelError(f"{where}: {refusal}")
        return row_of(kept)

    def _by_label(self, counts: dict[str, float], where: str) -> Outcomes:
        """Return the class weights of which only those above 0 are given."""
        unknown = next((label for label in counts if label not in self._code_of_target), None)
        if unknown is not None:
            raise ModelError(
                f"{where}: counts '{unknown}', which is no label of the target",
                did_you_mean(unknown, self._code_of_target),
            )
        if not all(0 <= number <= LARGEST_WEIGHT for number in counts.values()):
            raise ModelError(f"{where}: 'counts' must be from 0 to {LARGEST_WEIGHT:g}")
        pairs = sorted((self._code_of_target[label], number) for label, number in counts.items())
        return row_with(pairs, self._schema.n_outcomes)

    def _check_covered(self, covered: float | None, outcomes: Outcomes | None, where: str) -> None:
        """Reject a rule whose `covered` differs from the weight of its cases."""
        if covered is None or outcomes is None:
            return
        kept = total(outcomes) if self._schema.is_classification else outcomes[WEIGHT]
        if abs(covered - kept) > SLACK * max(covered, kept):
            key = "counts" if self._schema.is_classification else "weight"
            raise ModelError(f"{where}: 'covered' is {covered:g}, but '{key}' is {kept:g} in all")

    def _condition(self, record: _ConditionRecord, where: str) -> Condition:
        index = self._index_of.get(record.attribute)
        if index is None:
            raise ModelError(
                f"{where}: asks about '{record.attribute}', which the schema does not hold",
                did_you_mean(record.attribute, self._index_of),
            )
        attribute = self._schema.columns[index]
        has_bounds = record.above is not None or record.at_most is not None
        if record.unseen and attribute.is_numeric:
            raise ModelError(f"{where}: '{attribute.name}' is numeric, and numbers are never unseen")
        if record.labels is not None:
            if has_bounds or not record.known or attribute.is_numeric:
                raise ModelError(f"{where}: '{attribute.name}' has 'labels' that do not fit the rest")
            codes = [self._code(label, index, where) for label in record.labels]
            return Labels.of(index, codes, record.missing, record.unseen)
        if attribute.kind == "nominal":
            raise ModelError(f"{where}: '{attribute.name}' is nominal and needs 'labels'")
        if not record.known:
            if has_bounds:
                raise ModelError(f"{where}: '{attribute.name}' is not known and has bounds")
            return Interval.none(index, record.missing, record.unseen)
        low = self._bound(record.above, index, where)
        high = self._bound(record.at_most, index, where)
        low, high = (-inf if low is None else low), (inf if high is None else high)
        return Interval(index, low, high, record.missing, record.unseen)

    def _bound(self, bound: float | str | None, index: int, where: str) -> float | None:
        if bound is None:
            return None
        attribute = self._schema.columns[index]
        if attribute.is_numeric and not isinstance(bound, str) and isfinite(bound):
            return bound
        if attribute.is_numeric or not isinstance(bound, str):
            expected = "a finite number" if attribute.is_numeric else "a label"
            raise ModelError(f"{where}: the bound {bound!r} of '{attribute.name}', expected {expected}")
        return float(self._code(bound, index, where))

    def _code(self, label: str, index: int, where: str) -> int:
        code = self._code_of[index].get(label)
        if code is None:
            name, labels = self._schema.columns[index].name, self._code_of[index]
            raise ModelError(f"{where}: '{label}' is not a label of '{name}'", did_you_mean(label, labels))
        return code


def _codes(attribute: Attribute) -> dict[str, int]:
    return {label: code for code, label in enumerate(attribute.labels)}
