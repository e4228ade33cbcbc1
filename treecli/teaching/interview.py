"""A tree as an interview: which attribute is needed next, and what follows from the answers given so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treecli.data import Schema
from treecli.errors import UsageError
from treecli.predict.nodevalues import node_distributions
from treecli.predict.routes import Routes, Routing
from treecli.teaching import derivedanswers
from treecli.teaching.answers import Answer, Between, Known, Unknown, Weighted
from treecli.teaching.branches import labels as branch_labels
from treecli.tree import ALL_BRANCHES, STAYS
from treecli.values import Interval
from treecli.wording import number_text, quoted

if TYPE_CHECKING:
    from treecli.data import FloatArray
    from treecli.model import TreeModel
    from treecli.splits import Split


@dataclass(frozen=True, slots=True)
class Way:
    """A branch, the share of the case that takes it, and the answer narrowed to it."""

    branch: int
    share: float
    answer: Answer


@dataclass(frozen=True, slots=True)
class Passed:
    """An inner node on the way: its share of the case, the answer there, and the branches taken."""

    node: int
    share: float
    answer: Answer
    ways: tuple[Way, ...]
    uncertain: tuple[int, ...]
    """The attributes of its column that have no certain value."""


@dataclass(frozen=True, slots=True)
class Walk:
    """How far the answers lead: nodes passed, ends with their shares, and the attribute that is needed next."""

    passed: tuple[Passed, ...]
    ends: tuple[tuple[int, float], ...]
    needed: int | None
    at: int | None
    """The node that needs it."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A prediction with class probabilities, the least and the greatest one possible, and the attributes that decide.

    For a numeric target, `probabilities` has one entry, the number itself.
    """

    prediction: str | float
    probabilities: tuple[float, ...]
    low: float
    high: float
    cases: float
    decides: tuple[int, ...]


class Interview:
    """The questions of one tree.

    `asks_all`: it asks for every attribute of a derived column, because one without an answer may be missing.
    """

    def __init__(self, model: TreeModel, *, asks_all: bool = False) -> None:
        if model.tree.leaf_models:
            raise UsageError("the leaves of the tree have models of their own, which need all attributes")
        self.model = model
        self._asks_all = asks_all
        self._share = Routing.of(model).share
        self._missing_to, self._source = Routes.of(model).missing_to, Routes.of(model).source
        self._predicted = node_distributions(model)

    @property
    def schema(self) -> Schema:
        return self.model.schema

    def walk(self, answers: Mapping[int, Answer]) -> Walk:
        """Return how far the answers lead; nodes are passed in depth-first order, until an attribute is needed."""
        tree = self.model.tree
        passed: list[Passed] = []
        ends: list[tuple[int, float]] = []
        pending: list[tuple[int, float, Mapping[int, Answer]]] = [(0, 1.0, answers)]
        while pending:
            node, share, own = pending.pop()
            if tree.is_leaf(node):
                ends.append((node, share))
                continue
            attribute = tree.attribute[node]
            answer = self.answer_to(tree.split(node), own)
            if isinstance(answer, int):
                return Walk(tuple(passed), tuple(ends), answer, node)
            ways = self.ways(node, own)
            if isinstance(ways, int):
                return Walk(tuple(passed), tuple(ends), ways, node)
            uncertain = [index for index in self.schema.inputs([attribute]) if not isinstance(own.get(index), Known)]
            passed.append(Passed(node, share, answer, tuple(ways), tuple(uncertain)))
            if not ways:
                ends.append((node, share))
            first = tree.first_child[node]
            for way in reversed(ways):
                narrowed = {**own, attribute: way.answer} if attribute in own else own
                pending.append((first + way.branch, share * way.share, narrowed))
        return Walk(tuple(passed), tuple(ends), None, None)

    def conclusion(self, walk: Walk) -> Conclusion:
        """Return the prediction from the ends of a walk."""
        n = self._predicted.shape[1]
        rows = [(share, self._predicted[node].tolist()) for node, share in walk.ends]
        mixed = tuple(sum(share * own[c] for share, own in rows) for c in range(n))
        decides = [index for own in walk.passed if len(own.ways) > 1 for index in own.uncertain]
        cases = sum(self.model.node(self._source[node]).weight for node, _ in walk.ends)
        place, prediction = 0, mixed[0] if mixed else 0.0
        if not self.schema.is_classification:
            numbers = [own[0] for _, own in rows]
            return Conclusion(prediction, mixed, min(numbers), max(numbers), cases, tuple(dict.fromkeys(decides)))
        place = self._label(mixed)
        numbers = [own[place] for _, own in rows]
        label = self.schema.target.labels[place]
        return Conclusion(label, mixed, min(numbers), max(numbers), cases, tuple(dict.fromkeys(decides)))

    def says(self, node: int) -> str:
        """Return the prediction of a node, as text."""
        own = self._predicted[node].tolist()
        if not self.schema.is_classification:
            return number_text(own[0])
        return quoted(self.schema.target.labels[self._label(own)])

    def predicted(self, nodes: Sequence[int]) -> FloatArray:
        """Return the class probabilities, or the number, of each of these nodes, as a row."""
        found: FloatArray = self._predicted[list(nodes)]
        return found

    def missing_to(self, node: int) -> int:
        """Return the branch of missing values, ALL_BRANCHES or STAYS."""
        return int(self._missing_to[node])

    def _label(self, probabilities: object) -> int:
        import numpy as np

        from treecli.predict.nodevalues import predicted

        return int(predicted(self.model, np.array([probabilities]))[0])

    def branch_label(self, node: int, branch: int) -> str:
        """Return the condition of a branch without the attribute's name."""
        split = self.model.tree.split(node)
        texts = branch_labels(split, self.schema)
        return texts[branch] if branch < len(texts) else "missing"

    def condition(self, node: int, branch: int) -> str:
        """Return the condition of a branch."""
        split = self.model.tree.split(node)
        attribute = self.schema.columns[split.attribute]
        if branch >= split.n_branches():
            return self.model.node(node).condition(branch).wording(attribute)
        return split.condition(branch, self.schema).wording(attribute)

    def answer_to(self, split: Split, answers: Mapping[int, Answer]) -> Answer | int:
        """Return the answer to a split's question, or the attribute to ask for."""
        if split.attribute >= len(self.schema.attributes):
            if self._asks_all:
                return derivedanswers.whole_answer_to(split.attribute, self.schema, answers)
            return derivedanswers.answer_to(split, self.schema, answers)
        found = answers.get(split.attribute)
        return split.attribute if found is None else found

    def ways(self, node: int, answers: Mapping[int, Answer]) -> list[Way] | int:
        """Return the branches that an answer takes, or the attribute of a surrogate that has to be asked first."""
        tree = self.model.tree
        split = tree.split(node)
        found: list[Way] = []
        lost: list[tuple[float, Answer]] = []
        given = self.answer_to(split, answers)
        if isinstance(given, int):
            return given
        for branch, share, answer in self._parts(split, given):
            if branch is None:
                lost.append((share, answer))
            else:
                found.append(Way(branch, share, answer))
        if not lost:
            return found
        instead = self._instead(node, answers)
        if isinstance(instead, int):
            return instead
        # A label without a branch here may have one further down.
        spread = [Way(branch, part * share, answer) for part, answer in lost for branch, share in instead]
        return _joined([*found, *spread])

    def _parts(self, split: Split, answer: Answer) -> Iterator[tuple[int | None, float, Answer]]:
        """Yield the branch (None without one), the share and the narrowed answer of each part of an answer."""
        if isinstance(answer, Unknown):
            yield None, 1.0, answer
        elif isinstance(answer, Known):
            yield self._branch(split, answer.value), 1.0, answer
        elif isinstance(answer, Between):
            for branch in range(split.n_branches()):
                own = split.condition(branch, self.schema)
                assert isinstance(own, Interval)
                low, high = max(answer.low, own.low), min(answer.high, own.high)
                if low < high:
                    share = (high - low) / (answer.high - answer.low)
                    yield branch, share, Between(low, high, answer.text)
        else:
            yield from self._of_labels(split, answer)

    def _of_labels(self, split: Split, answer: Weighted) -> Iterator[tuple[int | None, float, Answer]]:
        by_branch: dict[int | None, list[tuple[int, float]]] = {}
        for code, share in answer.shares:
            by_branch.setdefault(self._branch(split, code), []).append((code, share))
        for branch, shares in by_branch.items():
            whole = sum(share for _, share in shares)
            yield branch, whole, Weighted(tuple((code, share / whole) for code, share in shares), answer.text)

    def _branch(self, split: Split, value: float) -> int | None:
        """Return the branch of a number or a code; None if no training case had the label."""
        if split.table:
            taken = split.table[int(value)]
            return taken if taken >= 0 else None
        if self.model.settings.predicting.single_precision and self.schema.columns[split.attribute].is_numeric:
            from ctypes import c_float

            value = c_float(value).value
        return next(b for b in range(split.n_branches()) if split.condition(b, self.schema).holds(value))

    def _instead(self, node: int, answers: Mapping[int, Answer]) -> list[tuple[int, float]] | int:
        """Return the branches of an unknown value with their shares, or a surrogate's attribute to ask for."""
        tree = self.model.tree
        for surrogate in tree.surrogates.get(node, ()):
            answer = self.answer_to(surrogate.split, answers)
            if isinstance(answer, int):
                return answer
            if isinstance(answer, Known):
                taken = self._branch(surrogate.split, answer.value)
                if taken is not None:
                    return [(surrogate.branches[taken], 1.0)]
        to = self._missing_to[node]
        if to == STAYS:
            return []
        if to != ALL_BRANCHES:
            return [(to, 1.0)]
        first = tree.first_child[node]
        shares = [(branch, float(self._share[first + branch])) for branch in range(tree.n_branches[node])]
        return [(branch, share) for branch, share in shares if share > 0]


def _joined(ways: list[Way]) -> list[Way]:
    """Return the ways with one per branch; one that unknown values join has no narrowed answer."""
    by_branch: dict[int, list[Way]] = {}
    for way in ways:
        by_branch.setdefault(way.branch, []).append(way)
    return [
        Way(branch, sum(way.share for way in own), own[0].answer if len(own) == 1 else Unknown())
        for branch, own in sorted(by_branch.items())
    ]
