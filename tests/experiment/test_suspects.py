"""Conflicting rows, identifiers and leaks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treecli.data import Attribute, Dataset, Schema
from treecli.experiment.rootscores import root_scores
from treecli.experiment.suspects import conflicts, suspects

CLASSES = Attribute("y", "nominal", ("a", "b"))


def dataset_of(target: Any, weights: list[float] | None = None, **columns: Any) -> Dataset:
    """A data set of numbers and codes; codes are named by their numbers."""
    attributes, values = [], []
    for name, column in columns.items():
        array = np.array(column)
        is_numeric = array.dtype == np.float64
        labels = () if is_numeric else tuple(map(str, range(int(array.max()) + 1)))
        attributes.append(Attribute(name, "numeric" if is_numeric else "nominal", labels))
        values.append(array if is_numeric else array.astype(np.int32))
    own = np.array(target)
    is_numeric = own.dtype == np.float64
    schema = Schema(tuple(attributes), Attribute("y", "numeric") if is_numeric else CLASSES)
    return Dataset(schema, values, own if is_numeric else own.astype(np.int32), np.array(weights or [1.0] * len(own)))


def suspicions(dataset: Dataset) -> dict[str, tuple[str, str]]:
    found = suspects(dataset, root_scores(dataset))
    return {own["name"]: (own["suspicion"], own["reason"]) for own in found}


def test_equal_rows_of_two_classes_set_the_least_error() -> None:
    # Rows 0 to 2 are equal and 2:1; missing values are equal to each other; the rest is unique.
    nan = float("nan")
    data = dataset_of([0, 0, 1, 0, 1, 1], x=[1.0, 1.0, 1.0, nan, nan, 2.0], c=[0, 0, 0, 1, 1, 1])
    assert conflicts(data) == {"rows": 5, "groups": 2, "error_floor": pytest.approx(2 / 6)}


def test_weights_count_in_the_least_error() -> None:
    data = dataset_of([0, 1, 1], [1.0, 3.0, 4.0], x=[1.0, 1.0, 2.0])
    assert conflicts(data)["error_floor"] == pytest.approx(1 / 8)


def test_the_least_error_of_a_numeric_target_is_a_root_mean_square() -> None:
    # The deviance of 1 and 3 is 2, over four rows.
    data = dataset_of([1.0, 3.0, 5.0, 5.0], x=[1.0, 1.0, 2.0, 2.0])
    assert conflicts(data) == {"rows": 2, "groups": 1, "error_floor": pytest.approx(0.5**0.5)}


def test_an_attribute_that_predicts_alone_is_a_leak() -> None:
    target = [0, 1] * 50
    noise = [float(i * 37 % 101) for i in range(100)]
    copy = [float(10 * code + i % 3) for i, code in enumerate(target)]
    found = suspicions(dataset_of(target, copy=copy, code=[1 - code for code in target], noise=noise))
    assert found == {
        "copy": ("leak", "alone it gets 100.0% of the rows right"),
        "code": ("leak", "alone it gets 100.0% of the rows right"),
    }


def test_an_attribute_that_is_wrong_in_some_rows_is_no_leak() -> None:
    target = [0, 1] * 50
    assert suspicions(dataset_of(target, x=[*target[:95], *(1 - code for code in target[95:])])) == {}


def test_a_rare_class_is_not_predicted_by_everything() -> None:
    assert suspicions(dataset_of([0] * 199 + [1], x=[0] * 100 + [1] * 100)) == {}


def test_a_linear_copy_of_a_numeric_target_is_a_leak() -> None:
    target = [float(i) for i in range(200)]
    found = suspicions(
        dataset_of(target, twice=[2 * y for y in target[::-1]][::-1], half=[float(i % 2) for i in range(200)])
    )
    assert list(found) == ["twice"]


def test_many_different_labels_and_row_numbers_are_identifiers() -> None:
    target = [0, 1] * 20
    names = [*range(38), 0, 1]
    found = suspicions(dataset_of(target, name=names, number=[float(i) for i in range(1, 41)], few=[0, 1, 2, 3] * 10))
    assert found["name"] == ("identifier", "38 of 40 values are different")
    assert found["number"] == ("identifier", "its numbers count the rows")
    assert "few" in found  # the parity of the label is the class
