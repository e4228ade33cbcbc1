"""`treecli trace --winnow` tells which attributes are left out before the tree grows, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.tracing import data_of, traced
from tests.conftest import Runner
from tests.growing import SAMPLE_DATA

NOISE = "a,b,y\n" + "".join(f"{'uv'[i % 2]},{'st'[i // 2 % 2]},{'pq'[i % 2]}\n" for i in range(8))
"""y follows a; b has nothing to do with it."""


def test_an_attribute_that_no_tree_tests_is_left_out(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "noise.csv").write_text(NOISE)
    out = traced(treecli, "noise.csv", "--winnow")
    # Half of the rows: one of two of each class, so 4 and 4; without a, half of the others are wrong.
    assert out.startswith(
        "winnowing: a pruned tree of 4 rows makes 0 errors on the other 4\n"
        "a: 2 errors if its tests are left open: kept\n"
        "b: not tested, even before pruning: left out\n\n"
    )
    found = data_of(treecli, "noise.csv", "--winnow")
    assert [own["attribute"] for own in found["nodes"][0]["candidates"]] == ["a"]
    assert found["winnowing"][2] == "b: not tested, even before pruning: left out"


def test_an_attribute_that_lowers_errors_comes_back_if_a_tree_without_it_makes_more(treecli: Runner) -> None:
    data = str(SAMPLE_DATA / "vote.arff")
    out = traced(treecli, data, "--winnow", "--depth", "0")
    assert "immigration: 4 errors if its tests are left open: kept\n" in out
    assert "without immigration, a tree makes 7 errors, so nothing is left out for its errors\n" in out
    (root,) = data_of(treecli, data, "--winnow", "--depth", "0")["nodes"]
    assert len(root["candidates"]) == 14


def test_a_model_that_was_winnowed_is_traced(treecli: Runner) -> None:
    data = str(SAMPLE_DATA / "vote.arff")
    assert treecli("train", data, "--winnow", "--max-depth", "3", "-o", "model.json", "-q").code == 0
    assert traced(treecli, data, "--model", "model.json").startswith("winnowing: a pruned tree of 218 rows")


@pytest.mark.parametrize("form", ["markdown", "latex", "html"])
def test_every_format_begins_with_it(treecli: Runner, tmp_path: Path, form: str) -> None:
    (tmp_path / "noise.csv").write_text(NOISE)
    out = traced(treecli, "noise.csv", "--winnow", "-f", form)
    assert out.index("even before pruning: left out") < out.index("Node 0")


def test_a_lesson_refuses_winnowing(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "noise.csv").write_text(NOISE)
    code, out, err = treecli("lesson", "noise.csv", "--winnow")
    assert (code, out) == (2, "")
    assert err.startswith("Error: --winnow: has no lesson\n")
