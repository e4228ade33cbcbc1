"""Explains a tree's prediction for a row: the tests on its path, and the cases behind the prediction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from ctypes import c_float
from dataclasses import dataclass, field
from math import isnan
from typing import TYPE_CHECKING, Literal

from treecli.data import UNSEEN, Attribute, Dataset
from treecli.evaluate.metrics import wilson_interval
from treecli.evaluate.student import mean_interval
from treecli.explain.arithmetic import Arithmetic, attributes_in, of_leaf
from treecli.explain.flags import Flag, flagged
from treecli.model import Model, TreeModel
from treecli.outcomes.rows import total
from treecli.predict.leafmodels import leaf_models
from treecli.predict.nodevalues import predicted
from treecli.predict.predict import columns_used, distributions
from treecli.predict.routes import Routes, Routing
from treecli.rules.rule import BY_CONDITION
from treecli.splits import Split
from treecli.tree import ALL_BRANCHES, DEVIANCE, MEAN, STAYS, WEIGHT
from treecli.values import Condition
from treecli.wording import number_text, quoted

if TYPE_CHECKING:
    from treecli.outcomes.rows import Outcomes

FEWEST = 2.0
"""Minimum number of cases for an interval of a mean."""

Reason = Literal["value", "heaviest", "surrogate", "missing", "only", "every", "stays"]
"""Why a row takes a branch: by its value; or, if the node has no branch for the value, it takes the heaviest branch,
follows a surrogate, takes the branch for missing values, the only branch with cases, or every branch, or ends."""

Value = float | str | None
"""A number, a label that the model may not know, or None for a missing value."""


@dataclass(frozen=True, slots=True)
class Given:
    """The value of one attribute in a row; `code` is the model's encoding of it, None if missing."""

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
    """The evidence for a prediction: the number of cases, and confidence intervals of class shares or of the mean.

    A numeric target has one interval, a nominal one an interval per class; None if the cases are too few, unknown, or
    weighted by priors.
    """

    cases: float | None
    intervals: tuple[tuple[float, float] | None, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """A branch that a row takes, and the fraction of the row that takes it."""

    condition: str
    node: int
    share: float
    outcomes: Outcomes


@dataclass(frozen=True, slots=True)
class Step:
    """A test on the path of a row: the question, the reason for the branch, and the branches taken.

    `number` counts the tests on the path from 1; `level` is how often the row was spread before. `asked_instead` is the
    surrogate that decided, with the row's value.
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
    """A node where a row, or a fraction of it, ends; `source` is the node whose cases give the prediction."""

    node: int
    share: float
    source: int
    formula: Arithmetic | None = None
    """The prediction of the node's own model for the row, if it has one."""

    @property
    def value(self) -> float | None:
        """The number that the node's own model predicts; None if it has none."""
        return None if self.formula is None else self.formula.result


@dataclass(frozen=True, slots=True)
class Warned:
    """A flag of the row; `is_asked`: the prediction used the attribute."""

    flag: Flag
    given: Given
    is_asked: bool


@dataclass(frozen=True, slots=True)
class Explained:
    """A model's prediction for one row, its evidence, and the flags of the row."""

    said: Value
    probabilities: tuple[float, ...]
    grounds: Grounds
    flags: tuple[Warned, ...]


@dataclass(frozen=True, slots=True)
class Explanation(Explained):
    """A tree's prediction, with the path of the row."""

    steps: tuple[Step, ...]
    ends: tuple[End, ...]
    model: TreeModel = field(repr=False, compare=False)


class RowOf:
    """The values of one row under a model's schema; `written` holds the labels that are not in the schema."""

    def __init__(self, dataset: Dataset, written: Mapping[int, str], *, is_single: bool) -> None:
        self.dataset = dataset
        self._written = written
        self._is_single = is_single

    def __getitem__(self, index: int) -> Given:
        attribute = self.dataset.schema.columns[index]
        raw = self.dataset.column(index)[0].item()
        if attribute.is_numeric:
            if isnan(raw):
                return Given(attribute, None, None)
            return Given(attribute, c_float(raw).value if self._is_single else raw, raw)
        if raw == UNSEEN:
            return Given(attribute, UNSEEN, self._written[index])
        return Given(attribute, None, None) if raw < 0 else Given(attribute, raw, attribute.labels[raw])


def flags_of(row: RowOf, columns: Iterable[int], asked: Iterable[int]) -> tuple[Warned, ...]:
    """Return the flags of a row in the columns that a model uses, marking those that the prediction used."""
    seen = set(row.dataset.schema.inputs(asked))
    return tuple(Warned(flag, row[index], index in seen) for index, flag, _ in flagged(row.dataset, columns))


class Explainer:
    """Explains the predictions of one tree."""

    def __init__(self, model: TreeModel) -> None:
        self._model = model
        self._routing = Routing.of(model)
        self._source, self._missing_to = Routes.of(model).source, Routes.of(model).missing_to
        self._heaviest = self._routing.heaviest if model.settings.predicting.unseen == BY_CONDITION else None
        self._columns = columns_used(model)
        self._leaf_models = leaf_models(model)

    def explain(self, row: RowOf) -> Explanation:
        """Return the prediction for a row, and the path to it."""
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
        """Return the tests on a row's path in depth-first order, its ends, and the attributes tested."""
        tree = self._model.tree
        steps: list[Step] = []
        ends: list[End] = []
        asked: set[int] = set()
        pending = [(0, 1.0, 1, 0)]
        while pending:
            node, share, number, level = pending.pop()
            if tree.is_leaf(node):
                ends.append(self._end(node, share, row))
                continue
            step = self._step(node, share, number, level, row, asked)
            steps.append(step)
            if step.reason == "stays":
                ends.append(self._end(node, share, row))
            deeper = level + (len(step.ways) > 1)
            pending.extend((way.node, way.share, number + 1, deeper) for way in reversed(step.ways))
        asked |= attributes_in([end.formula for end in ends if end.formula is not None], self._model.schema)
        return tuple(steps), tuple(ends), asked

    def _end(self, node: int, share: float, row: RowOf) -> End:
        own = self._leaf_models.get(node)
        formula = None if own is None else of_leaf(own, row, self._model.schema)
        return End(node, share, self._source[node], formula)

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
            # A branch for missing values only is not one of the split's branches.
            has_own = taken < split.n_branches()
            condition = (
                split.condition(taken, self._model.schema) if has_own else self._model.node(node).condition(taken)
            )
            outcomes = tree.outcomes_of(first + taken)
            ways.append(Way(condition.wording(given.attribute), first + taken, share * part, outcomes))
        return Step(node, number, level, self._question(split), given, reason, tuple(ways), instead)

    def _branch(self, split: Split, given: Given) -> int | None:
        """Return the branch of a known value, or None if the split has none for it."""
        if given.code is None or given.is_unseen:
            return None
        table = split.table
        if table:
            taken = table[int(given.code)]
            return taken if taken >= 0 else None
        schema = self._model.schema
        return next(b for b in range(split.n_branches()) if split.condition(b, schema).holds(given.code))

    def _lost(self, node: int) -> tuple[Sequence[int], Reason]:
        """Return the branches for a value without its own branch, if no surrogate decides."""
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
        """Return the question of a test: the first branch's condition if there are two branches, else the attribute."""
        schema = self._model.schema
        attribute = schema.columns[split.attribute]
        if split.n_branches() > 2:
            return quoted(attribute.name)
        return split.condition(0, schema).wording(attribute)

    def _grounds(self, ends: Sequence[End]) -> Grounds:
        """Return the evidence for a row's prediction.

        For several ends with shares s and n cases each, the effective number of cases is 1 / Σ s²/n: the number
        that gives an average of the same variance. If all branches of a node were taken by their shares, it equals
        the node's cases.
        """
        tree = self._model.tree
        parts = [(end.share, tree.outcomes_of(end.source)) for end in ends]
        if any(end.value is not None for end in ends):
            # Intervals of a leaf model's prediction would need more than the node's mean and deviance.
            weights = [outcomes[WEIGHT] for _, outcomes in parts]
            return Grounds(_effective([end.share for end in ends], weights) if all(weights) else None, (None,))
        if not self._model.schema.is_classification:
            return grounds_of_numbers(parts, takes_medians=self._model.takes_medians)
        return grounds_of_classes(parts, has_priors=bool(tree.class_scale))


def grounds_of_classes(parts: Sequence[tuple[float, Sequence[float]]], *, has_priors: bool) -> Grounds:
    """Return the evidence for a weighted average of class shares, with Wilson intervals."""
    weights = [total(outcomes) for _, outcomes in parts]
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
    """Return the evidence for a weighted average of means, with Student's t, or Welch's (1947) for several means."""
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
    # As fractions of the variance, because squares of small numbers may underflow to 0.
    freedom = 1 / sum((part / variance) ** 2 / (n - 1) for part, n in zip(each, weights, strict=True))
    return Grounds(cases, (mean_interval(mean, variance, freedom),))


def _effective(shares: Sequence[float], weights: Sequence[float]) -> float:
    """Return the effective number of cases of an average with these shares."""
    if len(weights) == 1:
        return weights[0]
    return 1 / sum(share * share / weight for share, weight in zip(shares, weights, strict=True))


def holds(condition: Condition, given: Given, *, by_condition: bool) -> bool:
    """Return whether a value satisfies a condition; if `by_condition`, the condition decides on unseen labels."""
    if given.is_unseen:
        return condition.unseen if by_condition else condition.missing
    return condition.holds(given.code)


def rows_of(
    model: Model, dataset: Dataset, numbers: Iterable[int], written: Mapping[int, Mapping[int, str]]
) -> Iterator[RowOf]:
    """Yield rows by their numbers from 1; `written` holds each row's labels missing in the schema, by attribute."""
    import numpy as np

    for number in numbers:
        taken = dataset.take(np.array([number - 1]))
        yield RowOf(taken, written.get(number, {}), is_single=model.settings.predicting.single_precision)
