"""Work on rows of the source inside Spark's Python workers: a summary of their columns, and blocks of codes.

Spark sends this module to its workers by value, as _sparkworker.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np

from treecli.engines._sparkworker import Work, as_block

SUMMARY = "summary binary"
ROWS_IN_BLOCK = 1 << 16
CHANGED = "treecli: the data changed"
"""A text of errors in workers: a label that was not there before."""

FAR = np.iinfo(np.int64).max


def profile(is_numeric: list[bool], target: int, weights: int | None, most_values: int) -> Work:
    """Return the work that summarizes the columns of a partition; the first column has the number of each row."""

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        columns = [_Numbers(most_values) if own else _Labels() for own in is_numeric]
        n_rows = n_labelled = n_kept = 0
        total = 0.0
        sums: dict[str, float] = {}
        strange: tuple[int, float] | None = None
        for batch in batches:
            row = batch.column(0).to_numpy()
            given = batch.columns[1:]
            has_label = _has_target(given[target], is_numeric=is_numeric[target])
            weight = np.ones(len(row)) if weights is None else _doubles(given[weights])
            is_kept = has_label & (weight > 0)
            n_rows, n_kept = n_rows + len(row), n_kept + int(is_kept.sum())
            n_labelled += int(has_label.sum())
            total += float(weight[is_kept].sum())
            for column, values in zip(columns, given, strict=True):
                column.add(values, row, has_label, is_kept)
            parts = np.flatnonzero(is_kept & (weight != np.floor(weight)))
            if len(parts) and (strange is None or row[parts[0]] < strange[0]):
                strange = int(row[parts[0]]), float(weight[parts[0]])
            if not is_numeric[target]:
                found, code = _coded(given[target])
                own = np.bincount(code[is_kept], weight[is_kept], len(found))
                for label, sum_ in zip(found, own.tolist(), strict=True):
                    sums[label] = sums.get(label, 0.0) + sum_
        summary = {
            "n": (n_rows, n_labelled, n_kept),
            "columns": [column.summary() for column in columns],
            "sums": sums,
            "strange": strange,
            "weight": total,
        }
        yield pa.RecordBatch.from_arrays([pa.array([pickle.dumps(summary)], pa.binary())], ["summary"])

    return work


class _Labels:
    """The labels of a column: the first row of each, and the number of its rows with a class."""

    def __init__(self) -> None:
        self.first: dict[str, int] = {}
        self.n_labelled: dict[str, int] = {}
        self.n_missing = [0, 0]

    def add(self, values: Any, row: Any, has_label: Any, is_kept: Any) -> None:
        words, code = _coded(values)
        is_known = code >= 0
        self.n_missing[0] += int((~is_known).sum())
        self.n_missing[1] += int((~is_known & has_label).sum())
        first = np.full(len(words), FAR)
        np.minimum.at(first, code[is_known], row[is_known])
        n = np.bincount(code[is_known & has_label], minlength=len(words))
        for word, own, n_own in zip(words, first.tolist(), n.tolist(), strict=True):
            self.first[word] = min(self.first.get(word, FAR), own)
            self.n_labelled[word] = self.n_labelled.get(word, 0) + n_own

    def summary(self) -> Any:
        words = list(self.first)
        return self.n_missing, words, [self.first[own] for own in words], [self.n_labelled[own] for own in words]


class _Numbers:
    """The numbers of a column: the range of all rows and of the cases, and the distinct ones, None if many."""

    def __init__(self, most_values: int) -> None:
        self.most_values = most_values
        self.distinct: Any = np.empty(0)
        self.range = [np.inf, -np.inf]
        self.range_of_cases = [np.inf, -np.inf]
        self.n_missing = [0, 0]

    def add(self, values: Any, row: Any, has_label: Any, is_kept: Any) -> None:
        numbers = _doubles(values)
        is_known = numbers == numbers
        self.n_missing[0] += int((~is_known).sum())
        self.n_missing[1] += int((~is_known & has_label).sum())
        for known, to in ((numbers[is_known], self.range), (numbers[is_known & is_kept], self.range_of_cases)):
            if len(known):
                to[0], to[1] = min(to[0], float(known.min())), max(to[1], float(known.max()))
        if self.distinct is not None:
            distinct = np.unique(np.concatenate([self.distinct, np.unique(numbers[is_known])]))
            self.distinct = distinct if len(distinct) <= self.most_values else None

    def summary(self) -> Any:
        return self.n_missing, self.range, self.range_of_cases, self.distinct


def _numpy(values: Any) -> Any:
    return values.to_numpy(zero_copy_only=False)


def _doubles(values: Any) -> Any:
    """Return numbers, NaN for a null."""
    return np.asarray(_numpy(values), np.float64)


def _coded(values: Any) -> tuple[list[str], Any]:
    """Return the distinct texts, and the place of each row's among them, -1 for a null."""
    found = values.dictionary_encode()
    return found.dictionary.to_pylist(), _numpy(found.indices.fill_null(-1)).astype(np.int64)


def _has_target(values: Any, *, is_numeric: bool) -> Any:
    """Return whether each row has a class, or a number."""
    if not is_numeric:
        return ~_numpy(values.is_null())
    numbers = _doubles(values)
    return numbers == numbers


def encode(
    coders: list[Any], target: dict[str, int] | None, places: tuple[int, int | None], code_type: str, weight_type: str
) -> Work:
    """Return the work that turns rows into blocks: row numbers, classes, weights if any, and the columns.

    A coder is (place, code of each label, number of codes, None) or (place, None, number of codes, (values, joins)),
    where `values` are the distinct numbers, None if they stay as they are, and `joins` says which values at infinity
    are one. `places` are those of the target and of the weights; `target` is None if it is numeric.
    """
    at_target, at_weights = places

    def columns_of(batch: Any) -> list[Any]:
        given = batch.columns[1:]
        if target is None:
            own = _doubles(given[at_target])
            is_kept = own == own
        else:
            words, code = _coded(given[at_target])
            own = np.array([*_known(words, target), -1])[code]
            is_kept = own >= 0
            own = own.astype(code_type)
        weight = None if at_weights is None else _doubles(given[at_weights])
        if weight is not None:
            is_kept = is_kept & (weight > 0)
        found = [batch.column(0).to_numpy()[is_kept], own[is_kept]]
        if weight is not None:
            found.append(weight[is_kept].astype(weight_type))
        return [*found, *(_encoded(given[coder[0]], coder, is_kept, code_type) for coder in coders)]

    names = ["row", "class", *(["weight"] if at_weights is not None else [])]
    names += [f"c{place}" for place in range(len(coders))]

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        pending: list[list[Any]] = []
        n_pending = 0
        for batch in batches:
            pending.append(columns_of(batch))
            n_pending += len(pending[-1][0])
            if n_pending >= ROWS_IN_BLOCK:
                yield as_block([np.concatenate(own) for own in zip(*pending, strict=True)], names)
                pending, n_pending = [], 0
        if n_pending:
            yield as_block([np.concatenate(own) for own in zip(*pending, strict=True)], names)

    return work


def _known(words: list[str], code_of: dict[str, int]) -> list[int]:
    """Return the codes of labels."""
    codes = [code_of.get(word, -1) for word in words]
    if -1 in codes:
        raise ValueError(CHANGED)
    return codes


def _encoded(values: Any, coder: Any, is_kept: Any, code_type: str) -> Any:
    _, code_of, n_codes, numbers = coder
    if numbers is None:
        words, code = _coded(values)
        if n_codes is None:
            return np.array([*_known(words, code_of), np.nan])[code][is_kept]
        return np.array([*_known(words, code_of), n_codes])[code][is_kept].astype(code_type)
    distinct, joins = numbers
    own = prepared(_doubles(values)[is_kept], *joins)
    if distinct is None:
        return own
    return np.where(own != own, n_codes, np.searchsorted(distinct, own)).astype(code_type)


def prepared(values: Any, has_lowest: bool, has_highest: bool) -> Any:
    """Return numbers with those joined that no finite threshold separates."""
    if has_lowest:
        values = np.where(values == -np.finfo(np.float64).max, -np.inf, values)
    return values + 0.0 if has_highest else values  # 0 for -0
