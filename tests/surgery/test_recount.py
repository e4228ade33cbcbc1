"""Counting the cases of a tree again gives the counts of training."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from tests.teaching.test_agreement import datasets
from treecli.data import Dataset
from treecli.learn import learn
from treecli.predict.predict import arrivals
from treecli.recipe import Recipe
from treecli.surgery.draft import draft_of, tree_of
from treecli.surgery.recount import recounted, set_scores


@settings(max_examples=examples(60))
@given(
    st.booleans().flatmap(lambda is_numeric: datasets(is_numeric=is_numeric)),
    st.sampled_from(["fractional", "surrogate", "majority", "branch", "stay"]),
    st.sampled_from(["multiway", "binary", "subset"]),
)
def test_the_counts_are_those_of_training(dataset: Dataset, missing: str, nominal: str) -> None:
    model = learn(dataset, Recipe.parse(["--missing", missing, "--nominal", nominal]))
    root, is_numeric = draft_of(model.tree), dataset.schema.target.is_numeric
    recounted(root, dataset, model.settings)
    tree = tree_of(root, model.tree)
    for name in ("kind", "attribute", "number", "missing_to", "first_child", "n_branches", "score"):
        assert list(getattr(tree, name)) == list(getattr(model.tree, name))
    expected = np.array(model.tree.outcomes)
    if missing == "surrogate" and not is_numeric:
        # Where no surrogate decides and branches tie, training leaves a case at the node, and prediction sends it on.
        expected = arrivals(model, dataset).reshape(-1)
    elif missing == "surrogate":
        return
    # Sums of squares about another centre differ by roundings of the largest of them.
    slack = 1e-9 + 1e-14 * float(np.abs(expected).max())
    assert np.array(tree.outcomes) == pytest.approx(expected, rel=1e-12, abs=slack)


@settings(max_examples=30)
@given(datasets(), st.sampled_from(["gain", "gainratio", "gini", "error"]))
def test_the_scores_are_those_of_training(dataset: Dataset, criterion: str) -> None:
    # Missing values have a branch, so the branches have all cases of the node.
    model = learn(dataset, Recipe.parse(["--criterion", criterion, "--missing", "branch"]))
    root = draft_of(model.tree)
    nodes = [root]
    for node in nodes:
        nodes.extend(node.children)
        node.score = None
    recounted(root, dataset, model.settings)
    set_scores(root, dataset, model.settings)
    assert np.array(tree_of(root, model.tree).score) == pytest.approx(np.array(model.tree.score), abs=1e-9)
