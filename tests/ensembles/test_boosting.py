"""Boosted trees."""

from __future__ import annotations

import json
from math import log
from pathlib import Path

import numpy as np
import pytest

from tests.exact.weka_boost import compare
from tests.growing import sample
from treecli.errors import UsageError
from treecli.learn import learn_ensemble
from treecli.models import answers
from treecli.predict.ensembles import boosted_votes
from treecli.predict.predict import distributions
from treecli.recipe import Recipe

FIXTURES = Path(__file__).parents[1] / "exact" / "fixtures"
WEKA = json.loads((FIXTURES / "weka_boost.json").read_text())["data"]


@pytest.mark.parametrize(
    "name", ["weka-weather.numeric", "weka-contact-lenses", "edge-branchtie1", "edge-ties", "monks-1"]
)
def test_trees_votes_and_predictions_are_those_of_weka(name: str, tmp_path: Path) -> None:
    """AdaBoostM1 over J48 of Weka 3.6.14; tests.exact compares more data sets."""
    assert compare(FIXTURES / "data" / f"{name}.arff", WEKA[name], tmp_path) == []


def test_the_weight_of_a_vote_is_the_logarithm_of_the_odds_of_being_right() -> None:
    """A stump on monks-1 has 108 of 432 wrong, so the first weight is ln 3."""
    monks = sample("monks-1.arff")
    model = learn_ensemble(monks, Recipe.parse(["--like", "j48", "--boost", "2"]))
    errors = model.lineage[-1]["errors"]
    assert model.weights == pytest.approx([log((1 - error) / error) for error in errors])
    assert model.weights[0] == pytest.approx(log(3))


def test_a_tree_without_errors_is_used_alone() -> None:
    model = learn_ensemble(sample("iris.csv"), Recipe.parse(["--boost", "10"]))
    assert model.n_trees == 1
    assert model.lineage[-1]["ended_by"] == "no error"


def test_probabilities_of_several_trees_are_proportional_to_the_exponentials_of_the_votes() -> None:
    vote = sample("vote.arff")
    model = learn_ensemble(vote, Recipe.parse(["--like", "j48", "--boost", "3"]))
    sums = np.zeros((vote.n_rows, 2))
    for member, weight in zip(model.members(), model.weights, strict=True):
        sums[np.arange(vote.n_rows), boosted_votes(distributions(member, vote))] += weight
    labels, shares = answers(model, vote)
    assert shares == pytest.approx(np.exp(sums) / np.exp(sums).sum(axis=1, keepdims=True))
    assert labels.tolist() == sums.argmax(axis=1).tolist()


def test_classes_that_differ_by_rounding_only_are_tied_and_the_first_wins() -> None:
    shares = np.array([[0.5, 0.5 + 1e-9], [0.4, 0.6], [0.3, 0.3 + 2e-6]])
    assert boosted_votes(shares).tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("cpu.csv", [], "--boost is for a nominal target, but 'performance' is numeric"),
        ("iris.csv", ["--priors", "equal"], "--boost: cases are weighed by errors"),
    ],
)
def test_a_target_or_settings_that_do_not_fit_are_refused(name: str, options: list[str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        learn_ensemble(sample(name), Recipe.parse(["--boost", "3", *options]))
    assert caught.value.message.startswith(message)
