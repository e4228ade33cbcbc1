"""Derived columns in schemas, data sets and model files."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.contracts.members.features.literals import Feature as Literals
from tests.contracts.members.features.weighted import Feature as Weighted
from tests.example_models import Inner, grown
from tests.features.derived import with_features
from treecli.data import Attribute, Dataset, Schema
from treecli.errors import ModelError
from treecli.model import TreeModel
from treecli.models import decode, encode
from treecli.predict.predict import columns_used, predictions
from treecli.settings import Settings
from treecli.splits import threshold

__all__ = ["with_features"]

A, B, C = Attribute("a", "numeric"), Attribute("b", "numeric"), Attribute("c", "nominal", ("x", "y", "z"))
SCHEMA = Schema((A, B, C), Attribute("t", "nominal", ("no", "yes")))
SUM, COUNT = Weighted(((2.0, 0), (-1.0, 1))), Literals(((0, 0.5), (2, (0, 2))))


def model() -> TreeModel:
    """2 a - b <= 1? Then, above it: how many of a > 0.5 and c in {x, z} hold?"""
    schema = SCHEMA.with_features([SUM, COUNT])
    below = Inner(threshold.Split(4, 1.0), ((3.0, 1.0), (0.0, 5.0)))
    tree = grown(schema, Inner(threshold.Split(3, 1.0), ((4.0, 0.0), below)))
    return TreeModel(schema, Settings(), (), tree)


def rows(schema: Schema) -> Dataset:
    columns = [
        np.array([1.0, 1.0, 1.0, np.nan, 0.5]),
        np.array([1.0, 0.0, 0.0, 0.0, -1.0]),
        np.array([0, 0, 1, 0, -2], np.int32),
    ]
    return Dataset(schema, columns, None, np.ones(5))


def document(own: TreeModel) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(b"".join(encode(own)))
    return found


def test_derived_columns_follow_the_attributes() -> None:
    schema = SCHEMA.with_features([SUM, COUNT])
    assert [column.name for column in schema.columns] == [
        "a",
        "b",
        "c",
        "2 * a + -1 * b",
        "count of {a > 0.5, c in {x, z}}",
    ]
    assert schema.attributes == SCHEMA.attributes
    assert schema.inputs([3]) == [0, 1]
    assert schema.inputs([4, 1]) == [0, 1, 2]


def test_a_derived_column_has_a_name_of_its_own() -> None:
    schema = replace(SCHEMA, attributes=(*SCHEMA.attributes, Attribute("2 * a + -1 * b", "numeric")))
    assert [column.name for column in schema.with_features([SUM, SUM]).derived] == [
        "2 * a + -1 * b (2)",
        "2 * a + -1 * b (3)",
    ]


def test_a_data_set_computes_its_derived_columns() -> None:
    dataset = rows(SCHEMA.with_features([SUM, COUNT]))
    np.testing.assert_equal(dataset.column(3), [1.0, 2.0, 2.0, np.nan, 2.0])
    np.testing.assert_equal(dataset.column(4), [2.0, 2.0, 1.0, np.nan, np.nan])
    assert dataset.column(3) is dataset.column(3)
    assert dataset.take(np.array([4, 1])).column(3).tolist() == [2.0, 2.0]
    whole = dataset.with_derived_columns()
    assert [attribute.name for attribute in whole.schema.attributes] == [c.name for c in dataset.schema.columns]
    np.testing.assert_equal(whole.columns[3], dataset.column(3))


@pytest.mark.usefixtures("with_features")
def test_a_model_with_derived_columns_reads_back_as_the_same_bytes_and_predicts() -> None:
    text = b"".join(encode(model()))
    read = decode(text, "m.json")
    assert isinstance(read, TreeModel)
    assert b"".join(encode(read)) == text
    # 2 a - b is 1, 2, 2, missing and 2, the count 2, 2, 1, missing and missing (an unseen label). The fourth row goes
    # down all branches: 4/13 no, and of the other 9/13 no in 4/9 * 3/4; the fifth is no only by the latter.
    assert predictions(read, rows(SCHEMA)).tolist() == [0, 1, 0, 0, 1]
    assert columns_used(read) == [0, 1, 2]


def test_a_model_without_derived_columns_does_not_mention_them() -> None:
    tree = grown(SCHEMA, Inner(threshold.Split(0, 1.0), ((4.0, 0.0), (0.0, 5.0))))
    own = document(TreeModel(SCHEMA, Settings(), (), tree))
    assert "derived" not in own["schema"]
    assert "splits" not in own["settings"]


@pytest.mark.usefixtures("with_features")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "wieghted"}, "derived column 1: unknown kind 'wieghted' (known: linear, mofn, weighted, literals)"),
        ({"kind": None}, "derived column 1: unknown kind None (known: linear, mofn, weighted, literals)"),
        ({"name": ""}, "derived column 1: needs a 'name'"),
        ({"name": "b"}, "the name of a derived column stands twice"),
        ({"terms": [[1.0, "d"]]}, "derived column 1: 'terms' must be pairs of a number and an attribute"),
        ({"terms": [[1.0, "c"]]}, "derived column 1: 'c' is not numeric, which does not fit the expression"),
        ({"terms": [[1e400, "a"]]}, "Number out of range"),
        ({"name": "another"}, "node 0: splits on '2 * a + -1 * b', which the schema does not hold"),
    ],
)
def test_a_wrong_derived_column_is_refused(change: dict[str, Any], message: str) -> None:
    own = document(model())
    own["schema"]["derived"][0] |= change
    text = json.dumps(own).replace("Infinity", "1e400")
    with pytest.raises(ModelError) as error:
        decode(text.encode(), "m.json")
    assert message in str(error.value)


def test_columns_that_no_split_asks_about_go() -> None:
    own = model()
    smaller = replace(own, tree=own.tree.collapsed(lambda node: node > 0)).without_unused()
    assert [column.name for column in smaller.schema.derived] == ["2 * a + -1 * b"]
    assert own.without_unused() is own
    swapped = replace(own, schema=SCHEMA.with_features([COUNT, SUM, COUNT]))
    swapped.tree.attribute[:] = type(own.tree.attribute)("i", [4, -1, 5, -1, -1])
    kept = swapped.without_unused()
    assert [kept.schema.columns[index].name for index in kept.tree.attribute if index >= 0] == [
        "2 * a + -1 * b",
        "count of {a > 0.5, c in {x, z}} (2)",
    ]
    assert predictions(kept, rows(SCHEMA)).tolist() == [0, 1, 0, 0, 1]
