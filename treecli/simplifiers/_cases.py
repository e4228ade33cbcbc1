"""The cases that rules are measured on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.errors import DataError, UsageError

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.rules.rulelist import RuleList


def cases_of(rules: RuleList, dataset: Dataset | None, method: str) -> Dataset:
    """Return the rows with a known label and a positive weight; `method` is the simplifier's name in messages."""
    import numpy as np

    if not rules.schema.is_classification:
        raise UsageError(
            f"{method} counts wrong labels, but the target '{rules.schema.target.name}' is numeric",
            "--simplify exact shortens rules for numbers too",
        )
    if dataset is None:
        raise UsageError(
            f"{method} measures each condition on the training data, and there are none",
            "name the file: --data FILE",
        )
    cases = dataset.labelled()
    cases = cases.take(np.flatnonzero(cases.weights > 0))
    if not cases.n_rows:
        raise DataError(
            f"the data: found no row with a known value of the target '{rules.schema.target.name}' and a weight above 0"
        )
    return cases
