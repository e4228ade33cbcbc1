"""Many trees at once predict what they predict one by one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from tests.growing import continuous, datasets
from treecli.data import UNSEEN, Attribute, Dataset, Schema
from treecli.ensembles.bagging import Bagging, grown_trees
from treecli.errors import DataError
from treecli.kernels import UNCOMPILED_VARIABLE
from treecli.model import TreeModel
from treecli.predict.manytrees import ManyTrees
from treecli.predict.predict import distributions, predictions
from treecli.predict.routes import row_sums
from treecli.settings import Settings


def members_of(dataset: Dataset, chosen: Settings, n_trees: int = 4) -> list[TreeModel]:
    return [TreeModel(own.schema, chosen, (), own.tree) for own in grown_trees(dataset, chosen, Bagging(n_trees))]


def votes(members: list[TreeModel], dataset: Dataset, *, by_label: bool, jobs: int | None = 1) -> np.ndarray:
    n_values = dataset.schema.n_outcomes if dataset.schema.is_classification else 1
    sums = np.zeros((dataset.n_rows, n_values))
    ManyTrees(members).add_votes(sums, dataset, jobs, by_label=by_label)
    return sums


def one_by_one(members: list[TreeModel], dataset: Dataset, *, by_label: bool) -> np.ndarray:
    n_values = dataset.schema.n_outcomes if dataset.schema.is_classification else 1
    sums = np.zeros((dataset.n_rows, n_values))
    for member in members:
        if by_label:
            sums[np.arange(dataset.n_rows), predictions(member, dataset)] += 1.0
        else:
            sums += distributions(member, dataset)
    return sums


RULES = st.fixed_dictionaries(
    {
        "nominal": st.sampled_from(["multiway", "binary", "subset"]),
        "missing": st.sampled_from(["fractional", "majority", "branch", "surrogate", "stay"]),
        "threshold": st.sampled_from(["midpoint", "datavalue"]),
        "discretize": st.sampled_from(["none", "width:3"]),
        "laplace": st.booleans(),
        "unseen": st.sampled_from(["missing", "majority"]),
        "features": st.sampled_from(["1", "all"]),
    }
)
# Many of them differ only beyond the 24 bits of a float.
NUMBERS = st.integers(-3, 3).map(float) | st.integers(0, 3).map(lambda n: 1.0 + n * 2.0**-30) | st.just(-0.0)


@settings(max_examples=examples(120), deadline=None)
@given(st.data(), RULES, st.booleans())
def test_classes_are_those_of_the_trees_one_by_one(data: st.DataObject, rules: dict[str, Any], by_label: bool) -> None:
    kinds = ["numeric", "nominal", "ordinal", "numeric"]
    dataset = data.draw(datasets(kinds, n_classes=st.integers(2, 4), numbers=NUMBERS, with_missing=True, rows=(3, 30)))
    members = members_of(dataset, Settings.of(**rules))
    dataset.columns[1][data.draw(st.integers(0, dataset.n_rows - 1))] = UNSEEN
    found = votes(members, dataset, by_label=by_label)
    assert found.tolist() == one_by_one(members, dataset, by_label=by_label).tolist()


@settings(max_examples=40, deadline=None)
@given(st.data(), st.sampled_from(["fractional", "majority", "branch"]))
def test_numbers_are_those_of_the_trees_one_by_one(data: st.DataObject, missing: str) -> None:
    dataset = data.draw(datasets(["numeric", "nominal", "numeric"], numbers=NUMBERS, with_missing=True, rows=(3, 30)))
    members = members_of(dataset, Settings.of(missing=missing))
    assert votes(members, dataset, by_label=False).tolist() == one_by_one(members, dataset, by_label=False).tolist()


@pytest.mark.parametrize(("n_labels", "has_bits"), [(2, True), (33, True), (62, True), (63, False), (300, False)])
def test_trees_of_many_labels_predict_the_same_with_and_without_tables(n_labels: int, has_bits: bool) -> None:
    random = np.random.default_rng(n_labels)
    labels = tuple(f"v{code}" for code in range(n_labels))
    attributes = Attribute("n", "nominal", labels), Attribute("x", "numeric")
    code, number = random.integers(-1, n_labels, 600).astype(np.int32), random.normal(size=600)
    number[random.random(600) < 0.1] = np.nan
    target = ((code % 3 + np.nan_to_num(number)).round().astype(np.int32) % 3).astype(np.int32)
    schema = Schema(attributes, Attribute("class", "nominal", ("a", "b", "c")))
    dataset = Dataset(schema, [code, number], target, np.ones(600))
    members = members_of(dataset, Settings.of(nominal="subset", missing="majority", unseen="majority", features="all"))
    code[:20] = UNSEEN
    assert [tree.nodes.is_in_two for tree in ManyTrees(members)._trees] == [has_bits] * len(members)
    assert votes(members, dataset, by_label=False).tolist() == one_by_one(members, dataset, by_label=False).tolist()


@pytest.mark.parametrize(
    ("rules", "mixes"),
    [
        ({}, True),
        ({"nominal": "subset"}, True),
        ({"unseen": "majority"}, True),
        ({"missing": "stay"}, False),
        ({"missing": "surrogate", "nominal": "subset"}, False),
        ({"discretize": "width:3"}, False),
    ],
)
@pytest.mark.parametrize("by_label", [False, True])
def test_rows_that_reach_several_leaves_are_routed_by_the_kernel_where_only_shares_matter(
    rules: dict[str, Any], mixes: bool, by_label: bool
) -> None:
    random = np.random.default_rng(1)
    attributes = Attribute("n", "nominal", tuple("abcdefg")), Attribute("x", "numeric"), Attribute("y", "numeric")
    code, (x, y) = random.integers(-1, 7, 2000).astype(np.int32), random.normal(size=(2, 2000))
    x[random.random(2000) < 0.2] = np.nan
    target = ((code + np.nan_to_num(x) + y).round().astype(np.int32) % 3).astype(np.int32)
    schema = Schema(attributes, Attribute("class", "nominal", ("a", "b", "c")))
    dataset = Dataset(schema, [code, x, y], target, np.ones(2000))
    members = members_of(dataset, Settings.of(features="2", **rules))
    code[:20] = UNSEEN
    assert [tree.mixes for tree in ManyTrees(members)._trees] == [mixes] * len(members)
    found = votes(members, dataset, by_label=by_label, jobs=2)
    assert found.tolist() == one_by_one(members, dataset, by_label=by_label).tolist()


VOTE_OF_PARTS = """
import numpy as np
from tests.predict.test_manytrees import members_of, votes
from tests.growing import sample
from treecli.settings import Settings
dataset = sample("vote.arff")
for rules in ({}, {"nominal": "subset"}):
    members = members_of(dataset, Settings.of(features="sqrt", **rules))
    print(votes(members, dataset, by_label=False).tolist())
"""


def test_compiled_and_uncompiled_kernels_add_the_same_parts_of_rows() -> None:
    def found(form: str) -> bytes:
        environment = {**os.environ, UNCOMPILED_VARIABLE: form}
        command = [sys.executable, "-W", "error", "-c", VOTE_OF_PARTS]
        root = Path(__file__).parents[2]
        return subprocess.run(command, cwd=root, env=environment, capture_output=True, check=True).stdout

    assert found("") == found("1")


def test_the_votes_do_not_depend_on_the_number_of_threads() -> None:
    dataset = continuous(40_000, 4, 1, noise=0.5)
    members = members_of(dataset.take(np.arange(2000)), Settings.of(criterion="gini", features="2"))
    usual = votes(members, dataset, by_label=False)
    assert (usual == votes(members, dataset, by_label=False, jobs=3)).all()
    assert (usual == one_by_one(members, dataset, by_label=False)).all()


def test_unseen_labels_are_refused_if_the_model_refuses_them() -> None:
    dataset = continuous(50, 2, 1)
    members = members_of(dataset, Settings.of(unseen="error"), 1)
    assert votes(members, dataset, by_label=True).sum() == 50
    labelled = sample_with_labels()
    members = members_of(labelled, Settings.of(unseen="error"), 2)
    labelled.columns[0][0] = UNSEEN
    with pytest.raises(DataError, match="row 1"):
        votes(members, labelled, by_label=True)


def sample_with_labels() -> Dataset:
    from tests.growing import sample

    return sample("playtennis.csv")


@pytest.mark.parametrize("n_columns", [1, 2, 3, 7, 8, 12])
def test_sums_of_rows_are_those_of_numpy_to_the_last_bit(n_columns: int) -> None:
    random = np.random.default_rng(n_columns)
    values = random.random((500, n_columns)) * 10.0 ** random.integers(-8, 8, (500, n_columns))
    assert row_sums(values).tolist() == values.sum(axis=1).tolist()
