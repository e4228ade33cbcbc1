"""The nodes of a tree whose tests are already known.

No split is looked for, so all inner nodes are handled together, as if they were the open nodes of one level.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treecli.grow import thresholds
from treecli.grow.candidates import Cuts, empty_test
from treecli.grow.choose import Decision, set_splits
from treecli.grow.level import MemoryLevel, SortedCases
from treecli.grow.loop import are_open
from treecli.grow.nodes import Nodes, pack_tables, settled
from treecli.searches._binarytests import KNOWN, held_cases
from treecli.splits._registry import place_of
from treecli.tree import LEAF

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treecli.grow.candidates import Codes, Floats, Indices
    from treecli.kernels.args import Plan
    from treecli.searches._binarytests import Column, Tests


class _Inner(NamedTuple):
    """The inner nodes in level order."""

    place: list[int]
    """In the given tree, where the children of node i are 2 i + 1 and 2 i + 2."""
    test: Indices
    cases: list[Indices]
    lower: Floats
    """The greatest value of the first branch of a threshold."""
    upper: Floats
    """The least value of its second branch."""


class GivenTree:
    """A tree with given tests: that of node i, whose children are 2 i + 1 and 2 i + 2, or a negative number."""

    def __init__(self, engine: Any, tests: Tests, columns: Sequence[Column], root: MemoryLevel) -> None:
        self._engine = engine
        self._plan: Plan = engine.plan
        self._tests, self._columns = tests, columns
        self._root = root

    def nodes(self, tree: Sequence[int]) -> Nodes:
        """Return the nodes in level order; a node that may not be split becomes a leaf."""
        tests = list(tree)
        while True:
            inner = self._inner(tests)
            if not inner.place:
                return Nodes.leaves(settled(self._root.outcomes))
            level = self._level(inner)
            is_open = are_open(level.outcomes, level.size, 0, self._plan)
            if is_open.all():
                return self._built(inner, level)
            for i in np.flatnonzero(~is_open).tolist():
                tests[inner.place[i]] = LEAF

    def _built(self, inner: _Inner, level: MemoryLevel) -> Nodes:
        """Return the nodes of the tree with these inner nodes."""
        engine, decision = self._engine, self._decision(inner)
        sent = engine.send(level, decision)
        nodes = Nodes.leaves(np.concatenate([self._root.outcomes, engine.outcomes(sent)]))
        set_splits(nodes, level.numbers, decision, 1)
        nodes.decrease[level.numbers], nodes.information[level.numbers] = sent.decrease, sent.information
        nodes.surrogates = {int(level.numbers[i]): own for i, own in sent.surrogates.items()}
        nodes.outcomes = settled(nodes.outcomes)
        pack_tables(nodes)
        return nodes

    def _inner(self, tree: Sequence[int]) -> _Inner:
        """Return the inner nodes with their cases."""
        cases_of = {0: np.arange(self._root.n_cases)}
        place, lower, upper = [], [], []
        for i, test in enumerate(tree):
            if test < 0 or i not in cases_of:
                continue
            own, column = cases_of[i], self._columns[self._tests.attribute[test]]
            held = held_cases(column, self._tests, test)[own]
            cases_of[2 * i + 1], cases_of[2 * i + 2] = own[held], own[~held]
            neighbours = (0.0, 1.0)
            if not column.is_nominal and self._tests.number[test] != KNOWN:
                neighbours = _neighbours(column.values[own], self._tests.number[test])
            place.append(i)
            lower.append(neighbours[0])
            upper.append(neighbours[1])
        test_of = np.array([tree[i] for i in place], np.int64)
        return _Inner(place, test_of, [cases_of[i] for i in place], np.array(lower), np.array(upper))

    def _level(self, inner: _Inner) -> MemoryLevel:
        """Return the inner nodes as the open nodes of one level."""
        root, n = self._root, len(inner.place)
        number_of = {0: 0}
        for i, place in enumerate(inner.place):
            number_of |= {2 * place + 1: 2 * i + 1, 2 * place + 2: 2 * i + 2}
        size = np.array([len(own) for own in inner.cases])
        start = np.concatenate([[0], np.cumsum(size)])
        case = np.concatenate(inner.cases)
        label, weight = root.label[case], root.weight[case]
        n_outcomes = root.outcomes.shape[1]
        cell = np.repeat(np.arange(n) * n_outcomes, size) + label
        outcomes = np.asarray(np.bincount(cell, weight, n * n_outcomes), np.float64).reshape(n, n_outcomes)
        # Only surrogates are looked for in the sorted cases.
        orders = {a: _kept(order, inner.cases) for a, order in root.orders.items()} if self._plan.by_surrogates else {}
        of_cases = start, root.row[case], label, root.target[case], weight, np.zeros(n), outcomes
        numbers = np.array([number_of[place] for place in inner.place], np.int64)
        return MemoryLevel(numbers, outcomes, 0, *of_cases, orders, root.is_whole, np.zeros(n, np.uint64))

    def _decision(self, inner: _Inner) -> Decision:
        """Return the splits of the inner nodes."""
        plan, n = self._plan, len(inner.place)
        attribute, is_known = self._tests.attribute[inner.test], self._tests.number[inner.test] == KNOWN
        is_nominal = np.array([self._columns[a].is_nominal for a in attribute.tolist()])
        kind = np.where(is_nominal, place_of("binary"), place_of("threshold"))
        missing_to = self._tests.missing_to[inner.test]
        if plan.policy.stays:
            missing_to[:] = plan.missing_to
        tables = {}
        for a in set(attribute[is_nominal].tolist()):
            at = np.flatnonzero(attribute == a)
            is_other = np.arange(self._engine.labels(a)[0]) != self._tests.number[inner.test[at], None]
            tables[a] = (is_other & ~is_known[at, None]).astype(np.int32)
        return Decision(
            attribute,
            np.where(is_known, place_of("known"), kind).astype(np.int8),
            2 * np.arange(n + 1),
            np.where(is_known, np.inf, np.where(is_nominal, 0.0, self._numbers(inner, attribute, is_known))),
            missing_to,
            tables,
            bounds={},
            first=np.zeros(n, np.int32),
            merit=np.zeros(n),
            gain=np.zeros(n),
            cost=np.zeros(n),
            printed={},
        )

    def _numbers(self, inner: _Inner, attribute: Codes, is_known: np.ndarray) -> Floats:
        """Return the thresholds, placed as the settings ask; meaningless numbers at other tests."""
        number = np.zeros(len(attribute))
        at_values = self._plan.settings.splitting.threshold == "datavalue"
        kinds = [self._engine.schema.attributes[a].kind for a in attribute.tolist()]
        group = np.array([a if at_values else kind == "ordinal" for a, kind in zip(attribute, kinds, strict=True)])
        is_cut = ~is_known & np.array([kind != "nominal" for kind in kinds])
        for own in set(group[is_cut].tolist()):
            at = np.flatnonzero(is_cut & (group == own))
            n = len(at)
            sides = self._tests.missing_to[inner.test[at]]
            cuts = Cuts(np.zeros(n), np.zeros(n), inner.lower[at], inner.upper[at], sides, empty_test(n))
            number[at] = thresholds.placed(self._engine, int(attribute[at[0]]), cuts).number
        return number


def _neighbours(values: Floats, number: float) -> tuple[float, float]:
    """Return the node's values on both sides of a number."""
    low, high = values[values <= number], values[values > number]
    # Of -0 and 0, as a stable sort has them. Missing values alone may make up one side.
    lower = low[::-1][low[::-1].argmax()] if len(low) else number
    return lower, high[high.argmin()] if len(high) else np.inf


def _kept(order: SortedCases, cases: Sequence[Indices]) -> SortedCases:
    """Return the sorted cases of several nodes, one after the other."""
    found, values, n_known, begin = [], [], [], 0
    for own in cases:
        now = np.full(len(order.case), -1, np.int32)
        now[own] = np.arange(begin, begin + len(own))
        begin += len(own)
        is_here = now[order.case] >= 0
        found.append(now[order.case][is_here])
        values.append(order.value[is_here])
        n_known.append(int((values[-1] == values[-1]).sum()))
    return SortedCases(np.concatenate(found), np.concatenate(values), np.array(n_known, np.int64), order.gap)
