"""Weka's M5P: the printed tree and models under seven sets of options, and the errors of ten folds.

Expected: {RUN: {"text", "cv10_seed1": {"mae", "rmse"}}}, where RUN is a key of OPTIONS.
"""

from __future__ import annotations

import json
from math import isclose
from pathlib import Path
from typing import Any

from tests.exact.command import answer

OPTIONS: dict[str, list[str]] = {
    "default": [],
    "unpruned": ["--prune", "none"],
    "unsmoothed": ["--no-smooth"],
    "unpruned_unsmoothed": ["--prune", "none", "--no-smooth"],
    "regression": ["--leaf-model", "constant"],
    "regression_unpruned_unsmoothed": ["--leaf-model", "constant", "--prune", "none", "--no-smooth"],
    "m10": ["--min-split", "10"],
}

FOLDS = ["--folds", "10", "--seed", "1", "--folds-like", "weka"]

ROUNDING = 1e-6


def compare(data: Path, expected: dict[str, Any], scratch: Path) -> list[str]:
    """The differences, one per line; empty if all is equal."""
    return [line for run, answers in expected.items() for line in compare_run(data, run, answers, scratch)]


def compare_run(data: Path, run: str, expected: dict[str, Any], scratch: Path) -> list[str]:
    """The differences in one run: of the text, of predictions and of the errors in cross-validation."""
    model = str(scratch / "model.json")
    answer("train", str(data), "--like", "m5p", *OPTIONS[run], "-o", model, "-q")
    found = _compare_text(answer("show", model, "-f", "m5p"), expected["text"])
    if "predictions" in expected:
        found += compare_predictions(data, model, expected["predictions"])
    folds = expected.get("cv10_seed1")
    if folds is not None:
        ours = json.loads(answer("crossval", str(data), "--like", "m5p", *OPTIONS[run], *FOLDS, "-f", "json", "-q"))
        found += [
            f"cross-validation: {name} {ours[name]}, expected {folds[name]}"
            for name in ("mae", "rmse")
            if not isclose(ours[name], folds[name], rel_tol=ROUNDING, abs_tol=ROUNDING)
        ]
    return [f"{run}: {line}" for line in found]


def compare_predictions(data: Path, model: str, expected: list[float]) -> list[str]:
    """The first row that is predicted otherwise, as a line."""
    lines = answer("predict", model, str(data), "-q").splitlines()[1:]
    ours = [float(line.rsplit(",", 1)[1]) for line in lines]
    for number, (own, theirs) in enumerate(zip(ours, expected, strict=True), start=1):
        if not isclose(own, theirs, rel_tol=ROUNDING, abs_tol=ROUNDING):
            return [f"row {number}: predicted {own}, expected {theirs}"]
    return []


def _compare_text(shown: str, text: str) -> list[str]:
    ours, theirs = shown.rstrip("\n").split("\n"), text.rstrip("\n").split("\n")
    for number, (own, other) in enumerate(zip(ours, theirs, strict=False), start=1):
        if own != other:
            return [f"line {number}: {own!r}, expected {other!r}"]
    return [] if len(ours) == len(theirs) else [f"{len(ours)} lines, expected {len(theirs)}"]
