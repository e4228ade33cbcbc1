"""Permutation importance."""

from __future__ import annotations

from statistics import fmean, stdev

import numpy as np
import pytest

from treecli.data import Attribute, Dataset, Schema
from treecli.evaluate.permutation import Loss, permutation_losses

SCHEMA = Schema(
    (Attribute("x", "numeric"), Attribute("z", "numeric")),
    Attribute("y", "numeric"),
)


def rows(n: int = 40) -> Dataset:
    x = np.arange(n, dtype=np.float64)
    return Dataset(SCHEMA, [x, x[::-1].copy()], x, np.arange(n) + 1.0)


def agreement(dataset: Dataset) -> float:
    """The weight of the rows whose x is its old place."""
    assert dataset.target is not None
    return float(dataset.weights[dataset.columns[0] == dataset.target].sum() / dataset.weights.sum())


def test_only_the_asked_columns_are_shuffled_and_the_others_lose_nothing() -> None:
    first, second = permutation_losses(rows(), agreement, [0], repeats=5, seed=1)
    assert first.mean > 0.8
    assert first.sd is not None
    assert second == Loss(0.0, 0.0)


def test_the_loss_is_the_mean_over_repeats_with_seeds_of_their_own() -> None:
    dataset = rows()
    orders = [np.random.default_rng([7, 0, repeat]).permutation(40) for repeat in range(4)]
    weights = dataset.weights / dataset.weights.sum()
    losses = [1 - float(weights[order == np.arange(40)].sum()) for order in orders]
    (found, _) = permutation_losses(dataset, agreement, [0], repeats=4, seed=7)
    assert found.mean == pytest.approx(fmean(losses))
    assert found.sd == pytest.approx(stdev(losses))


def test_the_number_of_threads_changes_nothing() -> None:
    one, four = (permutation_losses(rows(), agreement, [0, 1], repeats=6, seed=3, jobs=jobs) for jobs in (1, 4))
    assert one == four


def test_a_single_repeat_has_no_standard_deviation() -> None:
    assert [loss.sd for loss in permutation_losses(rows(), agreement, [0], repeats=1, seed=0)] == [None, None]
