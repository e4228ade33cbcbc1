"""Codes that Spark sends here once: where sums depend on the order of the rows, this machine makes the passes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.errors import DataError
from treecli.grow.coded import LABEL, TARGET, WEIGHT, CodedData
from treecli.grow.level import VANISHING_SHARE

if TYPE_CHECKING:
    from pathlib import Path

    from treecli.engines._sparkcoding import ClusteredData
    from treecli.grow.candidates import Indices
    from treecli.kernels.args import Plan

ROW = "row"
COPIED_AT_ONCE = 1 << 18


def needs_order(data: ClusteredData, plan: Plan, most_rows: int) -> bool:
    """Return whether sums depend on the order of the rows: those of a numeric target, of weights or of parts of rows.

    Parts of rows are made at nodes that do not fit into memory, if values are missing.
    """
    if plan.is_numeric or not data.is_whole:
        return True
    is_lacking = any(map(data.n_missing, range(len(data.columns))))
    return plan.spreads and is_lacking and data.n_cases > most_rows


def fetched(data: ClusteredData) -> CodedData:
    """Return the same data in files of its folder, from one pass over the blocks."""
    if not data.has_arrow:
        raise DataError(
            "Spark's workers have no pyarrow, and without it rows cannot be sent here, where fractions are added",
            "install pyarrow on the workers, or use --missing branch, majority or stay, whole weights and classes",
        )
    names = [name for name in data.types if name in data.frame.columns and name != ROW]
    runs = _arrived(data, names)
    order = _in_order(runs)
    n = runs[:, 1]
    begin = np.cumsum(n) - n
    segments = [(int(begin[own[0]]), int(n[own].sum())) for own in order]
    total, classes, n_cases = 0.0, np.zeros(len(data.schema.target.labels)), 0
    low, high = np.inf, -np.inf
    if not data.is_whole:
        total = sum(float(own.sum()) for own in _read(data.folder, WEIGHT, np.float64, segments))
    least = VANISHING_SHARE * total
    for name in names:
        kind = np.dtype(data.types[name])
        with data.path(_place(data, name)).open("wb") as file:
            for own, weight in _with_weights(data, name, kind, segments):
                is_kept = slice(None) if data.is_whole else weight > least
                own[is_kept].tofile(file)
                if name != LABEL:
                    continue
                n_cases += len(own[is_kept])
                if data.schema.is_classification:
                    np.add.at(classes, own[is_kept], weight[is_kept])  # in the order of the rows
                elif len(own[is_kept]):
                    low, high = min(low, float(own[is_kept].min())), max(high, float(own[is_kept].max()))
    for name in names:
        (data.folder / f"{name}.arrived").unlink()
    of_weights = classes, data.has_weights, data.weights if data.is_whole else np.array([total])
    spread = None if data.schema.is_classification else (low, high)
    of_cases = n_cases, data.n_rows, *of_weights
    return CodedData(data.schema, data.columns, data.folder, *of_cases, is_whole=data.is_whole, target_range=spread)


def _place(data: ClusteredData, name: str) -> str | int:
    """Return the name that the file of a column of blocks has."""
    if name == LABEL:
        return LABEL if data.schema.is_classification else TARGET
    return name if name == WEIGHT else int(name[1:])


def _arrived(data: ClusteredData, names: Sequence[str]) -> Indices:
    """Write the columns in the order in which blocks arrive; return runs of rows: the first, and how many.

    Rows of a run follow each other in the source. Between them rows may lack a target.
    """
    found: list[Indices] = []
    with ExitStack() as opened:
        files = {name: opened.enter_context((data.folder / f"{name}.arrived").open("wb")) for name in names}
        with data.explained():
            for block in data.frame.select(ROW, *names).toLocalIterator(prefetchPartitions=True):
                for name, file in files.items():
                    file.write(block[name])
                rows = np.frombuffer(bytes(block[ROW]), np.int64)
                if not len(rows):
                    continue
                begin = np.concatenate([[0], np.flatnonzero(np.diff(rows) != 1) + 1])
                found.append(np.stack([rows[begin], np.diff([*begin, len(rows)])], axis=1))
    return np.concatenate([np.empty((0, 2), np.int64), *found])


def _in_order(runs: Indices) -> list[Indices]:
    """Return the runs in the order of the rows, in groups that arrived one after the other."""
    order = np.argsort(runs[:, 0], kind="stable")
    return np.split(order, np.flatnonzero(np.diff(order) != 1) + 1) if len(order) else []


def _read(folder: Path, name: str, kind: Any, segments: Sequence[tuple[int, int]]) -> Iterator[Any]:
    """Yield the values of a column in the order of the rows."""
    path, size = folder / f"{name}.arrived", np.dtype(kind).itemsize
    for begin, n in segments:
        for first in range(0, n, COPIED_AT_ONCE):
            yield np.fromfile(path, kind, min(COPIED_AT_ONCE, n - first), offset=size * (begin + first))


def _with_weights(
    data: ClusteredData, name: str, kind: Any, segments: Sequence[tuple[int, int]]
) -> Iterator[tuple[Any, Any]]:
    """Yield the values of a column, and the weights of their rows."""
    if not data.has_weights:
        for own in _read(data.folder, name, kind, segments):
            yield own, np.ones(len(own))
        return
    weights = _read(data.folder, WEIGHT, np.dtype(data.types[WEIGHT]), segments)
    yield from zip(_read(data.folder, name, kind, segments), weights, strict=True)
