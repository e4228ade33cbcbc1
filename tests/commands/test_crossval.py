"""`treecli crossval`."""

from __future__ import annotations

import csv
import io
import json

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
    assert rows[0] == {"measure": "folds", "value": "3", "fold": ""}
    assert [row["value"] for row in rows if row["measure"] == "n"] == ["150"]
    assert [(row["value"], row["fold"]) for row in rows if row["measure"] == "fold_n"] == [
        ("50", "1"),
        ("50", "2"),
        ("50", "3"),
    ]
