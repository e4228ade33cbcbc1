"""How much work growing a tree is, counted in steps and not in seconds, so that any machine finds the same.

A step is a line of treecli that Python runs, with the kernels uncompiled: `python -m tests.test_steps` counts them in a
process of its own, those of the kernels apart from all others. Trees have a fixed depth, so that the work for each row
is the same and what is left is how it grows.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import treecli
from treecli.data import MISSING, Attribute, Dataset, Schema
from treecli.grow.grow import grow
from treecli.kernels import UNCOMPILED_VARIABLE
from treecli.settings import Settings

PACKAGE = str(Path(treecli.__file__).parent) + os.sep
KERNELS = PACKAGE + "kernels" + os.sep

FEW, MANY = 150, 600
"""Rows: MANY are four times FEW."""

DEPTH = 3

# Kernel steps for MANY rows, counted once, and by how much they may grow: more is a slower kernel, or a reason to
# write a new number here and to say why.
STATED = {
    "numbers": 188_000,
    "missing values": 428_000,
    "labels": 382_000,
    "numeric target": 208_000,
    "absolute error": 885_000,
}
MAY_GROW = 1.25

LABELS = (200, 800)
"""Labels of two rows each, which are split off one by one."""


def rows_for(n_rows: int, case: str) -> Dataset:
    """Rows whose target needs three tests, of the kind of the case."""
    # Arithmetic and not a generator, whose numbers may differ between versions of numpy.
    row = np.arange(n_rows)
    columns: list[np.ndarray] = [(row * factor % 9973).astype(np.float64) for factor in (7919, 6007, 4001, 3001)]
    attributes = [Attribute(f"x{index}", "numeric") for index in range(len(columns))]
    is_high = [column > np.median(column) for column in columns]
    codes = (is_high[0] ^ (is_high[1] & is_high[2]) ^ (row % 10 == 0)).astype(np.int32)
    if case == "missing values":
        columns[1][row % 7 == 0] = np.nan
    if case == "labels":
        labels = tuple("abcdefgh")
        columns[1:] = [(column % len(labels)).astype(np.int32) for column in columns[1:]]
        columns[1][row % 7 == 0] = MISSING
        attributes[1:] = [Attribute(attribute.name, "nominal", labels) for attribute in attributes[1:]]
    if case in ("numeric target", "absolute error"):
        target = Attribute("y", "numeric")
        return Dataset(Schema(tuple(attributes), target), columns, codes + row % 5, np.ones(n_rows), False)
    target = Attribute("y", "nominal", ("no", "yes"))
    return Dataset(Schema(tuple(attributes), target), columns, codes, np.ones(n_rows), False)


def labels_of_two_rows(n_labels: int) -> Dataset:
    """Labels that one against the rest splits off one by one."""
    row = np.arange(2 * n_labels)
    schema = Schema(
        (Attribute("x", "nominal", tuple(map(str, range(n_labels)))),), Attribute("y", "nominal", ("no", "yes"))
    )
    return Dataset(
        schema, [(row % n_labels).astype(np.int32)], (row * 7919 % 5 % 2).astype(np.int32), np.ones(len(row))
    )


def steps(dataset: Dataset, settings: Settings) -> dict[str, int]:
    """The lines that run while a tree is grown: in the kernels, and in the rest of treecli."""
    count = {"kernels": 0, "others": 0}

    def in_kernel(frame: FrameType, event: str, argument: Any) -> Any:
        count["kernels"] += event == "line"
        return in_kernel

    def elsewhere(frame: FrameType, event: str, argument: Any) -> Any:
        count["others"] += event == "line"
        return elsewhere

    def entered(frame: FrameType, event: str, argument: Any) -> Any:
        name = frame.f_code.co_filename
        if name.startswith(KERNELS):
            return in_kernel
        return elsewhere if name.startswith(PACKAGE) else None

    threading.settrace(entered)
    sys.settrace(entered)
    try:
        grow(dataset, settings, jobs=1)
    finally:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
    return count


def counted() -> dict[str, dict[str, dict[str, int]]]:
    """The steps of every case with few and with many rows."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for case in STATED:
        settings = Settings.of(max_depth=DEPTH)
        if case == "absolute error":
            settings = settings.changed(criterion="absolute")
        grow(rows_for(FEW, case), settings, jobs=1)  # what is imported and made once is no step of growing
        found[case] = {str(n): steps(rows_for(n, case), settings) for n in (FEW, MANY)}
    settings = Settings.of(nominal="binary")
    found["labels one by one"] = {str(n): steps(labels_of_two_rows(n), settings) for n in LABELS}
    return found


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, dict[str, int]]]:
    answer = subprocess.run(
        [sys.executable, "-m", "tests.test_steps"],
        cwd=Path(__file__).parent.parent,
        env={**os.environ, UNCOMPILED_VARIABLE: "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    steps: dict[str, dict[str, dict[str, int]]] = json.loads(answer.stdout)
    return steps


@pytest.mark.parametrize("case", STATED)
def test_growing_takes_no_more_kernel_steps_than_stated(case: str, found: dict[str, dict[str, dict[str, int]]]) -> None:
    assert 0 < found[case][str(MANY)]["kernels"] < STATED[case] * MAY_GROW


@pytest.mark.parametrize("case", STATED)
def test_four_times_the_rows_take_at_most_five_times_the_kernel_steps(
    case: str, found: dict[str, dict[str, dict[str, int]]]
) -> None:
    # Linear would be 4; n log n would be 4 log(600) / log(150) = 5.1; n² would be 16.
    few, many = found[case][str(FEW)]["kernels"], found[case][str(MANY)]["kernels"]
    assert 2 * few < many < 5.1 * few


def test_four_times_the_labels_that_are_split_off_one_by_one_take_at_most_five_times_the_kernel_steps(
    found: dict[str, dict[str, dict[str, int]]],
) -> None:
    few, many = (found["labels one by one"][str(n)]["kernels"] for n in LABELS)
    assert 0 < many < 5.1 * few


@pytest.mark.parametrize("case", STATED)
def test_outside_the_kernels_no_line_runs_for_each_row(case: str, found: dict[str, dict[str, dict[str, int]]]) -> None:
    few, many = found[case][str(FEW)]["others"], found[case][str(MANY)]["others"]
    assert many < few + 100


if __name__ == "__main__":
    print(json.dumps(counted()))
