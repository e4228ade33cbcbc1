"""Code shared by peers that are Python libraries: script arguments, reading with pandas, output."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

THREADS = 2


@dataclass(frozen=True)
class Asked:
    """The arguments of a script."""

    data: str
    model: str
    depth: int | None
    criterion: str


def read(path: str) -> tuple[pd.DataFrame, pd.Series]:
    """The attributes, with text as categories, and the target, which is the last column."""
    import pandas as pd

    table = pd.read_csv(path, engine="pyarrow", na_values=["?"])
    for name in table.columns:
        if not pd.api.types.is_numeric_dtype(table[name]):
            table[name] = table[name].astype("category")
    return table.iloc[:, :-1], table.iloc[:, -1]


def answer(printed: str) -> dict[str, float]:
    """The output of a script."""
    said: dict[str, float] = json.loads(printed.strip().splitlines()[-1])
    return said


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """The result of a function, and the seconds that it took."""
    begun = perf_counter()
    result = work()
    return result, perf_counter() - begun


def run(fit: Callable[[Asked], float], score: Callable[[Asked], dict[str, float]]) -> None:
    """Runs the command line and prints the result as a line of JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("action", choices=["fit", "score"])
    parser.add_argument("data")
    parser.add_argument("model")
    parser.add_argument("--depth", type=int)
    parser.add_argument("--criterion", default="squared")
    given = parser.parse_args()
    asked = Asked(given.data, given.model, given.depth, given.criterion)
    print(json.dumps({"fit": fit(asked)} if given.action == "fit" else score(asked)))


def agreement(target: pd.Series, predicted: Any) -> float:
    """The accuracy for classes, R² for numbers."""
    import numpy as np
    import pandas as pd

    truth = np.asarray(target)
    if not pd.api.types.is_numeric_dtype(target):
        return float((truth == np.asarray(predicted)).mean())
    return float(1 - ((truth - predicted) ** 2).sum() / ((truth - truth.mean()) ** 2).sum())
