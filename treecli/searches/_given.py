"""Grow a tree whose tests are already known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.grow import thresholds
from treecli.grow.candidates import NO_GAIN, Candidates, Cuts, empty_test
from treecli.grow.choose import Chosen
from treecli.grow.loop import Loop
from treecli.kernels.codes import KNOWN_OR_NOT, NO_SIDE
from treecli.searches._binarytests import KNOWN
from treecli.tree import LEAF

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treecli.grow.candidates import Codes
    from treecli.grow.choose import Chooser
    from treecli.grow.level import MemoryLevel
    from treecli.kernels.args import Plan
    from treecli.searches._binarytests import Tests


class GivenTree(Loop):
    """A tree grown from its tests: that of node i, whose children are 2 i + 1 and 2 i + 2, or a negative number."""

    def __init__(self, engine: Any, plan: Plan, tests: Tests, tree: Sequence[int], root: MemoryLevel) -> None:
        if not plan.by_surrogates:  # these are looked for in all orders
            used = set(tests.attribute[[test for test in tree if test >= 0]].tolist())
            root = replace(root, orders={a: order for a, order in root.orders.items() if a in used})
        super().__init__(engine, plan, pick=self._given, root=root)
        self._tests = tests
        self._tree = tree
        self._place_of_node = {0: 0}
        self._n_placed = 1

    def _candidates(self, level: MemoryLevel) -> Sequence[Candidates]:
        """Return the given test of each open node as the only candidate; no attribute is scored."""
        places = [self._place_of_node[int(number)] for number in level.numbers]
        test = np.array([self._tree[place] if place < len(self._tree) else LEAF for place in places], np.int32)
        for place in np.array(places)[test >= 0].tolist():
            self._place_of_node |= {self._n_placed: 2 * place + 1, self._n_placed + 1: 2 * place + 2}
            self._n_placed += 2
        n, n_attributes = level.n_nodes, len(self._engine.schema.attributes)
        none = Candidates(
            "threshold",
            np.full(n, NO_GAIN),
            np.zeros(n),
            empty_test(n),
            n_branches=np.zeros(n, np.int32),
            missing_to=np.full(n, NO_SIDE, np.int32),
            parts_missing=np.zeros(n, bool),
        )
        found = [none] * n_attributes
        for a in set(self._tests.attribute[test[test >= 0]].tolist()):
            is_here = (test >= 0) & (self._tests.attribute[test] == a)
            found[a] = self._on_attribute(level, a, np.where(is_here, test, LEAF))
        return found

    @staticmethod
    def _given(
        level: MemoryLevel, candidates: Sequence[Candidates], chooser: Chooser
    ) -> tuple[Sequence[Candidates], Chosen]:
        """Choose the only candidate of each node."""
        gain = np.array([own.gain for own in candidates]).reshape(-1, level.n_nodes)
        is_split = np.isfinite(gain)
        attribute = np.where(is_split.any(axis=0), is_split.argmax(axis=0), LEAF).astype(np.int32)
        return candidates, Chosen(attribute, gain, gain, gain)

    def _on_attribute(self, level: MemoryLevel, attribute: int, test: Codes) -> Candidates:
        """Return the tests on one attribute; `test` is negative at nodes that another attribute splits."""
        is_split = test >= 0
        gain = np.where(is_split, 0.0, NO_GAIN)
        number = np.where(is_split, self._tests.number[test], 0.0)
        sides = np.where(is_split & (number == KNOWN), KNOWN_OR_NOT, self._tests.missing_to[test]).astype(np.int32)
        n = level.n_nodes
        if self._engine.schema.attributes[attribute].kind != "nominal":
            lower, upper = self._neighbours(level, attribute, np.where(is_split, number, np.nan))
            cuts = Cuts(gain, np.zeros(n), lower, upper, sides, empty_test(n))
            return thresholds.placed(self._engine, attribute, cuts)
        n_labels, _ = self._engine.labels(attribute)
        return Candidates(
            "binary",
            gain,
            np.zeros(n),
            empty_test(n),
            n_branches=np.full(n, 2, np.int32),
            missing_to=np.where(sides == KNOWN_OR_NOT, 1, sides).astype(np.int32),
            parts_missing=sides == KNOWN_OR_NOT,
            table=(np.arange(n_labels) != number[:, None]).astype(np.int32),
        )

    def _neighbours(self, level: MemoryLevel, attribute: int, number: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the node's values on both sides of each number; NaN: no split."""
        lower, upper = np.zeros(level.n_nodes), np.ones(level.n_nodes)
        order = level.orders[attribute]
        for i in np.flatnonzero(number < KNOWN).tolist():
            values = order.value[level.start[i] : level.start[i] + order.n_known[i]]
            after = int(np.searchsorted(values, number[i], side="right"))
            # Missing values alone may make up one side.
            lower[i] = values[after - 1] if after else number[i]
            upper[i] = values[after] if after < len(values) else np.inf
        return lower, upper
