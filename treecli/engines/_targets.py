"""Passes for a numeric target: sums in the order in which the memory engine adds the same cases.

Sums of fractions depend on their order. The sums of labels and of children are added in the order of the rows. Cuts of
a numeric attribute are tried while its cases are added in the order of their values, equal ones in that of the rows:
the cases are sorted in ranges of values that fit into memory, with a pass over the column for each range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.engines._levels import Counted
from treecli.engines._passes import LEAF, Passes
from treecli.engines._tables import ROUNDING, Entries, check
from treecli.grow.candidates import CountTables, room_for_cuts
from treecli.grow.level import to_mean_and_deviance
from treecli.kernels import scan_targets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.engines._parts import Batch
    from treecli.grow.candidates import Cuts, Floats, Indices
    from treecli.grow.coded import CodedData
    from treecli.kernels.args import Plan

SUMMED_AT_ONCE = 1 << 18
SCANNED_AT_ONCE = 1 << 17

SHARE_OF_ROOM = 0.7
"""A case takes more bytes with a numeric target than with a class, by which the room for sorted cases is measured."""

Cases = Iterator[tuple["Batch", "NDArray[Any]"]]
"""The cases of open nodes with their codes or numbers, batch by batch, in the order of the rows."""


def root_of(data: CodedData) -> tuple[Floats, Floats, Floats]:
    """Return the outcomes of the root, its additive sums, and its mean, as scorers/_usual.root computes them."""

    def target(first: int, n: int) -> Floats:
        found = data.targets(first, n)
        assert found is not None
        return found

    def summed(of: Callable[[Floats, Floats], Floats]) -> float:
        return pairwise_sum(lambda first, n: of(data.weights_of(first, n), target(first, n)), 0, data.n_cases)

    weight = summed(lambda w, y: w)
    center = summed(lambda w, y: y * w) / weight
    sums = [weight, summed(lambda w, y: w * (y - center)), summed(lambda w, y: w * (y - center) ** 2)]
    outcomes = np.array([sums])
    to_mean_and_deviance(outcomes, np.array([center]))
    return outcomes, np.array([sums]), np.array([center])


def pairwise_sum(values: Callable[[int, int], Floats], first: int, n: int) -> float:
    """Return the sum that numpy gives for all values at once, which are read some at a time.

    numpy adds the sums of two halves; the first has a multiple of eight values.
    """
    if n <= SUMMED_AT_ONCE:
        return float(np.sum(values(first, n)))
    half = n // 2
    half -= half % 8
    return pairwise_sum(values, first, half) + pairwise_sum(values, first + half, n - half)


def margin_of(totals: Floats, deviance: float) -> Floats:
    """Return by how much weights, sums and sums of squares may differ from those in another order.

    The sums of a node are differences of sums of its ancestors, so it depends on the `deviance` of the root.
    """
    weight = totals[:, 0]
    return ROUNDING * np.stack([weight, np.sqrt(weight * deviance), np.full(len(weight), deviance)], axis=1)


class TargetPasses(Passes):
    """Passes over rows with a numeric target."""

    @property
    def _is_whole(self) -> bool:
        return False

    def margin(self, totals: Floats) -> Floats:
        return margin_of(totals, self.deviance)

    @property
    def _dense(self) -> list[int]:
        attributes = self.data.schema.attributes
        return [a for a in super()._dense if attributes[a].kind == "nominal"]

    def count(self, totals: Floats, scale: Floats) -> list[Counted]:
        """Return the sums of every nominal attribute at the open nodes, and the best cuts of the others."""
        weights = totals[:, 0].copy()
        return [replace(own, tables=replace(own.tables, weights=weights)) for own in super().count(totals, scale)]

    def _count_values(self, attribute: int, totals: Floats, scale: Floats) -> Counted:
        column = self.data.columns[attribute]

        def cases() -> Cases:
            for begin, node in self._kept_nodes():
                batch = self._batch(begin, node)
                if batch.node.max(initial=LEAF) >= 0:
                    yield batch, batch.of(self.data.column(attribute, begin, len(node)))

        if self.data.schema.attributes[attribute].kind == "nominal":
            n_labels = len(self.data.schema.attributes[attribute].labels)
            sums, missing = _sums_of_labels(cases(), n_labels, totals, self.center)
            return sums.counted(missing, np.zeros(len(totals)), totals, n_labels, self.margin(totals))
        assert self.plan is not None
        room = max(min(int(SHARE_OF_ROOM * self.most_sorted), self.data.n_cases + len(self.parts)), 1)
        keys = _Keys(column.n_codes, column.values) if column.is_dense else _Keys()
        search = _Search(cases, room, keys, totals, self.center)
        cuts = search.cuts(self.plan)
        check(search.sums[scan_targets.LEFT] + search.missing, totals, self.margin(totals))
        return Counted(_no_tables(len(totals)), search.missing, np.zeros(len(totals)), None, cuts)


def _sums_of_labels(cases: Cases, n_labels: int, totals: Floats, center: Floats) -> tuple[Entries, Floats]:
    """Return the sums of a column of very many labels, which are kept as doubles, and those without a label."""
    nodes, codes, weights, targets = [], [], [], []
    for batch, value in cases:
        own = np.flatnonzero(batch.node >= 0)
        assert batch.target is not None
        nodes.append(batch.node[own])
        codes.append(np.where(value[own] == value[own], value[own], n_labels).astype(np.int64))
        weights.append(batch.weight[own])
        targets.append(batch.target[own] - center[batch.node[own]])
    key = np.concatenate(nodes) * (n_labels + 1) + np.concatenate(codes)
    weight, y = np.concatenate(weights), np.concatenate(targets)
    distinct, place = np.unique(key, return_inverse=True)
    # bincount adds in the order of the rows.
    sums: Floats = np.stack(
        [np.bincount(place, own, len(distinct)) for own in (weight, weight * y, weight * y * y)], axis=1
    )
    node, code = np.divmod(distinct, n_labels + 1)
    is_known = code < n_labels
    missing = np.zeros_like(totals)
    missing[node[~is_known]] = sums[~is_known]
    return Entries(node[is_known], code[is_known], None, sums[is_known]), missing


class _Keys:
    """The keys by which the cases of a column are sorted: the codes of its numbers, or the numbers themselves."""

    def __init__(self, n_codes: int | None = None, values: Floats | None = None) -> None:
        self._n_codes = n_codes
        self._values = values
        self.kind: Any = np.float64 if values is None else np.uint16

    def is_missing(self, key: NDArray[Any]) -> NDArray[np.bool_]:
        return np.asarray(key != key if self._values is None else key == self._n_codes)

    def values(self, key: NDArray[Any]) -> Floats:
        return key if self._values is None else self._values[key]


class _Range:
    """Room for the cases of one range of values; those of greater values leave when it is full."""

    def __init__(self, room: int, kind: Any) -> None:
        self.node, self.key = np.empty(room, np.int32), np.empty(room, kind)
        self.y, self.weight = np.empty(room), np.empty(room)
        self.n = 0
        self.high: Any = None
        """Greater values belong to later ranges; None: there are none."""
        self.is_one = False
        """Whether all cases so far have one value, and do not fit."""

    def add(self, batch: Batch, key: NDArray[Any], places: Indices, center: Floats) -> None:
        """Add some cases of a batch."""
        assert batch.target is not None
        while len(places):
            if self.is_one:
                places = places[key[places] < self.high]
                if not len(places):
                    return
                # That value is left to a later range.
                self.high, self.n, self.is_one = _below(self.high), 0, False
            if self.high is not None:
                places = places[key[places] <= self.high]
            taken = places[: len(self.key) - self.n]
            end = self.n + len(taken)
            node = batch.node[taken]
            self.node[self.n : end], self.key[self.n : end] = node, key[taken]
            self.y[self.n : end], self.weight[self.n : end] = batch.target[taken] - center[node], batch.weight[taken]
            self.n, places = end, places[len(taken) :]
            if len(places):
                self._make_room()

    def _make_room(self) -> None:
        """Let the greater half of the values leave, or more; if all are equal, give up."""
        key = self.key[: self.n]
        self.high = np.partition(key, self.n // 2)[self.n // 2]
        if np.count_nonzero(key <= self.high) > 3 * len(self.key) // 4:
            below = key[key < self.high]
            self.is_one = not len(below)
            if len(below):
                self.high = below.max()
        is_kept = key <= self.high
        self.n = int(np.count_nonzero(is_kept))
        for own in (self.node, self.key, self.y, self.weight):
            own[: self.n] = own[: len(is_kept)][is_kept]


def _below(key: Any) -> Any:
    """Return the next lower code or number."""
    return np.nextafter(key, -np.inf) if key.dtype == np.float64 else key - key.dtype.type(1)


class _Search:
    """The search for the best cut of every node on one attribute; the cases can be read again."""

    def __init__(self, cases: Callable[[], Cases], room: int, keys: _Keys, totals: Floats, center: Floats) -> None:
        self._cases = cases
        self._room = room
        self._keys = keys
        self._totals = totals
        self._center = center
        n = len(totals)
        self.sums = np.zeros((scan_targets.N_SUMS, n, 3))
        self._number = np.zeros((n, scan_targets.N_NUMBERS))
        self._n_known = np.zeros(n, np.int64)

    @property
    def missing(self) -> Floats:
        """The sums of the cases without a value."""
        return np.array(self.sums[scan_targets.MISSING])

    def cuts(self, plan: Plan) -> Cuts:
        """Return the best cuts."""
        sums, totals = self.sums, self._totals
        cuts = room_for_cuts(len(totals))
        own, low = self._read(None, is_first=True), None
        sums[scan_targets.RIGHT] = totals - sums[scan_targets.MISSING]
        scan_targets.begin(self._n_known, sums, self._number, cuts.args(), plan)
        while True:
            for node, key, y, weight in self._equal(own.high) if own.is_one else _sorted(own):
                values = self._keys.values(key)
                scan_targets.scan(node, values, y, weight, sums, self._number, cuts.args(), plan)
            if own.high is None:
                break
            low = own.high
            del own
            own = self._read(low, is_first=False)
        scan_targets.end(self._number, cuts.args(), plan)
        return cuts

    def _read(self, low: Any, *, is_first: bool) -> _Range:
        """Return the cases of the next range; with `is_first`, add those without a value to the sums."""
        own = _Range(self._room, self._keys.kind)
        for batch, key in self._cases():
            assert batch.target is not None
            is_open, is_missing = batch.node >= 0, self._keys.is_missing(key)
            if is_first:
                lacking = np.flatnonzero(is_open & is_missing)
                node = batch.node[lacking]
                y = batch.target[lacking] - self._center[node]
                scan_targets.add_missing(node, y, batch.weight[lacking], self.sums)
                self._n_known += np.bincount(batch.node[is_open & ~is_missing], minlength=len(self._totals))
            is_own = is_open & ~is_missing
            if low is not None:
                is_own &= key > low
            own.add(batch, key, np.flatnonzero(is_own), self._center)
        return own

    def _equal(self, value: Any) -> Iterator[tuple[Any, ...]]:
        """Yield all cases of one value, in the order of the rows, in one more pass."""
        for batch, key in self._cases():
            assert batch.target is not None
            own = np.flatnonzero((batch.node >= 0) & (key == value))
            node = batch.node[own]
            yield node, key[own], batch.target[own] - self._center[node], batch.weight[own]


def _sorted(own: _Range) -> Iterator[tuple[Any, ...]]:
    """Yield nodes, keys, differences and weights in ascending order of the keys, some at a time."""
    order = np.argsort(own.key[: own.n], kind="stable")
    for begin in range(0, own.n, SCANNED_AT_ONCE):
        part = order[begin : begin + SCANNED_AT_ONCE]
        yield own.node[part], own.key[part], own.y[part], own.weight[part]


def _no_tables(n_nodes: int) -> CountTables:
    """Return the tables of a numeric attribute without entries."""
    start, no_codes, no_rows = np.zeros(n_nodes + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.int64)
    return CountTables(0, start, no_codes, np.empty((0, 3)), no_rows, np.zeros(n_nodes), np.empty(0))
