"""All predictions that values without an answer could lead to, where these are few enough to be computed."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli import models
from treecli.data import MISSING, Dataset
from treecli.predict.nodevalues import predicted
from treecli.teaching.answeredrows import MOST_ROWS, AnsweredRows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from treecli.data import Column, FloatArray
    from treecli.model import Model
    from treecli.teaching.answers import Answer

EQUAL = 1e-9
"""Numbers and probabilities with a smaller difference are equal."""


@dataclass(frozen=True, slots=True)
class Completions:
    """The predictions of every combination of values of some attributes, one axis for each attribute.

    `outcomes` has the number of the predicted label, or the number. `low` and `high` have the class probabilities, or
    the number, on a last axis: the least and the greatest of all values that the answers stand for.
    """

    attributes: tuple[int, ...]
    outcomes: FloatArray
    low: FloatArray
    high: FloatArray

    @property
    def is_decided(self) -> bool:
        """Whether all predictions are the same."""
        return bool(np.ptp(self.outcomes) <= EQUAL)

    @property
    def useful(self) -> list[int]:
        """The attributes whose value can change the prediction."""
        return [own for axis, own in enumerate(self.attributes) if (np.ptp(self.outcomes, axis=axis) > EQUAL).any()]

    def limits(self, code: int) -> tuple[float, float]:
        """Return the least and the greatest probability of a class, or number."""
        return float(self.low[..., code].min()), float(self.high[..., code].max())

    def changing(self, code: int) -> set[int]:
        """Return the attributes whose value can change the probability of a class, or the number."""
        ends = (self.low[..., code], self.high[..., code])
        return {
            index
            for axis, index in enumerate(self.attributes)
            if any((np.ptp(own, axis=axis) > EQUAL).any() for own in ends)
        }


class Completer:
    """Computes completions for a model; those of the last answers are kept."""

    def __init__(self, model: Model, rows: AnsweredRows) -> None:
        self._model, self._rows = model, rows
        self._last: tuple[object, Completions | None] | None = None

    def of(self, answers: Mapping[int, Answer], attributes: Iterable[int]) -> Completions | None:
        """Return all predictions with these answers and any values of other attributes; None if they are too many."""
        order = tuple(sorted(attributes))
        key = (tuple(answers.items()), order)
        if self._last is None or self._last[0] != key:
            self._last = key, self._completed(answers, order)
        return self._last[1]

    def _completed(self, answers: Mapping[int, Answer], order: tuple[int, ...]) -> Completions | None:
        if not all(map(self._rows.is_divided, order)):
            return None
        cells = [self._cells(index) for index in order]
        n_pieces = prod(len(self._rows.pieces(index, answer)) for index, answer in answers.items())
        shape = tuple(map(len, cells))
        n = prod(shape)
        if n * n_pieces > MOST_ROWS:
            return None
        pieces, shares = self._rows.rows(answers)
        columns: list[Any] = [np.tile(column, n) for column in pieces.columns]
        for index, own, place in zip(order, cells, np.indices(shape).reshape(len(shape), n), strict=True):
            columns[index] = np.repeat(own[place], n_pieces)
        codes, found = models.answers(self._model, Dataset(self._model.schema, columns, None, np.ones(n * n_pieces)), 1)
        parts = np.asarray(found, np.float64).reshape(n, n_pieces, -1)
        mixed = parts[:, 0] if n_pieces == 1 else (shares[:, None] * parts).sum(axis=1)
        outcomes = mixed[:, 0]
        if self._model.schema.is_classification:
            labels = np.asarray(codes).reshape(n, n_pieces)
            is_one = (labels == labels[:, :1]).all(axis=1)
            outcomes = np.where(is_one, labels[:, 0], predicted(self._model, mixed)).astype(np.float64)
        low, high = (own.reshape(*shape, -1) for own in (parts.min(axis=1), parts.max(axis=1)))
        return Completions(order, outcomes.reshape(shape), low, high)

    def _cells(self, attribute: int) -> Column:
        """Return values that stand for all that the model treats differently, and a missing one."""
        own = self._model.schema.attributes[attribute]
        if not own.is_numeric:
            return np.append(np.arange(len(own.labels), dtype=np.int32), np.int32(MISSING))
        cuts = [cut for cut in self._rows.cuts(attribute) if isfinite(cut)]
        # Branches include their upper end, so it stands for the values up to it.
        above = cuts[-1] + max(1.0, abs(cuts[-1])) if cuts else 0.0
        return np.array([*cuts, above, np.nan])
