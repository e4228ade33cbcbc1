"""Traces of C5.0's choice between splits, its two steps of pruning, and the leaves that it merges."""

from __future__ import annotations

from pathlib import Path

from tests.commands.tracing import data_of, traced
from tests.conftest import Runner

ROOT = Path(__file__).parents[2]

PLAYTENNIS, IRIS, TITANIC = (str(ROOT / "sample_data" / f"{name}.csv") for name in ("playtennis", "iris", "titanic"))


def test_ratios_count_from_a_share_of_the_average_gain(treecli: Runner) -> None:
    out = traced(treecli, PLAYTENNIS, "--like", "c50", "--depth", "0", "--only", "grow")
    # (0.2467 + 0.0292 + 0.1518 + 0.0481) / 4
    rule = "a ratio counts only from a gain of at least 0.999 of that"
    assert f"Average gain = (0.247 + 0.029 + 0.152 + 0.048) / 4 = 0.119; {rule}:\n" in out
    assert "⇒ split on Outlook: GainRatio 0.156; next Humidity 0.152\n" in out


def test_with_many_cases_a_gain_must_pay_for_the_choice_of_an_attribute(treecli: Runner, tmp_path: Path) -> None:
    # 750 cases of each of two classes: half way from 500 to 1000, so (1 - 0.5) times the average gain, and 0.9 times
    # 0.5 times log2(2) / 1500.
    rows = [("x", "p", "u")] * 600 + [("y", "p", "u")] * 150 + [("x", "q", "v")] * 250 + [("y", "q", "v")] * 500
    text = "".join(f"{','.join(row)}\n" for row in [("a", "b", "class"), *rows])
    (tmp_path / "many.csv").write_text(text)
    out = traced(treecli, str(tmp_path / "many.csv"), "--like", "c50", "--depth", "0", "--only", "grow")
    # b separates the classes, so its gain is 1; a: 1 - (850 H(600/850) + 650 H(150/650)) / 1500 = 0.167.
    assert "Least gain = 0.500·(0.167 + 1.000) / 2 + 0.450·log2(2) / 1500 = 0.292; " in out


def test_near_ties_go_to_fewer_branches(treecli: Runner, tmp_path: Path) -> None:
    # Both separate the classes, so the ratio of each is 1; a has two branches, which count as three, b has four.
    rows = [("p", "1", "u"), ("p", "2", "u"), ("q", "3", "v"), ("q", "4", "v")] * 3
    text = "".join(f"{b},{a},{c}\n" for a, b, c in [("a", "b", "class"), *rows])
    (tmp_path / "tie.csv").write_text(text)
    words = (str(tmp_path / "tie.csv"), "--type", "b=nominal", "--like", "c50", "--depth", "0", "--only", "grow")
    (root,) = data_of(treecli, *words)["nodes"]
    assert root["chosen"] == "a"
    # The ratio of b is 1 / 2: no tie.
    assert [own["status"] for own in root["candidates"]] == ["beaten", "chosen"]


def test_the_global_step_cuts_within_one_standard_error(treecli: Runner) -> None:
    out = traced(treecli, IRIS, "--like", "c50", "--only", "prune")
    # 3 of 150 wrong: the root of 3 (1 - 3/150) is 1.7146. Node 6 is worth one error, the next subtree two.
    assert "one standard error: √(3·(1 − 3/150)) = 1.715 errors\n" in out
    assert "  ⇒ 1.000 more errors ≤ 1.715: replaced by a leaf\n" in out
    assert "  ⇒ 2.000 more errors > 0.715: kept, and with it all that save more\n" in out


def test_leaves_that_are_merged_are_named(treecli: Runner) -> None:
    out = traced(treecli, TITANIC, "--weights", "Count", "--like", "c50")
    assert out.endswith("merged: the branches 1st, 2nd and Crew of Class are leaves Yes\n")
    found = data_of(treecli, TITANIC, "--weights", "Count", "--like", "c50")
    assert found["merging"] == ["merged: the branches 1st, 2nd and Crew of Class are leaves Yes"]


def test_a_model_with_merged_leaves_is_refused_with_what_to_do(treecli: Runner, tmp_path: Path) -> None:
    model = str(tmp_path / "c50.json")
    assert treecli("train", TITANIC, "--weights", "Count", "--like", "c50", "-q", "-o", model).code == 0
    done = treecli("trace", TITANIC, "--weights", "Count", "--model", model)
    assert done.code == 2
    assert "--model: sibling leaves of this tree were merged" in done.err
