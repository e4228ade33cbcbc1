"""Folds in a file, to share them with other programs: CSV with the columns row, run and fold, all from 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from treecli.errors import DataError, UsageError
from treecli.experiment.folds import Folds
from treecli.files import compression, guard
from treecli.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.evaluate.folds import Rows

COLUMNS = ("row", "run", "fold")


def lines_of(folds: Folds, rows: Rows | None) -> Iterator[tuple[int, int, int]]:
    """Yield row, run and fold, run by run; `rows` are the rows of the data file, from 0, or None for all of them."""
    for run in range(1, folds.repeats + 1):
        fold_of_row = folds.fold_of_row(run).tolist()
        numbers = range(len(fold_of_row)) if rows is None else rows.tolist()
        yield from ((row + 1, run, fold) for row, fold in zip(numbers, fold_of_row, strict=True))


def read_folds(path: str, n_rows: int, rows: Rows | None) -> Folds:
    """Return the folds in a file: in each run, every one of the `n_rows` rows of the data set is in one fold.

    Rows of the data file that are not in the data set, because they have no target, may be in the file or not.
    """
    import numpy as np

    place = _place_of_row(n_rows, rows)
    by_run: dict[int, NDArray[np.int64]] = {}
    for line, (row, run, fold) in _records(path):
        if row >= len(place) and rows is None:
            raise DataError(f"{path}:{line}: found row {row}, but the data has {counted(n_rows, 'row')}")
        own = by_run.setdefault(run, np.zeros(n_rows, np.int64))
        index = place[row] if row < len(place) else -1
        if index >= 0:
            if own[index]:
                raise DataError(f"{path}:{line}: found row {row} of run {run} twice, expected each row in one fold")
            own[index] = fold
    if sorted(by_run) != list(range(1, len(by_run) + 1)):
        found = ", ".join(map(str, sorted(by_run))) or "none"
        raise DataError(f"{path}: found the runs {found}, expected runs from 1 without gaps")
    n_folds = max(int(own.max()) for own in by_run.values())
    for run in sorted(by_run):
        _check_run(path, run, by_run[run], n_folds, rows)
    return Folds([by_run[run] - 1 for run in sorted(by_run)], n_folds)


def _place_of_row(n_rows: int, rows: Rows | None) -> NDArray[np.int64]:
    """Return the place in the data set of each row of the file, from 1; -1 if it is not in the data set."""
    import numpy as np

    numbers = np.arange(n_rows) if rows is None else rows
    place = np.full(int(numbers.max(initial=0)) + 2, -1, np.int64)
    place[numbers + 1] = np.arange(n_rows)
    return place


def _records(path: str) -> Iterator[tuple[int, tuple[int, int, int]]]:
    """Yield the line number, and row, run and fold, of every line."""
    import csv

    try:
        with guard.open_input(path) as stream:
            data = stream.read()
        suffix = compression.suffix_of(path)
        text = (data if suffix is None else compression.decompressed(data, suffix, path)).decode()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read as a file of folds: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: cannot be read as a file of folds: {error}") from error
    lines = csv.reader(text.splitlines())
    header = next(lines, [])
    if sorted(name.strip() for name in header) != sorted(COLUMNS):
        raise DataError(f"{path}:1: found '{','.join(header)}', expected the columns {','.join(COLUMNS)}")
    places = [[name.strip() for name in header].index(name) for name in COLUMNS]
    for number, line in enumerate(lines, start=2):
        if not line:
            continue
        try:
            row, run, fold = (int(line[place]) for place in places)
        except (ValueError, IndexError):
            row = run = fold = 0
        if min(row, run, fold) < 1:
            raise DataError(f"{path}:{number}: found '{','.join(line)}', expected three whole numbers from 1")
        yield number, (row, run, fold)


def _check_run(path: str, run: int, fold_of_row: NDArray[np.int64], n_folds: int, rows: Rows | None) -> None:
    import numpy as np

    lacking = np.flatnonzero(fold_of_row == 0)
    if len(lacking):
        first = int(lacking[0] if rows is None else rows[lacking[0]]) + 1
        others = f" (the first of {len(lacking)})" if len(lacking) > 1 else ""
        raise DataError(f"{path}: run {run}: row {first}{others} is in no fold")
    sizes = np.bincount(fold_of_row, minlength=n_folds + 1)[1:]
    if n_folds < 2:
        raise DataError(f"{path}: run {run}: found one fold, expected two or more")
    if not sizes.all():
        raise DataError(
            f"{path}: run {run}: fold {int(np.argmin(sizes)) + 1} has no rows, expected folds 1 to {n_folds}"
        )
