"""Properties for any data: the result does not depend on anything irrelevant."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from tests.growing import (
    FRACTIONS,
    UNIT_WEIGHTS,
    assert_same_tree,
    continuous,
    datasets,
    model_from,
    sample,
)
from treecli import plugins
from treecli.data import Attribute, Dataset, Schema
from treecli.evaluate.measure import measure
from treecli.evaluate.metrics import Classification
from treecli.grow.grow import grow
from treecli.model import TreeModel
from treecli.models import decode, encode
from treecli.predict.nodevalues import predicted
from treecli.predict.predict import distributions, leaves
from treecli.rules.from_tree import from_tree
from treecli.settings import Settings
from treecli.settings.growing import ONE_PLACE, RANDOM, THRESHOLDS
from treecli.threads import FEW_CASES

KINDS = ("numeric", "nominal", "ordinal")
NOMINAL = plugins.names("nominal")
POLICIES = tuple(policy for policy in plugins.names("missing") if policy != "error")

LEARNERS = st.builds(
    Settings.of,
    criterion=st.sampled_from(["gain", "gainratio", "gini", "error"]),
    nominal=st.sampled_from(NOMINAL),
    threshold=st.sampled_from(THRESHOLDS),
    missing=st.sampled_from(POLICIES),
    search=st.sampled_from(["greedy", "greedy", "lookahead", "skewing:5", "skewing-sequential"]),
).filter(
    lambda own: (
        own.splitting.threshold not in ONE_PLACE
        or own.searching.search == "greedy"
        or (own.searching.search == "lookahead" and own.splitting.threshold != RANDOM)
    )
)

FILES: list[tuple[str, dict[str, object]]] = [
    ("playtennis.csv", {}),
    ("iris.csv", {}),
    ("cpu.csv", {}),
    ("vote.arff", {}),
    ("titanic.csv", {"weights": "Count"}),
    ("monks-2.arff", {}),
]


def file_of(model: TreeModel) -> bytes:
    return b"".join(encode(model))


def any_data(*, with_missing: bool = True) -> st.SearchStrategy[Dataset]:
    return st.sampled_from([UNIT_WEIGHTS, FRACTIONS]).flatmap(
        lambda weights: datasets(KINDS, n_classes=st.integers(2, 4), weights=weights, with_missing=with_missing)
    )


@settings(max_examples=examples(60))
@given(any_data(), LEARNERS, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(dataset: Dataset, learner: Settings, random: object) -> None:
    order = list(range(dataset.n_rows))
    random.shuffle(order)  # type: ignore[attr-defined]
    assert_same_tree(grow(dataset, learner, jobs=1), grow(dataset.take(np.array(order)), learner, jobs=1))


@pytest.mark.parametrize(("name", "options"), FILES)
@pytest.mark.parametrize("missing", POLICIES)
def test_the_order_of_rows_does_not_matter_in_the_samples(name: str, options: dict, missing: str) -> None:
    dataset = sample(name, **options)
    order = np.random.default_rng(7).permutation(dataset.n_rows)
    learner = Settings.of(missing=missing)
    # Sums of a numeric target differ in the last digits.
    assert_same_tree(grow(dataset, learner), grow(dataset.take(order), learner), tolerance=1e-8)


@settings(max_examples=40)
@given(any_data(), LEARNERS, st.sampled_from([1.0, 2.0]))
def test_a_weight_of_three_is_three_rows(dataset: Dataset, learner: Settings, min_leaf: float) -> None:
    assume(learner.missing.policy != "surrogate")  # a surrogate must part two rows each way, whatever they weigh
    learner = learner.changed(min_leaf=3 * min_leaf, min_split=6.0)
    trebled = replace(dataset, weights=dataset.weights * 3)
    tripled = dataset.take(np.repeat(np.arange(dataset.n_rows), 3))
    assert_same_tree(grow(trebled, learner, jobs=1), grow(tripled, learner, jobs=1))


@settings(max_examples=40)
@given(any_data(), LEARNERS)
def test_trebled_weights_grow_the_same_tree_of_trebled_cases(dataset: Dataset, learner: Settings) -> None:
    learner = learner.changed(min_leaf=1.0, min_split=2.0)
    assume(learner.splitting.nominal != "merged")  # by tests, for which more cases are more evidence
    trebled = replace(dataset, weights=dataset.weights * 3)
    one = grow(dataset, learner, jobs=1)
    other = grow(trebled, learner.changed(min_leaf=3.0, min_split=6.0), jobs=1)
    assert list(one.attribute) == list(other.attribute)
    assert list(one.number) == pytest.approx(list(other.number))
    np.testing.assert_allclose(3 * np.array(one.outcomes), np.array(other.outcomes), atol=1e-8)


@settings(max_examples=30)
@given(any_data(), LEARNERS)
def test_names_of_labels_and_columns_do_not_matter(dataset: Dataset, learner: Settings) -> None:
    def renamed(attribute: Attribute) -> Attribute:
        return Attribute(f"the {attribute.name}", attribute.kind, tuple(f"{label}!" for label in attribute.labels))

    schema = Schema(tuple(map(renamed, dataset.schema.attributes)), renamed(dataset.schema.target))
    assert grow(dataset, learner, jobs=1) == grow(replace(dataset, schema=schema), learner, jobs=1)


@pytest.mark.parametrize("n_classes", [2, 3, None])
def test_the_order_of_columns_does_not_matter_without_ties(n_classes: int | None) -> None:
    dataset = continuous(1000, 5, seed=12, n_classes=n_classes, noise=1.0)
    order = [3, 0, 4, 1, 2]
    attributes = tuple(dataset.schema.attributes[a] for a in order)
    moved = replace(
        dataset, schema=replace(dataset.schema, attributes=attributes), columns=[dataset.columns[a] for a in order]
    )
    learner = Settings.of(max_depth=3, min_leaf=50)  # small nodes tie, and there the first column wins
    one, other = grow(dataset, learner), grow(moved, learner)
    assert [-1 if a < 0 else order[a] for a in other.attribute] == list(one.attribute)
    assert list(one.number) == list(other.number)


@pytest.mark.parametrize(
    ("name", "options", "nominal"),
    # Labels are merged by classes, which cpu.csv has none of.
    [(*file, nominal) for file in FILES for nominal in NOMINAL if (file[0], nominal) != ("cpu.csv", "merged")],
)
def test_saved_and_loaded_a_model_is_the_same_to_the_byte(name: str, options: dict, nominal: str) -> None:
    dataset = sample(name, **options)
    for missing in POLICIES:
        model = model_from(dataset, Settings.of(nominal=nominal, missing=missing))
        text = file_of(model)
        loaded = decode(text, "model.json")
        assert file_of(loaded) == text
        np.testing.assert_array_equal(distributions(loaded, dataset), distributions(model, dataset))


def row_values(dataset: Dataset, row: int) -> list[float | None]:
    pairs = zip(dataset.schema.attributes, dataset.columns, strict=True)
    missing = ((np.isnan(c[row]) if a.is_numeric else c[row] < 0, float(c[row])) for a, c in pairs)
    return [None if is_missing else value for is_missing, value in missing]


def assert_rules_agree(model: TreeModel, dataset: Dataset) -> None:
    """Every row satisfies one rule, that of its leaf, which predicts the same as the tree."""
    rules = list(from_tree(model))
    leaf_of_row, said = leaves(model, dataset), predicted(model, distributions(model, dataset))
    for row in range(dataset.n_rows):
        values = row_values(dataset, row)
        holding = [rule for rule in rules if all(c.holds(values[c.attribute]) for c in rule.conditions)]
        assert [rule.leaf for rule in holding] == [leaf_of_row[row]]
        assert (holding[0].label if model.schema.is_classification else holding[0].value) == said[row]


@settings(max_examples=40)
@given(any_data(with_missing=False), LEARNERS)
def test_rules_cover_each_row_once_and_agree_with_the_tree(dataset: Dataset, learner: Settings) -> None:
    assert_rules_agree(model_from(dataset, learner), dataset)


@pytest.mark.parametrize("missing", ["majority", "branch"])
@settings(max_examples=30)
@given(dataset=any_data(), learner=LEARNERS)
def test_rules_cover_missing_values_that_take_one_branch(missing: str, dataset: Dataset, learner: Settings) -> None:
    assert_rules_agree(model_from(dataset, learner.changed(missing=missing)), dataset)


@pytest.mark.parametrize(("name", "options"), FILES)
def test_rules_cover_the_samples(name: str, options: dict) -> None:
    dataset = sample(name, **options)
    assert_rules_agree(model_from(dataset, Settings.of(missing="majority", max_depth=5)), dataset)


@settings(max_examples=40)
@given(any_data(with_missing=False), LEARNERS)
def test_a_full_tree_knows_consistent_data_by_heart(dataset: Dataset, learner: Settings) -> None:
    assert dataset.target is not None
    seen: dict[tuple, int] = {}
    rows = [
        row
        for row in range(dataset.n_rows)
        if seen.setdefault(tuple(row_values(dataset, row)), int(dataset.target[row])) == int(dataset.target[row])
    ]
    consistent = dataset.take(np.array(rows))
    model = model_from(consistent, learner.changed(min_leaf=0.25, min_split=0.25))
    measures = measure(model, consistent)
    assert isinstance(measures, Classification)
    assert measures.errors == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("missing", POLICIES)
@pytest.mark.parametrize("n_classes", [3, 12, None])
def test_the_number_of_threads_does_not_matter(n_classes: int | None, missing: str) -> None:
    dataset = continuous(FEW_CASES + 500, 4, seed=21, n_classes=n_classes, noise=0.3)
    random = np.random.default_rng(1)
    dataset.columns[2][random.random(dataset.n_rows) < 0.1] = np.nan
    learner = Settings.of(missing=missing, max_depth=6)
    alone = file_of(model_from(dataset, learner, jobs=1))
    assert alone == file_of(model_from(dataset, learner, jobs=2))
    assert alone == file_of(model_from(dataset, learner, jobs=3))


GROW_ALL = """
import sys
from itertools import product
from tests.growing import model_from, sample
from treecli.kernels import are_compiled
from treecli.models import encode
from treecli.presets import settings_like
from treecli.settings import Settings

assert are_compiled() == (sys.argv[1] == "compiled")
out = sys.stdout.buffer
for name, options in [("playtennis.csv", {}), ("iris.csv", {}), ("cpu.csv", {}), ("vote.arff", {}),
                      ("titanic.csv", {"weights": "Count"}), ("courses-rating.csv", {})]:
    dataset = sample(name, **options)
    for nominal, missing, threshold in [("multiway", "fractional", "midpoint"), ("binary", "majority", "mean"),
                                        ("subset", "branch", "median"), ("subset", "fractional", "datavalue")]:
        criteria = ("variance",) if dataset.schema.target.is_numeric else ("gainratio", "gini", "error")
        for criterion in criteria:
            settings = Settings.of(criterion=criterion, nominal=nominal, missing=missing, threshold=threshold,
                                chi2_alpha=None if criterion == "variance" else 0.9)
            for piece in encode(model_from(dataset, settings)):
                out.write(piece)
    if not dataset.schema.target.is_numeric:
        for like in ("chaid", "c45"):
            for piece in encode(model_from(dataset, settings_like(like))):
                out.write(piece)
"""


def test_compiled_and_uncompiled_kernels_grow_the_same_models_to_the_byte() -> None:
    def models(form: str) -> bytes:
        environment = {**os.environ, "TREECLI_UNCOMPILED": "1" if form == "uncompiled" else ""}
        root = Path(__file__).parent.parent
        command = [sys.executable, "-W", "error", "-c", GROW_ALL, form]
        run = subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False)
        assert run.returncode == 0, run.stderr.decode()
        return run.stdout

    compiled = models("compiled")
    assert compiled.count(b'"treecli-model"') == 4 * 3 * 4 + 4 * 2 + 4 * 2
    assert compiled == models("uncompiled")
