"""compare: Weka's Experimenter, results files, failures, formats."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Runner
from tests.inside import heed_interrupts
from tests.statistics.published import read

SAMPLES = Path(__file__).parents[2] / "sample_data"

WEKA = (
    *("--learner", "j48: --like j48"),
    *("--learner", "unpruned: --like j48 --prune none"),
    *("--learner", "rep: --like j48 --prune reduced-error --tune-fold 3"),
    *("--repeats", "10", "--folds-like", "weka", "--seed", "1"),
)
"""The learners and folds of tests/fixtures/statistics/weka_experiment.json."""

QUICK = ("--learner", "full:", "--learner", "stump: --max-depth 1", "--folds", "3")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("iris.arff", "vote.arff", "cpu.csv", "titanic.csv"):
        shutil.copy(SAMPLES / name, tmp_path)
    for number in range(1, 8):
        # Seven sets with a pattern and noise of their own.
        rows = [f"{i % 7},{i * number % 11},{'yes' if i % 7 > 3 and i % (number + 3) else 'no'}" for i in range(60)]
        (tmp_path / f"set{number}.csv").write_text("\n".join(["a,b,class", *rows]) + "\n")
    return tmp_path


def facts(treecli: Runner, *arguments: str | Path, code: int = 0) -> Any:
    done = treecli("compare", *arguments, "-f", "json")
    assert done.code == code, done.err
    return json.loads(done.out)


def test_the_table_is_that_of_wekas_experimenter(
    treecli: Runner, folder: Path, golden: Callable[[str, str], None]
) -> None:
    done = treecli("compare", "iris.arff", "vote.arff", *WEKA, "--results", "r.jsonl")
    assert (done.code, done.err) == (0, "")
    golden("compare/weka", done.out)
    # Weka 3.6.14 prints 94.73(5.30) 94.80(5.24) 93.87( 5.66) and 96.57(2.56) 95.76(2.83) 95.67( 2.93).
    assert "94.73 ± 5.30    94.80 ± 5.24    93.87 ± 5.66" in done.out
    assert "96.57 ± 2.56    95.76 ± 2.83    95.67 ± 2.93" in done.out
    found = facts(treecli, "--results", "r.jsonl", "--bayes", "--rope", "0.01")
    published = read("weka_experiment")
    for dataset in ("iris", "vote"):
        for learner in ("j48", "unpruned", "rep"):
            cells = [own for own in found["cells"] if (own["dataset"], own["learner"]) == (dataset, learner)]
            assert [own["n"] - own["errors"] for own in cells] == published[f"weka-{dataset}"][learner]
            assert [(own["run"], own["fold"]) for own in cells[8:12]] == [(1, 9), (1, 10), (2, 1), (2, 2)]
        for test in (own for own in found["per_dataset"] if own["dataset"] == dataset):
            pair = next(
                own
                for own in published["pairs"]
                if (own["dataset"], own["a"], own["b"]) == (f"weka-{dataset}", test["a"], test["b"])
            )
            assert [test[key] for key in ("difference", "sd", "t", "p")] == pytest.approx(
                [pair[key] for key in ("difference", "sd", "t", "p_scipy")], rel=1e-9
            )
    vote = next(own for own in found["per_dataset"] if (own["dataset"], own["b"]) == ("vote", "unpruned"))
    # baycomp 1.0.3: p = 0.20 cannot say "equal", the posterior can.
    assert [vote["bayes"][key] for key in ("a_better", "equal", "b_better")] == pytest.approx(
        [0.3792727004331088, 0.6183417707182893, 0.002385528848601881], rel=1e-9
    )


SETS = [f"set{number}.csv" for number in range(1, 8)]


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_reports(treecli: Runner, folder: Path, golden: Callable[[str, str], None], form: str) -> None:
    more = ("--learner", "none: --max-depth 0", "--repeats", "4", "--bayes")
    done = treecli("compare", *SETS, *QUICK, *more, "-f", form)
    assert (done.code, done.err) == (0, "")
    golden(f"compare/report-{form}", done.out)


def test_json_has_what_the_text_says(treecli: Runner, folder: Path) -> None:
    found = facts(treecli, *SETS, *QUICK, "--learner", "deep: --max-depth 2")
    assert [own["name"] for own in found["learners"]] == ["full", "stump", "deep"]
    assert found["learners"][1]["options"] == "--max-depth 1"
    assert found["learners"][1]["settings"]["max_depth"] == 1
    assert [own["rows"] for own in found["datasets"]] == [60] * 7
    assert all(len(own["sha256"]) == 64 for own in found["datasets"])
    assert len(found["cells"]) == 7 * 3 * 3
    assert len(found["per_dataset"]) == 7 * 2
    assert found["friedman"]["df"] == [2, 12]
    assert len(found["pairs"]) == 3
    assert (found["minimum_p"], found["sets_needed"]) == (2 / 2**7, 7)
    assert {name for clique in found["cliques"] for name in clique} == {"full", "stump", "deep"}
    assert found["failed"] == []


def test_csv_has_a_row_for_each_fold(treecli: Runner, folder: Path) -> None:
    done = treecli("compare", "set1.csv", "set2.csv", *QUICK, "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert len(rows) == 2 * 2 * 3
    assert rows[0].keys() >= {"dataset", "learner", "run", "fold", "n", "errors", "accuracy", "leaves"}
    assert float(rows[0]["accuracy"]) == 1 - float(rows[0]["errors"]) / float(rows[0]["n"])


def test_smaller_is_better_for_leaves(treecli: Runner, folder: Path) -> None:
    found = facts(treecli, *SETS, *QUICK, "--measure", "leaves", "--measure", "accuracy")
    assert found["measure"] == "leaves"
    assert found["mean_ranks"]["stump"] < found["mean_ranks"]["full"]
    (pair,) = found["pairs"]
    assert (pair["a"], pair["b"], pair["wins"]) == ("full", "stump", 0)
    assert pair["median"] > 0
    verdicts = [own["verdict"] for own in found["per_dataset"] if own["measure"] == "leaves"]
    assert "better" in verdicts
    assert "worse" not in verdicts
    # Errors are better if fewer, accuracy if larger: the ranks are the same.
    (other,) = found["further_measures"]
    assert other["measure"] == "accuracy"
    assert other["mean_ranks"] == facts(treecli, *SETS, *QUICK, "--measure", "errors")["mean_ranks"]


def test_the_base_is_the_first_column(treecli: Runner, folder: Path) -> None:
    done = treecli("compare", "set1.csv", *QUICK, "--base", "stump")
    assert done.out.splitlines()[0].split() == ["accuracy,", "%", "stump", "full"]
    assert "worse than stump" in done.out


def test_holm_corrects_the_tests_within_the_table(treecli: Runner, folder: Path) -> None:
    plain, corrected = (facts(treecli, *SETS, *QUICK, "--adjust", how)["per_dataset"] for how in ("none", "holm"))
    p_values = sorted(own["p"] for own in plain)
    least = min(corrected, key=lambda own: own["p"])
    assert least["p_adjusted"] == pytest.approx(min(1, 7 * p_values[0]))
    assert all(own["p"] == own["p_adjusted"] for own in plain)
    assert "7 tests, corrected by Holm" in treecli("compare", *SETS, *QUICK, "--adjust", "holm").out


def test_nemenyi_comes_with_a_warning_and_its_critical_difference(treecli: Runner, folder: Path) -> None:
    done = treecli("compare", *SETS, *QUICK, "--learner", "deep: --max-depth 2", "--posthoc", "nemenyi")
    assert "depends on the other learners" in done.err
    # q(0.05, 3) = 2.343, times sqrt(3 * 4 / (6 * 7)).
    assert "mean ranks differ if they are 1.25 apart (Nemenyi, 0.05)" in done.out
    assert "Nemenyi p" in done.out
    assert "Holm" not in done.out


def test_a_control_is_compared_with_each_other_learner_only(treecli: Runner, folder: Path) -> None:
    more = ("--learner", "deep: --max-depth 2", "--learner", "gini: --criterion gini")
    found = facts(treecli, *SETS, *QUICK, *more, "--posthoc", "control", "--base", "deep")
    assert {(own["a"], own["b"]) for own in found["pairs"]} == {("deep", "full"), ("deep", "stump"), ("deep", "gini")}
    assert found["sets_needed"] == 7  # three pairs instead of six
    assert found["cliques"] == []


def test_leave_one_out_is_tested_by_mcnemar(treecli: Runner, folder: Path) -> None:
    found = facts(treecli, "set1.csv", *QUICK[:4], "--folds", "loo")
    (test,) = found["per_dataset"]
    right = {name: [own["accuracy"] for own in found["cells"] if own["learner"] == name] for name in ("full", "stump")}
    only_full = sum(a > b for a, b in zip(right["full"], right["stump"], strict=True))
    only_stump = sum(a < b for a, b in zip(right["full"], right["stump"], strict=True))
    from scipy.stats import binomtest

    assert (test["test"], test["df"]) == ("McNemar", None)
    assert only_full + only_stump > 0
    assert test["p"] == pytest.approx(binomtest(only_full, only_full + only_stump).pvalue, rel=1e-9)


def test_a_numeric_target_is_compared_by_rmse(treecli: Runner, folder: Path) -> None:
    found = facts(treecli, "cpu.csv", *QUICK)
    assert found["measure"] == "rmse"
    assert found["friedman"] is None
    assert found["pairs"] == []


def test_the_number_of_jobs_changes_nothing(treecli: Runner, folder: Path) -> None:
    for jobs in ("1", "2"):
        treecli("compare", *SETS[:3], *QUICK, "--jobs", jobs, "--results", f"{jobs}.jsonl")
    assert (folder / "1.jsonl").read_bytes() == (folder / "2.jsonl").read_bytes()


def test_learners_that_treat_identifiers_differently_share_their_folds(treecli: Runner, tmp_path: Path) -> None:
    # J48 counts rows without a target and uses identifiers; the others see neither.
    rows = [f"{i},n{i},{i % 5},{'' if i % 9 == 0 else 'ab'[i % 5 > 2]}" for i in range(60)]
    (tmp_path / "d.csv").write_text("\n".join(["number,id,x,class", *rows]) + "\n")
    found = facts(treecli, "d.csv", "--learner", "j48: --like j48", "--learner", "own:", "--folds", "4")
    sizes = {name: [own["n"] for own in found["cells"] if own["learner"] == name] for name in ("j48", "own")}
    assert sizes["j48"] == sizes["own"]
    assert sum(sizes["own"]) == sum(i % 9 != 0 for i in range(60))
    train = {own["learner"]: own["n_train"] for own in found["cells"] if own["fold"] == 1}
    assert train["own"] < train["j48"] <= 45


def spec_file(folder: Path, text: str) -> str:
    (folder / "spec.toml").write_text(text)
    return "spec.toml"


SPEC = """
folds = 3
repeats = 2
seed = 5
measures = ["kappa"]
base = "stump"
datasets = ["set1.csv", {file = "titanic.csv", name = "ship", target = "Sex"}]
[learners]
full = ""
stump = "--max-depth 1"
"""


def test_a_specification_file_is_the_same_as_its_options(treecli: Runner, folder: Path) -> None:
    header = (folder / "titanic.csv").read_text().splitlines()[0]
    text = SPEC.replace("Sex", header.split(",")[1])
    found = facts(treecli, "--spec", spec_file(folder, text))
    assert [own["name"] for own in found["datasets"]] == ["set1", "ship"]
    assert found["datasets"][1]["target"] == header.split(",")[1]
    assert (found["folds"], found["repeats"], found["seed"]) == (3, 2, 5)
    assert (found["measure"], found["base"]) == ("kappa", "stump")
    other = facts(treecli, "--spec", "spec.toml", "--folds", "2", "--measure", "auc", "--base", "full")
    assert (other["folds"], other["measure"], other["base"]) == (2, "auc", "full")


def test_a_specification_file_says_how_a_data_set_is_read(treecli: Runner, folder: Path) -> None:
    own = """{file = "set1.csv", target = "a", type = {a = "nominal", b = "nominal"}, ignore = "class"}"""
    found = facts(treecli, "--spec", spec_file(folder, f"datasets = [{own}]"), *QUICK)
    assert found["measure"] == "accuracy"
    (entry,) = found["datasets"]
    assert entry["target"] == "a"
    assert entry["reading"] == {"ignore": ["class"], "types": [["a", "nominal"], ["b", "nominal"]]}


def test_files_of_a_specification_are_relative_to_it(treecli: Runner, folder: Path) -> None:
    (folder / "deep").mkdir()
    shutil.move(folder / "set1.csv", folder / "deep")
    (folder / "deep" / "spec.toml").write_text('datasets = ["set1.csv"]\n')
    assert treecli("compare", "--spec", "deep/spec.toml", *QUICK).code == 0


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("folds = 1", "spec.toml: folds: found 1, expected a whole number from 2"),
        ("repeats = true", "spec.toml: repeats: found True, expected a whole number from 1"),
        ("fold = 3", "spec.toml: unknown key 'fold'\nHint: did you mean 'folds'?"),
        ("folds-like = 'waka'", "spec.toml: folds-like: found 'waka'"),
        ("learners = ['a']", "spec.toml: learners: found ['a'], expected a table"),
        ("[learners]\na = 3", "spec.toml: learners.a: found 3, expected a text of options"),
        ("datasets = 'a.csv'", "spec.toml: datasets: found 'a.csv', expected a list of files"),
        ("datasets = [{target = 'x'}]", "spec.toml: datasets: found {'target': 'x'}, expected a file"),
        ("datasets = [{file = 'x', tarket = 'x'}]", "spec.toml: datasets: unknown key 'tarket'\nHint: did you mean"),
        ("datasets = [{file = 'x', ignore = 3}]", "spec.toml: datasets: ignore: found 3, expected a text or a list"),
        ("datasets = [{file = 'x', type = 'a=nominal'}]", "spec.toml: datasets: type: found 'a=nominal', expected a"),
        (
            "datasets = [{file = 'x', type = {a = 'b'}}]",
            "spec.toml: datasets: type: found {'a': 'b'}, expected a table",
        ),
        ("folds = ", "spec.toml: Invalid value"),
    ],
)
def test_a_wrong_specification_file_is_refused(treecli: Runner, folder: Path, text: str, error: str) -> None:
    done = treecli("compare", "--spec", spec_file(folder, text), "set1.csv", *QUICK)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"Error: {error}")


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["set1.csv"], 2, 'found no learner, expected two or more\nHint: add --learner "NAME: OPTIONS"'),
        (["set1.csv", *QUICK[:2]], 2, "found one learner, expected two or more"),
        ([*QUICK], 2, "found learners but no data"),
        (
            ["no.csv", "--learner", "cart: --min-leef 3", *QUICK],
            2,
            "learner 'cart': no such option '--min-leef'\nHint: did you mean '--min-leaf'?",
        ),
        (["no.csv", "--learner", "x: --like c4.5", *QUICK], 2, "learner 'x': --like: "),
        (["no.csv", "--learner", "x: 'open", *QUICK], 2, "learner 'x': No closing quotation in"),
        (["no.csv", "--learner", "nameless", *QUICK], 2, "--learner: found 'nameless', expected NAME: OPTIONS"),
        (["no.csv", "--learner", "full: --max-depth 3", *QUICK], 2, "two learners are called 'full'"),
        (["no.csv", *QUICK], 3, "no.csv: "),
        (["set1.csv", "./set1.csv", "set1.csv", *QUICK], 2, "the data set 'set1.csv' is given twice"),
        (["set1.csv", "cpu.csv", *QUICK], 2, "'set1' has a nominal target and 'cpu' a numeric one"),
        (["no.csv", *QUICK, "--measure", "acuracy"], 2, "unknown measure 'acuracy'"),
        (["set1.csv", *QUICK, "--measure", "rmse"], 2, "rmse is a measure for a numeric target"),
        (["no.csv", *QUICK, "--base", "ful"], 2, "--base: no learner is called 'ful'\nHint: did you mean 'full'?"),
        (["no.csv", *QUICK, "--rope", "0.1"], 2, "--rope goes with --bayes"),
        (["no.csv", *QUICK, "--force"], 2, "--force starts the file of --results over"),
        (["no.csv", *QUICK, "--times", "--results", "r.jsonl"], 2, "--times and --results exclude each other"),
        (["no.csv", *QUICK, "--plot", "cd.gif"], 2, "cd.gif: pictures are .png, .svg or .pdf"),
        (["set1.csv", *QUICK, "--plot", "cd.svg"], 2, "--plot: ranks need two data sets or more"),
        (["no.csv", "x.csv", *QUICK, "--plot", "a.svg", "-o", "a.svg", "-f", "json"], 2, "a.svg: is given for two"),
        (["set1.csv", *QUICK[:4], "--folds", "loo", "--measure", "auc"], 2, "--folds loo: each fold is one row"),
        (["set1.csv", *QUICK[:4], "--folds", "99"], 2, "set1.csv: 99 folds of 60 rows"),
        (["set1.csv", *QUICK, "--results", "set1.csv"], 2, "set1.csv: is read by this command"),
        (["set1.csv", *QUICK, "--results", "iris.arff"], 2, "iris.arff: is not a results file of treecli"),
        (["--results", "none.jsonl"], 2, "none.jsonl: cannot be read: No such file or directory"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_command_line_is_refused_before_anything_runs(
    treecli: Runner, folder: Path, arguments: list[str], code: int, error: str
) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = treecli("compare", *arguments)
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(f"Error: {error}")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


STRICT = ("--learner", "strict: --missing error")


def test_a_learner_that_fails_leaves_a_marked_cell_and_exit_code_1(treecli: Runner, folder: Path) -> None:
    names = ("set1.csv", "vote.arff", "set2.csv")
    done = treecli("compare", *names, *QUICK, *STRICT, "--results", "r.jsonl")
    assert done.code == 1
    assert done.err.startswith("Failed: 'strict' on 'vote': ")
    assert done.err.endswith("Error: 1 cell of 9 failed or not finished\n")
    assert done.out.splitlines()[2].endswith("failed")
    assert "left out of the rank tests: vote" in done.out
    found = facts(treecli, "--results", "r.jsonl", code=1)
    assert [(own["dataset"], own["learner"]) for own in found["failed"]] == [("vote", "strict")]
    assert found["friedman"]["n"] == 2
    # The others of that data set are still compared with the base on it.
    assert len(found["per_dataset"]) == 3 * 2 - 1


def test_a_measure_that_a_learner_does_not_have_is_no_failure(treecli: Runner, folder: Path) -> None:
    (folder / "costs.csv").write_text(",no,yes\nno,0,1\nyes,2,0\n")
    more = ("--learner", "dear: --costs costs.csv", "--measure", "cost")
    done = treecli("compare", "set1.csv", "set2.csv", *QUICK, *more)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[1].split()[:3] == ["set1", "n/a", "n/a"]


def test_a_file_of_costs_that_does_not_fit_is_a_failure_on_that_data_set(treecli: Runner, folder: Path) -> None:
    (folder / "costs.csv").write_text(",no,yes\nno,0,1\nyes,2,0\n")
    done = treecli("compare", "set1.csv", "iris.arff", *QUICK, "--learner", "dear: --costs costs.csv")
    assert done.code == 1
    assert done.err.startswith("Failed: 'dear' on 'iris': ")
    assert done.out.splitlines()[2].endswith("failed")


def test_fail_fast_stops_at_the_first_failure_and_keeps_what_is_done(treecli: Runner, folder: Path) -> None:
    arguments = ("set1.csv", "vote.arff", "set2.csv", *QUICK, *STRICT, "--results", "r.jsonl")
    done = treecli("compare", *arguments, "--fail-fast")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Error: 'strict' on 'vote': ")
    # Three of set1, two of vote, the failure; the first line is the specification.
    assert len((folder / "r.jsonl").read_text().splitlines()) == 1 + 3 + 2 + 1
    report = treecli("compare", "--results", "r.jsonl")
    assert report.code == 1
    assert "not finished: 'full' on 'set2'" in report.out
    assert treecli("compare", *arguments).code == 1
    assert len((folder / "r.jsonl").read_text().splitlines()) == 1 + 9


def test_an_interrupted_comparison_ends_with_the_same_bytes(treecli: Runner, folder: Path) -> None:
    arguments = ("compare", "set1.csv", "set2.csv", *QUICK, "--repeats", "3")
    whole = treecli(*arguments, "--results", "whole.jsonl")
    content = (folder / "whole.jsonl").read_bytes()
    first = content.index(b"\n") + 1
    for share in range(12):
        cut = first + (len(content) - first) * share // 12
        (folder / "r.jsonl").write_bytes(content[:cut])
        again = treecli(*arguments, "--results", "r.jsonl")
        assert again == whole
        assert (folder / "r.jsonl").read_bytes() == content
    assert treecli("compare", "--results", "r.jsonl") == whole


def test_a_killed_comparison_goes_on_where_it_stopped(treecli: Runner, folder: Path) -> None:
    arguments = ["compare", *SETS, *QUICK, "--repeats", "12", "--results"]
    process = subprocess.Popen([sys.executable, "-m", "treecli", *arguments, "r.jsonl"], cwd=folder)
    file = folder / "r.jsonl"
    while process.poll() is None and not (file.exists() and file.read_bytes().count(b"\n") > 3):
        os.sched_yield()
    process.send_signal(signal.SIGKILL)
    process.wait()
    n_done = file.read_bytes().count(b"\n") - 1
    assert 3 <= n_done < 7 * 2 * 12
    listed = facts(treecli, *arguments[1:], "r.jsonl", "--dry-run")
    assert listed["trees"] == 3 * (7 * 2 * 12 - n_done)
    again = treecli(*arguments, "r.jsonl")
    assert again == treecli(*arguments, "whole.jsonl")
    assert file.read_bytes() == (folder / "whole.jsonl").read_bytes()


def test_an_interrupt_keeps_the_finished_runs(folder: Path) -> None:
    arguments = ["compare", *SETS, *QUICK, "--repeats", "100", "--results", "r.jsonl"]
    process = subprocess.Popen(
        [sys.executable, "-m", "treecli", *arguments],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )
    file = folder / "r.jsonl"
    while process.poll() is None and not (file.exists() and file.read_bytes().count(b"\n") > 3):
        os.sched_yield()
    process.send_signal(signal.SIGINT)
    assert process.communicate()[1] == "Error: interrupted\n"
    assert process.returncode == 130
    assert file.read_bytes().count(b"\n") > 3


def test_learners_and_data_sets_are_added_to_a_results_file(treecli: Runner, folder: Path) -> None:
    treecli("compare", "set1.csv", "set2.csv", *QUICK, "--results", "r.jsonl")
    deep = ("--learner", "deep: --max-depth 2")
    listed = facts(treecli, "set1.csv", "set2.csv", "set3.csv", *QUICK, *deep, "--results", "r.jsonl", "--dry-run")
    assert [(own["dataset"], own["learner"]) for own in listed["runs"] if not own["done"]] == [
        ("set1", "deep"),
        ("set2", "deep"),
        ("set3", "full"),
        ("set3", "stump"),
        ("set3", "deep"),
    ]
    grown = treecli("compare", "set1.csv", "set2.csv", "set3.csv", *QUICK, *deep, "--results", "r.jsonl")
    at_once = treecli("compare", "set1.csv", "set2.csv", "set3.csv", *QUICK, *deep, "--results", "once.jsonl")
    assert grown == at_once
    assert (folder / "r.jsonl").read_bytes() == (folder / "once.jsonl").read_bytes()
    # Without --learner, the learners are those of the file.
    assert treecli("compare", "set4.csv", "--folds", "3", "--results", "r.jsonl").out.splitlines()[0].split()[2:] == [
        "full",
        "stump",
        "deep",
    ]


def test_a_results_file_of_other_folds_or_other_data_is_refused(treecli: Runner, folder: Path) -> None:
    arguments = ("compare", "set1.csv", *QUICK[:4], "--results", "r.jsonl", "--folds")
    assert treecli(*arguments, "10").code == 0
    before = (folder / "r.jsonl").read_bytes()
    done = treecli(*arguments, "5")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "Error: r.jsonl: made with folds 10, not 5\nHint: use --force to start over, or another file to keep both\n"
    )
    assert treecli("compare", "--results", "r.jsonl", "--folds", "5").err.startswith(
        "Error: r.jsonl: made with folds 10, not 5"
    )
    with (folder / "set1.csv").open("a") as file:
        file.write("1,1,no\n")
    assert treecli(*arguments, "10").err.startswith("Error: r.jsonl: made with sha256 ")
    assert (folder / "r.jsonl").read_bytes() == before
    assert treecli(*arguments, "5", "--force").code == 0


def test_a_report_needs_no_data_but_scipy(treecli: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    treecli("compare", "set1.csv", "set2.csv", *QUICK, "--results", "r.jsonl")
    for name in ("set1.csv", "set2.csv"):
        (folder / name).unlink()
    assert treecli("compare", "--results", "r.jsonl", "--measure", "leaves").code == 0
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    for arguments in (["--results", "r.jsonl"], ["set3.csv", *QUICK]):
        done = treecli("compare", *arguments)
        assert (done.code, done.out) == (2, "")
        assert done.err == "Error: compare needs scipy\nHint: pip install 'treecli[experiments]'\n"


def test_the_diagram_is_written_with_its_caption(treecli: Runner, folder: Path) -> None:
    done = treecli("compare", *SETS, *QUICK, "--learner", "deep: --max-depth 2", "--plot", "cd.svg", "--alpha", "0.1")
    assert (done.code, done.err) == (0, "wrote cd.svg\n")
    text = (folder / "cd.svg").read_text()
    for part in ("over 7 data sets", "alpha 0.1", "stump"):
        assert part in text


def test_times_are_given_on_request(treecli: Runner, folder: Path) -> None:
    assert all(own["seconds"] > 0 for own in facts(treecli, "set1.csv", *QUICK, "--times")["cells"])
    assert "seconds a tree: full " in treecli("compare", "set1.csv", *QUICK, "--times").out
    assert "seconds" not in treecli("compare", "set1.csv", *QUICK, "-f", "json").out
