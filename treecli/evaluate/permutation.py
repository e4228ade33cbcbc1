"""Permutation importance: how much worse a model predicts when the values of one attribute are shuffled (Breiman 2001).

Shuffling breaks the relation of the attribute to the target and to the other attributes, but keeps its distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from treecli.threads import Shared

if TYPE_CHECKING:
    from treecli.data import Dataset


@dataclass(frozen=True, slots=True)
class Loss:
    """The loss by shuffling one attribute: the mean over the repeats, and their standard deviation, None for one."""

    mean: float
    sd: float | None


def permutation_losses(
    dataset: Dataset,
    score: Callable[[Dataset], float],
    columns: Iterable[int],
    *,
    repeats: int,
    seed: int,
    jobs: int | None = None,
) -> list[Loss]:
    """Return the loss of each attribute: the score of the rows less that of the rows with this attribute shuffled.

    Only `columns` are shuffled; the model does not use the others, so their loss is 0. Each shuffle has a seed of its
    own, so the result does not depend on `jobs` or on the other columns.
    """
    best = score(dataset)
    tasks = [(column, repeat) for column in columns for repeat in range(repeats)]

    def loss(task: tuple[int, int]) -> float:
        return best - score(_shuffled(dataset, *task, seed))

    with Shared(jobs) as threads:
        found = list(threads.map(loss, tasks))
    losses = [Loss(0.0, 0.0 if repeats > 1 else None)] * len(dataset.columns)
    for begin in range(0, len(tasks), repeats):
        own = found[begin : begin + repeats]
        losses[tasks[begin][0]] = Loss(fmean(own), stdev(own) if repeats > 1 else None)
    return losses


def _shuffled(dataset: Dataset, column: int, repeat: int, seed: int) -> Dataset:
    import numpy as np

    order = np.random.default_rng([seed, column, repeat]).permutation(dataset.n_rows)
    columns = list(dataset.columns)
    columns[column] = columns[column][order]
    return replace(dataset, columns=columns)
