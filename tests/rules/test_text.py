"""Rules as text: output is read back, and hand-written rules are understood or refused with a location."""

from __future__ import annotations

import re
from math import inf, nextafter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.example_models import every_kind, iris_like, model_of, models, playtennis, regression, single_leaf
from tests.rules.test_rule import any_models
from treecli.errors import ModelError
from treecli.model import TreeModel
from treecli.rules.reading import decode
from treecli.rules.rulelist import RuleList, of_tree
from treecli.rules.text import whole
from treecli.values import Condition, Interval, Labels

HAND_WRITTEN = """
# two rules that a person wrote
if outlook = sunny and humidity > 77.5 then no
IF outlook = Rain
   AND windy = true
THEN no (confidence 0.9)   # goes on over lines
default yes
"""


def text_of(rules: RuleList) -> str:
    return "".join(whole(rules, rules.rules))


def read(text: str) -> RuleList:
    return decode(text.encode(), "rules.txt")


@given(any_models())
def test_written_rules_are_read_and_written_unchanged(model: TreeModel) -> None:
    rules = of_tree(model)
    text = text_of(rules)
    again = read(text)
    assert text_of(again) == text
    assert again.schema == rules.schema
    assert [rule.conditions for rule in again.rules] == [_as_read(rule.conditions, rules) for rule in rules.rules]
    assert [(r.label, r.value, r.covered) for r in again.rules] == [(r.label, r.value, r.covered) for r in rules.rules]


def test_an_ordinal_attribute_whose_name_is_a_number_is_not_a_bound() -> None:
    """`0 <= x` is a bound of x, unless 0 is an attribute that has the label x."""
    declared = "attribute x: numeric\nattribute 0: ordinal {w < x}\nattribute z: numeric\ntarget y: nominal {no, yes}\n"
    rules = read(f"{declared}IF 0 <= x THEN yes\nIF 0 <= z THEN no\nDEFAULT no\n")
    assert [rule.conditions[0].attribute for rule in rules.rules] == [1, 2]
    assert text_of(read(text_of(rules))) == text_of(rules)


def _as_read(conditions: tuple[Condition, ...], rules: RuleList) -> tuple[Condition, ...]:
    """All labels of an ordinal attribute, or none, are read as an interval, whatever the tree asked."""
    read_as = []
    for condition in conditions:
        attribute = rules.schema.attributes[condition.attribute]
        special = (condition.missing, condition.unseen)
        if isinstance(condition, Labels) and attribute.kind == "ordinal" and not condition.codes:
            read_as.append(Interval(condition.attribute, 0.0, 0.0, *special))
        elif (
            isinstance(condition, Labels)
            and attribute.kind == "ordinal"
            and len(condition.codes) == len(attribute.labels)
        ):
            read_as.append(Interval(condition.attribute, -inf, inf, *special))
        else:
            read_as.append(condition)
    return tuple(read_as)


@pytest.mark.parametrize("build", [playtennis, every_kind, regression, iris_like, single_leaf])
def test_the_file_is_complete(build: object) -> None:
    rules = of_tree(build())  # type: ignore[operator]
    again = read(text_of(rules))
    assert again.outcomes == rules.outcomes
    assert [rule.outcomes for rule in again.rules] == [rule.outcomes for rule in rules.rules]
    assert [rule.lift for rule in again.rules] == [rule.lift for rule in rules.rules]


def test_a_person_writes_rules_without_declarations() -> None:
    rules = read(HAND_WRITTEN)
    assert [(a.name, a.kind, a.labels) for a in rules.schema.attributes] == [
        ("outlook", "nominal", ("sunny", "Rain")),
        ("humidity", "numeric", ()),
        ("windy", "nominal", ("true",)),
    ]
    assert (rules.schema.target.name, rules.schema.target.labels) == ("", ("no", "yes"))
    assert rules.rules[0].conditions == (Labels.of(0, (0,)), Interval(1, 77.5))
    assert [rule.confidence for rule in rules.rules] == [None, 0.9]
    assert (rules.default.label, rules.votes) == (1, False)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("x <= 2.5", Interval(0, high=2.5)),
        ("x < 2.5", Interval(0, high=nextafter(2.5, -inf))),
        ("x > -1e3", Interval(0, -1000.0)),
        ("x >= 2.5", Interval(0, nextafter(2.5, -inf))),
        ("1 < x <= 2", Interval(0, 1.0, 2.0)),
        ("2 >= x > 1", Interval(0, 1.0, 2.0)),
        ("2 < x", Interval(0, 2.0)),
        ("x = 5", Interval(0, nextafter(5, -inf), 5.0)),
        ("x > 1 AND x <= 4 AND x <= 3", Interval(0, 1.0, 3.0)),
        ("(x <= 2 or missing)", Interval(0, high=2.0, missing=True)),
        ("x is known", Interval(0)),
        ("x is not missing", Interval(0)),
        ("x is missing", Interval.none(0, missing=True)),
        ("c = dark grey", Labels.of(1, (1,))),
        ('c == "dark grey"', Labels.of(1, (1,))),
        ("c = 'dark grey'", Labels.of(1, (1,))),
        ("c != red", Labels.of(1, (1, 2))),
        ("c in {blue, red}", Labels.of(1, (0, 2))),
        ("c not in {blue, red} or missing or unseen", Labels.of(1, (1,), missing=True, unseen=True)),
        ("c is missing or unseen", Labels.of(1, (), missing=True, unseen=True)),
        ("g <= mid", Interval(2, high=1.0)),
        ("g >= mid", Interval(2, 0.0)),
        ("g >= low", Interval(2)),
        ("low < g < top", Interval(2, 0.0, 1.0)),
        ("g = mid", Labels.of(2, (1,))),
        ("g > low AND g != top", Labels.of(2, (1,))),
        ("TRUE", None),
    ],
)
def test_a_condition_is_understood(condition: str, expected: Condition | None) -> None:
    text = (
        "target y: nominal {a, b}\nattribute x: numeric\nattribute c: nominal {red, dark grey, blue}\n"
        f"attribute g: ordinal {{low < mid < top}}\nIF {condition} THEN a\nDEFAULT b\n"
    )
    (rule,) = read(text).rules
    assert rule.conditions == (() if expected is None else (expected,))


DECLARED = "target y: nominal {yes, no}\nattribute outlook: nominal {sunny, rain}\nattribute x: numeric\n"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("IF x > 5 THN no", "1:10: found 'THN', expected AND or THEN", "did you mean 'THEN'?"),
        ("IF x > 5 AN y = 3 THEN no", "1:10: found 'AN', expected AND or THEN", "did you mean 'AND'?"),
        ("IF x > 5", "1:9: found the end of the file, expected AND or THEN", None),
        ("IF x > 5 THEN", "1:14: found the end of the file, expected what is predicted", None),
        ("IF x THEN no", "1:6: found 'THEN', expected =, !=, <, <=, >, >=, in or is", None),
        (
            "\n\nIF x > 5 AND x < 3 THEN no",
            "3:14: found 'x < 3' beside 'x > 5', expected conditions that a value can satisfy",
            "a rule that never holds can go",
        ),
        (
            DECLARED + "IF outlok = sunny THEN yes",
            "4:4: found 'outlok', expected an attribute (outlook, x)",
            "did you mean 'outlook'?",
        ),
        (
            DECLARED + "IF outlook = suny THEN yes",
            "4:14: found 'suny', expected a label of 'outlook' (sunny, rain)",
            "did you mean 'sunny'?",
        ),
        (
            DECLARED + "IF outlook = sunny THEN yess",
            "4:25: found 'yess', expected a label of 'y' (yes, no)",
            "did you mean 'yes'?",
        ),
        (
            DECLARED + "IF x = sunny THEN yes",
            "4:8: found 'sunny', expected a number, for 'x' is numeric",
            None,
        ),
        (
            DECLARED + "IF outlook < rain THEN yes",
            "4:14: found 'rain', expected = or in before it, for 'outlook' is nominal",
            "labels with an order are declared: attribute size: ordinal {small < large}",
        ),
        (
            DECLARED + "IF x != 3 THEN yes",
            "4:4: found 'x', expected a nominal attribute before != and in, and this one is numeric",
            "write a rule for each side of the number",
        ),
        (
            "IF a = b OR c = d THEN no",
            "1:13: found 'c', expected missing or unseen after OR",
            "write two rules for other alternatives",
        ),
        (
            'IF "a = b THEN no',
            '1:4: found " without a second one on the line, expected a name or label in quotes',
            None,
        ),
        (
            r'IF "a\n" = b THEN no',
            r"""1:4: found the escape '\n', expected \\, \" or \u{…}""",
            "a backslash itself is written \\\\",
        ),
        (
            "IF a = b THEN no (4/3)",
            "1:19: found '4/3', expected RIGHT/COVERED, two numbers of which the first is no larger",
            None,
        ),
        ("IF a = b THEN no (sure)", "1:19: found 'sure', expected RIGHT/COVERED or confidence N or lift N", None),
        (
            "DEFAULT no\nDEFAULT yes",
            "2:1: found 'DEFAULT', expected rules, for there is a DEFAULT already",
            "leave one of them out",
        ),
        (
            "decide by lot\nDEFAULT no",
            "1:1: found 'decide by lot', expected 'decide by first match' or 'decide by vote'",
            None,
        ),
        (
            "target y: nomnal {a}\nDEFAULT a",
            "1:11: found 'nomnal', expected numeric, nominal or ordinal",
            "did you mean 'nominal'?",
        ),
        (
            "attribute x: nominal {a, a}\nDEFAULT a",
            "1:26: found 'a', expected another label, for this one stands there already",
            None,
        ),
        (
            "attribute x: numeric\nattribute x: numeric\nDEFAULT a",
            "2:11: found 'x', expected the name of another column, for this one is declared already",
            None,
        ),
        ("DEFAULT no\nIF x > 1e999 THEN no", "2:8: found '1e999', expected a number, for 'x' is numeric", None),
        ("DEFAULT no yes maybe)", "1:21: found ')', expected the end of the line", None),
        (
            "DEFALT no\nIF x > 1 THEN no",
            "1:1: found 'DEFALT', expected IF, DEFAULT or a declaration",
            "did you mean 'DEFAULT'?",
        ),
    ],
)
def test_errors_name_line_and_column(text: str, message: str, hint: str | None) -> None:
    with pytest.raises(ModelError) as caught:
        read(text)
    assert (caught.value.message, caught.value.hint) == (f"rules.txt:{message}", hint)


@pytest.mark.parametrize("text", ["", "# nothing but a comment\n", "target y: nominal {a}\n"])
def test_a_file_without_rules_is_refused(text: str) -> None:
    with pytest.raises(ModelError, match=r"rules\.txt: found no rule, expected a line such as IF"):
        read(text)


@given(st.text(st.sampled_from("IF THEN DEFAULT AND x=<>{}()\"'#\n,:a1.5-"), max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        rules = read(text)
    except ModelError as error:
        assert error.message.startswith("rules.txt:")  # noqa: PT017 (either outcome is right)
        return
    assert text_of(read(text_of(rules))) == text_of(rules)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        # Two rules for no, one for yes.
        ("IF x > 1 THEN yes\nIF x > 2 THEN no\nIF x > 3 THEN no", "no"),
        # 5 cases of yes, 4 of no.
        ("IF x > 1 THEN yes (5/5)\nIF x > 2 THEN no (2/2)\nIF x > 3 THEN no (2/2)", "yes"),
        # Of all cases most are maybe.
        ("target y: nominal {yes, maybe}\ncases {yes: 1, maybe: 2}\nIF x > 1 THEN yes", "maybe"),
    ],
)
def test_without_a_default_the_usual_label_is_it(text: str, label: str) -> None:
    rules = read(text)
    assert rules.schema.target.labels[rules.default.label or 0] == label


def test_counts_are_worked_out_where_brackets_tell_enough() -> None:
    two, three = (f"target y: nominal {{{labels}}}\nIF x > 1 THEN a " for labels in ("a, b", "a, b, c"))
    (rule,) = read(f"{two}(3/5, lift 2)").rules
    assert (rule.outcomes.tolist() if rule.outcomes else None, rule.lift) == ([3.0, 2.0], 2.0)
    assert read(f"{three}(3/5)").rules[0].outcomes is None
    (rule,) = read(f"{three}(3/5) {{a: 3, c: 2}}").rules
    assert rule.outcomes is not None
    assert rule.outcomes.tolist() == [3.0, 0.0, 2.0]
    with pytest.raises(ModelError, match="expected counts that agree with what stands in the brackets"):
        read(f"{three}(3/5) {{a: 3, c: 1}}")


def test_numbers_are_predicted_where_all_rules_do() -> None:
    rules = read("IF x <= 1 THEN 10 (covered 2, rmse 3)\nIF x > 1 THEN 20")
    assert rules.schema.target.is_numeric
    # The mean squared error of two cases is 9: a deviance of 18. Without a default, the mean of the values.
    assert (rules.rules[0].outcomes or [])[2] == 18.0
    assert rules.rules[0].rmse == 3.0
    assert rules.default.value == 15.0


@given(models())
def test_names_cannot_break_out_of_their_line(model: TreeModel) -> None:
    rules = of_tree(model)
    n_lines = text_of(rules).count("\n")
    # The comment, a line each for target, attributes, cases, three policies, rules and the default.
    assert n_lines == 1 + 1 + len(model.schema.attributes) + 1 + 3 + len(rules.rules) + 1


def test_single_precision_laplace_and_priors_are_kept() -> None:
    from dataclasses import replace

    model = model_of(playtennis().schema, (5.0, 9.0))
    for priors in ("equal", {"No": 0.25, "Yes": 0.75}):
        settings = model.settings.changed(single_precision=True, laplace=True, priors=priors)
        again = read(text_of(of_tree(replace(model, settings=settings))))
        assert (
            again.settings.predicting.single_precision,
            again.settings.predicting.laplace,
            again.settings.predicting.priors,
        ) == (True, True, priors)


def test_the_examples_of_the_documentation_are_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
    whole_form, short_form = re.findall(r"(?ms)^```\n((?:#|IF outlook).*?)^```\n", page)
    assert text_of(read(whole_form)) == whole_form
    assert len(read(short_form).rules) == 1
