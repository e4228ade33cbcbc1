"""Random data for worksheets: drawn until all conditions hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from treecli.errors import CheckError
from treecli.worksheets import conditions
from treecli.worksheets.conditions import Row, Shape, UnfitError

MOST_DRAWS = 10_000
"""The draws per sheet before giving up."""

BATCH = 500

HINT = "change --rows, --attributes or --seed, or take any data by --any"

MOST_DRAWS_OF_SHAPE = 200_000
"""The draws before giving up if nice data of one shape are wanted."""

N_SAMPLED = 20
USUAL_INNER, LEAST_USUAL = 3, 4
"""Sheets have trees of three inner nodes, if at least four of the sampled ones have the same of these shapes."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """The rows of a sheet as codes of labels, the class of each, and the number of draws that it took."""

    rows: tuple[Row, ...]
    classes: tuple[int, ...]
    n_draws: int
    shape: Shape | None = None


def nice(n_labels: tuple[int, ...], n_rows: int, seed: int, shape: Shape | None = None) -> Drawn:
    """Return data that are nice to compute with; raise a CheckError with the condition that failed most often.

    `shape`: the tree must have this shape, so that sheets are equally difficult.
    """
    n_before = 0
    for found in _nice(n_labels, n_rows, seed):
        if shape is None or found.shape == shape:
            return found
        n_before = found.n_draws
        if n_before > MOST_DRAWS_OF_SHAPE:
            break
    raise CheckError(f"no nice data of equal difficulty in {n_before:,} draws", HINT)


@cache
def usual_shape(n_labels: tuple[int, ...], n_rows: int) -> Shape:
    """Return the shape that many nice data of this size have, the same for every seed."""
    shapes = Counter(found.shape for found in islice(_nice(n_labels, n_rows, 0), N_SAMPLED))
    usual = [own for own in shapes.most_common() if own[0] is not None and own[0].n_inner == USUAL_INNER]
    (found, _), *_ = [*(own for own in usual if own[1] >= LEAST_USUAL), *shapes.most_common(1)]
    assert found is not None
    return found


def _nice(n_labels: tuple[int, ...], n_rows: int, seed: int) -> Iterator[Drawn]:
    """Yield nice data; raise a CheckError after MOST_DRAWS draws without any."""
    failed: Counter[str] = Counter()
    n_before = n_looked = 0  # the draws before the last nice data, and those since then that were looked at
    for n_draws, rows, classes in _draws(n_labels, n_rows, seed):
        if n_draws - n_before > MOST_DRAWS:
            break
        n_looked += 1
        try:
            shape = conditions.shape_of(rows, classes)
        except UnfitError as error:
            failed[error.condition] += 1
            continue
        yield Drawn(rows, classes, n_draws, shape)
        failed.clear()
        n_before, n_looked = n_draws, 0
    failed[conditions.SHARES] += MOST_DRAWS - n_looked
    [(condition, times)] = failed.most_common(1)
    raise CheckError(
        f"no nice data in {MOST_DRAWS:,} draws; the condition that failed most ({times:,} times): {condition}", HINT
    )


def plain(n_labels: tuple[int, ...], n_rows: int, seed: int) -> Drawn:
    """Return the first data drawn."""
    rows, classes = next(_batches(n_labels, n_rows, seed))
    return Drawn(*_as_tuples(rows[0], classes[0]), 1)


def capacity(n_labels: tuple[int, ...]) -> int:
    """Return the greatest number of rows without duplicates."""
    return prod(n_labels)


def _draws(n_labels: tuple[int, ...], n_rows: int, seed: int) -> Iterator[tuple[int, tuple[Row, ...], tuple[int, ...]]]:
    """Yield the number of a draw, its rows and its classes, if the shares of all branches of the root are simple.

    The last draw of a batch is always yielded, so that the caller can count.
    """
    is_nice = np.array(
        [[conditions.is_nice_share(part, whole) for part in range(n_rows + 1)] for whole in range(n_rows + 1)]
    )
    for batch, (rows, classes) in enumerate(_batches(n_labels, n_rows, seed)):
        is_possible = np.ones(BATCH, bool)
        for attribute, n in enumerate(n_labels):
            for label in range(n):
                is_in = rows[:, :, attribute] == label
                is_possible &= is_nice[is_in.sum(axis=1), (is_in & classes).sum(axis=1)]
        is_possible[-1] = True
        for place in np.flatnonzero(is_possible).tolist():
            yield batch * BATCH + place + 1, *_as_tuples(rows[place], classes[place])


def _batches(
    n_labels: tuple[int, ...], n_rows: int, seed: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
    """Yield batches of draws: rows without duplicates as codes of labels, and whether each is of the second class."""
    every = np.array(list(product(*map(range, n_labels))), np.int64)
    sizes = np.array([n for n in range(1, n_rows) if conditions.is_nice_share(n, n_rows)] or [n_rows // 2])
    # The raw numbers of a bit generator do not change with numpy's version, as those of its distributions may.
    bits = np.random.PCG64(np.random.SeedSequence([seed, n_rows, *n_labels]))

    def order(width: int) -> NDArray[np.int64]:
        return np.argsort(bits.random_raw(BATCH * width).reshape(BATCH, width), axis=1, kind="stable")

    while True:
        rows = every[order(len(every))[:, :n_rows]]
        size = sizes[bits.random_raw(BATCH) % np.uint64(len(sizes))]
        yield rows, order(n_rows) < size[:, np.newaxis]


def _as_tuples(rows: NDArray[np.int64], classes: NDArray[np.bool_]) -> tuple[tuple[Row, ...], tuple[int, ...]]:
    return tuple(map(tuple, rows.tolist())), tuple(map(int, classes.tolist()))
