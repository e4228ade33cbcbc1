"""The regions where two models predict differently, exactly: boxes that cover every such row and no other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treecli import models
from treecli.data import MISSING, UNSEEN, Dataset
from treecli.difference.joint import Side, everything, sides
from treecli.difference.walks import Position, RuleWalk, TreeWalk, Walk, undetermined
from treecli.errors import ModelError, UsageError
from treecli.rules.boxes import Box, Space
from treecli.rules.expansion import only_counts
from treecli.rules.rulelist import RuleList
from treecli.rules.touching import Touching, do_merge, hash_of, joined
from treecli.values import Condition, Interval

if TYPE_CHECKING:
    from treecli.data import Column
    from treecli.model import Model

MOST_PAIRS = 1_000_000
"""The search stops after this many pairs of meeting leaves."""

STEPS_PER_PAIR = 30
"""The search also stops after this many steps for each of them: rules may cut a box without deciding it."""

ROWS_AT_ONCE = 50_000
"""Boxes whose predictions are computed together, from a row of each."""


@dataclass(frozen=True, slots=True)
class Region:
    """Rows for which the models predict `a` and `b`, joint codes or numbers, and the leaves or rules that decide."""

    box: Box
    a: float
    b: float
    leaves_a: tuple[int, ...]
    leaves_b: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The regions of a space where two models differ; `is_complete` is False if the search was stopped.

    `undetermined` are the attributes whose missing values no region describes.
    """

    sides: tuple[Side, Side]
    space: Space
    regions: list[Region]
    is_complete: bool
    undetermined: list[int]
    refused: list[int]
    """Attributes with labels that one of the models refuses, and that no region describes."""
    why_no_regions: str | None = None
    """Why the models have no exact regions, if only rows are compared."""


def compared(a: Model, b: Model, tolerance: float = 0.0, most_pairs: int | None = None) -> Comparison:
    """Return the regions where the predictions of two models differ; numbers by more than the tolerance."""
    reason = why_no_regions(a) or why_no_regions(b)
    if reason is not None:
        raise UsageError(reason, "name a file with rows, which are compared instead: treecli diff A B DATA")
    joint = sides(a, b)
    trees = [models.as_tree(side.model) for side in joint]
    used = tuple({side.places[own] for own in models.columns_used(side.model)} for side in joint)
    unknown = set[int]().union(*(undetermined(side, tree) for side, tree in zip(joint, trees, strict=True)))
    values = everything(joint, unknown, (used[0], used[1]))
    tells_unseen = any(side.unseen_by_condition for side in joint)
    space = Space(joint[0].schema, tells_unseen=tells_unseen, everything=values)
    walks = [
        RuleWalk(side, _rules(side.model), space) if tree is None else TreeWalk(side, tree, space)
        for side, tree in zip(joint, trees, strict=True)
    ]
    search = _Search(space, joint, (walks[0], walks[1]), tolerance)
    is_complete = search.run(most_pairs or MOST_PAIRS)
    refused = [
        place
        for place, attribute in enumerate(space.schema.attributes)
        if not attribute.is_numeric and _bits(values[place]).bit_count() < len(attribute.labels)
    ]
    return Comparison(joint, space, merged(search.found, space), is_complete, sorted(unknown), refused)


def why_no_regions(model: Model) -> str | None:
    """Return why a model does not predict one label or number in each of some boxes of attributes; None if it does."""
    if models.as_ensemble(model) is not None or models.rule_sets(model):
        return f"{models.kind_of(model).TITLE} has too many regions to search"
    if not only_counts(model.schema):
        return "a model that tests sums of attributes has no exact regions"
    if any(models.formulas(model)):
        return "a model that predicts by formulas has no exact regions"
    return None


def without_regions(a: Model, b: Model, reason: str) -> Comparison:
    """Return a comparison of rows only."""
    joint = sides(a, b)
    return Comparison(joint, Space(joint[0].schema, tells_unseen=False), [], False, [], [], reason)


def _bits(values: Condition) -> int:
    return 0 if isinstance(values, Interval) else values.bits


def _rules(model: Model) -> RuleList:
    """Return the model if it is a rule list; raise a ModelError for any other kind."""
    rules = models.as_rule_list(model)
    if rules is None:
        raise ModelError(
            f"found {models.kind_of(model).TITLE}, expected a tree or a rule list",
            "name DATA as well: its rows are compared",
        )
    return rules


class _Search:
    """Walks both models together through the space, and keeps the boxes where they differ."""

    def __init__(self, space: Space, joint: tuple[Side, Side], walks: tuple[Walk, Walk], tolerance: float) -> None:
        self._space, self._sides, self._walks, self._tolerance = space, joint, walks, tolerance
        self.found: list[Region] = []
        self._undecided: list[tuple[Box, Position, Position]] = []

    def run(self, most_pairs: int) -> bool:
        """Search the whole space; return whether the search was completed."""
        a, b = self._walks
        pending = [(Box(), a.start(), b.start())]
        n_pairs, n_steps = 0, 0
        while pending and n_pairs < most_pairs and n_steps < STEPS_PER_PAIR * most_pairs:
            box, at_a, at_b = pending.pop()
            n_steps += 1
            if not at_a.is_final:
                parts = a.cut(box, at_a)
                # The second model follows as far as all rows of the box go one way, before the first cuts it.
                if len(parts) > 1:
                    at_b, n_more = _followed(b, box, at_b)
                    n_steps += n_more
                pending += [(part, to, at_b) for part, to in reversed(parts)]
            elif not at_b.is_final:
                pending += [(part, at_a, to) for part, to in reversed(b.cut(box, at_b))]
            else:
                n_pairs += 1
                self._keep(box, at_a, at_b)
        self._decide()
        return not pending

    def _keep(self, box: Box, at_a: Position, at_b: Position) -> None:
        a, b = self._walks[0].prediction(at_a), self._walks[1].prediction(at_b)
        if a is None or b is None:
            self._undecided.append((box, at_a, at_b))
            if len(self._undecided) == ROWS_AT_ONCE:
                self._decide()
        elif self._differ(a, b):
            self.found.append(Region(box, a, b, at_a.reached, at_b.reached))

    def _differ(self, a: float, b: float) -> bool:
        return abs(a - b) > self._tolerance if self._space.schema.target.is_numeric else a != b

    def _decide(self) -> None:
        """Decide the boxes whose prediction is a mixture, by the models' own predictions for a row of each."""
        if not self._undecided:
            return
        rows = _examples(self._space, [box for box, _, _ in self._undecided])
        a, b = (joint_predictions(side, rows) for side in self._sides)
        for (box, at_a, at_b), of_a, of_b in zip(self._undecided, a.tolist(), b.tolist(), strict=True):
            if self._differ(of_a, of_b):
                self.found.append(Region(box, of_a, of_b, at_a.reached, at_b.reached))
        self._undecided.clear()


def _followed(walk: Walk, box: Box, position: Position) -> tuple[Position, int]:
    """Return the last position that all rows of a box share, and the number of steps to it."""
    n_steps = 0
    while not position.is_final:
        n_steps += 1
        parts = walk.cut(box, position)
        if len(parts) != 1:
            break
        position = parts[0][1]
    return position, n_steps


def joint_predictions(side: Side, rows: Dataset, jobs: int | None = None) -> Column:
    """Return a model's predictions for rows under the joint schema: joint codes, or numbers."""
    import numpy as np

    found = models.predictions(side.model, side.rows(rows), jobs)
    return np.array(side.target_codes, np.int32)[found] if side.target_codes else found


def _examples(space: Space, boxes: list[Box]) -> Dataset:
    """Return a row of each box."""
    import numpy as np

    usual = dict(enumerate(space.everything))
    witnesses = [space.witness(usual | box) for box in boxes]
    columns: list[Column] = []
    for index, attribute in enumerate(space.schema.attributes):
        values = [witness[index] for witness in witnesses]
        if attribute.is_numeric:
            columns.append(np.array([np.nan if value is None else value for value in values], np.float64))
        else:
            codes = [MISSING if value is None else UNSEEN if isinstance(value, str) else value for value in values]
            columns.append(np.array(codes, np.int32))
    return Dataset(space.schema, columns, None, np.ones(len(boxes)))


def merged(regions: list[Region], space: Space) -> list[Region]:
    """Return the regions after joining those of equal predictions that differ in one attribute and touch."""
    left: list[Region | None] = list(regions)
    hashes = [hash_of(region.box) for region in regions]
    touching = Touching()
    pending = deque(range(len(left)))
    while pending:
        position = pending.popleft()
        region = left[position]
        if region is None:
            continue
        says = region.a, region.b
        # The last test first: leaves with the same parent merge first.
        for attribute, values in reversed(region.box.items()):
            rest = hashes[position] ^ hash((attribute, values))
            partner = _partner(left, position, attribute, touching.candidates(says, attribute, rest, values))
            touching.add(says, attribute, rest, values, position)
            if partner is not None:
                first, second = sorted((position, partner))
                left[first] = both = _joined(left[first], left[second], attribute, space)
                left[second] = None
                hashes[first] = hash_of(both.box)
                pending.append(first)
                break
    return [region for region in left if region is not None]


def _partner(left: list[Region | None], position: int, attribute: int, candidates: Iterable[int]) -> int | None:
    """Return a region that can be joined with another along an attribute."""
    region = left[position]
    assert region is not None
    for candidate in candidates:
        other = left[candidate]
        if candidate != position and other is not None and do_merge(region.box, other.box, attribute):
            return candidate
    return None


def _joined(region: Region | None, other: Region | None, attribute: int, space: Space) -> Region:
    assert region is not None
    assert other is not None
    box = joined(region.box, other.box, attribute, space)
    leaves_a, leaves_b = _together(region.leaves_a, other.leaves_a), _together(region.leaves_b, other.leaves_b)
    return Region(box, region.a, region.b, leaves_a, leaves_b)


def _together(first: Iterable[int], second: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted({*first, *second}))


def conditions(region: Region, space: Space) -> list[Condition]:
    """Return the conditions of a region in the order of the attributes, without those that every row satisfies."""
    return [space.condition(values) for _, values in sorted(region.box.items())]


def share(box: Box, space: Space, ranges: dict[int, tuple[float, float]]) -> float | None:
    """Return the share of the space of known values that a box takes; None if a range is unknown.

    Labels count alike, and numbers by length within the range of the training data.
    """
    taken = 1.0
    for place, values in box.items():
        if isinstance(values, Interval):
            if place not in ranges:
                return None
            taken *= _part_of_range(values, *ranges[place])
        else:
            taken *= values.bits.bit_count() / len(space.schema.attributes[place].labels)
    return taken


def _part_of_range(values: Interval, low: float, high: float) -> float:
    if low == high:
        return float(values.takes_known and values.holds(low))
    return max(min(values.high, high) - max(values.low, low), 0.0) / (high - low) if values.takes_known else 0.0
