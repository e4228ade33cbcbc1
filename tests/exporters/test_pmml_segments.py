"""Ensembles as PMML: segments, joined by PMML's own methods or by a chain of formulas.

test_every_exporter.py evaluates them.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.growing import sample
from treecli.exporters import Options
from treecli.exporters.pmml import NAMESPACE, export
from treecli.learn import learn_ensemble
from treecli.recipe import Recipe

SAMPLES = Path(__file__).parents[2] / "sample_data"
FOREST = ["--forest", "3", "--max-depth", "3"]
BOOST = ["--boost", "3", "--max-depth", "2"]


@pytest.mark.parametrize(
    ("name", "options", "method"),
    [
        ("iris.csv", [*FOREST, "--missing", "majority"], "average"),
        ("cpu.csv", [*FOREST, "--missing", "majority"], "average"),
        ("iris.csv", [*FOREST, "--missing", "majority", "--votes", "majority"], "majorityVote"),
        ("vote.arff", [*BOOST, "--missing", "majority"], "weightedMajorityVote"),
        ("iris.csv", FOREST, "modelChain"),
        ("cpu.csv", FOREST, "modelChain"),
        ("vote.arff", [*FOREST, "--votes", "majority"], "modelChain"),
        ("vote.arff", BOOST, "modelChain"),
        ("iris.csv", ["--like", "c50", "--boost", "3"], "modelChain"),
        ("iris.csv", ["--like", "c50", "--boost", "3", "--missing", "majority", "--no-regrow"], "modelChain"),
        ("iris.csv", [*FOREST, "--splits", "linear"], "modelChain"),
    ],
)
def test_every_tree_is_a_segment(name: str, options: list[str], method: str) -> None:
    dataset = sample(name)
    model = learn_ensemble(dataset, Recipe.parse(options))
    text = export(model, Options())
    (segmentation,) = ET.fromstring(text).iter(f"{{{NAMESPACE}}}Segmentation")
    assert segmentation.get("multipleModelMethod") == method
    segments = segmentation.findall(f"{{{NAMESPACE}}}Segment")
    assert len(segments) == model.n_trees + (method == "modelChain")
    if method == "weightedMajorityVote":
        assert [float(segment.get("weight") or 0) for segment in segments] == list(model.weights)


def test_costs_decide_between_the_classes_of_a_chain(treecli, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "costs.csv").write_text(
        "class,Iris-setosa,Iris-versicolor,Iris-virginica\n"
        "Iris-setosa,0,1,9\nIris-versicolor,1,0,9\nIris-virginica,1,1,0\n"
    )
    words = ["--missing", "majority", "--costs", "costs.csv", "-o", "m.json"]
    assert treecli("train", SAMPLES / "iris.csv", *FOREST, *words).code == 0
    outcome = treecli("export", "m.json", "-o", "m.pmml")
    assert outcome.code == 0, outcome.err
    assert 'multipleModelMethod="modelChain"' in (tmp_path / "m.pmml").read_text()
    if find_spec("pypmml") is not None:
        outcome = treecli("export", "m.json", "--to", "pmml", "-o", "m2.pmml", "--verify", SAMPLES / "iris.csv")
        assert outcome.code == 0, outcome.err
