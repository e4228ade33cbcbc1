"""LightGBM with one tree, which uses 256 bins per numeric attribute; one tree for each of three classes."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.peers._library import command, is_installed
from bench.peers._script import THREADS, Asked, agreement, answer, read, run, timed

if TYPE_CHECKING:
    from bench.works import Task

__all__ = ["SOURCE", "TITLE", "answer", "can", "fit_command", "is_here", "score_command"]

TITLE = "LightGBM"
SOURCE = "pip install lightgbm"

BINS = 255
"""And one for missing values."""


def is_here() -> bool:
    return is_installed("lightgbm")


def can(task: Task) -> bool:
    # It requires a limit of leaves, and a full tree of bins is another tree.
    return task.depth is not None and task.criterion == "squared"


def fit_command(task: Task) -> list[str]:
    return command("lightgbm", "fit", task)


def score_command(task: Task) -> list[str]:
    return command("lightgbm", "score", task)


def fit(asked: Asked) -> float:
    import lightgbm
    import pandas as pd

    attributes, target = read(asked.data)
    assert asked.depth is not None
    settings: dict[str, Any] = {
        "max_depth": asked.depth,
        "num_leaves": 2**asked.depth,
        "max_bin": BINS,
        "min_data_in_leaf": 1,
        "min_data_in_bin": 1,
        "min_sum_hessian_in_leaf": 0.0,
        "learning_rate": 1.0,
        "num_threads": THREADS,
        "verbosity": -1,
    }
    labels: list[str] = []
    numbers = target
    if not pd.api.types.is_numeric_dtype(target):
        labels, numbers = list(target.cat.categories), target.cat.codes
        settings |= (
            {"objective": "multiclass", "num_class": len(labels)} if len(labels) > 2 else {"objective": "binary"}
        )

    def train() -> lightgbm.Booster:
        return lightgbm.train(settings, lightgbm.Dataset(attributes, numbers), num_boost_round=1)

    model, seconds = timed(train)
    Path(asked.model).write_bytes(pickle.dumps((model.model_to_string(), labels)))
    return seconds


def score(asked: Asked) -> dict[str, float]:
    import lightgbm
    import numpy as np

    attributes, target = read(asked.data)
    text, labels = pickle.loads(Path(asked.model).read_bytes())
    model = lightgbm.Booster(model_str=text)
    predicted = np.asarray(model.predict(attributes))
    if labels:
        codes = predicted.argmax(axis=1) if predicted.ndim == 2 else (predicted > 0.5).astype(int)
        predicted = np.array(labels)[codes]
    leaves = sum(tree["num_leaves"] for tree in model.dump_model()["tree_info"])
    return {"leaves": leaves, "accuracy": agreement(target, predicted)}


if __name__ == "__main__":
    run(fit, score)
