"""`treecli trace --monotone` tells which splits are refused, and why."""

from __future__ import annotations

from math import log2
from pathlib import Path

import pytest

from tests.commands.tracing import data_of, traced
from tests.conftest import Runner

RISK = """age,smokes,risk
20,no,low
25,yes,low
30,no,low
35,no,high
40,yes,high
45,no,low
50,yes,high
55,yes,high
60,no,high
65,no,low
70,no,high
"""

WORDS = ("risk.csv", "--monotone", "age=+", "--type", "risk=ordinal:low<high", "--criterion", "gain")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    (tmp_path / "risk.csv").write_text(RISK)
    (tmp_path / "sizes.csv").write_text("a,g,y\n1,v,0\n2,w,0\n3,w,14\n4,v,2\n5,w,14\n")
    return tmp_path


def test_the_best_split_is_refused_where_its_branches_are_not_in_order(treecli: Runner) -> None:
    # The root divides high 6 of 11 into 0 of 3 and 6 of 8: below it, shares stay above (0 + 6/8) / 2.
    out = traced(treecli, *WORDS, "--node", "2")
    assert "  the share of high stays at least 0.375 here, halfway between the branches of splits above\n" in out
    assert (
        "  age <= 42.5, gain 0.123, is refused: the share of high is 1.000 with <= 42.5 and 0.667 with > 42.5, but "
        "must not fall\n"
    ) in out
    assert "    <= 42.5  [0, 2] [2, 4]  gain 0.123  not monotone\n" in out
    assert "    <= 67.5  [2, 5] [0, 1]  gain 0.056  best\n" in out
    (node,) = data_of(treecli, *WORDS, "--node", "2")["nodes"]
    (refused,) = node["refused"]
    entropy = -6 / 8 * log2(6 / 8) - 2 / 8 * log2(2 / 8)
    assert refused["split"] == "age <= 42.5"
    assert refused["gain"] == pytest.approx(entropy - 6 / 8 * (-4 / 6 * log2(4 / 6) - 2 / 6 * log2(2 / 6)))


def test_an_attribute_without_any_allowed_split_is_excluded(treecli: Runner) -> None:
    nodes = data_of(treecli, *WORDS)["nodes"]
    (last,) = nodes[-1]["candidates"]
    assert (last["status"], last["why"]) == ("excluded", "no split keeps the predictions monotone")
    assert nodes[-1]["chosen"] is None


def test_a_split_on_another_attribute_is_refused_where_a_branch_leaves_the_bounds(treecli: Runner) -> None:
    # a <= 2.5 has means of 0 and 10, so cases above stay at 5 or more; v has a mean of 2. Both labels are pure there.
    (node,) = data_of(treecli, "sizes.csv", "--monotone", "a=+", "--keep", "a", "--node", "a > 2.5")["nodes"]
    assert [(own["split"], own["gain"], own["why"]) for own in node["refused"]] == [
        ("g", pytest.approx((4**2 + 4**2 + 8**2) / 3), "the mean of y is 2.000 with v, below 5.000"),
    ]
    assert (node["chosen"], node["score"]) == ("a <= 4.5", pytest.approx(8))


def test_means_are_compared_within_their_rounding(treecli: Runner, folder: Path) -> None:
    (folder / "far.csv").write_text("a,g,y\n0,v,1000000000\n0,w,1000000001\n0,v,1000000000\n1,v,1000000000\n")
    words = ("far.csv", "--monotone", "a=+", "--type", "a=numeric", "--keep", "a", "--min-leaf", "1")
    (refused,) = data_of(treecli, *words, "--node", "0")["nodes"][0]["refused"]
    assert refused["split"] == "a <= 0.5"
    assert refused["why"].endswith("with > 0.5, but must not fall")


@pytest.mark.parametrize("form", ["markdown", "latex", "html"])
def test_every_format_tells_what_is_refused(treecli: Runner, form: str) -> None:
    out = traced(treecli, *WORDS, "--node", "2", "-f", form)
    assert "is refused: the share of high is 1.000 with" in out


def test_a_lesson_refuses_monotone_predictions(treecli: Runner) -> None:
    code, out, err = treecli("lesson", "risk.csv", "--monotone", "age=+")
    assert (code, out) == (2, "")
    assert err.startswith("Error: --monotone: has no lesson\n")
