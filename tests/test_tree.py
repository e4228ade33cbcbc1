"""A tree's arrays, and the view of one node."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from tests.example_models import (
    PLAYTENNIS,
    every_kind,
    iris_like,
    model_of,
    models,
    playtennis,
    regression,
    single_leaf,
)
from treecli.model import TreeModel
from treecli.splits import NO_BRANCH, subset, threshold
from treecli.tree import ALL_BRANCHES, predicted_codes, predicted_values
from treecli.values import Interval, Labels


def test_children_are_a_run_of_numbers_after_their_parent() -> None:
    tree = playtennis().tree
    assert [list(tree.children(node)) for node in range(tree.n_nodes)] == [
        [1, 2, 3],
        [4, 5],
        [],
        [6, 7],
        [],
        [],
        [],
        [],
    ]
    assert (tree.n_nodes, tree.n_leaves) == (8, 5)
    assert list(tree.inner_nodes()) == [0, 1, 3]


def test_parents_and_depths_follow_from_the_children() -> None:
    tree = playtennis().tree
    assert tree.parents() == [-1, 0, 0, 0, 1, 1, 3, 3]
    assert tree.depths() == [0, 1, 1, 1, 2, 2, 2, 2]


def test_reading_order_goes_down_before_it_goes_on() -> None:
    tree = playtennis().tree
    assert list(tree.in_reading_order()) == [0, 1, 4, 5, 2, 3, 6, 7]
    assert list(tree.in_reading_order(3)) == [3, 6, 7]


def test_a_split_comes_back_as_it_was_added() -> None:
    tree = every_kind().tree
    assert tree.split(0) == threshold.Split(0, 2.5)
    assert tree.split(2) == subset.Split(2, (0, 1, 0, NO_BRANCH))
    assert [tree.missing_to[node] for node in (0, 1, 2)] == [ALL_BRANCHES, 0, 2]


def test_a_collapsed_node_is_a_leaf_and_the_rest_is_renumbered() -> None:
    tree = playtennis().tree.collapsed(lambda node: node == 1)
    assert [list(tree.children(node)) for node in range(tree.n_nodes)] == [[1, 2, 3], [], [], [4, 5], [], []]
    # Sunny keeps its 3 days without tennis and 2 with; Wind stays below Rain.
    assert list(tree.outcomes_of(1)) == [3.0, 2.0]
    assert tree.split(3) == playtennis().tree.split(3)


@given(models(), st.integers(0, 2**32))
def test_remaining_nodes_keep_their_splits_and_outcomes(model: TreeModel, seed: int) -> None:
    tree = model.tree
    chance = random.Random(seed)
    goes = [chance.random() < 0.3 for _ in range(tree.n_nodes)]
    smaller = tree.collapsed(goes.__getitem__)
    pairs = [(0, 0)]
    for new, old in pairs:  # grows while it is walked: a queue
        assert smaller.outcomes_of(new) == tree.outcomes_of(old)
        assert smaller.is_leaf(new) == (tree.is_leaf(old) or goes[old])
        if not smaller.is_leaf(new):
            assert smaller.split(new) == tree.split(old)
            assert (smaller.missing_to[new], smaller.score[new]) == (tree.missing_to[old], tree.score[old])
            pairs += zip(smaller.children(new), tree.children(old), strict=True)
    assert [new for new, _ in pairs] == list(range(smaller.n_nodes))


@given(models())
def test_collapsing_nothing_changes_nothing_and_collapsing_the_root_leaves_a_leaf(model: TreeModel) -> None:
    assert model.tree.collapsed(lambda node: False) == model.tree
    leaf = model.tree.collapsed(lambda node: True)
    assert leaf.n_nodes == leaf.n_leaves == 1
    assert leaf.outcomes_of(0) == model.tree.outcomes_of(0)


def test_a_node_knows_its_weight_and_its_errors_as_a_leaf() -> None:
    # Iris below petalwidth 0.6 .. 1.7: 49 versicolor, 5 virginica.
    node = iris_like().node(3)
    assert (node.weight, node.errors, node.is_leaf) == (54.0, 5.0, False)
    # Four prices 20, 20, 33, 27 about their mean of 25: 25 + 25 + 64 + 4.
    assert (regression().node(2).weight, regression().node(2).errors) == (4.0, 118.0)


def test_a_condition_includes_missing_values_if_they_take_the_branch() -> None:
    model = every_kind()
    assert model.node(0).condition(0) == Interval(0, high=2.5)
    assert model.node(1).condition(0) == Interval(1, high=1.0, missing=True)
    assert model.node(1).condition(1) == Interval(1, low=1.0)
    assert model.node(5).condition(1) == Interval.none(0, missing=True)
    assert model.node(7).condition(1) == Labels.of(3, (1,), missing=True)


def test_a_label_that_no_case_had_takes_the_way_of_a_missing_value() -> None:
    # Nobody was dark grey (3) among the cases of node 2, whose third branch takes the missing values.
    assert every_kind().node(2).condition(2) == Labels.of(2, (3,), missing=True)


def test_an_empty_node_predicts_as_its_parent_does() -> None:
    # Node 14 is empty; its parent has one yes and one no, of which the first counts.
    assert predicted_codes(every_kind().tree)[14] == 0
    # Hills is empty; its parent's four prices have the mean 25.
    assert predicted_values(regression().tree) == [124 / 6, 12.0, 25.0, 20.0, 30.0, 25.0]


def test_of_equally_frequent_classes_the_first_is_predicted() -> None:
    assert predicted_codes(model_of(PLAYTENNIS, (7.0, 7.0)).tree) == [0]
    assert predicted_codes(single_leaf().tree) == [1]
