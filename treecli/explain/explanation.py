"""Why a tree predicts what it predicts for a row: the tests on its path, and the cases behind the prediction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from ctypes import c_float
from dataclasses import dataclass, field
from math import isnan
from typing import TYPE_CHECKING, Literal

from treecli.data import UNSEEN, Attribute, Dataset
from treecli.evaluate.metrics import wilson_interval
from treecli.evaluate.student import mean_interval
from treecli.explain.flags import Flag, flagged
from treecli.model import Model, TreeModel
from treecli.predict.predict import columns_used, distributions, predicted
from treecli.predict.routes import Routes, Routing
from treecli.rules.rule import BY_CONDITION
from treecli.splits import Split
from treecli.tree import ALL_BRANCHES, DEVIANCE, MEAN, STAYS, WEIGHT
from treecli.values import Condition
from treecli.wording import number_text, quoted

if TYPE_CHECKING:
    from treecli.tree import Numbers

FEWEST = 2.0
"""Cases that an interval for a mean needs."""

Reason = Literal["value", "heaviest", "surrogate", "missing", "only", "every", "stays"]
"""Why a row takes a branch: by its value; or, without one that the node knows, it takes the heaviest branch,
asks another attribute, takes the branch of missing values, the only one with cases, or every branch, or ends."""

Value = float | str | None
"""A number, a label that the model may know or not, or None for a missing value."""


@dataclass(frozen=True, slots=True)
class Given:
    """The value of one attribute in a row; `code` is what the model takes it for, None where it is missing."""

    attribute: Attribute
    code: float | None
    value: Value

    @property
    def is_unseen(self) -> bool:
        return self.code == UNSEEN and not self.attribute.is_numeric

    @property
    def text(self) -> str:
        if self.value is None:
            return "missing"
        return quoted(self.value) if isinstance(self.value, str) else number_text(self.value)


@dataclass(frozen=True, slots=True)
class Grounds:
    """The evidence for a prediction: the number of cases, and intervals of the class shares or of the mean.

    Of a numeric target there is one interval, of a nominal one an interval for each class; none where the cases are
    too few, unknown, or counted by priors.
    """

    cases: float | None
    intervals: tuple[tuple[float, float] | None, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """A branch that a row takes, and the part of the row that does."""

    condition: str
    node: int
    share: float
    outcomes: Numbers


@dataclass(frozen=True, slots=True)
class Step:
    """A test on the path of a row: the question, the reason for the branch, and the branches taken.

    `number` counts the tests on its way from 1; `level` how often the row was spread before. `asked_instead` is
    the surrogate that decided, with the row's value.
    """

    node: int
    number: int
    level: int
    question: str
    given: Given
    reason: Reason
    ways: tuple[Way, ...]
    asked_instead: tuple[str, Given] | None = None


@dataclass(frozen=True, slots=True)
class End:
    """A node where a row, or a part of it, ends; `source` is the node whose cases give the prediction."""

    node: int
    share: float
    source: int


@dataclass(frozen=True, slots=True)
class Warned:
    """A flag of the row; `is_asked`: the prediction came to ask about the attribute."""

    flag: Flag
    given: Given
    is_asked: bool


@dataclass(frozen=True, slots=True)
class Explained:
    """The prediction of any model for one row, its evidence, and the flags of the row."""

    said: Value
    probabilities: tuple[float, ...]
    grounds: Grounds
    flags: tuple[Warned, ...]


@dataclass(frozen=True, slots=True)
class Explanation(Explained):
    """The prediction of a tree, with the path of the row."""

    steps: tuple[Step, ...]
    ends: tuple[End, ...]
    model: TreeModel = field(repr=False, compare=False)


class RowOf:
    """The values of one row, under the schema of a model; `written` are the labels that the schema does not hold."""

    def __init__(self, dataset: Dataset, written: Mapping[int, str], *, is_single: bool) -> None:
        self.dataset = dataset
        self._written = written
        self._is_single = is_single

    def __getitem__(self, index: int) -> Given:
        attribute = self.dataset.schema.attributes[index]
        raw = self.dataset.columns[index][0].item()
        if attribute.is_numeric:
            if isnan(raw):
                return Given(attribute, None, None)
            return Given(attribute, c_float(raw).value if self._is_single else raw, raw)
        if raw == UNSEEN:
            return Given(attribute, UNSEEN, self._written[index])
        return Given(attribute, None, None) if raw < 0 else Given(attribute, raw, attribute.labels[raw])


def flags_of(row: RowOf, columns: Iterable[int], asked: Iterable[int]) -> tuple[Warned, ...]:
    """The flags of a row in the columns that a model uses; those that the prediction asked for are marked."""
    seen = set(asked)
    return tuple(Warned(flag, row[index], index in seen) for index, flag, _ in flagged(row.dataset, columns))


class Explainer:
    """Explains the predictions of one tree."""

    def __init__(self, model: TreeModel) -> None:
        self._model = model
        self._routing = Routing.of(model)
        self._source, self._missing_to = Routes.of(model).source, Routes.of(model).missing_to
        self._heaviest = self._routing.heaviest if model.settings.predicting.unseen == BY_CONDITION else None
        self._columns = columns_used(model)

    def explain(self, row: RowOf) -> Explanation:
        """The prediction for a row, and the path to it."""
        model = self._model
        probabilities = distributions(model, row.dataset, jobs=1)
        code = predicted(model, probabilities)[0].item()
        steps, ends, asked = self._path(row)
        return Explanation(
            code if model.schema.target.is_numeric else model.schema.target.labels[code],
            tuple(probabilities[0].tolist()),
            self._grounds(ends),
            flags_of(row, self._columns, asked),
            steps,
            ends,
            model,
        )

    def _path(self, row: RowOf) -> tuple[tuple[Step, ...], tuple[End, ...], set[int]]:
        """The tests on the path of a row in reading order, where it ends, and the attributes that were examined."""
        tree = self._model.tree
        steps: list[Step] = []
        ends: list[End] = []
        asked: set[int] = set()
        pending = [(0, 1.0, 1, 0)]
        while pending:
            node, share, number, level = pending.pop()
            if tree.is_leaf(node):
                ends.append(End(node, share, self._source[node]))
                continue
            step = self._step(node, share, number, level, row, asked)
            steps.append(step)
            if step.reason == "stays":
                ends.append(End(node, share, self._source[node]))
            deeper = level + (len(step.ways) > 1)
            pending.extend((way.node, way.share, number + 1, deeper) for way in reversed(step.ways))
        return tuple(steps), tuple(ends), asked

    def _step(self, node: int, share: float, number: int, level: int, row: RowOf, asked: set[int]) -> Step:
        tree = self._model.tree
        split = tree.split(node)
        given = row[split.attribute]
        asked.add(split.attribute)
        instead = None
        reason: Reason = "value"
        branch = self._branch(split, given)
        if branch is None and given.is_unseen and self._heaviest is not None:
            branch, reason = int(self._heaviest[node]), "heaviest"
        if branch is None:
            for surrogate in tree.surrogates.get(node, ()):
                other = row[surrogate.split.attribute]
                asked.add(surrogate.split.attribute)
                taken = self._branch(surrogate.split, other)
                if taken is not None:
                    branch, reason = surrogate.branches[taken], "surrogate"
                    instead = (self._question(surrogate.split), other)
                    break
        branches: Sequence[int]
        if branch is None:
            branches, reason = self._lost(node)
        else:
            branches = [branch]
        first = tree.first_child[node]
        ways = []
        for taken in branches:
            part = float(self._routing.share[first + taken]) if reason == "every" else 1.0
            # A branch that takes nothing but missing values is no branch of the split's own.
            has_own = taken < split.n_branches()
            condition = (
                split.condition(taken, self._model.schema) if has_own else self._model.node(node).condition(taken)
            )
            outcomes = tree.outcomes_of(first + taken)
            ways.append(Way(condition.wording(given.attribute), first + taken, share * part, outcomes))
        return Step(node, number, level, self._question(split), given, reason, tuple(ways), instead)

    def _branch(self, split: Split, given: Given) -> int | None:
        """The branch of a known value, or None where the split has none for it."""
        if given.code is None or given.is_unseen:
            return None
        table = split.table
        if table:
            taken = table[int(given.code)]
            return taken if taken >= 0 else None
        schema = self._model.schema
        return next(b for b in range(split.n_branches()) if split.condition(b, schema).holds(given.code))

    def _lost(self, node: int) -> tuple[Sequence[int], Reason]:
        """The branches of a value that has none of its own, if no surrogate decides."""
        tree = self._model.tree
        to = self._missing_to[node]
        if to == STAYS:
            return (), "stays"
        if to == ALL_BRANCHES:
            first = tree.first_child[node]
            filled = [branch for branch in range(tree.n_branches[node]) if self._routing.share[first + branch] > 0]
            return filled, "every"
        return (to,), "missing" if tree.missing_to[node] == to else "only"

    def _question(self, split: Split) -> str:
        """What a test asks: of two branches the condition of the first, of more the attribute."""
        schema = self._model.schema
        attribute = schema.attributes[split.attribute]
        if split.n_branches() > 2:
            return quoted(attribute.name)
        return split.condition(0, schema).wording(attribute)

    def _grounds(self, ends: Sequence[End]) -> Grounds:
        """The cases behind the prediction of a row.

        Of several ends with shares s and n cases each, that is 1 / Σ s²/n cases: as many as give an average of that
        variance. Where all branches of a node were taken by their shares, these are the cases of the node.
        """
        tree = self._model.tree
        parts = [(end.share, tree.outcomes_of(end.source)) for end in ends]
        if not self._model.schema.is_classification:
            return grounds_of_numbers(parts, takes_medians=self._model.takes_medians)
        return grounds_of_classes(parts, has_priors=bool(tree.class_scale))


def grounds_of_classes(parts: Sequence[tuple[float, Sequence[float]]], *, has_priors: bool) -> Grounds:
    """The cases behind class shares that were averaged, each with its part; Wilson's intervals."""
    weights = [sum(outcomes) for _, outcomes in parts]
    n_classes = len(parts[0][1])
    if not all(weights):
        return Grounds(None, (None,) * n_classes)
    cases = _effective([share for share, _ in parts], weights)
    if has_priors:
        return Grounds(cases, (None,) * n_classes)
    intervals = []
    for code in range(n_classes):
        each = zip(parts, weights, strict=True)
        mean = sum(share * outcomes[code] / weight for (share, outcomes), weight in each)
        intervals.append(wilson_interval(min(mean, 1.0), cases))
    return Grounds(cases, tuple(intervals))


def grounds_of_numbers(parts: Sequence[tuple[float, Sequence[float]]], *, takes_medians: bool) -> Grounds:
    """The cases behind means that were averaged; Student's t, of several by Welch (1947)."""
    weights = [outcomes[WEIGHT] for _, outcomes in parts]
    if not all(weights):
        return Grounds(None, (None,))
    cases = _effective([share for share, _ in parts], weights)
    if takes_medians or min(weights) < FEWEST:
        return Grounds(cases, (None,))
    mean = sum(share * outcomes[MEAN] for share, outcomes in parts)
    each = [share * share * kept[DEVIANCE] / (kept[WEIGHT] - 1) / kept[WEIGHT] for share, kept in parts]
    variance = sum(each)
    if not variance:
        return Grounds(cases, ((mean, mean),))
    # In shares of the variance, because squares of small numbers may be 0.
    freedom = 1 / sum((part / variance) ** 2 / (n - 1) for part, n in zip(each, weights, strict=True))
    return Grounds(cases, (mean_interval(mean, variance, freedom),))


def _effective(shares: Sequence[float], weights: Sequence[float]) -> float:
    """How many cases give an average with these shares of these many."""
    if len(weights) == 1:
        return weights[0]
    return 1 / sum(share * share / weight for share, weight in zip(shares, weights, strict=True))


def holds(condition: Condition, given: Given, *, by_condition: bool) -> bool:
    """Whether a value satisfies a condition; `by_condition`: the condition decides about unseen labels."""
    if given.is_unseen:
        return condition.unseen if by_condition else condition.missing
    return condition.holds(given.code)


def rows_of(
    model: Model, dataset: Dataset, numbers: Iterable[int], written: Mapping[int, Mapping[int, str]]
) -> Iterator[RowOf]:
    """Rows by their numbers from 1; `written` has the labels of each that the schema does not hold, by attribute."""
    import numpy as np

    for number in numbers:
        taken = dataset.take(np.array([number - 1]))
        yield RowOf(taken, written.get(number, {}), is_single=model.settings.predicting.single_precision)
