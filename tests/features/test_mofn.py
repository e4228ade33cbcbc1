"""M-of-n splits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import inf

import numpy as np
import pytest

from tests.features.derived import proposing
from tests.growing import model_from, sample
from treecli.data import Attribute, Dataset, Schema
from treecli.expressions import Holds
from treecli.features import mofn
from treecli.features.mofn import Feature
from treecli.grow import literals
from treecli.grow.grow import grown
from treecli.grow.proposals import OpenNodes, Proposal
from treecli.model import TreeModel
from treecli.models import decode, encode, predictions
from treecli.settings import Settings

__all__ = ["proposing"]

MOFN = Settings.of(splits=("mofn",), criterion="gain")
CLASSES = Attribute("y", "nominal", ("no", "yes"))


def booleans(n: int) -> tuple[Attribute, ...]:
    return tuple(Attribute(f"x{number}", "nominal", ("f", "t")) for number in range(1, n + 1))


def function(n: int, says: object) -> Dataset:
    """All rows of n Boolean attributes, with the value of a function of them."""
    rows = np.array(list(product([0, 1], repeat=n)), np.int32)
    target = np.array([int(says(row)) for row in rows], np.int32)  # type: ignore[operator]
    return Dataset(Schema(booleans(n), CLASSES), list(rows.T.copy()), target, np.ones(len(rows)))


def majority(row: np.ndarray) -> bool:
    return bool(row[:3].sum() >= 2)


def file_of(model: TreeModel) -> bytes:
    return b"".join(encode(model))


def literals_of(model: TreeModel) -> list[tuple[Holds, ...]]:
    return [column.feature.literals for column in model.schema.derived if isinstance(column.feature, Feature)]


@pytest.mark.parametrize(
    ("numbers", "gain"),
    [((0,), 0.188722), ((3,), 0.0), ((0, 1), 0.311278), ((0, 1, 2), 1.0)],
)
def test_the_gains_of_the_majority_of_three(proposing: object, numbers: tuple[int, ...], gain: float) -> None:
    # By hand: 32 rows, 16 of each class; 2-of-2 and 1-of-2 have 8 and 24 rows.
    feature = Feature(tuple(Holds(number, labels=(1,)) for number in numbers))
    found: list[float] = []

    def propose(nodes: OpenNodes) -> Iterator[Proposal]:
        found.append(float(nodes.scored(nodes.values(feature.expression())).gain[0]))
        return iter(())

    proposing(propose)  # type: ignore[operator]
    grown(function(5, majority), Settings.of(criterion="gain", splits=("own",), max_depth=1))
    assert found == [pytest.approx(gain, abs=1e-6)]


def test_hill_climbing_finds_the_majority_of_three() -> None:
    model = model_from(function(5, majority), MOFN)
    assert model.tree.n_nodes == 3
    assert model.tree.score[0] == pytest.approx(1.0)
    ((own,),) = [literals_of(model)]
    assert [literal.attribute for literal in own] == [0, 1, 2]


@pytest.mark.parametrize("reordered", [[0, 1, 2, 3, 4], [4, 2, 3, 0, 1], [1, 0, 4, 3, 2]])
@pytest.mark.parametrize("renamed", [False, True])
def test_ties_between_the_first_literals_do_not_matter(reordered: list[int], renamed: bool) -> None:
    dataset = function(5, majority)
    columns = [dataset.columns[place] for place in reordered]
    if renamed:
        columns = [1 - column for column in columns]
    model = model_from(replace(dataset, columns=columns), MOFN)
    assert model.tree.n_nodes == 3


@pytest.mark.parametrize(("n", "m"), [(2, 1), (2, 2), (3, 1), (4, 2), (4, 4), (5, 3)])
def test_m_of_n_functions_are_one_split(n: int, m: int) -> None:
    dataset = function(n + 1, lambda row: row[:n].sum() >= m)
    model = model_from(dataset, MOFN)
    assert (predictions(model, dataset) == dataset.target).all()
    assert model.tree.n_nodes == 3


def test_parity_is_not_one_split_but_is_learned() -> None:
    dataset = function(3, lambda row: row.sum() % 2)
    model = model_from(dataset, MOFN)
    assert (predictions(model, dataset) == dataset.target).all()
    assert model.tree.n_nodes > 3


def test_literals_on_numbers_and_on_ordinal_attributes() -> None:
    random = np.random.default_rng(1)
    a, b = random.integers(0, 10, (2, 400)).astype(np.float64)
    size = random.integers(0, 4, 400).astype(np.int32)
    target = ((a > 4).astype(int) + (b <= 6) + (size >= 2) >= 2).astype(np.int32)
    attributes = Attribute("a", "numeric"), Attribute("b", "numeric"), Attribute("size", "ordinal", tuple("SMLX"))
    dataset = Dataset(Schema(attributes, CLASSES), [a, b, size], target, np.ones(400))
    model = model_from(dataset, MOFN)
    assert model.tree.n_nodes == 3
    assert (predictions(model, dataset) == dataset.target).all()
    column = model.schema.columns[model.tree.split(0).attribute]
    assert column.name in ("count of {a > 4.5, b <= 6.5, size > M}", "count of {a <= 4.5, b > 6.5, size <= M}")


def test_no_literal_implies_or_negates_another() -> None:
    random = np.random.default_rng(2)
    columns = [random.integers(0, 30, 500).astype(np.float64) for _ in range(2)]
    colour = random.integers(0, 3, 500).astype(np.int32)
    attributes = Attribute("a", "numeric"), Attribute("b", "numeric"), Attribute("c", "nominal", tuple("rgb"))
    target = random.integers(0, 2, 500).astype(np.int32)
    model = model_from(Dataset(Schema(attributes, CLASSES), [*columns, colour], target, np.ones(500)), MOFN)
    sets = literals_of(model)
    assert len(sets) > 5
    for own in sets:
        assert 2 <= len(own) <= literals.MOST_LITERALS
        for attribute in (0, 1):
            bounds = [(literal.low, literal.high) for literal in own if literal.attribute == attribute]
            assert sum(high == inf for _, high in bounds) <= 1
            assert sum(low == -inf for low, _ in bounds) <= 1
            assert len({bound for pair in bounds for bound in pair if abs(bound) != inf}) == len(bounds)


def test_a_literal_that_is_not_needed_is_removed() -> None:
    # One of x1 and x2 comes first, by itself; with both others it is idle.
    def says(row: np.ndarray) -> bool:
        return bool(row[0] and row[1])

    dataset = function(3, says)
    (own,) = literals_of(model_from(dataset, MOFN))
    assert len(own) == 2


def test_a_count_is_missing_where_one_of_its_attributes_is() -> None:
    dataset = function(5, majority)
    dataset.columns[0][:3] = -1
    model = model_from(dataset, MOFN.changed(missing="majority"))
    (column,) = model.schema.derived[:1]
    values = column.values(dataset.columns.__getitem__, dataset.n_rows)
    assert np.isnan(values[:3]).all()
    assert not np.isnan(values[3:]).any()


def test_a_numeric_target() -> None:
    dataset = function(5, majority)
    assert dataset.target is not None
    numeric = replace(
        dataset,
        schema=Schema(dataset.schema.attributes, Attribute("y", "numeric")),
        target=dataset.target.astype(np.float64) * 100,
    )
    model = model_from(numeric, MOFN.changed(criterion="variance"))
    assert model.tree.n_nodes == 3
    np.testing.assert_allclose(predictions(model, numeric), numeric.target, atol=1e-9)


@pytest.mark.parametrize("name", ["vote.arff", "monks-2.arff", "iris.csv", "cpu.csv"])
def test_order_weights_threads_and_files_do_not_matter(name: str) -> None:
    dataset = sample(name)
    settings = MOFN.changed(criterion=None, max_depth=4, min_leaf=1.0, min_split=2.0)
    model = model_from(dataset, settings)
    assert model.schema.derived
    text = file_of(model)
    order = np.random.default_rng(2).permutation(dataset.n_rows)
    assert file_of(model_from(dataset, settings, jobs=3)) == text
    read = decode(text, "m.json")
    assert isinstance(read, TreeModel)
    assert file_of(read) == text
    trebled = replace(dataset, weights=dataset.weights * 3)
    for changed, least in ((dataset.take(order), 1.0), (trebled, 3.0)):
        other = model_from(changed, settings.changed(min_leaf=least, min_split=2 * least))
        assert other.schema == model.schema
        assert other.tree.attribute == model.tree.attribute


def test_portions_of_a_level_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = sample("monks-2.arff")
    text = file_of(model_from(dataset, MOFN))
    monkeypatch.setattr(literals, "ROOM", 1)
    assert file_of(model_from(dataset, MOFN)) == text


ATTRIBUTES = Attribute("a", "numeric"), Attribute("c", "nominal", ("red", "green")), *booleans(1)
COUNT = Feature((Holds(0, low=3.5), Holds(1, labels=(0,)), Holds(2, labels=(1,))))


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (1.5, inf, "at least 2"),
        (-inf, 1.5, "at most 1"),
        (2.5, inf, "all"),
        (-inf, 0.5, "none"),
        (0.5, 2.5, "1 to 2"),
        (0.5, 1.5, "exactly 1"),
        (0.2, 1.7, "exactly 1"),
    ],
)
def test_conditions_are_worded_as_counts(low: float, high: float, text: str) -> None:
    assert COUNT.interval_wording(low, high, ATTRIBUTES) == f"{text} of {{a > 3.5, c = red, x1 = t}}"


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"literals": []},
        {"literals": [{"attribute": "z", "above": 1.0}]},
        {"literals": [{"attribute": "a"}]},
        {"literals": [{"attribute": "a", "above": "1"}]},
        {"literals": [{"attribute": "a", "above": 1.0, "at_most": 2.0}]},
        {"literals": [{"attribute": "a", "below": 1.0}]},
        {"literals": [{"attribute": "c", "labels": []}]},
        {"literals": [{"attribute": "c", "labels": ["blue"]}]},
        {"literals": [{"attribute": "c", "labels": ["red", "red"]}]},
        {"literals": [{"attribute": "c", "labels": ["red"]}], "more": 1},
    ],
)
def test_a_wrong_record_is_refused(record: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="'literals'"):
        mofn.Feature.from_json(record, ATTRIBUTES)


def test_a_record_is_read_back() -> None:
    assert Feature.from_json(COUNT.to_json(ATTRIBUTES), ATTRIBUTES) == COUNT
