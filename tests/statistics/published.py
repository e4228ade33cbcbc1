"""Answers of other programs: Weka's Experimenter, SciPy, scikit-posthocs and baycomp."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parent.parent / "fixtures" / "statistics"

TEST_TO_TRAIN = 1 / 9
"""Ten folds: each row is tested once and trained on nine times in a run."""


@cache
def read(name: str) -> Any:
    return json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))


def accuracies(dataset: str, learner: str) -> list[float]:
    """The accuracies of a learner on the hundred folds of Weka's experiment."""
    counts = read("weka_experiment")[dataset]
    return [correct / tested for correct, tested in zip(counts[learner], counts["tested"], strict=True)]


def differences(dataset: str, a: str, b: str) -> list[float]:
    return [x - y for x, y in zip(accuracies(dataset, a), accuracies(dataset, b), strict=True)]
