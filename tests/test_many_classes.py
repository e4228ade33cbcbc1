"""A target of thousands of labels: the memory is that of the cases, and all commands give what they give for few."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from treecli import plugins
from treecli.data import MISSING, Attribute, Dataset, Schema
from treecli.evaluate.metrics import classification
from treecli.grow import mixed, room, subtrees
from treecli.grow.grow import grow
from treecli.model import TreeModel
from treecli.models import decode, encode
from treecli.outcomes.counts import SparseCounts
from treecli.outcomes.rows import MANY_CLASSES, total
from treecli.predict.predict import arrivals, arrivals_of_classes, distributions, predictions
from treecli.presets import settings_like
from treecli.rules.predict import answers
from treecli.rules.predict import predictions as predictions_of_rules
from treecli.rules.rulelist import of_tree
from treecli.settings import Settings
from treecli.tree import Tree

FEW = 5


def data(n_rows: int, n_classes: int, *, kind: str = "mixed", seed: int = 1) -> Dataset:
    """Random rows: numbers only, or with labels, missing values and weights."""
    random = np.random.default_rng(seed)
    labels = tuple(f"c{i}" for i in range(n_classes))
    attributes = [Attribute("x", "numeric"), Attribute("z", "numeric")]
    columns: list[Any] = [random.normal(size=n_rows), random.normal(size=n_rows)]
    weights = np.ones(n_rows)
    if kind == "mixed":
        attributes.append(Attribute("a", "nominal", ("p", "q", "r")))
        columns.append(random.integers(MISSING, 3, n_rows).astype(np.int32))
        columns[0][random.random(n_rows) < 0.1] = np.nan
        weights = random.integers(1, 4, n_rows).astype(np.float64)
    target = random.integers(0, n_classes, n_rows).astype(np.int32)
    return Dataset(Schema(tuple(attributes), Attribute("y", "nominal", labels)), columns, target, weights)


def widened(dataset: Dataset) -> Dataset:
    """The same rows with a target of many labels, most of which do not occur."""
    labels = (*dataset.schema.target.labels, *(f"unused {i}" for i in range(MANY_CLASSES)))
    return replace(dataset, schema=replace(dataset.schema, target=Attribute("y", "nominal", labels)))


def model_of(dataset: Dataset, settings: Settings | None = None) -> TreeModel:
    settings = settings or Settings()
    return TreeModel(dataset.schema, settings, (), grow(dataset, settings, jobs=1))


def parts(tree: Tree) -> tuple[Any, ...]:
    """Everything about a tree except outcomes and scores."""
    return tree.kind, tree.attribute, tree.number, tree.table, tree.missing_to, tree.first_child


def dense(tree: Tree) -> list[list[float]]:
    return [list(outcomes)[:FEW] for outcomes in tree.all_outcomes()]


@pytest.mark.parametrize("kind", ["numbers", "mixed"])
@pytest.mark.parametrize("like", [None, "rpart", "sklearn", "chaid"])
def test_labels_that_do_not_occur_change_no_tree(kind: str, like: str | None) -> None:
    dataset = data(300, FEW, kind=kind)
    if like == "sklearn":
        schema = replace(dataset.schema, attributes=dataset.schema.attributes[:2])
        dataset = replace(dataset, schema=schema, columns=dataset.columns[:2])
    settings = Settings() if like is None else settings_like(like)
    few, many = grow(dataset, settings, jobs=1), grow(widened(dataset), settings, jobs=1)
    assert isinstance(many.outcomes, SparseCounts)
    assert parts(few) == parts(many)
    assert dense(few) == dense(many)
    np.testing.assert_allclose(few.score, many.score)  # rpart's sums are rounded in another order


@pytest.mark.parametrize("kind", ["numbers", "mixed"])
def test_a_tree_that_is_grown_in_parts_is_the_same(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = data(800, 2 * MANY_CLASSES, kind=kind)
    whole = grow(dataset, Settings(), jobs=1)
    # Room for few nodes at a time; without it all nodes fit into the first part.
    for module, name in ((subtrees, "NUMBERS_AT_ONCE"), (mixed, "MOST_NUMBERS")):
        monkeypatch.setattr(module, name, 1)
    monkeypatch.setattr(subtrees, "LEAST_ROOM", 8)
    monkeypatch.setattr(room, "LEAST_ROOM", 4)
    assert grow(dataset, Settings(), jobs=1) == whole
    assert whole.n_nodes > 300


@pytest.mark.parametrize("kind", ["numbers", "mixed"])
def test_growing_takes_a_small_part_of_a_number_per_node_and_class(kind: str) -> None:
    dataset = data(3_000, 3_000, kind=kind)
    tracemalloc.start()
    try:
        tree = grow(dataset, Settings(), jobs=1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert tree.n_nodes > 5_000
    assert peak < 8 * tree.n_nodes * tree.n_outcomes / 2
    assert isinstance(tree.outcomes, SparseCounts)
    # Each case is counted once at each depth, or as often as it is spread by missing values.
    assert len(tree.outcomes.code) < tree.n_nodes * tree.n_outcomes / 20


def test_the_file_names_only_the_classes_with_cases_and_reads_the_full_form_too() -> None:
    model = model_of(data(400, 200))
    text = b"".join(encode(model))
    assert len(text) < 400 * model.tree.n_nodes
    assert decode(text, "m.json").tree == model.tree
    document = json.loads(text)
    labels = model.schema.target.labels
    for node in document["nodes"]:
        node["counts"] = [node["counts"].get(label, 0.0) for label in labels]
    assert decode(json.dumps(document).encode(), "m.json").tree == model.tree


def test_a_small_model_may_name_its_classes_as_well() -> None:
    model = model_of(data(50, FEW))
    document = json.loads(b"".join(encode(model)))
    labels = model.schema.target.labels
    for node in document["nodes"]:
        node["counts"] = {label: n for label, n in zip(labels, node["counts"], strict=True) if n}
    assert decode(json.dumps(document).encode(), "m.json").tree == model.tree


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ({"c1": 1.0, "d1": 2.0}, "m.json: node 1: counts 'd1', which is no label of the target"),
        ({"c1": -1.0}, "m.json: node 1: counts must be from 0 to 1e+50"),
        ({"c1": 1e60}, "m.json: node 1: counts must be from 0 to 1e+50"),
        ({"c1": "1"}, "m.json: node 1: Expected `float`, got `str` - at `counts[...]`"),
        ({"c1": 1e6}, "m.json: node 0: weighs"),
    ],
)
def test_counts_by_label_are_checked(counts: dict[str, Any], message: str) -> None:
    from treecli.errors import ModelError

    document = json.loads(b"".join(encode(model_of(data(100, 100)))))
    document["nodes"][1]["counts"] = counts
    with pytest.raises(ModelError, match=r"m\.json") as raised:
        decode(json.dumps(document).encode(), "m.json")
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize("changes", [{}, {"laplace": True}, {"priors": "equal"}, {"laplace": True, "priors": "equal"}])
def test_rows_that_reach_several_leaves_get_the_same_probabilities(changes: dict[str, Any]) -> None:
    dataset = data(200, FEW)
    settings = Settings.of(min_split=20, **changes)
    few, many = model_of(dataset, settings), model_of(widened(dataset), settings)
    for model in (few, many):
        model.tree.judge_by(settings.predicting.priors, None, model.schema.target.labels)
    said, of_many = distributions(few, dataset), distributions(many, widened(dataset))
    np.testing.assert_array_equal(predictions(many, widened(dataset)), of_many.argmax(axis=1))
    np.testing.assert_allclose(of_many.sum(axis=1), 1.0)
    if not changes:
        np.testing.assert_array_equal(of_many[:, :FEW], said)
    if changes == {"priors": "equal"}:
        np.testing.assert_allclose(of_many[:, :FEW], said)
    if "laplace" in changes and len(changes) == 1:
        # Every class has one case more: those that do not occur are equally probable.
        rest = of_many[:, FEW:]
        assert (rest > 0).all()
        np.testing.assert_allclose(rest, rest[:, :1].repeat(rest.shape[1], axis=1))


def test_arrivals_of_some_classes_at_a_time_are_those_of_all() -> None:
    dataset = data(300, 3 * MANY_CLASSES - 5)
    model = model_of(dataset, Settings.of(min_split=30))
    found = list(arrivals_of_classes(model, dataset))
    assert [len(classes) for classes, _ in found] == [MANY_CLASSES, MANY_CLASSES, MANY_CLASSES - 5]
    np.testing.assert_array_equal(np.hstack([part for _, part in found]), arrivals(model, dataset))


@pytest.mark.parametrize("method", [name for name in plugins.names("pruners") if name not in ("m5", "mdl")])
def test_pruning_is_the_same_with_labels_that_do_not_occur(method: str) -> None:
    dataset, other = data(300, FEW), data(200, FEW, seed=2)
    pruner = plugins.load("pruners", method)
    pruned = []
    for given, rows in ((dataset, other), (widened(dataset), widened(other))):
        model = model_of(given)
        pruned.append(pruner.prune(model, pruner.Options(), None if pruner.DATA == "none" else rows))
    few, many = pruned
    assert isinstance(many.outcomes, SparseCounts)
    assert parts(few) == parts(many)
    assert dense(few) == dense(many)


def test_rules_keep_the_classes_that_they_cover() -> None:
    dataset = data(300, 2 * MANY_CLASSES)
    rules = of_tree(model_of(dataset, Settings.of(min_split=10)))
    assert all(rule.outcomes is not None and total(rule.outcomes) == rule.covered for rule in rules.rules)
    read = decode(b"".join(encode(rules)), "r.json")
    assert read.rules == rules.rules  # type: ignore[union-attr]
    np.testing.assert_array_equal(predictions_of_rules(rules, dataset), answers(rules, dataset)[0])


def test_the_confusion_matrix_of_many_classes_has_the_measures_of_the_full_one() -> None:
    random = np.random.default_rng(3)
    actual, predicted = random.integers(-1, FEW, (2, 500)).astype(np.int32)
    predicted = np.abs(predicted)
    weights = random.integers(1, 4, 500).astype(np.float64)
    few, many = tuple(map(str, range(FEW))), tuple(map(str, range(FEW + MANY_CLASSES)))
    one, other = (classification(labels, actual, predicted, weights) for labels in (few, many))
    assert (one.n, one.errors, one.accuracy, one.kappa) == (other.n, other.errors, other.accuracy, other.kappa)
    assert one.confusion == [list(row)[:FEW] for row in other.confusion[:FEW]]
    assert list(one.confusion_other) == list(other.confusion_other)[:FEW]
    assert one.per_class == other.per_class[:FEW]


@pytest.mark.parametrize(
    "command",
    [
        ["show", "m.json"],
        ["show", "m.json", "-f", "json"],
        ["show", "m.json", "-f", "dot"],
        ["rules", "m.json"],
        ["rules", "m.json", "-f", "json"],
        ["rules", "m.json", "--simplify", "exact"],
        ["info", "m.json"],
        ["evaluate", "m.json", "d.csv"],
        ["evaluate", "m.json", "d.csv", "-f", "json"],
        ["predict", "m.json", "d.csv"],
        ["predict", "m.json", "d.csv", "--proba"],
        ["explain", "m.json", "d.csv", "--row", "3"],
        ["prune", "m.json", "-o", "p.json"],
        ["prune", "m.json", "-o", "p.json", "--method", "mdl"],
        ["export", "m.json", "--to", "python"],
        ["plot", "importance", "m.json", "-o", "i.svg"],
    ],
)
def test_every_command_takes_a_model_of_many_classes(
    command: list[str], treecli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [f"{x},{x % 7},L{x % 90}" for x in range(180)]
    (tmp_path / "d.csv").write_text("\n".join(["x,z,y", *lines, ""]))
    treecli("train", "d.csv", "-o", "m.json")
    outcome = treecli(*command)
    assert outcome.code == 0, outcome.err
