"""C5.0's pruning; the numbers are worked by hand, no C5.0 was run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests import example_models
from tests.example_models import Inner, Leaf, model_of
from tests.growing import sample
from treecli.data import Attribute, Schema
from treecli.errors import UsageError
from treecli.evaluate.pessimistic import with_added
from treecli.kernels.estimate import Estimate
from treecli.learn import learn
from treecli.model import TreeModel
from treecli.pruners._errorbased import expected_errors
from treecli.pruners.c50 import Options, globally_pruned, prune
from treecli.recipe import Recipe
from treecli.splits import multiway

SCHEMA = Schema(
    (Attribute("k", "nominal", ("a", "b")), Attribute("m", "nominal", ("c", "d"))),
    Attribute("sign", "nominal", ("+", "-")),
)


def two_subtrees(first: tuple[Leaf, Leaf], second: tuple[Leaf, Leaf]) -> TreeModel:
    below = [Inner(multiway.Split(1, 2), leaves) for leaves in (first, second)]
    return model_of(SCHEMA, Inner(multiway.Split(0, 2), tuple(below)))


@pytest.mark.parametrize(
    ("first", "second", "n_leaves"),
    [
        # 13 errors of 100: the allowance is sqrt(13 · 0.87) = 3.36. The second subtree saves none, the first 2; the
        # root would cost 26 more.
        (((30, 2), (4, 6)), ((5, 20), (2, 31)), 2),
        # 11 errors of 98: 3.125 allowed, and the first subtree saves 4.
        (((30, 2), (2, 6)), ((5, 20), (2, 31)), 3),
        # 12 errors of 84: 3.21 allowed. Both subtrees save 2, which makes 4 together: none is cut.
        (((30, 2), (4, 6)), ((2, 30), (6, 4)), 4),
    ],
)
def test_subtrees_worth_least_go_within_one_standard_error(
    first: tuple[Leaf, Leaf], second: tuple[Leaf, Leaf], n_leaves: int
) -> None:
    assert globally_pruned(two_subtrees(first, second).tree).n_leaves == n_leaves


def test_the_local_step_alone_is_c45s() -> None:
    model = two_subtrees(((30, 2), (4, 6)), ((2, 30), (6, 4)))
    assert prune(model, Options(globally=False), None) == model.tree
    assert prune(model, Options(cf=0.001, globally=False), None).n_leaves < 4


def test_with_costs_there_is_no_global_step() -> None:
    model = two_subtrees(((30, 2), (4, 6)), ((5, 20), (2, 31)))
    judged = replace(model.tree, costs=((0.0, 1.0), (1.0, 0.0)))
    without = prune(model, Options(globally=False), None)
    assert prune(replace(model, tree=judged), Options(), None).n_leaves == without.n_leaves
    assert prune(model, Options(), None).n_leaves < without.n_leaves


def test_errors_below_one_are_not_interpolated_for_one_case_or_less() -> None:
    """0.8 cases, 0.3 wrong: 0.67 (0.8 - 0.3) is added, as where nearly all cases are wrong."""
    model = model_of(SCHEMA, (0.5, 0.3))
    z = 0.6925
    assert expected_errors(model.tree, Estimate(0.25, z, True, 1.0)) == pytest.approx([0.3 + 0.67 * 0.5])
    other = float(with_added(_array(0.8), _array(0.3), 0.25, is_c45=True)[0])
    assert expected_errors(model.tree, Estimate(0.25, z, True)) == pytest.approx([other])
    assert other != pytest.approx(0.635)


def _array(number: float):  # type: ignore[no-untyped-def]
    import numpy as np

    return np.array([number])


@pytest.mark.parametrize("cf", [0, -1, 1.5, float("nan")])
def test_the_confidence_is_a_share(cf: float) -> None:
    with pytest.raises(UsageError, match=r"--cf .*: expected a number above 0 and at most 1"):
        Options(cf)


def test_numbers_are_refused_with_what_to_use() -> None:
    with pytest.raises(UsageError, match="'price' is numeric") as caught:
        prune(example_models.regression(), Options(), None)
    assert caught.value.hint == "use cost-complexity or reduced-error pruning for numeric targets"


def test_like_c50_prunes_so_and_each_step_can_be_left_out() -> None:
    vote = sample("vote.arff")
    leaves = [
        learn(vote, Recipe.parse(["--like", "c50", *options])).tree.n_leaves
        for options in ([], ["--no-global"], ["--no-global", "--no-regrow"], ["--prune", "none"])
    ]
    assert leaves == sorted(leaves)
    assert leaves[0] < leaves[1] < leaves[3]


def test_branches_cannot_replace_nodes_where_surrogates_decide() -> None:
    with pytest.raises(UsageError, match="subtrees cannot be raised with --missing surrogate") as caught:
        learn(sample("vote.arff"), Recipe.parse(["--like", "c50", "--missing", "surrogate"]))
    assert caught.value.hint == "add --no-regrow"
    assert learn(sample("vote.arff"), Recipe.parse(["--like", "c50", "--missing", "surrogate", "--no-regrow"]))
