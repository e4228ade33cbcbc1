"""`python -m bench.optimal`: optimal trees of 0/1 columns, beside pystreed (STreeD) on the same columns.

Both use one thread. Times are processor seconds of fitting, the best of some rounds; the errors must be equal.
"""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from math import floor
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from bench.measure import ROOT
from treecli.data import Attribute, Dataset, Schema
from treecli.grow.grow import grown
from treecli.intake import ReadOptions, read_training
from treecli.settings import Settings

DATA = ROOT / "tests" / "exact" / "fixtures" / "data"

SETS = (
    *("weka-iris", "monks-1", "monks-2", "monks-3", "mlbench-glass", "mlbench-pima", "mlbench-breastcancer-num"),
    *("edge-noise", "rdata-titanic", "kernlab-promotergene"),
)

MOST_COLUMNS = 100
"""Numeric columns are cut so that about this many columns result; labels are all kept."""

FACTOR = 2.0
"""The most that a ratio of the times may be."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.optimal", description=__doc__)
    parser.add_argument("--depths", type=int, nargs="+", default=[3, 4], help="[3 4]")
    parser.add_argument("--rounds", type=int, default=3, help="the best time of so many rounds counts [3]")
    parser.add_argument(
        "--check", action="store_true", help=f"exit code 1 if a set takes above {FACTOR:g} times pystreed's time"
    )
    given = parser.parse_args(arguments)
    if find_spec("pystreed") is None:
        print("pystreed is not installed: pip install 'treecli[bench]'", file=sys.stderr)
        return 2
    print(f"{'set':26}{'columns':>8}{'depth':>6}{'errors':>8}{'treecli s':>11}{'pystreed s':>12}{'ratio':>7}")
    totals, worst = np.zeros(2), 0.0
    for name in SETS:
        dataset = binarised(complete(DATA / f"{name}.arff"))
        for depth in given.depths:
            (errors, ours), (expected, theirs) = (
                min((fit(dataset, depth) for _ in range(given.rounds)), key=lambda run: run[1])
                for fit in (_treecli, _pystreed)
            )
            if errors != expected:
                print(f"{name}: {errors} errors at depth {depth}, pystreed has {expected}", file=sys.stderr)
                return 1
            totals += ours, theirs
            worst = max(worst, ours / theirs)
            figures = f"{len(dataset.columns):8}{depth:6}{errors:8}{ours:11.3f}{theirs:12.3f}{ours / theirs:7.2f}"
            print(f"{name:26}{figures}", flush=True)
    print(f"{'all':26}{'':22}{totals[0]:11.3f}{totals[1]:12.3f}{totals[0] / totals[1]:7.2f}")
    return int(given.check and worst > FACTOR)


def complete(path: Path) -> Dataset:
    """A data set without the rows that lack a value."""
    dataset = read_training(str(path), ReadOptions(), keep_identifiers=True).dataset
    columns = zip(dataset.schema.attributes, dataset.columns, strict=True)
    known = [column == column if attribute.is_numeric else column >= 0 for attribute, column in columns]
    return dataset.take(np.flatnonzero(np.all(known, axis=0)))


def binarised(dataset: Dataset) -> Dataset:
    """The data set with 0/1 columns: one for each label, and for some midpoints of numeric columns, evenly spaced."""
    seen = [np.unique(column) for column in dataset.columns]
    is_numeric = [attribute.is_numeric for attribute in dataset.schema.attributes]
    n_labels = sum(len(_shown(own)) for own, number in zip(seen, is_numeric, strict=True) if not number)
    most = max(1, floor((MOST_COLUMNS - n_labels) / max(sum(is_numeric), 1)))
    columns: list[Any] = []
    for column, own, number in zip(dataset.columns, seen, is_numeric, strict=True):
        if number:
            middles = (own[:-1] + own[1:]) / 2
            n = len(middles)
            if n > most:
                middles = middles[sorted({floor((i + 1) * n / (most + 1)) for i in range(most)})]
            columns += [column <= middle for middle in middles]
        else:
            columns += [column == label for label in _shown(own)]
    attributes = tuple(Attribute(f"b{i}", "numeric") for i in range(len(columns)))
    schema = Schema(attributes, dataset.schema.target)
    return Dataset(schema, [column.astype(np.float64) for column in columns], dataset.target, dataset.weights)


def _shown(labels: np.ndarray) -> np.ndarray:
    """The labels that get a column: one of two is enough."""
    return labels if len(labels) > 2 else labels[1:]


def _treecli(dataset: Dataset, depth: int) -> tuple[int, float]:
    facts: list[dict[str, Any]] = []
    begun = process_time()
    grown(dataset, Settings.of(search=f"optimal:{depth}"), jobs=1, on_facts=facts.append)
    seconds = process_time() - begun
    assert facts[0]["proved"]
    return round(facts[0]["errors"]), seconds


def _pystreed(dataset: Dataset, depth: int) -> tuple[int, float]:
    from pystreed import STreeDClassifier

    table, target = np.stack(dataset.columns, axis=1).astype(np.int32), np.asarray(dataset.target)
    model = STreeDClassifier("accuracy", max_depth=depth, time_limit=600)
    begun = process_time()
    model.fit(table, target)
    seconds = process_time() - begun
    return round((1 - model.score(table, target)) * len(target)), seconds


if __name__ == "__main__":
    sys.exit(main())
