from __future__ import annotations

from array import array
from dataclasses import replace
from itertools import permutations
from math import inf, nextafter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import example_models
from tests.conftest import examples
from tests.rows import Row, decider, rows, said
from treecli.data import Attribute, Schema
from treecli.errors import UsageError
from treecli.model import TreeModel
from treecli.rules.rule import Rule, wording
from treecli.rules.rulelist import RuleList, of_tree
from treecli.settings import Settings
from treecli.simplifiers import Simplified, exact
from treecli.splits import binary, bins, multiway, threshold
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
ABOVE_2 = nextafter(2.0, inf)


def rule_list(*rules: Rule, default: int = YES, schema: Schema = SCHEMA, unseen: str = "missing") -> RuleList:
    return RuleList(schema, Settings.of(unseen=unseen), (), rules, Rule((), label=default))


def uncounted(label: int, *conditions: Condition) -> Rule:
    return Rule(conditions, label=label)


def counted(label: int, counts: tuple[float, ...], *conditions: Condition) -> Rule:
    return Rule(conditions, outcomes=array("d", counts), covered=sum(counts), label=label, correct=counts[label])


def texts(simplified: Simplified) -> list[str]:
    """The rules as a person reads them, the default last."""
    rules = simplified.rules
    lines = []
    for rule in (*rules.rules, rules.default):
        consequent = rules.schema.target.labels[rule.label] if rule.label is not None else f"{rule.value:g}"
        lines.append(f"{wording(rule.conditions, rules.schema) or 'DEFAULT'}: {consequent}")
    return lines


def simplify(rules: RuleList) -> Simplified:
    return exact.simplify(None, rules, None)


@st.composite
def _conditions(draw: st.DrawFn) -> tuple[Condition, ...]:
    found: list[Condition] = []
    flag = st.booleans()
    if draw(flag):
        low, high = sorted(draw(st.tuples(*[st.sampled_from((-inf, 1.0, 2.0, ABOVE_2, inf))] * 2)))
        found.append(Interval(SIZE, low, high, draw(flag)))
    if draw(flag):
        found.append(Labels.of(COLOUR, tuple(sorted(draw(st.sets(st.integers(0, 2))))), draw(flag), draw(flag)))
    if draw(flag):
        low, high = sorted(draw(st.tuples(*[st.sampled_from((-inf, 0.0, 1.0, inf))] * 2)))
        found.append(Interval(GRADE, low, high, draw(flag), draw(flag)))
    return tuple(found)


@st.composite
def rule_lists(draw: st.DrawFn) -> tuple[RuleList, list[Row]]:
    """Any small list, and the rows that distinguish its rules; half of the lists have counts of these rows."""
    unseen = draw(st.sampled_from(("missing", "majority")))
    labels = st.integers(0, draw(st.integers(1, 2)))
    rules = [uncounted(draw(labels), *draw(_conditions())) for _ in range(draw(st.integers(0, 6)))]
    found = rule_list(*rules, default=draw(labels), unseen=unseen)
    points = rows(SCHEMA, found.rules)
    return (_counted_on(found, points) if draw(st.booleans()) else found), points


def _counted_on(rules: RuleList, points: list[Row]) -> RuleList:
    """The list with the counts of a case at each point that no rule can tell from none: classes in turn, some empty."""
    counts = _counts(rules, points)
    counted_rules = [
        replace(rule, outcomes=array("d", own), covered=sum(own), correct=own[rule.label or 0])
        for rule, own in zip((*rules.rules, rules.default), counts, strict=True)
    ]
    return replace(rules, rules=tuple(counted_rules[:-1]), default=counted_rules[-1])


def _counts(rules: RuleList, points: list[Row]) -> list[list[float]]:
    counts = [[0.0] * 3 for _ in range(len(rules.rules) + 1)]
    for number, point in enumerate(points):
        if number % 5:
            counts[decider(rules, point)][number % 3] += 1
    return counts


@given(rule_lists())
def test_no_prediction_changes_for_any_row_and_the_list_is_no_longer(drawn: tuple[RuleList, list[Row]]) -> None:
    given_list, points = drawn
    short = simplify(given_list).rules
    assert [said(short, point) for point in points] == [said(given_list, point) for point in points]
    assert len(short.rules) <= len(given_list.rules)


@given(rule_lists())
def test_counts_stay_true(drawn: tuple[RuleList, list[Row]]) -> None:
    given_list, points = drawn
    short = simplify(given_list).rules
    for rule, counts in zip((*short.rules, short.default), _counts(short, points), strict=True):
        if given_list.default.covered is None:
            assert rule.covered is None
        else:
            assert rule.outcomes is not None
            assert list(rule.outcomes) == counts
            assert rule.covered == sum(counts)
            assert rule.correct == counts[rule.label or 0]


@settings(max_examples=40)
@given(rule_lists())
def test_simplifying_again_changes_nothing_that_is_predicted_and_adds_no_rule(
    drawn: tuple[RuleList, list[Row]],
) -> None:
    given_list, points = drawn
    once = simplify(given_list).rules
    twice = simplify(once).rules
    assert len(twice.rules) <= len(once.rules)
    assert [said(twice, point) for point in points] == [said(given_list, point) for point in points]


@settings(max_examples=examples(80))
@given(example_models.models(), st.sampled_from(("missing", "majority")))
def test_the_rules_of_any_tree_predict_the_same_after_simplification(model: TreeModel, unseen: str) -> None:
    model = replace(model, settings=model.settings.changed(unseen=unseen))
    given_list = of_tree(model)
    simplified = exact.simplify(model, given_list, None).rules
    points = rows(model.schema, given_list.rules, at_most=1000)
    assert [said(simplified, point) for point in points] == [said(given_list, point) for point in points]
    assert len(simplified.rules) <= len(given_list.rules)
    weights = [rule.covered for rule in (*given_list.rules, given_list.default)]
    left = [rule.covered for rule in (*simplified.rules, simplified.default)]
    assert sum(w or 0.0 for w in left) == pytest.approx(sum(w or 0.0 for w in weights))


def test_the_same_list_gives_the_same_result_and_steps() -> None:
    given_list = of_tree(example_models.every_kind())
    first, second = simplify(given_list), simplify(given_list)
    assert first.rules == second.rules
    assert first.steps == second.steps


def test_playtennis_keeps_the_two_ways_to_a_bad_day() -> None:
    # Five leaves, default Yes (9 of 14 days). Nothing merges: of the leaves that say Yes, Overcast has no sibling leaf,
    # and Sunny/Normal and Rain/Weak differ in three attributes. The three are what the default says, 4 + 2 + 3 days.
    # The two that are left say No: to widen either would take days from the default.
    found = simplify(of_tree(example_models.playtennis()))
    assert texts(found) == [
        "Outlook = Sunny AND Humidity = High: No",
        "Outlook = Rain AND Wind = Strong: No",
        "DEFAULT: Yes",
    ]
    assert [list(rule.outcomes or ()) for rule in (*found.rules.rules, found.rules.default)] == [[3, 0], [2, 0], [0, 9]]
    assert [step.text for step in found.steps] == [
        "rule 4: rule dropped -> the default would say the same",
        "rule 3: rule dropped -> the default would say the same",
        "rule 2: rule dropped -> the default would say the same",
    ]


MONKS = Schema(
    (
        Attribute("head", "nominal", ("round", "square", "octagon")),
        Attribute("body", "nominal", ("round", "square", "octagon")),
        Attribute("jacket", "nominal", ("red", "yellow", "green", "blue")),
    ),
    Attribute("monk", "nominal", ("no", "yes")),
)


def test_the_first_monk_keeps_a_rule_for_each_head() -> None:
    # Monk 1: head = body, or the jacket is red. The tree asks for the jacket first (red: yes), then for head and body;
    # missing values take the first branch, so that its ten leaves cover everything and any default will do.
    # The six that say no merge in pairs, for each head the two other bodies. That makes three against four that say
    # yes, so yes becomes the default, 6 + 3 * 2 cases. No condition can be spared: beyond each lies the default.
    bodies = [tuple((0.0, 2.0) if body == head else (2.0, 0.0) for body in range(3)) for head in range(3)]
    heads = example_models.Inner(
        multiway.Split(0, 3),
        tuple(example_models.Inner(multiway.Split(1, 3), leaves, missing_to=0) for leaves in bodies),
        missing_to=0,
    )
    root = example_models.Inner(binary.Split(2, 0, 4), ((0.0, 6.0), heads), missing_to=0)
    found = simplify(of_tree(example_models.model_of(MONKS, root)))
    assert texts(found) == [
        "jacket != red AND (head = round or missing) AND body != round: no",
        "jacket != red AND head = square AND (body != square or missing): no",
        "jacket != red AND head = octagon AND (body != octagon or missing): no",
        "DEFAULT: yes",
    ]
    assert [rule.covered for rule in (*found.rules.rules, found.rules.default)] == [4, 4, 4, 12]


def _intervals(*bounds: float) -> list[Interval]:
    return [Interval(SIZE, low, high, low == -inf) for low, high in zip((-inf, *bounds), (*bounds, inf), strict=True)]


def test_bounds_that_earlier_rules_imply_are_dropped() -> None:
    # What says yes is what the default says. Then a rule needs to exclude only what the default takes or a later rule,
    # not what an earlier one does; the last bound is needed, or all above 4 would be taken from the default.
    low, mid, high, higher, top = _intervals(1, 2, 3, 4)
    rules = [
        counted(MAYBE, (0, 0, 1), low),
        counted(NO, (0, 2, 0), mid),
        counted(MAYBE, (0, 0, 3), high),
        counted(NO, (0, 4, 0), higher),
        counted(YES, (5, 0, 0), top, Labels.of(COLOUR, (0,))),
        counted(YES, (6, 0, 0), top, Labels.of(COLOUR, (1, 2)), Interval(GRADE, 0.0)),
        counted(YES, (7, 0, 0), top, Labels.of(COLOUR, (1,)), Interval(GRADE, high=0.0)),
    ]
    found = simplify(replace(rule_list(*rules), default=counted(YES, (8, 0, 0))))
    assert texts(found) == [
        "(size <= 1 or missing): maybe",
        "size <= 2: no",
        "size <= 3: maybe",
        "size <= 4: no",
        "DEFAULT: yes",
    ]
    assert [rule.covered for rule in (*found.rules.rules, found.rules.default)] == [1, 2, 3, 4, 26]
    assert [step.action for step in found.steps] == ["rule dropped"] * 3 + ["condition widened"] * 3
    assert found.steps[-1].text == "rule 4: condition widened 3 < size <= 4 -> size <= 4"


def test_siblings_that_say_the_same_merge_and_add_up() -> None:
    root = example_models.Inner(
        threshold.Split(SIZE, 1.0),
        (
            example_models.Inner(threshold.Split(GRADE, 0.0), ((1.0, 2.0, 0.0), (0.0, 3.0, 1.0)), missing_to=1),
            example_models.Inner(
                multiway.Split(COLOUR, 3), ((5.0, 0.0, 0.0), (0.0, 0.0, 4.0), (6.0, 1.0, 0.0)), missing_to=0
            ),
        ),
        missing_to=0,
    )
    found = simplify(of_tree(example_models.model_of(SCHEMA, root)))
    # 1 + 11 yes, 2 + 3 + 1 no, 1 + 4 maybe: default yes. The two below 1 merge; so do red and blue, and vanish.
    assert texts(found) == ["(size <= 1 or missing): no", "colour = green: maybe", "DEFAULT: yes"]
    assert [list(rule.outcomes or ()) for rule in found.rules.rules] == [[1, 5, 1], [0, 0, 4]]
    assert list(found.rules.default.outcomes or ()) == [11, 1, 0]
    assert found.steps[0].text == "rules 1, 2: merged -> IF (size <= 1 or missing) THEN no"
    assert found.steps[0].to_json() == {
        "action": "merged",
        "rules": [1, 2],
        "condition": None,
        "result": "IF (size <= 1 or missing) THEN no",
        "error_before": None,
        "error_after": None,
        "text": "rules 1, 2: merged -> IF (size <= 1 or missing) THEN no",
    }


def test_equal_values_of_a_numeric_target_merge_and_others_do_not() -> None:
    # 2 cases of mean 7 and deviance 8, and 3 of mean 7 and deviance 1: together 5, 7 and 9.
    leaves = ((2.0, 7.0, 8.0), (3.0, 7.0, 1.0), (4.0, 9.0, 0.0))
    root = example_models.Inner(bins.Split(0, (60.0, 80.0)), leaves, missing_to=0)
    found = simplify(of_tree(example_models.model_of(example_models.HOUSES, root)))
    # No rule says what the given default says, the mean of all. Of two values with a rule each the first replaces it.
    assert texts(found) == ["area > 80: 9", "DEFAULT: 7"]
    assert list(found.rules.rules[0].outcomes or ()) == [4, 9, 0]
    assert list(found.rules.default.outcomes or ()) == [5, 7, 9]


def test_rows_of_the_default_get_a_rule_if_another_default_is_shorter() -> None:
    # Rows without a size are left to the default, no. With yes as the default the three rules of yes go; one for
    # missing sizes comes in, and merges with the rule that says no.
    intervals = [replace(interval, missing=False) for interval in _intervals(1, 2, 3, 4)]
    says = (YES, NO, YES, MAYBE, YES)
    counts = ((1, 0, 0), (0, 1, 0), (1, 0, 0), (0, 0, 1), (1, 0, 0))
    rules = [counted(label, count, interval) for label, count, interval in zip(says, counts, intervals, strict=True)]
    found = simplify(replace(rule_list(*rules), default=counted(NO, (0, 0, 0))))
    assert texts(found) == ["(1 < size <= 2 or missing): no", "3 < size <= 4: maybe", "DEFAULT: yes"]
    assert [rule.covered for rule in (*found.rules.rules, found.rules.default)] == [1, 1, 3]
    assert found.steps[0].text == "list: default chosen -> yes; what was left to the default before becomes 1 rule"


@pytest.mark.parametrize(
    ("rules", "expected", "reason"),
    [
        (
            (uncounted(NO, Interval(SIZE, high=3.0)), uncounted(MAYBE, Interval(SIZE, 1.0, 2.0))),
            ["size <= 3: no", "DEFAULT: yes"],
            "earlier rules take all its rows",
        ),
        (
            (uncounted(NO, Labels.of(COLOUR, ())), uncounted(MAYBE, Interval(SIZE, 1.0, 2.0))),
            ["1 < size <= 2: maybe", "DEFAULT: yes"],
            "no value satisfies its conditions",
        ),
        (
            (uncounted(NO, Interval(SIZE, 1.0, 2.0)), uncounted(NO, Interval(SIZE, high=3.0))),
            ["size <= 3: no", "DEFAULT: yes"],
            "rule 2 would say the same",
        ),
        (
            (uncounted(NO, Interval(SIZE, 1.0, 2.0)), uncounted(YES, Labels.of(COLOUR, (0,)))),
            ["1 < size <= 2: no", "DEFAULT: yes"],
            "the default would say the same",
        ),
    ],
    ids=["unreachable", "empty", "contained in a later rule", "as the default"],
)
def test_a_rule_without_effect_is_dropped_with_a_reason(
    rules: tuple[Rule, ...], expected: list[str], reason: str
) -> None:
    found = simplify(rule_list(*rules))
    assert texts(found) == expected
    assert [(step.action, step.result) for step in found.steps] == [("rule dropped", reason)]


def test_rules_do_not_merge_past_one_that_takes_rows_of_both() -> None:
    # size <= 1 and 1 < size <= 2 would make size <= 2, but red stands between and takes some of either.
    rules = (
        uncounted(NO, Interval(SIZE, high=1.0)),
        uncounted(MAYBE, Labels.of(COLOUR, (0,))),
        uncounted(NO, Interval(SIZE, 1.0, 2.0)),
    )
    found = simplify(rule_list(*rules))
    # The last needs no lower bound: what is up to 1 is taken before.
    assert texts(found) == ["size <= 1: no", "colour = red: maybe", "size <= 2: no", "DEFAULT: yes"]


def test_a_step_that_would_move_cases_between_two_rules_is_taken_only_without_counts() -> None:
    # Without its bound, the first rule would take the sizes above 1 from the second, in green.
    conditions = (Interval(SIZE, high=1.0), Labels.of(COLOUR, (1,))), (Interval(SIZE, 1.0, inf),)
    without = simplify(rule_list(*(uncounted(NO, *each) for each in conditions)))
    assert texts(without)[1] == "size > 1: no"
    known = [counted(NO, (0, 2, 0), *each) for each in conditions]
    with_counts = simplify(replace(rule_list(*known), default=counted(YES, (1, 0, 0))))
    assert texts(with_counts) == ["size <= 1 AND colour = green: no", "size > 1: no", "DEFAULT: yes"]


def test_an_unseen_label_differs_from_a_missing_one_only_by_policy() -> None:
    rules = (
        uncounted(NO, Labels.of(COLOUR, (0, 1, 2), missing=True)),
        uncounted(MAYBE, Labels.of(COLOUR, (), unseen=True)),
    )
    assert texts(simplify(rule_list(*rules))) == ["DEFAULT: no"]
    assert texts(simplify(rule_list(*rules, unseen="majority"))) in [
        ["(colour is known or missing): no", "DEFAULT: maybe"],
        ["colour is unseen: maybe", "DEFAULT: no"],
    ]


def test_conditions_that_stay_keep_their_wording() -> None:
    rules = (
        uncounted(NO, Labels.of(GRADE, (0,)), Interval(SIZE, 1.0, 2.0)),
        uncounted(MAYBE, Labels.of(GRADE, (0, 1))),
    )
    assert texts(simplify(rule_list(*rules)))[0] == "grade = low AND 1 < size <= 2: no"


def test_rules_that_vote_are_refused() -> None:
    voting = replace(rule_list(uncounted(NO, Interval(SIZE, high=1.0))), votes=True)
    with pytest.raises(UsageError, match="vote"):
        simplify(voting)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_order_of_disjoint_rules_does_not_matter_to_the_length(order: tuple[int, ...]) -> None:
    rules = [
        counted(NO, (0, 1, 0), Interval(SIZE, high=1.0, missing=True)),
        counted(MAYBE, (0, 0, 1), Interval(SIZE, 1.0), Labels.of(COLOUR, (0, 1), missing=True)),
        counted(YES, (1, 0, 0), Interval(SIZE, 1.0), Labels.of(COLOUR, (2,))),
    ]
    found = simplify(replace(rule_list(*(rules[position] for position in order)), default=counted(YES, (0, 0, 0))))
    # First size <= 1, so that the second need not exclude it; blue is left to the default.
    assert texts(found) == ["(size <= 1 or missing): no", "(colour != blue or missing): maybe", "DEFAULT: yes"]


def test_long_lists_are_simplified_within_the_budget() -> None:
    given_list = of_tree(_comb(300))
    found = simplify(given_list).rules
    assert len(found.rules) <= len(given_list.rules) // 2


def _comb(n_teeth: int) -> TreeModel:
    """x <= 1: by y; else x <= 2: by y; …: leaves that differ in one attribute and yet do not merge."""
    schema = Schema((Attribute("x", "numeric"), Attribute("y", "numeric")), Attribute("z", "nominal", ("a", "b")))
    bounds = tuple(float(n) for n in range(n_teeth - 1))
    teeth = tuple(example_models.Inner(threshold.Split(1, float(n)), ((1.0, 0.0), (0.0, 1.0))) for n in range(n_teeth))
    return example_models.model_of(schema, example_models.Inner(bins.Split(0, bounds), teeth))
