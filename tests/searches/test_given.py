"""A tree with given tests has the nodes that the loop over levels makes of the same tests."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from tests.growing import FRACTIONS, UNIT_WEIGHTS, assert_same_tree, datasets, nodes_by_levels
from treecli.data import Attribute, Dataset, Schema
from treecli.engines.memory import Engine
from treecli.grow.grow import grow
from treecli.grow.nodes import Nodes, as_tree
from treecli.grow.plan import plan_of
from treecli.grow.scores import set_scores
from treecli.kernels.codes import NO_SIDE
from treecli.searches import _binarytests as binary
from treecli.searches._given import GivenTree
from treecli.settings import Settings
from treecli.tree import LEAF, Tree

ATTRIBUTES = st.lists(st.sampled_from(["numeric", "nominal", "ordinal"]), min_size=1, max_size=3)
DEPTH = 3


def asked_in(tree: Tree) -> tuple[binary.Tests, list[int]]:
    """The tests of a tree, and their numbers by place: the children of place i are 2 i + 1 and 2 i + 2."""
    places, rows, at = {0: 0}, [], [LEAF] * (2**DEPTH - 1)
    for node in range(tree.n_nodes):
        if tree.is_leaf(node):
            continue
        at[places[node]] = len(rows)
        for branch, child in enumerate(tree.children(node)):
            places[child] = 2 * places[node] + 1 + branch
        split = tree.split(node)
        number = binary.KNOWN if split.KIND == "known" else split.table.index(0) if split.table else split.number
        rows.append((tree.attribute[node], number, tree.missing_to[node]))
    return as_tests(rows), at


def as_tests(rows: list[tuple[int, float, int]]) -> binary.Tests:
    """Tests from attributes, numbers and branches of missing values."""
    attributes, numbers, sides = np.array(rows, np.float64).reshape(-1, 3).T
    unused = np.zeros(len(rows), np.int64)
    return binary.Tests(attributes.astype(np.int32), numbers, sides.astype(np.int32), unused, unused)


def nodes_of(dataset: Dataset, own: Settings, tests: binary.Tests, at: list[int]) -> Nodes:
    plan = plan_of(own, dataset)
    engine = Engine(dataset, plan, 1)
    root = engine.root() if plan.by_surrogates else engine.unsorted_root()
    nodes = GivenTree(engine, tests, binary.columns_of(engine, root), root).nodes(at)
    set_scores(nodes, plan)
    return nodes


@settings(max_examples=examples(60))
@given(st.data())
def test_the_tests_of_a_greedy_tree_give_its_nodes(data: st.DataObject) -> None:
    policy = data.draw(st.sampled_from(["branch", "fractional", "majority", "stay", "surrogate"]))
    weights = data.draw(st.sampled_from([UNIT_WEIGHTS, FRACTIONS]))
    dataset = data.draw(
        datasets(
            data.draw(ATTRIBUTES),
            n_classes=st.integers(2, 3),
            with_missing=policy == "branch",
            weights=weights,
            rows=(2, 24),
        )
    )
    changes = {"threshold": data.draw(st.sampled_from(["midpoint", "datavalue"])), "missing": policy}
    own = Settings.of(nominal="binary", max_depth=DEPTH, **changes)
    expected = nodes_by_levels(dataset, own)
    tests, at = asked_in(as_tree(expected))
    found = nodes_of(dataset, own, tests, at)
    assert_same_tree(as_tree(found), as_tree(expected), tolerance=0.0)
    assert found.surrogates == expected.surrogates


def four_rows(*names: str) -> Dataset:
    schema = Schema(tuple(Attribute(name, "numeric") for name in names), Attribute("y", "nominal", ("no", "yes")))
    columns = [np.array([1.0, 2.0, 3.0, 4.0]) for _ in names]
    return Dataset(schema, columns, np.array([0, 0, 1, 1], np.int32), np.ones(4))


def test_a_pure_node_is_a_leaf_whatever_its_test() -> None:
    # By hand: x <= 2 separates the classes; the tests below it are of no use.
    tests = as_tests([(0, 2.0, NO_SIDE), (0, 1.0, NO_SIDE), (0, 3.0, NO_SIDE)])
    nodes = nodes_of(four_rows("x"), Settings.of(), tests, [0, 1, 2])
    assert (nodes.attribute.tolist(), nodes.number[0], nodes.first_child.tolist()) == ([0, -1, -1], 2.5, [1, 0, 0])
    assert np.asarray(nodes.outcomes).tolist() == [[2, 2], [2, 0], [0, 2]]


def test_without_attributes_the_root_is_a_leaf() -> None:
    tree = grow(four_rows(), Settings.of(search="optimal:2"))
    assert (tree.n_nodes, list(tree.outcomes_of(0))) == (1, [2, 2])
