"""Properties of every pruning method."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import example_models
from tests.pruners.tuning import assert_is_pruning, dataset_of, tuning_data
from treecli import plugins
from treecli.data import Dataset
from treecli.errors import UsageError
from treecli.model import TreeModel
from treecli.models import decode, encode
from treecli.pruners import pruner
from treecli.tree import Tree

METHODS = plugins.names("pruners")

HOW_FAR = {"cost-complexity": {"alpha": 0.02}}
"""The options, if any, that a method needs to prune without data."""


def is_for_classes(method: str) -> bool:
    return not getattr(pruner(method), "NUMERIC_ONLY", False)


def pruned(method: str, model: TreeModel, dataset: Dataset) -> Tree:
    module = pruner(method)
    options = module.Options(**HOW_FAR.get(method, {}))
    return module.prune(model, options, dataset if module.DATA == "needed" else None)


@pytest.mark.parametrize("method", METHODS)
def test_a_method_declares_whether_it_uses_data(method: str) -> None:
    assert pruner(method).DATA in ("none", "optional", "needed")


@pytest.mark.parametrize("method", METHODS)
def test_every_option_has_a_default_and_a_help_text(method: str) -> None:
    options = pruner(method).Options()
    for field in fields(options):
        default = getattr(options, field.name)
        assert isinstance(default, bool | int | float) or (default is None and field.metadata["type"] in (int, float))
        assert field.metadata["help"].endswith(".")


def test_no_two_methods_have_an_option_of_the_same_name() -> None:
    names = [field.name for method in METHODS for field in fields(pruner(method).Options)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("method", METHODS)
@given(st.data())
def test_a_pruned_tree_is_the_tree_with_some_inner_nodes_as_leaves(method: str, data: st.DataObject) -> None:
    model = data.draw(example_models.models(is_classification=is_for_classes(method)))
    tree = pruned(method, model, data.draw(tuning_data(model)))
    assert_is_pruning(tree, model.tree)
    assert tree.n_leaves <= model.tree.n_leaves


@pytest.mark.parametrize("method", METHODS)
@given(st.data())
def test_pruning_a_pruned_tree_again_changes_nothing(method: str, data: st.DataObject) -> None:
    model = data.draw(example_models.models(is_classification=is_for_classes(method)))
    dataset = data.draw(tuning_data(model))
    once = pruned(method, model, dataset)
    again = pruned(method, replace(model, tree=once), dataset)
    if getattr(pruner(method), "PRUNES_FURTHER", False):
        assert again.n_leaves <= once.n_leaves
    else:
        assert again == once


@pytest.mark.parametrize("method", METHODS)
@given(st.data())
def test_the_model_stays_as_it_was_and_the_new_one_can_be_saved(method: str, data: st.DataObject) -> None:
    model = data.draw(example_models.models(is_classification=is_for_classes(method)))
    before = b"".join(encode(model))
    new = replace(model, tree=pruned(method, model, data.draw(tuning_data(model))))
    assert b"".join(encode(model)) == before
    assert decode(b"".join(encode(new)), "new.json").tree == new.tree


@pytest.mark.parametrize("method", METHODS)
def test_a_single_leaf_stays_one(method: str) -> None:
    model = example_models.single_leaf()
    if not is_for_classes(method):
        with pytest.raises(UsageError, match="numbers, which 'PlayTennis' does not have"):
            pruned(method, model, dataset_of(model.schema, [(0, 0, 0, 0, 1)]))
        return
    assert pruned(method, model, dataset_of(model.schema, [(0, 0, 0, 0, 1)])) == model.tree


@pytest.mark.parametrize("method", METHODS)
def test_a_tree_for_a_numeric_target_is_pruned_or_refused_with_a_cure(method: str) -> None:
    model = example_models.regression()
    dataset = dataset_of(model.schema, [(50.0, 0, 12.0), (70.0, 1, 31.0)])
    refusal = None
    try:
        assert_is_pruning(pruned(method, model, dataset), model.tree)
    except UsageError as error:
        refusal = error
    assert refusal is None or ("'price' is numeric" in refusal.message and refusal.hint)
