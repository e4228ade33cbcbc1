"""The confusion matrix as a table that fits the output."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase
from typing import Any

from treecli.cli import report
from treecli.outcomes.rows import as_json, present, total
from treecli.wording import Cell

OTHER = "(other)"
"""The row for true labels that the model does not know."""

TITLE = "Rows: true class; columns: predicted class"
PAIRS_TITLE = "Confused classes, most frequent first; -f json has the whole matrix"

MOST_COLUMNS = 400
"""A matrix of more classes is wider than any terminal."""

MOST_WHOLE = 100
"""With more classes, pairs without a case are left out."""

Weights = Sequence[float]


def matrix(labels: Sequence[str], confusion: Sequence[Weights], other: Weights) -> report.Table:
    """The whole matrix with class names."""
    return _matrix(labels, labels, confusion, other, gap="")


def fitted(labels: Sequence[str], confusion: Sequence[Weights], other: Weights) -> list[report.Table]:
    """The matrix with class names, with letters and a legend, or as a list of confused pairs, whichever fits."""
    if len(labels) > MOST_COLUMNS:
        return [_pairs(labels, confusion, other)]
    named = matrix(labels, confusion, other)
    if report.fits(named):
        return [named]
    if len(labels) <= len(ascii_lowercase):
        letters = ascii_lowercase[: len(labels)]
        lettered = _matrix(letters, letters, confusion, other, gap=" ")
        if report.fits(lettered):
            return [lettered, _legend(letters, labels)]
    return [_pairs(labels, confusion, other)]


def pairs(labels: Sequence[str], confusion: Sequence[Weights], other: Weights) -> list[tuple[str, str, float]]:
    """The true class, the predicted class and the weight of the cases, for every pair of classes.

    With more than MOST_WHOLE classes, only the pairs that have cases.
    """
    rows = [*zip(labels, confusion, strict=True)]
    if total(other):
        rows.append((OTHER, other))
    if len(labels) > MOST_WHOLE:
        return [(actual, labels[code], n) for actual, counts in rows for code, n in present(counts) if n > 0]
    return [(actual, label, n) for actual, counts in rows for label, n in zip(labels, counts, strict=True)]


def listed(rows: Sequence[Weights], labels: Sequence[str]) -> list[Any]:
    """The rows of the matrix for JSON: lists, of many classes records of the cells with cases; integers if whole."""
    return [_whole(as_json(row, labels)) for row in rows]


def _whole(row: list[float] | dict[str, float]) -> list[float] | dict[str, float]:
    if isinstance(row, dict):
        return {label: int(n) if n.is_integer() else n for label, n in row.items()}
    return [int(n) if n.is_integer() else n for n in row]


def _matrix(
    names: Sequence[str], columns: Sequence[str], confusion: Sequence[Weights], other: Weights, gap: str
) -> report.Table:
    rows: list[list[Cell]] = [[name, *counts] for name, counts in zip(names, confusion, strict=True)]
    if any(other):
        rows.append([OTHER, *other])
    return report.Table(TITLE, ("", *columns), rows, gap=gap)


def _legend(letters: str, labels: Sequence[str]) -> report.Table:
    """The legend of the letters, in as many columns as fit."""
    entries = [f"{letter} = {label}" for letter, label in zip(letters, labels, strict=True)]
    for n_columns in range(len(entries), 0, -1):
        rows = [entries[start : start + n_columns] for start in range(0, len(entries), n_columns)]
        rows[-1] += [""] * (n_columns - len(rows[-1]))
        legend = report.Table("", ("",) * n_columns, rows, gap="  ")
        if report.fits(legend):
            break
    return legend


def _pairs(labels: Sequence[str], confusion: Sequence[Weights], other: Weights) -> report.Table:
    wrong = [pair for pair in pairs(labels, confusion, other) if pair[0] != pair[1] and pair[2] > 0]
    wrong.sort(key=lambda pair: -pair[2])
    return report.Table(PAIRS_TITLE, ("true class", "predicted class", "n"), wrong)
