"""The best threshold for two classes of cases of weight 1, compared with that of the kernel for any weights."""

from __future__ import annotations

import numpy as np
import pytest

from tests.growing import AtRoot
from treecli.data import Attribute, Dataset, Schema
from treecli.scorers import _sums
from treecli.settings import Settings


def rows(n_rows: int, n_values: int, tilt: float, seed: int) -> Dataset:
    """A numeric attribute, and two classes that depend on it as much as the tilt says."""
    random = np.random.default_rng(seed)
    values = random.integers(0, n_values, n_rows) / 8
    second = random.random(n_rows) < 0.3 + tilt * (values > values.mean())
    schema = Schema((Attribute("a", "numeric"),), Attribute("t", "nominal", ("n", "y")))
    return Dataset(schema, [values], second.astype(np.int32), np.ones(n_rows))


@pytest.mark.parametrize("criterion", ["gainratio", "gain", "gini"])
@pytest.mark.parametrize("n_rows", [2, 3, 17, 40, 300, 3000])
@pytest.mark.parametrize("min_leaf", [1.0, 2.5, 20.0])
def test_cuts_are_those_of_the_kernel_for_any_weights(criterion: str, n_rows: int, min_leaf: float) -> None:
    for seed, (n_values, tilt) in enumerate([(3, 0.4), (50, 0.0), (50, 0.6), (10_000, 0.0), (10_000, 0.1)]):
        growth = AtRoot(rows(n_rows, n_values, tilt, seed), Settings.of(criterion=criterion, min_leaf=min_leaf))
        level, order = growth.level, growth.level.orders[0]
        anywhere = np.full(level.n_nodes, np.nan)
        found, expected = (_sums.cuts(level, order, only_at, growth.plan) for only_at in (None, anywhere))
        assert _sums.are_counted(level, order, growth.plan)
        for name in ("gain", "split_info", "lower", "upper", "missing_side", "cost"):
            assert getattr(found, name).tobytes() == getattr(expected, name).tobytes(), name


@pytest.mark.parametrize(
    ("change", "is_counted"),
    [("none", True), ("a weight", False), ("a missing value", False), ("a test", False), ("a third class", False)],
)
def test_cases_are_counted_only_where_that_suffices(change: str, is_counted: bool) -> None:
    dataset = rows(50, 20, 0.4, 1)
    settings = Settings.of(criterion="chi2" if change == "a test" else "gain")
    if change == "a weight":
        dataset.weights[3] = 2.0
    if change == "a missing value":
        dataset.columns[0][3] = np.nan
    if change == "a third class":
        target = Attribute("t", "nominal", ("n", "y", "z"))
        dataset = Dataset(Schema(dataset.schema.attributes, target), dataset.columns, dataset.target, dataset.weights)
    growth = AtRoot(dataset, settings)
    assert _sums.are_counted(growth.level, growth.level.orders[0], growth.plan) == is_counted
