"""Boosted sets of rules; the file has a set a line, and docs/model.md describes the format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from treecli.errors import ModelError, UsageError
from treecli.model import Lineage
from treecli.models._heading import SchemaRecord, decoded, heading_lines, schema_of
from treecli.models._rulerecords import SetReader, SetRecord, set_record
from treecli.models._settings import settings_of
from treecli.rules import rulelist
from treecli.rules.rulelist import RuleList
from treecli.rules.rulesets import Ruleset, RulesetsModel, rulesets_answers
from treecli.rules.text import predicted
from treecli.wording import readable

if TYPE_CHECKING:
    from treecli.data import Column, Dataset, FloatArray
    from treecli.explain.explanation import RowOf
    from treecli.explain.rulesetsexplanation import RulesetsExplanation
    from treecli.predict.program import Program
    from treecli.values import Condition

TITLE = "a boosted ensemble of rulesets"
TREE_HINT = "'treecli show' prints all sets, 'treecli rules --set 1' the first as a rule list"


class _ModelRecord(msgspec.Struct, forbid_unknown_fields=True):
    format: str
    format_version: int
    kind: Literal["rulesets"]
    schema: SchemaRecord
    settings: dict[str, Any]
    lineage: list[Lineage]
    rulesets: list[SetRecord]


def encode(model: RulesetsModel) -> Iterator[bytes]:
    """Yield the model file in pieces: one set of rules per line."""
    yield from heading_lines(model)
    yield b'"rulesets": [\n'
    encoder = msgspec.json.Encoder()
    for place, member in enumerate(model.members()):
        yield (b",\n" if place else b"") + encoder.encode(set_record(member))
    yield b"\n]\n}\n"


def decode(text: bytes, name: str) -> RulesetsModel:
    """Return the sets of rules in a JSON file; `name` is the file's name in messages."""
    record = decoded(text, _ModelRecord, name)
    schema = schema_of(record.schema, name)
    settings = settings_of(record.settings, schema, name)
    if not schema.is_classification:
        raise ModelError(f"{name}: the target '{schema.target.name}' is numeric, but sets of rules vote for labels")
    if not record.rulesets:
        raise ModelError(f"{name}: rulesets: there is none")
    reader = SetReader(schema)
    sets = [reader.read(own, f"{name}: set {number}") for number, own in enumerate(record.rulesets, start=1)]
    return RulesetsModel(schema, settings, tuple(record.lineage), tuple(Ruleset(*own) for own in sets))


def answers(model: RulesetsModel, dataset: Dataset, jobs: int | None = None) -> tuple[Column, FloatArray]:
    return rulesets_answers(model, dataset, jobs)


def rule_sets(model: RulesetsModel) -> list[RuleList]:
    return list(model.members())


def n_leaves(model: RulesetsModel) -> int:
    """Return the number of rules, without the defaults."""
    return sum(len(own.rules) for own in model.sets)


def columns_used(model: RulesetsModel) -> list[int]:
    return sorted({column for member in model.members() for column in rulelist.columns_used(member)})


def conditions(model: RulesetsModel) -> Iterator[Condition]:
    return (condition for own in model.sets for rule in own.rules for condition in rule.conditions)


def facts(model: RulesetsModel) -> dict[str, Any]:
    schema = model.schema
    asked = [condition.attribute for condition in conditions(model)]
    return {
        "kind": model.KIND,
        "rulesets": len(model.sets),
        "rules": n_leaves(model),
        "conditions": len(asked),
        "default": [predicted(own.default, schema, readable) for own in model.sets],
        "target": schema.target.name,
        "labels": list(schema.target.labels),
        "attributes": [
            {"name": attribute.name, "kind": attribute.kind, "conditions": asked.count(index)}
            for index, attribute in enumerate(schema.columns)
        ],
    }


def with_missing(model: RulesetsModel, policy: str, name: str) -> RulesetsModel:
    """Return the model itself if missing values are to be an error; reject all other policies."""
    if policy == "error":
        return model
    raise UsageError(
        f"--missing {policy}: {name} has sets of rules, and each condition says whether a missing value satisfies it",
        "leave it out",
    )


def program(model: RulesetsModel) -> Program:
    raise UsageError(
        f"the {len(model.sets)} rulesets decide by vote, which cannot be exported",
        "export boosted trees (train without --rulesets), or one tree that imitates the rules (treecli distill)",
    )


def probes(model: RulesetsModel) -> Dataset:
    from treecli.rules.probes import probes

    first = model.member(0)
    return probes(replace(first, rules=tuple(rule for own in model.sets for rule in own.rules)))


def explainer(model: RulesetsModel) -> Callable[[RowOf], RulesetsExplanation]:
    from treecli.explain.rulesetsexplanation import explain_rulesets

    return partial(explain_rulesets, model)
