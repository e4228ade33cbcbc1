"""Explanations as JSON facts, in full precision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treecli.commands._narration import Narrator, rule_text, spoken
from treecli.commands._votes import set_facts, vote_facts
from treecli.explain.ensembleexplanation import EnsembleExplanation
from treecli.explain.explanation import Explained, Explanation, Step, Warned
from treecli.explain.ruleexplanation import RuleExplanation
from treecli.explain.rulesetsexplanation import RulesetsExplanation
from treecli.model import MEAN_KEYS, MEDIAN_KEYS

if TYPE_CHECKING:
    from treecli.explain.nearness import Flip
    from treecli.model import Model, TreeModel


def facts_of(model: Model, explained: Explained, *, by_tree: bool = False) -> dict[str, Any]:
    """All facts of an explanation; `by_tree`: with the votes of the trees of an ensemble."""
    labels, grounds = model.schema.target.labels, explained.grounds
    facts: dict[str, Any] = {"prediction": explained.said, "cases": grounds.cases}
    if labels:
        facts["probabilities"] = dict(zip(labels, explained.probabilities, strict=True))
        facts["intervals95"] = dict(zip(labels, grounds.intervals, strict=True))
    else:
        (facts["interval95"],) = grounds.intervals
    if isinstance(explained, RuleExplanation):
        facts |= _of_rules(explained)
    elif isinstance(explained, Explanation):
        facts |= _of_path(explained)
    elif isinstance(explained, EnsembleExplanation):
        facts |= vote_facts(explained, by_tree=by_tree)
    elif isinstance(explained, RulesetsExplanation):
        facts |= set_facts(explained)
    facts["flags"] = [_flag(warned) for warned in explained.flags]
    return facts


def flip_facts(model: Model, label: str, flip: Flip | None) -> dict[str, Any]:
    """The changes that reach a label; None if no change does."""
    if flip is None:
        return {"to": label, "changes": None, "distance": None}
    narrator = Narrator(model)
    changes = []
    for change in flip.changes:
        attribute = model.schema.columns[change.attribute]
        is_numeric = attribute.is_numeric
        record = change.condition.to_json(attribute) | {"text": narrator.change_text(change)}
        record["value"] = change.value if is_numeric else attribute.labels[int(change.value)]
        changes.append(record | ({"nearest": change.nearest} if is_numeric else {}))
    return {"to": label, "changes": changes, "distance": flip.distance}


def _of_path(explained: Explanation) -> dict[str, Any]:
    ends = []
    for end in explained.ends:
        cases, prediction = spoken(end, explained.model)
        own = {} if end.formula is None else {"formula": end.formula.to_json()}
        ends.append({"node": end.node, "share": end.share, "cases": cases, "prediction": prediction, **own})
    return {"path": [_step(step, explained.model) for step in explained.steps], "ends": ends}


def _step(step: Step, model: TreeModel) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "node": step.node,
        "question": step.question,
        "attribute": step.given.attribute.name,
        "value": step.given.value,
        "by": step.reason,
    }
    if step.asked_instead is not None:
        question, given = step.asked_instead
        facts["asked_instead"] = {"question": question, "attribute": given.attribute.name, "value": given.value}
    facts["branches"] = []
    for way in step.ways:
        if model.schema.is_classification:
            kept: dict[str, Any] = {"counts": dict(zip(model.schema.target.labels, way.outcomes, strict=True))}
        else:
            kept = dict(zip(MEDIAN_KEYS if model.takes_medians else MEAN_KEYS, way.outcomes, strict=True))
        facts["branches"].append({"condition": way.condition, "node": way.node, "share": way.share, **kept})
    return facts


def _of_rules(explained: RuleExplanation) -> dict[str, Any]:
    rules = explained.rules
    own = {} if explained.formula is None else {"formula": explained.formula.to_json()}
    return own | {
        "rule": explained.number,
        "conditions": [
            {"text": text, "attribute": given.attribute.name, "value": given.value} for text, given in explained.checks
        ],
        "rules_that_hold": [
            {"rule": number, "text": rule_text(rules, number), **rules.rules[number - 1].quality(rules.schema)}
            for number in explained.holding
        ],
    }


def _flag(warned: Warned) -> dict[str, Any]:
    given = warned.given
    facts: dict[str, Any] = {
        "flag": warned.flag,
        "attribute": given.attribute.name,
        "value": given.value,
        "asked": warned.is_asked,
    }
    if warned.flag == "out-of-range" and given.attribute.range is not None:
        facts["range"] = list(given.attribute.range)
    return facts
