"""Winnowing: attributes that do not help to predict the other half of the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.growing import assert_same_tree, sample
from treecli.data import Attribute, Dataset, Schema
from treecli.errors import UsageError
from treecli.evaluate.winnowing import halves, winnowed
from treecli.grow.grow import grow
from treecli.learn import learn
from treecli.models import decode, encode, predictions
from treecli.pruners import pruner
from treecli.recipe import Recipe
from treecli.settings import Settings
from treecli.tree import Tree


def pruned(model: object) -> Tree:
    method = pruner("pessimistic")
    tree: Tree = method.prune(model, method.Options(raises=False), None)
    return tree


def labels(codes: list[list[int]], target: list[int]) -> Dataset:
    """Rows of nominal attributes a, b, … with three labels, and two classes."""
    names = "abcdef"[: len(codes)]
    schema = Schema(
        tuple(Attribute(name, "nominal", ("0", "1", "2")) for name in names), Attribute("t", "nominal", ("n", "y"))
    )
    columns = [np.array(own, np.int32) for own in codes]
    return Dataset(schema, columns, np.array(target, np.int32), np.ones(len(target)))


def test_rows_alternate_within_each_class() -> None:
    dataset = labels([[0, 1, 2, 0, 1, 2, 0]], [0, 0, 1, 0, 1, 1, -1])
    building, judging = halves(dataset)
    assert building.columns[0].tolist() == [0, 2, 0, 2]
    assert judging.columns[0].tolist() == [1, 1]
    assert building.target is not None
    assert building.target.tolist() == [0, 1, 0, 1]


def test_the_attributes_of_monks_1_are_found() -> None:
    # The class is a1 = a2 or a5 = 1.
    dataset = sample("monks-1.arff")
    found = winnowed(dataset, Settings.of(criterion="gain"), pruned)
    assert [dataset.schema.attributes[index].name for index in found.kept] == ["a1", "a2", "a5"]
    assert set(found.importance) == set(found.kept)


def test_an_attribute_that_misleads_goes_and_one_that_no_tree_tests_too() -> None:
    # Among the rows to build from, b is the class, or 2 in a quarter of them, where a is the class; among the others b
    # is the opposite of the class. Elsewhere a is wrong in one row of four. c is constant.
    target = np.array([0, 0, 1, 1] * 16)
    row = np.arange(64)
    is_open = row // 4 % 4 == 0
    b = np.where(is_open, 2, np.where(row % 2 == 0, target, 1 - target))
    a = np.where(~is_open & (row // 4 % 4 == 1), 1 - target, target)
    dataset = labels([a.tolist(), b.tolist(), [0] * 64], target.tolist())
    found = winnowed(dataset, Settings.of(criterion="gain"), pruned)
    assert found.kept == [0]


def test_attributes_come_back_if_the_tree_without_them_is_worse() -> None:
    # Only b: the tree without it is one leaf, and makes as many errors as the classes have; b alone makes 6 of 16.
    target = [0, 0, 1, 1] * 8
    is_built = np.array([True, False] * 16)
    flips = np.isin(np.arange(32), (1, 3, 5, 7, 9, 11))
    b = np.where(is_built | ~flips, target, 1 - np.array(target)).tolist()
    dataset = labels([b], target)
    assert winnowed(dataset, Settings.of(criterion="gain"), pruned).kept == [0]


def test_the_tree_is_that_of_the_kept_attributes_with_the_numbers_of_all() -> None:
    dataset, remarks = sample("monks-1.arff"), list[str]()
    model = learn(dataset, Recipe.parse(["--winnow", "--criterion", "gain"]), on_remark=remarks.append)
    assert remarks[0] == "winnowing leaves out 'a3', 'a4', 'a6'"
    narrow = grow(dataset.narrowed([0, 1, 4]), Settings.of(criterion="gain"))
    assert_same_tree(model.tree, narrow.renumbered({0: 0, 1: 1, 2: 4}))
    assert (predictions(model, dataset) == dataset.target).all()
    text = b"".join(encode(model))
    assert b"".join(encode(decode(text, "m.json"))) == text
    assert model.settings.inputs.winnow


def test_forced_attributes_are_kept() -> None:
    dataset = sample("monks-1.arff")
    tree = learn(dataset, Recipe.parse(["--winnow", "--force", "a6", "--criterion", "gain"])).tree
    assert tree.attribute[0] == 5


def test_missing_values_and_weights_are_no_obstacle() -> None:
    dataset = sample("vote.arff")
    model = learn(dataset, Recipe.parse(["--winnow", "--like", "j48"]))
    assert model.tree.n_leaves > 1
    assert learn(replace(dataset, weights=dataset.weights * 2), Recipe.parse(["--winnow"])).tree.n_leaves > 1


@pytest.mark.parametrize(
    ("name", "words", "message"),
    [
        ("cpu.csv", [], "--winnow counts wrong labels, but the target 'performance' is numeric"),
        ("iris.csv", ["--project", "gaussian:2"], "--project and --winnow exclude each other"),
        ("iris.csv", ["--prune", "cost-complexity"], "it grows trees of its own, which --winnow does not reach"),
    ],
)
def test_what_winnowing_cannot_do_is_one_line(name: str, words: list[str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        learn(sample(name), Recipe.parse(["--winnow", *words]))
    assert message in str(error.value)
