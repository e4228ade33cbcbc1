"""Sibling leaves that agree share a branch."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from tests import example_models
from tests.example_models import Inner, model_of
from tests.growing import sample
from treecli.data import Attribute, Schema
from treecli.grow.siblings import n_leaves_expanded, with_merged_siblings
from treecli.learn import learn
from treecli.predict.predict import predictions
from treecli.recipe import Recipe
from treecli.splits import multiway, subset, threshold

SCHEMA = Schema(
    (Attribute("k", "nominal", ("a", "b", "c", "d", "e")), Attribute("x", "numeric", ())),
    Attribute("sign", "nominal", ("+", "-")),
)


def test_leaves_of_one_class_and_labels_without_cases_are_merged() -> None:
    below = Inner(threshold.Split(1, 2.0), ((4.0, 0.0), (0.0, 1.0)))
    tree = model_of(SCHEMA, Inner(multiway.Split(0, 5), ((1, 5), below, (0, 3), (7, 0), (0, 0)))).tree
    merged = with_merged_siblings(tree)
    # The root has 12 + and 9 -, so the empty branch of 'e' predicts +, as that of 'd' does.
    assert merged.split(0) == subset.Split(0, (0, 1, 0, 2, 2))
    assert [list(merged.outcomes_of(node)) for node in range(merged.n_nodes)] == [
        [12, 9], [1, 8], [4, 1], [7, 0], [4, 0], [0, 1]
    ]  # fmt: skip
    assert merged.split(2) == threshold.Split(1, 2.0)
    assert n_leaves_expanded(merged) == tree.n_leaves == 6
    assert with_merged_siblings(merged) == merged


def test_a_node_whose_branches_all_agree_is_a_leaf() -> None:
    tree = model_of(SCHEMA, Inner(multiway.Split(0, 5), ((3, 1), (2, 0), (1, 0), (4, 1), (0, 0)))).tree
    merged = with_merged_siblings(tree)
    assert merged.n_nodes == 1
    assert list(merged.outcomes_of(0)) == [10, 2]


@given(example_models.models(is_classification=True))
def test_merging_keeps_the_weights_and_is_done_once(model: object) -> None:
    tree = model.tree  # type: ignore[attr-defined]
    merged = with_merged_siblings(tree)
    assert list(merged.outcomes_of(0)) == list(tree.outcomes_of(0))
    assert merged.n_leaves <= tree.n_leaves
    assert with_merged_siblings(merged).n_nodes <= merged.n_nodes


def test_labels_that_are_predicted_do_not_change_without_missing_values() -> None:
    monks = sample("monks-1.arff")
    unmerged = learn(monks, Recipe.parse(["--like", "c50", "--prune", "none", "--min-leaf", "1"]))
    plain = learn(monks, Recipe.parse(["--criterion", "gainratio"]))
    merged = with_merged_siblings(plain.tree)
    from dataclasses import replace

    assert (predictions(plain, monks) == predictions(replace(plain, tree=merged), monks)).all()
    assert merged.n_leaves < plain.tree.n_leaves
    assert any(unmerged.tree.split(node).KIND == "subset" for node in unmerged.tree.inner_nodes())
    assert np.isfinite(np.array(merged.outcomes)).all()
