"""Data against what a model remembers of its training data."""

from __future__ import annotations

from math import erfc

import numpy as np
import pytest

from treecli.data import MISSING, UNSEEN, Attribute
from treecli.experiment.drift import column_drift, shift


def test_shares_of_numbers_outside_the_training_range() -> None:
    attribute = Attribute("x", "numeric", range=(0.0, 10.0))
    assert column_drift(attribute, np.array([-1.0, 0.0, 10.0, 11.0, np.nan])) == {
        "name": "x",
        "kind": "numeric",
        "missing": pytest.approx(0.2),
        "min": -1.0,
        "max": 11.0,
        "training_min": 0.0,
        "training_max": 10.0,
        "outside": 0.4,
    }
    unknown = column_drift(Attribute("x", "numeric"), np.array([np.nan]))
    assert (unknown["outside"], unknown["min"], unknown["missing"]) == (None, None, 1.0)


def test_shares_of_unseen_labels() -> None:
    attribute = Attribute("c", "nominal", ("a",))
    found = column_drift(attribute, np.array([0, UNSEEN, UNSEEN, MISSING], np.int32))
    assert (found["unseen"], found["missing"]) == (0.5, 0.25)


def test_equal_shares_are_no_shift() -> None:
    found = shift(np.array([30.0, 60.0, 0.0]), np.array([10.0, 20.0, 0.0]))
    assert found["chi2"] == pytest.approx(0)
    assert (found["chi2_df"], found["chi2_p"]) == (1, pytest.approx(1))
    assert abs(found["psi"]) < 0.01


def test_a_shift_of_shares() -> None:
    # Expected counts are 35 and 65 twice. With one degree of freedom the p-value is erfc(sqrt(chi2 / 2)).
    found = shift(np.array([50.0, 50.0]), np.array([20.0, 80.0]))
    assert found["chi2"] == pytest.approx(2 * 15**2 / 35 + 2 * 15**2 / 65)
    assert found["chi2_p"] == pytest.approx(erfc((found["chi2"] / 2) ** 0.5))
    # With half a case added to every count: shares 0.5 and 20.5 / 101.
    new = 20.5 / 101
    expected = (new - 0.5) * np.log(new / 0.5) + (0.5 - new) * np.log((1 - new) / 0.5)
    assert found["psi"] == pytest.approx(expected)


def test_a_single_class_cannot_shift() -> None:
    assert shift(np.array([5.0]), np.array([3.0])) == {"psi": 0.0, "chi2": 0.0, "chi2_df": 0, "chi2_p": 1.0}
