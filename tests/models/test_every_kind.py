"""Laws that hold for models of every kind: trees, rule lists, forests, boosted trees and boosted rulesets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.ensembles.test_rulesets import by_hand
from tests.exporters.models import MODELS as EXPORTED
from treecli import plugins
from treecli.data import Dataset
from treecli.explain.explanation import RowOf
from treecli.model import Model
from treecli.models import answers, columns_used, decode, encode, explainer, facts, kind_of, predictions, probes

N_ROWS = 24

MODELS = EXPORTED | {"rulesets": by_hand}

SLOW_OR_REFUSING = ("deep", "unseen error")
"""Parts of the names of models that take long, or that refuse some of the probes."""

UNREADABLE = ("derived", "precise", "leaf models", "formulas")
"""Parts of the names of models that no file can have: with features made up for the tests, or with enormous numbers."""


def named_without(parts: tuple[str, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("name", [name for name in MODELS if not any(part in name for part in parts)])


every_model = named_without(SLOW_OR_REFUSING)


def rows_of(model: Model) -> Dataset:
    """Some of the model's probes, among them missing values and unseen labels if it takes them."""
    rows = probes(model)
    return rows.take(np.random.default_rng(7).permutation(rows.n_rows)[:N_ROWS])


def same(one: np.ndarray, other: np.ndarray) -> bool:
    return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))


def test_there_are_models_of_every_kind() -> None:
    assert {make().KIND for make in MODELS.values()} == {*plugins.names("models")}


@named_without((*SLOW_OR_REFUSING, *UNREADABLE))
def test_a_file_reads_back_as_the_same_model_and_is_written_as_the_same_bytes(name: str) -> None:
    model = MODELS[name]()
    text = b"".join(encode(model))
    read = decode(text, "m.json")
    assert b"".join(encode(read)) == text
    for ours, theirs in zip(answers(read, rows_of(model)), answers(model, rows_of(model)), strict=True):
        assert same(np.asarray(ours), np.asarray(theirs))


@every_model
def test_the_prediction_is_the_most_probable_label_or_the_number(name: str) -> None:
    model = MODELS[name]()
    rows = rows_of(model)
    predicted, values = answers(model, rows)
    assert same(np.asarray(predictions(model, rows)), np.asarray(predicted))
    if not model.schema.is_classification:
        assert same(np.asarray(predicted), values[:, 0])
        return
    assert values.shape == (rows.n_rows, len(model.schema.target.labels))
    assert values.sum(axis=1) == pytest.approx(1.0)
    if model.costs is None:
        chosen = values[np.arange(rows.n_rows), np.asarray(predicted)]
        assert chosen == pytest.approx(values.max(axis=1))


@every_model
def test_a_prediction_depends_on_its_own_row_and_on_the_columns_used(name: str) -> None:
    model = MODELS[name]()
    rows = rows_of(model)
    expected = np.asarray(predictions(model, rows))
    order = np.random.default_rng(8).permutation(rows.n_rows)
    assert same(np.asarray(predictions(model, rows.take(order), 2)), expected[order])
    used = set(model.schema.inputs(columns_used(model)))
    columns = [own if index in used else np.roll(own, 1) for index, own in enumerate(rows.columns)]
    assert same(np.asarray(predictions(model, replace(rows, columns=columns))), expected)


@every_model
def test_the_explanation_of_a_row_has_its_prediction_and_probabilities(name: str) -> None:
    model = MODELS[name]()
    rows = rows_of(model)
    explain, is_single = explainer(model), model.settings.predicting.single_precision
    written = dict.fromkeys(range(len(model.schema.attributes)), "another label")
    predicted, values = answers(model, rows)
    for row in range(0, rows.n_rows, 8):
        explained = explain(RowOf(rows.take(np.array([row])), written, is_single=is_single))
        if model.schema.is_classification:
            assert explained.said == model.schema.target.labels[int(predicted[row])]
            assert explained.probabilities == pytest.approx(values[row])
        else:
            assert explained.said == pytest.approx(float(predicted[row]))


@every_model
def test_facts_have_the_kind_first_and_the_attributes_last(name: str) -> None:
    model = MODELS[name]()
    found = facts(model)
    assert next(iter(found)) == "kind"
    assert [*found][-1] == "attributes"
    assert found["target"] == model.schema.target.name
    assert kind_of(model).__name__.rpartition(".")[2] == found["kind"]
    assert [own["name"] for own in found["attributes"]] == [own.name for own in model.schema.columns]
