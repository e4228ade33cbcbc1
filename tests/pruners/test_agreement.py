from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests import example_models
from tests.datasets import cases_for, dataset_of
from tests.example_models import NO_CASES, Inner, model_of
from tests.pruners.tuning import assert_is_pruning
from treecli.data import Attribute, Dataset, Schema
from treecli.model import TreeModel
from treecli.predict.nodevalues import predicted
from treecli.predict.predict import distributions
from treecli.pruners._agreement import merged
from treecli.settings import Settings
from treecli.splits import NO_BRANCH, multiway, subset, threshold
from treecli.tree import predicted_codes

SCHEMA = Schema(
    (Attribute("k", "nominal", ("a", "b")), Attribute("x", "numeric")), Attribute("y", "nominal", ("+", "-"))
)
NOTHING_MISSING = ({"command": "train", "missing": {}},)


def labels(model: TreeModel, dataset: Dataset) -> list[float]:
    found: list[float] = predicted(model, distributions(model, dataset)).tolist()
    return found


def pair(low: example_models.Leaf, high: example_models.Leaf, other: example_models.Leaf) -> Inner:
    """k = a: x <= 1 tells two leaves apart; k = b: another leaf."""
    return Inner(multiway.Split(0, 2), (Inner(threshold.Split(1, 1.0), (low, high)), other))


@pytest.mark.parametrize(
    ("low", "high", "n_leaves"),
    [
        ((6.0, 0.0), (3.0, 2.0), 2),
        ((6.0, 1.0), (2.0, 2.0), 2),  # a tie goes to the first label
        ((6.0, 0.0), (2.0, 3.0), 3),
        ((6.0, 0.0), (0.0, 0.0), 2),  # an empty leaf says what its parent does
    ],
)
def test_siblings_of_the_same_label_become_one_leaf(
    low: example_models.Leaf, high: example_models.Leaf, n_leaves: int
) -> None:
    model = model_of(SCHEMA, pair(low, high, (0.0, 4.0)), NOTHING_MISSING)
    assert merged(model).n_leaves == n_leaves


def test_merging_goes_on_upwards() -> None:
    model = model_of(SCHEMA, pair((6.0, 0.0), (3.0, 2.0), (4.0, 1.0)), NOTHING_MISSING)
    assert merged(model).n_leaves == 1


@pytest.mark.parametrize(
    "lineage",
    [
        (),
        ({"command": "train", "missing": {"k": 3}},),
    ],
)
def test_where_a_row_may_be_parted_above_only_leaves_of_equal_shares_become_one(
    lineage: tuple[dict[str, object], ...],
) -> None:
    # A row whose k is missing adds up the shares of "+" below both branches, whatever the labels there.
    other = (4.0, 6.0)
    assert merged(model_of(SCHEMA, pair((6.0, 0.0), (3.0, 0.0), other), lineage)).n_leaves == 2
    assert merged(model_of(SCHEMA, pair((6.0, 0.0), (2.0, 1.0), other), lineage)).n_leaves == 3
    assert merged(model_of(SCHEMA, pair((4.0, 2.0), (2.0, 1.0), other), lineage)).n_leaves == 2


def test_a_vote_that_merging_would_turn_is_the_reason() -> None:
    # k is missing, so half of the row, 20 of 40 cases, goes each way. x is 0: that half meets (1, 0) and says "+", the
    # other says it with 0.4: 0.7 in all. With the leaves below x as one, (11, 9), it is (0.55 + 0.4) / 2 = 0.475.
    root = pair((1.0, 0.0), (10.0, 9.0), (8.0, 12.0))
    model = model_of(SCHEMA, root)
    row = dataset_of(SCHEMA, [(None, 0.0, "+")])
    turned = replace(model, tree=model.tree.collapsed(lambda node: node == 1))
    assert labels(model, row) == [0]
    assert labels(turned, row) == [1]
    assert merged(model).n_leaves == 3


def test_a_label_without_a_branch_parts_a_row_too() -> None:
    schema = Schema(
        (Attribute("k", "nominal", ("a", "b", "c")), Attribute("x", "numeric")), Attribute("y", "nominal", ("+", "-"))
    )
    inner = Inner(threshold.Split(1, 1.0), ((6.0, 0.0), (3.0, 2.0)))
    for table, n_leaves in (((0, 1, NO_BRANCH), 3), ((0, 1, 1), 2)):
        model = model_of(schema, Inner(subset.Split(0, table), (inner, (0.0, 4.0))), NOTHING_MISSING)
        assert merged(model).n_leaves == n_leaves


def test_smoothed_probabilities_of_equal_shares_are_not_equal() -> None:
    model = model_of(SCHEMA, pair((6.0, 0.0), (3.0, 0.0), (4.0, 6.0)))
    assert merged(model).n_leaves == 2
    assert merged(replace(model, settings=Settings.of(laplace=True))).n_leaves == 3


def test_leaves_of_the_same_mean_become_one() -> None:
    schema = Schema((Attribute("x", "numeric"),), Attribute("y", "numeric"))
    root = Inner(
        threshold.Split(0, 1.0), ((3.0, 0.1, 1.0), Inner(threshold.Split(0, 2.0), ((2.0, 7.0, 0.0), NO_CASES)))
    )
    model = model_of(schema, root)
    assert merged(model) == model.tree.collapsed(lambda node: node == 2)


@given(st.data(), st.booleans())
def test_no_prediction_changes_for_any_row(data: st.DataObject, is_classification: bool) -> None:
    model = data.draw(example_models.models(is_classification))
    dataset = data.draw(cases_for(model))
    smaller = replace(model, tree=merged(model))
    assert_is_pruning(smaller.tree, model.tree)
    np.testing.assert_allclose(labels(smaller, dataset), labels(model, dataset), rtol=1e-9)


@given(st.data())
def test_no_prediction_changes_for_rows_that_lack_only_what_training_rows_lacked(data: st.DataObject) -> None:
    model = data.draw(example_models.models(is_classification=True))
    lacking = data.draw(st.sets(st.sampled_from(range(len(model.schema.attributes)))))
    names = {model.schema.attributes[index].name: 1 for index in lacking}
    model = replace(model, lineage=({"command": "train", "missing": names},))
    dataset = data.draw(cases_for(model))
    is_whole = np.ones(dataset.n_rows, bool)
    for index, column in enumerate(dataset.columns):
        if index not in lacking:
            is_whole &= column == column if model.schema.attributes[index].is_numeric else column >= 0
    dataset = dataset.take(np.flatnonzero(is_whole))
    assume(dataset.n_rows > 0)
    smaller = replace(model, tree=merged(model))
    assert labels(smaller, dataset) == labels(model, dataset)


@given(example_models.models(is_classification=True))
def test_where_no_row_can_be_parted_no_siblings_that_agree_remain(model: TreeModel) -> None:
    tree = model.tree
    assume(not any(NO_BRANCH in tree.split(node).table for node in tree.inner_nodes()))
    new = merged(replace(model, lineage=NOTHING_MISSING))
    code = predicted_codes(new)
    for node in new.inner_nodes():
        children = new.children(node)
        assert not (all(map(new.is_leaf, children)) and {code[child] for child in children} == {code[node]})
