"""Boosted sets of rules."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from tests.example_models import PLAYTENNIS
from tests.growing import sample
from treecli.data import Dataset
from treecli.ensembles.rulesets import ruleset_of
from treecli.errors import ModelError, UsageError
from treecli.learn import learn, learn_several
from treecli.models import answers, decode, encode
from treecli.recipe import Recipe
from treecli.rules.rule import Rule
from treecli.rules.rulesets import Ruleset, RulesetsModel, ballots
from treecli.settings import Settings
from treecli.values import Labels

BOOSTED = ["--like", "c50", "--boost", "5", "--rulesets"]
NO, YES = 0, 1
OUTLOOK, HUMIDITY, WIND = 0, 2, 3
VALIDATOR = Draft202012Validator(json.loads((files("treecli") / "model.schema.json").read_text()))


def _rule(attribute: int, code: int, label: int, correct: float, covered: float) -> Rule:
    return Rule((Labels.of(attribute, [code]),), label=label, correct=correct, covered=covered)


def by_hand() -> RulesetsModel:
    """Three sets of rules, whose confidences are 4/7 and 5/9, 7/10, and 5/6."""
    sets = (
        Ruleset((_rule(HUMIDITY, 0, NO, 4.0, 7.0), _rule(OUTLOOK, 0, NO, 3.0, 5.0)), Rule((), label=YES)),
        Ruleset((_rule(WIND, 0, YES, 6.0, 8.0),), Rule((), label=NO)),
        Ruleset((_rule(OUTLOOK, 1, YES, 4.0, 4.0),), Rule((), label=NO)),
    )
    return RulesetsModel(PLAYTENNIS, Settings(), (), sets)


def _days(*days: tuple[int, int, int]) -> Dataset:
    outlook, humidity, wind = (np.array(column, np.int32) for column in zip(*days, strict=True))
    return Dataset(PLAYTENNIS, [outlook, np.zeros(len(days), np.int32), humidity, wind], None, np.ones(len(days)))


DAYS = _days((0, 0, 0), (2, 0, 1), (1, 1, 0), (2, 1, 1))
"""Sunny, high, weak; rain, high, strong; overcast, normal, weak; rain, normal, strong."""


def test_a_set_votes_with_the_confidence_of_its_most_specific_rule_or_one_half() -> None:
    """The first day matches both rules of the first set, of which that for Sunny covers fewer cases: 4/7 = 0.571."""
    codes, confidence = ballots(by_hand().member(0), DAYS)
    assert codes.tolist() == [NO, NO, YES, YES]
    assert confidence.tolist() == [0.571, 0.556, 0.5, 0.5]


def test_the_class_with_the_largest_sum_of_confidences_wins() -> None:
    """No 0.571 + 0.5 to yes 0.7; no 0.556 + 0.5 + 0.5; yes 0.5 + 0.7 + 0.833; yes 0.5 to no 0.5 + 0.5."""
    codes, shares = answers(by_hand(), DAYS)
    assert codes.tolist() == [NO, NO, YES, NO]
    assert shares[:, YES] == pytest.approx([0.7 / 1.771, 0.0, 1.0, 1 / 3])


def test_the_first_set_is_the_ruleset_of_the_tree_and_its_errors_are_recorded() -> None:
    vote = sample("vote.arff")
    model = learn_several(vote, Recipe.parse(BOOSTED))
    assert isinstance(model, RulesetsModel)
    rules = ruleset_of(learn(vote, Recipe.parse(["--like", "c50"])), vote)
    assert (model.sets[0].rules, model.sets[0].default) == (rules.rules, rules.default)
    wrong = ballots(rules, vote)[0] != vote.target
    assert model.lineage[-1]["errors"][0] == pytest.approx(wrong.mean())
    assert len(model.sets) == model.lineage[-1]["trees"] == 5


def test_cases_are_weighed_by_the_errors_of_the_sets() -> None:
    """The erring cases of the first set get (K - E) / 4 in equal parts, and the classes of the second count so."""
    vote = sample("vote.arff")
    model = learn_several(vote, Recipe.parse(BOOSTED))
    assert isinstance(model, RulesetsModel)
    is_wrong = ballots(model.member(0), vote)[0] != vote.target
    n_wrong = int(is_wrong.sum())
    moved = (435 - 2 * n_wrong) / 4
    weights = np.where(is_wrong, 1 + moved / n_wrong, 1 - moved / (435 - n_wrong))
    expected = np.bincount(vote.target, weights)  # type: ignore[arg-type]
    assert list(model.sets[1].outcomes or ()) == pytest.approx(expected.tolist())


def test_a_file_follows_the_schema_and_damage_is_reported_with_its_place() -> None:
    text = b"".join(encode(by_hand()))
    record = json.loads(text)
    VALIDATOR.validate(record)
    assert decode(text, "m.json") == by_hand()
    record["rulesets"][1]["rules"][0]["label"] = "Perhaps"
    with pytest.raises(ModelError, match="set 2, rule 1: the label 'Perhaps', expected one of 'PlayTennis'"):
        decode(json.dumps(record).encode(), "m.json")
    record["rulesets"] = []
    with pytest.raises(ModelError, match="rulesets: there is none"):
        decode(json.dumps(record).encode(), "m.json")


@pytest.mark.parametrize("options", [[], ["--boost", "3"], ["--like", "c50"], ["--like", "c50", "--forest", "3"]])
def test_rulesets_go_with_boosting_like_c50(options: list[str]) -> None:
    with pytest.raises(UsageError, match="--rulesets goes with --like c50 --boost N"):
        Recipe.parse(["--rulesets", *options])


def test_commands_take_rulesets_or_refuse_them_in_one_line(treecli, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    iris = Path(__file__).parents[2] / "sample_data" / "iris.csv"
    grown = treecli("train", iris, "--like", "c50", "--boost", "3", "--rulesets", "-o", "m.json")
    assert grown.code == 0
    assert grown.out.startswith("3 sets of rules, ")
    shown = treecli("show", "m.json").out
    assert [line for line in shown.splitlines() if line.startswith("#")] == [f"# set {n} of 3" for n in (1, 2, 3)]
    assert json.loads(treecli("show", "m.json", "-f", "json").out)["kind"] == "rulesets"
    assert "3 of 3 sets of rules vote for Iris-setosa." in treecli("explain", "m.json", iris, "--row", "1").out
    votes = json.loads(treecli("explain", "m.json", iris, "--row", "1", "-f", "json").out)["rows"][0]["votes"]
    assert [vote["prediction"] for vote in votes] == ["Iris-setosa"] * 3
    assert treecli("rules", "m.json", "--set", "2", "-o", "second.json").code == 0
    text = treecli("show", "second.json").out
    assert text in shown
    assert json.loads((tmp_path / "second.json").read_text())["lineage"][-1] == {"command": "rules", "set": 2}
    for words, code in {
        ("rules", "m.json", "--set", "4"): 2,
        ("rules", "second.json", "--set", "1"): 2,
        ("evaluate", "m.json", iris, "-q"): 0,
        ("predict", "m.json", iris, "--proba"): 0,
        ("importance", "m.json"): 0,
        ("info", "m.json"): 0,
        ("diff", "m.json", "m.json", iris): 0,
        ("export", "m.json", "--to", "sql"): 2,
        ("show", "m.json", "-f", "svg"): 2,
        ("show", "m.json", "--tree", "1"): 2,
        ("show", "m.json", "--depth", "1"): 2,
        ("train", iris, *BOOSTED, "--plot", "x.svg", "-o", "x.json"): 2,
        ("stability", iris, "--rulesets"): 2,
        ("rules", "m.json"): 4,
        ("prune", "m.json", "--method", "pessimistic"): 4,
    }.items():
        outcome = treecli(*words)
        assert outcome.code == code, words
        assert code == 0 or (outcome.out == "" and outcome.err.count("Error: ") == 1), words
