"""Features that are proposed while a tree grows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from tests.contracts.members.features.weighted import Feature
from tests.features.derived import Propose, proposing, with_features
from tests.growing import assert_same_tree, sample
from treecli.data import Attribute, Dataset, Schema
from treecli.engines.memory import Engine
from treecli.errors import UsageError
from treecli.expressions import Value
from treecli.grow import mixed, packed
from treecli.grow.grow import grown
from treecli.grow.plan import plan_of
from treecli.grow.proposals import OpenNodes, Proposal, Scored
from treecli.learn import learn
from treecli.model import TreeModel
from treecli.models import predictions
from treecli.recipe import Recipe
from treecli.settings import Settings
from treecli.tree import Tree

__all__ = ["proposing", "with_features"]

SUM = Feature(((1.0, 0), (1.0, 1)))


def rows(n: int, *, is_classification: bool, missing: float = 0.0) -> Dataset:
    """Rows of two numeric attributes, whose sum says most about the target."""
    random = np.random.default_rng(n)
    a, b = random.integers(0, 30, (2, n)).astype(np.float64)
    total = a + b + random.integers(0, 6, n)
    target = Attribute("t", "nominal", ("low", "mid", "high")) if is_classification else Attribute("t", "numeric")
    y = np.digitize(total, [20, 40]).astype(np.int32) if is_classification else total
    for column in (a, b):
        column[random.random(n) < missing] = np.nan
    weights = random.integers(1, 4, n).astype(np.float64)
    return Dataset(Schema((Attribute("a", "numeric"), Attribute("b", "numeric")), target), [a, b], y, weights)


def with_sum(dataset: Dataset) -> Dataset:
    """The data with the sum as a column of its own."""
    schema = replace(dataset.schema, attributes=(*dataset.schema.attributes, Attribute("sum", "numeric")))
    return replace(dataset, schema=schema, columns=[*dataset.columns, dataset.columns[0] + dataset.columns[1]])


def propose_sum(nodes: OpenNodes) -> Iterator[Proposal]:
    return (Proposal(node, SUM) for node in range(nodes.level.n_nodes))


def propose_scored_sum(nodes: OpenNodes) -> Iterator[Proposal]:
    values = nodes.values(SUM.expression())
    scored = Scored(values, nodes.scored(values))
    return (Proposal(node, SUM, scored) for node in range(nodes.level.n_nodes))


@pytest.mark.parametrize(
    "settings",
    [
        Settings.of(criterion="gain"),
        Settings.of(criterion="gini", min_leaf=3.0),
        Settings.of(criterion="gini", missing="majority", threshold="median"),
        Settings.of(criterion="gain", missing="branch"),
        Settings.of(criterion="gini", missing="stay", max_leaves=9),
    ],
    ids=lambda settings: f"{settings.splitting.criterion}-{settings.missing.policy}",
)
@pytest.mark.parametrize("of_numbers", [None, "variance", "absolute"])
@pytest.mark.parametrize(("propose", "jobs"), [(propose_sum, 1), (propose_sum, 2), (propose_scored_sum, 1)])
def test_a_proposal_is_scored_and_followed_as_an_attribute_with_its_values_is(
    proposing: Callable[[Propose], None], settings: Settings, of_numbers: str | None, propose: Propose, jobs: int
) -> None:
    proposing(propose)
    if of_numbers is not None:
        settings = settings.changed(criterion=of_numbers)
    dataset = rows(400, is_classification=of_numbers is None, missing=0.1)
    tree, schema = grown(dataset, settings.changed(splits=("own",)), jobs=jobs)
    expected, _ = grown(with_sum(dataset), settings, jobs=jobs)
    assert 2 in tree.attribute
    assert [column.feature for column in schema.derived] == [SUM]
    assert_same_tree(tree, expected)
    model = TreeModel(schema, settings, (), tree)
    like = TreeModel(with_sum(dataset).schema, settings, (), expected)
    np.testing.assert_array_equal(predictions(model, dataset), predictions(like, with_sum(dataset)))


def test_a_proposal_that_is_no_better_than_an_attribute_is_not_chosen(proposing: Callable[[Propose], None]) -> None:
    copy_of = [Feature(((1.0, index),)) for index in range(4)]
    proposing(lambda nodes: (Proposal(i, f) for i in range(nodes.level.n_nodes) for f in copy_of))
    dataset, settings = sample("iris.csv"), Settings()
    tree, schema = grown(dataset, settings.changed(splits=("own",)))
    assert schema.derived == ()
    assert_same_tree(tree, grown(dataset, settings)[0])


def test_proposals_do_not_count_in_the_average_gain_of_the_gain_ratio(proposing: Callable[[Propose], None]) -> None:
    # Useless proposals would lower the average, and other attributes would pass it.
    useless = [Feature(((0.0, index),)) for index in range(4)]
    proposing(lambda nodes: (Proposal(i, f) for i in range(nodes.level.n_nodes) for f in useless))
    dataset = sample("iris.csv")
    settings = Settings.of(criterion="gainratio", splits=("own",))
    assert_same_tree(grown(dataset, settings)[0], grown(dataset, settings.changed(splits=None))[0])


def test_a_member_knows_the_parents_of_the_nodes_and_what_splits_them(proposing: Callable[[Propose], None]) -> None:
    size: list[np.ndarray] = []
    asked: list[bool] = []

    def propose(nodes: OpenNodes) -> Iterator[Proposal]:
        if size:
            assert (nodes.level.size < size[-1][nodes.parent]).all()
            asked.extend(nodes.is_by_attribute.tolist())
        else:
            assert nodes.parent.tolist() == [-1]
            assert nodes.is_by_attribute.tolist() == [False]
        size.append(nodes.level.size)
        # The sum at every other level only.
        return propose_sum(nodes) if len(size) % 2 else iter(())

    proposing(propose)
    tree, _ = grown(rows(400, is_classification=True), Settings.of(criterion="gain", splits=("own",), max_depth=3))
    assert len(size) == 3
    # The sum splits the root, and attributes split its children.
    assert tree.attribute[0] == 2
    assert not asked[0]
    assert asked[-1]


def test_each_node_has_its_own_proposals(proposing: Callable[[Propose], None]) -> None:
    seen: list[tuple[int, int]] = []

    def propose(nodes: OpenNodes) -> Iterator[Proposal]:
        assert nodes.best.attribute.shape == (nodes.level.n_nodes,)
        assert np.isfinite(nodes.best.gain[nodes.best.attribute >= 0]).all()
        for node in range(nodes.level.n_nodes):
            # The first node gets none, the others get as many as their place.
            for number in range(node):
                yield Proposal(node, Feature(((1.0, 0), (1.0 + number / 10, 1))))
            seen.append((nodes.level.depth, int(nodes.level.numbers[node])))

    proposing(propose)
    dataset = rows(300, is_classification=True)
    tree, schema = grown(dataset, Settings.of(criterion="gain", splits=("own",)))
    assert tree.attribute[0] in (0, 1)
    assert schema.derived
    assert (0, 0) in seen
    assert len(seen) == len(set(seen))


def test_scores_are_those_of_the_tree_and_random_numbers_depend_on_the_seed(
    proposing: Callable[[Propose], None],
) -> None:
    drawn: dict[int, list[float]] = {}

    def propose(nodes: OpenNodes) -> Iterator[Proposal]:
        # The best threshold on an attribute's values gains what the best split on it does.
        values = nodes.values(Value(0))
        np.testing.assert_array_equal(values, nodes.column(0))
        by_first = nodes.best.attribute == 0
        np.testing.assert_allclose(nodes.scored(values).gain[by_first], nodes.best.gain[by_first])
        drawn.setdefault(nodes.plan.settings.computing.seed, []).append(float(nodes.random(0).random()))
        return iter(())

    proposing(propose)
    dataset = rows(200, is_classification=True)
    for seed in (1, 2, 1):
        drawn.pop(seed, None)
        grown(dataset, Settings.of(criterion="gain", splits=("own",), seed=seed))
    assert drawn[1] != drawn[2]
    assert len(set(drawn[1])) == len(drawn[1])


def test_accelerators_refuse_where_features_are_proposed() -> None:
    dataset = sample("iris.csv")
    plan = plan_of(Settings.of(splits=("own",)), dataset)
    assert packed.refuses(plan, dataset) == "features are proposed"
    engine = Engine(dataset, plan, 1)
    engine.root()
    assert mixed.refuses(plan, engine) == "features are proposed"


def test_columns_that_the_data_derive_are_split_like_attributes() -> None:
    dataset = rows(300, is_classification=True)
    derived = replace(dataset, schema=dataset.schema.with_features([SUM]))
    settings = Settings.of(criterion="gini")
    tree, schema = grown(derived, settings)
    assert schema == derived.schema
    assert_same_tree(tree, grown(with_sum(dataset), settings)[0])


@pytest.mark.usefixtures("with_features")
def test_a_recipe_names_the_kinds_and_the_model_keeps_the_columns_in_use() -> None:
    recipe = Recipe.parse(["--splits", "weighted,literals", "--prune", "pessimistic"])
    assert recipe.settings.splitting.splits == ("weighted", "literals")
    model = learn(sample("iris.csv"), recipe)
    asked = {index for index in model.tree.attribute if index >= 4}
    assert asked == set(range(4, len(model.schema.columns)))
    assert asked


@pytest.mark.usefixtures("with_features")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--splits", "wieghted"], "--splits: unknown 'wieghted' (known: linear, mofn, weighted, literals)"),
        (["--splits", "weighted", "--like", "sklearn"], "derived columns are not rounded to 32 bits"),
    ],
)
def test_splits_that_cannot_be_are_refused(words: list[str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        learn(sample("iris.csv"), Recipe.parse(words))
    assert message in str(error.value)


def test_a_kind_without_proposals_is_refused(
    proposing: Callable[[Propose], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    proposing(propose_sum)
    monkeypatch.delattr(sys.modules["treecli.features.own"], "propose")
    with pytest.raises(UsageError, match="--splits own: such columns are not found while a tree grows"):
        grown(rows(50, is_classification=True), Settings.of(splits=("own",)))


@pytest.mark.usefixtures("with_features")
@pytest.mark.parametrize("missing", ["surrogate", "fractional"])
def test_surrogates_and_raised_subtrees_work_with_derived_columns(missing: str) -> None:
    dataset = rows(400, is_classification=True, missing=0.1)
    prune = ["--prune", "pessimistic", "--raise" if missing == "fractional" else "--no-raise"]
    model = learn(dataset, Recipe.parse(["--splits", "weighted", "--missing", missing, *prune]))
    assert isinstance(model.tree, Tree)
    assert model.schema.derived
    assert (predictions(model, dataset) == dataset.target).mean() > 0.7
    assert bool(model.tree.surrogates) == (missing == "surrogate")
