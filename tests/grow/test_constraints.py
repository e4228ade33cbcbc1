"""Forced attributes, monotone predictions and the costs of attributes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from tests.growing import UNIT_WEIGHTS, assert_same_tree, datasets, sample
from treecli.data import Attribute, Dataset, Schema
from treecli.engines.memory import Engine
from treecli.errors import DataError, UsageError
from treecli.grow import mixed, packed
from treecli.grow.grow import grow
from treecli.grow.plan import plan_of
from treecli.learn import learn
from treecli.model import TreeModel
from treecli.models import decode, encode
from treecli.options.costs import read_attribute_costs, read_costs
from treecli.predict.predict import distributions, predictions
from treecli.recipe import Recipe
from treecli.settings import Settings
from treecli.tree import Tree


def names_on_paths(tree: Tree, dataset: Dataset) -> list[list[str]]:
    """The attributes on the way to each leaf."""
    paths: list[list[str]] = [[] for _ in range(tree.n_nodes)]
    for node in tree.inner_nodes():
        for child in tree.children(node):
            paths[child] = [*paths[node], dataset.schema.attributes[tree.attribute[node]].name]
    return [path for node, path in enumerate(paths) if tree.is_leaf(node)]


@pytest.mark.parametrize("criterion", ["gain", "gainratio", "gini", "chi2"])
def test_forced_attributes_come_first_on_every_path(criterion: str) -> None:
    dataset = sample("playtennis.csv")
    tree = grow(dataset, Settings.of(criterion=criterion, force=("Wind", "Humidity")))
    paths = names_on_paths(tree, dataset)
    assert {path[0] for path in paths} == {"Wind"}
    assert {path[1] for path in paths if len(path) > 1} == {"Humidity"}
    assert grow(dataset, Settings.of(criterion=criterion, force=("Outlook",))).attribute[0] == 0


def test_a_forced_attribute_that_cannot_split_is_left_out_of_a_path() -> None:
    schema = Schema((Attribute("a", "numeric"), Attribute("b", "numeric")), Attribute("t", "nominal", ("n", "y")))
    columns = [np.array([1.0, 1, 1, 1]), np.array([1.0, 2, 3, 4])]
    dataset = Dataset(schema, columns, np.array([0, 0, 1, 1], np.int32), np.ones(4))
    tree = grow(dataset, Settings.of(force=("a", "b")))
    assert list(tree.attribute) == [1, -1, -1]


def test_a_forced_numeric_attribute_may_come_again_but_need_not() -> None:
    dataset = sample("iris.csv")
    tree = grow(dataset, Settings.of(force=("sepalwidth",), max_depth=3))
    assert tree.attribute[0] == 1
    assert 1 not in tree.attribute[1:3]


@st.composite
def monotone_data(draw: st.DrawFn) -> Dataset:
    kinds = draw(st.sampled_from([("numeric",), ("numeric", "nominal"), ("numeric", "ordinal", "nominal")]))
    dataset = draw(datasets(kinds, n_classes=st.just(2), weights=UNIT_WEIGHTS, with_missing=False))
    numeric = [i for i, a in enumerate(dataset.schema.attributes) if a.is_numeric]
    if not numeric:
        schema = replace(dataset.schema, attributes=(*dataset.schema.attributes, Attribute("more", "numeric")))
        values = np.array(draw(st.lists(st.integers(0, 9), min_size=dataset.n_rows, max_size=dataset.n_rows)), float)
        dataset = replace(dataset, schema=schema, columns=[*dataset.columns, values])
    return dataset


def along(dataset: Dataset, index: int, model: TreeModel) -> np.ndarray:
    """What is predicted as the attribute rises, for each row of the data; one row per case."""
    values = np.unique(dataset.columns[index])
    steps = []
    for value in values:
        columns = [np.full(dataset.n_rows, value, c.dtype) if i == index else c for i, c in enumerate(dataset.columns)]
        moved = replace(dataset, columns=columns)
        if dataset.schema.is_classification:
            steps.append(np.cumsum(distributions(model, moved)[:, ::-1], axis=1)[:, ::-1][:, 1:])
        else:
            steps.append(predictions(model, moved)[:, None])
    return np.array(steps)


@settings(max_examples=examples(60))
@given(monotone_data(), st.sampled_from(["+", "-"]), st.sampled_from(["gain", "gini", "gainratio"]), st.booleans())
def test_predictions_are_monotone_along_the_axis(
    dataset: Dataset, sign: str, criterion: str, is_regression: bool
) -> None:
    index = next(i for i, a in enumerate(dataset.schema.attributes) if a.is_numeric)
    name = dataset.schema.attributes[index].name
    if is_regression:
        assert dataset.target is not None
        own = (dataset.target * 3.0 + np.arange(dataset.n_rows) % 3).astype(np.float64)
        dataset = replace(dataset, schema=replace(dataset.schema, target=Attribute("t", "numeric")), target=own)
        criterion = "variance"
    learner = Settings.of(criterion=criterion, monotone=(f"{name}={sign}",))
    model = TreeModel(dataset.schema, learner, (), grow(dataset, learner, jobs=1))
    steps = np.diff(along(dataset, index, model), axis=0)
    assert ((steps if sign == "+" else -steps) >= -1e-9).all()


def test_an_ordinal_target_is_monotone_in_all_its_upper_classes() -> None:
    random = np.random.default_rng(3)
    x, z = random.integers(0, 12, (2, 300)).astype(float)
    target = np.clip((x + random.normal(0, 4, 300)) // 4, 0, 2).astype(np.int32)
    schema = Schema((Attribute("x", "numeric"), Attribute("z", "numeric")), Attribute("t", "ordinal", ("l", "m", "h")))
    dataset = Dataset(schema, [x, z], target, np.ones(300))
    learner = Settings.of(criterion="gini", monotone=("x=+",))
    model = TreeModel(schema, learner, (), grow(dataset, learner))
    assert model.tree.n_leaves > 5
    assert (np.diff(along(dataset, 0, model), axis=0) >= -1e-12).all()
    free = TreeModel(schema, Settings(), (), grow(dataset, Settings.of(criterion="gini")))
    assert (np.diff(along(dataset, 0, free), axis=0) < 0).any()


def test_the_best_allowed_threshold_is_taken_if_the_best_is_not_allowed() -> None:
    # Classes along x: y n n n n y. The cuts after the first and before the last case gain most, and equally.
    schema = Schema((Attribute("x", "numeric"),), Attribute("t", "nominal", ("n", "y")))
    dataset = Dataset(schema, [np.arange(6.0)], np.array([1, 0, 0, 0, 0, 1], np.int32), np.ones(6))
    falling = grow(dataset, Settings.of(criterion="gain", max_depth=1, monotone=("x=-",)))
    rising = grow(dataset, Settings.of(criterion="gain", max_depth=1, monotone=("x=+",)))
    assert (falling.number[0], rising.number[0]) == (0.5, 4.5)


def test_data_that_are_monotone_grow_the_same_tree() -> None:
    dataset = sample("cpu.csv")
    free = grow(dataset, Settings.of(max_leaves=3))
    name = dataset.schema.attributes[free.attribute[0]].name
    assert_same_tree(grow(dataset, Settings.of(max_leaves=3, monotone=(f"{name}=+",))), free)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--monotone", "Outlook=+"], "--monotone: 'Outlook' is nominal, and its labels have no order"),
        (["--monotone", "Outlok=+"], "--monotone: found no attribute 'Outlok'"),
        (["--monotone", "Outlook"], "--monotone: found 'Outlook', expected NAME=+ or NAME=-"),
        (["--monotone", "a=+,a=-"], "--monotone: 'a' stands twice"),
        (["--force", "Outlok"], "--force: found no attribute 'Outlok'"),
        (["--force", "Outlook,"], "--force: found 'Outlook,', expected names separated by commas"),
        (["--monotone", "Outlook=+", "--laplace"], "--monotone and --laplace exclude each other"),
        (["--monotone", "Outlook=+", "--priors", "equal"], "--monotone and --priors exclude each other"),
        (["--monotone", "Outlook=+", "--splits", "mofn"], "--monotone and --splits exclude each other"),
        (["--project", "gaussian:2", "--force", "Wind"], "--project and --force exclude each other"),
        (["--cost-method", "idx"], "--cost-method and --cost-weight go with --attribute-costs"),
    ],
)
def test_a_constraint_that_cannot_be_is_one_line(words: list[str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        learn(sample("playtennis.csv"), Recipe.parse(words))
    assert message in str(error.value)


def test_three_classes_missing_values_and_raised_subtrees_are_refused_with_monotone() -> None:
    iris = sample("iris.csv")
    with pytest.raises(UsageError, match="the 3 classes of 'class' have no order"):
        grow(iris, Settings.of(monotone=("petalwidth=+",)))
    two = replace(
        iris,
        schema=replace(iris.schema, target=Attribute("t", "nominal", ("n", "y"))),
        target=(np.asarray(iris.target) > 0).astype(np.int32),
    )
    lost = np.where(np.arange(150) == 3, np.nan, iris.columns[0])
    with pytest.raises(DataError, match="'sepallength' has missing values"):
        grow(replace(two, columns=[lost, *iris.columns[1:]]), Settings.of(monotone=("petalwidth=+",)))
    with pytest.raises(UsageError, match="a raised subtree may lie outside the bounds of --monotone"):
        learn(two, Recipe.parse(["--monotone", "petalwidth=+", "--prune", "pessimistic"]))
    learn(two, Recipe.parse(["--monotone", "petalwidth=+", "--prune", "pessimistic", "--no-raise"]))


@pytest.mark.parametrize("option", [{"force": ("petalwidth",)}, {"monotone": ("petalwidth=+",)}])
def test_accelerators_refuse_constraints(option: dict) -> None:
    dataset = sample("iris.csv")
    plan = plan_of(Settings.of(**option), dataset)
    assert f"(--{next(iter(option))})" in str(packed.refuses(plan, dataset))
    engine = Engine(dataset, plan, 1)
    engine.root()
    assert f"(--{next(iter(option))})" in str(mixed.refuses(plan, engine))


COSTS = (("Outlook", 4.0), ("Temperature", 1.0), ("Humidity", 1.0), ("Wind", 0.5))


@pytest.mark.parametrize(
    ("method", "weight", "merits"),
    # The gains at the root are 0.2467, 0.0292, 0.1518 and 0.0481 bits.
    [
        ("eg2", 1.0, [(2**0.24675 - 1) / 5, (2**0.02922 - 1) / 2, (2**0.15184 - 1) / 2, (2**0.04813 - 1) / 1.5]),
        ("eg2", 0.0, [2**0.24675 - 1, 2**0.02922 - 1, 2**0.15184 - 1, 2**0.04813 - 1]),
        ("idx", 1.0, [0.24675 / 4, 0.02922, 0.15184, 0.04813 / 0.5]),
        ("csid3", 1.0, [0.24675**2 / 4, 0.02922**2, 0.15184**2, 0.04813**2 / 0.5]),
    ],
)
def test_cheap_attributes_are_preferred(method: str, weight: float, merits: list[float]) -> None:
    dataset = sample("playtennis.csv")
    learner = Settings.of(attribute_costs=COSTS, cost_method=method, cost_weight=weight)
    tree = grow(dataset, learner)
    assert tree.attribute[0] == int(np.argmax(merits))
    assert tree.score[0] == pytest.approx(max(merits), abs=1e-4)


def test_constraints_and_costs_survive_saving() -> None:
    recipe = Recipe.parse(["--force", "Wind"])
    recipe = replace(recipe, settings=recipe.settings.changed(attribute_costs=COSTS, cost_method="idx"))
    text = b"".join(encode(learn(sample("playtennis.csv"), recipe)))
    read = decode(text, "m.json")
    assert b"".join(encode(read)) == text
    assert read.settings.inputs.attribute_costs == COSTS
    assert b"force" not in b"".join(encode(learn(sample("playtennis.csv"), Recipe.parse([]))))


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("Outlook,x\n", [], ":1: found 'Outlook,x', expected an attribute and a cost of 0 or more"),
        ("attribute,cost\nOutlook,1\nWind,-1\n", [], ":3: found 'Wind,-1', expected an attribute and a cost"),
        ("Outlook\n", [], ":1: found 'Outlook', expected an attribute and a cost of 0 or more"),
        ("Outlook,1\nOutlook,2\n", [], ":2: 'Outlook' has a cost already"),
        ("\n", [], ": found no costs, expected lines of an attribute and its cost"),
        ("Outlook,1\nWind,1\nHumidity,1\nTemprature,1\n", [], "--attribute-costs: no cost for 'Temperature'"),
        ("Outlook,0\n", ["--cost-method", "idx"], "--cost-method idx: the cost of 'Outlook' is 0, expected more"),
        ("Outlook,1\n", ["--criterion", "gini"], "--attribute-costs ranks by information gain, not by 'gini'"),
        ("Outlook,1\n", ["--splits", "mofn"], "--attribute-costs and --splits exclude each other"),
    ],
)
def test_costs_that_cannot_be_are_one_line(tmp_path: Path, text: str, words: list[str], message: str) -> None:
    (tmp_path / "costs.csv").write_text(text)
    with pytest.raises(UsageError) as error:
        learn(sample("playtennis.csv"), Recipe.parse(["--attribute-costs", str(tmp_path / "costs.csv"), *words]))
    assert message in str(error.value)


@pytest.mark.parametrize("begins", ["", "\ufeff"], ids=["plain", "with the mark of a spreadsheet"])
def test_names_in_files_of_costs_may_have_several_lines(tmp_path: Path, begins: str) -> None:
    path = tmp_path / "costs.csv"
    path.write_text(begins + 'attribute,cost\n"wind\nspeed",2\nx,-1\n', encoding="utf-8")
    with pytest.raises(UsageError, match=r"costs\.csv:4: found 'x,-1', expected an attribute and a cost of 0 or more"):
        read_attribute_costs(str(path))
    path.write_text(begins + 'attribute,cost\n"wind\nspeed",2\n', encoding="utf-8")
    assert read_attribute_costs(str(path)) == (("wind\nspeed", 2.0),)
    path.write_text(begins + ',"a\nb",c\n"a\nb",0,2\nc,5,0\n', encoding="utf-8")
    assert read_costs(str(path), ["a\nb", "c"]) == ((0.0, 2.0), (5.0, 0.0))


def test_a_missing_file_of_costs_is_bad_data_like_a_missing_data_file(tmp_path: Path) -> None:
    path, message = str(tmp_path / "no.csv"), r"no\.csv: cannot be read as a table of costs: No such file or directory"
    with pytest.raises(DataError, match=message):
        Recipe.parse(["--attribute-costs", path])
    with pytest.raises(DataError, match=message):
        read_costs(path, ["no", "yes"])
