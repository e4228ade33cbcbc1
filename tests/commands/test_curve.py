"""`treecli curve`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Runner

SAMPLES = Path(__file__).parents[2] / "sample_data"

IRIS, CPU, VOTE = (f"sample_data/{name}" for name in ("iris.csv", "cpu.csv", "vote.arff"))


@pytest.fixture
def sample(request):  # type: ignore[no-untyped-def]
    return lambda name: str(request.config.rootpath / name)


def test_the_usual_sizes_double_from_a_tenth_of_the_rows(treecli, sample, golden) -> None:  # type: ignore[no-untyped-def]
    outcome = treecli("curve", sample(IRIS), "--like", "j48")
    assert (outcome.code, outcome.err) == (0, "")
    golden("curve/iris-size", outcome.out)
    assert [line.split()[0] for line in outcome.out.splitlines()] == ["size", "15", "30", "60", "120"]


def test_more_leaves_fit_the_training_rows_better_and_the_test_rows_do_not_follow(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    points = json.loads(treecli("curve", sample(VOTE), "--by", "leaves", "-f", "json").out)["points"]
    train = [point["train"] for point in points]
    assert train == sorted(train)
    best = max(point["test"] for point in points)
    assert points[-1]["test"] < best < points[-1]["train"]
    assert [point["x"] for point in points][:22] == [*range(1, 21), 22, 24]


def test_the_largest_tree_and_the_whole_depth_have_the_figures_of_crossval(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    words = ("--folds", "4", "--criterion", "gini", "--seed", "2", "-f", "json")
    expected = json.loads(treecli("crossval", sample(IRIS), *words).out)
    for by in ("leaves", "depth"):
        last = json.loads(treecli("curve", sample(IRIS), "--by", by, *words).out)["points"][-1]
        assert last["test"] == pytest.approx(expected["accuracy_mean"])
        assert last["sd"] == pytest.approx(expected["accuracy_sd"])
        assert last["leaves"] == pytest.approx(expected["leaves"])


def test_the_tree_of_a_depth_is_the_largest_of_the_pruning_path_that_is_no_deeper(
    treecli: Runner, tmp_path: Path
) -> None:
    lines = (SAMPLES / "iris.csv").read_text(encoding="utf-8").splitlines()
    found = json.loads(treecli("curve", SAMPLES / "iris.csv", "--by", "depth", "--folds", "2", "-f", "json").out)
    treecli("crossval", SAMPLES / "iris.csv", "--folds", "2", "--folds-file", "folds.csv")
    fold_of = dict(line.split(",")[::2] for line in (tmp_path / "folds.csv").read_text().splitlines()[1:])
    expected: dict[int, list[float]] = {}
    for fold in "12":
        for name, is_test in (("train", False), ("test", True)):
            own = [line for row, line in enumerate(lines[1:], 1) if (fold_of[str(row)] == fold) == is_test]
            (tmp_path / f"{name}.csv").write_text("\n".join([lines[0], *own]) + "\n")
        treecli("train", "train.csv", "-o", "m.json", "--quiet")
        path = json.loads(treecli("prune", "m.json", "--method", "cost-complexity", "--path", "-f", "json").out)["path"]
        best: dict[int, float] = {}
        for stage in path:
            words = ("--method", "cost-complexity", "--leaves", str(stage["leaves"]))
            treecli("prune", "m.json", *words, "-o", "p.json", "--quiet")
            depth = json.loads(treecli("info", "p.json", "-f", "json").out)["depth"]
            best.setdefault(depth, json.loads(treecli("evaluate", "p.json", "test.csv", "-f", "json").out)["accuracy"])
        for point in found["points"]:
            expected.setdefault(point["x"], []).append(best[max(depth for depth in best if depth <= point["x"])])
    assert {point["x"]: point["test"] for point in found["points"]} == pytest.approx(
        {x: sum(own) / len(own) for x, own in expected.items()}
    )


@pytest.mark.parametrize("by", ["size", "leaves", "depth"])
def test_the_number_of_jobs_does_not_change_a_byte(treecli, sample, by: str) -> None:  # type: ignore[no-untyped-def]
    outputs = {treecli("curve", sample(IRIS), "--by", by, "--jobs", jobs, "--repeats", "3").out for jobs in "12"}
    assert len(outputs) == 1


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--sizes", "10,150"], 2, "a sample of 150 of 150 rows leaves none to test on"),
        (["--sizes", "10,x"], 2, "--sizes: found 'x', expected a whole number of 2 or more"),
        (["--by", "depth", "--sizes", "10"], 2, "--sizes goes with --by size, not with --by depth"),
        (["--folds", "5"], 2, "--folds goes with --by leaves and --by depth"),
        (["--by", "leaves", "--like", "m5p"], 2, "--by leaves follows the cost-complexity path, which does not exist"),
        (["--by", "depth", "--leaf-model", "linear"], 2, "--by depth follows the cost-complexity path, which does not"),
        (["--by", "leafs"], 2, "--by: unknown 'leafs' (known: size, leaves, depth)"),
        (["--measure", "rmse"], 2, "rmse is a measure for a numeric target"),
        (["--plot", "x.jpg"], 2, "x.jpg: pictures are .png, .svg or .pdf"),
        (["--by", "leaves", "--folds", "151"], 2, "iris.csv: 151 folds of 150 rows"),
    ],
)
def test_bad_usage_is_refused(treecli, sample, words: list[str], code: int, message: str) -> None:  # type: ignore[no-untyped-def]
    outcome = treecli("curve", sample(IRIS), *words)
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.startswith(f"Error: {message}"), outcome.err


def test_a_numeric_target_has_its_own_measures(treecli, sample) -> None:  # type: ignore[no-untyped-def]
    report = json.loads(treecli("curve", sample(CPU), "--sizes", "20,100", "--measure", "mae", "-f", "json").out)
    assert report["measure"] == "mae"
    assert report["points"][0]["test"] > report["points"][1]["test"]


@pytest.mark.parametrize("by", ["size", "leaves"])
def test_a_plot_is_the_same_each_time(treecli, tmp_path, sample, by: str) -> None:  # type: ignore[no-untyped-def]
    for name in ("a.svg", "b.svg"):
        outcome = treecli("curve", sample(IRIS), "--by", by, "--repeats", "2", "--plot", name)
        assert outcome.err == f"wrote {name}\n"
    picture = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert picture == (tmp_path / "b.svg").read_text(encoding="utf-8")
    assert "test rows" in picture
