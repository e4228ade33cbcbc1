"""`train --ties` records ties and near ties, `show --details` and `trace` tell them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import Runner
from treecli.errors import UsageError
from treecli.recipe import Recipe

SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    for name in ("playtennis.csv", "courses.csv", "iris.csv"):
        shutil.copy(SAMPLES / name, tmp_path)
    return tmp_path


def details(treecli: Runner, *arguments: str) -> list[str]:
    """The lines about ties in the tree that a command line grows."""
    assert treecli("train", *arguments, "-q", "-o", "model.json").code == 0
    return [line for line in treecli("show", "model.json", "--details", "--ids").out.splitlines() if "ties: " in line]


def test_a_near_tie_has_its_distance_in_percent(treecli: Runner) -> None:
    # Gain ratios 0.15643 and 0.15184 (scikit-learn 1.9.1 and SciPy 1.17.1): 0.0046 or 2.9 % apart.
    assert details(treecli, "playtennis.csv", "--ties") == ["   ties: Outlook 0.1564, Humidity 0.1518: near (2.9 %)"]
    assert details(treecli, "playtennis.csv", "--ties=0.004") == []
    assert details(treecli, "playtennis.csv", "--criterion", "gain", "--ties=0.2")[0] == (
        "   ties: Outlook 0.2467, Humidity 0.1518, Wind 0.04813: near (38.5 %, 80.5 %)"
    )


def test_a_tie_has_the_rule_that_broke_it(treecli: Runner) -> None:
    assert details(treecli, "courses.csv", "--criterion", "error", "--ties=0") == [
        "   |   ties: Easy, AI, Thy, Morning tie at 0; the first column wins",
        "   |   |   ties: AI, Thy, Morning tie at 0; the first column wins",
    ]
    # petallength <= 2.45 and petalwidth <= 0.8 divide the flowers in the same way.
    assert details(treecli, "iris.csv", "--criterion", "gini", "--ties=0", "--max-depth", "1") == [
        "   ties: petallength, petalwidth tie at 0.3333; the first column wins"
    ]


def test_ties_change_nothing_else_in_the_model(treecli: Runner, tmp_path: Path) -> None:
    for name, more in (("plain", []), ("noted", ["--ties"])):
        assert treecli("train", "courses.csv", "--criterion", "error", *more, "-q", "-o", f"{name}.json").code == 0
    plain, noted = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("plain", "noted"))
    assert noted["settings"].pop("ties") == 0.01
    assert "ties" not in (tmp_path / "plain.json").read_text()
    records = [node.pop("notes")["ties"] for node in noted["nodes"] if "notes" in node]
    assert noted == plain
    assert records[0] == [
        {"kind": "multiway", "attribute": name, "score": 0.0, "is_tie": True} for name in ("AI", "Thy", "Morning")
    ]
    assert treecli("replay", "noted.json", "courses.csv").out == "same bytes\n"


def test_a_trace_says_what_another_choice_would_give(treecli: Runner) -> None:
    # A tree that asks Humidity first has 8 leaves and no errors, as one grown with --force has.
    found = treecli("trace", "playtennis.csv", "--ties", "--depth", "0", "-q").out
    assert "    nearly a tie: Humidity here gives 8 leaves with 0 errors; Outlook 5 leaves with 0 errors\n" in found
    forced = treecli("train", "playtennis.csv", "--force", "Humidity", "-q", "-o", "-").out
    assert sum("split" not in node for node in json.loads(forced)["nodes"]) == 8
    facts = json.loads(treecli("trace", "courses.csv", "--criterion", "error", "--ties", "-q", "-f", "json").out)
    assert [own["attribute"] for own in facts["nodes"][2]["rivals"]] == ["Easy", "AI", "Thy", "Morning"]
    assert "rivals" not in facts["nodes"][0]
    for form in ("markdown", "latex", "html"):
        text = treecli("trace", "courses.csv", "--criterion", "error", "--ties", "-q", "-f", form).out
        assert "a tie: AI here gives 4 leaves with 1 error; Easy 4 leaves with 1 error" in text
    assert "a tie" not in treecli("trace", "courses.csv", "--criterion", "error", "-q").out


def test_names_in_the_notes_follow_a_rename(treecli: Runner, tmp_path: Path) -> None:
    details(treecli, "playtennis.csv", "--ties")
    assert treecli("edit", "model.json", "--rename", "Humidity=Damp", "-o", "new.json", "-q").code == 0
    assert "ties: Outlook 0.1564, Damp 0.1518: near (2.9 %)" in treecli("show", "new.json", "--details").out


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["--ties=-1"], "--ties: found '-1', expected a number of 0 or more"),
        (["--ties=x"], "--ties: found 'x', expected a number of 0 or more"),
        (["--ties", "--search", "lookahead"], "--ties: with --search lookahead, the split with the best score"),
        (["--ties", "--force", "Wind"], "--ties: with --force, the split with the best score is not always chosen"),
        (["--ties", "--forest", "3"], "--forest: ties are recorded for a single tree only"),
    ],
)
def test_what_has_no_ties_is_refused(treecli: Runner, arguments: list[str], found: str) -> None:
    done = treecli("train", "playtennis.csv", *arguments, "-q", "-o", "no.json")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"Error: {found}")


def test_the_value_is_typed_after_an_equals_sign_so_that_a_file_may_follow(treecli: Runner) -> None:
    assert treecli("train", "--ties", "playtennis.csv", "-q", "-o", "-").code == 0
    assert treecli("train", "playtennis.csv", "-o", "x.json", "--ties").code == 0
    assert Recipe.parse(["--ties", "--min-leaf", "2"]).settings.computing.ties == 0.01
    assert Recipe.parse(["--ties=0.5"]).settings.computing.ties == 0.5
    with pytest.raises(UsageError, match=r"found '0\.5', expected options only"):
        Recipe.parse(["--ties", "0.5"])
    done = treecli("train", "playtennis.csv", "-t", "--ties")
    assert done.err.startswith("Error: -t: found the option '--ties', expected a value")


@pytest.mark.parametrize(
    ("note", "found"),
    [
        ([{"kind": "multiway", "attribute": "Wind", "score": 1}], "tie 1: 'is_tie' must be true or false"),
        ([{"kind": "multiway", "attribute": "Wind", "is_tie": True}], "tie 1: 'score' must be a finite number"),
        ([{"kind": "multiway", "attribute": "Rain", "score": 1, "is_tie": True}], "tie 1: "),
        ({}, "'ties' must be a list of splits"),
    ],
)
def test_damaged_notes_are_refused(treecli: Runner, tmp_path: Path, note: object, found: str) -> None:
    details(treecli, "playtennis.csv", "--ties")
    model = json.loads((tmp_path / "model.json").read_text())
    model["nodes"][0]["notes"] = {"ties": note}
    (tmp_path / "bad.json").write_text(json.dumps(model))
    done = treecli("show", "bad.json")
    assert done.code == 4
    assert f"node 0: {found}" in done.err
