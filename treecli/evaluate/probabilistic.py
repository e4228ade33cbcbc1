"""Measures of class probabilities, n_rows × n_classes; every row counts with its weight.

A true code below 0 is a label that the model does not know: its probability is 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.evaluate.confusion import power_of_two

if TYPE_CHECKING:
    from treecli.data import CodeArray, FloatArray

LEAST_PROBABILITY = 2.0**-52
"""Log loss takes probabilities from here to 1 minus this, like scikit-learn."""


def of_truth(actual: CodeArray, probabilities: FloatArray) -> FloatArray:
    """The probability of the true class of each row."""
    import numpy as np

    own: FloatArray = probabilities[np.arange(len(actual)), np.maximum(actual, 0)]
    return np.where(actual >= 0, own, 0.0)


def log_loss(actual: CodeArray, probabilities: FloatArray, weights: FloatArray) -> float:
    """The mean of -ln(probability of the true class), clipped."""
    import numpy as np

    clipped = np.clip(of_truth(actual, probabilities), LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)
    return mean(-np.log(clipped), weights)


def zero_probability_rows(
    actual: CodeArray, probabilities: FloatArray, weights: FloatArray, sizes: FloatArray | None = None
) -> int:
    """The number of rows, not their weight, whose true class has probability 0; `sizes`: the rows that each is."""
    import numpy as np

    is_zero = (of_truth(actual, probabilities) == 0) & (weights > 0)
    return int(np.count_nonzero(is_zero) if sizes is None else sizes[is_zero].sum())


def squared_loss(actual: CodeArray, probabilities: FloatArray, weights: FloatArray) -> float:
    """The mean over rows of the sum over classes of (probability - truth)², where truth is 1 or 0 (Brier 1950)."""
    own = of_truth(actual, probabilities)
    others = (probabilities * probabilities).sum(axis=1) - own * own
    return max(mean(others + (1 - own) ** 2, weights), 0.0)


def absolute_loss(actual: CodeArray, probabilities: FloatArray, weights: FloatArray) -> float:
    """The mean over rows of the sum over classes of |probability - truth|."""
    own = of_truth(actual, probabilities)
    return max(mean(probabilities.sum(axis=1) - own + (1 - own), weights), 0.0)


def aucs(actual: CodeArray, probabilities: FloatArray, weights: FloatArray) -> list[float | None]:
    """The area under the ROC curve of each class against all others; None if all or no rows are of the class."""
    import numpy as np

    shares = _scaled(weights)
    of_class = np.bincount(np.maximum(actual, 0), np.where(actual >= 0, shares, 0.0), probabilities.shape[1])
    # Most probabilities of a tree with many classes are 0. They form one group of ties and are not sorted.
    above: list[float | None] = []
    for label, positive in enumerate(of_class.tolist()):
        rows = np.flatnonzero(probabilities[:, label])
        negative = float(shares[actual != label].sum())
        if positive <= 0 or negative <= 0:
            above.append(None)
            continue
        is_own = actual[rows] == label
        area = _area(probabilities[rows, label], shares[rows], is_own, positive, negative)
        above.append(min(max(area / (positive * negative), 0.0), 1.0))
    return above


def _area(scores: FloatArray, shares: FloatArray, is_own: FloatArray, positive: float, negative: float) -> float:
    """The weight of the pairs (row of the class, other row) in the right order; ties count half.

    `positive` and `negative` are the weights of all rows, including those with score 0, which are not given.
    """
    import numpy as np

    order = np.argsort(scores, kind="stable")
    _, starts = np.unique(scores[order], return_index=True)
    own = np.where(is_own, shares, 0.0)[order]
    other = np.where(is_own, 0.0, shares)[order]
    own_of_tie = np.add.reduceat(own, starts) if len(starts) else np.zeros(0)
    other_of_tie = np.add.reduceat(other, starts) if len(starts) else np.zeros(0)
    own_at_zero = max(positive - float(own.sum()), 0.0)
    other_at_zero = max(negative - float(other.sum()), 0.0)
    below = other_at_zero + np.cumsum(other_of_tie) - other_of_tie
    return float(own_of_tie @ (below + other_of_tie / 2)) + own_at_zero * other_at_zero / 2


def macro(of_classes: list[float | None]) -> float | None:
    """The mean of the classes that have a value; None if none has."""
    known = [value for value in of_classes if value is not None]
    return sum(known) / len(known) if known else None


def weighted(of_classes: list[float | None], actual: CodeArray, weights: FloatArray) -> float | None:
    """The mean of the classes that have a value, weighted by the rows of each; None if none has."""
    import numpy as np

    shares = np.bincount(np.maximum(actual, 0), np.where(actual >= 0, _scaled(weights), 0.0), len(of_classes))
    pairs = [(value, share) for value, share in zip(of_classes, shares.tolist(), strict=True) if value is not None]
    total = sum(share for _, share in pairs)
    return sum(value * share for value, share in pairs) / total if total > 0 else None


def mean(values: FloatArray, weights: FloatArray) -> float:
    """The weighted mean."""
    scaled = _scaled(weights)
    return float(values @ scaled) / float(scaled.sum())


def _scaled(weights: FloatArray) -> FloatArray:
    """The weights divided by a power of two, which is exact, so that their products neither overflow nor vanish."""
    return weights / power_of_two(float(weights.sum()))
