"""Student's t."""

from __future__ import annotations

import pytest

from treecli.evaluate.student import mean_interval, t_quantile


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [
        # scipy 1.17.1: scipy.stats.t.ppf(0.975, freedom).
        (1, 12.7062047362),
        (2, 4.3026527297),
        (3, 3.1824463053),
        (10, 2.2281388520),
        (30, 2.0422724563),
        (120, 1.9799304051),
        (1e6, 1.9599663568),
        (1e9, 1.9599639869),
    ],
)
def test_the_quantile_is_that_of_the_table(freedom: float, quantile: float) -> None:
    assert t_quantile(freedom) == pytest.approx(quantile, rel=2e-9)


def test_the_quantile_falls_with_the_degrees_of_freedom() -> None:
    quantiles = [t_quantile(1 + step / 7) for step in range(200)]
    assert quantiles == sorted(quantiles, reverse=True)
    assert len(set(quantiles)) == len(quantiles)


def test_the_interval_lies_about_the_mean() -> None:
    # 10 and 14: mean 12, deviance 8, variance of the mean 8 / 1 / 2 = 4, so 12 ± 12.7062 · 2.
    assert mean_interval(12.0, 4.0, 1.0) == pytest.approx((-13.4124094724, 37.4124094724))
