"""treecli evaluate."""

from __future__ import annotations

import gzip
import json
from hashlib import sha256
from math import log
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.example_models import playtennis, regression
from treecli.models import write_model

SAMPLES = Path(__file__).parents[2] / "sample_data"
J48 = Path(__file__).parent.parent / "fixtures" / "j48"

FOUR_DAYS = """Outlook,Temperature,Humidity,Wind,PlayTennis
Sunny,Hot,High,Weak,No
Overcast,Hot,High,Weak,Yes
Overcast,Hot,High,Weak,No
Rain,Mild,High,Weak,Yes
"""


ZERO_HINT = (
    "Hint: 1 row has a class of probability 0, which log_loss takes as 2.2e-16; train with --laplace to smooth\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two models and data for each; the tree gets one of the four days wrong."""
    write_model(str(tmp_path / "days.json"), playtennis())
    write_model(str(tmp_path / "houses.json"), regression())
    (tmp_path / "days.csv").write_text(FOUR_DAYS)
    (tmp_path / "houses.csv").write_text("area,district,price\n50,hills,10\n70,harbour,33\n70,old town,20\n")
    return tmp_path


def test_the_report_for_people_has_measures_confusion_and_classes(treecli: Runner, folder: Path) -> None:
    code, out, err = treecli("evaluate", "days.json", "days.csv")
    assert (code, err) == (0, ZERO_HINT)
    # kappa: 3 right, by chance 2·1/4 + 2·3/4 = 2: (3 - 2) / (4 - 2). Wilson for 3 of 4: 0.3006 to 0.9544.
    assert out == (
        "measure                 value\n"
        "n                      4\n"
        "errors                 1\n"
        "accuracy               0.75\n"
        "accuracy_ci95_low      0.3006\n"
        "accuracy_ci95_high     0.9544\n"
        "kappa                  0.5\n"
        "balanced_accuracy      0.75\n"  # (1/2 + 1) / 2
        "mcc                    0.5774\n"  # 2 / sqrt(12): the counts are 1 1 / 0 2
        "macro_f1               0.7333\n"
        "auc                    0.75\n"
        "brier                  0.25\n"
        "log_loss               9.011\n"  # 52 ln 2 / 4
        "zero_probability_rows  1\n"
        "\n"
        "Rows: true class; columns: predicted class\n"
        "     No  Yes\n"
        "No    1    1\n"
        "Yes   0    2\n"
        "\n"
        "class  n  precision  recall      f1\n"
        "No     2     1          0.5  0.6667\n"
        "Yes    2     0.6667     1    0.8\n"
    )


def test_the_json_report_keeps_the_contract(treecli: Runner, folder: Path) -> None:
    code, out, _ = treecli("evaluate", "days.json", "days.csv", "--format", "json")
    facts = json.loads(out)
    assert code == 0
    assert facts.pop("accuracy_ci95") == pytest.approx([0.300642, 0.954413], abs=1e-6)
    assert facts.pop("per_class") == [
        {"label": "No", "support": 2, "precision": 1, "recall": 0.5, "f1": 2 / 3},
        {"label": "Yes", "support": 2, "precision": 2 / 3, "recall": 1, "f1": 0.8},
    ]
    assert facts == {
        "schema_version": 1,
        "n": 4,
        "errors": 1,
        "accuracy": 0.75,
        "kappa": 0.5,
        "absolute_loss": 0.5,
        "auc": 0.75,
        "auc_weighted": 0.75,
        "balanced_accuracy": 0.75,
        "brier": 0.25,
        "brier_binary": 0.25,
        "brier_multiclass_sum": 0.5,
        "cost": None,
        "leaves": 5,
        "log_loss": pytest.approx(52 * log(2) / 4),
        "macro_f1": pytest.approx((2 / 3 + 0.8) / 2),
        "macro_precision": pytest.approx(5 / 6),
        "macro_recall": 0.75,
        "mcc": pytest.approx(1 / 3**0.5),
        "squared_loss": 0.5,
        "zero_one_loss": 0.25,
        "zero_probability_rows": 1,
        "labels": ["No", "Yes"],
        "confusion": [[1, 1], [0, 2]],
        "confusion_other": [0, 0],
    }


def test_a_numeric_target_gets_the_measures_of_regression(treecli: Runner, folder: Path) -> None:
    code, out, _ = treecli("evaluate", "houses.json", "houses.csv", "-f", "json")
    # Predicted 12, 30, 20: errors 2, 3, 0; the true mean is 21, deviance 121 + 144 + 1.
    facts = json.loads(out)
    assert code == 0
    assert facts == {
        "schema_version": 1,
        "n": 3,
        "mae": pytest.approx(5 / 3),
        "rmse": pytest.approx((13 / 3) ** 0.5),
        "r2": pytest.approx(1 - 13 / 266),
        "absolute_loss": pytest.approx(5 / 3),
        "squared_loss": pytest.approx(13 / 3),
        "leaves": 4,
    }


def test_the_lectures_tree_makes_no_error_on_the_fourteen_days(treecli: Runner, folder: Path) -> None:
    code, out, err = treecli("evaluate", "days.json", SAMPLES / "playtennis.csv", "-f", "csv")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[:4] == ["measure,value,class,predicted", "n,14,,", "errors,0,,", "accuracy,1,,"]
    # All that JSON and the table have: four figures of each class and the four cells of the confusion matrix.
    assert "recall,1,No," in lines
    assert lines[-4:] == ["confusion,5,No,No", "confusion,0,No,Yes", "confusion,0,Yes,No", "confusion,9,Yes,Yes"]
    assert lines[6:8] == ["kappa,1,,", "absolute_loss,0,,"]
    assert len(lines) == 1 + 6 + 17 + 2 * 4 + 4


@pytest.mark.parametrize(
    ("model", "data", "least", "code", "message"),
    [
        ("days.json", "days.csv", "0.75", 0, ""),
        ("days.json", "days.csv", "0.76", 1, "Failed: accuracy 0.7500 < 0.76\n"),
        ("days.json", "days.csv", "accuracy=0.9,kappa=0.5,log-loss=1", 1, "Failed: accuracy 0.7500 < 0.9\n"),
        ("days.json", "days.csv", "kappa=0.8, mcc=0.9", 1, "Failed: kappa 0.5000 < 0.8\nFailed: mcc 0.5774 < 0.9\n"),
        # Rounded to four digits, it would seem to hold.
        ("days.json", "days.csv", "mcc=0.57736", 1, "Failed: mcc 0.5773502691896258 < 0.57736\n"),
        ("houses.json", "houses.csv", "0.95", 0, ""),
        ("houses.json", "houses.csv", "1", 1, "Failed: r2 0.9511 < 1\n"),
    ],
)
def test_fail_under_turns_a_weak_model_into_exit_code_1_after_the_report(
    treecli: Runner, folder: Path, model: str, data: str, least: str, code: int, message: str
) -> None:
    outcome = treecli("evaluate", model, data, "-q", "--fail-under", least)
    assert (outcome.code, outcome.err) == (code, message)
    assert outcome.out.startswith("measure")


def test_r2_that_does_not_exist_fails_any_check(treecli: Runner, folder: Path) -> None:
    (folder / "one.csv").write_text("area,district,price\n50,hills,12\n")
    code, out, err = treecli("evaluate", "houses.json", "one.csv", "--fail-under", "-5")
    assert code == 1
    assert out.splitlines()[-1].split() == ["r2", "n/a"]
    assert err == "Failed: r2 is not defined here, expected at least -5\n"


def test_fail_under_is_a_share_and_not_a_percentage(treecli: Runner, folder: Path) -> None:
    assert treecli("evaluate", "days.json", "days.csv", "--fail-under", "90").code == 2


def test_rows_without_a_target_are_left_out_with_a_warning(treecli: Runner, folder: Path) -> None:
    (folder / "gaps.csv").write_text(FOUR_DAYS + "Rain,Mild,High,Weak,?\n")
    code, out, err = treecli("evaluate", "days.json", "gaps.csv", "-f", "json")
    assert (code, json.loads(out)["n"]) == (0, 4)
    assert err == "Warning: left out 1 row without a value of the target 'PlayTennis'\n" + ZERO_HINT


def test_data_without_any_value_of_the_target_is_bad_data(treecli: Runner, folder: Path) -> None:
    (folder / "none.csv").write_text(FOUR_DAYS.splitlines()[0] + "\nRain,Mild,High,Weak,?\n")
    code, out, err = treecli("evaluate", "days.json", "none.csv")
    assert (code, out) == (3, "")
    assert "found no row with a value of the target 'PlayTennis'" in err


def test_an_infinite_true_value_is_bad_data(treecli: Runner, folder: Path) -> None:
    (folder / "far.csv").write_text("area,district,price\n50,hills,inf\n50,hills,1\n")
    code, _, err = treecli("evaluate", "houses.json", "far.csv")
    assert code == 3
    assert "infinite" in err


def test_a_true_label_that_the_model_does_not_know_counts_as_an_error(treecli: Runner, folder: Path) -> None:
    (folder / "perhaps.csv").write_text(FOUR_DAYS + "Rain,Mild,High,Weak,Perhaps\n")
    code, out, err = treecli("evaluate", "days.json", "perhaps.csv")
    assert code == 0
    assert "(other)   0    1\n" in out
    assert ["accuracy", "0.6"] in [line.split() for line in out.splitlines()]
    assert "'Perhaps'" in err


def test_rows_count_with_their_weights(treecli: Runner, folder: Path) -> None:
    header, *rows = FOUR_DAYS.splitlines()
    weighted = [f"{header},w", *(f"{row},{weight}" for row, weight in zip(rows, (1, 0.5, 3, 1), strict=True))]
    (folder / "weighted.csv").write_text("\n".join(weighted) + "\n")
    facts = json.loads(treecli("evaluate", "days.json", "weighted.csv", "--weights", "w", "-f", "json").out)
    assert (facts["n"], facts["errors"], facts["confusion"]) == (5.5, 3, [[1, 3], [0, 1.5]])


@pytest.mark.parametrize(
    ("policy", "code", "accuracy"),
    [("missing", 0, 0.0), ("majority", 0, 1.0), ("error", 3, None)],
)
def test_an_unseen_label_follows_the_option(
    treecli: Runner, folder: Path, policy: str, code: int, accuracy: float | None
) -> None:
    # As missing: Yes with 9/14. By majority as Sunny: No.
    (folder / "fog.csv").write_text(FOUR_DAYS.splitlines()[0] + "\nFog,Hot,High,Weak,No\n")
    outcome = treecli("evaluate", "days.json", "fog.csv", "--unseen", policy, "-f", "json")
    assert outcome.code == code
    assert "'Fog'" in outcome.err
    if accuracy is None:
        assert "Error: fog.csv: row 1: 'Outlook' has a label that the model has not seen" in outcome.err
    else:
        assert json.loads(outcome.out)["accuracy"] == accuracy


def test_the_number_of_jobs_does_not_change_the_report(treecli: Runner, folder: Path) -> None:
    one, two = (treecli("evaluate", "days.json", "days.csv", "--jobs", n, "-f", "json") for n in ("1", "2"))
    assert one == two


def test_the_model_or_the_data_may_come_from_stdin_but_not_both(treecli: Runner, folder: Path) -> None:
    expected = treecli("evaluate", "days.json", "days.csv")
    assert treecli("evaluate", "-", "days.csv", input=(folder / "days.json").read_bytes()) == expected
    assert treecli("evaluate", "days.json", "-", "--from", "csv", input=FOUR_DAYS) == expected
    both = treecli("evaluate", "-", "-", input=FOUR_DAYS)
    assert both.code == 2
    assert "one stdin" in both.err


def test_reading_is_reported_on_request_only(treecli: Runner, folder: Path) -> None:
    assert "days.csv: 4 rows" in treecli("evaluate", "days.json", "days.csv", "-v").err


def test_bad_files_have_exit_codes_of_their_own(treecli: Runner, folder: Path) -> None:
    assert treecli("evaluate", "days.csv", "days.csv").code == 4
    assert treecli("evaluate", "days.json", "houses.csv").code == 3


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ((), "these are the rows the model was grown from"),
        (
            ("--test-fraction", "0.25"),
            "the model was grown from these rows, except 1 that --test-fraction held out",
        ),
    ],
)
@pytest.mark.parametrize("is_rules", [False, True])
def test_the_very_training_rows_are_warned_of(
    treecli: Runner, folder: Path, options: tuple[str, ...], found: str, is_rules: bool
) -> None:
    model = "grown.json"
    assert treecli("train", "days.csv", "-q", *options, "-o", model).code == 0
    if is_rules:
        assert treecli("rules", model, "-o", "rules.json", "-q").code == 0
        model = "rules.json"
    outcome = treecli("evaluate", model, "days.csv")
    assert outcome.err == f"Warning: days.csv: {found}; for an unbiased estimate use crossval or other rows\n"
    assert treecli("evaluate", model, "days.csv", "-q").err == ""
    (folder / "more.csv").write_text(FOUR_DAYS + "Rain,Mild,High,Weak,Yes\n")
    assert treecli("evaluate", model, "more.csv").err == ""


def test_the_training_rows_are_recognised_compressed_or_not(treecli: Runner, folder: Path) -> None:
    (folder / "days.csv.gz").write_bytes(gzip.compress((folder / "days.csv").read_bytes()))
    for trained in ("days.csv", "days.csv.gz"):
        assert treecli("train", trained, "-q", "-o", "grown.json").code == 0
        for data in ("days.csv", "days.csv.gz"):
            assert "these are the rows the model was grown from" in treecli("evaluate", "grown.json", data).err


def test_a_model_that_recorded_the_hash_of_the_compressed_file_recognises_it(treecli: Runner, folder: Path) -> None:
    archive = gzip.compress((folder / "days.csv").read_bytes())
    (folder / "days.csv.gz").write_bytes(archive)
    assert treecli("train", "days.csv.gz", "-q", "-o", "grown.json").code == 0
    text = (folder / "grown.json").read_text()
    content, given = (sha256(data).hexdigest() for data in ((folder / "days.csv").read_bytes(), archive))
    assert content in text
    (folder / "grown.json").write_text(text.replace(content, given))
    assert "these are the rows the model was grown from" in treecli("evaluate", "grown.json", "days.csv.gz").err
    assert treecli("evaluate", "grown.json", "days.csv").err == ""


def test_ties_among_summed_probabilities_are_broken_as_in_j48(treecli: Runner) -> None:
    # Weka 3.6.14: J48 trained from ties.arff, its predictions for the rows of ties-rows.arff as their class. Each row
    # has two labels whose probabilities are equal but for rounding.
    assert treecli("train", J48 / "ties.arff", "--like", "j48", "-o", "ties.json", "-q").code == 0
    report = json.loads(treecli("evaluate", "ties.json", J48 / "ties-rows.arff", "-f", "json").out)
    assert (report["n"], report["errors"]) == (15, 0)
