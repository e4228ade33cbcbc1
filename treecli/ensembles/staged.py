"""The error of an ensemble after each of its trees."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import TYPE_CHECKING

from treecli.predict.ensembles import add_boosted_vote, add_vote, n_values
from treecli.predict.nodevalues import predicted
from treecli.predict.predict import distributions

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import EnsembleModel


def staged_errors(model: EnsembleModel, dataset: Dataset, jobs: int | None = None) -> Iterator[float]:
    """Yield the error of the first tree, the first two, and so on, on the rows with a known target.

    It is the share of the weight whose label is predicted wrongly; the root mean squared error for a numeric target.
    """
    import numpy as np

    rows = dataset.labelled()
    target, weights = np.asarray(rows.target), rows.weights
    sums = np.zeros((rows.n_rows, n_values(model)))
    for number, (member, weight) in enumerate(zip(model.members(), model.weights, strict=True), start=1):
        said = sums
        if model.IS_BOOSTED:
            shares = distributions(member, rows, jobs)
            add_boosted_vote(sums, member, shares, weight, model)
            said = shares if number == 1 else sums  # a single tree predicts as it does alone
        else:
            add_vote(sums, member, rows, model.votes, jobs)
        if model.schema.is_classification:
            yield float(np.average(predicted(model, said) != target, weights=weights))
        else:
            yield sqrt(float(np.average((said[:, 0] / number - target) ** 2, weights=weights)))
