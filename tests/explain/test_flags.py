"""Missing values, unseen labels and numbers out of the training range, of many rows at once."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from tests.datasets import dataset_of
from tests.example_models import HOUSES, Inner, every_kind, model_of, regression
from treecli.data import Attribute, Dataset, Schema
from treecli.explain.flags import flag_texts, without_range
from treecli.model import Model, TreeModel
from treecli.models import columns_used
from treecli.rules.rulelist import of_tree
from treecli.splits import multiway, threshold
from treecli.splits._surrogate import Surrogate


def with_range(model: TreeModel, low: float, high: float) -> TreeModel:
    """The model with a range for its first attribute."""
    first, *others = model.schema.attributes
    return replace(model, schema=replace(model.schema, attributes=(replace(first, range=(low, high)), *others)))


def flags_by(model: Model, dataset: Dataset) -> list[str]:
    return flag_texts(dataset, columns_used(model))


def unchecked(model: Model) -> list[str]:
    return without_range(model.schema, columns_used(model))


@pytest.mark.parametrize(
    ("area", "district", "flags"),
    [
        (70.0, "hills", ""),
        (40.0, "hills", ""),
        (120.0, "hills", ""),
        (39.9, "hills", "out-of-range:area"),
        (inf, "hills", "out-of-range:area"),
        (None, "hills", "missing:area"),
        (70.0, None, "missing:district"),
        (70.0, "moon", "unseen:district"),
        (-inf, "moon", "out-of-range:area;unseen:district"),
        (None, None, "missing:area;missing:district"),
    ],
)
def test_each_attribute_has_at_most_one_flag(area: float | None, district: str | None, flags: str) -> None:
    model = with_range(regression(), 40.0, 120.0)
    dataset = dataset_of(model.schema, [(70.0, "hills", 1.0), (area, district, 1.0)])
    assert flags_by(model, dataset) == ["", flags]
    assert flags_by(of_tree(model), dataset) == ["", flags]


def test_an_attribute_that_the_model_does_not_ask_about_has_no_flags() -> None:
    schema = Schema((Attribute("asked", "numeric"), Attribute("other", "nominal", ("a", "b"))), HOUSES.target)
    model = model_of(schema, Inner(threshold.Split(0, 1.0), ((1.0, 1.0, 0.0), (1.0, 2.0, 0.0))))
    assert flags_by(model, dataset_of(schema, [(None, None, 1.0)])) == ["missing:asked"]


def test_an_attribute_that_stands_in_for_another_is_asked_about() -> None:
    model = regression()
    assert columns_used(model) == [0, 1]
    root_only = replace(model, tree=model.tree.collapsed(lambda node: node > 0))
    assert columns_used(root_only) == [0]
    root_only.tree.surrogates[0] = (Surrogate(multiway.Split(1, 2), (0, 1), 0.9, 0.5),)
    assert columns_used(root_only) == [0, 1]


def test_without_a_range_no_number_is_out_of_it_and_the_attribute_is_named() -> None:
    model = regression()
    assert unchecked(model) == ["area"]
    assert flags_by(model, dataset_of(model.schema, [(1e300, "hills", 1.0)])) == [""]
    assert unchecked(with_range(model, 1.0, 2.0)) == []
    assert unchecked(every_kind()) == ["size"]


def test_a_name_that_could_be_misread_stands_in_quotes() -> None:
    names = ("a;missing:b", 'say "hi"', "two\nlines")
    schema = Schema(tuple(Attribute(name, "numeric") for name in names), HOUSES.target)
    leaf = (1.0, 1.0, 0.0)
    root = Inner(
        threshold.Split(0, 1.0),
        (leaf, Inner(threshold.Split(1, 1.0), (leaf, Inner(threshold.Split(2, 1.0), (leaf, leaf))))),
    )
    (text,) = flags_by(model_of(schema, root), dataset_of(schema, [(None, None, None, 1.0)]))
    assert text == 'missing:"a;missing:b";missing:"say \\"hi\\"";missing:"two\\u{a}lines"'


def test_a_million_rows_are_flagged_column_by_column() -> None:
    # Row by row this would call into Python a million times even where there is nothing to say.
    model = with_range(regression(), 0.0, 1.0)
    n_rows = 1_000_000
    columns = [np.full(n_rows, 0.5), np.zeros(n_rows, np.int32)]
    columns[0][7], columns[1][-1] = 2.0, -1
    texts = flags_by(model, Dataset(model.schema, columns, None, np.ones(n_rows)))
    assert (len(texts), texts[7], texts[-1]) == (n_rows, "out-of-range:area", "missing:district")
    assert sum(map(bool, texts)) == 2
