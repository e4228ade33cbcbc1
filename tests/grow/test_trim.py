"""Pruning right after growing."""

from __future__ import annotations

import numpy as np
import pytest

from tests.example_models import Inner, append, grown
from tests.growing import model_from, sample
from treecli.data import Attribute, Schema
from treecli.grow.trim import best_first, split_as_grown
from treecli.settings import Settings
from treecli.splits import threshold
from treecli.tree import Tree, risks

SCHEMA = Schema((Attribute("x", "numeric"),), Attribute("y", "nominal", ("a", "b")))


def two_levels() -> Tree:
    """A root (0) with two inner children (1, 2) and four leaves (3 to 6)."""
    leaf = (1.0, 1.0)
    below = [Inner(threshold.Split(0, number), (leaf, leaf)) for number in (0.0, 2.0)]
    return grown(SCHEMA, Inner(threshold.Split(0, 1.0), (below[0], below[1])))


def n_splits(risk: list[float], alpha: float, first: int = 0) -> int:
    """How many splits are left."""
    tree = two_levels()
    is_split = split_as_grown(tree, risk, [first] * tree.n_nodes, alpha)
    return tree.collapsed(lambda node: not is_split[node]).n_leaves - 1


def test_a_split_that_saves_nothing_stays_for_the_sake_of_those_below_it() -> None:
    # XOR: the root's split saves nothing, those below it 4 each.
    assert n_splits([8, 4, 4, 0, 0, 0, 0], 0.0) == 3
    assert n_splits([8, 4, 4, 0, 0, 0, 0], 1.99) == 3
    assert n_splits([8, 4, 4, 0, 0, 0, 0], 2.67) == 0  # 8 / 3 for each of three


def test_splits_that_save_no_more_than_their_price_are_removed() -> None:
    # The root saves 10 - 5 - 3 = 2; the left son 5 - 1 = 4, the right one 3 - 2 = 1.
    risk = [10.0, 5.0, 3.0, 1.0, 0.0, 2.0, 0.0]
    assert n_splits(risk, 0.9) == 3
    assert n_splits(risk, 1.0) == 2
    # Without the right son's, (10 - 1 - 3) / 2 = 3 for each of the other two.
    assert n_splits(risk, 2.9) == 2
    assert n_splits(risk, 3.0) == 0


@pytest.mark.parametrize("first", [0, 1])
def test_rparts_bound_removes_splits_worth_their_price(first: int) -> None:
    # The three splits save 0.5, 1.2 and 1.4: 3.1 / 3 for each, more than 1. But once the left son is grown, rpart
    # expects no more than 3.1 - 1.2 = 1.9 of the root, less 1 for its own split: 0.9, and does not try the right son.
    # What is left, (3.1 - 1.4) / 2 for each of two splits, is less than 1. From the right it is (3.1 - 1.2) / 2.
    assert n_splits([3.1, 1.2, 1.4, 0, 0, 0, 0], 1.0, first) == 0
    assert n_splits([3.1, 1.2, 1.4, 0, 0, 0, 0], 0.8, first) == 3


def test_a_chain_of_many_thousand_nodes_is_cut() -> None:
    n_levels = 20_000
    tree = Tree(2)
    append(tree, (1.0, 1.0), threshold.Split(0, 0.0), first_child=1, n_branches=2)
    for level in range(1, n_levels):
        append(tree, (1.0, 1.0))
        append(tree, (1.0, 1.0), threshold.Split(0, float(level)), first_child=2 * level + 1, n_branches=2)
    append(tree, (1.0, 1.0))
    append(tree, (1.0, 1.0))
    # Each level saves 1.
    risk = [0.0] * tree.n_nodes
    for level in range(n_levels + 1):
        risk[2 * level] = float(n_levels - level)
    assert sum(split_as_grown(tree, risk, [0] * tree.n_nodes, 0.4)) == n_levels
    assert not split_as_grown(tree, risk, [0] * tree.n_nodes, 1.0)[0]


def test_growing_with_cp_removes_splits_that_save_less() -> None:
    # iris under rpart's defaults but minbucket 1: petal length, then petal width; risk 100, 50, 6.
    settings = Settings.of(criterion="gini", cp=0.01, min_split=20.0, min_leaf=7.0, zero_gain=False)
    tree = model_from(sample("iris.arff"), settings).tree
    assert tree.n_leaves == 3
    assert sorted(risks(tree, is_classification=True), reverse=True) == [100, 50, 5, 1, 0]
    assert model_from(sample("iris.arff"), Settings.of(criterion="gini", cp=0.45)).tree.n_leaves == 2
    assert model_from(sample("iris.arff"), Settings.of(criterion="gini", cp=0.5)).tree.n_leaves == 1


def test_best_first_growth_does_not_split_leaves() -> None:
    tree = two_levels()
    improvement = np.array([4.0, 3.0, 2.0, 0.0, 0.0, 0.0, 0.0])
    assert best_first(tree, improvement, 3).n_branches.count(2) == 2
    may_split = [True, False, True, False, False, False, False]
    pruned = best_first(tree, improvement, 4, may_split)
    assert [pruned.is_leaf(node) for node in range(5)] == [False, True, False, True, True]
