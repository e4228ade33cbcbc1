"""treecli evaluate: several models, groups of rows, costs, wrong rows and calibration."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.example_models import playtennis, regression
from treecli.commands import _evaluated
from treecli.models import write_model

SAMPLES = Path(__file__).parents[2] / "sample_data"

FIVE_DAYS = """Outlook,Temperature,Humidity,Wind,PlayTennis,Town
Sunny,Hot,High,Weak,No,Uni
Overcast,Hot,High,Weak,?,Uni
Overcast,Hot,High,Weak,Yes,Uni
Overcast,Hot,High,Weak,No,Dorf
Rain,Mild,High,Weak,Yes,
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The lectures' tree and its rules, a numeric model, and five days, one without a truth and one wrong."""
    write_model(str(tmp_path / "days.json"), playtennis())
    write_model(str(tmp_path / "houses.json"), regression())
    (tmp_path / "days.csv").write_text(FIVE_DAYS)
    (tmp_path / "houses.csv").write_text("area,district,price\n50,hills,10\n70,harbour,33\n70,old town,20\n")
    return tmp_path


@pytest.fixture
def small(treecli: Runner, folder: Path) -> str:
    """The tree of the sample courses that asks for Sys alone."""
    ignored = [word for name in ("Easy", "AI", "Thy", "Morning") for word in ("-x", name)]
    assert treecli("train", SAMPLES / "courses.csv", "-q", "-o", "sys.json", *ignored).code == 0
    return "sys.json"


def test_the_courses_have_the_measures_of_the_documentation(treecli: Runner, small: str) -> None:
    # accuracy, interval, kappa, mcc: by hand from 10 2 / 0 8; auc, brier, log loss: scikit-learn 1.9.1.
    lines = [line.split() for line in treecli("evaluate", small, SAMPLES / "courses.csv").out.splitlines()[:13]]
    assert dict(line for line in lines if len(line) == 2) == {
        "measure": "value",
        "n": "20",
        "errors": "2",
        "accuracy": "0.9",
        "accuracy_ci95_low": "0.699",
        "accuracy_ci95_high": "0.9721",
        "kappa": "0.8",
        "balanced_accuracy": "0.9167",
        "mcc": "0.8165",
        "macro_f1": "0.899",
        "auc": "0.9167",
        "brier": "0.08",
        "log_loss": "0.2502",
    }


def test_several_models_share_a_table(treecli: Runner, folder: Path) -> None:
    assert treecli("rules", "days.json", "-q", "-o", "rules.json").code == 0
    code, out, _ = treecli("evaluate", "days.json", "rules.json", "days.csv", "-q")
    header, tree, rules = (line.split() for line in out.splitlines())
    assert code == 0
    assert header[:4] == ["model", "n", "errors", "accuracy"]
    assert (tree[:4], rules[:4]) == (["days.json", "4", "1", "0.75"], ["rules.json", "4", "1", "0.75"])


def test_several_models_are_a_list_in_json_and_lines_in_csv(treecli: Runner, folder: Path) -> None:
    one = json.loads(treecli("evaluate", "days.json", "days.csv", "-q", "-f", "json").out)
    two = json.loads(treecli("evaluate", "days.json", "days.json", "days.csv", "-q", "-f", "json").out)
    assert two == {"schema_version": 1, "models": [{"model": "days.json"} | _without_version(one)] * 2}
    lines = list(csv.DictReader(treecli("evaluate", "days.json", "days.json", "days.csv", "-qfcsv").out.splitlines()))
    assert [(line["model"], line["accuracy"], line["log_loss"]) for line in lines] == [
        ("days.json", "0.75", str(one["log_loss"]))
    ] * 2


def _without_version(facts: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in facts.items() if name != "schema_version"}


def test_models_of_different_targets_cannot_share_a_table(treecli: Runner, folder: Path) -> None:
    (folder / "both.csv").write_text("area,district,price,Outlook,Temperature,Humidity,Wind,PlayTennis\n"
                                     "50,hills,10,Sunny,Hot,High,Weak,No\n")  # fmt: skip
    code, out, err = treecli("evaluate", "days.json", "houses.json", "both.csv")
    assert (code, out) == (2, "")
    assert "houses.json predicts a numeric target, but days.json a nominal one" in err


def test_groups_are_measured_apart_in_order_of_appearance(treecli: Runner, folder: Path) -> None:
    facts = json.loads(treecli("evaluate", "days.json", "days.csv", "-q", "-f", "json", "--by", "Town").out)
    assert facts["by"]["column"] == "Town"
    groups = [(group["group"], group["n"], group["errors"]) for group in facts["by"]["groups"]]
    assert groups == [("Uni", 2, 0), ("Dorf", 1, 1), (None, 1, 0)]
    assert "labels" not in facts["by"]["groups"][0]


def test_groups_are_lines_of_a_table_and_rows_of_csv(treecli: Runner, folder: Path) -> None:
    table = treecli("evaluate", "days.json", "days.csv", "-q", "--by", "Town").out.split("\n\n")[-1].splitlines()
    assert [line.split()[:4] for line in table] == [
        ["Town", "n", "errors", "accuracy"],
        ["Uni", "2", "0", "1"],
        ["Dorf", "1", "1", "0"],
        ["(missing)", "1", "0", "1"],
    ]
    lines = treecli("evaluate", "days.json", "days.csv", "-q", "--by", "Town", "-f", "csv").out.splitlines()
    assert lines[0] == "measure,value,class,predicted,group"
    assert {"accuracy,0.75,,,", "accuracy,0,,,Dorf", "accuracy,1,,,"} <= set(lines)


def test_groups_of_several_models_name_both(treecli: Runner, folder: Path) -> None:
    out = treecli("evaluate", "days.json", "days.json", "days.csv", "-q", "--by", "Town", "-f", "csv").out
    assert out.startswith("model,Town,n,errors,accuracy,")
    assert len(out.splitlines()) == 1 + 2 * 3


def test_groups_of_a_numeric_target_have_its_measures(treecli: Runner, folder: Path) -> None:
    facts = json.loads(treecli("evaluate", "houses.json", "houses.csv", "-f", "json", "--by", "area").out)
    assert [(group["group"], group["n"], group["mae"]) for group in facts["by"]["groups"]] == [
        ("50", 1, 2),
        ("70", 2, 1.5),
    ]


def test_an_unknown_group_column_is_a_usage_error(treecli: Runner, folder: Path) -> None:
    code, out, err = treecli("evaluate", "days.json", "days.csv", "--by", "Towm")
    assert (code, out) == (2, "")
    assert "found no column 'Towm' (--by)" in err
    assert "Hint: did you mean 'Town'?" in err


def test_a_column_of_too_many_values_is_refused(treecli: Runner, folder: Path) -> None:
    (folder / "many.csv").write_text("area,district,price\n" + "".join(f"{i},hills,1\n" for i in range(1001)))
    code, _, err = treecli("evaluate", "houses.json", "many.csv", "--by", "area")
    assert code == 2
    assert "'area' has 1001 different values, expected at most 1000" in err


def test_a_cost_matrix_gives_the_mean_cost(treecli: Runner, folder: Path) -> None:
    (folder / "costs.csv").write_text(",No,Yes\nNo,0,10\nYes,1,0\n")
    facts = json.loads(treecli("evaluate", "days.json", "days.csv", "-qfjson", "--costs", "costs.csv").out)
    assert facts["cost"] == 2.5  # one No of four is predicted Yes
    failed = treecli("evaluate", "days.json", "days.csv", "-q", "--costs", "costs.csv", "--fail-over", "cost=1")
    assert (failed.code, failed.err) == (1, "Failed: cost 2.5000 > 1\n")
    assert ["cost", "2.5"] in [line.split() for line in failed.out.splitlines()]


def test_a_model_brings_its_own_costs(treecli: Runner, folder: Path) -> None:
    (folder / "costs.csv").write_text(",No,Yes\nNo,0,10\nYes,1,0\n")
    trained = ("train", "days.csv", "-t", "PlayTennis", "-x", "Town", "-q", "--max-depth", "1", "-o", "own.json")
    assert treecli(*trained, "--costs", "costs.csv").code == 0
    facts = json.loads(treecli("evaluate", "own.json", "days.csv", "-q", "-f", "json").out)
    (no_no, no_yes), (yes_no, yes_yes) = facts["confusion"]
    assert facts["cost"] == (10 * no_yes + yes_no) / (no_no + no_yes + yes_no + yes_yes)


def test_costs_for_a_numeric_target_are_refused(treecli: Runner, folder: Path) -> None:
    (folder / "costs.csv").write_text(",No,Yes\nNo,0,10\nYes,1,0\n")
    code, _, err = treecli("evaluate", "houses.json", "houses.csv", "--costs", "costs.csv")
    assert code == 2
    assert "--costs: the target 'price' is numeric and has no classes" in err


def test_wrong_rows_are_written_with_leaf_and_rule(treecli: Runner, folder: Path) -> None:
    assert treecli("evaluate", "days.json", "days.csv", "-q", "--errors", "wrong.csv").code == 0
    # The fourth row of the file; the second has no truth and is left out.
    assert (folder / "wrong.csv").read_text() == (
        "row,truth,prediction,leaf,rule\n4,No,Yes,2,IF Outlook = Overcast THEN Yes\n"
    )


def test_wrong_rows_of_a_rule_list_name_the_number_of_the_rule(treecli: Runner, folder: Path) -> None:
    (folder / "few.rules").write_text("target PlayTennis: nominal {No, Yes}\nattribute Wind: nominal {Weak, Strong}\n"
                                      "IF Wind = Strong THEN Yes\nIF Wind = Weak THEN Yes\nDEFAULT No\n")  # fmt: skip
    (folder / "new.csv").write_text("Wind,PlayTennis\nWeak,Perhaps\nStrong,Yes\n?,Yes\nWeak,No\n")
    assert treecli("evaluate", "few.rules", "new.csv", "-q", "--errors", "wrong.jsonl").code == 0
    assert [json.loads(line) for line in (folder / "wrong.jsonl").read_text().splitlines()] == [
        {"row": 1, "truth": "Perhaps", "prediction": "Yes", "leaf": 2, "rule": "IF Wind = Weak THEN Yes"},
        {"row": 3, "truth": "Yes", "prediction": "No", "leaf": None, "rule": None},
        {"row": 4, "truth": "No", "prediction": "Yes", "leaf": 2, "rule": "IF Wind = Weak THEN Yes"},
    ]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "arff", "parquet", "jsonl", "csv.gz"])
def test_wrong_rows_are_written_in_every_format_even_if_there_are_none(
    treecli: Runner, folder: Path, suffix: str
) -> None:
    no_error = SAMPLES / "playtennis.csv"
    for model, data in (("days.json", "days.csv"), ("days.json", no_error), ("houses.json", "houses.csv")):
        outcome = treecli("evaluate", model, data, "-q", "--errors", f"wrong.{suffix}")
        assert (outcome.code, outcome.err) == (0, "")
        assert (folder / f"wrong.{suffix}").stat().st_size > 0 or suffix == "jsonl"


def test_wrong_rows_of_a_numeric_target_are_those_with_a_difference(treecli: Runner, folder: Path) -> None:
    assert treecli("evaluate", "houses.json", "houses.csv", "-q", "--errors", "wrong.csv").code == 0
    lines = (folder / "wrong.csv").read_text().splitlines()
    assert [line.split(",")[:3] for line in lines[1:]] == [["1", "10", "12"], ["2", "33", "30"]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--errors", "-"), "--errors: found '-', but stdout has the report"),
        (("--errors", "days.csv"), "days.csv: is read by this command and would be overwritten"),
        (("--errors", "wrong.pdf"), "wrong.pdf: found the suffix '.pdf'"),
        (("--errors", "none/wrong.csv"), "none/wrong.csv: cannot be written"),
        (("--errors", "same.csv", "-o", "same.csv"), "same.csv: is written twice"),
    ],
)
def test_a_file_that_cannot_take_the_wrong_rows_is_refused_first(
    treecli: Runner, folder: Path, options: tuple[str, ...], message: str
) -> None:
    code, out, err = treecli("evaluate", "days.json", "days.csv", *options)
    assert (code, out) == (2, "")
    assert message in err
    assert (folder / "days.csv").read_text() == FIVE_DAYS


def test_calibration_lists_what_each_leaf_said_and_what_was_seen(treecli: Runner, small: str, folder: Path) -> None:
    (folder / "new.csv").write_text("Sys,Liked\n" + "y,n\n" * 3 + "y,y\n" * 7 + "n,y\n" * 5)
    facts = json.loads(treecli("evaluate", small, "new.csv", "-q", "-f", "json", "--calibration").out)
    first, second = facts["calibration"]
    assert first == {
        "leaf": 1,
        "n": 5,
        "prediction": "y",
        "said": 1,
        "seen": 1,
        "seen_ci95": [pytest.approx(0.56551754, rel=1e-7), 1],
        "verdict": None,
    }
    # Leaf 2 said n with 8 of 10; 3 of 10 are. Wilson 3 of 10: 0.1078 to 0.6032.
    assert (second["leaf"], second["n"], second["said"], second["seen"]) == (2, 10, 0.8, 0.3)
    assert second["seen_ci95"] == pytest.approx([0.10779127, 0.60322185], rel=1e-7)
    assert second["verdict"] == "too sure"
    last = treecli("evaluate", small, "new.csv", "-q", "--calibration").out.splitlines()[-1]
    assert last.split() == ["2", "10", "n", "0.8", "0.3", "0.1078", "0.6032", "too", "sure"]
    assert "leaf_seen,0.3,,,2" in treecli("evaluate", small, "new.csv", "-qfcsv", "--calibration").out.splitlines()


def test_rows_that_reach_several_leaves_are_calibrated_together(treecli: Runner, folder: Path) -> None:
    (folder / "gap.csv").write_text("Outlook,Temperature,Humidity,Wind,PlayTennis\n?,Hot,High,Weak,No\n")
    facts = json.loads(treecli("evaluate", "days.json", "gap.csv", "-q", "-f", "json", "--calibration").out)
    assert [(each["leaf"], each["n"]) for each in facts["calibration"]] == [(None, 1)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("houses.json houses.csv --calibration", "--calibration: the target 'price' is numeric"),
        ("days.json days.json days.csv --calibration", "--calibration: found 2 models, expected one"),
        ("days.json days.json days.csv --errors x.csv", "--errors: found 2 models, expected one"),
        ("- days.json -", "2 of the files are '-', but there is only one stdin"),
    ],
)
def test_options_that_do_not_fit_are_refused(treecli: Runner, folder: Path, arguments: str, message: str) -> None:
    code, out, err = treecli("evaluate", *arguments.split())
    assert (code, out) == (2, "")
    assert message in err


def test_absent_classes_are_named(treecli: Runner, folder: Path) -> None:
    assert treecli("train", SAMPLES / "iris.csv", "-q", "-o", "iris.json").code == 0
    header, *lines = (SAMPLES / "iris.csv").read_text().splitlines()
    (folder / "two.csv").write_text("\n".join([header, *lines[:100]]) + "\n")
    code, out, err = treecli("evaluate", "iris.json", "two.csv", "-f", "json")
    assert (code, err) == (0, "auc leaves out the classes without rows: Iris-virginica\n")
    facts = json.loads(out)
    assert facts["auc_one_vs_rest"]["Iris-virginica"] is None
    assert facts["auc"] == facts["auc_macro"] == 1
    (folder / "one.csv").write_text("\n".join([header, *lines[:50]]) + "\n")
    assert "auc is not defined: all rows are of one class" in treecli("evaluate", "iris.json", "one.csv").err


def test_smoothed_probabilities_give_no_hint(treecli: Runner, folder: Path) -> None:
    trained = ("train", SAMPLES / "playtennis.csv", "-q", "--laplace", "-o", "smooth.json")
    assert treecli(*trained).code == 0
    outcome = treecli("evaluate", "smooth.json", "days.csv", "-f", "json")
    assert "Hint" not in outcome.err
    assert json.loads(outcome.out)["zero_probability_rows"] == 0


def test_data_from_stdin_serve_several_models_and_groups(treecli: Runner, folder: Path) -> None:
    arguments = ("evaluate", "days.json", "days.json", "-", "--from", "csv", "-q", "--by", "Town", "-f", "json")
    expected = treecli("evaluate", "days.json", "days.json", "days.csv", "-q", "--by", "Town", "-f", "json")
    assert treecli(*arguments, input=FIVE_DAYS) == expected


def test_too_many_probabilities_are_left_out_unless_they_are_asked_for(
    treecli: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_evaluated, "MOST_PROBABILITIES", 7)  # there are four rows and two classes
    code, out, err = treecli("evaluate", "days.json", "days.csv", "-f", "json")
    facts = json.loads(out)
    assert (code, facts["accuracy"], facts["auc"], facts["zero_probability_rows"]) == (0, 0.75, None, None)
    assert "measures of probabilities are left out: there are 8 probabilities\n" in err
    asked = treecli("evaluate", "days.json", "days.csv", "-f", "json", "--fail-under", "auc=0.5")
    assert (asked.code, json.loads(asked.out)["auc"]) == (0, 0.75)
