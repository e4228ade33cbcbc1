"""Injected faults that `--verify` must detect: in the intermediate form, and in the exported text."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, nextafter

import pytest

from tests.exporters.models import MODELS, verified
from tests.exporters.test_every_exporter import needs
from treecli import plugins
from treecli.errors import CheckError
from treecli.exporters import Options
from treecli.model import Model, TreeModel
from treecli.models import program_of
from treecli.predict.program import Program, Step
from treecli.rules.rulelist import RuleList
from treecli.values import Condition, Interval

AnyModel = Model

USERS = ("treecli.exporters._code", "treecli.exporters.sql", "treecli.exporters.pmml", "treecli.exporters.onnx")
"""The modules of exporters that call program_of."""


def is_caught(target: str, text: str | bytes, model: AnyModel, options: Options) -> bool:
    """Whether verification finds that an artefact and its model differ, on the probes alone."""
    try:
        verified(target, text, model, options)
    except CheckError:
        return True
    return False


# Faults in the intermediate form. Some are planted as the program of another model.


def of_tree(change: Callable[[TreeModel], None]) -> Callable[[AnyModel], Program]:
    """A fault: the program of the model after a change."""

    def fault(model: AnyModel) -> Program:
        assert isinstance(model, TreeModel)
        other = replace(model, tree=model.tree.rearranged(_tests(model), array("d", model.tree.outcomes)))
        change(other)
        return program_of(other)

    return fault


def _tests(model: TreeModel) -> list[int]:
    return [-1 if model.tree.is_leaf(node) else node for node in range(model.tree.n_nodes)]


def drop_surrogate(node: int, place: int) -> Callable[[AnyModel], Program]:
    def change(model: TreeModel) -> None:
        own = model.tree.surrogates[node]
        model.tree.surrogates[node] = own[:place] + own[place + 1 :]

    return of_tree(change)


def swap_sides(node: int, place: int) -> Callable[[AnyModel], Program]:
    def change(model: TreeModel) -> None:
        own = list(model.tree.surrogates[node])
        own[place] = replace(own[place], branches=own[place].branches[::-1])
        model.tree.surrogates[node] = tuple(own)

    return of_tree(change)


def swap_surrogates(node: int, place: int) -> Callable[[AnyModel], Program]:
    def change(model: TreeModel) -> None:
        own = list(model.tree.surrogates[node])
        own[place], own[place + 1] = own[place + 1], own[place]
        model.tree.surrogates[node] = tuple(own)

    return of_tree(change)


def nudge_surrogate(node: int, place: int, towards: float) -> Callable[[AnyModel], Program]:
    def change(model: TreeModel) -> None:
        own = list(model.tree.surrogates[node])
        split = own[place].split
        own[place] = replace(own[place], split=replace(split, number=nextafter(split.number, towards)))  # type: ignore[type-var]
        model.tree.surrogates[node] = tuple(own)

    return of_tree(change)


def send_missing(node: int, branch: int) -> Callable[[AnyModel], Program]:
    def change(model: TreeModel) -> None:
        model.tree.missing_to[node] = branch

    return of_tree(change)


def reweigh(node: int, outcomes: tuple[float, ...]) -> Callable[[AnyModel], Program]:
    """Another majority, or other shares."""

    def change(model: TreeModel) -> None:
        n = model.tree.n_outcomes
        model.tree.outcomes[node * n : node * n + n] = array("d", outcomes)

    return of_tree(change)


def with_settings(**changed: object) -> Callable[[AnyModel], Program]:
    return lambda model: program_of(replace(model, settings=model.settings.changed(**changed)))


def of_program(change: Callable[[Program], Program]) -> Callable[[AnyModel], Program]:
    return lambda model: change(program_of(model))


def every_value(change: Callable[[Condition], Condition]) -> Callable[[AnyModel], Program]:
    """A fault in every test of the program."""

    def changed(program: Program) -> Program:
        steps = [
            tuple(replace(step, test=tuple(tuple(map(change, member)) for member in step.test)) for step in own)
            for own in program.steps
        ]
        return replace(program, steps=steps)

    return of_program(changed)


def at_step(node: int, place: int, change: Callable[[Step], Step]) -> Callable[[AnyModel], Program]:
    """A fault in one step of the program."""

    def changed(program: Program) -> Program:
        steps = list(program.steps)
        own = list(steps[node])
        own[place] = change(own[place])
        steps[node] = tuple(own)
        return replace(program, steps=steps)

    return of_program(changed)


def at_value(node: int, place: int, change: Callable[[Condition], Condition]) -> Callable[[AnyModel], Program]:
    """A fault in the first test of one step."""

    def changed(step: Step) -> Step:
        (first, *others), *members = step.test
        return replace(step, test=((change(first), *others), *members))

    return at_step(node, place, changed)


def nudged(towards: float) -> Callable[[Condition], Condition]:
    return lambda v: replace(v, high=nextafter(v.high, towards)) if isinstance(v, Interval) and v.high < inf else v


def not_missing(values: Condition) -> Condition:
    return replace(values, missing=False)


def swap_labels(first: int, second: int) -> Callable[[AnyModel], Program]:
    def changed(program: Program) -> Program:
        label, prediction = list(program.label), list(program.prediction)
        label[first], label[second] = label[second], label[first]
        prediction[first], prediction[second] = prediction[second], prediction[first]
        return replace(program, label=label, prediction=prediction)

    return of_program(changed)


def predicted(node: int, change: Callable[[float], float]) -> Callable[[AnyModel], Program]:
    def changed(program: Program) -> Program:
        numbers = [list(own) for own in program.prediction]
        numbers[node] = [change(number) for number in numbers[node]]
        return replace(program, prediction=numbers)

    return of_program(changed)


def of_rules(change: Callable[[RuleList], RuleList]) -> Callable[[AnyModel], Program]:
    def fault(model: AnyModel) -> Program:
        assert isinstance(model, RuleList)
        return program_of(change(model))

    return fault


def swap_rules(place: int) -> Callable[[AnyModel], Program]:
    def change(model: RuleList) -> RuleList:
        rules = list(model.rules)
        rules[place], rules[place + 1] = rules[place + 1], rules[place]
        return replace(model, rules=tuple(rules))

    return of_rules(change)


def drop_condition(place: int, condition: int) -> Callable[[AnyModel], Program]:
    def change(model: RuleList) -> RuleList:
        rules = list(model.rules)
        conditions = rules[place].conditions
        rules[place] = replace(rules[place], conditions=conditions[:condition] + conditions[condition + 1 :])
        return replace(model, rules=tuple(rules))

    return of_rules(change)


def drop_rule(place: int) -> Callable[[AnyModel], Program]:
    return of_rules(lambda model: replace(model, rules=model.rules[:place] + model.rules[place + 1 :]))


@dataclass(frozen=True)
class Fault:
    """A fault, the model in which it is planted, and whether only probabilities can show it."""

    model: str
    program: Callable[[AnyModel], Program]
    needs_proba: bool = False


FAULTS = {
    **{f"surrogate {place} dropped": Fault("five surrogates", drop_surrogate(0, place)) for place in range(5)},
    **{
        f"surrogate {place} with its sides swapped": Fault("five surrogates", swap_sides(0, place))
        for place in range(5)
    },
    **{
        f"surrogates {place} and next swapped": Fault("five surrogates", swap_surrogates(0, place))
        for place in range(4)
    },
    "surrogate below another dropped": Fault("five surrogates", drop_surrogate(1, 0)),
    "second surrogate below another dropped": Fault("five surrogates", drop_surrogate(1, 1)),
    "surrogate of another node with its sides swapped": Fault("five surrogates", swap_sides(1, 1)),
    "surrogate's threshold one ulp up": Fault("five surrogates", nudge_surrogate(0, 0, inf)),
    "last surrogate's threshold one ulp down": Fault("five surrogates", nudge_surrogate(0, 4, -inf)),
    "missing value behind all surrogates": Fault("five surrogates", send_missing(0, 1)),
    "missing value behind all surrogates of a lower node": Fault("five surrogates", send_missing(1, 0)),
    "threshold one ulp up": Fault("thresholds", at_value(0, 0, nudged(inf))),
    "threshold one ulp down, so < for <=": Fault("thresholds", at_value(3, 0, nudged(-inf))),
    "every threshold one ulp up": Fault("thresholds", every_value(nudged(inf))),
    "threshold of 32 bits one ulp up": Fault("single precision", at_value(0, 0, nudged(inf))),
    "bound between bins one ulp up": Fault("precise", at_value(0, 3, nudged(inf))),
    "missing to the other branch": Fault("thresholds", send_missing(0, 1)),
    "missing to one branch in place of all": Fault("regression", send_missing(0, 0)),
    "missing to all branches in place of one": Fault("regression, one branch", send_missing(0, -1)),
    "missing stays": Fault("every kind, one branch", send_missing(0, -2)),
    "missing goes on where it stays": Fault("every kind, stays", send_missing(0, 1)),
    "missing goes nowhere": Fault("thresholds", at_value(0, 0, not_missing)),
    "label to the wrong branch": Fault("multiway", at_value(0, 0, lambda v: replace(v, bits=0b011))),
    "label dropped": Fault("every kind, one branch", at_value(2, 0, lambda v: replace(v, bits=0b100))),
    "unseen label as a missing one": Fault("one branch, unseen majority", with_settings(unseen="missing")),
    "unseen label to no branch": Fault("one branch, unseen majority", every_value(lambda v: replace(v, unseen=False))),
    "majority side swapped": Fault("one branch, unseen majority", reweigh(6, (0.0, 99.0, 0.0))),
    "labels of two leaves swapped": Fault("thresholds", swap_labels(1, 4)),
    "label of the node where rows stay": Fault("every kind, stays", swap_labels(0, 4)),
    "wrong fractional share": Fault("regression", at_step(0, 0, lambda step: replace(step, share=step.share * 1.0001))),
    "fractional share of a label too large": Fault(
        "every kind", at_step(0, 0, lambda step: replace(step, share=step.share * 1.1))
    ),
    "fractional shares swapped": Fault("regression", reweigh(1, (8.0, 12.0, 8.0))),
    "wrong fractional share of a class": Fault(
        "fractional", at_step(0, 0, lambda step: replace(step, share=nextafter(step.share, inf))), needs_proba=True
    ),
    "predicted number one ulp up": Fault("precise", predicted(4, lambda number: nextafter(number, inf))),
    "predicted number rounded to 32 bits": Fault("precise", predicted(7, lambda number: 123456792.0)),
    "probability rounded": Fault("thresholds", predicted(8, lambda number: round(number, 6)), needs_proba=True),
    "costs left out": Fault("costs, fractional", of_program(lambda program: replace(program, costs=None))),
    "rules swapped": Fault("rules, overlapping", swap_rules(0)),
    "later rules swapped": Fault("rules, overlapping", swap_rules(2)),
    "rule dropped": Fault("rules, overlapping", drop_rule(1)),
    **{
        f"condition {condition} of rule {place} dropped": Fault("rules, overlapping", drop_condition(place, condition))
        for place in range(4)
        for condition in range(2)
    },
    "default changed": Fault("rules, overlapping", of_rules(lambda m: replace(m, default=replace(m.default, label=2)))),
    "bound of a rule one ulp up": Fault("rules, overlapping", at_value(2, 0, nudged(inf))),
    "missing value not taken by a rule": Fault("rules, overlapping", at_value(6, 0, not_missing)),
}


@pytest.mark.parametrize("target", ["python", "sql"])
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_the_intermediate_form_is_caught(name: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = FAULTS[name]
    model: AnyModel = MODELS[fault.model]()
    if fault.needs_proba and target == "sql":
        target = "c"  # SQL gives no probabilities
    needs(target, Options())
    options = Options(proba=fault.needs_proba)
    text = plugins.load("exporters", target).export(model, options)
    for user in (*USERS, "treecli.verifiers"):
        monkeypatch.setattr(f"{user}.program_of", lambda model, refuses_missing: fault.program(model))
    faulty = plugins.load("exporters", target).export(model, options)
    assert faulty != text
    assert is_caught(target, faulty, model, options)


# Faults in the exported text.

TEXT_FAULTS = [
    ("python", "thresholds", "petalwidth <= 0.6", "petalwidth < 0.6"),
    ("python", "thresholds", "petallength <= 4.9", "petallength <= 4.900000000000001"),
    ("python", "thresholds", " or isnan(petallength)", ""),
    ("python", "thresholds", "'Iris-versicolor'  # 2", "'Iris-virginica'  # 2"),
    ("python", "precise", "0.3333333333333333", "0.333333333333333"),
    ("python", "fractional", "total.index(max(total))", "total.index(min(total))"),
    ("python", "hostile", "back\\\\slash", "backslash"),
    ("python", "unseen error", "raise ValueError", "str"),
    ("python", "derived, one branch", "derived_1_2 <= 0.3", "derived_1_2 < 0.3"),
    ("python", "derived, one branch", "0.3333333333333333 * a", "0.33333333333333 * a"),
    ("python", "derived, one branch", "a + -0.1 * derived_1 + 1e-05 * times", "a + (-0.1 * derived_1 + 1e-05 * times)"),
    ("python", "derived, one branch", "nan if colour is None", "0.0 if colour is None"),
    ("python", "leaf models", "0.7 if isnan(a)", "0.6 if isnan(a)"),
    ("python", "leaf models", "-1.0 + 0.1", "0.1"),
    ("sql", "derived, one branch", "ELSE 0.0 END END", "ELSE 0.0 END ELSE 0.0 END"),
    ("javascript", "thresholds", "petalwidth <= 0.6", "petalwidth < 0.6"),
    ("javascript", "regression", "isNaN", "!isNaN"),
    ("c", "thresholds", "petalwidth <= 0.6", "petalwidth < 0.6"),
    ("c", "thresholds", "petalwidth <= 1.7", "petalwidth <= 1.7f"),
    ("c", "precise", "0.3333333333333333", "0.333333"),
    ("c", "unseen error", "return NULL", "(void)0"),
    ("c", "white space", '"a ",', '"a",'),
    ("sql", "thresholds", "`petalwidth` <= 0.6", "`petalwidth` < 0.6"),
    ("sql", "thresholds", " OR `petallength` IS NULL", ""),
    ("sql", "thresholds", "<= 4.9 ", "<= 4.900000000000001 "),
    ("sql", "hostile", "'it''s'", "'its'"),
    ("sql", "white space", " COLLATE BINARY", " COLLATE RTRIM"),
    ("sql", "multiway", " COLLATE BINARY", " COLLATE NOCASE"),
    ("sql", "rules", "'Yes'", "'No'"),
    ("sql duckdb", "thresholds", '"petalwidth" <= 0.6e0', '"petalwidth" < 0.6e0'),
    ("sql duckdb", "thresholds", " OR \"petalwidth\" = 'NaN'::DOUBLE", ""),
    ("sql duckdb", "multiway", " COLLATE C", " COLLATE NOCASE"),
    ("sql duckdb", "regression", "\"area\" = 'NaN'", "\"area\" <> 'NaN'"),
]


@pytest.mark.parametrize(("target", "name", "right", "wrong"), TEXT_FAULTS)
def test_a_fault_in_the_text_is_caught(target: str, name: str, right: str, wrong: str) -> None:
    language, _, dialect = target.partition(" ")
    options = Options(dialect=dialect or None)
    needs(language, options)
    model: AnyModel = MODELS[name]()
    text = plugins.load("exporters", language).export(model, options)
    assert right in text
    assert is_caught(language, text.replace(right, wrong), model, options)


@pytest.mark.parametrize("name", sorted({fault.model for fault in FAULTS.values()}))
def test_without_a_fault_nothing_is_caught(name: str) -> None:
    model: AnyModel = MODELS[name]()
    for target in ("python", "sql"):
        assert not is_caught(target, plugins.load("exporters", target).export(model, Options()), model, Options())
