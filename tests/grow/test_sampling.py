"""Attributes drawn at random at each node, and random thresholds."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from tests.growing import AtRoot, continuous, datasets, numeric_table, sample
from treecli.criteria import criterion_for
from treecli.ensembles.bagging import Bagging, grown_trees
from treecli.errors import UsageError
from treecli.grow import sampling
from treecli.grow.grow import grow
from treecli.kernels import drawing
from treecli.options.sampling import n_features
from treecli.recipe import Recipe
from treecli.settings import Settings
from treecli.tree import Tree


@pytest.mark.parametrize(
    ("text", "n_attributes", "expected"),
    [
        ("all", 20, 20),
        ("sqrt", 20, 4),
        ("sqrt", 3, 1),
        ("log2", 20, 4),
        ("log2", 16, 4),
        ("log2", 1, 1),
        ("third", 20, 6),
        ("third", 2, 1),
        ("7", 20, 7),
        ("20", 20, 20),
        ("0.5", 7, 3),
        ("0.01", 7, 1),
        ("1.0", 7, 7),
    ],
)
def test_features_are_a_number_of_attributes(text: str, n_attributes: int, expected: int) -> None:
    assert n_features(text, n_attributes) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0", "--features: found '0', expected a whole number of 1 or more"),
        ("1.5", "--features: found '1.5', expected a whole number"),
        ("0.0", "--features: found '0.0', expected a whole number"),
        ("-3", "--features: found '-3', expected a whole number"),
        ("nan", "--features: found 'nan', expected a whole number"),
        ("sqr", "--features: found 'sqr', expected sqrt, log2, third, all, a whole number"),
    ],
)
def test_other_words_and_numbers_are_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Recipe.parse(["--features", text])
    assert str(caught.value).startswith(message)


def test_more_features_than_attributes_are_refused() -> None:
    with pytest.raises(UsageError, match="--features 5: there are only 4 attributes"):
        grow(sample("iris.csv"), Settings.of(features="5"))


@pytest.mark.parametrize(
    "others",
    [
        {"force": ("sepallength",)},
        {"search": "lookahead"},
        {"search": "skewing"},
        {"search": "optimal:2"},
    ],
)
def test_settings_that_look_at_all_attributes_are_refused(others: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="--features"):
        grow(sample("iris.csv"), Settings.of(features="2", **others))


def drawn_at(
    n_nodes: int, n_attributes: int, n_sampled: int, is_live: np.ndarray | None = None, most: int | None = None
) -> np.ndarray:
    live = np.ones((n_attributes, n_nodes), np.uint8) if is_live is None else is_live
    key = np.array([drawing.root_key(seed, 0) for seed in range(n_nodes)], np.uint64)
    is_drawn = np.zeros((n_attributes, n_nodes), np.uint8)
    drawing.draw(
        key, live, n_sampled, n_attributes if most is None else most, np.arange(n_attributes, dtype=np.int32), is_drawn
    )
    return is_drawn


def test_every_set_of_attributes_is_drawn_about_equally_often() -> None:
    is_drawn = drawn_at(30_000, 5, 2)
    assert (is_drawn.sum(axis=0) == 2).all()
    counts = Counter(tuple(np.flatnonzero(own)) for own in is_drawn.T)
    assert len(counts) == 10
    # 3000 expected with a standard deviation of 52.
    assert all(abs(count - 3000) < 5 * 52 for count in counts.values())


def test_drawing_goes_on_until_an_attribute_is_live() -> None:
    is_live = np.zeros((6, 500), np.uint8)
    is_live[2] = 1
    is_drawn = drawn_at(500, 6, 3, is_live)
    assert is_drawn[2].all()
    # Up to three are drawn in any case; of the orders of six attributes, half have attribute 2 among the first three.
    n_more = (is_drawn.sum(axis=0) > 3).sum()
    assert 200 < n_more < 300
    is_live[2] = 0
    assert drawn_at(500, 6, 3, is_live).all()
    assert (drawn_at(500, 6, 3, is_live, most=3).sum(axis=0) == 3).all()


@pytest.mark.parametrize("policy", ["fractional", "majority"])
def test_without_redrawing_a_node_is_a_leaf_if_its_attributes_are_constant(policy: str) -> None:
    """Only the first of four attributes varies: of the draws of one attribute, a quarter split the root."""
    chance = np.random.default_rng(3)
    columns = [chance.integers(0, 2, 60).tolist(), *([1.0] * 60 for _ in range(3))]
    dataset = numeric_table(columns, ["ab"[int(value)] for value in columns[0]])
    options = ["--features", "1", "--no-redraw", "--missing", policy]
    sizes = [grow(dataset, Recipe.parse([*options, "--seed", str(seed)]).settings).n_nodes for seed in range(200)]
    assert {*sizes} == {1, 3}
    # 50 expected with a standard deviation of 6.
    assert 20 < sizes.count(3) < 80


def test_a_forest_that_does_not_redraw_is_the_same_in_the_loop_and_in_the_kernels() -> None:
    """Competitors are recorded by an observer, which only the loop has."""
    dataset = sample("vote.arff")
    for nominal in ("subset", "multiway"):
        chosen = Settings.of(criterion="gini", features="2", redraw=False, nominal=nominal)
        fast = list(grown_trees(dataset, chosen, Bagging(3)))
        slow = list(grown_trees(dataset, chosen.changed(competitors=1), Bagging(3)))
        assert [own.tree.attribute for own in fast] == [own.tree.attribute for own in slow]
        larger = list(grown_trees(dataset, chosen.changed(redraw=True), Bagging(3)))
        assert sum(own.tree.n_nodes for own in fast) < sum(own.tree.n_nodes for own in larger)


@pytest.mark.parametrize("flag", ["--redraw", "--no-redraw"])
def test_redrawing_needs_attributes_that_are_drawn(flag: str) -> None:
    with pytest.raises(UsageError, match="--redraw and --no-redraw go with --features or --forest"):
        Recipe.parse([flag])


def test_an_attribute_is_live_where_it_has_two_values() -> None:
    dataset = numeric_table([[1, 1, 1, 1], [1, 2, 1, 1], [np.nan, 5, 5, np.nan]], ["a", "b", "a", "b"])
    expected = {"fractional": [False, True, False], "branch": [False, True, True]}
    for policy, live in expected.items():
        at = AtRoot(dataset, Settings.of(missing=policy))
        assert [bool(sampling.is_live(at.engine, at.level, a)[0]) for a in range(3)] == live


def splits_of(tree: Tree) -> list[tuple[int, float]]:
    return list(zip(tree.attribute, tree.number, strict=True))


def test_nodes_draw_their_own_attributes() -> None:
    dataset = continuous(400, 8, 1)
    tree = grow(dataset, Settings.of(criterion="gini", features="1"))
    assert len({tree.attribute[node] for node in tree.inner_nodes()}) == 8
    assert splits_of(tree) == splits_of(grow(dataset, Settings.of(criterion="gini", features="1")))
    assert splits_of(tree) != splits_of(grow(dataset, Settings.of(criterion="gini", features="1", seed=1)))


def test_the_best_of_the_drawn_attributes_splits_a_node() -> None:
    dataset = continuous(300, 6, 2)
    for seed in range(20):
        chosen = Settings.of(criterion="gini", features="2", seed=seed)
        at = AtRoot(dataset, chosen)
        is_drawn = sampling.drawn(at.engine, at.level)[:, 0]
        gain = np.array([at.candidates(a).gain[0] for a in range(6)])
        expected = int(np.where(is_drawn, gain, -np.inf).argmax())
        assert grow(dataset, chosen).attribute[0] == expected


RULES = st.fixed_dictionaries(
    {
        "nominal": st.sampled_from(["multiway", "binary", "subset"]),
        "missing": st.sampled_from(["fractional", "majority", "branch", "surrogate", "stay"]),
        "threshold": st.sampled_from(["midpoint", "datavalue", "mean", "median", "random"]),
        "min_leaf": st.sampled_from([1.0, 2.0]),
        "features": st.sampled_from(["1", "2", "sqrt", "all"]),
        "seed": st.integers(0, 5),
    }
)


@settings(max_examples=examples(60), deadline=None)
@given(st.data(), RULES, st.sampled_from([None, "gini", "gain", "gainratio", "chi2", "absolute"]))
def test_any_settings_grow_a_tree_whose_branches_hold_its_cases(
    data: st.DataObject, rules: dict[str, Any], criterion: str | None
) -> None:
    n_classes = None if criterion == "absolute" else st.integers(2, 4)
    kinds = ["numeric", "nominal", "numeric"]
    dataset = data.draw(datasets(kinds, n_classes=n_classes, with_missing=rules["threshold"] != "random"))
    chosen = Settings.of(criterion=criterion, **rules)
    criterion_for(chosen, dataset.schema)
    tree = grow(dataset, chosen)
    for node in tree.inner_nodes():
        if rules["missing"] not in ("stay", "surrogate") and n_classes is not None:
            parts = np.sum([tree.outcomes_of(child) for child in tree.children(node)], axis=0)
            np.testing.assert_allclose(parts, tree.outcomes_of(node), atol=1e-9)


def test_a_random_threshold_lies_between_the_least_and_the_greatest_value_of_the_node() -> None:
    dataset = numeric_table([[3.0, 5.0, 9.0, 7.0]], ["a", "b", "a", "b"])
    numbers = [grow(dataset, Settings.of(threshold="random", max_depth=1, seed=seed)).number[0] for seed in range(2000)]
    assert min(numbers) >= 3.0
    assert max(numbers) < 9.0
    # Uniform from 3 to 9: mean 6, and standard deviation 1.732 / sqrt(2000) = 0.039 of the mean of 2000 numbers.
    assert abs(np.mean(numbers) - 6.0) < 5 * 0.039
    assert abs(np.mean(np.array(numbers) < 4.5) - 0.25) < 0.05


def test_a_random_tree_separates_all_cases_that_differ() -> None:
    dataset = continuous(200, 4, 3)
    tree = grow(dataset, Settings.of(criterion="gini", threshold="random", features="2"))
    assert all(
        sum(own > 0 for own in tree.outcomes_of(leaf)) == 1 for leaf in range(tree.n_nodes) if tree.is_leaf(leaf)
    )


def test_numbers_need_no_kind_of_split_for_labels() -> None:
    """`--nominal merged` has no kind of split of its own name."""
    dataset = continuous(60, 3, 1)
    chosen = Settings.of(criterion="gini", features="2")
    merged = [own.tree for own in grown_trees(dataset, chosen.changed(nominal="merged"), Bagging(2))]
    assert merged == [own.tree for own in grown_trees(dataset, chosen, Bagging(2))]
