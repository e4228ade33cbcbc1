"""Raising subtrees: sending only the rows of the other branches down the largest one gives the same tree."""

from __future__ import annotations

from array import array
from dataclasses import replace

import numpy as np
import pytest

from tests.growing import sample
from treecli.data import Attribute, Dataset, Schema
from treecli.grow.grow import grown
from treecli.model import TreeModel
from treecli.pruners import _raising
from treecli.pruners.pessimistic import Options, expected_errors, prune
from treecli.settings import Settings
from treecli.tree import Tree

LABELS = ("a", "b", "c", "d")
SCHEMA = Schema(
    (Attribute("x", "numeric"), Attribute("y", "numeric"), Attribute("k", "nominal", LABELS)),
    Attribute("class", "nominal", ("no", "yes", "perhaps")),
)


def noisy(seed: int, missing_share: float = 0.0, n_rows: int = 600) -> Dataset:
    source = np.random.default_rng(seed)
    x, y = source.normal(size=(2, n_rows)).round(2)
    k = source.integers(len(LABELS), size=n_rows).astype(np.int32)
    classes = np.where(source.random(n_rows) < 0.4, source.integers(3, size=n_rows), (x + y > 0) + (k == 1))
    x[source.random(n_rows) < missing_share] = np.nan
    k[source.random(n_rows) < missing_share] = -1
    return Dataset(SCHEMA, [x, y, k], classes.astype(np.int32), np.ones(n_rows))


def full_tree(dataset: Dataset, **settings: str) -> TreeModel:
    own = Settings.of(**settings)
    tree, schema = grown(dataset, own)
    return TreeModel(schema, own, (), tree)


def both(model: TreeModel, dataset: Dataset, options: Options) -> tuple[Tree, Tree]:
    """Return the tree pruned with all rows of a node sent down its largest branch, and with those of the others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_raising, "EXACT", 0.0)
        with_all = prune(model, options, dataset)
    return with_all, prune(model, options, dataset)


@pytest.mark.parametrize("nominal", ["multiway", "binary"])
@pytest.mark.parametrize("missing_share", [0.0, 0.002, 0.1])
@pytest.mark.parametrize("is_c45", [False, True])
def test_raising_with_few_rows_gives_the_same_tree(nominal: str, missing_share: float, is_c45: bool) -> None:
    n_raised = 0
    for seed in range(3):
        dataset = noisy(seed, missing_share)
        model = full_tree(dataset, criterion="gain", nominal=nominal)
        for confidence in (0.05, 0.25, 0.5, 0.9):
            options = Options(confidence, c45_estimate=is_c45)
            with_all, with_others = both(model, dataset, options)
            assert with_all == with_others
            n_raised += with_all != prune(model, replace(options, raises=False), None)
    assert n_raised > 0


def test_rows_that_are_not_the_training_rows_give_the_same_tree() -> None:
    model = full_tree(noisy(1), criterion="gain")
    with_all, with_others = both(model, noisy(2), Options())
    assert with_all == with_others


@pytest.mark.parametrize("name", ["iris.csv", "titanic.csv", "vote.arff"])
def test_samples_are_pruned_alike(name: str) -> None:
    dataset = sample(name)
    model = full_tree(dataset)
    with_all, with_others = both(model, dataset, Options())
    assert with_all == with_others


def test_more_cases_never_lower_the_estimate_of_a_leaf() -> None:
    pairs = [(right, wrong) for right in range(1, 25) for wrong in range(25) if wrong <= right]
    tree = Tree.of_leaves(2, array("d", [n for pair in pairs for n in pair]))
    for confidence in (0.001, 0.05, 0.25, 0.5, 1.0):
        for is_c45 in (False, True):
            found = dict(zip(pairs, expected_errors(tree, Options(confidence, c45_estimate=is_c45)), strict=True))
            for right, wrong in pairs:
                for more in ((right + 1, wrong), (right, wrong + 1)):
                    assert found.get(more, np.inf) >= found[right, wrong] - 1e-12
