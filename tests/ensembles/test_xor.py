"""A forest learns the parity of two attributes among eight that are noise, to which a greedy root is blind."""

from __future__ import annotations

import numpy as np
import pytest

from treecli.data import Attribute, Dataset, Schema
from treecli.ensembles.bagging import Bagging
from treecli.ensembles.outofbag import out_of_bag
from treecli.learn import learn_ensemble
from treecli.recipe import Recipe


def parity(seed: int) -> Dataset:
    random = np.random.default_rng(seed)
    columns = [random.integers(2, size=600).astype(np.float64) for _ in range(10)]
    schema = Schema(
        tuple(Attribute(f"x{number}", "numeric") for number in range(1, 11)), Attribute("y", "nominal", ("0", "1"))
    )
    return Dataset(schema, columns, (columns[0] != columns[1]).astype(np.int32), np.ones(600))


@pytest.mark.parametrize("features", ["sqrt", "all"])
def test_out_of_bag_rows_are_predicted_and_both_attributes_matter(features: str) -> None:
    """scikit-learn's forests of 200 trees predict at least 99.8 % of such rows out of bag, with 600 rows."""
    rows = parity(1)
    model = learn_ensemble(rows, Recipe.parse(["--forest", "200", "--features", features]), jobs=1)
    outside = out_of_bag(model, rows, Bagging(200, None, 0), 1)
    assert 1 - (outside.error() or 0.0) >= 0.998
    random = np.random.default_rng(0)
    losses = []
    for place in range(3):
        columns = list(rows.columns)
        columns[place] = random.permutation(columns[place])
        shuffled = Dataset(rows.schema, columns, rows.target, rows.weights)
        losses.append((out_of_bag(model, shuffled, Bagging(200, None, 0), 1).error() or 0.0) - (outside.error() or 0.0))
    assert losses[:2] == pytest.approx([0.5, 0.5], abs=0.06)
    assert losses[2] == pytest.approx(0, abs=0.02)
