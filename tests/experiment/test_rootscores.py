"""Scores of attributes at the root."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from treecli.data import Attribute, Dataset, Schema
from treecli.experiment.rootscores import root_scores
from treecli.grow.grow import grow
from treecli.intake import ReadOptions, read_training
from treecli.settings import Settings

SAMPLES = Path(__file__).parents[2] / "sample_data"


def read(name: str) -> Dataset:
    return read_training(str(SAMPLES / name), ReadOptions()).dataset


def test_the_scores_of_playtennis_are_those_of_the_textbook() -> None:
    # Mitchell (1997), section 3.4.2: gains 0.246 (truncated), 0.029, 0.151 (truncated) and 0.048. Ratios by hand:
    # Outlook 0.2467 / 1.5774. Gini and chi-square of Outlook by hand from 2:3, 4:0, 3:2.
    scores = root_scores(read("playtennis.csv"))
    assert [round(own["gain"], 3) for own in scores] == [0.247, 0.029, 0.152, 0.048]
    assert scores[0]["gain_ratio"] == pytest.approx(0.24675 / 1.57741, rel=1e-4)
    assert scores[0]["gini_decrease"] == pytest.approx(90 / 196 - 10 / 14 * 0.48)
    expected = [(3, 25 / 14), (2, 45 / 14), (0, 20 / 14), (4, 36 / 14), (2, 25 / 14), (3, 45 / 14)]
    assert scores[0]["chi2"] == pytest.approx(sum((seen - due) ** 2 / due for seen, due in expected))
    assert (scores[0]["chi2_df"], scores[0]["threshold"]) == (2, None)


@pytest.mark.parametrize("name", ["playtennis.csv", "iris.csv", "vote.arff", "titanic.csv"])
@pytest.mark.parametrize(
    ("criterion", "key"), [("gain", "gain"), ("gainratio", "gain_ratio"), ("gini", "gini_decrease"), ("chi2", "chi2_p")]
)
def test_every_score_is_the_one_that_train_computes(name: str, criterion: str, key: str) -> None:
    dataset = read(name)
    for index, (attribute, scores) in enumerate(zip(dataset.schema.attributes, root_scores(dataset), strict=True)):
        alone = replace(dataset, schema=Schema((attribute,), dataset.schema.target), columns=[dataset.columns[index]])
        tree = grow(alone, Settings.of(criterion=criterion, max_depth=1))
        if tree.is_leaf(0):
            assert not scores["gain"] or scores["gain"] < 1e-9
        elif criterion == "chi2":
            assert tree.score[0] == pytest.approx(-np.log10(scores[key]))
        else:
            # An accelerator may sum in another order.
            assert tree.score[0] == pytest.approx(scores[key], rel=1e-12)


def test_a_numeric_target_has_its_reduction_of_variance_and_the_threshold() -> None:
    schema = Schema((Attribute("x", "numeric"), Attribute("c", "numeric")), Attribute("y", "numeric"))
    columns = [np.array([1.0, 2.0, 3.0, 4.0]), np.zeros(4)]
    dataset = Dataset(schema, columns, np.array([0.0, 0.0, 4.0, 4.0]), np.ones(4))
    assert root_scores(dataset) == [
        {"threshold": 2.5, "variance_reduction": 4.0},
        {"threshold": None, "variance_reduction": None},
    ]


def test_the_threshold_of_an_ordinal_attribute_is_a_label() -> None:
    schema = Schema((Attribute("size", "ordinal", ("s", "m", "l")),), Attribute("y", "nominal", ("no", "yes")))
    dataset = Dataset(schema, [np.array([0, 1, 2, 2], np.int32)], np.array([0, 0, 1, 1], np.int32), np.ones(4))
    (scores,) = root_scores(dataset)
    assert (scores["threshold"], scores["gain"]) == ("m", 1.0)
