"""Calibration: whether the probability that each leaf or rule states is the share that is seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treecli.evaluate.metrics import wilson_interval
from treecli.evaluate.probabilistic import mean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.evaluate.result import Result


@dataclass(frozen=True, slots=True)
class Calibrated:
    """The rows of one leaf or rule; `place` is None for the rows that no single one decides.

    `said` is the mean probability of the predicted class, `seen` the share of correct rows with its 95 % interval
    (Wilson). `prediction` is None if the rows have several.
    """

    place: int | None
    n: float
    prediction: str | None
    said: float
    seen: float
    seen_ci95: tuple[float, float]

    @property
    def verdict(self) -> str:
        """Where `said` is outside the interval: too sure, or too modest."""
        low, high = self.seen_ci95
        return "too sure" if self.said > high else "too modest" if self.said < low else ""


def calibration(result: Result, places: Sequence[int | None]) -> list[Calibrated]:
    """The calibration of every leaf or rule that decides a row, in the order of their numbers; None last."""
    import numpy as np

    assert result.probabilities is not None
    place_of_row = np.array([-1 if place is None else place for place in places], np.int64)
    found, group_of_row = np.unique(place_of_row, return_inverse=True)
    said = result.probabilities[np.arange(len(places)), result.predicted.astype(np.int64)]
    is_right = result.actual == result.predicted
    records = []
    by_group = np.argsort(group_of_row, kind="stable")
    for place, rows in zip(found.tolist(), np.split(by_group, _ends(group_of_row, len(found))), strict=True):
        weights = result.weights[rows]
        n = float(weights.sum())
        if n <= 0:
            continue
        # The mean of equal numbers is that number, except for rounding.
        share = float(np.clip(mean(said[rows], weights), said[rows].min(), said[rows].max()))
        seen = min(float(weights[is_right[rows]].sum()) / n, 1.0)
        codes = np.unique(result.predicted[rows])
        prediction = result.labels[int(codes[0])] if len(codes) == 1 else None
        number = None if place < 0 else place
        records.append(Calibrated(number, n, prediction, share, seen, wilson_interval(seen, n)))
    return sorted(records, key=lambda record: (record.place is None, record.place or 0))


def _ends(group_of_row: NDArray[np.int64], n_groups: int) -> NDArray[np.int64]:
    """The positions at which sorted groups begin, except the first."""
    import numpy as np

    return np.cumsum(np.bincount(group_of_row, minlength=n_groups))[:-1]
