"""Cases on their way down: the outcomes of every node are the sums over its cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growing import FRACTIONS, UNIT_WEIGHTS, continuous, datasets, model_from
from treecli.data import Dataset
from treecli.model import TreeModel
from treecli.settings import Settings

KINDS = ("numeric", "nominal", "ordinal", "numeric", "nominal")


def values_of(dataset: Dataset, row: int) -> list[float | None]:
    """A row's values; None where one is missing."""
    values = []
    for attribute, column in zip(dataset.schema.attributes, dataset.columns, strict=True):
        is_missing = np.isnan(column[row]) if attribute.is_numeric else column[row] < 0
        values.append(None if is_missing else float(column[row]))
    return values


def arrivals(model: TreeModel, dataset: Dataset) -> list[list[tuple[int, float]]]:
    """For every node the rows that reach it with the weight of each, by asking every node's conditions in turn."""
    tree = model.tree
    reached: list[list[tuple[int, float]]] = [[] for _ in range(tree.n_nodes)]
    reached[0] = [(row, float(weight)) for row, weight in enumerate(dataset.weights)]
    for node in tree.inner_nodes():
        children = list(tree.children(node))
        conditions = [model.node(node).condition(branch) for branch in range(len(children))]
        spreading = []
        for row, weight in reached[node]:
            value = values_of(dataset, row)[conditions[0].attribute]
            takers = [child for child, c in zip(children, conditions, strict=True) if c.holds(value)]
            assert len(takers) == 1 or (value is None and not takers)
            if takers:
                reached[takers[0]].append((row, weight))
            else:
                spreading.append((row, weight))
        known = {child: sum(weight for _, weight in reached[child]) for child in children}
        for row, weight in spreading:
            for child in children:
                if known[child] > 0:
                    reached[child].append((row, weight * known[child] / sum(known.values())))
    return reached


def assert_nodes_keep_their_cases(model: TreeModel, dataset: Dataset) -> None:
    assert dataset.target is not None
    for node, reached in enumerate(arrivals(model, dataset)):
        weights = np.array([weight for _, weight in reached])
        target = dataset.target[[row for row, _ in reached]]
        if model.schema.is_classification:
            expected = np.bincount(target, weights, minlength=len(model.schema.target.labels))
        elif not weights.sum():
            expected = np.zeros(3)
        else:
            mean = np.average(target, weights=weights)
            expected = np.array([weights.sum(), mean, (weights * (target - mean) ** 2).sum()])
        np.testing.assert_allclose(list(model.tree.outcomes_of(node)), expected, atol=1e-9)


@pytest.mark.parametrize("nominal", ["multiway", "binary", "subset"])
@pytest.mark.parametrize("missing", ["fractional", "majority", "branch"])
@pytest.mark.parametrize("has_classes", [True, False])
@settings(max_examples=8)
@given(data=st.data())
def test_every_node_keeps_the_outcomes_of_the_cases_that_reach_it(
    has_classes: bool, missing: str, nominal: str, data: st.DataObject
) -> None:
    dataset = data.draw(
        datasets(
            KINDS,
            n_classes=st.integers(2, 4) if has_classes else None,
            weights=data.draw(st.sampled_from([UNIT_WEIGHTS, FRACTIONS])),
            with_missing=True,
            rows=(2, 16),
        )
    )
    model = model_from(dataset, Settings.of(missing=missing, nominal=nominal))
    assert_nodes_keep_their_cases(model, dataset)


def test_cases_are_never_lost_on_larger_data() -> None:
    random, dataset = np.random.default_rng(3), continuous(600, 4, seed=5, noise=0.3)
    for column in dataset.columns:
        column[random.random(600) < 0.15] = np.nan
    assert_nodes_keep_their_cases(model_from(dataset, Settings.of(max_depth=6)), dataset)
