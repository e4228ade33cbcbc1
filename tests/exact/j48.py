"""Weka's J48: whole trees, sizes and training errors under ten sets of options, and the ten-fold count.

Expected: {"runs": {RUN: {"leaves", "size", "errors", "tree": [lines] or "default"}}, "cv": {"correct", "total"}},
where RUN is a key of OPTIONS.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.exact.command import answer

OPTIONS: dict[str, list[str]] = {
    "default": [],
    "unpruned": ["--prune", "none"],
    "reduced_error": ["--prune", "reduced-error"],
    "binary": ["--nominal", "binary"],
    "binary_unpruned": ["--nominal", "binary", "--prune", "none"],
    "no_raising": ["--no-raise"],
    "laplace": ["--laplace"],
    "c0.05": ["--confidence", "0.05"],
    "m10": ["--min-leaf", "10"],
    "unpruned_m1": ["--prune", "none", "--min-leaf", "1"],
}

FOLDS = ["--like", "j48", "--folds", "10", "--seed", "1", "--folds-like", "weka"]


def compare(data: Path, expected: dict[str, Any], scratch: Path) -> list[str]:
    """The differences, one per line; empty if all is equal."""
    found = []
    for run, options in OPTIONS.items():
        if run in expected["runs"]:
            found += [f"{run}: {line}" for line in _compare_run(data, options, expected["runs"], run, scratch)]
    if expected.get("cv"):
        validated = json.loads(answer("crossval", str(data), *FOLDS, "-f", "json", "-q"))
        correct = validated["n"] - validated["errors"]
        if correct != expected["cv"]["correct"]:
            found.append(f"cross-validation: {correct} correct, expected {expected['cv']['correct']}")
    return found


def _compare_run(data: Path, options: list[str], runs: dict[str, Any], run: str, scratch: Path) -> list[str]:
    expected = runs[run]
    lines = runs["default"]["tree"] if expected["tree"] == "default" else expected["tree"]
    model = str(scratch / "model.json")
    answer("train", str(data), "--like", "j48", *options, "-o", model, "-q")
    shown, _, sizes = answer("show", model, "-f", "j48").partition("\n\n")
    found = []
    for number, (ours, theirs) in enumerate(zip(shown.split("\n"), lines, strict=False), start=1):
        if ours != theirs:
            found.append(f"line {number}: {ours!r}, expected {theirs!r}")
            break
    leaves, size = (int(line.split(":")[1]) for line in sizes.split("\n") if line)
    errors = json.loads(answer("evaluate", model, str(data), "-f", "json", "-q"))["errors"]
    for name, ours in (("leaves", leaves), ("size", size), ("errors", errors)):
        if ours != expected[name]:
            found.append(f"{name} {ours}, expected {expected[name]}")
    return found
