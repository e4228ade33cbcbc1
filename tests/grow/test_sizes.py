"""C5.0's limits on the size of a tree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import example_models
from tests.example_models import Inner, model_of
from treecli.data import Attribute, Schema
from treecli.grow.sizes import sized, within_rate
from treecli.settings.growing import Stopping
from treecli.splits import multiway
from treecli.tree import Tree

SCHEMA = Schema((Attribute("k", "nominal", ("a", "b")),), Attribute("sign", "nominal", ("+", "-")))


def split(*leaves: tuple[float, float]) -> Tree:
    return model_of(SCHEMA, Inner(multiway.Split(0, len(leaves)), leaves)).tree


@pytest.mark.parametrize(
    ("leaves", "stopping", "n_leaves"),
    [
        (((900, 0), (99, 1)), Stopping(pure_share=0.999), 1),  # 999 of 1000 are one class
        (((900, 0), (98, 2)), Stopping(pure_share=0.999), 2),
        (((1998, 2000), (1, 0)), Stopping(collapse_share=0.999), 1),  # 1 of 1999 errors is saved
        (((997, 1000), (2, 0)), Stopping(collapse_share=0.999), 2),
        (((3, 0), (0, 3)), Stopping(leaf_rate=0.24), 1),  # 0.24 · 6 = 1.44
        (((3, 0), (0, 3)), Stopping(leaf_rate=0.25), 2),  # 1.5 is rounded up
    ],
)
def test_nodes_become_leaves_at_the_limit(
    leaves: tuple[tuple[float, float], ...], stopping: Stopping, n_leaves: int
) -> None:
    assert sized(split(*leaves), stopping).n_leaves == n_leaves


@given(example_models.models(is_classification=True), st.floats(0.01, 2))
def test_no_subtree_has_more_leaves_than_the_rate_times_its_weight(model: object, rate: float) -> None:
    tree = within_rate(model.tree, rate)  # type: ignore[attr-defined]
    weights = tree.weights(is_classification=True)
    n_leaves = [1] * tree.n_nodes
    for node in reversed(range(tree.n_nodes)):
        if not tree.is_leaf(node):
            n_leaves[node] = sum(n_leaves[child] for child in tree.children(node))
        assert n_leaves[node] <= max(int(rate * weights[node] + 0.5), 1)


def test_of_too_many_leaves_those_go_that_save_least() -> None:
    """At most 3 leaves for 20 cases: the left pair saves 1 error of its 10 cases, the right pair 4."""
    schema = Schema(
        (Attribute("k", "nominal", ("a", "b")), Attribute("m", "nominal", ("c", "d"))),
        Attribute("sign", "nominal", ("+", "-")),
    )
    pairs = [((8, 1), (0, 1)), ((6, 0), (0, 4))]
    below = [Inner(multiway.Split(1, 2), tuple((float(p), float(n)) for p, n in pair)) for pair in pairs]
    tree = within_rate(model_of(schema, Inner(multiway.Split(0, 2), tuple(below))).tree, 0.16)
    assert [tree.is_leaf(node) for node in tree.children(0)] == [True, False]
