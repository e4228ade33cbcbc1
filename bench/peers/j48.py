"""Weka's J48, unpruned for a full tree, with its default pruning under `--like c45`."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.works import Task

TITLE = "J48"
SOURCE = "apt install weka"

PERCENT = 100

JAR = os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar")

MOST_ROWS = 100_000
"""More rows take minutes."""


def is_here() -> bool:
    return shutil.which("java") is not None and Path(JAR).exists()


def can(task: Task) -> bool:
    return task.is_classification and task.depth is None and task.n_rows <= MOST_ROWS


def _java(*arguments: str) -> list[str]:
    return ["java", "-Xmx8g", "-cp", JAR, "weka.classifiers.trees.J48", *arguments]


def fit_command(task: Task) -> list[str]:
    size = ["-U", "-M", "1"] if not task.is_pruned else []
    # -v: do not evaluate on the training data; the other peers do not either.
    return _java("-no-cv", "-v", "-t", str(task.file("arff")), "-d", str(task.model("j48")), *size)


def score_command(task: Task) -> list[str]:
    return _java("-l", str(task.model("j48")), "-T", str(task.file("arff")))


def answer(printed: str) -> dict[str, float]:
    """The figures that this run of J48 printed."""
    patterns = {
        "fit": r"Time taken to build model: ([\d.]+)",
        "leaves": r"Number of Leaves\s*:\s*(\d+)",
        "accuracy": r"Correctly Classified Instances\s+[\d.]+\s+([\d.]+)",
    }
    found = {name: re.search(pattern, printed) for name, pattern in patterns.items()}
    said = {name: float(match[1]) for name, match in found.items() if match}
    return said | ({"accuracy": said["accuracy"] / PERCENT} if "accuracy" in said else {})
