"""`treecli trace` spells out priors, costs and absolute errors."""

from __future__ import annotations

import shutil
from math import log2
from pathlib import Path

import pytest

from tests.commands.tracing import data_of, traced
from tests.conftest import Runner

ROOT = Path(__file__).parents[2]

COSTS = "truth,No,Yes\nNo,0,2\nYes,1,0\n"
"""A missed No costs 2, a missed Yes 1."""

NUMBERS = "x,y\n1,2\n2,4\n3,4\n4,10\n5,12\n6,20\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "sample_data" / "playtennis.csv", tmp_path)
    (tmp_path / "costs.csv").write_text(COSTS)
    (tmp_path / "numbers.csv").write_text(NUMBERS)
    return tmp_path


def entropy(*weights: float) -> float:
    return -sum(own / sum(weights) * log2(own / sum(weights)) for own in weights if own)


def test_equal_priors_make_a_rare_class_count_more(treecli: Runner) -> None:
    # 5 of 14 are No: each counts 1/2 / (5/14) = 7/5; each of the 9 Yes counts 1/2 / (9/14) = 7/9. Outlook divides
    # [5, 9] into [3, 2], [0, 4] and [2, 3].
    found = data_of(treecli, "playtennis.csv", "--criterion", "gain", "--priors", "equal", "--depth", "0")
    assert found["class_weights"] == {"No": pytest.approx(7 / 5), "Yes": pytest.approx(7 / 9)}
    (root,) = found["nodes"]
    assert root["impurity"] == pytest.approx(1)
    sunny, rain = (3 * 7 / 5, 2 * 7 / 9), (2 * 7 / 5, 3 * 7 / 9)
    gain = 1 - sum(sunny) / 14 * entropy(*sunny) - sum(rain) / 14 * entropy(*rain)
    outlook = root["candidates"][0]
    assert outlook["gain"] == pytest.approx(gain, abs=1e-12)
    assert outlook["branches"][0]["scaled"] == {"No": pytest.approx(sunny[0]), "Yes": pytest.approx(sunny[1])}
    text = traced(treecli, "playtennis.csv", "--criterion", "gain", "--priors", "equal", "--depth", "0")
    assert "  Weight(No) = 1/2 / (5/14) = 1.400\n" in text
    assert "  counted as No 7, Yes 7\n" in text
    assert "    Sunny     [3, 2] as [4.200, 1.556]  H = −4.200/5.756 log2(4.200/5.756) − " in text
    assert "Gain(S, Outlook) = 1.000 − 0.711 = 0.289\n" in text


def test_costs_weigh_classes_and_choose_the_label_of_least_cost(treecli: Runner) -> None:
    # A case of No counts 5/14·2 / (5/14·2 + 9/14·1) / (5/14) = 28/19, one of Yes 14/19.
    words = ("playtennis.csv", "--costs", "costs.csv", "--criterion", "gini", "--max-depth", "1")
    found = data_of(treecli, *words)
    assert found["class_weights"] == {"No": pytest.approx(28 / 19), "Yes": pytest.approx(14 / 19)}
    root, _, _, rain = found["nodes"]
    assert root["impurity"] == pytest.approx(1 - (10 / 19) ** 2 - (9 / 19) ** 2)
    # Rain has 2 No and 3 Yes: the label No costs 3·1, Yes 2·2.
    assert (rain["prediction"], rain["costs"]) == ("No", {"No": 3, "Yes": 4})
    text = traced(treecli, *words)
    assert "  Weight(Yes) = 9/14·1 / (5/14·2 + 9/14·1) / (9/14) = 0.737\n" in text
    assert "Node 3: Outlook = Rain — 5 cases: No 2, Yes 3: a leaf No\n" in text
    assert "    Cost(Yes) = 2·2 = 4.000\n" in text
    latex = traced(treecli, *words, "-f", "latex")
    assert r"\mathrm{Cost}(\text{Yes}) &= 2 \cdot 2 = 4.000" in latex
    assert "The label of a leaf is the one of least expected cost." in latex


def test_a_trace_shows_what_a_model_with_costs_was_scored_by(treecli: Runner) -> None:
    assert treecli("train", "playtennis.csv", "--costs", "costs.csv", "-o", "model.json", "-q").code == 0
    assert traced(treecli, "playtennis.csv", "--model", "model.json", "-f", "json") == traced(
        treecli, "playtennis.csv", "--costs", "costs.csv", "-f", "json"
    )


def test_pruning_with_priors_compares_expected_costs(treecli: Runner) -> None:
    # With equal priors, the root costs 9·7/9 = 7 of 14 as a leaf No; all other nodes have pure leaves. Below it, Sunny
    # and Rain cost 2·7/9 and 3·7/9 as leaves No, and have two leaves each.
    words = ("--priors", "equal", "--criterion", "gain", "--prune", "cost-complexity", "--leaves", "4")
    found = data_of(treecli, "playtennis.csv", *words, "--only", "prune")
    g = {own["id"]: (own["leaf"] - own["subtree"]) for own in found["pruning"]}
    assert g == {0: pytest.approx(7 / 14), 1: pytest.approx(14 / 9 / 14), 3: pytest.approx(21 / 9 / 14)}
    assert [own["id"] for own in found["pruning"] if own["decision"] == "leaf"] == [1]
    text = traced(treecli, "playtennis.csv", *words, "--only", "prune")
    assert "R in expected costs per case" in text


@pytest.mark.parametrize(("form", "text"), [("latex", r"\sum\lvert y - 7.000\rvert"), ("html", "<mo>|</mo>")])
def test_absolute_errors_are_about_the_median(treecli: Runner, form: str, text: str) -> None:
    # 2, 4, 4, 10, 12 and 20 have the median 7 and the absolute errors 5 + 3 + 3 + 3 + 5 + 13 = 32; 2, 4 and 4 those
    # 2 + 0 + 0 = 2 about 4; 10, 12 and 20 those 2 + 0 + 8 = 10 about 12.
    words = ("numbers.csv", "--criterion", "absolute", "--max-depth", "1")
    root, *_ = data_of(treecli, *words)["nodes"]
    assert root["counts"] == {"weight": 6, "median": 7, "absolute_error": 32}
    (own,) = root["candidates"]
    assert (own["split"], own["remainder"], own["gain"]) == ("x <= 3.5", 12, pytest.approx(20 / 6))
    shown = traced(treecli, *words)
    assert "  SAE(S) = Σ|y − 7.000| = 32.000\n" in shown
    assert "    > 3.5   [3 cases, median 12.000]  SAE = Σ|y − 12.000| = 10.000\n" in shown
    assert "Δ(S, x <= 3.5) = (32.000 − 12.000) / 6 = 3.333\n" in shown
    assert text in traced(treecli, *words, "-f", form)


def test_a_lesson_refuses_priors_and_costs(treecli: Runner) -> None:
    for option, value in (("--priors", "equal"), ("--costs", "costs.csv")):
        code, out, err = treecli("lesson", "playtennis.csv", option, value)
        assert (code, out) == (2, "")
        assert err.startswith(f"Error: {option}: has no lesson\n")
