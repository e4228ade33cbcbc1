"""The branches of a split at a node: their labels, and the outcomes of the cases in each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.wording import quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import Dataset, Schema
    from treecli.splits import Split

MISSING_LABEL = "missing"
OR_MISSING = f" or {MISSING_LABEL}"
UNKNOWN = -1

MEDIAN_SLACK = 1e-9
"""As in the learner: half of the weight up to rounding."""


def labels(split: Split, schema: Schema) -> list[str]:
    """Return the condition of every branch without the attribute's name."""
    attribute = schema.columns[split.attribute]
    wordings = [split.condition(branch, schema).wording(attribute) for branch in range(split.n_branches())]
    return [text.removeprefix(f"{quoted(attribute.name)} ").removeprefix("= ") for text in wordings]


def title(split: Split, schema: Schema) -> str:
    """Return the name of a split: that of its attribute, with the first condition if there are several splits on it."""
    attribute = schema.columns[split.attribute]
    if split.KIND == "multiway":
        return quoted(attribute.name)
    return split.condition(0, schema).wording(attribute)


def branch_of_case(split: Split, values: NDArray[np.float64] | NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the branch of each value, UNKNOWN where it is missing."""
    if split.table:
        table = np.array([*split.table, UNKNOWN])
        return np.asarray(table[np.where(values < 0, len(table) - 1, values)], np.int64)
    is_known = values == values if values.dtype.kind == "f" else values >= 0
    if split.KIND == "known":
        return np.where(is_known, 0, UNKNOWN)
    return np.where(is_known, np.searchsorted((split.number, *split.further), values, side="left"), UNKNOWN)


def with_side(split: Split, side: int, values: NDArray[Any], schema: Schema) -> tuple[NDArray[np.int64], list[str]]:
    """Return the branch of each value and the labels of the branches; missing values take branch `side`.

    A side after the last branch is one of their own; UNKNOWN: they take none.
    """
    branch, texts = branch_of_case(split, values), labels(split, schema)
    if side >= 0 and (branch == UNKNOWN).any():
        branch = np.where(branch == UNKNOWN, side, branch)
        if side < len(texts):
            texts[side] += OR_MISSING
        else:
            texts.append(MISSING_LABEL)
    return branch, texts


def values_of(dataset: Dataset, attribute: int, rows: NDArray[np.int32]) -> NDArray[np.float64] | NDArray[np.int32]:
    """Return the values of an attribute in some rows; ordinal labels as positions, NaN where missing."""
    values: NDArray[Any] = np.asarray(dataset.column(attribute))[rows]
    if dataset.schema.columns[attribute].kind == "ordinal":
        return np.where(values < 0, np.nan, values).astype(np.float64)
    return values


def outcomes(
    branch: NDArray[np.int64],
    n: int,
    dataset: Dataset,
    rows: NDArray[np.int32],
    weights: NDArray[np.float64],
    *,
    is_median: bool = False,
) -> NDArray[np.float64]:
    """Return the outcomes of n branches: class weights, or weight, mean and squared deviations of the target.

    `is_median`: weight, median and absolute deviations instead.
    """
    assert dataset.target is not None
    target = dataset.target[rows]
    is_in = branch >= 0
    if dataset.schema.is_classification:
        n_classes = len(dataset.schema.target.labels)
        place = branch[is_in] * n_classes + target[is_in]
        return np.asarray(np.bincount(place, weights[is_in], n * n_classes).reshape(n, n_classes), np.float64)
    branch, target, weights = branch[is_in], target[is_in], weights[is_in]
    if is_median:
        return np.array([_about_median(target[branch == own], weights[branch == own]) for own in range(n)])
    weight = np.bincount(branch, weights, n)
    # About one of their values: means are rounded, and equal large numbers would deviate from theirs.
    near = np.zeros(n)
    near[branch] = target
    away = target - near[branch]
    shift = np.bincount(branch, weights * away, n) / np.maximum(weight, np.finfo(float).tiny)
    squares = np.bincount(branch, weights * (away - shift[branch]) ** 2, n)
    return np.stack([weight, near + shift, squares], axis=1)


def _about_median(target: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return the weight of some cases, their median, and the sum of the absolute deviations from it."""
    if not len(target):
        return 0.0, 0.0, 0.0
    order = np.argsort(target, kind="stable")
    passed, total = np.cumsum(weights[order]), float(weights.sum())
    place = int(np.searchsorted(passed, total / 2 - MEDIAN_SLACK))
    median = float(target[order[place]])
    if passed[place] <= total / 2 + MEDIAN_SLACK and place + 1 < len(order):
        median = (median + float(target[order[place + 1]])) / 2
    return total, median, float((weights * np.abs(target - median)).sum())
