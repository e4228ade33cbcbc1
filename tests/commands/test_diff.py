"""treecli diff."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.example_models import HOUSES, model_of, playtennis, regression
from treecli.models import write_model
from treecli.rules.rulelist import of_tree

SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.fixture
def folder(tmp_path: Path, treecli: Runner) -> Path:
    """The trees of J48 and rpart for iris, the full tree for the 14 days, its root alone, and its rules."""
    for name in ("iris.csv", "playtennis.csv", "vote.arff"):
        shutil.copy(SAMPLES / name, tmp_path)
    for like in ("j48", "rpart"):
        assert treecli("train", "iris.csv", "--like", like, "-q", "-o", f"{like}.json").code == 0
    assert treecli("train", "playtennis.csv", "-q", "-o", "full.json").code == 0
    assert treecli("train", "playtennis.csv", "--max-depth", "1", "-q", "-o", "one.json").code == 0
    assert treecli("rules", "full.json", "-q", "-o", "full.txt").code == 0
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_regions_of_j48_and_rpart_for_iris(treecli: Runner, golden: Callable[[str, str], None]) -> None:
    code, out, err = treecli("diff", "j48.json", "rpart.json", "iris.csv")
    assert code == 1
    assert out.startswith("they differ on 3 of 150 rows, and on 49.5 % of the space\n")
    assert err == (
        "the regions are for known values of petallength, petalwidth: fractions or surrogates decide others\n"
    )
    golden("diff/iris-j48-rpart", out)


@pytest.mark.usefixtures("folder")
def test_the_full_tree_of_the_14_days_and_its_root(treecli: Runner, golden: Callable[[str, str], None]) -> None:
    code, out, _ = treecli("diff", "full.json", "one.json", "playtennis.csv", "--structure")
    assert code == 1
    golden("diff/playtennis-depth-1", out)


@pytest.mark.usefixtures("folder")
def test_json_has_regions_rows_and_structure_in_full(treecli: Runner) -> None:
    code, out, _ = treecli("diff", "full.json", "one.json", "playtennis.csv", "-f", "json")
    found = json.loads(out)
    assert code == 1
    assert found["differ"]
    assert found["exact"]
    assert found["space"] == pytest.approx(1 / 3)
    # Four rows, all right in the full tree: p = 2 / 2⁴.
    assert found["rows"] == {
        "n": 14,
        "different": 4,
        "a_right": 4,
        "b_right": 0,
        "p": pytest.approx(0.125),
        "outside_regions": 0,
    }
    assert [(r["text"], r["a"], r["b"], r["n"], r["a_right"], r["b_right"]) for r in found["regions"]] == [
        ("Outlook = Sunny AND Humidity = Normal", "Yes", "No", 2, 2, 0),
        ("Outlook = Rain AND Wind = Strong", "No", "Yes", 2, 2, 0),
    ]
    assert found["regions"][0]["conditions"] == [
        {"attribute": "Outlook", "labels": ["Sunny"], "missing": False},
        {"attribute": "Humidity", "labels": ["Normal"], "missing": False},
    ]
    assert found["regions"][0]["leaves_b"] == [1]
    assert [(p["where"], p["difference"], p["a"], p["b"]) for p in found["structure"]] == [
        ("Outlook = Sunny", "split against leaf", "Humidity = High", "No"),
        ("Outlook = Rain", "split against leaf", "Wind = Weak", "Yes"),
    ]


@pytest.mark.usefixtures("folder")
def test_csv_has_a_line_per_region(treecli: Runner) -> None:
    assert treecli("diff", "full.json", "one.json", "-f", "csv").out == (
        "region,conditions,a,b,share,n,a_right,b_right\n"
        "1,Outlook = Sunny AND Humidity = Normal,Yes,No,0.16666666666666666,,,\n"
        "2,Outlook = Rain AND Wind = Strong,No,Yes,0.16666666666666666,,,\n"
    )


@pytest.mark.usefixtures("folder")
def test_equal_predictions_are_exit_code_0(treecli: Runner) -> None:
    code, out, _ = treecli("diff", "full.json", "full.txt", "playtennis.csv")
    assert (code, out) == (0, "they predict the same for known values, and for all 14 rows\n")
    code, out, _ = treecli("diff", "full.json", "full.json")
    assert (code, out) == (0, "they predict the same for known values\n")
    assert treecli("diff", "full.txt", "full.txt", "-q") == (0, "they predict the same everywhere\n", "")


@pytest.mark.usefixtures("folder")
def test_structure_counts_if_asked_for(treecli: Runner) -> None:
    code, out, _ = treecli("diff", "full.json", "full.txt", "-q", "--structure")
    assert code == 1
    assert "everywhere  kind        a tree     a rule list\n" in out
    assert treecli("diff", "full.json", "full.json", "-q", "--structure").code == 0


def test_rows_with_missing_values_are_compared_although_no_region_has_them(treecli: Runner, folder: Path) -> None:
    # Without Outlook, the tree weighs its branches and says Yes; its rules match none, and the default is Yes, but
    # Humidity and Wind decide the fractions: Sunny and High 5/14 No, Overcast 4/14, Rain and Strong 5/14 No.
    header = (folder / "playtennis.csv").read_text().splitlines()[0]
    (folder / "unknown.csv").write_text(f"{header}\nD15,?,Mild,High,Strong,No\n")
    code, out, _ = treecli("diff", "full.json", "full.txt", "unknown.csv", "-q")
    assert code == 1
    assert out == "they differ on 1 of 1 row, all with missing values; they predict the same for known values\n"
    found = json.loads(treecli("diff", "full.json", "full.txt", "unknown.csv", "-q", "-f", "json").out)
    assert found["rows"]["outside_regions"] == 1
    assert found["known_values_only"] == ["Outlook", "Humidity", "Wind"]


def test_numeric_targets_differ_by_more_than_the_tolerance(treecli: Runner, tmp_path: Path) -> None:
    write_model(str(tmp_path / "houses.json"), regression())
    write_model(str(tmp_path / "flat.json"), model_of(HOUSES, (6.0, 19.0, 0.0)))
    (tmp_path / "houses.csv").write_text("area,district,price\n50,hills,10\n70,harbour,24\n70,old town,19.1\n")
    code, out, _ = treecli("diff", "houses.json", "flat.json", "houses.csv", "-q", "--tolerance", "2")
    assert code == 1
    # No case is in the hills above 60, so the mean of the node above them counts. The range of the area is the data's.
    assert out == (
        "they differ on 2 of 3 rows, and on 83.3 % of the space\n"
        "   IF                                houses  flat  share   rows  closer\n"
        "1  area <= 60                        12      19    50.0 %     1  1 : 0\n"
        "2  area > 60 AND district = harbour  30      19    16.7 %     1  0 : 1\n"
        "3  area > 60 AND district = hills    25      19    16.7 %     0\n"
    )
    assert treecli("diff", "houses.json", "flat.json", "-q").out.startswith("they differ in 4 regions\n")


def test_a_model_of_another_target_is_refused_with_exit_code_2(treecli: Runner, folder: Path) -> None:
    code, out, err = treecli("diff", "full.json", "j48.json")
    assert (code, out) == (2, "")
    assert err == "Error: the models predict different targets: PlayTennis and class\n"
    assert treecli("diff", "-", "-").code == 2


def test_the_search_that_is_stopped_says_at_least(
    treecli: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treecli.difference.regions.MOST_PAIRS", 4)
    code, out, _ = treecli("diff", "j48.json", "rpart.json", "-q")
    assert code == 1
    assert out.startswith("they differ on at least ")
    monkeypatch.setattr("treecli.difference.regions.MOST_PAIRS", 1)
    code, out, _ = treecli("diff", "j48.json", "rpart.json", "-q", "-f", "json")
    found = json.loads(out)
    assert (code, found["exact"], found["differ"]) == (1, False, None)


def test_rules_differ_in_structure_by_the_rules_that_only_one_has(treecli: Runner, tmp_path: Path) -> None:
    write_model(str(tmp_path / "all.json"), of_tree(playtennis()))
    (tmp_path / "less.txt").write_text(treecli("rules", "all.json", "-q").out.replace("IF Outlook = Overcast", "# IF"))
    found = json.loads(treecli("diff", "all.json", "less.txt", "-q", "-f", "json").out)
    assert {(p["difference"], p["a"], p["b"]) for p in found["structure"]} >= {
        ("rule", "IF Outlook = Overcast THEN Yes", None)
    }
