"""Weka's AdaBoostM1 over J48: the size of every tree, the weight of its vote, training errors and the ten-fold count.

Expected: {"train_errors", "n", "cv10_seed1_correct", "iterations", "votes": [two decimals], "leaves", "sizes"}; one
tree that is used alone has no vote.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.exact.command import answer
from treecli.model import BoostedModel
from treecli.models import read_model

OPTIONS = ["--like", "j48", "--boost", "10"]
FOLDS = ["--folds", "10", "--seed", "1", "--folds-like", "weka"]


def compare(data: Path, expected: dict[str, Any], scratch: Path) -> list[str]:
    """The differences, one per line; empty if all is equal."""
    path = str(scratch / "model.json")
    answer("train", str(data), *OPTIONS, "-o", path, "-q")
    model = read_model(path)
    assert isinstance(model, BoostedModel)
    votes = [round(weight, 2) for weight in model.weights] if model.n_trees > 1 else []
    ours = {
        "iterations": model.n_trees,
        "leaves": [tree.n_leaves for tree in model.trees],
        "sizes": [tree.n_nodes for tree in model.trees],
        "votes": votes,
        "train_errors": json.loads(answer("evaluate", path, str(data), "-f", "json", "-q"))["errors"],
    }
    if "cv10_seed1_correct" in expected:
        validated = json.loads(answer("crossval", str(data), *OPTIONS, *FOLDS, "-f", "json", "-q"))
        ours["cv10_seed1_correct"] = validated["n"] - validated["errors"]
    return [f"{key} {found}, expected {expected[key]}" for key, found in ours.items() if found != expected[key]]
