"""The way from data to a pruned model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from treecli.data import Attribute, Dataset, Schema
from treecli.errors import UsageError
from treecli.grow.grow import grow
from treecli.learn import held_aside, learn
from treecli.models import encode
from treecli.presets import settings_like
from treecli.pruners import pruner
from treecli.recipe import Recipe
from treecli.settings import Settings


def noisy(n_rows: int, seed: int = 0) -> Dataset:
    random = np.random.default_rng(seed)
    x, y = random.normal(size=n_rows), random.normal(size=n_rows)
    target = ((x > 0) ^ (random.random(n_rows) < 0.2)).astype(np.int32)
    schema = Schema((Attribute("x", "numeric"), Attribute("y", "numeric")), Attribute("class", "nominal", ("a", "b")))
    return Dataset(schema, [x, y], target, np.ones(n_rows))


def recipe(method: str | None, **options: object) -> Recipe:
    return Recipe(Settings(), method, None if method is None else pruner(method).Options(**options))


def test_without_a_method_the_full_tree_is_grown() -> None:
    model = learn(noisy(200), recipe(None))
    assert model.lineage == ()
    assert model.settings.splitting.criterion == "gainratio"
    assert model.tree.n_leaves > 20


def test_error_based_pruning_uses_the_training_rows_to_raise_subtrees() -> None:
    data = noisy(200)
    raised, replaced = (learn(data, recipe("pessimistic", raises=raises)).tree for raises in (True, False))
    assert raised.n_leaves < learn(data, recipe(None)).tree.n_leaves
    # The root keeps all 200 cases, however the tree below it was rebuilt.
    assert sum(raised.outcomes_of(0)) == sum(replaced.outcomes_of(0)) == 200


def test_a_method_that_needs_data_holds_a_third_aside() -> None:
    model = learn(noisy(300), recipe("reduced-error"))
    assert sum(model.tree.outcomes_of(0)) == 200
    (step,) = model.lineage
    assert (step["method"], step["tuning_rows"]) == ("reduced-error", 100)
    assert step["leaves_after"] == model.tree.n_leaves <= step["leaves_before"]


def test_tuning_data_that_is_given_leaves_all_rows_to_grow_from() -> None:
    model = learn(noisy(300), recipe("reduced-error"), tuning=noisy(100, seed=1))
    assert sum(model.tree.outcomes_of(0)) == 300


def test_a_fold_is_held_aside_as_j48_does_and_its_values_still_count() -> None:
    # Six rows, classes a b a b a b: Weka's strata are rows 0 2 4 3 1 5; dealt over three folds, the last holds 4 and 5.
    schema = Schema((Attribute("x", "numeric"),), Attribute("class", "nominal", ("a", "b")))
    data = Dataset(schema, [np.array([1.0, 10, 2, 20, 3, 7])], np.array([0, 1, 0, 1, 0, 1], np.int32), np.ones(6))
    settings = Settings.of(threshold="datavalue")
    made = learn(data, Recipe(settings, "reduced-error", pruner("reduced-error").Options(), tune_fold=3))
    assert sum(made.tree.outcomes_of(0)) == 4
    # Grown from 1 10 2 20: the midpoint of 2 and 10 is 6, and 3, which is held aside, is the largest value below it.
    assert made.tree.number[0] == 3


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3.0, 1.0, 2.0, 9.0, -9.0], (1.0, 3.0)),
        ([np.nan, 1.0, 2.0, 9.0, -9.0], (1.0, 2.0)),
        ([np.nan, np.nan, np.nan, 9.0, -9.0], None),
        ([np.inf, 1.0, 2.0, 9.0, -9.0], None),
        ([5.0, 5.0, 5.0, 9.0, -9.0], (5.0, 5.0)),
    ],
)
def test_a_model_keeps_the_range_of_the_values_that_count(
    values: list[float], expected: tuple[float, float] | None
) -> None:
    # The fourth row has no target and the fifth no weight.
    schema = Schema(
        (Attribute("x", "numeric"), Attribute("y", "nominal", ("c", "d"))), Attribute("class", "nominal", ("a", "b"))
    )
    columns = [np.array(values), np.array([0, 1, 0, 1, 0], np.int32)]
    data = Dataset(schema, columns, np.array([0, 1, 0, -1, 0], np.int32), np.array([1.0, 1, 1, 1, 0]))
    made = learn(data, recipe(None))
    assert [attribute.range for attribute in made.schema.attributes] == [expected, None]


def test_the_lowest_of_two_zeros_does_not_depend_on_their_order() -> None:
    schema = Schema((Attribute("x", "numeric"),), Attribute("class", "nominal", ("a", "b")))
    for zeros in ([0.0, -0.0], [-0.0, 0.0]):
        made = learn(Dataset(schema, [np.array(zeros)], np.array([0, 1], np.int32), np.ones(2)), recipe(None))
        assert repr(made.schema.attributes[0].range) == "(0.0, 0.0)"


@pytest.mark.parametrize("fraction", [0.1, 0.5, 0.9])
def test_rows_held_aside_have_each_class_in_its_share(fraction: float) -> None:
    data = noisy(400)
    staying, aside = held_aside(data, fraction, seed=3)
    assert staying.n_rows + aside.n_rows == 400
    assert aside.n_rows == round(400 * fraction)
    assert data.target is not None
    assert aside.target is not None
    assert abs(aside.target.mean() - data.target.mean()) < 2 / aside.n_rows


def test_a_fraction_that_leaves_nothing_on_one_side_is_refused() -> None:
    with pytest.raises(UsageError, match="leaves none on one side"):
        held_aside(noisy(3), 0.01, seed=0)


def test_another_seed_holds_other_rows_aside_and_the_same_seed_the_same() -> None:
    first, again, other = (held_aside(noisy(300), 0.3, seed)[1].columns[0].tolist() for seed in (0, 0, 1))
    assert first == again != other


@pytest.mark.parametrize(
    ("like", "changes", "arithmetic"),
    [
        ("rpart", {}, "shares"),
        ("rpart", {"nominal": "multiway"}, "sums"),
        ("rpart", {"missing": "branch"}, "sums"),
        ("sklearn", {}, "remainders"),
        ("sklearn", {"criterion": "gainratio"}, "sums"),
        ("c45", {}, "c45"),
        ("c45", {"criterion": "gini"}, "sums"),
        ("j48", {}, "sums"),
    ],
)
def test_a_model_records_the_arithmetic_that_was_used(like: str, changes: dict[str, str], arithmetic: str) -> None:
    asked = settings_like(like).changed(**changes)
    model = learn(noisy(80), Recipe(asked, None, None))
    assert model.settings.computing.arithmetic == arithmetic
    # Grown again from what the model says, as cost-complexity pruning does, the tree is the same.
    for settings in (asked, model.settings):
        assert b"".join(encode(replace(model, tree=grow(noisy(80), settings)))) == b"".join(encode(model))
