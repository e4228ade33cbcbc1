"""Interviews of every kind of model, as `ask` leads them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Protocol

from treecli.teaching import derivedanswers, telling
from treecli.teaching.answeredrows import AnsweredRows
from treecli.teaching.answers import Answer, without_unknown
from treecli.teaching.completions import Completer
from treecli.teaching.interview import Conclusion, Interview

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from treecli.data import Schema
    from treecli.model import Model, TreeModel

    Answers = Mapping[int, Answer]


class Consultation(Protocol):
    """The questions of a model, and its conclusion from the answers."""

    @property
    def schema(self) -> Schema: ...

    def needed(self, answers: Answers, /) -> int | None:
        """Return the attribute to ask for next; None if the answers suffice."""
        ...

    def check(self, answers: Answers, /) -> None:
        """Raise an AnswerError if nothing can be concluded from such answers."""
        ...

    def why(self, answers: Answers, /) -> str:
        """Return what the answers have led to."""
        ...

    def subtree(self, answers: Answers, /) -> tuple[TreeModel, int] | None:
        """Return the tree and the node that needs an answer; None if the model is not a single tree."""
        ...

    def rest(self, answers: Answers, /) -> list[str]:
        """Return the parts of the model that are still open, as lines, if it is not a single tree."""
        ...

    def used(self, answers: Answers, /) -> set[int]:
        """Return the attributes that the prediction needs."""
        ...

    def prediction(self, answers: Answers, /) -> str | float:
        """Return the predicted label or number."""
        ...

    def lines(self, answers: Answers, /) -> Iterator[str]:
        """Yield the conclusion as text."""
        ...

    def facts(self, answers: Answers, /) -> dict[str, Any]:
        """Return the conclusion as JSON has it."""
        ...


class TreeConsultation:
    """The questions of one tree: those on the path of the case."""

    def __init__(self, model: TreeModel) -> None:
        self._interview = Interview(model)

    @property
    def schema(self) -> Schema:
        return self._interview.schema

    def needed(self, answers: Answers) -> int | None:
        return self._interview.walk(answers).needed

    def check(self, answers: Answers) -> None:
        """Accept all answers: a tree divides a case at its own thresholds, but not at those of derived columns."""
        tree = self._interview.model.tree
        instead = (own.split.attribute for each in tree.surrogates.values() for own in each)
        columns = {index for index in (*tree.attribute, *instead) if index >= 0}
        derivedanswers.check(sorted(columns), self.schema, answers)

    def why(self, answers: Answers) -> str:
        return telling.because(self._interview, self._interview.walk(answers)) or "nothing is known yet"

    def subtree(self, answers: Answers) -> tuple[TreeModel, int] | None:
        node = self._interview.walk(answers).at
        return self._interview.model, 0 if node is None else node

    def rest(self, answers: Answers) -> list[str]:
        return []

    def used(self, answers: Answers) -> set[int]:
        tree, passed = self._interview.model.tree, self._interview.walk(answers).passed
        instead = {other.split.attribute for own in passed for other in tree.surrogates.get(own.node, ())}
        return set(self.schema.inputs(instead | {tree.attribute[own.node] for own in passed}))

    def prediction(self, answers: Answers) -> str | float:
        return self._interview.conclusion(self._interview.walk(answers)).prediction

    def lines(self, answers: Answers) -> Iterator[str]:
        walk = self._interview.walk(answers)
        return telling.lines(self._interview, walk, self._interview.conclusion(walk))

    def facts(self, answers: Answers) -> dict[str, Any]:
        walk = self._interview.walk(answers)
        return telling.facts(self._interview, walk, self._interview.conclusion(walk), answers)


class RowConsultation(ABC):
    """The questions of a model that predicts the rows that answers stand for: a rule list or an ensemble.

    It asks until the label, or the number, is the same whatever the other values are, missing ones included.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._rows = AnsweredRows(model)
        self._completer = Completer(model, self._rows)

    @property
    def schema(self) -> Schema:
        return self._model.schema

    @abstractmethod
    def wanted(self, answers: Answers) -> list[int]:
        """Return the attributes that could be asked for next, the most useful first; none if the answers suffice."""

    def needed(self, answers: Answers) -> int | None:
        """Return the attribute to ask for next; None if the answers suffice.

        Where all values that others could have are few enough, only an attribute that can change the prediction.
        """
        wanted = self.wanted(answers)
        if not wanted:
            return None
        found = self._completer.of(answers, self.open_attributes(answers) - set(answers))
        if found is None:
            return wanted[0]
        useful = found.useful
        return next((index for index in (*wanted, *useful) if index in useful), None)

    @abstractmethod
    def why(self, answers: Answers) -> str:
        """Return what the answers have led to."""

    @abstractmethod
    def rest(self, answers: Answers) -> list[str]:
        """Return the rules, or how the trees stand, as lines."""

    @abstractmethod
    def reasons(self, answers: Answers) -> str:
        """Return the rules that decide, or the votes."""

    @abstractmethod
    def basis(self, answers: Answers) -> str:
        """Return the rules or trees behind the prediction."""

    @abstractmethod
    def parts(self, answers: Answers) -> dict[str, Any]:
        """Return the rules or leaves behind the prediction, as JSON has them."""

    @abstractmethod
    def limits(self, answers: Answers, code: int) -> tuple[float, float]:
        """Return bounds of the probability of a class, or of the number, that other values could give."""

    @abstractmethod
    def open_attributes(self, answers: Answers) -> set[int]:
        """Return the attributes that may change what the model predicts, without or with an uncertain answer.

        Unknown values are missing.
        """

    def check(self, answers: Answers) -> None:
        self._rows.check(answers)

    def subtree(self, answers: Answers) -> tuple[TreeModel, int] | None:
        """Return None: there is no single tree."""
        return None

    def prediction(self, answers: Answers) -> str | float:
        return self._rows.predict(answers)[0]

    def used(self, answers: Answers) -> set[int]:
        return set(self.asked(answers))

    def asked(self, answers: Answers) -> list[int]:
        """Return the attributes in the order in which these answers would be asked for."""
        given: dict[int, Answer] = {}
        while (index := self.needed(given)) is not None and index in answers:
            given[index] = answers[index]
        return list(given)

    def conclusion(self, answers: Answers) -> Conclusion:
        """Return the prediction; it is that of `predict` for the row with the answers, others missing."""
        prediction, probabilities = self._rows.predict(answers)
        target = self.schema.target
        code = target.labels.index(str(prediction)) if self.schema.is_classification else 0
        known = without_unknown(answers)
        low, high = self.limits(known, code)
        now = probabilities[code]
        open_ = self.open_attributes(known)
        found = self._completer.of(known, open_ - set(known))
        if found is not None:
            low, high = found.limits(code)
            open_ = (open_ & set(known)) | found.changing(code)
        decides = tuple(index for index in answers if index in open_)
        return Conclusion(prediction, probabilities, min(low, now), max(high, now), 0.0, decides)

    def lines(self, answers: Answers) -> Iterator[str]:
        found = self.conclusion(answers)
        yield f"{telling.prediction_text(self.schema, found)}      from {self.basis(answers)}"
        yield f"because {self.reasons(answers)}"
        if found.high - found.low <= telling.VISIBLE:
            return
        if found.decides:
            yield telling.decision(self.schema, found)
        else:
            yield f"values not asked for cannot change the prediction: {telling.range_text(self.schema, found)}"

    def facts(self, answers: Answers) -> dict[str, Any]:
        found, asked = self.conclusion(answers), self.asked(answers)
        return telling.record(self.schema, found, answers, asked, self.parts(answers))


def share_of(votes: float, others: float) -> float:
    """Return the share of some votes among all; 0 without any."""
    return votes / (votes + others) if votes > 0 else 0.0
