"""The error after each tree, and its curve."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.growing import sample
from treecli.ensembles.staged import staged_errors
from treecli.learn import learn_ensemble
from treecli.models import answers
from treecli.recipe import Recipe

SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("iris.csv", ["--forest", "4"]),
        ("iris.csv", ["--forest", "4", "--votes", "majority", "--max-depth", "1"]),
        ("cpu.csv", ["--forest", "3"]),
        ("vote.arff", ["--like", "j48", "--boost", "4"]),
        ("vote.arff", ["--like", "c50", "--boost", "4"]),
    ],
)
def test_each_error_is_that_of_the_first_trees(name: str, options: list[str]) -> None:
    dataset = sample(name)
    model = learn_ensemble(dataset, Recipe.parse(options))
    expected = []
    for n in range(1, model.n_trees + 1):
        first = replace(model, trees=model.trees[:n], weights=model.weights[:n])
        said = answers(first, dataset)[0]
        if model.schema.is_classification:
            expected.append((said != dataset.target).mean())
        else:
            expected.append(np.sqrt(((said - dataset.target) ** 2).mean()))
    assert list(staged_errors(model, dataset)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        (["--forest", "5"], ["out of bag"]),
        (["--forest", "5", "--sample", "1", "--test-fraction", "0.3"], ["held-out rows"]),
        (["--boost", "3", "--max-depth", "1", "--test-fraction", "0.3"], ["training rows", "held-out rows"]),
    ],
)
def test_train_draws_the_error_by_number_of_trees(treecli, tmp_path: Path, options, texts) -> None:  # type: ignore[no-untyped-def]
    outcome = treecli("train", SAMPLES / "iris.csv", *options, "-o", "m.json", "--plot", "p.svg")
    assert outcome.code == 0, outcome.err
    assert "wrote p.svg" in outcome.err
    drawn = (tmp_path / "p.svg").read_text()
    for text in ("iris.csv: error by number of trees", "error rate", *texts):
        assert text in drawn
    for text in {"out of bag", "held-out rows", "training rows"} - {*texts}:
        assert text not in drawn


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--plot", "p.svg"], "--plot goes with --forest and --boost"),
        (["--forest", "2", "--sample", "1", "--plot", "p.svg"], "--plot: with --sample 1 no row is out of bag"),
        (["--forest", "2", "--plot", "p.gif"], "p.gif: pictures are .png, .svg or .pdf"),
        (["--forest", "2", "--plot", "no/p.svg"], "no"),
    ],
)
def test_a_curve_that_there_cannot_be_is_refused_before_growing(treecli, tmp_path, options, message) -> None:  # type: ignore[no-untyped-def]
    outcome = treecli("train", SAMPLES / "iris.csv", *options, "-o", "m.json")
    assert outcome.code == 2
    assert outcome.err.startswith(f"Error: {message}")
    assert not list(tmp_path.iterdir())
