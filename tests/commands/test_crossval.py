"""`treecli crossval`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

VOTE, IRIS, CPU = (f"sample_data/{name}" for name in ("vote.arff", "iris.arff", "cpu.csv"))


@pytest.fixture
def sample(treecli, request):  # type: ignore[no-untyped-def]
    root = request.config.rootpath
    return lambda name: str(root / name)


def test_wekas_ten_fold_counts_of_j48_are_repeated(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    # Weka 3.6.14: weka.classifiers.trees.J48 -C 0.25 -M 2 -x 10 -s 1 on these files.
    for name, correct in ((VOTE, 419), (IRIS, 144)):
        code, out, _ = treecli(
            "crossval", sample(name), "--like", "j48", "--seed", "1", "--folds-like", "weka", "-f", "json"
        )
        assert code == 0
        report = json.loads(out)
        assert report["n"] - report["errors"] == correct
        assert len(report["per_fold"]) == report["folds"] == 10


def test_folds_of_a_full_tree_add_up_to_all_rows(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    _, out, _ = treecli("crossval", sample(IRIS), "--folds", "5", "--criterion", "gini", "-f", "json")
    report = json.loads(out)
    assert report["schema_version"] == 1
    assert sum(fold["n"] for fold in report["per_fold"]) == report["n"] == 150
    assert report["accuracy"] == pytest.approx(1 - report["errors"] / 150)
    assert 0.9 < report["accuracy"] < 1


def test_a_numeric_target_is_measured_by_its_errors(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    _, out, _ = treecli("crossval", sample(CPU), "--folds", "3", "-f", "json")
    report = json.loads(out)
    assert report["rmse"] >= report["mae"] > 0
    assert report["rmse_sd"] > 0


def test_the_same_seed_gives_the_same_report_and_another_seed_another(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    reports = [treecli("crossval", sample(IRIS), "--seed", seed, "-f", "json")[1] for seed in ("1", "1", "2")]
    assert reports[0] == reports[1] != reports[2]


def test_more_folds_than_rows_are_refused(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    code, out, err = treecli("crossval", sample("sample_data/sxl.csv"), "--folds", "5")
    assert (code, out) == (2, "")
    assert "5 folds of 4 rows" in err


def test_csv_keeps_the_summary_and_adds_the_folds(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = treecli("crossval", sample(IRIS), "--folds", "3", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert [row["measure"] for row in rows[:6]] == ["folds", "n", "leaves", "errors", "accuracy", "accuracy_sd"]
    assert rows[0] == {"measure": "folds", "value": "3", "fold": "", "run": "", "class": "", "predicted": ""}
    assert [row["value"] for row in rows if row["measure"] == "n"] == ["150"]
    assert [(row["value"], row["fold"]) for row in rows if row["measure"] == "fold_n"] == [
        ("50", "1"),
        ("50", "2"),
        ("50", "3"),
    ]


EXPERIMENTER = json.loads((Path(__file__).parents[1] / "fixtures/experimenter/folds.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("name", "words"), [(name, words) for name in ("weka-iris", "weka-vote") for words in EXPERIMENTER[name]]
)
def test_the_folds_of_wekas_experimenter_are_repeated(treecli, sample, name: str, words: str) -> None:  # type: ignore[no-untyped-def]
    path = sample(f"tests/exact/fixtures/data/{name}.arff")
    as_weka = ("--repeats", "10", "--folds-like", "weka", "--seed", "1")
    code, out, _ = treecli("crossval", path, *words.split(), *as_weka, "-f", "json")
    assert code == 0
    assert [fold["errors"] for fold in json.loads(out)["per_fold"]] == EXPERIMENTER[name][words]


def test_runs_are_averaged_with_a_corrected_interval(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    words = ("crossval", sample(IRIS), "--like", "j48", "--repeats", "10", "--folds-like", "weka", "--seed", "1")
    code, out, _ = treecli(*words)
    assert code == 0
    # Mean and sd are those of Weka's Experimenter, 94.73 (5.30); the interval is by scipy 1.17.1:
    # t.interval(0.95, 99, mean, sqrt((1/100 + 1/9) var)).
    assert out.splitlines()[:4] == [
        "measure     mean      sd  95 % from      to",
        "accuracy  0.9473  0.0530     0.9107  0.9839",
        "10 runs of 10 folds; interval corrected for overlapping training sets (Nadeau, Bengio)",
        "run means 0.9400 to 0.9600",
    ]
    report = json.loads(treecli(*words, "-f", "json")[1])
    assert (report["repeats"], report["folds"], report["interval"]) == (10, 10, "corrected-resampled")
    assert report["accuracy_ci95"] == pytest.approx([0.9107296517075907, 0.9839370149590763], rel=1e-9)
    assert [run["seed"] for run in report["runs"]] == list(range(1, 11))
    assert [(fold["run"], fold["fold"]) for fold in report["per_fold"]][9:11] == [(1, 10), (2, 1)]
    assert sum(map(sum, report["confusion"])) == report["n"] == 1500


def test_a_repeated_run_is_the_run_of_its_seed(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    twice = json.loads(treecli("crossval", sample(IRIS), "--seed", "4", "--repeats", "2", "-f", "json")[1])
    second = json.loads(treecli("crossval", sample(IRIS), "--seed", "5", "-f", "json")[1])
    figures = [[fold["fold"], fold["errors"], fold["leaves"]] for fold in twice["per_fold"] if fold["run"] == 2]
    assert figures == [[fold["fold"], fold["errors"], fold["leaves"]] for fold in second["per_fold"]]


@pytest.mark.parametrize("words", [[], ["--repeats", "3"], ["--folds", "loo"], ["--like", "cart", "--folds", "3"]])
def test_the_number_of_jobs_does_not_change_a_byte(treecli, sample, words: list[str]) -> None:  # type: ignore[no-untyped-def]
    reports = [treecli("crossval", sample(IRIS), *words, "--jobs", jobs, "-f", "json").out for jobs in ("1", "2", "3")]
    assert reports[0] == reports[1] == reports[2]


def test_leave_one_out_has_wilsons_interval(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    report = json.loads(treecli("crossval", sample(IRIS), "--folds", "loo", "-f", "json")[1])
    assert (report["folds"], report["errors"], report["interval"]) == (150, 10, "wilson")
    # scipy 1.17.1: binomtest(140, 150).proportion_ci(method="wilson").
    assert report["accuracy_ci95"] == pytest.approx([0.8816376448839408, 0.9633881433303926], rel=1e-9)
    assert treecli("crossval", sample(IRIS), "--folds", "loo").err == ""


PATIENTS = "patient,x,y\n" + "".join(f"p{row // 3},{row % 7},{'ab'[row % 5 > 2]}\n" for row in range(30))


def test_groups_are_never_in_two_folds_and_are_no_attribute(treecli, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "visits.csv").write_text(PATIENTS, encoding="utf-8")
    words = ("--groups", "patient", "--folds", "4", "--repeats", "2", "--folds-file", "folds.csv")
    assert treecli("crossval", "visits.csv", *words).code == 0
    folds_of_patient: dict[tuple[str, int], set[str]] = {}
    for line in csv.DictReader(io.StringIO((tmp_path / "folds.csv").read_text(encoding="utf-8"))):
        folds_of_patient.setdefault((line["run"], (int(line["row"]) - 1) // 3), set()).add(line["fold"])
    assert len(folds_of_patient) == 20
    assert all(len(folds) == 1 for folds in folds_of_patient.values())
    assert "left out 'patient'" not in treecli("crossval", "visits.csv", "--groups", "patient", "--folds", "2").err


@pytest.mark.parametrize(
    ("text", "words", "code", "message"),
    [
        (PATIENTS, ["--groups", "patient", "--folds", "11"], 3, "visits.csv: 11 folds of 10 groups"),
        (PATIENTS, ["--groups", "patients"], 2, "visits.csv: found no column 'patients' (--groups)"),
        (PATIENTS, ["--groups", "y", "-t", "y"], 2, "'y' is named by --target and by --groups"),
        (PATIENTS.replace("p1,5", "?,5", 1), ["--groups", "patient"], 3, "visits.csv:7: found no value of 'patient'"),
        (PATIENTS, ["--groups", "patient", "--folds-like", "weka"], 2, "--groups and --folds-like weka exclude"),
        (PATIENTS, ["--folds", "31"], 2, "visits.csv: 31 folds of 30 rows"),
        (PATIENTS, ["--folds", "1"], 2, "--folds: found '1', expected a whole number of 2 or more"),
        (PATIENTS, ["--folds", "loo", "--repeats", "2"], 2, "--folds loo has only one way to divide the rows"),
        ("x,y\n1,a\n2,a\n3,a\n", ["--folds", "2"], 3, "visits.csv: found one class, 'a', in the target 'y'"),
        (PATIENTS, ["--predictions", "-"], 2, "--predictions: found '-', expected the name of a file"),
        (PATIENTS, ["--predictions", "p.xlsx"], 2, "p.xlsx: found the suffix '.xlsx', expected one of .csv"),
        (PATIENTS, ["--predictions", "p.csv", "-o", "p.csv"], 2, "-o and --predictions name the same file"),
        (PATIENTS, ["--predictions", "visits.csv"], 2, "visits.csv: is read by this command"),
    ],
)
def test_bad_input_is_refused(treecli, tmp_path, text: str, words: list[str], code: int, message: str) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "visits.csv").write_text(text, encoding="utf-8")
    outcome = treecli("crossval", "visits.csv", *words)
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.startswith(f"Error: {message}"), outcome.err


def test_a_class_rarer_than_the_folds_is_warned_of(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    outcome = treecli("crossval", sample("sample_data/playtennis.csv"))
    assert outcome.err == ("Warning: 10 folds, but only 5 rows of the class 'No': some folds have none to test\n")


def test_predictions_are_saved_row_by_row(treecli, tmp_path, sample) -> None:  # type: ignore[no-untyped-def]
    out = treecli("crossval", sample(VOTE), "--like", "j48", "--predictions", "p.csv", "-f", "json").out
    rows = list(csv.DictReader(io.StringIO((tmp_path / "p.csv").read_text(encoding="utf-8"))))
    assert [row["row"] for row in rows] == [str(number) for number in range(1, 436)]
    assert sum(row["actual"] != row["prediction"] for row in rows) == json.loads(out)["errors"]
    for row in rows:
        assert float(row["proba_democrat"]) + float(row["proba_republican"]) == pytest.approx(1)


def test_a_file_of_folds_is_written_then_read(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    words = ("crossval", sample(IRIS), "--folds-file", "folds.csv.gz", "-f", "json")
    written = treecli(*words, "--folds", "3", "--repeats", "2")
    again = treecli(*words)
    assert written.code == again.code == 0
    assert again.out == written.out
    assert again.err == "folds.csv.gz: folds read: 2 × 3\n"
    refused = treecli(*words, "--repeats", "2")
    assert (refused.code, refused.err.splitlines()[0]) == (
        2,
        "Error: --repeats: the folds are read from folds.csv.gz",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("row,fold\n1,1\n", "folds.csv:1: found 'row,fold', expected the columns row,run,fold"),
        ("row,run,fold\n1,1,x\n", "folds.csv:2: found '1,1,x', expected three whole numbers from 1"),
        ("row,run,fold\n9,1,1\n", "folds.csv:2: found row 9, but the data has 4 rows"),
        ("row,run,fold\n1,1,1\n1,1,2\n", "folds.csv:3: found row 1 of run 1 twice, expected each row in one fold"),
        ("row,run,fold\n1,1,1\n2,1,2\n", "folds.csv: run 1: row 3 (the first of 2) is in no fold"),
        ("row,run,fold\n1,1,1\n2,1,1\n3,1,1\n4,1,1\n", "folds.csv: run 1: found one fold, expected two or more"),
        ("row,run,fold\n1,1,1\n2,1,3\n3,1,1\n4,1,1\n", "folds.csv: run 1: fold 2 has no rows, expected folds 1 to 3"),
        (
            "row,run,fold\n1,2,1\n2,2,2\n3,2,1\n4,2,1\n",
            "folds.csv: found the runs 2, expected runs from 1 without gaps",
        ),
    ],
)
def test_a_bad_file_of_folds_is_refused(treecli, tmp_path, sample, text: str, message: str) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "folds.csv").write_text(text, encoding="utf-8")
    outcome = treecli("crossval", sample("sample_data/sxl.csv"), "--folds-file", "folds.csv")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith(f"Error: {message}\n"), outcome.err


def test_times_are_reported_only_if_asked_for(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    quiet, timed = (
        json.loads(treecli("crossval", sample(IRIS), "--folds", "3", *words, "-f", "json")[1])
        for words in ([], ["--times"])
    )
    assert "seconds" not in quiet
    assert timed["seconds"] == pytest.approx(sum(fold.pop("seconds") for fold in timed["per_fold"]))
    assert timed["per_fold"] == quiet["per_fold"]


def test_a_single_class_is_measured_with_wekas_folds_as_weka_does(treecli, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "one.csv").write_text("x,y\n1,a\n2,a\n3,a\n", encoding="utf-8")
    code, out, _ = treecli("crossval", "one.csv", "--folds", "2", "--folds-like", "weka", "-f", "json", cwd=tmp_path)
    assert (code, json.loads(out)["errors"]) == (0, 0)
