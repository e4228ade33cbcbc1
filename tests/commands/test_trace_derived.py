"""`treecli trace` shows splits on columns that are derived from several attributes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.tracing import traced
from tests.conftest import Runner
from tests.growing import SAMPLE_DATA

MAJORITY = "a,b,c,y\n" + "".join(
    f"{a},{b},{c},{'yes' if (a + b + c).count('y') > 1 else 'no'}\n" for a in "ny" for b in "ny" for c in "ny"
)
"""Every combination of three labels; the class is that of two of them at least."""

ABOVE = "x,z,y\n1,2,u\n2,3,u\n3,5,u\n2,1,v\n3,2,v\n5,3,v\n"
"""The class says whether z is above x."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    (tmp_path / "majority.csv").write_text(MAJORITY)
    (tmp_path / "above.csv").write_text(ABOVE)
    return tmp_path


def test_m_of_n_conditions_are_candidates_beside_the_attributes(treecli: Runner) -> None:
    # Each attribute divides [4, 4] into [3, 1] and [1, 3]; two of three conditions into [0, 4] and [4, 0].
    out = traced(treecli, "majority.csv", "--criterion", "gain", "--splits", "mofn")
    assert "    Gain(S, a) = 1.000 − 0.811 = 0.189\n" in out
    assert "    at least 2 of {a = n, b = n, c = n}  [4, 0]  H = 0   (pure)\n" in out
    assert "  ⇒ split on at most 1 of {a = n, b = n, c = n}: Gain 1.000; next a 0.189\n" in out
    assert "Node 2: at least 2 of {a = n, b = n, c = n} — 4 cases, all no: a leaf\n" in out


def test_no_proposal_counts_in_the_average_gain(treecli: Runner) -> None:
    out = traced(treecli, "majority.csv", "--criterion", "gainratio", "--splits", "mofn", "--depth", "0")
    assert "Average gain = (0.189 + 0.189 + 0.189) / 3 = 0.189;" in out


def test_a_model_with_weighted_sums_is_traced_with_its_own_settings(treecli: Runner) -> None:
    words = ("above.csv", "--criterion", "gain", "--splits", "linear")
    assert treecli("train", *words, "-o", "model.json", "-q").code == 0
    found = json.loads(traced(treecli, "above.csv", "--model", "model.json", "-f", "json"))
    root = found["nodes"][0]
    *attributes, own = root["candidates"]
    assert root["chosen"] == own["split"] == "-0.4 * x + z <= 1.3"
    assert [each["n"] for each in own["branches"]] == [3, 3]
    assert own["gain"] == pytest.approx(1)
    assert [each["attribute"] for each in attributes] == ["x", "z"]


def test_a_tree_whose_splits_were_trimmed_or_pruned_keeps_fewer_columns_than_were_proposed(treecli: Runner) -> None:
    data = str(SAMPLE_DATA / "vote.arff")
    for words in (("--max-leaves", "3"), ("--prune", "cost-complexity", "--leaves", "4")):
        assert treecli("train", data, "--splits", "mofn", *words, "-o", "model.json", "-q").code == 0
        found = json.loads(traced(treecli, data, "--model", "model.json", "-f", "json"))
        assert len(found["nodes"]) > 3
        for node in found["nodes"]:
            assert node["chosen"] in (None, *(own["split"] for own in node["candidates"]))


def test_a_model_of_other_data_asks_about_columns_that_are_not_found(treecli: Runner, tmp_path: Path) -> None:
    assert treecli("train", "above.csv", "--splits", "linear", "-o", "model.json", "-q").code == 0
    (tmp_path / "other.csv").write_text(ABOVE.replace("5,3,v", "5,9,v"))
    code, out, err = treecli("trace", "other.csv", "--model", "model.json")
    assert (code, out) == (1, "")
    assert "Error: the model asks about '-0.4 * x + z', which is not found in these data\n" in err


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html"])
def test_projected_columns_are_defined_before_the_nodes(treecli: Runner, form: str) -> None:
    out = traced(treecli, "above.csv", "--project", "gaussian:1", "--prune", "mdl", "-f", form)
    first = out.index("projection 1 = ")
    assert first < out.index("projection 1", first + 1)


def test_a_lesson_refuses_derived_columns(treecli: Runner) -> None:
    for option, value in (("--splits", "linear"), ("--project", "gaussian:1")):
        code, out, err = treecli("lesson", "above.csv", option, value)
        assert (code, out) == (2, "")
        assert err.startswith(f"Error: {option}: has no lesson\n")
