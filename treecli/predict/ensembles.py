"""Predictions of several trees together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.model import BoostedModel, EnsembleModel, ForestModel, TreeModel
from treecli.options.ensembles import CONFIDENCE, MAJORITY
from treecli.predict.nodevalues import predicted
from treecli.predict.predict import distributions, predictions

if TYPE_CHECKING:
    from treecli.data import CodeArray, Column, Dataset, FloatArray
    from treecli.predict.manytrees import ManyTrees

TIE = 1e-6
"""Probabilities of classes that differ by no more than this are equal when a boosted tree votes."""


def forest_answers(model: ForestModel, dataset: Dataset, jobs: int | None = None) -> tuple[Column, FloatArray]:
    """Return the prediction for every row, and the mean of the trees' class probabilities, or their shares of the
    votes; for a numeric target the mean of their numbers, n_rows × 1.
    """
    import numpy as np

    found = np.zeros((dataset.n_rows, n_values(model)))
    many = _many_trees(model)
    if many is not None:
        many.add_votes(found, dataset, jobs, by_label=model.votes == MAJORITY and model.schema.is_classification)
    else:
        for member in model.members():
            add_vote(found, member, dataset, model.votes, jobs)
    # Labels are chosen by the sums, as exported models do: a quotient may make two of them equal.
    labels = predicted(model, found)
    found /= model.n_trees
    return (labels if model.schema.is_classification else found[:, 0]), found


def _many_trees(model: ForestModel) -> ManyTrees | None:
    """Return the trees prepared for the kernel that routes rows through all of them, kept with the model."""
    from treecli.predict.manytrees import ManyTrees

    if "many" not in model.derived:
        members = list(model.members())
        model.derived["many"] = None if ManyTrees.refuses(members) else ManyTrees(members)
    found: ManyTrees | None = model.derived["many"]
    return found


def add_vote(found: FloatArray, member: TreeModel, dataset: Dataset, votes: str, jobs: int | None = None) -> None:
    """Add the vote of a tree of a forest to those of the others, row by row."""
    import numpy as np

    if votes == MAJORITY and member.schema.is_classification:
        found[np.arange(dataset.n_rows), predictions(member, dataset, jobs)] += 1.0
    else:
        found += distributions(member, dataset, jobs)


def boosted_answers(model: BoostedModel, dataset: Dataset, jobs: int | None = None) -> tuple[Column, FloatArray]:
    """Return the prediction for every row, and class probabilities, as Weka's AdaBoostM1 does.

    The trees vote for one class each, with their weights. The probabilities are proportional to the exponentials of
    the sums; a single tree gives its own. Trees that vote with their confidence have shares of the sums.
    """
    import numpy as np

    if model.n_trees == 1:
        found = distributions(model.member(0), dataset, jobs)
        return predicted(model, found), found
    sums = np.zeros((dataset.n_rows, n_values(model)))
    for member, weight in zip(model.members(), model.weights, strict=True):
        add_boosted_vote(sums, member, distributions(member, dataset, jobs), weight, model)
    labels = predicted(model, sums)
    if model.votes == CONFIDENCE:
        return labels, sums / sums.sum(axis=1, keepdims=True)
    found = np.exp(sums - sums.max(axis=1, keepdims=True)) if dataset.n_rows else sums
    found /= found.sum(axis=1, keepdims=True)
    return labels, found


def add_boosted_vote(
    sums: FloatArray, member: TreeModel, shares: FloatArray, weight: float, model: EnsembleModel
) -> None:
    """Add the vote of a boosted tree to those of the others, given its class probabilities, row by row."""
    import numpy as np

    rows, is_by_share = np.arange(len(shares)), model.votes == CONFIDENCE
    codes = predicted(member, shares) if is_by_share else boosted_votes(shares)
    sums[rows, codes] += shares[rows, codes] if is_by_share else weight


def boosted_votes(probabilities: FloatArray) -> CodeArray:
    """Return the class that a boosted tree votes for, row by row.

    As in J48, a class must be more probable than the best before it by more than TIE: weights of boosted cases are
    rounded, and equal probabilities would be decided by the last digit.
    """
    import numpy as np

    votes = np.zeros(len(probabilities), np.int32)
    best = np.zeros(len(probabilities))
    for code, probability in enumerate(probabilities.T):
        is_better = probability - best > TIE
        votes[is_better], best[is_better] = code, probability[is_better]
    return votes


def n_values(model: EnsembleModel) -> int:
    """Return the number of classes; 1 for a numeric target."""
    return model.schema.n_outcomes if model.schema.is_classification else 1
