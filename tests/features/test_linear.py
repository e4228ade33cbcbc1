"""Oblique splits."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.features.derived import Propose, proposing
from tests.growing import AtRoot, model_from, numeric_table, sample
from treecli.data import Attribute, Dataset, Schema
from treecli.features.linear import Feature
from treecli.grow import hyperplanes
from treecli.grow.proposals import OpenNodes, Proposal, sorted_within
from treecli.model import TreeModel
from treecli.models import decode, encode, predictions
from treecli.settings import Settings
from treecli.threads import FEW_CASES

__all__ = ["proposing"]

LINEAR = Settings.of(splits=("linear",))
NAMES = tuple(Attribute(name, "numeric") for name in "abcd")


def table(columns: list[np.ndarray], target: np.ndarray) -> Dataset:
    """Rows of numeric attributes a, b, …; a target of codes has the labels n and y."""
    is_class = target.dtype.kind in "bi"
    described = Attribute("t", "nominal", ("n", "y")) if is_class else Attribute("t", "numeric")
    values = target.astype(np.int32) if is_class else target
    return Dataset(Schema(NAMES[: len(columns)], described), columns, values, np.ones(len(target)))


def diagonal(n_rows: int, seed: int = 1, *, is_class: bool = True) -> Dataset:
    """Three attributes in different units, and a target that depends on a + 1000 b / 3 > 1.2."""
    random = np.random.default_rng(seed)
    a, b, c = random.random(n_rows).round(3), (random.random(n_rows) / 1000).round(7), random.random(n_rows).round(3)
    above = a + 1000 / 3 * b > 1.2 / 2
    return table([a, b, c], above if is_class else np.where(above, 10.0, 20.0))


def file_of(model: TreeModel) -> bytes:
    return b"".join(encode(model))


@pytest.mark.parametrize("is_class", [True, False])
@pytest.mark.parametrize("criterion", ["gain", "gini", "error", "gainratio"])
def test_a_diagonal_border_is_one_split(is_class: bool, criterion: str) -> None:
    dataset = diagonal(300, is_class=is_class)
    settings = LINEAR.changed(criterion=criterion if is_class else "variance")
    model = model_from(dataset, settings)
    assert model.tree.n_nodes == 3
    np.testing.assert_allclose(predictions(model, dataset), dataset.target)
    (column,) = model.schema.derived
    assert isinstance(column.feature, Feature)
    (one, a), (factor, b) = column.feature.terms
    # The coefficient that matters most is 1, the other is in the units of the data.
    assert (one, a, b) == (1.0, 0, 1)
    assert factor == pytest.approx(1000 / 3, rel=0.1)


def test_coefficients_and_thresholds_have_few_digits() -> None:
    model = model_from(sample("iris.csv"), LINEAR.changed(max_depth=2))
    (column,) = model.schema.derived
    assert column.name == "-0.5 * sepallength - 0.5 * sepalwidth + petallength + 0.8 * petalwidth"
    assert [split.number for split in map(model.tree.split, (0, 2)) if hasattr(split, "number")] == [2.45, 1.72]


@pytest.mark.parametrize("name", ["iris.csv", "cpu.csv"])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_root_gains_no_less_than_with_attributes_alone(name: str, seed: int) -> None:
    dataset = sample(name)
    criterion = "variance" if dataset.schema.target.is_numeric else "gain"
    settings = Settings.of(criterion=criterion, max_depth=1, seed=seed)
    alone, oblique = (model_from(dataset, s).tree.score[0] for s in (settings, settings.changed(splits=("linear",))))
    assert oblique >= alone


def test_a_plane_that_hardly_gains_more_than_an_attribute_is_not_chosen() -> None:
    random = np.random.default_rng(3)
    a, b = random.random((2, 400))
    dataset = table([a, b], a > 0.5)
    model = model_from(dataset, LINEAR)
    assert not model.schema.derived
    assert model.tree.n_nodes == 3


def test_nodes_with_fewer_than_two_cases_per_attribute_are_not_searched() -> None:
    # Five points in four dimensions: some plane separates any labels.
    random = np.random.default_rng(5)
    columns = list(random.random((4, 7)))
    assert not model_from(table(columns, np.arange(7) % 2), LINEAR).schema.derived
    columns = list(random.random((4, 8)))
    assert model_from(table(columns, np.arange(8) % 2), LINEAR).schema.derived


def test_attributes_that_do_not_matter_are_dropped() -> None:
    random = np.random.default_rng(7)
    columns = list(random.random((4, 500)))
    model = model_from(table(columns, columns[0] - columns[3] > 0.1), LINEAR.changed(max_depth=1))
    (column,) = model.schema.derived
    assert isinstance(column.feature, Feature)
    assert [attribute for _, attribute in column.feature.terms] == [0, 3]


def test_a_case_is_missing_where_one_of_the_parts_is() -> None:
    dataset = diagonal(400)
    dataset.columns[1][::7] = np.nan
    model = model_from(dataset, LINEAR.changed(missing="majority"))
    (column,) = model.schema.derived[:1]
    values = column.values(dataset.columns.__getitem__, dataset.n_rows)
    np.testing.assert_array_equal(np.isnan(values), np.isnan(dataset.columns[1]))
    assert (predictions(model, dataset) == dataset.target)[~np.isnan(values)].mean() > 0.97


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e308])
def test_infinite_and_huge_values_do_no_harm(value: float) -> None:
    dataset = diagonal(200)
    dataset.columns[2][:3] = value, -value, value
    model = model_from(dataset, LINEAR)
    assert (predictions(model, dataset) == dataset.target).all()


def test_the_order_of_rows_does_not_matter() -> None:
    dataset = sample("iris.csv")
    dataset.columns[3][::9] = np.nan
    order = np.random.default_rng(2).permutation(dataset.n_rows)
    assert file_of(model_from(dataset, LINEAR)) == file_of(model_from(dataset.take(order), LINEAR))


def test_the_order_of_rows_does_not_matter_where_a_node_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hyperplanes, "MOST_CASES", 50)
    dataset = diagonal(300)
    order = np.random.default_rng(2).permutation(dataset.n_rows)
    one = model_from(dataset, LINEAR)
    assert one.schema.derived
    assert file_of(one) == file_of(model_from(dataset.take(order), LINEAR))


def noisy(n_rows: int) -> Dataset:
    """Rows with a diagonal border and a tenth of the classes swapped: the gain ratio then sends few cases away."""
    dataset = diagonal(n_rows, seed=4)
    assert dataset.target is not None
    is_swapped = np.random.default_rng(1).random(n_rows) < 0.1
    return replace(dataset, target=np.where(is_swapped, 1 - dataset.target, dataset.target).astype(np.int32))


def test_a_node_with_nearly_all_cases_of_a_sampled_one_keeps_its_plane(proposing: Callable[[Propose], None]) -> None:
    before: list[tuple[np.ndarray, np.ndarray]] = []
    n_kept = 0

    def propose(nodes: OpenNodes) -> Iterator[Proposal]:
        nonlocal n_kept
        found, _ = hyperplanes.planes(nodes, [0, 1, 2])
        n_searched = nodes.level.size
        if before:
            planes, above = (own[nodes.parent] for own in before.pop())
            is_kept = n_searched > np.maximum(hyperplanes.KEPT_SHARE * above, hyperplanes.MOST_CASES)
            np.testing.assert_array_equal(found[is_kept], planes[is_kept])
            n_kept += np.count_nonzero(is_kept)
            n_searched = np.where(is_kept, above, n_searched)
        before.append((found, n_searched))
        return iter(())

    proposing(propose)
    model_from(noisy(6000), Settings.of(criterion="gainratio", splits=("own",), max_depth=9))
    assert n_kept >= 3


def test_a_node_whose_parent_a_plane_splits_is_searched(proposing: Callable[[Propose], None]) -> None:
    planes: list[np.ndarray] = []

    def propose(nodes: OpenNodes) -> Iterator[Proposal]:
        found, scored = hyperplanes.planes(nodes, [0, 1, 2])
        largest = nodes.level.size.argmax()
        assert planes == [] or nodes.level.size[largest] > hyperplanes.KEPT_SHARE * 6000
        planes.append(found[largest])
        terms = tuple((factor, index) for index, factor in enumerate(found[largest].tolist()) if factor)
        return iter((Proposal(int(largest), Feature(terms), scored),))

    proposing(propose)
    # A twentieth is above the plane, and nearly all cases go on. What remains is noise.
    dataset = diagonal(6000)
    above = dataset.columns[0] + 1000 / 3 * dataset.columns[1] > 1.15
    is_swapped = np.random.default_rng(1).random(6000) < 0.05
    target = (above ^ is_swapped).astype(np.int32)
    model_from(replace(dataset, target=target), Settings.of(criterion="gain", splits=("own",), max_depth=2))
    root, rest = planes
    assert (root != rest).any()


def test_the_order_of_rows_does_not_matter_where_planes_are_kept() -> None:
    dataset, settings = noisy(3000), LINEAR.changed(criterion="gainratio", max_depth=9)
    order = np.random.default_rng(2).permutation(dataset.n_rows)
    assert file_of(model_from(dataset, settings)) == file_of(model_from(dataset.take(order), settings, jobs=2))


def test_trebled_weights_grow_the_same_splits() -> None:
    dataset = sample("iris.csv")
    trebled = replace(dataset, weights=dataset.weights * 3)
    one, other = (model_from(own, LINEAR.changed(criterion="gain")) for own in (dataset, trebled))
    assert one.schema == other.schema
    assert one.tree.attribute == other.tree.attribute


def test_another_seed_may_find_other_planes_and_the_same_seed_the_same() -> None:
    dataset = sample("cpu.csv")
    files = {seed: file_of(model_from(dataset, LINEAR.changed(seed=seed, max_depth=3))) for seed in (0, 1, 2)}
    assert len(set(files.values())) > 1
    assert files[1] == file_of(model_from(dataset, LINEAR.changed(seed=1, max_depth=3)))


def test_the_number_of_threads_does_not_matter() -> None:
    dataset, settings = noisy(FEW_CASES // 10), LINEAR.changed(max_depth=4)
    alone = model_from(dataset, settings, jobs=1)
    assert len(alone.schema.derived) > 1
    assert file_of(alone) == file_of(model_from(dataset, settings, jobs=3))


GROW = """
import sys
from tests.growing import model_from, numeric_table, sample
from treecli.kernels import are_compiled
from treecli.models import encode
from treecli.settings import Settings

assert are_compiled() == (sys.argv[1] == "compiled")
for name, rows in (("iris.csv", 150), ("cpu.csv", 40), ("monks-2.arff", 144)):
    dataset = sample(name)
    part = dataset.take(__import__("numpy").arange(0, dataset.n_rows, dataset.n_rows // rows))
    settings = Settings.of(
        splits=("mofn",) if name == "monks-2.arff" else ("mofn", "linear"),
        criterion="variance" if name == "cpu.csv" else "gain",
        max_depth=3,
    )
    sys.stdout.buffer.write(b"".join(encode(model_from(part, settings))))
"""


def test_compiled_and_uncompiled_kernels_find_the_same_splits() -> None:
    def models(form: str) -> bytes:
        environment = {**os.environ, "TREECLI_UNCOMPILED": "1" if form == "uncompiled" else ""}
        command = [sys.executable, "-W", "error", "-c", GROW, form]
        root = Path(__file__).parents[2]
        run = subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False)
        assert run.returncode == 0, run.stderr.decode()
        return run.stdout

    compiled = models("compiled")
    assert compiled.count(b'"derived"') == 3
    assert compiled == models("uncompiled")


def test_a_model_is_saved_and_loaded_to_the_byte() -> None:
    text = file_of(model_from(sample("cpu.csv"), LINEAR))
    read = decode(text, "m.json")
    assert isinstance(read, TreeModel)
    assert file_of(read) == text


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"terms": []},
        {"terms": [[1.0, "a"], [2.0, "a"]]},
        {"terms": [[1.0, "z"]]},
        {"terms": [[True, "a"]]},
        {"terms": [["1", "a"]]},
        {"terms": [[1.0]]},
        {"terms": [[1.0, "a"]], "more": 1},
    ],
)
def test_a_wrong_record_is_refused(record: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="'terms'"):
        Feature.from_json(record, NAMES)


@pytest.mark.parametrize(
    ("terms", "text"),
    [
        (((1.0, 0), (1.0, 1)), "a + b"),
        (((-1.0, 0), (-0.5, 1)), "-a - 0.5 * b"),
        (((1200.0, 0), (1e-7, 1)), "1200 * a + 1e-07 * b"),
    ],
)
def test_a_sum_is_written_with_its_signs(terms: tuple[tuple[float, int], ...], text: str) -> None:
    assert Feature(terms).wording(NAMES) == text


def test_a_forest_draws_sums_of_three_attributes_at_every_node() -> None:
    """The class is the sign of a sum of three attributes out of six, which plain splits can only approach in steps."""
    from treecli.learn import learn_ensemble
    from treecli.recipe import Recipe

    chance = np.random.default_rng(1)
    values = chance.normal(size=(300, 6)) * [1, 10, 1, 1, 1, 1]
    positive = values[:, 0] + values[:, 1] / 10 + values[:, 2] > 0
    dataset = numeric_table(values.T.tolist(), ["np"[int(own)] for own in positive])
    options = ["--forest", "30", "--features", "2"]
    plain = learn_ensemble(dataset, Recipe.parse(options))
    oblique, again = (
        learn_ensemble(dataset, Recipe.parse([*options, "--splits", "linear"]), jobs=jobs) for jobs in (1, 2)
    )
    assert b"".join(encode(oblique)) == b"".join(encode(again))
    errors = [model.lineage[-1]["out_of_bag"]["error"] for model in (plain, oblique)]
    assert errors[1] < errors[0]
    terms = [column.feature.terms for column in oblique.schema.derived]  # type: ignore[attr-defined]
    assert {len(own) for own in terms} == {3}
    factors = np.array([[factor for factor, _ in own] for own in terms])
    assert (np.abs(factors).max(axis=1) == 1).all()
    assert len({*map(tuple, factors)}) == len(terms) > 100
    # Each attribute is in half of the sums; the one with ten times the spread has smaller factors.
    inside = np.bincount([index for own in terms for _, index in own], minlength=6) / len(terms)
    assert (np.abs(inside - 0.5) < 0.25).all()
    by_attribute = [np.mean([abs(factor) for own in terms for factor, index in own if index == a]) for a in range(6)]
    assert np.argmin(by_attribute) == 1


@pytest.mark.parametrize("n_places", [50, 100_000])
def test_cases_are_put_in_the_order_of_their_rows_by_sorting_and_by_a_table_of_rows(n_places: int) -> None:
    places = np.random.default_rng(1).permutation(n_places)[:40]
    assert hyperplanes._in_order(places, n_places).tolist() == np.argsort(places).tolist()


def test_large_nodes_are_sorted_one_by_one_with_equal_numbers_in_their_order_and_missing_ones_last() -> None:
    random = np.random.default_rng(2)
    numbers = np.where(random.random(3000) < 0.1, np.nan, random.integers(0, 200, 3000).astype(float))
    at = AtRoot(numeric_table([numbers.tolist()], ["a", "b"] * 1500), Settings.of(criterion="gain"))
    level = at.level.taken(np.zeros(2, np.int64))
    values = np.concatenate([numbers, -numbers])
    order = sorted_within(values, level, at.plan)
    expected = np.lexsort((np.arange(6000), values, np.repeat([0, 1], 3000)))
    assert level.n_cases == 6000
    assert order.case.tolist() == expected.tolist()
    assert order.n_known.tolist() == [np.count_nonzero(numbers == numbers)] * 2
    assert np.array_equal(order.value, values[expected], equal_nan=True)
