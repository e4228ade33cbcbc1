"""Explains the prediction of several trees for a row: how they vote, and which attributes moved their votes.

The probability of the predicted class changes from node to node on the row's path, and each change is credited to the
attribute of the split (Saabas 2014). The changes and the probability at the root add up to the tree's prediction; those
of all trees are averaged by the weights of their votes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from treecli.explain.explanation import Explained, Explainer, Explanation, Given, Grounds, RowOf, flags_of
from treecli.model import EnsembleModel
from treecli.predict.ensembles import boosted_answers, forest_answers
from treecli.predict.nodevalues import NodeValues
from treecli.predict.predict import columns_used

if TYPE_CHECKING:
    from treecli.data import Column, FloatArray


ROUNDING = 1e-12
"""The share of the largest change below which a change is the rounding error of parts that cancel each other."""


@dataclass(frozen=True, slots=True)
class Moved:
    """An attribute, and by how much its splits moved the prediction."""

    given: Given
    by: float


@dataclass(frozen=True, slots=True)
class Vote:
    """The prediction of one tree: a label or a number, its value for the predicted class, and what moved it."""

    said: float | str
    value: float
    weight: float
    moved: tuple[Moved, ...]
    path: Explanation = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class EnsembleExplanation(Explained):
    """The prediction of several trees: the mean value at their roots, the attributes that moved it, and the votes.

    Values are probabilities of the predicted class, or the numbers of a numeric target.
    """

    base: float
    moved: tuple[Moved, ...]
    votes: tuple[Vote, ...]


class EnsembleExplainer:
    """Explains the predictions of one ensemble."""

    def __init__(self, model: EnsembleModel) -> None:
        self._model = model
        self._members = list(model.members())
        self._columns = sorted({column for member in self._members for column in columns_used(member)})

    def explain(self, row: RowOf) -> EnsembleExplanation:
        """Return the prediction for a row, and how the trees came to it."""
        model = self._model
        answers: Callable[..., tuple[Column, FloatArray]] = forest_answers
        if model.IS_BOOSTED:
            answers = boosted_answers
        codes, shares = answers(model, row.dataset, 1)
        code = codes[0].item()
        place = 0 if model.schema.target.is_numeric else int(code)
        total, base = sum(model.weights), 0.0
        sums: dict[int, float] = {}
        votes: list[Vote] = []
        asked: set[int] = set()
        for member, weight in zip(self._members, model.weights, strict=True):
            path, values = Explainer(member).explain(row), NodeValues(member)
            moved: dict[int, float] = {}
            for step in path.steps:
                attribute = member.tree.attribute[step.node]
                here = float(values.of_one(step.node)[place])
                change = sum(way.share * (float(values.of_one(way.node)[place]) - here) for way in step.ways)
                moved[attribute] = moved.get(attribute, 0.0) + change
            asked.update(moved)
            base += weight / total * float(values.of_one(0)[place])
            for attribute, change in moved.items():
                sums[attribute] = sums.get(attribute, 0.0) + weight / total * change
            assert path.said is not None
            value = path.probabilities[place]
            votes.append(Vote(path.said, value, weight, _ranked(moved, row), path))
        return EnsembleExplanation(
            code if model.schema.target.is_numeric else model.schema.target.labels[code],
            tuple(shares[0].tolist()),
            Grounds(None, (None,) * (len(model.schema.target.labels) or 1)),
            flags_of(row, self._columns, asked),
            base,
            _ranked(sums, row),
            tuple(votes),
        )


def _ranked(moved: dict[int, float], row: RowOf) -> tuple[Moved, ...]:
    """Return the attributes, those that moved the prediction most first; ties in the order of the columns."""
    least = ROUNDING * max(map(abs, moved.values()), default=0.0)
    exact = {attribute: by if abs(by) > least else 0.0 for attribute, by in moved.items()}
    order = sorted(exact.items(), key=lambda pair: (-abs(pair[1]), pair[0]))
    return tuple(Moved(row[attribute], by) for attribute, by in order)
