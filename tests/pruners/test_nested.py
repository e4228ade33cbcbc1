from __future__ import annotations

from array import array
from itertools import chain, combinations, pairwise

import pytest
from hypothesis import given

from tests import example_models
from tests.example_models import Inner, grown
from treecli.data import Attribute, Schema
from treecli.model import TreeModel
from treecli.pruners._nested import Stages, stages
from treecli.splits import threshold
from treecli.tree import Tree, risks

SCHEMA = Schema((Attribute("x", "numeric"),), Attribute("y", "nominal", ("+", "-")))


def two(low: Inner | example_models.Leaf, high: Inner | example_models.Leaf) -> Inner:
    return Inner(threshold.Split(0, 0.0), (low, high))


def example() -> Tree:
    """100 cases. 0 root (60, 40) | 1 A (50, 10) | 2 B (10, 30) | 3, 4 leaves of A | 5 B1 (8, 6) | 6 B2 | 7, 8 of B1."""
    return grown(
        SCHEMA, two(two((45.0, 2.0), (5.0, 8.0)), two(two((7.0, 2.0), (1.0, 4.0)), (2.0, 24.0)))
    )  # fmt: skip


def risk_of_stages(found: Stages, risk: list[float]) -> list[float]:
    return found.totals(risk, [0.0] * len(risk))


def leaves_of_stages(found: Stages) -> list[int]:
    n_nodes = len(found.leaf_from)
    return [round(n) for n in found.totals([1.0] * n_nodes, [0.0] * n_nodes)]


@pytest.mark.parametrize("is_rpart", [False, True])
def test_the_weakest_link_goes_first_even_before_its_own_child(is_rpart: bool) -> None:
    tree = example()
    risk = risks(tree, is_classification=True)
    # Errors: root 40, A 10 with leaves 2 + 5, B 10, B1 6 with leaves 2 + 1, B2 2; 12 in all.
    # Per leaf saved: root 28/4, A 3, B (10 - 5)/2 = 2.5, B1 3. So B goes at 2.5, before B1; then A at 3; then the root
    # at 40 - 20 = 20.
    found = stages(tree, risk, is_rpart=is_rpart)
    assert found.alpha == [0.0, 2.5, 3.0, 20.0]
    assert leaves_of_stages(found) == [5, 3, 2, 1]
    assert risk_of_stages(found, risk) == [12, 17, 20, 40]
    assert found.leaf_from[5] == found.gone_from[5]  # B1 is never a leaf


def test_rpart_cuts_a_node_too_early_where_it_overlooks_what_is_inside_a_branch() -> None:
    # 0 → leaf 1 and 2; 2 → leaf 3 and 4; 4 → leaves 5 and 6; the splits save 0, 10 and 8. Node 4 alone would go at 8, 2
    # at 10. At the root: all three splits save 18 / 3 = 6 each, which is less than 8, so all go at 6. rpart sees the
    # branch 2 as it is just before it goes, without the split of 4: 10 / 2 = 5.
    tree = grown(SCHEMA, two((0.0, 0.0), two((0.0, 0.0), two((0.0, 0.0), (0.0, 0.0)))))
    risk = [18.0, 0.0, 18.0, 0.0, 8.0, 0.0, 0.0]
    assert stages(tree, risk, is_rpart=False).alpha == [0.0, 6.0]
    assert stages(tree, risk, is_rpart=True).alpha == [0.0, 5.0]


def test_a_tree_with_splits_that_save_nothing_comes_first_and_without_them_next_both_for_nothing() -> None:
    tree = grown(SCHEMA, two(two((3.0, 1.0), (4.0, 1.0)), (0.0, 5.0)))
    found = stages(tree, risks(tree, is_classification=True), is_rpart=False)
    assert found.alpha == [0.0, 0.0, 5.0]
    assert leaves_of_stages(found) == [3, 2, 1]


def test_savings_that_are_equal_but_for_rounding_go_together() -> None:
    tree = grown(SCHEMA, two(two((0.0, 0.0), (0.0, 0.0)), two((0.0, 0.0), (0.0, 0.0))))
    third = 0.1 + 0.2  # 0.30000000000000004
    risk = [9.0, 0.3, third, *[0.0] * 4]
    found = stages(tree, risk, is_rpart=False)
    assert leaves_of_stages(found) == [4, 2, 1]


def test_a_single_leaf_is_all_of_its_path() -> None:
    tree = example_models.single_leaf().tree
    assert stages(tree, [5.0], is_rpart=False) == Stages([0.0], array("i", [0]), array("i", [1]))


@given(example_models.models(is_classification=True, max_depth=3).filter(lambda model: model.tree.n_nodes <= 25))
def test_at_every_price_it_is_the_smallest_of_the_best_of_all_prunings(model: TreeModel) -> None:
    tree = model.tree
    risk = risks(tree, is_classification=True)
    found = stages(tree, risk, is_rpart=False)
    totals = list(zip(risk_of_stages(found, risk), leaves_of_stages(found), strict=True))
    measured = [(sum(risk[node] for node in leaves), len(leaves)) for leaves in prunings(tree)]
    first = 1 if found.alpha[1:2] == [0.0] else 0  # before it comes the model with all that saves nothing
    for stage, low in enumerate(found.alpha[first:], first):
        high = found.alpha[stage + 1] if stage + 1 < len(found) else low + 1
        for price in (low, (low + high) / 2):
            costs = [(total + price * n_leaves, n_leaves) for total, n_leaves in measured]
            least = min(cost for cost, _ in costs)
            fewest = min(n_leaves for cost, n_leaves in costs if cost <= least + 1e-9)
            total, n_leaves = totals[stage]
            assert total + price * n_leaves == pytest.approx(least)
            assert n_leaves == fewest


@pytest.mark.parametrize("is_rpart", [False, True])
@given(example_models.models())
def test_the_trees_are_nested_prices_and_risk_rise_and_leaves_fall(is_rpart: bool, model: TreeModel) -> None:
    tree = model.tree
    risk = risks(tree, is_classification=model.schema.is_classification)
    found = stages(tree, risk, is_rpart=is_rpart)
    assert all(low < high for low, high in pairwise(found.alpha[1:]))
    assert found.alpha[0] == 0 <= min(found.alpha[1:], default=0)
    by_stage = leaves_of_stages(found)
    assert by_stage[0] == tree.n_leaves
    assert by_stage[-1] == 1
    for stage, n_leaves in enumerate(by_stage):
        smaller = tree.collapsed(lambda node, stage=stage: found.leaf_from[node] <= stage)  # type: ignore[misc]
        assert smaller.n_leaves == n_leaves
    assert all(n_more >= n_fewer for n_more, n_fewer in pairwise(by_stage))
    totals = risk_of_stages(found, risk)
    assert all(low <= high + 1e-9 * risk[0] for low, high in pairwise(totals))
    assert all(now <= later for now, later in zip(found.leaf_from, found.gone_from, strict=True))


def prunings(tree: Tree) -> list[list[int]]:
    """The leaves of every tree that turning inner nodes into leaves can give."""
    inner = list(tree.inner_nodes())
    found = set()
    for chosen in chain.from_iterable(combinations(inner, size) for size in range(len(inner) + 1)):
        leaves, pending = [], [0]
        while pending:
            node = pending.pop()
            if tree.is_leaf(node) or node in chosen:
                leaves.append(node)
            else:
                pending.extend(tree.children(node))
        found.add(tuple(sorted(leaves)))
    return [list(leaves) for leaves in found]
