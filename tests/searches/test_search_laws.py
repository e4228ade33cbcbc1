"""Properties of every search: what does not matter, and what no search can beat."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growing import FRACTIONS, UNIT_WEIGHTS, assert_same_tree, datasets, model_from, sample
from treecli import plugins
from treecli.data import Attribute, Dataset, Schema
from treecli.grow.grow import grow
from treecli.models import decode, encode
from treecli.predict.predict import distributions
from treecli.settings import Settings
from treecli.tree import Tree, risks

ROOT = Path(__file__).parents[2]

NUMBERED = {"lookahead": ["lookahead", "lookahead:2"], "skewing": ["skewing:5"], "optimal": ["optimal:1", "optimal:2"]}

SEARCHES = [
    word
    for name in plugins.names("searches")
    if name != "m5"  # for model trees, which have laws of their own
    for word in NUMBERED.get(name, [name])
]

EACH = pytest.mark.parametrize("search", SEARCHES)


def some_data(rows: tuple[int, int] = (2, 24)) -> st.SearchStrategy[Dataset]:
    """Rows without missing values."""
    kinds = st.lists(st.sampled_from(["numeric", "nominal", "ordinal"]), min_size=1, max_size=3)
    return st.tuples(kinds, st.sampled_from([UNIT_WEIGHTS, FRACTIONS])).flatmap(
        lambda drawn: datasets(drawn[0], n_classes=st.integers(2, 3), weights=drawn[1], rows=rows)
    )


def learner_of(search: str, **changes: object) -> Settings:
    """Settings with the tests that optimal trees have too: one label against the rest."""
    settings = Settings.of(search=search, nominal="binary", **changes)
    return settings if search.startswith("optimal") else settings.changed(max_depth=3)


@EACH
@settings(deadline=None, max_examples=25)
@given(dataset=some_data(), random=st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(search: str, dataset: Dataset, random: object) -> None:
    order = list(range(dataset.n_rows))
    random.shuffle(order)  # type: ignore[attr-defined]
    learner = learner_of(search)
    assert_same_tree(grow(dataset, learner, jobs=1), grow(dataset.take(np.array(order)), learner, jobs=1))


@EACH
@settings(deadline=None, max_examples=25)
@given(dataset=some_data())
def test_trebled_weights_grow_the_same_tree_of_trebled_cases(search: str, dataset: Dataset) -> None:
    assert_same_if_trebled(search, dataset)


def assert_same_if_trebled(search: str, dataset: Dataset) -> None:
    """With three times the weights, the same tests divide three times the cases."""
    one = grow(dataset, learner_of(search, min_leaf=1.0, min_split=2.0), jobs=1)
    trebled = replace(dataset, weights=dataset.weights * 3)
    other = grow(trebled, learner_of(search, min_leaf=3.0, min_split=6.0), jobs=1)
    assert list(one.attribute) == list(other.attribute)
    assert list(one.number) == pytest.approx(list(other.number))
    np.testing.assert_allclose(3 * np.array(one.outcomes), np.array(other.outcomes), atol=1e-8)


@pytest.mark.parametrize(
    ("search", "columns", "target"),
    [
        ("skewing:5", ["1300522311", "5501535322"], "0022222012"),
        ("skewing-sequential", ["110000001001", "112022202110", "520155643406"], "011010000021"),
    ],
)
def test_rounding_does_not_choose_between_trials_with_equal_gains(search: str, columns: list[str], target: str) -> None:
    # Two trials have thresholds of equal gain at a node of the second level; their sums differ in the last bit.
    n_labels = [0] * 2 if search == "skewing:5" else [2, 3, 0]
    attributes = tuple(
        Attribute(f"x{i}", "nominal" if n else "numeric", tuple("pqr"[:n])) for i, n in enumerate(n_labels)
    )
    values = [
        np.array([*map(int, column)], np.int32 if n else np.float64)
        for column, n in zip(columns, n_labels, strict=True)
    ]
    schema = Schema(attributes, Attribute("y", "nominal", ("a", "b", "c")))
    dataset = Dataset(schema, values, np.array([*map(int, target)], np.int32), np.ones(len(target)))
    assert_same_if_trebled(search, dataset)


@EACH
@settings(deadline=None, max_examples=25)
@given(dataset=some_data())
def test_names_of_labels_and_columns_do_not_matter(search: str, dataset: Dataset) -> None:
    def renamed(attribute: Attribute) -> Attribute:
        return Attribute(f"the {attribute.name}", attribute.kind, tuple(f"{label}!" for label in attribute.labels))

    schema = Schema(tuple(map(renamed, dataset.schema.attributes)), renamed(dataset.schema.target))
    learner = learner_of(search)
    assert grow(dataset, learner, jobs=1) == grow(replace(dataset, schema=schema), learner, jobs=1)


@EACH
@pytest.mark.parametrize("name", ["iris.csv", "monks-1.arff", "playtennis.csv"])
def test_saved_and_loaded_a_model_is_the_same_to_the_byte(search: str, name: str) -> None:
    dataset = sample(name)
    model = model_from(dataset, learner_of(search))
    text = b"".join(encode(model))
    loaded = decode(text, "model.json")
    assert b"".join(encode(loaded)) == text
    np.testing.assert_array_equal(distributions(loaded, dataset), distributions(model, dataset))


@EACH
@settings(deadline=None, max_examples=25)
@given(dataset=some_data((2, 30)), depth=st.integers(1, 3))
def test_no_search_makes_fewer_training_errors_at_a_depth_than_the_optimal_one(
    search: str, dataset: Dataset, depth: int
) -> None:
    tree = grow(dataset, Settings.of(search=search, nominal="binary", max_depth=depth), jobs=1)
    optimal = grow(dataset, Settings.of(search=f"optimal:{depth}"), jobs=1)
    assert max(tree.depths()) <= depth
    assert _errors(tree) >= _errors(optimal) - 1e-9


def _errors(tree: Tree) -> float:
    """The weight of the training cases that the leaves get wrong."""
    risk = risks(tree, is_classification=True)
    return sum(risk[node] for node in range(tree.n_nodes) if tree.is_leaf(node))


@settings(deadline=None, max_examples=25)
@given(relevant=st.sets(st.integers(1, 5), min_size=2, max_size=2), seed=st.integers(0, 2**32))
def test_parity_is_found_by_lookahead_and_skewing_and_missed_by_greedy_gain(relevant: set[int], seed: int) -> None:
    # All rows of six Boolean attributes: none gains anything by itself, so greedy search takes the first.
    rows = np.array(list(product((0, 1), repeat=6)))
    attributes = tuple(Attribute(f"x{i}", "nominal", ("f", "t")) for i in range(6))
    schema = Schema(attributes, Attribute("y", "nominal", ("0", "1")))
    target = (rows[:, sorted(relevant)].sum(axis=1) % 2).astype(np.int32)
    columns = [np.ascontiguousarray(column, np.int32) for column in rows.T]
    dataset = Dataset(schema, columns, target, np.ones(len(rows)))
    assert grow(dataset, Settings.of(criterion="gain"), jobs=1).attribute[0] == 0
    for search in ("lookahead", "skewing", "skewing-sequential", "optimal:2"):
        tree = grow(dataset, Settings.of(criterion="gain", search=search, seed=seed), jobs=1)
        assert {a for a in tree.attribute if a >= 0} == relevant, search
        assert tree.n_nodes == 7


UNCOMPILED = """
import sys
from tests.growing import continuous, model_from, sample
from treecli.kernels import are_compiled
from treecli.models import encode
from treecli.settings import Settings

assert are_compiled() == (sys.argv[1] == "compiled")
for search in sys.argv[3:]:
    n = int(sys.argv[2]) if search == "lookahead:2" else 40
    for dataset in (sample("playtennis.csv"), continuous(n, 3, seed=2), continuous(n, 3, seed=2, n_classes=None)):
        if "lookahead" in search or not dataset.schema.target.is_numeric:
            for piece in encode(model_from(dataset, Settings.of(search=search, min_leaf=2.0))):
                sys.stdout.buffer.write(piece)
"""


@pytest.mark.parametrize(
    "n_rows", [20, pytest.param(40, marks=pytest.mark.thorough)], ids=lambda n: f"{n} rows two levels ahead"
)
def test_compiled_and_uncompiled_kernels_give_the_same_models_to_the_byte(n_rows: int) -> None:
    def models(form: str) -> bytes:
        environment = {**os.environ, "TREECLI_UNCOMPILED": "1" if form == "uncompiled" else ""}
        command = [sys.executable, "-c", UNCOMPILED, form, str(n_rows), *SEARCHES]
        run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
        assert run.returncode == 0, run.stderr.decode()
        return run.stdout

    compiled = models("compiled")
    assert compiled.count(b'"treecli-model"') == 2 * len(SEARCHES) + 2
    assert compiled == models("uncompiled")
