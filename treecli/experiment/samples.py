"""Samples of the rows of a data set: drawn with or without replacement, or given as counts in a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treecli.errors import DataError
from treecli.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import Dataset
    from treecli.evaluate.folds import Rows

BOOTSTRAP, SUBSAMPLE = "bootstrap", "subsample"

SAMPLERS = (BOOTSTRAP, SUBSAMPLE)
"""With replacement, as many rows as there are; or a share of them without."""

USUAL_SHARE = 0.632
"""The expected share of the rows that a bootstrap sample has."""


def drawn(dataset: Dataset, n_samples: int, seed: int, share: float | None = None) -> list[Rows]:
    """Return the rows of each sample in the order of the data: a bootstrap sample, or a share without replacement.

    Rows without a target or with a weight of 0 are in no sample, because nothing is learned from them. Each sample has
    a seed of its own, so the first samples of a longer list are the same.
    """
    import numpy as np

    assert dataset.target is not None
    is_known = dataset.target == dataset.target if dataset.schema.target.is_numeric else dataset.target >= 0
    useful = np.flatnonzero(is_known & (dataset.weights > 0))
    samples = []
    for number in range(n_samples):
        random = np.random.default_rng([seed, number])
        if share is None:
            places = random.integers(0, len(useful), len(useful))
        else:
            places = random.permutation(len(useful))[: max(round(share * len(useful)), 1)]
        samples.append(useful[np.sort(places)])
    return samples


def given(path: str, n_rows: int, rows: Rows | None, cells: Sequence[Sequence[str]]) -> list[Rows]:
    """Return the samples of a file: a line for each row of the data, and a column for each sample, with the number of
    times that the sample has the row.

    `rows` are the rows of the data file that the data set has, or None for all of them.
    """
    import numpy as np

    counts = _counts(path, cells)
    if rows is not None and len(counts) > n_rows and len(counts) > int(rows.max()):
        counts = counts[rows]
    if len(counts) != n_rows:
        raise DataError(
            f"{path}: found {counted(len(counts), 'line')} below the header, expected one for each of "
            f"{counted(n_rows, 'row')} of the data"
        )
    empty = np.flatnonzero(counts.sum(axis=0) == 0)
    if len(empty):
        raise DataError(f"{path}: the sample in column {int(empty[0]) + 1} has no rows")
    return [np.repeat(np.arange(n_rows), counts[:, sample]) for sample in range(counts.shape[1])]


def _counts(path: str, cells: Sequence[Sequence[str]]) -> NDArray[np.int64]:
    import numpy as np

    for line, row in enumerate(cells, start=2):
        for text in row:
            if not text.strip().isdecimal():
                raise DataError(f"{path}:{line}: found '{text}', expected a whole number of 0 or more")
    if not cells:
        raise DataError(f"{path}: found no line below the header")
    return np.array([[int(text) for text in row] for row in cells], np.int64)
