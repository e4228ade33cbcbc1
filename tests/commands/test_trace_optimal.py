"""`treecli trace --search optimal:D` shows the errors of the best tree with every test, and so proves the tree."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Runner

ROOT = Path(__file__).parents[2]

SAME = "x,y\na,u\na,u\na,v\nb,v\nb,v\nb,u\n"
"""One of three cases with the same value is always wrong: two errors, whatever the tree."""


@pytest.fixture(autouse=True)
def data(tmp_path: Path) -> None:
    shutil.copy(ROOT / "sample_data" / "playtennis.csv", tmp_path)
    (tmp_path / "same.csv").write_text(SAME)
    (tmp_path / "missing.csv").write_text(SAME.replace("b,u", "?,u"))


def nodes_of(treecli: Runner, *arguments: str) -> list[dict[str, Any]]:
    code, out, err = treecli("trace", *arguments, "-q", "-f", "json")
    assert (code, err) == (0, "")
    found: list[dict[str, Any]] = json.loads(out)["nodes"]
    return found


def test_every_test_at_the_root_has_the_errors_of_its_best_tree(treecli: Runner) -> None:
    code, out, err = treecli("trace", "playtennis.csv", "--search", "optimal:2", "--depth", "0", "--top", "2", "-q")
    assert (code, err) == (0, "")
    assert out == (
        "Node 0: all cases — 14 cases: No 5, Yes 9\n\n"
        "  Errors(S) = 14 − 9 = 5   (as a leaf Yes)\n\n"
        "  Outlook = Sunny\n"
        "    Sunny     [3, 2]  Errors = 0 + 0 = 0   (split on Humidity = High)\n"
        "    != Sunny  [2, 7]  Errors = 9 − 7 = 2   (a leaf Yes)\n"
        "    Errors(S, Outlook = Sunny) = 0 + 2 = 2\n\n"
        "  Humidity = High\n"
        "    High    [4, 3]  Errors = 0 + 1 = 1   (split on Outlook = Sunny)\n"
        "    Normal  [1, 6]  Errors = 7 − 6 = 1   (a leaf Yes)\n"
        "    Errors(S, Humidity = High) = 1 + 1 = 2\n\n"
        "  not spelled out: Temperature = Hot 3, Wind = Weak 2\n\n"
        "  ⇒ split on Outlook = Sunny: Errors 2; next Humidity = High 2, a TIE: fewer leaves win, then the first test\n"
        "    proof: none of the 8 tests here leads to fewer than 2 errors in 2 levels\n\n"
    )


def test_the_errors_are_those_in_the_lineage(treecli: Runner, tmp_path: Path) -> None:
    for depth in ("1", "2", "3"):
        assert treecli("train", "playtennis.csv", "--search", f"optimal:{depth}", "-q", "-o", "m.json")[0] == 0
        record = json.loads((tmp_path / "m.json").read_text())
        (facts,) = (own for own in record["lineage"] if own["command"] == "search")
        root = nodes_of(treecli, "playtennis.csv", "--model", "m.json")[0]
        chosen = [own for own in root["candidates"] if own["status"] == "chosen"]
        assert [own["errors"] for own in chosen] == [facts["errors"]]
        assert root["bound"]["errors"] == facts["errors"]
        assert all(own["errors"] >= facts["errors"] and own["gain"] is None for own in root["candidates"])


def test_an_optimal_tree_has_surrogates_too(treecli: Runner, tmp_path: Path) -> None:
    shutil.copy(ROOT / "sample_data" / "iris.csv", tmp_path)
    words = ("iris.csv", "--search", "optimal:1", "--missing", "surrogate", "--depth", "0")
    root = nodes_of(treecli, *words)[0]
    assert root["chosen"] == "petallength <= 2.45"
    assert [own["agreement"] for own in root["surrogates"]] == pytest.approx([1.0, 138 / 150, 124 / 150])


def test_errors_that_no_tree_avoids_are_a_bound(treecli: Runner) -> None:
    root = nodes_of(treecli, "same.csv", "--search", "optimal:2")[0]
    assert root["bound"] == {"tests": 1, "levels": 2, "errors": 2.0, "floor": 2.0}
    for form in ("text", "markdown", "html", "latex"):
        code, out, _ = treecli("trace", "same.csv", "--search", "optimal:2", "-q", "-f", form)
        assert code == 0
        assert "no tree at all makes fewer than 2, because cases with the same values have different classes" in out


def test_a_penalty_adds_a_price_for_every_leaf(treecli: Runner) -> None:
    code, out, err = treecli(
        "trace", "playtennis.csv", "--search", "optimal:2", "--penalty", "0.4", "--depth", "0", "--top", "1", "-q"
    )
    assert (code, err) == (0, "")
    assert out == (
        "Node 0: all cases — 14 cases: No 5, Yes 9\n\n"
        "  Cost(S) = 14 − 9 + 1·0.400 = 5.400   (as a leaf Yes)\n\n"
        "  Outlook = Sunny\n"
        "    Sunny     [3, 2]  Cost = 0 + 0 + 2·0.400 = 0.800   (split on Humidity = High)\n"
        "    != Sunny  [2, 7]  Cost = 9 − 7 + 1·0.400 = 2.400   (a leaf Yes)\n"
        "    Cost(S, Outlook = Sunny) = 0.800 + 2.400 = 3.200\n\n"
        "  not spelled out: Temperature = Hot 4.200, Humidity = High 3.200, Wind = Weak 3.600\n\n"
        "  ⇒ split on Outlook = Sunny: Cost 3.200; next Humidity = High 3.200, a TIE: fewer leaves win, "
        "then the first test\n"
        "    proof: none of the 8 tests here leads to a cost below 3.200 in 2 levels\n\n"
    )


def test_missing_values_are_tried_on_both_sides(treecli: Runner) -> None:
    # a: u u v, b: v v, missing: u. Missing values with b make 1 error more, alone 2 errors.
    code, out, err = treecli("trace", "missing.csv", "--missing", "branch", "--search", "optimal:1", "-q")
    assert (code, err) == (0, "")
    assert "  x = a or missing\n    a or missing  [3, 1]  Errors = 4 − 3 = 1   (a leaf u)\n" in out
    assert "    proof: none of the 3 tests here leads to fewer than 1 error in 1 level; no tree at all" in out


def test_a_search_that_ended_early_has_no_proof(treecli: Runner, tmp_path: Path) -> None:
    words = ("playtennis.csv", "--search", "optimal:2", "--time-limit", "60", "-q")
    in_time = treecli("trace", *words)
    assert in_time == treecli("trace", *words[:3], "-q")
    assert treecli("train", *words, "-o", "m.json")[0] == 0
    record = json.loads((tmp_path / "m.json").read_text())
    (facts,) = (own for own in record["lineage"] if own["command"] == "search")
    facts |= {"proved": False, "at_least": 1.0}
    (tmp_path / "m.json").write_text(json.dumps(record))
    code, out, err = treecli("trace", "playtennis.csv", "--model", "m.json", "--depth", "0", "-q")
    assert (code, err) == (0, "")
    assert out == (
        "Node 0: all cases — 14 cases: No 5, Yes 9\n\n"
        "  Errors(S) = 14 − 9 = 5   (as a leaf Yes)\n\n"
        "  Outlook = Sunny\n"
        "    Sunny     [3, 2]  Errors = 0 + 0 = 0   (split on Humidity = High)\n"
        "    != Sunny  [2, 7]  Errors = 9 − 7 = 2   (a leaf Yes)\n"
        "    Errors(S, Outlook = Sunny) = 0 + 2 = 2\n\n"
        "  ⇒ split on Outlook = Sunny: Errors 2\n"
        "    no proof: the time ended before; every tree makes at least 1 error\n\n"
    )
