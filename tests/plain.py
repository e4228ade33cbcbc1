"""A simple grower, case by case, written for readability: the fast one must agree with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import floor, inf, isnan

from tests.growing import CLASS_CRITERIA, information, spread
from treecli.data import Dataset
from treecli.settings import Settings

TOLERANCE = 1e-9

Case = tuple[int, float]
"""A row and the part of its weight that has come this far."""

Value = float | None


@dataclass(frozen=True)
class PlainSplit:
    """One test: where each known value goes, where missing ones go (None: as the policy has it), what it gains."""

    kind: str
    attribute: int
    n_branches: int
    branch: Callable[[float], int]
    missing_to: int | None
    gain: float
    split_info: float
    number: float = 0.0
    label: int = 0


@dataclass
class PlainNode:
    cases: list[Case]
    depth: int
    split: PlainSplit | None = None
    missing_to: int = -1
    first_child: int = 0


class PlainGrower:
    """Grows the tree of a data set; `nodes` are in level order."""

    def __init__(self, dataset: Dataset, settings: Settings) -> None:
        self.dataset = dataset
        self.settings = settings
        self.is_value = settings.missing.policy == "branch"
        self.impurity = CLASS_CRITERIA.get(settings.splitting.criterion or "", "entropy")
        self.nodes = [PlainNode([(row, float(w)) for row, w in enumerate(dataset.weights)], 0)]
        for node in self.nodes:  # grows while it is walked: a queue
            node.split = self.chosen(node)
            if node.split is not None:
                node.first_child = len(self.nodes)
                self.nodes.extend(self.children(node, node.split))

    def value(self, attribute: int, row: int) -> Value:
        value = float(self.dataset.columns[attribute][row])
        is_numeric = self.dataset.schema.attributes[attribute].is_numeric
        return None if (isnan(value) if is_numeric else value < 0) else value

    def outcomes(self, cases: list[Case]) -> list[float]:
        """Class weights, or weight, mean and deviance."""
        assert self.dataset.target is not None
        if self.dataset.schema.is_classification:
            weights = [0.0] * len(self.dataset.schema.target.labels)
            for row, weight in cases:
                weights[self.dataset.target[row]] += weight
            return weights
        total = weight_of(cases)
        if total == 0:
            return [0.0, 0.0, 0.0]
        mean = sum(weight * self.dataset.target[row] for row, weight in cases) / total
        return [total, mean, sum(weight * (self.dataset.target[row] - mean) ** 2 for row, weight in cases)]

    def spread(self, cases: list[Case]) -> float:
        outcomes = self.outcomes(cases)
        return spread(outcomes, self.impurity) if self.dataset.schema.is_classification else outcomes[2]

    def chosen(self, node: PlainNode) -> PlainSplit | None:
        settings, cases = self.settings, node.cases
        least = 2 * settings.stopping.min_leaf if settings.stopping.min_split is None else settings.stopping.min_split
        if node.depth == settings.stopping.max_depth or weight_of(cases) < least - TOLERANCE:
            return None
        if self.spread(cases) < TOLERANCE:
            return None
        found = [self.best(cases, attribute) for attribute in range(len(self.dataset.schema.attributes))]
        usable = [split for split in found if split is not None]
        if settings.stopping.min_gain is not None:
            usable = [split for split in usable if split.gain >= settings.stopping.min_gain - TOLERANCE]
        merits = [split.gain for split in usable]
        if settings.splitting.criterion == "gainratio" and usable:
            average = sum(merits) / len(merits)
            usable = [split for split in usable if split.gain >= average - 1e-3]
            merits = [split.gain / split.split_info for split in usable]
        return first_best(usable, merits, self.slack(cases))

    def slack(self, cases: list[Case]) -> float:
        is_classification = self.dataset.schema.is_classification
        return TOLERANCE * (1.0 if is_classification else self.spread(cases) / weight_of(cases))

    def best(self, cases: list[Case], attribute: int) -> PlainSplit | None:
        """The best split on an attribute, the first of equals."""
        splits = list(self.splits(cases, attribute))
        return first_best(splits, [split.gain for split in splits], self.slack(cases))

    def splits(self, cases: list[Case], attribute: int) -> Iterator[PlainSplit]:
        """Every split on an attribute that leaves enough cases in two branches, in the documented order."""
        described = self.dataset.schema.attributes[attribute]
        present = sorted({v for row, w in cases if w > 0 and (v := self.value(attribute, row)) is not None})
        has_missing = any(self.value(attribute, row) is None and w > 0 for row, w in cases)
        if described.kind != "nominal":
            yield from self.thresholds(cases, attribute, present, has_missing)
        elif self.settings.splitting.nominal == "multiway":
            n_labels = len(described.labels)
            own = self.is_value and has_missing
            yield from self.scored(
                cases, "multiway", attribute, n_labels + own, int, missing_to=n_labels if own else None
            )
        else:
            for label in present:
                sides = (1,) if self.is_value and has_missing else (None,)
                for side in sides:
                    kind = "known" if side == 1 and len(present) == 1 else "binary"
                    branch = (lambda value, label=label: int(value != label)) if kind == "binary" else (lambda value: 0)
                    yield from self.scored(cases, kind, attribute, 2, branch, missing_to=side, label=int(label))
            if self.is_value and has_missing and len(present) > 1:
                yield from self.scored(cases, "known", attribute, 2, lambda value: 0, missing_to=1)

    def thresholds(
        self, cases: list[Case], attribute: int, present: list[float], has_missing: bool
    ) -> Iterator[PlainSplit]:
        sides: tuple[int | None, ...] = (None,)
        if self.is_value and has_missing:
            sides = (0, 1)
            yield from self.scored(cases, "known", attribute, 2, lambda value: 0, missing_to=1, number=inf)
        is_ordinal = self.dataset.schema.attributes[attribute].kind == "ordinal"
        for lower, upper in pairwise(present):
            middle = (lower + upper) / 2
            number = floor(middle) if is_ordinal else middle
            for side in sides:
                yield from self.scored(
                    cases, "threshold", attribute, 2, lambda v, t=number: int(v > t), missing_to=side, number=number
                )

    def scored(
        self,
        cases: list[Case],
        kind: str,
        attribute: int,
        n_branches: int,
        branch: Callable[[float], int],
        *,
        missing_to: int | None,
        number: float = 0.0,
        label: int = 0,
    ) -> Iterator[PlainSplit]:
        parts: list[list[Case]] = [[] for _ in range(n_branches)]
        unknown: list[Case] = []
        for case in cases:
            value = self.value(attribute, case[0])
            if value is not None:
                parts[branch(value)].append(case)
            elif missing_to is not None:
                parts[missing_to].append(case)
            else:
                unknown.append(case)
        weights = [weight_of(part) for part in parts]
        if sum(w > 0 and w >= self.settings.stopping.min_leaf - TOLERANCE for w in weights) < 2:
            return
        before = self.spread([case for part in parts for case in part])
        gain = (before - sum(map(self.spread, parts))) / weight_of(cases)
        info = information([*weights, weight_of(unknown)])
        yield PlainSplit(kind, attribute, n_branches, branch, missing_to, gain, info, number, label)

    def children(self, node: PlainNode, split: PlainSplit) -> list[PlainNode]:
        parts: list[list[Case]] = [[] for _ in range(split.n_branches)]
        unknown: list[Case] = []
        for case in node.cases:
            value = self.value(split.attribute, case[0])
            if value is None and split.missing_to is None:
                unknown.append(case)
            else:
                parts[split.missing_to or 0 if value is None else split.branch(value)].append(case)
        weights = [weight_of(part) for part in parts]
        if self.settings.missing.policy == "fractional":
            for row, weight in unknown:
                for part, of_branch in zip(parts, weights, strict=True):
                    if of_branch > 0:
                        part.append((row, weight * of_branch / sum(weights)))
        else:
            node.missing_to = weights.index(max(weights)) if split.missing_to is None else split.missing_to
            parts[node.missing_to].extend(unknown)
        return [PlainNode(part, node.depth + 1) for part in parts]


def weight_of(cases: list[Case]) -> float:
    return sum(weight for _, weight in cases)


def first_best(splits: list[PlainSplit], merits: list[float], slack: float) -> PlainSplit | None:
    best, most = None, -inf
    for split, merit in zip(splits, merits, strict=True):
        if merit > most + slack:
            best, most = split, merit
    return best
