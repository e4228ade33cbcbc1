from __future__ import annotations

from array import array
from dataclasses import replace
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import example_models
from tests.conftest import examples
from tests.rows import Row, decider, holds, rows, said
from treecli.data import Attribute, Schema
from treecli.model import TreeModel
from treecli.rules.lint import MOST_CONFLICTS, Finding, findings
from treecli.rules.rule import Rule
from treecli.rules.rulelist import RuleList, of_tree
from treecli.settings import Settings
from treecli.splits import bins, threshold
from treecli.values import Condition, Interval, Labels

SCHEMA = Schema(
    (
        Attribute("size", "numeric"),
        Attribute("colour", "nominal", ("red", "green", "blue")),
        Attribute("grade", "ordinal", ("low", "mid", "high")),
    ),
    Attribute("verdict", "nominal", ("yes", "no", "maybe")),
)
SIZE, COLOUR, GRADE = range(3)
YES, NO, MAYBE = range(3)

SMALL, LARGE = Interval(SIZE, high=5.0), Interval(SIZE, 5.0)
RED, GREEN, NOT_RED = Labels.of(COLOUR, (0,)), Labels.of(COLOUR, (1,)), Labels.of(COLOUR, (1, 2))


def rule(label: int, *conditions: Condition) -> Rule:
    return Rule(conditions, label=label)


def rule_list(*rules: Rule, default: int = YES, unseen: str = "missing", votes: bool = False) -> RuleList:
    return RuleList(SCHEMA, Settings.of(unseen=unseen), (), rules, Rule((), label=default), votes)


def texts(rules: RuleList) -> list[str]:
    return [finding.text for finding in findings(rules)]


@pytest.mark.parametrize(
    "rules",
    [
        of_tree(example_models.playtennis()),
        of_tree(example_models.iris_like()),
        of_tree(example_models.regression()),
        of_tree(example_models.single_leaf()),
        of_tree(example_models.chain(50)),
        rule_list(rule(NO, SMALL), rule(MAYBE, LARGE)),
        rule_list(rule(NO, replace(SMALL, missing=True)), rule(MAYBE, LARGE, RED), rule(YES, LARGE, NOT_RED)),
        # x is known, and what is missing is left to the default by policy
        rule_list(rule(NO, Interval(SIZE, -inf, inf))),
    ],
)
def test_nothing_is_found_in_a_clean_list(rules: RuleList) -> None:
    assert findings(rules) == []


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (
            rule_list(rule(NO, SMALL), rule(NO, LARGE), rule(MAYBE, RED, Interval(SIZE, 1.0, 9.0))),
            "unreachable: rule 3: rules 1, 2 take all its rows",
        ),
        (
            rule_list(rule(NO, SMALL), rule(MAYBE, LARGE), rule(NO, SMALL)),
            "unreachable: rule 3: rule 1 takes all its rows",
        ),
        (
            rule_list(rule(NO, SMALL), rule(MAYBE, LARGE), rule(NO, RED, Interval.none(SIZE))),
            "unreachable: rule 3: no value satisfies its conditions",
        ),
        (
            # Large is no, whatever the colour; where it is missing the default says no too.
            rule_list(rule(MAYBE, SMALL), rule(NO, LARGE, RED), rule(NO, LARGE, NOT_RED), default=NO),
            "redundant: rule 2: without the condition colour = red the list would predict the same",
        ),
        (
            # In conflict with the first over red ones of (2, 5] anyway; those up to 2 are the first rule's as well.
            rule_list(rule(NO, SMALL), rule(MAYBE, RED, Interval(SIZE, 2.0, inf, missing=True))),
            "redundant: rule 2: without the condition size > 2 or missing the list would predict the same",
        ),
        (
            rule_list(rule(NO, SMALL), rule(MAYBE, LARGE), rule(NO, RED)),
            "conflict: rules 2, 3: they say maybe and no of the same rows (the first decides), e.g. size = 6, colour = "
            "red",
        ),
        (
            rule_list(rule(NO, SMALL), rule(MAYBE, Interval(SIZE, 7.0))),
            "default: rows that satisfy no rule are left to the default, yes, e.g. size = 7",
        ),
        (
            rule_list(rule(NO, SMALL), rule(MAYBE, LARGE), rule(YES, RED, Interval(SIZE, missing=True))),
            "conflict: rules 1, 3: they say no and yes of the same rows (the first decides), e.g. size = 0, colour = "
            "red",
        ),
    ],
)
def test_a_planted_defect_is_found(rules: RuleList, expected: str) -> None:
    assert any(text.startswith(expected) for text in texts(rules)), texts(rules)


def test_a_gap_in_the_missing_values_is_found_where_a_rule_asks_for_them() -> None:
    # Somebody thought of a missing size: of red ones.
    rules = rule_list(rule(NO, SMALL), rule(MAYBE, LARGE), rule(NO, Interval.none(SIZE, missing=True), RED))
    assert texts(rules) == [
        "default: rows that satisfy no rule are left to the default, yes, e.g. size missing, colour = green"
    ]


def test_the_default_is_reported_with_its_share_of_the_cases() -> None:
    default = Rule((), outcomes=array("d", (3, 1, 0)), covered=4.0, label=YES, correct=3.0)
    rules = replace(rule_list(rule(NO, SMALL)), default=default, outcomes=array("d", (3, 13, 0)))
    (found,) = findings(rules)
    assert found.text == (
        "default: rows that satisfy no rule are left to the default, yes, 4 of 16 cases (25.0%), e.g. size = 6"
    )
    assert found.share == 0.25
    assert not found.is_defect


def test_a_finding_as_json_has_all_that_scripts_need() -> None:
    (found,) = findings(rule_list(rule(NO, SMALL), rule(MAYBE, LARGE), rule(NO, Labels.of(GRADE, (2,)), LARGE)))[:1]
    assert found.to_json() == {
        "kind": "unreachable",
        "rules": [3],
        "message": "rule 2 takes all its rows",
        "witness": None,
        "share": None,
        "is_defect": True,
        "text": "unreachable: rule 3: rule 2 takes all its rows",
    }
    conflict = findings(rule_list(rule(NO, SMALL, Labels.of(GRADE, (1,))), rule(MAYBE, RED)))[0]
    assert conflict.witness == {"size": 0.0, "colour": "red", "grade": "mid"}


def test_rules_that_vote_are_all_reachable_and_their_conflicts_are_reported() -> None:
    voting = rule_list(rule(NO, SMALL), rule(NO, LARGE), rule(MAYBE, RED), rule(MAYBE, RED), votes=True)
    assert [finding.kind for finding in findings(voting)] == ["conflict"] * 4
    assert "(both vote)" in texts(voting)[0]


def test_a_condition_that_keeps_a_rule_out_of_another_s_way_is_not_redundant() -> None:
    # Without LARGE the second rule would say no of small ones too, which the first takes: no prediction changes, but
    # it would be true no longer wherever it stands.
    rules = rule_list(rule(MAYBE, replace(SMALL, missing=True)), rule(NO, LARGE))
    assert findings(rules) == []


def test_more_conflicts_than_anyone_reads_are_counted() -> None:
    # 50 rules that say no and 50 that say maybe, all with rows in common: 2500 pairs, of which 1000 are named.
    rules = [rule(NO, Interval(SIZE, high=float(n))) for n in range(50)]
    rules += [rule(MAYBE, Interval(SIZE, high=100.0 + n)) for n in range(50)]
    found = [finding for finding in findings(rule_list(*rules, votes=True)) if finding.kind == "conflict"]
    assert len(found) == MOST_CONFLICTS + 1
    assert found[-1].text == "conflict: 1500 more pairs of rules that say different things of some rows"


def test_ten_thousand_rules_are_checked() -> None:
    # 100 bins of x by 100 of y, and one rule more, which the others leave nothing.
    schema = Schema((Attribute("x", "numeric"), Attribute("y", "numeric")), Attribute("z", "nominal", ("a", "b")))
    bounds = tuple(float(n) for n in range(1, 100))
    columns = tuple(
        example_models.Inner(bins.Split(1, bounds), tuple(((1.0, 0.0), (0.0, 1.0))[(x + y) % 2] for y in range(100)))
        for x in range(100)
    )
    rules = of_tree(example_models.model_of(schema, example_models.Inner(bins.Split(0, bounds), columns)))
    assert findings(rules) == []
    planted = replace(rules, rules=(*rules.rules, Rule((Interval(0, 7.5, 9.5), Interval(1, 3.0, 4.0)), label=0)))
    # x of (7, 8], (8, 9] and (9, 10] are the bins 7, 8 and 9, and (3, 4] is the bin 3 of y: rules 704, 804 and 904.
    assert texts(planted) == ["unreachable: rule 10001: rules 704, 804, 904 take all its rows"]


@st.composite
def _conditions(draw: st.DrawFn) -> tuple[Condition, ...]:
    found: list[Condition] = []
    flag = st.booleans()
    if draw(flag):
        low, high = sorted(draw(st.tuples(*[st.sampled_from((-inf, 1.0, 2.0, inf))] * 2)))
        found.append(Interval(SIZE, low, high, draw(flag)))
    if draw(flag):
        found.append(Labels.of(COLOUR, tuple(sorted(draw(st.sets(st.integers(0, 2))))), draw(flag), draw(flag)))
    if draw(flag):
        low, high = sorted(draw(st.tuples(*[st.sampled_from((-inf, 0.0, 1.0, inf))] * 2)))
        found.append(Interval(GRADE, low, high, draw(flag), draw(flag)))
    return tuple(found)


@st.composite
def rule_lists(draw: st.DrawFn) -> tuple[RuleList, list[Row]]:
    rules = [rule(draw(st.integers(0, 1)), *draw(_conditions())) for _ in range(draw(st.integers(0, 5)))]
    unseen = draw(st.sampled_from(("missing", "majority")))
    found = rule_list(*rules, default=draw(st.integers(0, 1)), unseen=unseen)
    return found, rows(SCHEMA, rules)


def _of_kind(found: list[Finding], kind: str) -> list[Finding]:
    return [finding for finding in found if finding.kind == kind]


@given(rule_lists())
def test_exactly_the_rules_that_decide_no_row_are_unreachable(drawn: tuple[RuleList, list[Row]]) -> None:
    rules, points = drawn
    deciding = {decider(rules, point) + 1 for point in points}
    found = {finding.rules[0] for finding in _of_kind(findings(rules), "unreachable")}
    assert found == set(range(1, len(rules.rules) + 1)) - deciding


@given(rule_lists())
def test_exactly_the_reachable_rules_that_hold_for_one_row_and_disagree_are_in_conflict(
    drawn: tuple[RuleList, list[Row]],
) -> None:
    rules, points = drawn
    policy = rules.settings.predicting.unseen
    reachable = {decider(rules, point) for point in points}
    pairs = set()
    for point in points:
        holding = [n for n, each in enumerate(rules.rules) if n in reachable and holds(each.conditions, point, policy)]
        pairs |= {
            (one + 1, other + 1)
            for one in holding
            for other in holding
            if one < other and rules.rules[one].label != rules.rules[other].label
        }
    found = _of_kind(findings(rules), "conflict")
    assert {finding.rules for finding in found} == pairs
    for finding in found:
        row = _row(finding)
        assert all(holds(rules.rules[number - 1].conditions, row, policy) for number in finding.rules)


def _row(finding: Finding) -> Row:
    """The witness as a row; what it does not name does not matter."""
    assert finding.witness is not None
    row: list[float | str | None] = []
    for attribute in SCHEMA.attributes:
        value = finding.witness.get(attribute.name)
        if isinstance(value, str):
            row.append(float(attribute.labels.index(value)) if value in attribute.labels else "unseen")
        else:
            row.append(value)
    return tuple(row)


@given(rule_lists())
def test_exactly_the_conditions_without_which_nothing_changes_are_redundant(drawn: tuple[RuleList, list[Row]]) -> None:
    rules, points = drawn
    reachable = {decider(rules, point) for point in points}
    expected = []
    for number, whole in enumerate(rules.rules):
        for condition in whole.conditions if number in reachable else ():
            kept = tuple(other for other in whole.conditions if other is not condition)
            changed = [*rules.rules[:number], replace(whole, conditions=kept), *rules.rules[number + 1 :]]
            shorter = replace(rules, rules=tuple(changed))
            is_same = all(said(shorter, point) == said(rules, point) for point in points)
            if is_same and _rivals(shorter, number, points) & reachable == _rivals(rules, number, points) & reachable:
                text = condition.wording(SCHEMA.attributes[condition.attribute])
                expected.append((number + 1, f"without the condition {text} the list would predict the same"))
    found = _of_kind(findings(rules), "redundant")
    assert [(finding.rules[0], finding.message) for finding in found] == expected


def _rivals(rules: RuleList, number: int, points: list[Row]) -> set[int]:
    """The rules that contradict one rule on a row that satisfies both."""
    policy, own = rules.settings.predicting.unseen, rules.rules[number]
    inside = [point for point in points if holds(own.conditions, point, policy)]
    return {
        other
        for other, each in enumerate(rules.rules)
        if each.label != own.label and any(holds(each.conditions, point, policy) for point in inside)
    }


@given(rule_lists())
def test_a_row_left_to_the_default_satisfies_no_rule_and_none_known_is_overlooked(
    drawn: tuple[RuleList, list[Row]],
) -> None:
    rules, points = drawn
    found = _of_kind(findings(rules), "default")
    if found:
        assert decider(rules, _row(found[0])) == len(rules.rules)
    else:
        known = [point for point in points if all(isinstance(value, float) for value in point)]
        assert all(decider(rules, point) < len(rules.rules) for point in known)


@settings(max_examples=examples(50))
@given(example_models.models())
def test_the_rules_of_a_tree_are_reachable_and_in_no_conflict(model: TreeModel) -> None:
    found = findings(of_tree(model))
    assert not _of_kind(found, "unreachable")
    assert not _of_kind(found, "conflict")


def test_two_leaves_with_the_same_prediction_make_their_conditions_redundant() -> None:
    root = example_models.Inner(threshold.Split(0, 5.0), ((4.0, 1.0, 0.0), (3.0, 0.0, 0.0)), missing_to=0)
    assert texts(of_tree(example_models.model_of(SCHEMA, root))) == [
        "redundant: rule 1: without the condition size <= 5 or missing the list would predict the same",
        "redundant: rule 2: without the condition size > 5 the list would predict the same",
    ]
