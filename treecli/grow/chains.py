"""Chains of splits that each send few cases away, in packed lists (kernels/peel_packed.py)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treecli.grow.candidates import Codes, Floats
from treecli.grow.parts import Arrays, args_of, room_for_nodes
from treecli.grow.tasks import MOST_CHILDREN, Task, search_of
from treecli.kernels import codes, open_blocks, peel_packed
from treecli.kernels.args import Found, Plan
from treecli.kernels.packed_args import Lists, Peeling, Search, Spans
from treecli.records import dataclass
from treecli.threads import Shared
from treecli.tree import LEAF

NEVER = 1 << 62

MANY_PEELS = {codes.BY_RATIO: 1}
MANY_OTHER_PEELS = 8
"""A chain begins with the last of so many splits in a row that peel, by the rank of splits.

Gain ratio prefers splits that send few cases away, so that chains of them are longer.
"""


def room_for_peels(lists: Lists, plan: Plan, n_outcomes: int, state: Codes, n: int) -> Peeling:
    """Allocate the state of peeling nodes of at most n cases; `state` has an entry for each row of the data."""
    peeling = Peeling()
    peeling.least = peel_packed.LEAST_PEELED if can_peel(plan, n_outcomes) else NEVER
    peeling.many = many_peels(plan)
    n_rows = lists.n_attributes if n >= peeling.least else 0
    # As many as the lists of the largest node have (open_blocks): at most 2 ** (1 / 3) of the power.
    n_blocks = min(n // 8 + 1, int(1.3 * n ** (2 / 3)) + 2, open_blocks.MOST_BLOCKS)
    peeling.state = state
    peeling.block = np.empty(n_rows * n, np.uint16)
    peeling.blocks, peeling.stretches = _spans(n_rows, n_blocks), _spans(n_rows, n_blocks // 4 + 1)
    peeling.begin, peeling.end, peeling.n_left, peeling.last = np.empty((4, n_rows), np.int64)
    peeling.neighbour = np.empty((n_rows, 2), np.int32)
    peeling.is_scanned, peeling.most = np.empty(n_rows, np.int32), np.empty(n_rows)
    peeling.least_side = np.empty(n_rows, np.int64)
    peeling.child = np.empty((MOST_CHILDREN if n_rows else 0, peel_packed.CHILD_COLUMNS), np.int32)
    return peeling


def _spans(n_attributes: int, n_spans: int) -> Spans:
    """Allocate the counts and bounds of spans of lists."""
    spans = Spans()
    spans.size, spans.first, spans.known = np.empty((3, n_attributes, n_spans), np.int32)
    spans.top, spans.bottom, spans.share = np.empty((3, n_attributes, n_spans))
    spans.n_before, spans.first_before = np.empty((2, n_spans), np.int32)
    spans.excess = np.empty(n_spans, np.float32)
    return spans


def can_peel(plan: Plan, n_outcomes: int) -> bool:
    """Return whether chains of splits are found block by block: for two classes and sums that are exact."""
    return not plan.is_numeric and n_outcomes == 2 and plan.arithmetic == codes.SUMS and not plan.cut_cost


def many_peels(plan: Plan) -> int:
    """Return with which split in a row that peels a chain begins."""
    return MANY_PEELS.get(plan.rank, MANY_OTHER_PEELS)


@dataclass(frozen=True, slots=True)
class Chain:
    """An open node from which few cases leave; `best` is the attribute of the cut, or -1 if it is not known."""

    task: Task
    found: Found
    cut: np.ndarray
    best: int


@dataclass(frozen=True, slots=True)
class _Peel:
    """A chain whose nodes are being split."""

    chain: Chain
    nodes: Arrays
    search: Search
    peeling: Peeling

    def ended(self, n_open: int) -> tuple[Arrays, list[Task]]:
        """Return the nodes and the open ones, if these are so many."""
        task, peeling = self.chain.task, self.peeling
        tasks, lo = [], task.lo + peeling.n
        for node, size, depth in np.asarray(peeling.child)[:n_open].tolist():
            tasks.append(Task(node, lo, lo + size, depth, task.live))
            lo += size
        if self.search.node >= 0:
            tasks[-1] = replace(tasks[-1], lo=task.lo, hi=task.lo + peeling.n, n_peels=peeling.n_peels)
        return {name: values[: peeling.n_nodes] for name, values in self.nodes.items()}, tasks


class Peeler:
    """Split the nodes of chains in the top of a tree; `state` has an entry for each row of the data."""

    def __init__(self, lists: Lists, plan: Plan, shared: Shared, n_outcomes: int, state: Codes) -> None:
        self._lists = lists
        self._plan = plan
        self._shared = shared
        self._n_outcomes = n_outcomes
        self._state = state

    def split(self, chains: list[Chain], outcomes: Floats, n_nodes: int) -> list[tuple[Arrays, list[Task]]]:
        """Split the node of each chain, and its larger child, as long as few cases leave.

        Return the nodes, of which that of the chain is the first, and the open ones. There is room for so many nodes;
        `outcomes` are those of the nodes of tasks. Threads divide and move the lists of all chains, but split the nodes
        of a chain one after the other.
        """
        lists, plan = self._lists, self._plan
        peels = list(self._shared.map(lambda chain: self._begun(chain, outcomes[chain.task.node], n_nodes), chains))

        def divide(work: tuple[_Peel, int]) -> None:
            peel, number = work
            peel_packed.divide(number, lists, peel.peeling)

        def split_nodes(peel: _Peel) -> int:
            best, found = peel.chain.best, peel.chain.found
            return peel_packed.peel(best, lists, peel.search, args_of(peel.nodes), found, peel.peeling, plan)

        def move(work: tuple[_Peel, int, int]) -> None:
            peel, number, n_open = work
            search = search_of(peel.chain.task, peel.chain.cut, self._n_outcomes)
            search.spare = np.empty(peel.chain.task.size - peel.peeling.n + 1, np.uint32)
            peel_packed.move(number, n_open, lists, search, peel.peeling)

        self._shared.do(divide, [(peel, number) for peel in peels for number in peel.chain.task.live])
        n_open = list(self._shared.map(split_nodes, peels))
        both = list(zip(peels, n_open, strict=True))
        self._shared.do(move, [(peel, number, n) for peel, n in both for number in peel.chain.task.live])
        return [peel.ended(n) for peel, n in both]

    def _begun(self, chain: Chain, outcomes: Floats, n_nodes: int) -> _Peel:
        """Number the cases of the node of a chain, which has these outcomes."""
        task, nodes = chain.task, room_for_nodes(n_nodes, self._n_outcomes, self._plan)
        nodes["outcomes"][0], nodes["attribute"][0], nodes["first_child"][0] = outcomes, LEAF, 0
        search = search_of(task, chain.cut, self._n_outcomes)
        search.node = 0
        search.last, search.spare = len(task.live), np.empty(task.size + 1, np.uint32)
        peeling = room_for_peels(self._lists, self._plan, self._n_outcomes, self._state, task.size)
        peeling.n_nodes = 1
        peel_packed.number_cases(self._lists, search, args_of(nodes), peeling)
        return _Peel(chain, nodes, search, peeling)
