"""`treecli sweep`."""

from __future__ import annotations

import csv
import io
import json

import pytest

IRIS, CPU, VOTE = (f"sample_data/{name}" for name in ("iris.csv", "cpu.csv", "vote.arff"))


@pytest.fixture
def sample(request):  # type: ignore[no-untyped-def]
    return lambda name: str(request.config.rootpath / name)


def test_the_best_and_the_smallest_within_one_standard_error_are_marked(treecli, sample, golden) -> None:  # type: ignore[no-untyped-def]
    outcome = treecli("sweep", sample(IRIS), "--vary", "criterion=gain,gini", "--vary", "min-leaf=1,2,5,10,20")
    assert (outcome.code, outcome.err) == (0, "")
    golden("sweep/iris", outcome.out)


def test_a_setting_has_the_figures_of_crossval(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    words = ("--repeats", "2", "--folds", "5", "--seed", "3", "-f", "json")
    swept = json.loads(treecli("sweep", sample(IRIS), "--vary", "max-depth=1,3", "--laplace", *words).out)
    for setting, depth in zip(swept["settings"], ("1", "3"), strict=True):
        alone = json.loads(treecli("crossval", sample(IRIS), "--max-depth", depth, "--laplace", *words).out)
        assert setting["values"] == {"max-depth": depth}
        assert setting["options"] == f"--laplace --seed 3 --max-depth {depth}"
        assert setting["accuracy"] == pytest.approx(alone["accuracy_mean"])
        assert setting["accuracy_sd"] == pytest.approx(alone["accuracy_sd"])
        assert setting["leaves"] == pytest.approx(alone["leaves"])


def test_the_printed_options_are_those_that_train_takes(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    words = ("sweep", sample(IRIS), "--criterion", "gain", "--vary", "min-leaf=1,5,20", "--best")
    best, smallest = treecli(*words).out.split(), treecli(*words, "--one-se").out.split()
    assert best == ["--criterion", "gain", "--min-leaf", "5"]
    assert smallest == ["--criterion", "gain", "--min-leaf", "20"]
    assert treecli("train", sample(IRIS), *best, "-o", "m.json").code == 0


@pytest.mark.parametrize(
    ("vary", "log", "values"),
    [
        ("max-depth=1..4", False, ["1", "2", "3", "4"]),
        ("max-depth=1,3,3", False, ["1", "3"]),
        ("min-leaf=1..100:3", True, ["1", "10", "100"]),
        ("min-gain=0..1:5", False, ["0", "0.25", "0.5", "0.75", "1"]),
        ("min-gain=1e-4..1e-2:3", True, ["0.0001", "0.001", "0.01"]),
        ("laplace=yes,no", False, ["yes", "no"]),
        ("like=id3,j48", False, ["id3", "j48"]),
        ("--max_depth=2", False, ["2"]),
    ],
)
def test_values_are_listed_or_ranges(treecli, sample, vary: str, log: bool, values: list[str]) -> None:  # type: ignore[no-untyped-def]
    # id3 takes nominal attributes only.
    name = "sample_data/playtennis.csv" if vary.startswith("like") else IRIS
    words = ["--vary", vary, "--folds", "2", "-f", "json", *(["--log"] if log else [])]
    report = json.loads(treecli("sweep", sample(name), *words).out)
    assert [next(iter(setting["values"].values())) for setting in report["settings"]] == values


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--vary", "min-leef=1"], "--vary: no option of train is called 'min-leef'"),
        (["--vary", "min-leaf"], "--vary: found 'min-leaf', expected NAME=V,V or NAME=A..B:STEPS"),
        (["--vary", "min-leaf=0"], "--vary min-leaf=0: --min-leaf: found '0', expected a number above 0"),
        (["--vary", "min-leaf=1,,2"], "--vary min-leaf=1,,2: found an empty value"),
        (["--vary", "laplace=1"], "--vary laplace=1: found '1', expected yes or no"),
        (["--vary", "min-gain=0..1"], "--vary min-gain=0..1: expected A..B:STEPS with 2 to 10000 steps"),
        (["--vary", "min-gain=0..1:3", "--log"], "--vary min-gain=0..1:3: --log needs numbers above 0"),
        (["--vary", "min-leaf=1,2", "--log"], "--log spaces the values of ranges, but --vary has none"),
        (["--vary", "min-leaf=1", "--vary", "min-leaf=2"], "--vary: 'min-leaf' is given twice"),
        (["--vary", "min-leaf=1", "--min-leaf", "2"], "--min-leaf is given, and varied by --vary"),
        (["--vary", "confidence=0.1"], "--vary confidence=0.1: --confidence is for --prune pessimistic"),
        (["--vary", "min-leaf=1", "--measure", "acuracy"], "unknown measure 'acuracy'"),
        (["--vary", "min-leaf=1", "--measure", "rmse"], "rmse is a measure for a numeric target"),
        (["--vary", "min-leaf=1..1001", "--results", "r.jsonl"], "--vary min-leaf=1..1001: expected A..B:STEPS"),
        (["--vary", "max-depth=1..1001"], "1,001 settings on 10 folds are 10,010 trees, more than 10,000"),
        (["--vary", "min-leaf=1", "--nested", "151"], "iris: 151 folds of 150 rows"),
        (["--vary", "min-leaf=1", "--plot", "p.gif"], "p.gif: pictures are .png, .svg or .pdf"),
    ],
)
def test_bad_usage_is_refused_before_anything_is_written(treecli, tmp_path, sample, words, message: str) -> None:  # type: ignore[no-untyped-def]
    outcome = treecli("sweep", sample(IRIS), *words)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"Error: {message}"), outcome.err
    assert list(tmp_path.iterdir()) == []


def test_a_nested_estimate_tests_each_choice_on_other_rows(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    words = ("sweep", sample(IRIS), "--vary", "max-depth=1,2,3", "--folds", "3", "--nested", "4")
    report = json.loads(treecli(*words, "-f", "json").out)["nested"]
    assert [fold["fold"] for fold in report["per_fold"]] == [1, 2, 3, 4]
    # Each value is what crossval has for that setting on the same four folds.
    for fold in report["per_fold"]:
        depth = str(fold["setting"] + 1)
        alone = json.loads(treecli("crossval", sample(IRIS), "--max-depth", depth, "--folds", "4", "-f", "json").out)
        assert fold["accuracy"] == pytest.approx(alone["per_fold"][fold["fold"] - 1]["accuracy"])
    text = treecli(*words).out
    assert "nested: accuracy 0." in text
    assert "looks better than it is" not in text


def test_results_are_resumed_and_end_with_the_same_bytes(treecli, tmp_path, sample) -> None:  # type: ignore[no-untyped-def]
    words = ("sweep", sample(IRIS), "--vary", "max-depth=1,2,3", "--folds", "3", "--repeats", "2", "--results")
    whole = treecli(*words, "a.jsonl")
    lines = (tmp_path / "a.jsonl").read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 3 * 2
    (tmp_path / "b.jsonl").write_bytes(b"".join(lines[:4]) + lines[4][:20])
    resumed = treecli(*words, "b.jsonl")
    assert resumed.out == whole.out
    assert (tmp_path / "b.jsonl").read_bytes() == (tmp_path / "a.jsonl").read_bytes()
    other = treecli(*words, "a.jsonl", "--seed", "1")
    assert other.code == 2
    assert "a.jsonl: made with seed 0, not 1" in other.err
    assert treecli(*words, "a.jsonl", "--seed", "1", "--force").code == 0


def test_a_setting_that_fails_is_named_and_the_others_go_on(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    outcome = treecli("sweep", sample(VOTE), "--vary", "missing=error,branch", "--folds", "2")
    assert outcome.code == 1
    assert outcome.err.startswith("Failed: missing=error: ")
    assert "Error: 1 of 2 settings failed" in outcome.err
    assert [line.split()[:2] for line in outcome.out.splitlines()[1:3]] == [
        ["error", "failed"],
        ["branch", outcome.out.splitlines()[2].split()[1]],
    ]


def test_csv_has_a_row_for_each_setting_in_full_precision(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    out = treecli("sweep", sample(CPU), "--vary", "min-leaf=1,50", "--folds", "3", "-f", "csv").out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["min-leaf"] for row in rows] == ["1", "50"]
    assert float(rows[0]["rmse"]) < float(rows[1]["rmse"])
    assert rows[0]["choice"] == "best and smallest" or rows[0]["choice"] == "best"


def test_the_number_of_jobs_does_not_change_a_byte(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    words = ("sweep", sample(IRIS), "--vary", "min-leaf=1,5", "--nested", "3", "-f", "json", "--jobs")
    assert treecli(*words, "1").out == treecli(*words, "2").out


@pytest.mark.parametrize(
    "vary", [["min-leaf=1,5,20"], ["criterion=gain,gini"], ["criterion=gain,gini", "max-depth=1..3"]]
)
def test_a_plot_is_the_same_each_time(treecli, tmp_path, sample, vary: list[str]) -> None:  # type: ignore[no-untyped-def]
    words = [word for axis in vary for word in ("--vary", axis)]
    for name in ("a.svg", "b.svg"):
        assert treecli("sweep", sample(IRIS), *words, "--folds", "2", "--plot", name).err == f"wrote {name}\n"
    picture = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert picture == (tmp_path / "b.svg").read_text(encoding="utf-8")
    assert "accuracy" in picture
