"""All binary tests of a data set as bit sets, and its cases as the kernels of the optimal search need them."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treecli import priors
from treecli.kernels.bits_of_tests import set_bits
from treecli.kernels.codes import NO_SIDE
from treecli.kernels.optimal_args import Problem
from treecli.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treecli.grow.candidates import Codes, Flags, Floats, Indices
    from treecli.grow.level import MemoryLevel
    from treecli.kernels.args import Plan

LEAVES = 32
"""As in the kernels: the value of a tree is this times its cost, plus its leaves."""

MOST_UNITS = 2.0**54
"""The greatest sum of costs in units; times LEAVES it is far below 2 ** 61."""

MOST_WEIGHT_UNITS = 2.0**34
"""The greatest sum of weights in units if they are multiplied by costs."""

WORD = 64

KNOWN = np.inf
"""The number of a test that holds for all known values."""

LEAST_CELLS = 1 << 28
"""The cases times tests that are prepared however little time there is: a twentieth of a second."""

KEY_FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""An odd number with irregular bits; its powers make keys of sets."""


@dataclass(frozen=True)
class Tests:
    """Tests in the order of the schema; the first branch takes the cases where a test holds."""

    attribute: Codes
    number: Floats
    """The greatest value of the first branch, or the number of its label; infinite: all known values."""
    missing_to: Codes
    """The branch of missing values, or NO_SIDE if they are no value."""
    chain: Indices
    """Tests of one chain are thresholds of one attribute in ascending order."""
    bits: np.ndarray

    def __len__(self) -> int:
        return len(self.attribute)


@dataclass(frozen=True)
class Units:
    """How costs are whole numbers: a weight of 1 times a cost of 1 is `one` units, a leaf is `penalty` units."""

    one: float
    penalty: int

    def cost(self, value: int) -> float:
        """Return the cost of a tree with this value, without penalties."""
        n_leaves = value % LEAVES
        return float(((value - n_leaves) // LEAVES - self.penalty * n_leaves) / self.one)

    def least_cost(self, bound: int) -> float:
        """Return the least cost plus penalties of trees with values from `bound` on."""
        return max(bound // LEAVES, 0) / self.one


class Column(NamedTuple):
    """An attribute with the numbers of its tests."""

    is_nominal: bool
    values: Floats
    """By case; labels by number, NaN for missing values."""
    cuts: Floats
    """The greatest value of the first branch of each test, or its label."""
    sides: tuple[int, ...]
    """The branches that missing values may take."""

    @property
    def n_tests(self) -> int:
        return len(self.cuts) * len(self.sides) + (len(self.sides) > 1)


def columns_of(engine: Any, level: MemoryLevel) -> list[Column]:
    """Return the attributes as the cases of the root have them."""
    values = np.array([column[level.row] for column in engine.columns], np.float64).reshape(-1, level.n_cases)
    is_nominal = np.array([attribute.kind == "nominal" for attribute in engine.schema.attributes], bool)
    values[is_nominal[:, None] & (values < 0)] = np.nan
    ordered = np.sort(values, axis=1)  # NaN comes last
    # The midpoint of two values would be a number only; the greatest value below it separates the same cases.
    is_last = ordered[:, :-1] < ordered[:, 1:]
    is_complete = ordered[:, -1] == ordered[:, -1]
    n_known = np.count_nonzero(ordered == ordered, axis=1)
    columns = []
    for a in range(len(values)):
        cuts = ordered[a, :-1][is_last[a]]
        if is_nominal[a] and len(cuts) > 1:
            # One of two labels is enough.
            cuts = np.append(cuts, ordered[a, n_known[a] - 1])
        columns.append(Column(bool(is_nominal[a]), values[a], cuts, (NO_SIDE,) if is_complete[a] else (0, 1)))
    return columns


def tests_of(columns: Sequence[Column], place: Indices, n_words: int, end: float | None) -> Tests:
    """Return the tests that differ from each other; the case with index i is bit place[i].

    If a column has missing values, each test on it exists twice, with the missing values on either side; one more
    tests whether the value is known. Columns that are not reached before `end` on the monotonic clock have no tests.
    """
    n_all = sum(column.n_tests for column in columns)
    attribute, number, missing_to = np.empty(n_all, np.int32), np.empty(n_all), np.empty(n_all, np.int32)
    chain, bits = np.empty(n_all, np.int64), np.zeros((n_all, n_words), np.uint64)
    n, n_chains = 0, 0
    for a, column in enumerate(columns):
        if n * len(place) >= LEAST_CELLS and end is not None and monotonic() >= end:
            break
        begin, n_cuts = n, len(column.cuts)
        for side in column.sides:
            own = slice(n, n + n_cuts)
            number[own], missing_to[own] = column.cuts, side
            # Labels do not hold wherever others do: each is a chain of its own.
            chain[own] = np.arange(n_chains, n_chains + n_cuts) if column.is_nominal else n_chains
            set_bits(column.values, place, column.cuts, column.is_nominal, side == 0, bits[own])
            n, n_chains = own.stop, n_chains + (n_cuts if column.is_nominal else 1)
        if len(column.sides) > 1:
            number[n], missing_to[n], chain[n] = KNOWN, 1, n_chains
            bits[n] = _packed_at(place, column.values == column.values, n_words)
            n, n_chains = n + 1, n_chains + 1
        attribute[begin:n] = a
    kept = _first_of_equals(bits[:n], place)
    # Where all tests differ, as they often do, they are not copied.
    all_kept = bits[:n] if len(kept) == n else bits[kept]
    return Tests(attribute[kept], number[kept], missing_to[kept], chain[kept], all_kept)


def _packed_at(place: Indices, flags: Flags, n_words: int) -> np.ndarray:
    """Return the set of the flagged cases."""
    held = np.zeros(n_words * WORD, bool)
    held[place] = flags
    return np.packbits(held, bitorder="little").view(np.uint64)


def _holds(column: Column, side: int, numbers: Floats) -> Flags:
    """Return whether each test on a column holds for each case; missing values take branch `side`."""
    compare = np.equal if column.is_nominal and numbers[0] != KNOWN else np.less_equal
    held: Flags = compare(column.values, numbers[:, None])
    return np.asarray(held | (column.values != column.values)) if side == 0 else held


def held_cases(column: Column, tests: Tests, test: int) -> Flags:
    """Return the cases for which a test on this column holds."""
    return np.ravel(_holds(column, int(tests.missing_to[test]), tests.number[test : test + 1]))


def _first_of_equals(bits: np.ndarray, place: Indices) -> Indices:
    """Return the tests that divide the cases unlike every test before them, and divide them at all."""
    if not len(bits):
        return np.zeros(0, np.int64)
    mask = _packed_at(place, np.ones(len(place), bool), bits.shape[1])
    word, bit = int(place[0]) // WORD, np.uint64(int(place[0]) % WORD)
    holds_first = (bits[:, word] >> bit) & np.uint64(1) == 1
    # A test and its negation divide the cases alike. The keys of a set and of its complement have a fixed sum.
    factors = np.cumprod(np.full(bits.shape[1], KEY_FACTOR))
    key = bits @ factors
    key[holds_first] = mask @ factors - key[holds_first]
    # Sets with different keys differ; only the others are compared, which takes longer.
    _, group, n_alike = np.unique(key, return_inverse=True, return_counts=True)
    is_shared = (n_alike[group] > 1) | (key == 0)
    shared = np.flatnonzero(is_shared)
    same_side = np.where(holds_first[shared, None], mask & ~bits[shared], bits[shared])
    _, first = np.unique(_as_bytes(same_side), return_index=True)
    divides = first[same_side[first].any(axis=1)]
    return np.sort(np.concatenate([np.flatnonzero(~is_shared), shared[divides]]))


def problem_of(
    columns: Sequence[Column], level: MemoryLevel, plan: Plan, labels: Sequence[str], end: float | None
) -> tuple[Problem, Tests, Units, np.ndarray]:
    """Return the problem, its tests up to `end` (see `tests_of`), its units, and the set of all cases."""
    settings, penalty = plan.settings.predicting, plan.settings.searching.penalty
    n_classes = len(labels)
    scale = np.ones(n_classes)
    if settings.priors is not None:
        scale = np.array(priors.class_scale(settings.priors, labels, level.outcomes[0].tolist()))
    weight = level.weight * scale[level.label]
    costs = np.ones((0, 0)) if settings.costs is None else np.array(settings.costs)
    by_weight, by_cost = _factors(weight, costs, penalty)
    unit = np.rint(weight * by_weight).astype(np.int64)
    size = np.ones(level.n_cases) if plan.counts_rows else level.weight
    order = np.lexsort((size, unit, level.label))
    keys = np.stack([level.label[order], unit[order], size[order]])
    is_new = np.concatenate([[True], (keys[:, 1:] != keys[:, :-1]).any(axis=0)])
    starts = np.flatnonzero(is_new)
    n_in_segment = np.diff([*starts, level.n_cases])
    ends = np.cumsum(-(-n_in_segment // WORD))
    place = np.empty(level.n_cases, np.int64)
    first_bit = (ends - -(-n_in_segment // WORD)) * WORD
    place[order] = np.repeat(first_bit - starts, n_in_segment) + np.arange(level.n_cases)
    tests = tests_of(columns, place, int(ends[-1]), end)
    of_segment = order[starts]
    problem = Problem()
    problem.tests, problem.n_classes = tests.bits, n_classes
    problem.is_nested = np.concatenate([[False], tests.chain[1:] == tests.chain[:-1]]).astype(np.uint8)[: len(tests)]
    problem.segment_end = ends.astype(np.int32)
    problem.segment_class, problem.segment_weight = level.label[of_segment].astype(np.int32), unit[of_segment]
    problem.segment_size = size[of_segment].astype(np.float64)
    whole_costs = np.rint(costs * by_cost).astype(np.int64)
    problem.has_costs, problem.costs = bool(costs.size), whole_costs
    dearest = whole_costs.max(axis=1)[problem.segment_class] if costs.size else 1
    problem.segment_cost = unit[of_segment] * dearest
    units = Units(by_weight * by_cost, round(penalty * by_weight * by_cost))
    problem.leaf_fee = LEAVES * units.penalty + 1
    least_leaf = plan.min_rows if plan.counts_rows else plan.min_leaf
    problem.min_leaf, problem.min_split = least_leaf - plan.tolerance, plan.least_split
    smallest = float(size.min())
    # Without a limit that matters, sets may lose cases and a tree stays allowed: more lower bounds hold.
    problem.is_free = smallest >= problem.min_leaf and plan.least_split <= 2 * smallest
    n_words, everything = int(ends[-1]), np.ones(level.n_cases, bool)
    is_wrong = ~everything if costs.size else _always_wrong(columns, level, unit, n_classes)
    problem.minority = _packed_at(place, is_wrong, n_words)
    return problem, tests, units, _packed_at(place, everything, n_words)


def _always_wrong(columns: Sequence[Column], level: MemoryLevel, unit: Indices, n_classes: int) -> Flags:
    """Return the cases outside the heaviest class among those with the same values: every tree gets them wrong."""
    values = np.array([column.values for column in columns] or [np.zeros(level.n_cases)]).T + 0.0  # -0 becomes 0
    values[values != values] = np.nan
    _, alike = np.unique(_as_bytes(values), return_inverse=True)
    weights = np.zeros((int(alike.max()) + 1, n_classes), np.int64)
    np.add.at(weights, (alike, level.label), unit)
    return np.asarray(weights.argmax(axis=1)[alike] != level.label)


def _as_bytes(rows: np.ndarray) -> np.ndarray:
    """Return each row as one value of many bytes: numpy's unique along an axis compares one column after the other."""
    rows = np.ascontiguousarray(rows)
    return rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()


def _factors(weight: Floats, costs: Floats, penalty: float) -> tuple[float, float]:
    """Return the factors that make weights and costs whole numbers, or nearly so if their sums would be too large.

    They are powers of two, so that no further rounding happens.
    """
    if not costs.size:
        return _factor(np.append(weight, penalty), float(weight.sum()), MOST_UNITS), 1.0
    by_weight = _factor(weight, float(weight.sum()), MOST_WEIGHT_UNITS)
    most = MOST_UNITS / max(float(weight.sum()) * by_weight, 1.0)
    return by_weight, _factor(np.append(costs.ravel(), penalty), float(costs.max()), most)


def _factor(values: Floats, total: float, most: float) -> float:
    factor = 1.0
    while total * factor > most:
        factor /= 2
    while total * factor * 2 <= most and not (values * factor == np.floor(values * factor)).all():
        factor *= 2
    return factor
