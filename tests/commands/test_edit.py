"""`treecli edit` changes a tree by hand, and all counts follow."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Runner

SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, treecli: Runner) -> Path:
    """J48's tree of the irises, and the tree of the 14 days."""
    for name in ("playtennis.csv", "iris.csv"):
        shutil.copy(SAMPLES / name, tmp_path)
    assert treecli("train", "iris.csv", "--like", "j48", "-q").code == 0
    assert treecli("train", "playtennis.csv", "--criterion", "gain", "-q").code == 0
    return tmp_path


def model(folder: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / name).read_text())
    return found


def test_a_threshold_is_moved_and_the_rows_that_change_are_named(treecli: Runner, folder: Path) -> None:
    # Rows 78 and 107 have the width 1.7: one is told right then, the other wrong.
    done = treecli("edit", "iris.json", "--threshold", "petalwidth>0.6=1.65", "--data", "iris.csv", "-o", "hand.json")
    assert done == (
        0,
        "",
        "node 2: petalwidth <= 1.7 → 1.65; 2 rows change side; training errors 3 → 3 (row 107 right, row 78 wrong)\n"
        "9 → 9 nodes, 5 → 5 leaves; wrote hand.json\n",
    )
    nodes = model(folder, "hand.json")["nodes"]
    assert nodes[2]["split"]["at_most"] == 1.65
    assert nodes[4]["counts"] == [0, 2, 46]
    assert treecli("evaluate", "hand.json", "iris.csv", "-q").code == 0


def test_the_operations_are_in_the_lineage(treecli: Runner, folder: Path) -> None:
    assert treecli("edit", "iris.json", "--collapse", "6", "--rename", "petalwidth=width", "-q").code == 0
    edited = model(folder, "iris.edited.json")
    assert edited["lineage"][-1] == {"command": "edit", "operations": ["--collapse 6", "--rename petalwidth=width"]}
    assert edited["nodes"][0]["split"]["attribute"] == "width"
    assert treecli("show", "iris.edited.json").out.startswith("width <= 0.6: Iris-setosa (50.0)\n")


def test_operations_are_applied_in_the_order_of_the_script_and_then_of_the_command_line(
    treecli: Runner, folder: Path
) -> None:
    (folder / "plan.txt").write_text("# widen first\nsplit 2=petallength <= 4.8\n")
    arguments = ["--script", "plan.txt", "--collapse", "1", "--data", "iris.csv"]
    refused = treecli("edit", "iris.json", *arguments)
    assert refused.code == 2
    assert "--collapse 1: node 1 is a leaf already" in refused.err
    done = treecli("edit", "iris.json", "--script", "plan.txt", "--data", "iris.csv")
    assert done.err.startswith("node 2: asks petallength <= 4.8; training errors 3 → 7 (rows 71, 130 right, rows 53, ")
    assert model(folder, "iris.edited.json")["nodes"][3]["counts"] == [0, 46, 3]


def test_a_new_split_has_the_score_that_training_would_give_it(treecli: Runner, folder: Path) -> None:
    # The gain of Outlook is 0.2467 at the root of the 14 days (Mitchell 1997).
    arguments = ["--split", "0=Outlook", "--data", "playtennis.csv", "-q"]
    assert treecli("edit", "playtennis.json", *arguments).code == 0
    root = model(folder, "playtennis.edited.json")["nodes"][0]
    assert root["score"] == pytest.approx(0.24674981977443, abs=1e-12)
    assert treecli("edit", "playtennis.json", "--split", "0=Wind = Weak", "--data", "playtennis.csv", "-q").code == 0
    assert model(folder, "playtennis.edited.json")["nodes"][1]["counts"] == [2, 6]


def test_growing_again_gives_the_tree_back(treecli: Runner, folder: Path) -> None:
    arguments = ["--collapse", "1", "--regrow", "1", "--data", "playtennis.csv", "-q"]
    assert treecli("edit", "playtennis.json", *arguments).code == 0
    assert model(folder, "playtennis.edited.json")["nodes"] == model(folder, "playtennis.json")["nodes"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "no operation is given"),
        (["--collapse", "99"], 2, "--collapse 99: there is no such node, only 0 to 8"),
        (["--collapse", "petalwidth > 0.5"], 2, "did you mean 'petalwidth > 0.6'?"),
        (["--collapse", "2", "--collapse", "6"], 2, "--collapse 6: node 6 was removed by an earlier operation"),
        (["--threshold", "2=1.65"], 2, "the counts do not follow from the model"),
        (["--threshold", "2=many"], 2, "found '2=many', expected NODE=NUMBER"),
        (["--threshold", "1=2", "--data", "iris.csv"], 2, "node 1 does not compare a number with a threshold"),
        (["--threshold", "2=99", "--data", "iris.csv"], 2, "a branch of the new split has no cases"),
        (["--split", "2=petalwith <= 1", "--data", "iris.csv"], 2, "did you mean 'petalwidth'?"),
        (["--split", "2=petalwidth", "--data", "iris.csv"], 2, "name a threshold: petalwidth <= X"),
        (["--rename", "petalwidth=sepalwidth"], 2, "there is a column 'sepalwidth' already"),
        (["--rename", "petalwith=x"], 2, "did you mean 'petalwidth'?"),
        (["--collapse", "2", "--data", "playtennis.csv"], 3, "playtennis.csv"),
    ],
)
def test_what_cannot_be_done_is_refused_and_nothing_is_written(
    treecli: Runner, folder: Path, arguments: list[str], code: int, message: str
) -> None:
    done = treecli("edit", "iris.json", *arguments)
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert not (folder / "iris.edited.json").exists()


def test_an_empty_branch_can_be_allowed(treecli: Runner, folder: Path) -> None:
    arguments = ["--threshold", "2=99", "--data", "iris.csv", "--allow-empty", "-q"]
    assert treecli("edit", "iris.json", *arguments).code == 0
    assert model(folder, "iris.edited.json")["nodes"][4]["counts"] == [0, 0, 0]


def test_the_tree_of_another_model_is_grafted_and_counted(treecli: Runner, folder: Path) -> None:
    # Below Outlook = Sunny, a tree that asks Wind: 3 weak days (1 yes), 2 strong days (1 yes).
    assert treecli("train", "playtennis.csv", "-x", "Outlook", "-x", "Humidity", "-x", "Temperature", "-q").code == 0
    shutil.move(folder / "playtennis.json", folder / "wind.json")
    assert treecli("train", "playtennis.csv", "--criterion", "gain", "-q").code == 0
    arguments = ["--graft", "Outlook=Sunny=wind.json", "--data", "playtennis.csv"]
    done = treecli("edit", "playtennis.json", *arguments, "-o", "both.json")
    assert done == (
        0,
        "",
        "node 1: the tree of wind.json, 2 nodes below it; training errors 0 → 2 (rows 9, 11 wrong)\n"
        "8 → 8 nodes, 5 → 5 leaves; wrote both.json\n",
    )
    edited = model(folder, "both.json")
    assert edited["nodes"][1]["split"] == {"kind": "multiway", "attribute": "Wind"}
    assert [edited["nodes"][node]["counts"] for node in (4, 5)] == [[2, 1], [1, 1]]
    # H(2/5) − 3/5 · H(1/3) − 2/5 · 1 = 0.01997 bits.
    assert edited["nodes"][1]["score"] == pytest.approx(0.01997, abs=1e-5)
    step = edited["lineage"][-1]
    assert step["operations"] == ["--graft Outlook=Sunny=wind.json"]
    assert step["grafts"] == {"wind.json": sha256((folder / "wind.json").read_bytes()).hexdigest()}
    assert treecli("predict", "both.json", "playtennis.csv", "-q").code == 0


def test_a_graft_of_the_own_subtree_changes_nothing_but_the_lineage(treecli: Runner, folder: Path) -> None:
    arguments = ["--graft", "0=playtennis.json", "--data", "playtennis.csv", "-q", "-o", "same.json"]
    assert treecli("edit", "playtennis.json", *arguments).code == 0
    assert model(folder, "same.json")["nodes"] == model(folder, "playtennis.json")["nodes"]


@pytest.mark.parametrize(
    ("arguments", "code", "found"),
    [
        (["--graft", "1=iris.json"], 2, "--graft 1=iris.json: the counts do not follow from the model"),
        (["--graft", "1=iris.json", "--data", "playtennis.csv"], 2, "iris.json: its target 'class' does not have the"),
        (["--graft", "1=other.json", "--data", "playtennis.csv"], 2, "other.json: '"),
        (["--graft", "1=more.json", "--data", "playtennis.csv"], 2, "more.json: asks about 'Mood', which the model"),
        (["--graft", "1=no.json", "--data", "playtennis.csv"], 4, "no.json: "),
        (["--graft", "1", "--data", "playtennis.csv"], 2, "--graft: found '1', expected NODE=MODEL"),
        (["--graft", "99=iris.json", "--data", "playtennis.csv"], 2, "--graft 99: there is no such node, only 0 to 7"),
        (["--graft", "2=playtennis.json", "--data", "playtennis.csv"], 2, "node 2: a branch of the new split has no"),
        (
            ["--collapse", "0", "--graft", "4=playtennis.json", "--data", "playtennis.csv"],
            2,
            "--graft 4=playtennis.json:",
        ),
        (
            ["--graft", "0=copy.json", "--data", "playtennis.csv", "-o", "copy.json"],
            2,
            "copy.json: is read by this command",
        ),
    ],
)
def test_a_graft_that_does_not_fit_is_refused(
    treecli: Runner, folder: Path, arguments: list[str], code: int, found: str
) -> None:
    days = (folder / "playtennis.csv").read_text()
    (folder / "other.csv").write_text(days.replace("Overcast", "Cloudy"))
    header, *rows = days.splitlines()
    moods = [f"{'good' if row.endswith('Yes') else 'bad'},{row}" for row in rows]
    (folder / "more.csv").write_text("\n".join([f"Mood,{header}", *moods]) + "\n")
    for name in ("other", "more"):
        assert treecli("train", f"{name}.csv", "-q").code == 0
    shutil.copy(folder / "playtennis.json", folder / "copy.json")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    output = [] if "-o" in arguments else ["-o", "new.json"]
    done = treecli("edit", "playtennis.json", *arguments, *output, "-q")
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(f"Error: {found}")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
