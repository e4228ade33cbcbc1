"""treecli info"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.example_models import playtennis, regression, single_leaf
from tests.pipes import piped
from treecli.model import TreeModel
from treecli.models import write_model

SAMPLE_DATA = Path(__file__).parent.parent.parent / "sample_data"

MIXED = """\
height,colour,weight,verdict
1.5,red,1,good
2.5,,2,bad
,red,3,good
2.5,blue,4,good
"""

SCORES = ["threshold", "gain", "gain_ratio", "gini_decrease", "chi2", "chi2_df", "chi2_p"]


@pytest.fixture
def saved(tmp_path: Path) -> Callable[[TreeModel], Path]:
    def save(model: TreeModel) -> Path:
        path = tmp_path / "model.json"
        write_model(str(path), model)
        return path

    return save


def test_json_describes_a_model(treecli: Runner, saved: Callable[[TreeModel], Path]) -> None:
    model = playtennis()
    assert json.loads(treecli("info", saved(model), "-f", "json").out) == {
        "schema_version": 1,
        "kind": "tree",
        "nodes": 8,
        "leaves": 5,
        "depth": 2,
        "root": "Outlook",
        "target": "PlayTennis",
        "labels": ["No", "Yes"],
        "weight": 14.0,
        "attributes": [
            {"name": "Outlook", "kind": "nominal", "splits": 1},
            {"name": "Temperature", "kind": "nominal", "splits": 0},
            {"name": "Humidity", "kind": "nominal", "splits": 1},
            {"name": "Wind", "kind": "nominal", "splits": 1},
        ],
        "settings": model.settings.flat(),
        "lineage": [{"command": "train", "data": "playtennis.csv"}],
    }


def test_a_leaf_has_no_root_attribute_and_numbers_have_no_labels(
    treecli: Runner, saved: Callable[[TreeModel], Path]
) -> None:
    leaf = json.loads(treecli("info", saved(single_leaf()), "-f", "json").out)
    assert (leaf["root"], leaf["depth"], leaf["leaves"]) == (None, 0, 1)
    numbers = json.loads(treecli("info", saved(regression()), "-f", "json").out)
    assert (numbers["target"], numbers["labels"], numbers["weight"]) == ("price", None, 6.0)


def test_a_table_describes_a_model(treecli: Runner, saved: Callable[[TreeModel], Path]) -> None:
    model = playtennis()
    model = dataclasses.replace(model, settings=model.settings.changed(min_leaf=7.0, value_gap=0.5))
    outcome = treecli("info", saved(model))
    assert (outcome.code, outcome.err) == (0, "")
    lines = [line.split() for line in outcome.out.splitlines()]
    for expected in (["leaves", "5"], ["root", "Outlook"], ["Humidity", "nominal", "1"]):
        assert expected in lines
    assert ["min_leaf", "7", "--min-leaf"] in lines
    assert ["value_gap", "0.5", "--like"] in lines  # which has no option of its own
    assert "seed" not in [line[0] for line in lines if line]  # which is the usual one
    assert "command=train, data=playtennis.csv" in outcome.out


@pytest.mark.parametrize(
    ("data", "criterion", "is_shown"),
    [
        ("playtennis.csv", "gainratio", False),
        ("playtennis.csv", "gini", True),
        ("cpu.csv", "variance", False),
        ("cpu.csv", "absolute", True),
    ],
)
def test_the_usual_criterion_of_the_kind_of_target_is_not_listed(
    treecli: Runner, data: str, criterion: str, is_shown: bool
) -> None:
    assert treecli("train", SAMPLE_DATA / data, "--criterion", criterion, "--max-depth", "1", "-o", "m.json").code == 0
    lines = [line.split() for line in treecli("info", "m.json").out.splitlines()]
    assert (["criterion", criterion, "--criterion"] in lines) is is_shown
    assert ["max_depth", "1", "--max-depth"] in lines


def test_csv_has_the_properties_of_a_model(treecli: Runner, saved: Callable[[TreeModel], Path]) -> None:
    assert treecli("info", saved(playtennis()), "-f", "csv").out.splitlines() == [
        "property,value",
        "kind,tree",
        "nodes,8",
        "leaves,5",
        "depth,2",
        "root,Outlook",
        "target,PlayTennis",
        'labels,"No, Yes"',
        "weight,14",
    ]


def test_a_model_is_known_by_its_text_too(treecli: Runner, saved: Callable[[TreeModel], Path]) -> None:
    path = saved(playtennis())
    expected = treecli("info", path).out
    assert treecli("info", "-", input=path.read_bytes()).out == expected
    other = path.rename(path.with_suffix(".model"))
    assert treecli("info", other).out == expected


def test_options_for_data_do_not_go_with_a_model(treecli: Runner, saved: Callable[[TreeModel], Path]) -> None:
    outcome = treecli("info", saved(playtennis()), "--target", "Wind")
    assert (outcome.code, outcome.out) == (2, "")
    assert "is a model, and options such as --target describe data" in outcome.err


def test_json_describes_data(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "mixed.csv").write_text(MIXED)
    facts = json.loads(treecli("info", "mixed.csv", "-f", "json", "--weights", "weight").out)
    scores = [attribute.pop("scores") for attribute in facts["attributes"]]
    assert all(list(own) == SCORES for own in scores)
    assert facts == {
        "schema_version": 1,
        "rows": 4,
        "weight": 10.0,
        "attributes": [
            # (1.5 + 2.5 + 2.5) / 3, whatever the rows weigh
            {
                "name": "height",
                "kind": "numeric",
                "n_missing": 1,
                "n_distinct": 2,
                "min": 1.5,
                "mean": 6.5 / 3,
                "max": 2.5,
            },
            {
                "name": "colour",
                "kind": "nominal",
                "n_missing": 1,
                "n_distinct": 2,
                "labels": {"red": 2, "blue": 1},
            },
        ],
        "target": {
            "name": "verdict",
            "kind": "nominal",
            "n_missing": 0,
            "n_distinct": 2,
            "labels": {"good": 3, "bad": 1},
        },
        "left_out": [],
        "conflicts": {"rows": 0, "groups": 0, "error_floor": 0.0},
        "suspects": [],
    }


def test_an_identifier_is_listed_as_left_out(treecli: Runner) -> None:
    outcome = treecli("info", SAMPLE_DATA / "playtennis.csv")
    assert outcome.code == 0
    assert outcome.out.splitlines()[:3] == [
        "playtennis.csv: 14 rows, target PlayTennis",
        "name         role       kind     missing  distinct  labels",
        "Outlook      attribute  nominal        0         3  Sunny 5, Overcast 4, Rain 5",
    ]
    assert "Day   every value is different" in outcome.out
    facts = json.loads(treecli("info", SAMPLE_DATA / "playtennis.csv", "-f", "json").out)
    assert facts["left_out"] == [{"name": "Day", "reason": "every value is different"}]


def test_data_is_read_from_stdin(treecli: Runner) -> None:
    outcome = treecli("info", "-", "--from", "csv", "-f", "json", input=MIXED)
    assert (outcome.code, json.loads(outcome.out)["rows"]) == (0, 4)


def test_a_pipe_is_a_model_or_data_by_its_content(
    treecli: Runner, saved: Callable[[TreeModel], Path], tmp_path: Path
) -> None:
    model = saved(playtennis())
    rules = treecli("rules", model).out
    assert treecli("info", piped(tmp_path / "model", model.read_bytes())) == treecli("info", model)
    assert "rules" in treecli("info", piped(tmp_path / "rules", rules.encode())).out
    data = treecli("info", piped(tmp_path / "data", MIXED.encode()), "-f", "json")
    assert (data.code, json.loads(data.out)["rows"]) == (0, 4)
    named = treecli("info", piped(tmp_path / "named.csv", MIXED.encode()), "-f", "json")
    assert (named.code, json.loads(named.out)["rows"]) == (0, 4)


@pytest.mark.parametrize(
    ("content", "words", "code", "message"),
    [
        (b'{"treecli-model": 1, ', (), 4, "pipe: not readable as JSON: "),
        (b'{"treecli-model": 1}', ("-t", "x"), 2, "pipe: is a model, and options such as --target describe data"),
        (b'{"treecli-model": 1}', ("--from", "csv"), 3, "pipe: is a model, expected data"),
        (b"", (), 3, "pipe: found no suffix, expected one of "),
    ],
)
def test_a_pipe_with_neither_is_refused_in_one_line(
    treecli: Runner, tmp_path: Path, content: bytes, words: tuple[str, ...], code: int, message: str
) -> None:
    outcome = treecli("info", piped(tmp_path / "pipe", content), *words)
    assert (outcome.code, outcome.out) == (code, "")
    assert message in outcome.err.splitlines()[0]


def test_a_table_shortens_long_lists_of_labels_and_csv_does_not(treecli: Runner, tmp_path: Path) -> None:
    rows = "".join(f"{letter},{value}\n" for letter in "abcdefg" for value in ("x", "y"))
    (tmp_path / "letters.csv").write_text(f"letter,value\n{rows}")
    assert "a 2, b 2, c 2, d 2, e 2, … 2 more" in treecli("info", "letters.csv").out
    assert "a 2, b 2, c 2, d 2, e 2, f 2, g 2" in treecli("info", "letters.csv", "-f", "csv").out


def test_infinite_numbers_have_no_mean(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "infinite.csv").write_text("x,y\ninf,a\n-inf,b\n1,a\n1,b\n")
    outcome = treecli("info", "infinite.csv", "-f", "json")
    assert (outcome.code, json.loads(outcome.out)["attributes"][0]["mean"]) == (0, None)


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [("playtenis.csv", 3, "playtenis.csv: no such file"), ("playtenis.json", 4, "playtenis.json: no such file")],
)
def test_a_missing_file_is_named(treecli: Runner, name: str, code: int, message: str) -> None:
    outcome = treecli("info", name)
    assert (outcome.code, outcome.out) == (code, "")
    assert message in outcome.err


def test_the_usual_criterion_of_a_preset_is_no_setting_to_report(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("x,y\n1,a\n2,b\n3,a\n4,b\n")
    assert treecli("train", "d.csv", "--like", "sklearn", "-q").code == 0
    assert "usual_criterion" not in treecli("info", "d.json").out


def test_csv_of_a_model_mentions_omitted_parts(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("x,y\n1,a\n2,b\n3,a\n4,b\n")
    assert treecli("train", "d.csv", "-q").code == 0
    assert "json also has the attributes" in treecli("info", "d.json", "-f", "csv").err


def test_one_row_is_not_one_rows(treecli: Runner) -> None:
    assert treecli("info", "-", "--from", "csv", input="x,class\n1,a\n").out.startswith("stdin: 1 row, target class\n")


def test_the_table_has_the_scores_conflicts_and_suspects(treecli: Runner, golden: Callable[[str, str], None]) -> None:
    golden("info/courses", treecli("info", SAMPLE_DATA / "courses.csv").out)
    golden("info/iris", treecli("info", SAMPLE_DATA / "iris.csv").out)
    golden("info/cpu", treecli("info", SAMPLE_DATA / "cpu.csv").out)


def test_csv_has_the_scores_in_further_columns(treecli: Runner) -> None:
    lines = treecli("info", SAMPLE_DATA / "playtennis.csv", "-f", "csv").out.splitlines()
    names = lines[0].split(",")
    assert names[:3] == ["name", "role", "kind"]
    assert names[-len(SCORES) :] == [f"root_{name}" for name in SCORES]
    outlook = next(line for line in lines if line.startswith("Outlook,"))
    assert f"{float(outlook.split(',')[-6]):.4f}" == "0.2467"
    assert lines[-1].endswith("," * len(SCORES))


def test_a_leak_and_an_identifier_are_named(treecli: Runner, tmp_path: Path) -> None:
    rows = "".join(f"{i},{i * 7 % 10},{'ab'[i % 2]},{'yn'[i % 2]}\n" for i in range(40))
    (tmp_path / "a.csv").write_text("id,x,code,class\n" + rows)
    facts = json.loads(treecli("info", "a.csv", "-f", "json").out)
    assert [(own["name"], own["suspicion"]) for own in facts["suspects"]] == [("id", "identifier"), ("code", "leak")]
    assert "Suspicious attributes\nname  suspicion   reason\n" in treecli("info", "a.csv").out


def test_targets_that_nothing_can_be_learned_from_have_no_scores(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,1e200\n2,2e200\n")
    done = treecli("info", "a.csv", "-f", "json")
    assert (done.code, done.err[:13]) == (0, "no scores: a.")
    assert "conflicts" not in json.loads(done.out)


def test_drift_against_a_model(treecli: Runner, tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    train = "".join(f"{i},{'rg'[i % 2]},{'no' if i < 10 else 'yes'}\n" for i in range(20))
    (tmp_path / "train.csv").write_text("x,colour,class\n" + train)
    assert treecli("train", "train.csv", "-o", "m.json", "-q").code == 0
    (tmp_path / "new.csv").write_text("x,colour,class\n" + "25,b,yes\n" * 6 + ",r,yes\n12,r,yes\n")
    done = treecli("info", "new.csv", "--model", "m.json")
    assert done.code == 0
    assert done.err == "Warning: 'colour' holds labels that the model does not know in 6 rows: 'b'\n"
    golden("info/drift", done.out)
    facts = json.loads(treecli("info", "new.csv", "--model", "m.json", "-f", "json", "-q").out)
    assert [own.get("outside", own.get("unseen")) for own in facts["attributes"]] == [0.75, 0.75]
    assert facts["leaves"]["rows_at_several_leaves"] == 1
    assert facts["target"]["psi"] > 0.25


def test_drift_without_a_target_or_of_rules_has_no_shares(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("Outlook,Temperature,Humidity,Wind\nSunny,Hot,High,Weak\n")
    write_model(str(tmp_path / "m.json"), playtennis())
    facts = json.loads(treecli("info", "new.csv", "--model", "m.json", "-f", "json").out)
    assert facts["target"] is None
    assert len(facts["leaves"]["leaves"]) == 5
    assert treecli("rules", "m.json", "-o", "r.json", "-q").code == 0
    rules = treecli("info", "new.csv", "--model", "r.json", "-f", "json")
    assert json.loads(rules.out)["leaves"] is None
    assert rules.err == "the shares of classes and leaves are not compared: a rule list does not store them\n"


def test_with_a_model_columns_are_not_chosen(treecli: Runner, saved: Callable[[TreeModel], Path]) -> None:
    path = saved(playtennis())
    done = treecli("info", SAMPLE_DATA / "playtennis.csv", "--model", path, "-x", "Wind")
    assert (done.code, done.err) == (
        2,
        "Error: --ignore: with --model the model determines the columns\nHint: leave it out\n",
    )


def test_columns_of_infinite_numbers_do_not_count_the_rows(treecli, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "far.csv").write_text("x,y\n" + "inf,a\n-inf,b\n" * 20, encoding="utf-8")
    code, out, _ = treecli("info", "far.csv", "-f", "json", cwd=tmp_path)
    assert code == 0
    assert "identifier" not in out
