"""Hyperplanes for the open nodes of a level: the cases standardised for the kernel, and coefficients that read well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treecli.grow.candidates import NO_GAIN, joined
from treecli.grow.proposals import Scored, scored
from treecli.kernels import oblique
from treecli.records import dataclass

if TYPE_CHECKING:
    from treecli.grow.candidates import Flags, Floats, Indices
    from treecli.grow.level import MemoryLevel
    from treecli.grow.proposals import OpenNodes

MOST_CASES = 1024
"""A larger node is searched by a sample of this size; its threshold comes from all cases."""

KEPT_SHARE = 0.9375
"""A node that is searched by a sample takes the plane of one above it if it has this share of its cases.

Splits that send few cases away, which the gain ratio prefers, would else have the same search repeated below each.
"""

CASES_PER_ATTRIBUTE = 2
"""Nodes with fewer cases per attribute are not searched: a plane could separate any labels (OC1's limit)."""

MOST_RESTARTS, FEWEST_RESTARTS = 20, 2

WORK = 2_000_000
"""Cases times attributes times restarts, if that many restarts are at least FEWEST_RESTARTS."""

N_SPARSE, N_JUMPS = 5, 5
"""Random directions of which a restart takes the best, and random jumps where no coefficient helps."""

DENSITY = 2.0
"""The expected number of attributes in a random direction (SPORF's factor λ)."""

KNOWN_SHARE = 0.5
"""An attribute is used at a node where at least this share of its values is known."""

DIGITS = (1, 2, 3, 4, 6, 9)
"""Significant digits of coefficients, the first that lower no gain are kept."""

N_PORTIONS = 32
"""Portions of the nodes of a level, for threads."""

MOST_UNUSED = 64
"""Places of rows are sorted by a table of all rows where the node has at least one of so many."""

_TINY = 1e-9


@dataclass(frozen=True)
class Sample:
    """Cases of the searched nodes, in an order that does not depend on the order of the rows."""

    nodes: Indices
    """The nodes, by their index in the level."""
    case: Indices
    """The cases, by their index in the level."""
    start: Indices
    share: Floats
    """The weight of each case as a share of its node's."""

    @property
    def place(self) -> Indices:
        """The place of each case's node in `nodes`."""
        return np.repeat(np.arange(len(self.nodes)), np.diff(self.start))

    def average(self, values: Floats) -> Floats:
        """Return the sum of values times share for each node."""
        sums = np.bincount(self.place, values * self.share, minlength=len(self.nodes))
        return np.asarray(sums, np.float64)


class Kept(NamedTuple):
    """The planes of the last level."""

    factor: Floats
    """By node and attribute: the coefficients, 0 where there is no plane."""
    n_searched: Indices
    """By node: the number of cases of the node that its plane was searched for."""


def planes(nodes: OpenNodes, attributes: Sequence[int]) -> tuple[Floats, Scored | None]:
    """Return the coefficients of a plane for each node, found there or kept from a node above, and their scores.

    All coefficients are 0 where there is no plane. The scores are None if there is none at any node.
    """
    size = nodes.level.size
    last: list[Kept] = nodes.kept("planes", list)
    found, n_searched, is_searched = np.zeros((len(size), len(attributes))), size.copy(), np.ones(len(size), bool)
    if last:
        above = last.pop()
        least = np.maximum(KEPT_SHARE * above.n_searched[nodes.parent], MOST_CASES)
        # Where a plane was chosen, what remains is another problem.
        is_searched = ~(nodes.is_by_attribute & (size > least))
        parent = nodes.parent[~is_searched]
        found[~is_searched], n_searched[~is_searched] = above.factor[parent], above.n_searched[parent]
    found[is_searched] = coefficients(nodes, attributes, is_searched)
    found[np.count_nonzero(found, axis=1) < 2] = 0.0
    found, scores = rounded(nodes, attributes, found, is_searched)
    last.append(Kept(found, n_searched))
    return found, scores


def coefficients(nodes: OpenNodes, attributes: Sequence[int], is_searched: Flags) -> Floats:
    """Return the coefficients of the best plane found at each of these nodes, in the units of the data.

    A row is a node, a column one of the attributes. The coefficient that matters most is 1; all are 0 where there is no
    plane.
    """
    found = np.zeros((nodes.level.n_nodes, len(attributes)))
    sample = _sample(nodes, len(attributes), is_searched)
    if len(sample.nodes):
        planes = _problem(nodes, sample, len(attributes))
        scale = _standardise(nodes, attributes, sample, planes)
        _search(nodes, planes, _n_restarts(nodes, len(attributes)))
        direction, gain = np.asarray(planes.found)[:, :-1], np.asarray(planes.gain)[:, 0]
        lead = np.abs(direction).argmax(axis=1)[:, None]
        with np.errstate(all="ignore"):
            own = np.where(direction != 0, direction / scale, 0.0)
            own /= np.take_along_axis(own, lead, axis=1)
        own[~(np.isfinite(own).all(axis=1) & (gain > 0))] = 0.0
        found[sample.nodes] = own
    return found[is_searched]


def _n_restarts(nodes: OpenNodes, n_attributes: int) -> int:
    """Return the number of starts at each node: fewer for large data."""
    n_rows = len(nodes.engine.columns[0])
    return int(np.clip(WORK // max(n_rows * n_attributes, 1), FEWEST_RESTARTS, MOST_RESTARTS))


def _sample(nodes: OpenNodes, n_attributes: int, is_searched: Flags) -> Sample:
    """Return the cases of these nodes that are large enough, at most MOST_CASES of each."""
    level = nodes.level
    searched = np.flatnonzero(is_searched & (level.size >= CASES_PER_ATTRIBUTE * n_attributes))
    place = nodes.kept("place of each row", lambda: _places(nodes))
    cases = []
    for node in searched.tolist():
        begin, end = level.start[node : node + 2]
        own = begin + _in_order(place[level.row[begin:end]], len(place))
        if len(own) > MOST_CASES:
            own = own[np.sort(nodes.random(node).choice(len(own), MOST_CASES, replace=False))]
        cases.append(own)
    case = np.concatenate(cases) if cases else np.zeros(0, np.int64)
    start = np.concatenate([[0], np.cumsum([len(own) for own in cases], dtype=np.int64)])
    weight = level.weight[case]
    if nodes.plan.is_scaled:
        weight = weight * np.asarray(nodes.plan.class_scale)[level.label[case]]
    found = Sample(searched, case, start.astype(np.int64), weight)
    total = np.bincount(found.place, weight, minlength=len(searched))
    return replace(found, share=weight / total[found.place])


def _in_order(places: Indices, n_places: int) -> Indices:
    """Return the indices that sort different places below `n_places`."""
    if MOST_UNUSED * len(places) < n_places:
        return np.argsort(places, kind="stable")
    index_of = np.full(n_places, -1)
    index_of[places] = np.arange(len(places))
    return index_of[index_of >= 0]


def _places(nodes: OpenNodes) -> Indices:
    """Return the place of each row in an order by its values, so that the order of the file does not matter."""
    engine = nodes.engine
    keys = [*engine.columns, engine.target_of_row, engine.label_of_row]
    place = np.empty(len(keys[0]), np.int64)
    place[np.lexsort(keys)] = np.arange(len(place))
    return place


def _standardise(nodes: OpenNodes, attributes: Sequence[int], sample: Sample, planes: oblique.Planes) -> Floats:
    """Set the attributes of all cases, with mean 0 and deviation 1 in each node; return the deviations.

    A missing value is 0. The deviation is 0 where an attribute cannot be used.
    """
    scale, rows = np.zeros((len(sample.nodes), len(attributes))), nodes.level.row[sample.case]
    with np.errstate(all="ignore"):
        for place, attribute in enumerate(attributes):
            oblique.standardise(place, nodes.engine.columns[attribute], rows, KNOWN_SHARE, planes, scale)
    planes.usable = (scale > 0).astype(np.uint8)
    return scale


def _problem(nodes: OpenNodes, sample: Sample, n_attributes: int) -> oblique.Planes:
    """Return the search as the object that the kernel reads; its attributes are to be set."""
    level, plan = nodes.level, nodes.plan
    n_nodes = len(sample.nodes)
    planes = oblique.Planes()
    planes.z, planes.start, planes.share = np.zeros((len(sample.case), n_attributes)), sample.start, sample.share
    planes.label = level.label[sample.case]
    planes.target = _targets(level.target[sample.case], sample)
    weight = level.weights(plan)[sample.nodes]
    least = np.maximum(plan.min_leaf / weight, plan.min_rows / np.diff(level.start)[sample.nodes])
    planes.least = np.maximum(least - _TINY, _TINY)
    planes.is_numeric = plan.is_numeric
    planes.n_sparse, planes.n_jumps = N_SPARSE, N_JUMPS
    n_draws = _n_restarts(nodes, n_attributes) * (N_SPARSE + N_JUMPS)
    planes.draw = np.array([_drawn(nodes.random(node), n_draws, n_attributes) for node in sample.nodes.tolist()])
    planes.found, planes.gain = np.zeros((n_nodes, n_attributes + 1)), np.zeros((n_nodes, 2))
    return planes


def _targets(target: Floats, sample: Sample) -> Floats:
    """Return the targets with mean 0 and deviation 1 in each node."""
    away = target - sample.average(target)[sample.place]
    with np.errstate(all="ignore"):
        deviation = np.sqrt(sample.average(away**2))
        return np.where(deviation[sample.place] > 0, away / deviation[sample.place], 0.0)


def _drawn(random: np.random.Generator, n_draws: int, n_attributes: int) -> Floats:
    """Return random directions: for each restart, sparse ones without a constant, and dense ones for jumps."""
    drawn = random.normal(size=(n_draws, n_attributes + 1)).reshape(-1, N_SPARSE + N_JUMPS, n_attributes + 1)
    sparse = drawn[:, :N_SPARSE]
    is_in = random.random((*sparse.shape[:2], n_attributes)) < DENSITY / n_attributes
    one = random.integers(0, n_attributes, sparse.shape[:2])
    is_in[~is_in.any(axis=2), one[~is_in.any(axis=2)]] = True
    sparse[:, :, :-1] = np.where(is_in, np.sign(sparse[:, :, :-1]), 0.0)
    sparse[:, :, -1] = 0.0
    return drawn.reshape(n_draws, n_attributes + 1)


def _search(nodes: OpenNodes, planes: oblique.Planes, n_restarts: int) -> None:
    """Fill in the planes of all nodes, in portions that threads share."""
    start = np.asarray(planes.start)
    ends = np.searchsorted(start, np.linspace(0, start[-1], N_PORTIONS + 1))
    ends[-1] = len(start) - 1

    def work(portion: int) -> None:
        first, last = int(ends[portion]), int(ends[portion + 1])
        largest = int(np.diff(start[first : last + 1]).max())
        oblique.search(first, last, n_restarts, _with_room(planes, largest, nodes.level.totals.shape[1]))

    portions = np.flatnonzero(np.diff(ends)).tolist()
    # Each start goes through the cases at least once for each attribute.
    n_cases = np.size(planes.z) * n_restarts if len(portions) > 1 else 0
    nodes.engine.map(work, portions, n_cases)


def _with_room(planes: oblique.Planes, n_cases: int, n_outcomes: int) -> oblique.Planes:
    """Return the search with scratch of its own."""
    own = oblique.Planes()
    for name in ("z", "label", "target", "share", "start", "usable", "least", "draw", "is_numeric", "n_sparse",
                 "n_jumps", "found", "gain"):  # fmt: skip
        setattr(own, name, getattr(planes, name))
    own.plane = np.zeros((2, planes.z.shape[1] + 1))
    own.sums = np.zeros((2, n_outcomes + 2))
    own.height, own.slope, own.value, own.spare_value = np.empty((4, n_cases))
    own.row, own.spare_row = np.empty((2, n_cases), np.int32)
    own.pending, own.version = np.empty(2 * n_cases + 2, np.int64), np.empty(planes.z.shape[1] + 1, np.int64)
    return own


def rounded(
    nodes: OpenNodes, attributes: Sequence[int], own: Floats, is_searched: Flags
) -> tuple[Floats, Scored | None]:
    """Return the coefficients with as few digits as lower no gain, and their scores; None if there is no plane.

    Those of nodes that were not searched are rounded already. The gain is NO_GAIN at nodes without a plane.
    """
    columns, plan = [nodes.engine.columns[attribute] for attribute in attributes], nodes.plan
    has_plane = (own != 0).any(axis=1)
    if not has_plane.any():
        return own, None
    place, case = np.flatnonzero(has_plane), np.flatnonzero(has_plane[nodes.level.node_of_case])
    level = nodes.level.without_attribute_orders().part(has_plane)
    best, values = own.copy(), np.full(nodes.level.n_cases, np.nan)
    values[case] = _sums(columns, level, own[place])
    tried, entry = [scored(values[case], level, plan)], np.maximum(np.cumsum(has_plane) - 1, 0)
    least = tried[0].gain[entry] - _TINY * np.maximum(np.abs(tried[0].gain[entry]), _TINY)
    is_left, n_tried = is_searched[place], len(place)
    for n_digits in DIGITS:
        place, case, level = place[is_left], case[is_left[level.node_of_case]], level.part(is_left)
        if not len(place):
            break
        shorter = _with_digits(own[place], n_digits)
        sums = _sums(columns, level, shorter)
        tried.append(scored(sums, level, plan))
        is_left = ~(tried[-1].gain >= least[place])
        is_kept = ~is_left[level.node_of_case]
        values[case[is_kept]] = sums[is_kept]
        best[place[~is_left]], entry[place[~is_left]] = shorter[~is_left], n_tried + np.flatnonzero(~is_left)
        n_tried += len(place)
    found = joined(tried).taken(entry)
    return best, Scored(values, replace(found, gain=np.where(has_plane, found.gain, NO_GAIN)))


def _sums(columns: Sequence[Floats], level: MemoryLevel, own: Floats) -> Floats:
    """Return the weighted sum of each case, as the expression of a feature computes it."""
    total = np.zeros(level.n_cases)
    for factor, column in zip(own.T, columns, strict=True):
        if factor.any():
            oblique.add_products(np.ascontiguousarray(factor), column, level.row, level.start, total)
    return total


def _with_digits(numbers: Floats, n_digits: int) -> Floats:
    """Return numbers rounded to significant decimal digits."""
    found = np.zeros_like(numbers)
    places = np.nonzero(numbers)
    found[places] = [float(f"{number:.{n_digits}g}") for number in numbers[places].tolist()]
    return found
