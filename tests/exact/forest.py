"""Forests of randomForest, ranger and scikit-learn: accuracy or RMSE on ten stated splits, out of bag and on test rows.

Expected: {"task", "mtry_randomForest", "mtry_ranger", PROGRAM: {"oob" and "test", and "nodes" where known: {"runs": one
per split}}}. The test rows of split S are the first 30 % of the rows, numbered from 0, by the SHA-256 of "S:ROW".

Every program has its own habits, and treecli is given the same: see `WAYS`. A mean over the splits may differ by two
standard errors of the paired difference, plus 0.01 of accuracy, or 1 % of the RMSE or of the number of nodes.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np

from treecli.data import Attribute, Dataset
from treecli.intake import ReadOptions, read_training
from treecli.learn import learn_ensemble
from treecli.model import ForestModel
from treecli.models import predictions
from treecli.recipe import Recipe

N_TREES = 500
SLACK = 0.01
TEST_SHARE = 0.3

LIMIT = ["--min-split", "6"]
"""Both R packages stop at nodes of five cases where the target is numeric."""


def compare(data: Path, expected: dict[str, Any], scratch: Path) -> list[str]:
    """The means that differ by more than chance, one per line."""
    del scratch
    dataset = read_training(str(data), ReadOptions(), keep_identifiers=True).dataset
    found = []
    for program, way in WAYS.items():
        theirs = expected[program]
        own = way(dataset, expected)
        for score in own[0]:
            if score not in theirs:
                continue
            line = _difference(
                [run[score] for run in own], theirs[score]["runs"], is_absolute=_is_share(score, dataset)
            )
            found += [f"{program}, {score}: {line}"] if line else []
    return found


def _is_share(score: str, dataset: Dataset) -> bool:
    return score != "nodes" and dataset.schema.is_classification


def _difference(ours: list[float], theirs: list[float], *, is_absolute: bool) -> str | None:
    """How two means differ, if by more than the tolerance."""
    apart = [own - other for own, other in zip(ours, theirs, strict=True)]
    allowed = 2 * stdev(apart) / sqrt(len(apart)) + SLACK * (1 if is_absolute else fmean(theirs))
    if abs(fmean(apart)) <= allowed:
        return None
    return f"{fmean(ours):.6g}, expected {fmean(theirs):.6g} ± {allowed:.3g}"


def _random_forest(dataset: Dataset, expected: dict[str, Any]) -> list[dict[str, float]]:
    """Best subsets of labels, and the majority of votes."""
    options = ["--no-redraw", "--nominal", "subset", "--features", str(expected["mtry_randomForest"])]
    return _runs(dataset, [*options, *(["--votes", "majority"] if dataset.schema.is_classification else LIMIT)])


def _ranger(dataset: Dataset, expected: dict[str, Any]) -> list[dict[str, float]]:
    """Labels in the order in which they are declared, and the majority of votes."""
    schema = dataset.schema
    kinds = tuple(own if own.is_numeric else replace(own, kind="ordinal") for own in schema.attributes)
    ordered = replace(dataset, schema=replace(schema, attributes=kinds))
    options = ["--no-redraw", "--features", str(expected["mtry_ranger"])]
    return _runs(ordered, [*options, *(["--votes", "majority"] if schema.is_classification else LIMIT)])


def _sklearn(dataset: Dataset, expected: dict[str, Any]) -> list[dict[str, float]]:
    """A number, 0 or 1, for each label, or for one of two; the mean of the probabilities."""
    del expected
    attributes: list[Attribute] = []
    columns: list[Any] = []
    for attribute, column in zip(dataset.schema.attributes, dataset.columns, strict=True):
        if attribute.is_numeric:
            attributes.append(attribute)
            columns.append(column)
            continue
        labels = attribute.labels[1:] if len(attribute.labels) == 2 else attribute.labels
        for label in labels:
            attributes.append(Attribute(f"{attribute.name}={label}", "numeric"))
            columns.append((np.asarray(column) == attribute.code_of(label)).astype(np.float64))
    schema = replace(dataset.schema, attributes=tuple(attributes))
    return _runs(replace(dataset, schema=schema, columns=columns), ["--features", "sqrt"])


WAYS = {"randomForest": _random_forest, "ranger": _ranger, "sklearn": _sklearn}
"""The programs, each with a function that runs treecli with its settings on data as it sees them."""


def _runs(dataset: Dataset, options: list[str]) -> list[dict[str, float]]:
    """The scores of a forest on each split."""
    return [_run(dataset, split, options) for split in range(1, 11)]


def _run(dataset: Dataset, split: int, options: list[str]) -> dict[str, float]:
    order = sorted(range(dataset.n_rows), key=lambda row: hashlib.sha256(f"{split}:{row}".encode()).hexdigest())
    n_test = int(TEST_SHARE * dataset.n_rows + 0.5)
    recipe = Recipe.parse(["--forest", str(N_TREES), "--seed", str(split), *options])
    model = learn_ensemble(dataset.take(np.sort(order[n_test:])), recipe)
    assert isinstance(model, ForestModel)
    test = dataset.take(np.sort(order[:n_test]))
    predicted, truth = np.asarray(predictions(model, test)), np.asarray(test.target)
    out_of_bag = model.lineage[-1]["out_of_bag"]["error"]
    n_nodes = fmean(tree.n_nodes for tree in model.trees)
    if dataset.schema.is_classification:
        return {"oob": 1 - out_of_bag, "test": float((predicted == truth).mean()), "nodes": n_nodes}
    return {"oob": out_of_bag, "test": float(np.sqrt(((predicted - truth) ** 2).mean())), "nodes": n_nodes}
