"""The rows that answers stand for: one if each is a value or unknown, several for ranges and labels with weights."""

from __future__ import annotations

from itertools import pairwise, product
from math import prod
from typing import TYPE_CHECKING

from treecli import models
from treecli.data import MISSING, Dataset
from treecli.expressions import Holds, Value
from treecli.predict.nodevalues import predicted
from treecli.teaching import derivedanswers
from treecli.teaching.answers import Answer, AnswerError, Between, Known, Unknown
from treecli.values import Interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treecli.data import FloatArray
    from treecli.model import Model

MOST_ROWS = 4096
"""The most rows that uncertain answers may stand for together."""

Piece = tuple[float | None, float]
"""A value, None if it is missing, and its probability."""


class AnsweredRows:
    """The rows that answers to the questions of a model stand for.

    The values of a range that lie between two thresholds of the model are one piece, because it treats them alike.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._used = set(models.columns_used(model))
        self._derived = range(len(model.schema.attributes), len(model.schema.columns))
        self._thresholds: dict[int, list[float]] | None = None

    def pieces(self, attribute: int, answer: Answer) -> tuple[Piece, ...]:
        """Return the values that an answer stands for, each with its probability."""
        if isinstance(answer, Unknown) or attribute not in self._used:
            return ((None, 1.0),)
        if isinstance(answer, Known):
            return ((answer.value, 1.0),)
        if isinstance(answer, Between):
            inside = [own for own in self.cuts(attribute) if answer.low < own < answer.high]
            ends = pairwise((answer.low, *inside, answer.high))
            # Branches include their upper end, so it stands for the piece.
            return tuple((high, (high - low) / (answer.high - answer.low)) for low, high in ends)
        return tuple((float(code), share) for code, share in answer.shares)

    def check(self, answers: Mapping[int, Answer]) -> None:
        """Raise an AnswerError if the answers stand for more rows than can be predicted one by one."""
        derivedanswers.check(self._derived, self._model.schema, answers)
        n_rows = prod(len(self.pieces(index, answer)) for index, answer in answers.items())
        if n_rows > MOST_ROWS:
            raise AnswerError(
                f"ranges and weights divide the case into {n_rows} parts, and at most {MOST_ROWS} can be predicted",
                "give a number, a narrower range or ?",
            )

    def rows(self, answers: Mapping[int, Answer]) -> tuple[Dataset, FloatArray]:
        """Return the rows with the probability of each; values without an answer are missing."""
        import numpy as np

        order = list(answers)
        every = list(product(*(self.pieces(index, answers[index]) for index in order)))
        columns = []
        for index, attribute in enumerate(self._model.schema.attributes):
            place = order.index(index) if index in answers else None
            values = [None if place is None else own[place][0] for own in every]
            if attribute.is_numeric:
                columns.append(np.array([np.nan if value is None else value for value in values], np.float64))
            else:
                columns.append(np.array([MISSING if value is None else int(value) for value in values], np.int32))
        shares = np.array([prod(share for _, share in own) for own in every])
        return Dataset(self._model.schema, columns, None, np.ones(len(every))), shares

    def predict(self, answers: Mapping[int, Answer]) -> tuple[str | float, tuple[float, ...]]:
        """Return the prediction of the model, and the class probabilities; or the number twice.

        Several rows have the mean of their probabilities, and the label that follows from it.
        """
        dataset, shares = self.rows(answers)
        codes, found = models.answers(self._model, dataset, 1)
        mixed = found[:1] if len(found) == 1 else (shares[:, None] * found).sum(axis=0, keepdims=True)
        probabilities = tuple(mixed[0].tolist())
        if not self._model.schema.is_classification:
            return probabilities[0], probabilities
        is_unanimous = bool((codes == codes[0]).all())
        code = codes[0] if is_unanimous else predicted(self._model, mixed)[0]
        return self._model.schema.target.labels[int(code)], probabilities

    @property
    def _inputs(self) -> list[Value | Holds]:
        """The values that the derived columns of the model are computed from."""
        return [own for column in self._derived for own in derivedanswers.inputs_of(column, self._model.schema)]

    def is_divided(self, attribute: int) -> bool:
        """Return whether the values of an attribute fall into a few pieces that the model treats alike."""
        return not any(isinstance(own, Value) and own.attribute == attribute for own in self._inputs)

    def cuts(self, attribute: int) -> list[float]:
        """Return the thresholds of the model on an attribute, sorted."""
        if self._thresholds is None:
            found: dict[int, set[float]] = {}
            of_derived = (own for own in self._inputs if isinstance(own, Holds) and own.labels is None)
            for own in (*models.conditions(self._model), *of_derived):
                if isinstance(own, Interval | Holds):
                    found.setdefault(own.attribute, set()).update((own.low, own.high))
            self._thresholds = {index: sorted(own) for index, own in found.items()}
        return self._thresholds.get(attribute, [])
