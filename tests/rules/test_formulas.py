"""Formulas in rules: of model trees, as text and JSON, in predictions, counts, simplification and lint."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import treecli as package
from tests.conftest import Runner
from tests.exporters.models import leaf_models, overlapping_formulas, to_one_branch
from tests.growing import sample
from treecli.data import Attribute, Dataset, Schema
from treecli.errors import ModelError, UsageError
from treecli.expressions import Holds, Value
from treecli.learn import learn
from treecli.leaves.linear import Line
from treecli.models import decode, encode, kind_of, predictions, probes
from treecli.recipe import Recipe
from treecli.rules.lint import findings
from treecli.rules.reading import decode as read_text
from treecli.rules.recount import recounted
from treecli.rules.rule import Rule
from treecli.rules.rulelist import RuleList, in_order, of_tree
from treecli.rules.text import predicted, rule_lines, whole
from treecli.settings import Settings
from treecli.simplifiers.exact import simplify
from treecli.values import Interval, Labels
from treecli.wording import number_text, readable

VALIDATOR = Draft202012Validator(json.loads((Path(package.__file__).parent / "model.schema.json").read_text()))

STAND_INS = "missing values count in formulas as"
NAN = float("nan")


def text_of(rules: RuleList) -> str:
    return "".join(whole(rules, rules.rules))


def read(text: str) -> RuleList:
    return read_text(text.encode(), "rules.txt")


def model_trees() -> dict[str, RuleList]:
    """The rules of model trees: numbers only, labels too, without pruning, with a missing value in parts."""
    made = {
        "m5p": ("cpu.csv", ["--like", "m5p"]),
        "labels": ("courses-rating.csv", ["--like", "m5p", "--prune", "none", "--no-smooth"]),
        "own": ("cpu.csv", ["--leaf-model", "linear", "--max-depth", "3", "--min-leaf", "8"]),
        "smoothed means": ("cpu.csv", ["--like", "m5p", "--leaf-model", "constant"]),
    }
    return {name: of_tree(learn(sample(file), Recipe.parse(options))) for name, (file, options) in made.items()}


RULES = {
    **model_trees(),
    "leaf models": of_tree(leaf_models()),
    "one branch": of_tree(to_one_branch(leaf_models())),
    "overlapping": overlapping_formulas(),
}


@pytest.mark.parametrize("name", RULES)
def test_formulas_are_read_back_from_text_and_json(name: str) -> None:
    rules, rows = RULES[name], probes(RULES[name])
    text = text_of(rules)
    again = read(text)
    assert text_of(again) == text
    record = b"".join(encode(rules))
    VALIDATOR.validate(json.loads(record))
    loaded = decode(record, "rules.json")
    assert isinstance(loaded, RuleList)
    assert b"".join(encode(loaded)) == record
    expected = predictions(rules, rows).tolist()
    assert predictions(loaded, rows).tolist() == expected
    assert predictions(again, Dataset(again.schema, rows.columns, None, rows.weights)).tolist() == expected
    assert [(r.prediction, r.covered, r.rmse) for r in loaded.rules] == [
        (r.prediction, r.covered, r.rmse) for r in rules.rules
    ]


@pytest.mark.parametrize("options", [["--like", "m5p"], ["--leaf-model", "linear", "--missing", "majority"]])
@pytest.mark.parametrize("file", ["cpu.csv", "courses-rating.csv"])
def test_the_rules_of_a_model_tree_predict_what_the_tree_does(file: str, options: list[str]) -> None:
    tree = learn(sample(file), Recipe.parse(options))
    rows = probes(tree)
    assert predictions(of_tree(tree), rows).tolist() == predictions(tree, rows).tolist()


def test_a_formula_is_written_in_the_order_of_its_sum() -> None:
    schema = Schema(
        (Attribute("a + b", "numeric"), Attribute("3", "numeric"), Attribute("c d", "nominal", ("x", "y, z", "w"))),
        Attribute("my target", "numeric"),
    )
    line = Line(-1.5, ((Value(0, 1.0), 2.0), (Value(1, 0.0), -0.25), (Holds(2, labels=(0, 1), instead=0.0), 1e-7)))
    rule = Rule((), model=line)
    assert predicted(rule, schema, number_text) == (
        'my target = -1.5 + 2 * "a + b" - 0.25 * "3" + 1e-07 * (c d in {x, "y, z"})'
    )
    rules = RuleList(schema, Settings(), (), (rule,), replace(rule, model=Line(0.0, ((Value(0, 2.0), -1.0),))))
    lines = text_of(rules).splitlines()[-4:]
    # 'x' and 'y, z' would stand for 1, so the label is the third; the default's stand-in for "a + b" is another.
    assert lines[0] == f"{STAND_INS} {{a + b: 1, 3: 0, c d: w}}"
    assert lines[2] == f"{STAND_INS} {{a + b: 2}}"
    assert lines[3] == 'DEFAULT my target = -1 * "a + b"'
    assert text_of(read(text_of(rules))) == text_of(rules)
    assert read(text_of(rules)).rules[0].model == line


def test_indicators_that_no_single_label_explains_are_refused_as_text_and_written_as_json() -> None:
    schema = Schema((Attribute("c", "nominal", ("x", "y")),), Attribute("t", "numeric"))
    both = ((Holds(0, labels=(0,), instead=1.0), 2.0), (Holds(0, labels=(1,), instead=1.0), 3.0))
    rules = RuleList(schema, Settings(), (), (), Rule((), model=Line(0.0, both)))
    with pytest.raises(UsageError, match="different values for a missing 'c', and a rule file states one") as error:
        text_of(rules)
    assert error.value.hint == "write the rules as JSON"
    assert decode(b"".join(encode(rules)), "r.json") == rules


HAND_WRITTEN = f"""
{STAND_INS} {{x: 2, c: b}}
IF x > 3 AND c = a THEN y = 1 - 2 * x + 3 * (c in {{a, b}}) - 0.5 * (c = a)
IF x <= 0 THEN y = -x + 10 (covered 4, rmse 0.5)
IF x > 100 THEN y = 7
{STAND_INS} {{x: 5}}
DEFAULT y = 2 * x
"""


def test_hand_written_formulas_name_the_target_and_infer_the_attributes() -> None:
    rules = read(HAND_WRITTEN)
    assert [(a.name, a.kind, a.labels) for a in rules.schema.attributes] == [
        ("x", "numeric", ()),
        ("c", "nominal", ("a", "b")),
    ]
    assert rules.schema.target == Attribute("y", "numeric")
    x, c = np.array([4.0, 4.0, -1.0, NAN, 200.0]), np.array([0, 1, 1, 0, 1], np.int32)
    found = predictions(rules, Dataset(rules.schema, [x, c], None, np.ones(5)))
    # 1 - 8 + 3 - 0.5; the default 2 * 4; 1 + 10; the default's own stand-in; a formula without attributes is a number
    assert found.tolist() == [-4.5, 8.0, 11.0, 10.0, 7.0]
    assert (rules.rules[1].covered, rules.rules[1].rmse, rules.rules[2].value) == (4.0, 0.5, 7.0)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("IF x > 1 THEN y = 2 * x", ":1:23: found 'x', expected a line before the rule", "count in formulas as {x: 0}"),
        ("IF x > 1 THEN y = 2 *", ":1:22: found the end of the line, expected a number or an attribute", None),
        ("IF x > 1 THEN y = 2 * and", ":1:23: found 'and', expected a number or an attribute", "stands in quotes"),
        ("IF x > 1 THEN y = 2 3", ":1:21: found '3', expected the end of the line", None),
        ("IF x > 1 THEN y = 2 + 3", ":1:23: found '3', expected one number without an attribute", "add them up"),
        ("IF x > 1 THEN y = 1\nDEFAULT z = 2", ":2:9: found 'z', expected the target 'y' before =", None),
        (f"attribute x: numeric\n{STAND_INS} {{x: 0}}\nIF x > 1 THEN y = 2 * z", "expected an attribute (x)", None),
        (f"attribute x: numeric\n{STAND_INS} {{x: 0}}\nIF x > 1 THEN y = 2*x", "an attribute (x)", "blanks around"),
        (f"attribute x: numeric\n{STAND_INS} {{x: a}}\nIF x > 1 THEN y = 2 * x", "a number, for 'x' is", None),
        (f"attribute c: nominal {{a, b}}\n{STAND_INS} {{c: a}}\nIF c = a THEN y = 2 * c", "a numeric attribute", None),
        (f"attribute x: numeric\n{STAND_INS} {{x: 1}}\nIF x > 1 THEN y = (x = 3)", "no labels, for it is", None),
        (f"attribute c: nominal {{ab}}\n{STAND_INS} {{c: abc}}\nIF c = ab THEN y = (c = ab)", "of 'c'", "'ab'"),
        (f"{STAND_INS} {{x: 0}}\nIF x > 1 THEN y = 2 * (x > 3)", "expected = or in", None),
        ("target t: nominal {a, b}\nIF x > 1 THEN t = a", "expected a label, for 't' is nominal", "only the label"),
    ],
)
def test_a_mistake_in_a_formula_is_located(text: str, message: str, hint: str | None) -> None:
    with pytest.raises(ModelError) as error:
        read(f"{text}\n")
    assert message in str(error.value)
    assert error.value.hint is None if hint is None else hint in (error.value.hint or "")


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"kind": "curve"}, "rule 1: model: the kind 'curve', expected 'linear'"),
        ({"kind": "linear", "intercept": 1}, "rule 1: model: a line has 'intercept' and 'terms'"),
        ({"kind": "linear", "intercept": 1, "terms": []}, "rule 1: model: has no 'terms'"),
        (
            {"kind": "linear", "intercept": 1, "terms": [{"factor": 1, "attribute": "w", "instead": 0}]},
            "rule 1: model: 'w' is not an attribute",
        ),
    ],
)
def test_a_wrong_model_in_a_file_is_refused(record: dict[str, object], message: str) -> None:
    document = json.loads(b"".join(encode(RULES["m5p"])))
    document["rules"][0]["model"] = record
    with pytest.raises(ModelError) as error:
        decode(json.dumps(document).encode(), "rules.json")
    assert message in str(error.value)
    document["rules"][0] |= {"model": document["rules"][1]["model"], "value": 3.0}
    with pytest.raises(ModelError, match="rule 1: has a 'model' and another prediction, expected one of them"):
        decode(json.dumps(document).encode(), "rules.json")


X = Schema((Attribute("x", "numeric"),), Attribute("y", "numeric"))
DOUBLE, HALF = Line(0.0, ((Value(0, 1.0), 2.0),)), Line(0.0, ((Value(0, 1.0), 0.5),))


def ruled(*rules: Rule, default: Rule, votes: bool = False) -> RuleList:
    return RuleList(X, Settings(), (), rules, default, votes)


def rows_with(x: list[float], y: list[float], weights: list[float] | None = None) -> Dataset:
    return Dataset(X, [np.array(x)], np.array(y), np.array(weights or [1.0] * len(x)))


def test_counting_on_data_measures_the_formula_itself() -> None:
    rules = ruled(Rule((Interval(0, 2.0),), model=DOUBLE), default=Rule((), model=HALF))
    counted = recounted(rules, rows_with([1.0, 3.0, 4.0], [0.5, 7.0, 8.0], [1.0, 1.0, 3.0]))
    # Errors 1 (weight 1) and 0 (weight 3) of the formula 2 x; the mean of the targets is 7.75.
    assert (counted.rules[0].covered, counted.rules[0].rmse) == (4.0, 0.5)
    assert counted.rules[0].outcomes is not None
    assert counted.rules[0].outcomes[1] == 7.75
    assert (counted.default.covered, counted.default.rmse) == (1.0, 0.0)
    assert [rule.covered for rule in in_order(counted, "utility").rules] == [4.0]
    assert list(rule_lines(counted.rules, X, readable)) == ["IF x > 2 THEN y = 2 * x (covered 4, rmse 0.5)\n"]


def test_votes_of_formulas_are_averaged() -> None:
    rules = ruled(
        Rule((Interval(0, 2.0),), model=DOUBLE),
        Rule((Interval(0, 5.0),), value=1.0),
        Rule((Interval(0, 7.0),), model=HALF),
        default=Rule((), model=HALF),
        votes=True,
    )
    found = predictions(rules, rows_with([1.0, 3.0, 6.0, 8.0], [0.0] * 4))
    assert found.tolist() == [0.5, 6.0, (12 + 1) / 2, (16 + 1 + 4) / 3]


def test_equal_formulas_are_merged_and_left_to_the_default_and_others_are_not() -> None:
    parts = [Rule((own,), model=model, covered=n, model_error=e) for own, model, n, e in PARTS]
    rules = ruled(*parts, default=Rule((), model=HALF, covered=0.0))
    simplified = simplify(None, rules, None).rules
    assert len(simplified.rules) == 1
    kept = simplified.rules[0]
    assert (kept.conditions, kept.model) == ((Interval(0, 1.0, 3.0),), DOUBLE)
    # √((2 · 1² + 6 · 3²) / 8)
    assert (kept.covered, kept.rmse) == (8.0, pytest.approx(7**0.5))
    assert (simplified.default.model, simplified.default.covered) == (HALF, 5.0)
    rows = rows_with([0.0, 1.0, 2.0, 2.5, 3.0, 4.0, NAN], [0.0] * 7)
    assert predictions(simplified, rows).tolist() == predictions(rules, rows).tolist()


PARTS = [
    (Interval(0, high=1.0), HALF, 4.0, 2.0),
    (Interval(0, 1.0, 2.0), DOUBLE, 2.0, 1.0),
    (Interval(0, 2.0, 3.0), DOUBLE, 6.0, 3.0),
    (Interval(0, 3.0), HALF, 1.0, 0.0),
]


@pytest.mark.parametrize("name", RULES)
def test_exact_simplification_changes_no_prediction_of_formulas(name: str) -> None:
    rules, rows = RULES[name], probes(RULES[name])
    assert predictions(simplify(None, rules, None).rules, rows).tolist() == predictions(rules, rows).tolist()


def test_different_formulas_conflict_and_equal_ones_do_not() -> None:
    both = [Rule((Interval(0, 1.0),), model=DOUBLE), Rule((Interval(0, 2.0, 9.0, missing=True),), model=HALF)]
    found = [f for f in findings(ruled(*both, default=Rule((), value=0.0))) if f.kind == "conflict"]
    assert [finding.rules for finding in found] == [(1, 2)]
    assert "they say y = 2 * x and y = 0.5 * x of the same rows" in found[0].message
    same = ruled(both[0], replace(both[1], model=DOUBLE), default=Rule((), value=0.0))
    assert [f.kind for f in findings(same) if f.kind == "conflict"] == []


def test_the_columns_used_are_those_of_conditions_and_formulas() -> None:
    rules = overlapping_formulas()
    assert kind_of(rules).columns_used(rules) == [0, 2, 4]


def test_an_unseen_label_in_a_formula_is_refused_where_the_rules_refuse_them(treecli: Runner, tmp_path: Path) -> None:
    text = f"unseen labels are refused\n{STAND_INS} {{c: b}}\nIF x > 3 THEN y = 1 + 3 * (c = a)\nDEFAULT 1\n"
    (tmp_path / "rules.txt").write_text(text)
    (tmp_path / "new.csv").write_text("x,c\n4,z\n")
    outcome = treecli("predict", "rules.txt", "new.csv")
    assert (outcome.code, outcome.out) == (3, "")
    assert "new.csv: row 1: 'c' has a label that the rules do not know" in outcome.err


@pytest.mark.parametrize("suffix", ["csv", "md", "tex", "html"])
def test_tables_show_the_formula(treecli: Runner, tmp_path: Path, suffix: str) -> None:
    (tmp_path / "rules.txt").write_text(
        f"{STAND_INS} {{x: 1}}\nIF x > 3 THEN y = 1 + 3 * x (covered 2, rmse 1)\nDEFAULT 1\n"
    )
    assert treecli("rules", "rules.txt", "-o", f"r.{suffix}").code == 0
    assert "y = 1 + 3 * x" in (tmp_path / f"r.{suffix}").read_text().replace("\\ensuremath{*}", "*")
    plain = treecli("rules", "rules.txt", "--wording", "plain").out
    assert plain.splitlines()[0] == "If x is above 3, then y = 1 + 3 * x (2 cases, typically off by 1)."


def test_an_explanation_shows_the_formula_with_the_values_of_the_row(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text(HAND_WRITTEN)
    (tmp_path / "new.csv").write_text("x,c\n4,a\n,b\n")
    text = treecli("explain", "rules.txt", "new.csv", "--row", "1").out
    assert "y = 1 - 2 * x + 3 * (c in {a, b}) - 0.5 * (c = a)\n   = 1 - 2 * 4 + 3 * 1 - 0.5 * 1 = -4.5\n" in text
    assert "prediction: -4.5" in text
    text = treecli("explain", "rules.txt", "new.csv", "--row", "2").out
    assert "y = 2 * x\n   = 2 * 5 = 10\n   x is missing, and 5 stands for it\n" in text
    (row,) = json.loads(treecli("explain", "rules.txt", "new.csv", "--row", "1", "-f", "json").out)["rows"]
    assert row["formula"]["terms"][1] == {
        "factor": 3.0,
        "attribute": "c",
        "labels": ["a", "b"],
        "value": 1.0,
        "is_missing": False,
    }


def test_labels_of_conditions_keep_working_beside_formulas() -> None:
    rules = overlapping_formulas()
    assert rules.rules[1].conditions[1] == Labels.of(2, [1, 2], missing=True)
