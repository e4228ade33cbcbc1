"""treecli stability."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Runner

SAMPLES = Path(__file__).parents[2] / "sample_data"
FIXTURES = Path(__file__).parents[1] / "fixtures" / "stability"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Data, and the samples of iris that R drew."""
    for file in (SAMPLES / "iris.csv", SAMPLES / "playtennis.csv", SAMPLES / "cpu.csv", FIXTURES / "iris-counts.csv"):
        shutil.copy(file, tmp_path)
    return tmp_path


def found_by(treecli: Runner, *arguments: str) -> dict[str, Any]:
    code, out, err = treecli("stability", *arguments, "-f", "json", "-q")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


@pytest.mark.usefixtures("folder")
def test_the_samples_of_iris_give_the_trees_of_rpart(treecli: Runner) -> None:
    expected = json.loads((FIXTURES / "iris-rpart.json").read_text())
    found = found_by(treecli, "iris.csv", "--like", "rpart", "--weights-file", "iris-counts.csv")
    assert found["samples"] == 100
    assert found["root"] == expected["root"] == {"petallength": 94, "petalwidth": 6}
    assert {row["attribute"]: row["selected"] for row in found["attributes"]} == pytest.approx(expected["selected"])
    samples = found["per_sample"]
    assert [sample["leaves"] for sample in samples] == expected["leaves"]
    assert [sample["root_threshold"] for sample in samples] == pytest.approx(expected["root_cut"])
    assert [sample["agreement"] for sample in samples] == pytest.approx(expected["agreement"])
    assert found["agreement"]["all_rows"] == pytest.approx(0.9658666667)
    # A tree has a split less than leaves: 214 in all.
    assert sum(100 * row["uses"] for row in found["attributes"]) == pytest.approx(sum(expected["leaves"]) - 100)


@pytest.mark.usefixtures("folder")
def test_the_report_on_the_14_days(treecli: Runner, golden: Callable[[str, str], None]) -> None:
    code, out, err = treecli("stability", "playtennis.csv", "--criterion", "gainratio", "--samples", "200")
    assert (code, err) == (0, "")
    first, second, *_ = out.splitlines()
    assert first.startswith("root         ")
    assert second.startswith("the tree of all rows asks Outlook first; ")
    golden("stability/playtennis", out)


@pytest.mark.usefixtures("folder")
def test_the_report_on_iris(treecli: Runner, golden: Callable[[str, str], None]) -> None:
    code, out, _ = treecli("stability", "iris.csv", "--like", "rpart", "--weights-file", "iris-counts.csv")
    assert code == 0
    golden("stability/iris", out)


@pytest.mark.usefixtures("folder")
def test_the_number_of_jobs_changes_nothing(treecli: Runner) -> None:
    run = ("stability", "iris.csv", "--like", "j48", "--samples", "20", "--seed", "3", "-f", "json")
    one, three = (treecli(*run, "--jobs", jobs) for jobs in ("1", "3"))
    assert one == three
    assert one.code == 0


@pytest.mark.usefixtures("folder")
def test_the_seed_fixes_the_samples_and_more_samples_begin_with_the_same(treecli: Runner) -> None:
    ten, twelve, other = (
        found_by(treecli, "iris.csv", "--samples", n, "--seed", seed)["per_sample"]
        for n, seed in (("10", "1"), ("12", "1"), ("10", "2"))
    )
    assert ten == twelve[:10]
    assert ten != other


@pytest.mark.usefixtures("folder")
def test_subsamples_have_a_share_of_the_rows_without_repetition(treecli: Runner) -> None:
    found = found_by(treecli, "playtennis.csv", "--sampler", "subsample", "--share", "0.95", "--samples", "30")
    # 13 of 14 rows: the one out of bag is predicted like the tree of all rows, or not.
    assert (found["sampler"], found["share"]) == ("subsample", 0.95)
    assert {sample["agreement_out_of_bag"] for sample in found["per_sample"]} == {0.0, 1.0}


@pytest.mark.usefixtures("folder")
def test_a_numeric_target_has_the_root_mean_squared_difference(treecli: Runner) -> None:
    found = found_by(treecli, "cpu.csv", "--max-depth", "2", "--samples", "9")
    assert "agreement" not in found
    assert 0 < found["rms_difference"]["all_rows"] < found["rms_difference"]["out_of_bag"] * 10
    out = treecli("stability", "cpu.csv", "--max-depth", "2", "--samples", "9").out
    assert "\nrms          " in out


def test_the_sample_of_all_rows_gives_the_tree_of_all_rows(treecli: Runner, folder: Path) -> None:
    (folder / "ones.csv").write_text("every row\n" + "1\n" * 150)
    code, out, _ = treecli("stability", "iris.csv", "--weights-file", "ones.csv")
    assert code == 0
    assert "the tree of all rows asks petallength first; so do all samples\n" in out
    assert "agreement    1 with the tree of all rows\n" in out


def test_rows_that_do_not_count_are_in_no_sample(treecli: Runner, folder: Path) -> None:
    # Only two rows count; a sample has one of them twice, or both.
    (folder / "w.csv").write_text("x,y,w\n1,a,0\n2,b,1\n3,a,0\n4,b,0\n5,a,1\n")
    found = found_by(treecli, "w.csv", "--weights", "w", "--target", "y", "--samples", "20")
    assert found["root"].get("x", 0) + found["no_split"] == 20
    assert found["no_split"] > 0
    # A sample with both has no row out of bag.
    outside = {sample["leaves"]: sample["agreement_out_of_bag"] for sample in found["per_sample"]}
    assert outside == {1: 0.0, 2: None}


def test_a_tree_without_a_split_is_said_to_have_none(treecli: Runner, folder: Path) -> None:
    out = treecli("stability", "playtennis.csv", "--min-split", "15", "--samples", "9").out
    assert out.startswith("root         no split 100.0 %\nthe tree of all rows has no split; so do all samples\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n" + "1,1\n" * 149, "found 149 lines below the header, expected one for each of 150 rows of the data"),
        ("a,b\n" + "1,1\n" * 149 + "1,-1\n", "samples.csv:151: found '-1', expected a whole number of 0 or more"),
        ("a,b\n" + "1,0\n" * 150, "the sample in column 2 has no rows"),
        ("a,b\n", "found no line below the header"),
    ],
)
def test_wrong_counts_are_refused_with_exit_code_3(treecli: Runner, folder: Path, text: str, message: str) -> None:
    (folder / "samples.csv").write_text(text)
    code, out, err = treecli("stability", "iris.csv", "--weights-file", "samples.csv")
    assert (code, out) == (3, "")
    assert message in err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--samples", "3"], "--samples and --weights-file exclude each other"),
        (["--sampler", "subsample"], "--sampler and --weights-file exclude each other"),
    ],
)
def test_options_that_the_file_decides_are_refused(treecli: Runner, arguments: list[str], message: str) -> None:
    code, _, err = treecli("stability", "iris.csv", "--weights-file", "iris-counts.csv", *arguments)
    assert (code, err.splitlines()[0]) == (2, f"Error: {message}")
    code, _, err = treecli("stability", "iris.csv", "--share", "0.5")
    assert (code, err.splitlines()[0]) == (2, "Error: --share is for --sampler subsample")


def test_the_file_of_samples_is_not_overwritten(treecli: Runner, folder: Path) -> None:
    before = (folder / "iris-counts.csv").read_bytes()
    done = treecli("stability", "iris.csv", "--weights-file", "iris-counts.csv", "-o", "iris-counts.csv")
    assert done.code == 2
    assert done.err.startswith("Error: iris-counts.csv: is read by this command and would be overwritten\n")
    assert (folder / "iris-counts.csv").read_bytes() == before


@pytest.mark.usefixtures("folder")
def test_csv_has_a_line_per_attribute(treecli: Runner) -> None:
    code, out, _ = treecli("stability", "iris.csv", "--samples", "8", "-f", "csv")
    assert code == 0
    assert out.splitlines()[0] == "attribute,root,selected,uses,all,threshold q1,median,q3"
    assert len(out.splitlines()) == 5
