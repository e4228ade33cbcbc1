"""J48's class probabilities for every training row, to the three decimals that it prints.

Expected: {RUN: {"predicted": [code, …], "probabilities": [[p, …], …]}}, RUN being default or laplace. Beside smoothed
probabilities Weka prints the class that is most probable without smoothing, so there only the probabilities count.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from tests.exact.command import answer

HALF_A_DIGIT = 0.0005 + 1e-9


def compare(data: Path, expected: dict[str, Any], scratch: Path) -> list[str]:
    """The differences, one per line; empty if all is equal."""
    found = []
    for run, answers in expected.items():
        model = str(scratch / "model.json")
        options = ["--laplace"] if run == "laplace" else []
        answer("train", str(data), "--like", "j48", *options, "-o", model, "-q")
        rows = list(csv.reader(io.StringIO(answer("predict", model, str(data), "--proba", "-q"))))
        n_classes = len(answers["probabilities"][0])
        for number, (row, theirs) in enumerate(zip(rows[1:], answers["probabilities"], strict=True), start=1):
            ours = [float(text) for text in row[-n_classes:]]
            if any(abs(p - q) > HALF_A_DIGIT for p, q in zip(ours, theirs, strict=True)):
                found.append(f"{run}: row {number}: {ours}, expected {theirs}")
                break
        if run == "default":
            labels = [name.removeprefix("proba_") for name in rows[0][-n_classes:]]
            codes = [labels.index(row[-n_classes - 1]) for row in rows[1:]]
            n_other = sum(ours != theirs for ours, theirs in zip(codes, answers["predicted"], strict=True))
            if n_other:
                found.append(f"{run}: {n_other} rows are predicted otherwise")
    return found
