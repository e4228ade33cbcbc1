"""treecli importance."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Runner
from tests.example_models import playtennis
from treecli.models import write_model

SAMPLES = Path(__file__).parents[2] / "sample_data"

# rpart 4.1.19 in R 4.2.2: variable.importance, divided by its sum.
RPART = {
    "iris.csv": {
        "petalwidth": 0.3429504289,
        "petallength": 0.3135604610,
        "sepallength": 0.2085241162,
        "sepalwidth": 0.1349649938,
    },
    "cpu.csv": {
        "MMAX": 0.36900620922,
        "MMIN": 0.16215326623,
        "CACH": 0.14424944257,
        "CHMIN": 0.13331284535,
        "MYCT": 0.10742510175,
        "CHMAX": 0.08385313488,
    },
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The lecture's tree for the 14 days, and data."""
    for name in ("iris.csv", "cpu.csv", "playtennis.csv"):
        shutil.copy(SAMPLES / name, tmp_path)
    write_model(str(tmp_path / "days.json"), playtennis())
    return tmp_path


def found_by(treecli: Runner, *arguments: str) -> dict[str, Any]:
    code, out, err = treecli("importance", *arguments, "-f", "json", "-q")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("data", RPART)
def test_surrogates_count_as_in_rpart(treecli: Runner, data: str) -> None:
    assert treecli("train", data, "--like", "rpart", "-q", "-o", "m.json").code == 0
    rows = found_by(treecli, "m.json")["importance"]
    assert [row["attribute"] for row in rows] == list(RPART[data])
    assert {row["attribute"]: row["surrogate"] for row in rows} == pytest.approx(RPART[data], abs=1e-9)


@pytest.mark.usefixtures("folder")
def test_the_impurity_is_that_of_the_picture(treecli: Runner) -> None:
    rows = found_by(treecli, "days.json")["importance"]
    # As in tests/evaluate/test_importance.py.
    assert {row["attribute"]: row["impurity"] for row in rows} == pytest.approx(
        {"Humidity": 4.8548 / 13.1640, "Wind": 4.8548 / 13.1640, "Outlook": 3.4545 / 13.1640, "Temperature": 0},
        abs=1e-4,
    )
    assert [row["uses"] for row in rows] == [1, 1, 1, 0]
    assert {row["permutation"] for row in rows} == {None}


@pytest.mark.usefixtures("folder")
def test_the_table_with_data(treecli: Runner, golden: Callable[[str, str], None]) -> None:
    code, out, err = treecli("importance", "days.json", "playtennis.csv", "--repeats", "5", "--seed", "2")
    assert code == 0
    assert err == "permutation: the loss of accuracy, which is 1, by shuffling 5 times\n"
    golden("importance/playtennis", out)


@pytest.mark.usefixtures("folder")
def test_rule_lists_have_uses_and_permutation_only(treecli: Runner) -> None:
    assert treecli("rules", "days.json", "-q", "-o", "days.txt").code == 0
    of_tree = found_by(treecli, "days.json", "playtennis.csv")["importance"]
    of_rules = found_by(treecli, "days.txt", "playtennis.csv")["importance"]
    assert {row["impurity"] for row in of_rules} == {None}
    assert [row["permutation"] for row in of_rules] == [row["permutation"] for row in of_tree]
    code, out, err = treecli("importance", "days.txt")
    assert (code, err) == (0, "a rule list has no impurity; with DATA, permutation is measured\n")
    assert out.splitlines()[1] == "Outlook         5"


@pytest.mark.usefixtures("folder")
def test_any_measure_may_be_lost_and_smaller_ones_are_better_where_they_are(treecli: Runner) -> None:
    found = found_by(treecli, "days.json", "playtennis.csv", "--measure", "errors")
    assert (found["measure"], found["value"]) == ("errors", 0)
    by_accuracy = found_by(treecli, "days.json", "playtennis.csv")["importance"]
    assert [row["permutation"] for row in found["importance"]] == pytest.approx(
        [14 * row["permutation"] for row in by_accuracy]
    )


def test_weights_count(treecli: Runner, folder: Path) -> None:
    # Rows of weight 0 do not count: those that remain are Overcast, and Yes, whatever Humidity and Wind say.
    lines = (folder / "playtennis.csv").read_text().splitlines()
    weighted = [lines[0] + ",w", *(f"{line},{int('Overcast' in line)}" for line in lines[1:])]
    (folder / "weighted.csv").write_text("\n".join(weighted) + "\n")
    rows = found_by(treecli, "days.json", "weighted.csv", "--weights", "w")["importance"]
    lost = {row["attribute"]: row["permutation"] for row in rows}
    assert lost["Outlook"] > 0
    assert (lost["Humidity"], lost["Wind"], lost["Temperature"]) == (0, 0, 0)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["days.json", "--seed", "3"], "Error: --seed is for the permutation importance\n"),
        (["days.json", "--repeats", "3"], "Error: --repeats is for the permutation importance\n"),
        (["days.json", "playtennis.csv", "--measure", "acuracy"], "Error: unknown measure 'acuracy' "),
        (["days.json", "playtennis.csv", "--measure", "r2"], "Error: r2 is a measure for a numeric target"),
    ],
)
def test_options_without_effect_are_refused(treecli: Runner, arguments: list[str], message: str) -> None:
    code, out, err = treecli("importance", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(message)
