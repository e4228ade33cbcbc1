from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import example_models
from tests.example_models import Inner, model_of
from tests.pruners.tuning import assert_is_pruning, dataset_of, tuning_data, tuning_error
from treecli.data import Attribute, Dataset, Schema
from treecli.errors import DataError
from treecli.model import TreeModel
from treecli.pruners.reduced_error import Options, prune
from treecli.splits import multiway, threshold
from treecli.tree import Tree

TOLERANCE = 1e-9
"""Of the error of a tree, for what fractional cases and squares round."""

SIDES = Schema(
    (Attribute("side", "nominal", ("left", "right")), Attribute("x", "numeric")),
    Attribute("sign", "nominal", ("+", "-")),
)
LEFT, RIGHT = 0, 1
LOW, HIGH = 0.0, 1.0
PLUS, MINUS = 0, 1


def on_x(low: example_models.Leaf, high: example_models.Leaf) -> Inner:
    return Inner(threshold.Split(1, 0.5), (low, high))


def cases(side: int, x: float, n_plus: int, n_minus: int) -> list[tuple[float, ...]]:
    return [(side, x, PLUS)] * n_plus + [(side, x, MINUS)] * n_minus


def pruned(model: TreeModel, dataset: Dataset, greedy: bool) -> TreeModel:
    return replace(model, tree=prune(model, Options(greedy), dataset))


def lecture_example() -> tuple[TreeModel, Dataset]:
    """Root "-" → A "+" (leaves A0 "+", A1 "-") and the leaf B "-"."""
    model = model_of(SIDES, Inner(multiway.Split(0, 2), (on_x((4.0, 1.0), (1.0, 3.0)), (1.0, 6.0))))
    tuning = [*cases(LEFT, LOW, 4, 1), *cases(LEFT, HIGH, 2, 2), *cases(RIGHT, LOW, 1, 5)]
    return model, dataset_of(SIDES, tuning)


def counter_example() -> tuple[TreeModel, Dataset]:
    """Root "+" → A "+" (leaves "-", "+") and B "-" (leaves "-", "+")."""
    model = model_of(SIDES, Inner(multiway.Split(0, 2), (on_x((0.0, 1.0), (5.0, 0.0)), on_x((0.0, 3.0), (1.0, 0.0)))))
    tuning = [
        *cases(LEFT, LOW, 3, 0),
        *cases(LEFT, HIGH, 5, 2),
        *cases(RIGHT, LOW, 2, 0),
        *cases(RIGHT, HIGH, 0, 3),
    ]
    return model, dataset_of(SIDES, tuning)


@pytest.mark.parametrize("greedy", [False, True])
def test_a_split_that_neither_helps_nor_harms_is_pruned_and_one_that_helps_stays(greedy: bool) -> None:
    model, dataset = lecture_example()
    # Full tree: wrong are 1 in A0, 2 in A1, 1 in B, 4 of 15. A as a leaf "+": 3 wrong, as before, so it goes.
    # The root as a leaf "-": 7 wrong, so it stays.
    small = pruned(model, dataset, greedy)
    assert tuning_error(model, dataset) == 4
    assert tuning_error(small, dataset) == 4
    assert [list(small.tree.outcomes_of(node)) for node in range(3)] == [[6, 10], [5, 4], [1, 6]]
    assert small.tree.n_leaves == 2


@pytest.mark.parametrize(
    ("greedy", "n_errors", "n_leaves"),
    [
        # A as "+" has 2 wrong instead of 5, B as "-" 2 instead of 5; the root as "+" has 5, but the two leaves have 4.
        (False, 4, 2),
        # The root as "+" has 5 wrong instead of 10, which beats 3 fewer for A and 3 fewer for B.
        (True, 5, 1),
    ],
)
def test_greedy_removal_may_swallow_what_would_better_be_pruned_inside(
    greedy: bool, n_errors: int, n_leaves: int
) -> None:
    model, dataset = counter_example()
    small = pruned(model, dataset, greedy)
    assert tuning_error(model, dataset) == 10
    assert tuning_error(small, dataset) == n_errors
    assert small.tree.n_leaves == n_leaves


@pytest.mark.parametrize("greedy", [False, True])
def test_nodes_without_tuning_cases_are_pruned(greedy: bool) -> None:
    model = example_models.playtennis()
    sunny, overcast, high, normal, weak, no, yes = 0, 1, 0, 1, 0, 0, 1
    dataset = dataset_of(
        model.schema, [(sunny, 0, high, weak, no), (sunny, 0, normal, weak, yes), (overcast, 0, high, weak, yes)]
    )
    # Nobody reaches Rain. Sunny as a leaf "No" would be wrong once, the root as a leaf "Yes" too.
    tree = pruned(model, dataset, greedy).tree
    assert tree == model.tree.collapsed(lambda node: node == 3)


@pytest.mark.parametrize("greedy", [False, True])
def test_a_new_leaf_predicts_the_majority_of_the_training_cases_and_not_of_the_tuning_cases(greedy: bool) -> None:
    model = model_of(SIDES, on_x((0.0, 2.0), (3.0, 0.0)))
    dataset = dataset_of(SIDES, [*cases(LEFT, LOW, 0, 9), *cases(LEFT, HIGH, 1, 0)])
    # As a leaf "-" the root would be right 9 times of 10; it would say "+", like 3 of its 5 training cases.
    assert pruned(model, dataset, greedy).tree == model.tree


@pytest.mark.parametrize("greedy", [False, True])
def test_weights_of_tuning_cases_count(greedy: bool) -> None:
    model = model_of(SIDES, on_x((0.0, 2.0), (3.0, 0.0)))
    rows = [(LEFT, LOW, PLUS), (LEFT, LOW, MINUS)]
    assert pruned(model, dataset_of(SIDES, rows, [1.0, 2.0]), greedy).tree.n_leaves == 2
    assert pruned(model, dataset_of(SIDES, rows, [2.0, 1.0]), greedy).tree.n_leaves == 1


@pytest.mark.parametrize("greedy", [False, True])
def test_a_tie_of_fractional_cases_is_a_tie(greedy: bool) -> None:
    # Three leaves "+" of 1, 1 and 5 training cases share each case with a missing value: 1/7 + 1/7 + 5/7 need not
    # add up to 1 in binary, yet the split changes nothing.
    schema = Schema((Attribute("k", "nominal", ("a", "b", "c")),), Attribute("sign", "nominal", ("+", "-")))
    model = model_of(schema, Inner(multiway.Split(0, 3), ((1.0, 0.0), (1.0, 0.0), (5.0, 0.0))))
    for n_cases in range(1, 30):
        dataset = dataset_of(schema, [(None, MINUS)] * n_cases, [0.1] * n_cases)
        assert pruned(model, dataset, greedy).tree.n_leaves == 1


@pytest.mark.parametrize("greedy", [False, True])
@pytest.mark.parametrize(
    ("prices", "n_leaves"),
    [
        # Training: area <= 60: mean 12; above: 20 in the old town, 30 at the harbour, 25 together; 20.667 in all.
        # 21 and 29: squared errors 1 + 1 by district, 16 + 16 without; the root makes it worse still.
        ((12.0, 21.0, 29.0), 4),
        # 24 and 26: 16 + 16 by district, 1 + 1 without, and area still helps: 12 is 0 off instead of 8.667.
        ((12.0, 24.0, 26.0), 2),
        # All near 20.667: 75.1 + 18.8 + 18.8 by area alone becomes less than 1 in one leaf.
        ((20.667, 20.667, 20.667), 1),
    ],
)
def test_a_numeric_target_is_pruned_by_squared_error(
    greedy: bool, prices: tuple[float, float, float], n_leaves: int
) -> None:
    model = example_models.regression()
    places = [(50.0, 0), (70.0, 0), (70.0, 1)]
    dataset = dataset_of(model.schema, [(*place, price) for place, price in zip(places, prices, strict=True)])
    assert pruned(model, dataset, greedy).tree.n_leaves == n_leaves


@pytest.mark.parametrize("price", [inf, -inf, 1e200])
def test_a_target_whose_square_is_no_number_is_refused(price: float) -> None:
    model = example_models.regression()
    with pytest.raises(DataError, match="the squared errors of 'price' in the tuning data overflow"):
        pruned(model, dataset_of(model.schema, [(50.0, 0, price), (70.0, 1, 30.0)]), greedy=False)


@given(st.data(), st.booleans(), st.booleans())
def test_the_tuning_error_never_rises(data: st.DataObject, is_classification: bool, greedy: bool) -> None:
    model = data.draw(example_models.models(is_classification))
    dataset = data.draw(tuning_data(model))
    small = pruned(model, dataset, greedy)
    assert_is_pruning(small.tree, model.tree)
    before = tuning_error(model, dataset)
    assert tuning_error(small, dataset) <= before + TOLERANCE * greatest_error(model, dataset)


@given(st.data(), st.booleans())
def test_bottom_up_makes_no_more_tuning_errors_than_greedy_removal(
    data: st.DataObject, is_classification: bool
) -> None:
    model = data.draw(example_models.models(is_classification))
    dataset = data.draw(tuning_data(model))
    bottom_up, greedy = (tuning_error(pruned(model, dataset, greedy), dataset) for greedy in (False, True))
    assert bottom_up <= greedy + TOLERANCE * greatest_error(model, dataset)


@given(st.data())
def test_greedy_removal_twice_is_greedy_removal_once(data: st.DataObject) -> None:
    model = data.draw(example_models.models(is_classification=True))
    dataset = data.draw(tuning_data(model))
    once = pruned(model, dataset, greedy=True)
    assert pruned(once, dataset, greedy=True).tree == once.tree


@given(st.data())
def test_bottom_up_finds_the_smallest_of_the_best_of_all_prunings(data: st.DataObject) -> None:
    model = data.draw(example_models.models(is_classification=True, max_depth=2))
    dataset = data.draw(tuning_data(model))
    measured = [
        (round(tuning_error(replace(model, tree=tree), dataset), 6), tree.n_leaves) for tree in prunings(model.tree)
    ]
    small = pruned(model, dataset, greedy=False)
    assert (round(tuning_error(small, dataset), 6), small.tree.n_leaves) == min(measured)


@given(st.data())
def test_the_sorted_pass_agrees_with_trying_every_node_each_time(data: st.DataObject) -> None:
    model = data.draw(example_models.models(is_classification=True))
    dataset = data.draw(tuning_data(model))
    assert pruned(model, dataset, greedy=True).tree == removed_one_by_one(model, dataset).tree


def greatest_error(model: TreeModel, dataset: Dataset) -> float:
    """The scale on which errors of the model are rounded."""
    return max(tuning_error(replace(model, tree=tree), dataset) for tree in (model.tree, as_one_leaf(model.tree)))


def as_one_leaf(tree: Tree) -> Tree:
    return tree.collapsed(lambda node: node == 0)


def prunings(tree: Tree) -> Iterator[Tree]:
    """Every tree that turning inner nodes into leaves can give, some of them several times."""
    inner = list(tree.inner_nodes())
    for chosen in chain.from_iterable(combinations(inner, size) for size in range(len(inner) + 1)):
        yield tree.collapsed(chosen.__contains__)


def removed_one_by_one(model: TreeModel, dataset: Dataset) -> TreeModel:
    """The lecture's procedure, literally: measure the tree without each node, take the best, and repeat."""
    while True:
        tree = model.tree
        depths = tree.depths()
        candidates = []
        for node in tree.inner_nodes():
            smaller = replace(model, tree=tree.collapsed(node.__eq__))
            error = round(tuning_error(smaller, dataset), 6)
            candidates.append((error, smaller.tree.n_leaves, depths[node], node, smaller))
        if not candidates:
            return model
        error, *_, smaller = min(candidates, key=lambda candidate: candidate[:4])
        if error > round(tuning_error(model, dataset), 6):
            return model
        model = smaller
