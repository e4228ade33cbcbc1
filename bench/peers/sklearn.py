"""scikit-learn's DecisionTreeClassifier and DecisionTreeRegressor; labels are passed as codes, which is fast."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import TYPE_CHECKING

from bench.peers._library import command, is_installed
from bench.peers._script import Asked, agreement, answer, read, run, timed

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from bench.works import Task

__all__ = ["SOURCE", "TITLE", "answer", "can", "fit_command", "is_here", "score_command"]

TITLE = "scikit-learn"
SOURCE = "pip install scikit-learn"


def is_here() -> bool:
    return is_installed("sklearn")


def can(task: Task) -> bool:
    # Its absolute error takes hours on R.
    return not task.is_pruned and (task.criterion == "squared" or task.n_rows <= MOST_ROWS_OF_MEDIANS)


MOST_ROWS_OF_MEDIANS = 5_000


def fit_command(task: Task) -> list[str]:
    return command("sklearn", "fit", task)


def score_command(task: Task) -> list[str]:
    return command("sklearn", "score", task)


def matrix(attributes: pd.DataFrame) -> NDArray[np.float32]:
    """The attributes as 32-bit numbers, to which scikit-learn would convert them."""
    codes = {
        name: column.cat.codes.where(column.notna()) if column.dtype == "category" else column
        for name, column in attributes.items()
    }
    return attributes.assign(**codes).to_numpy("float32")


def fit(asked: Asked) -> float:
    import pandas as pd
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    attributes, target = read(asked.data)
    settings = {"max_depth": asked.depth, "random_state": 0}
    if not pd.api.types.is_numeric_dtype(target):
        learner = DecisionTreeClassifier(**settings)
    else:
        learner = DecisionTreeRegressor(**settings, criterion=f"{asked.criterion}_error")
    tree, seconds = timed(lambda: learner.fit(matrix(attributes), target))
    Path(asked.model).write_bytes(pickle.dumps(tree))
    return seconds


def score(asked: Asked) -> dict[str, float]:
    attributes, target = read(asked.data)
    tree = pickle.loads(Path(asked.model).read_bytes())
    return {"leaves": int(tree.get_n_leaves()), "accuracy": agreement(target, tree.predict(matrix(attributes)))}


if __name__ == "__main__":
    run(fit, score)
