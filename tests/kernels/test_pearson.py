"""Pearson's chi-square test against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2 as chi2_distribution
from scipy.stats import chi2_contingency

from tests.conftest import examples
from tests.datasets import dataset_of
from tests.growing import candidates_at_root, datasets
from treecli.data import Attribute, Dataset, Schema
from treecli.kernels import pearson
from treecli.settings import Settings


def p_values(statistics: list[float], freedom: list[int]) -> np.ndarray:
    out = np.empty(len(statistics))
    pearson.p_values(np.array(statistics, np.float64), np.array(freedom, np.int64), out)
    return out


# From tables of the distribution: the 95 % points for 1, 2 and 10 degrees of freedom, and the median for 1.
@pytest.mark.parametrize(
    ("statistic", "freedom", "p"), [(3.841459, 1, 0.05), (5.991465, 2, 0.05), (18.307038, 10, 0.05), (0.454936, 1, 0.5)]
)
def test_points_of_the_printed_tables(statistic: float, freedom: int, p: float) -> None:
    assert p_values([statistic], [freedom])[0] == pytest.approx(p, abs=1e-6)


@given(st.lists(st.tuples(st.floats(0, 5000), st.integers(1, 3000)), min_size=1, max_size=10))
def test_p_values_are_those_of_scipy(pairs: list[tuple[float, int]]) -> None:
    statistics, freedom = (list(part) for part in zip(*pairs, strict=True))
    np.testing.assert_allclose(
        p_values(statistics, freedom), chi2_distribution.sf(statistics, freedom), rtol=1e-8, atol=1e-12
    )


@pytest.mark.parametrize("freedom", [1, 2, 7, 40])
def test_small_p_values_keep_their_precision(freedom: int) -> None:
    statistics = [freedom + 50.0, freedom + 400.0, freedom + 1200.0]
    expected = chi2_distribution.sf(statistics, freedom)
    np.testing.assert_allclose(p_values(statistics, [freedom] * 3), expected, rtol=1e-10)


def test_without_freedom_nothing_is_significant() -> None:
    assert p_values([0.0, 5.0], [0, 0]).tolist() == [1.0, 1.0]


def test_no_association_has_a_p_value_of_one() -> None:
    assert p_values([0.0], [3])[0] == 1.0


def observed(dataset: Dataset) -> np.ndarray:
    """Branch × class weights of the known values of the first attribute, without empty rows and columns."""
    assert dataset.target is not None
    shape = len(dataset.schema.attributes[0].labels), len(dataset.schema.target.labels)
    table = np.zeros(shape)
    for code, class_code, weight in zip(dataset.columns[0], dataset.target, dataset.weights, strict=True):
        if code >= 0:
            table[code, class_code] += weight
    return table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]


@settings(max_examples=examples(60))
@given(datasets(["nominal"], n_classes=st.integers(2, 10), weights=st.integers(1, 8).map(float), with_missing=True))
def test_the_statistic_of_a_multiway_split_is_that_of_scipy(dataset: Dataset) -> None:
    found = candidates_at_root(dataset, 0, Settings.of(criterion="gain", chi2_alpha=0.5))
    table = observed(dataset)
    if not np.isfinite(found.gain[0]) or min(table.shape) < 2:
        return
    expected = chi2_contingency(table, correction=False)
    assert found.test.chi2[0] == pytest.approx(expected.statistic, abs=1e-9)
    assert found.test.freedom[0] == expected.dof
    assert found.test.p_values()[0] == pytest.approx(expected.pvalue, abs=1e-9)


def test_classes_and_labels_that_do_not_occur_give_no_freedom() -> None:
    schema = Schema(
        (Attribute("x", "nominal", ("a", "never", "b", "c")),), Attribute("y", "nominal", ("no", "never", "yes"))
    )
    rows = [("a", "yes"), ("b", "no"), ("c", "yes"), ("c", "no")]
    found = candidates_at_root(dataset_of(schema, rows), 0, Settings.of(criterion="gain", chi2_alpha=0.5))
    # Three labels and two classes: (3 - 1)(2 - 1). Expected 0.5, 0.5 | 0.5, 0.5 | 1, 1: statistic 4 · 0.5²/0.5 = 2.
    assert (found.test.chi2[0], found.test.freedom[0]) == (pytest.approx(2.0), 2)
