"""M5P's predictions for every training row: {RUN: [number, …]}, where RUN is a key of m5p.OPTIONS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.exact.command import answer
from tests.exact.m5p import OPTIONS, compare_predictions


def compare(data: Path, expected: dict[str, Any], scratch: Path) -> list[str]:
    """The differences, one per line; empty if all is equal."""
    found = []
    for run, numbers in expected.items():
        model = str(scratch / "model.json")
        answer("train", str(data), "--like", "m5p", *OPTIONS[run], "-o", model, "-q")
        found += [f"{run}: {line}" for line in compare_predictions(data, model, numbers)]
    return found
