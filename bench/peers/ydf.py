"""Yggdrasil Decision Forests' CartLearner, which reads a data frame faster than CSV."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from bench.peers._library import command, is_installed
from bench.peers._script import THREADS, Asked, agreement, answer, read, run, timed

if TYPE_CHECKING:
    import pandas as pd

    from bench.works import Task

__all__ = ["SOURCE", "TITLE", "answer", "can", "fit_command", "is_here", "score_command"]

TITLE = "YDF"
SOURCE = "pip install ydf"

NO_LIMIT = -1


def is_here() -> bool:
    return is_installed("ydf")


def can(task: Task) -> bool:
    return not task.is_pruned and task.criterion == "squared"


def fit_command(task: Task) -> list[str]:
    return command("ydf", "fit", task)


def score_command(task: Task) -> list[str]:
    return command("ydf", "score", task)


def table(asked: Asked) -> tuple[pd.DataFrame, str]:
    """The rows in YDF's format, with text instead of categories, and the name of the target."""
    import pandas as pd

    attributes, target = read(asked.data)
    rows = pd.concat([attributes, target], axis=1)
    texts = rows.columns[rows.dtypes == "category"]
    return rows.astype(dict.fromkeys(texts, object)), str(target.name)


def fit(asked: Asked) -> float:
    import pandas as pd
    import ydf

    ydf.verbose(0)
    rows, target = table(asked)
    learner = ydf.CartLearner(
        label=target,
        task=ydf.Task.REGRESSION if pd.api.types.is_numeric_dtype(rows[target]) else ydf.Task.CLASSIFICATION,
        max_depth=NO_LIMIT if asked.depth is None else asked.depth + 1,  # YDF counts the root
        min_examples=1,
        validation_ratio=0.0,  # no held-out rows, no pruning
        num_threads=THREADS,
    )
    model, seconds = timed(lambda: learner.train(rows))
    shutil.rmtree(asked.model, ignore_errors=True)
    model.save(asked.model)
    return seconds


def score(asked: Asked) -> dict[str, float]:
    import numpy as np
    import pandas as pd
    import ydf

    ydf.verbose(0)
    rows, target = table(asked)
    model = ydf.load_model(asked.model)
    predicted = model.predict(rows)
    if not pd.api.types.is_numeric_dtype(rows[target]):
        labels = np.array(model.label_classes())
        # For two classes it returns the probability of the second.
        predicted = labels[predicted.argmax(axis=1) if predicted.ndim == 2 else (predicted > 0.5).astype(int)]
    leaves = len(np.unique(model.predict_leaves(rows)))
    return {"leaves": leaves, "accuracy": agreement(rows[target], predicted)}


if __name__ == "__main__":
    run(fit, score)
