"""Cuts from count tables: those that the scan over cases finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growing import AtRoot
from treecli.data import Attribute, Dataset, Schema
from treecli.scorers import sums
from treecli.settings import Settings


def numbers(seed: int, n_rows: int, n_classes: int, missing: float) -> Dataset:
    """Whole weights, one numeric attribute with equal and missing values."""
    random = np.random.default_rng(seed)
    x = np.floor(random.normal(size=n_rows) * 4) / 4
    x[random.random(n_rows) < missing] = np.nan
    weights = random.integers(1, 4, n_rows).astype(float)
    attributes = (Attribute("x", "numeric"),)
    if n_classes == 0:
        target = np.floor(random.normal(size=n_rows) * 8)
        return Dataset(Schema(attributes, Attribute("y", "numeric")), [x], target, weights)
    described = Attribute("y", "nominal", tuple(f"c{i}" for i in range(n_classes)))
    return Dataset(Schema(attributes, described), [x], random.integers(0, n_classes, n_rows).astype(np.int32), weights)


@given(
    seed=st.integers(0, 10_000),
    n_rows=st.integers(2, 60),
    n_classes=st.sampled_from([0, 2, 3, 12]),
    missing=st.sampled_from([0.0, 0.3]),
    changes=st.fixed_dictionaries(
        {},
        optional={
            "min_leaf": st.sampled_from([2.0, 5.0]),
            "zero_gain": st.just(False),
            "cut_cost": st.just(True),
            "branch_share": st.just(0.1),
            "value_gap": st.just(0.3),
            "counts_rows": st.just(True),
        },
    ),
)
def test_cuts_from_count_tables_are_those_from_cases(
    seed: int, n_rows: int, n_classes: int, missing: float, changes: dict[str, object]
) -> None:
    data = numbers(seed, n_rows, n_classes, missing)
    criterion = "variance" if n_classes == 0 else "gain"
    root = AtRoot(data, Settings.of(criterion=criterion, **changes))  # type: ignore[arg-type]
    (tables,) = root.engine.tables(root.level, 0)
    found = sums.cuts_of(tables, root.plan)
    expected = sums.cuts(root.level, root.level.orders[0], None, root.plan)
    assert found.gain == pytest.approx(expected.gain, abs=1e-9)
    if np.isfinite(expected.gain[0]):
        assert found.split_info == pytest.approx(expected.split_info, abs=1e-9)
        assert (found.lower, found.upper) == (expected.lower, expected.upper)
