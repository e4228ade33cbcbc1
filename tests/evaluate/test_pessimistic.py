from __future__ import annotations

import numpy as np
import pytest

from treecli.evaluate.pessimistic import normal_quantile, with_added


@pytest.mark.parametrize(
    ("weight", "errors", "added"),
    [
        # By the formula of release 8 of C4.5: N (1 - 0.25^(1/N)) without an error; 0.67 (N - e) where e + 1/2 is N
        # or more; Wilson's limit with z = 0.6925 otherwise, and the line between 0 and 1 for fractions of an error.
        (1, 0, 0.75),
        (4, 0, 1.1716),
        (9, 0, 1.2848),
        (16, 1, 1.5069),
        (7, 1, 1.3667),
        (7, 3, 1.3862),
        (5, 2, 1.2396),
        (14, 5, 1.7950),
        (2, 0.5, 0.8981),
        (2, 1, 0.7962),
        # Most cases are wrong, as they may be under a rule but never at a leaf.
        (3, 2.8, 0.1340),
        (2, 2, 0.0),
    ],
)
def test_the_errors_of_cases_are_estimated_for_any_share_of_wrong_ones(
    weight: float, errors: float, added: float
) -> None:
    expected = with_added(np.array([weight, 1.0]), np.array([errors, 0.0]), 0.25, is_c45=True)
    assert expected[0] == pytest.approx(errors + added, abs=5e-5)
    assert expected[1] == pytest.approx(0.75)


def test_the_quantile_is_interpolated_as_c45_does_or_exact() -> None:
    # Halfway from 0.84 at 0.20 to 0.25 at 0.40 lies 0.545 at 0.30; a quarter of the way 0.6925 at 0.25.
    assert normal_quantile(0.25, is_c45=True) == pytest.approx(0.6925)
    assert normal_quantile(0.25, is_c45=False) == pytest.approx(0.674490, abs=1e-6)
    assert normal_quantile(1.0, is_c45=False) == 0.0
