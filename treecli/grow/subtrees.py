"""Grow a whole tree from packed lists: split large nodes one by one, then grow the subtrees below them.

Threads work in parallel on the attributes of a large node, and later on the subtrees.
"""

from __future__ import annotations

from dataclasses import replace
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from treecli.grow.candidates import Codes, Floats
from treecli.grow.chains import Chain, Peeler, can_peel, many_peels, room_for_peels
from treecli.grow.lists import ENTRY_BITS, lists_of_some
from treecli.grow.parts import (
    Arrays,
    args_of,
    chained,
    concatenated,
    first_nodes,
    in_level_order,
    room_for_nodes,
    set_nodes,
    without_first,
)
from treecli.grow.tasks import Task, room_for_cuts, search_of
from treecli.kernels import best_packed, codes, grow_packed, packed_lists, peel_packed, stop
from treecli.kernels.args import Plan
from treecli.kernels.packed_args import Lists, Peeling
from treecli.outcomes.counts import NUMBERS_AT_ONCE
from treecli.outcomes.rows import MANY_CLASSES
from treecli.records import dataclass
from treecli.threads import FEW_CASES, OnProgress, Shared
from treecli.tree import LEAF

PORTIONS = 16
"""All threads split a node together if it holds more than 1 / PORTIONS of the cases."""

MOST_TOGETHER = 64
"""The limit on nodes that all threads split together: in a degenerate, chain-like tree all nodes are large."""

MOST_PEELED = 1 << 14
"""The limit on nodes of chains in the top of the tree."""

MUCH_ROOM = 4
"""Room for so many times the cases of a subtree is given back."""

MANY_ENTRIES = 1 << 14
"""The pages of a list that holds at least so many cases of a finished subtree return to the system."""

LEAST_ROOM = 64
"""Minimum room for nodes of many classes, and for those of a chain in the top of the tree."""


@dataclass(frozen=True, slots=True)
class Room:
    """Memory of a thread that grows subtrees of up to so many cases."""

    n_cases: int
    nodes: Arrays
    pending: Codes
    spare: NDArray[np.uint32]
    peeling: Peeling


class Grower:
    """Grow the tree below the root, given its outcomes and its `sums` (see packed_args.Subtree)."""

    def __init__(self, lists: Lists, plan: Plan, shared: Shared, outcomes: Floats, sums: Floats) -> None:
        self._lists = lists
        self._plan = plan
        self._shared = shared
        self._n_outcomes = len(outcomes)
        self._peels = can_peel(plan, self._n_outcomes)
        self._number_of_row = np.empty(lists.stride, np.int32)
        self._peeler = Peeler(lists, plan, shared, self._n_outcomes, self._number_of_row)
        n_top = 1 + 2 * MOST_TOGETHER + (MOST_PEELED if self._peels else 0)
        self._top = room_for_nodes(n_top, self._n_outcomes, plan)
        self._n_together = 0
        self._top["outcomes"][0], self._top["sums"][0] = outcomes, sums
        self._top["attribute"][:] = LEAF
        self._top["first_child"][:] = 0
        self._n_top = 1
        self._rooms: list[Room] = []

    def grow(self, live: Codes, on_progress: OnProgress | None) -> Arrays:
        """Return the nodes of the whole tree in level order; `live` are the non-constant attributes."""
        subtrees = self._split_large_nodes(Task(0, 0, self._lists.stride, 0, live))
        return in_level_order(self._finish(sorted(subtrees), on_progress))

    def _taken_room(self, n_cases: int, n_leaves: int, n_nodes: int) -> Room:
        """Return room for a subtree; a thread that has finished another one may have put it back."""
        room = self._rooms.pop() if self._rooms else None
        if room is not None and room.n_cases > MUCH_ROOM * n_cases:
            # Tasks become smaller, and the nodes of those that are done take more and more memory.
            room = None
            self._return_memory()
        is_enough = room is not None and room.n_cases >= n_cases and len(room.pending) > n_leaves
        if room is None or not is_enough or len(room.nodes["attribute"]) < n_nodes:
            state = np.empty(n_cases, np.int32)
            room = Room(
                n_cases,
                room_for_nodes(n_nodes, self._n_outcomes, self._plan),
                np.empty((n_leaves + 1, grow_packed.PENDING_COLUMNS), np.int32),
                np.empty(n_cases + 1, np.uint32),
                room_for_peels(self._lists, self._plan, self._n_outcomes, state, n_cases),
            )
        if self._plan.cut_cost:
            room.nodes["cost"][:n_nodes] = 0.0
        return room

    def _split_large_nodes(self, root: Task) -> list[Task]:
        """Split the large nodes, and return the open nodes below them."""
        subtrees: list[Task] = []
        if self._plan.max_depth > 0 and self._are_open([root])[0]:
            heappush(subtrees, root)
        while True:
            chains = self._split_together(subtrees)
            room = (len(self._top["attribute"]) - self._n_top) // max(len(chains), 1)
            if not chains or room < LEAST_ROOM:
                return [*subtrees, *(chain.task for chain in chains)]
            grown = self._peeler.split(chains, self._top["outcomes"], room)
            for chain, (nodes, tasks) in zip(chains, grown, strict=True):
                for task in self._with_nodes(chain.task, nodes, tasks):
                    heappush(subtrees, task)

    def _split_together(self, subtrees: list[Task]) -> list[Chain]:
        """Take the large nodes from the heap and split them with all threads; return those that begin chains."""
        chains: list[Chain] = []
        n_most = 0
        while subtrees and self._n_together < MOST_TOGETHER and self._n_top + 2 <= len(self._top["attribute"]):
            largest = subtrees[0].size
            if largest < FEW_CASES or largest * PORTIONS <= self._lists.stride:
                break
            n_most = max(n_most, largest) if chains else largest
            self._shorten_table(n_most)
            task = heappop(subtrees)
            if self._peels and task.n_peels >= many_peels(self._plan):
                chains.append(Chain(task, *room_for_cuts(self._lists.n_attributes), -1))
                continue
            children = self._split(task)
            if isinstance(children, Chain):
                chains.append(children)
                continue
            for child in children:
                heappush(subtrees, child)
        return chains

    def _shorten_table(self, n_most: int) -> None:
        """Drop the logarithms of more cases than any open node has, if they are many."""
        table = np.asarray(self._lists.xlog2_of)
        if len(table) > 2 * (n_most + 1):
            self._lists.xlog2_of = table[: n_most + 1].copy()
            del table
            self._return_memory()

    def _return_memory(self) -> None:
        if self._lists.stride >= FEW_CASES:
            from treecli.grow.allocation import return_freed_pages

            return_freed_pages()

    def _with_nodes(self, task: Task, nodes: Arrays, tasks: list[Task]) -> list[Task]:
        """Append the nodes below a node to the top of the tree, and return the open ones with their numbers there."""
        first, shift = self._n_top, self._n_top - 1
        self._n_top += len(nodes["attribute"]) - 1
        nodes["first_child"][nodes["first_child"] > 0] += shift
        for name, values in self._top.items():
            if name != "sums":
                values[first : self._n_top] = nodes[name][1:]
        for name in ("attribute", "first_child", "neighbour", "cost"):
            self._top[name][task.node] = nodes[name][0]
        # A chain that was not split is still the node itself.
        return [replace(own, node=own.node + shift if own.node else task.node) for own in tasks]

    def _are_open(self, siblings: list[Task]) -> list[bool]:
        """Return whether each of these consecutive nodes may be split."""
        first, n = siblings[0].node, len(siblings)
        size = np.array([task.size for task in siblings], np.float64)
        is_open = np.empty(n, np.uint8)
        stop.are_open(self._top["outcomes"][first : first + n], size, size, self._plan, is_open)
        return [bool(own) for own in is_open]

    def _split(self, task: Task) -> list[Task] | Chain:
        """Split one node with all threads, and return its open children; if few cases leave, it begins a chain."""
        lists, plan, top = self._lists, self._plan, args_of(self._top)
        found, cut = room_for_cuts(lists.n_attributes)

        def scan(place: int) -> None:
            search = search_of(task, cut, self._n_outcomes)
            search.first, search.last = place, place + 1
            best_packed.scan(lists, search, top, found, plan)

        self._shared.do(scan, range(len(task.live)))
        search = search_of(task, cut, self._n_outcomes)
        best = best_packed.choose(lists, search, top, found, plan)
        if best < 0:
            return []
        child, middle = self._n_top, int(cut[best]) + 1
        n_peels = self._n_peels(task, middle)
        if self._peels and max(n_peels) >= many_peels(plan):
            return Chain(replace(task, live=task.live[cut[task.live] != codes.CONSTANT]), found, cut, best)
        self._n_top += 2
        self._n_together += 1
        grow_packed.split(lists, search, best, child, found, top, plan)
        if task.depth + 1 >= plan.max_depth:
            return []
        live = task.live[cut[task.live] != codes.CONSTANT]
        left = Task(child, task.lo, middle, task.depth + 1, live, n_peels[0])
        right = Task(child + 1, middle, task.hi, task.depth + 1, live, n_peels[1])
        is_open = self._are_open([left, right])
        if any(is_open):
            in_order_of_file = [lists.n_attributes] if plan.is_numeric else []

            def part(number: int) -> None:
                search = search_of(task, cut, self._n_outcomes)
                search.spare = np.empty(task.hi - middle + 1, np.uint32)
                packed_lists.part(lists, search, number)

            self._shared.do(part, [*live[live != best], *in_order_of_file])
        return [own for own, opens in zip((left, right), is_open, strict=True) if opens]

    def _n_peels(self, task: Task, middle: int) -> tuple[int, int]:
        """Return the number of peels above both children of a node."""
        least = min(middle - task.lo, task.hi - middle)
        n_peels = task.n_peels + 1 if least * peel_packed.PEEL_SHARE <= task.size else 0
        return (0, n_peels) if middle - task.lo == least else (n_peels, 0)

    def _finish(self, tasks: list[Task], on_progress: OnProgress | None) -> Arrays:
        """Grow the subtrees, largest first, and return all nodes."""
        self._shorten_table(max((task.size for task in tasks), default=0))
        self._return_memory()
        top = first_nodes(self._top, self._n_top, self._plan, self._lists.stride)
        parts, n_nodes, n_done = [top], self._n_top, 0
        for task, grown in zip(tasks, self._shared.map(self._grow, tasks), strict=True):
            # The root of the subtree already has a number; its other nodes are appended.
            grown["first_child"][grown["first_child"] > 0] += n_nodes - 1
            set_nodes(top, np.array([task.node]), grown)
            parts.append(without_first(grown, 1))
            n_nodes += len(grown["attribute"]) - 1
            n_done += task.size
            if on_progress is not None:
                on_progress(n_done / self._lists.stride)
        if on_progress is not None:
            on_progress(1.0)
        self._free_lists()
        return concatenated(parts)

    def _return_lists(self, task: Task) -> None:
        """Return the memory of the lists of a finished subtree: the nodes take the more, the more subtrees are done."""
        if task.size >= MANY_ENTRIES:
            from treecli.grow.allocation import return_pages_of

            entry = np.asarray(self._lists.entry)
            for begin in range(task.lo, len(entry), self._lists.stride):
                return_pages_of(entry[begin : begin + task.size])

    def _free_lists(self) -> None:
        """Drop the lists, which are not needed any more: the nodes take room while they are joined and ordered."""
        self._lists.entry = np.empty(0, np.uint32)

    def _grow(self, task: Task) -> Arrays:
        """Return the nodes of one subtree."""
        lists, plan = self._lists, self._plan
        found, cut = room_for_cuts(lists.n_attributes)
        search = search_of(task, cut, self._n_outcomes)
        row_of_number = None
        if len(task.live) and task.size < lists.stride:
            # A number among the cases of the subtree instead of a row: what is looked up by it stays in the cache.
            row_of_number = np.empty(task.size, np.int32)
            packed_lists.renumber(lists, search, self._number_of_row, row_of_number)
            lists = lists_of_some(lists, row_of_number)
        n_leaves = max(task.size // lists.min_side, 1)
        n_leaves = min(n_leaves, 1 << min(plan.max_depth - task.depth, ENTRY_BITS))
        n_nodes = 2 * n_leaves + 1  # a node that cannot be split still needs room to try
        if self._n_outcomes > MANY_CLASSES:
            n_nodes = min(n_nodes, max(NUMBERS_AT_ONCE // self._n_outcomes, LEAST_ROOM))
        room = self._taken_room(task.size, n_leaves, n_nodes)
        nodes, pending, peeling = room.nodes, room.pending, room.peeling
        nodes["outcomes"][0] = self._top["outcomes"][task.node]
        if plan.is_numeric:
            nodes["sums"][0] = self._top["sums"][task.node]
        search.node, search.live, search.spare = 0, task.live.copy(), room.spare
        progress = np.empty(2, np.int64)
        grow_packed.open_root(search, args_of(nodes), pending, progress)
        pending[0, grow_packed.N_PEELS] = task.n_peels
        parts, roots = [], [np.zeros(1, np.int64)]
        while not grow_packed.grow(lists, search, args_of(nodes), found, pending, progress, peeling, plan):
            n_pending, n_made = progress.tolist()
            waiting = pending[:n_pending, 0].astype(np.int64)
            parts.append(first_nodes(nodes, n_made, plan, task.size))
            roots.append(waiting)
            nodes = self._renewed(nodes, waiting)
            pending[:n_pending, 0] = np.arange(n_pending)
            progress[1] = n_pending
        grown = chained([*parts, first_nodes(nodes, int(progress[1]), plan, task.size)], roots)
        self._rooms.append(room)
        if row_of_number is not None:
            is_inner = grown["first_child"] > 0
            grown["neighbour"][is_inner] = row_of_number[grown["neighbour"][is_inner]]
        self._return_lists(task)
        return grown

    def _renewed(self, nodes: Arrays, waiting: np.ndarray) -> Arrays:
        """Return room for nodes that begins with those that wait to be split."""
        outcomes = nodes["outcomes"][waiting]
        if len(outcomes) > len(nodes["attribute"]) // 2:
            nodes = room_for_nodes(2 * len(nodes["attribute"]), self._n_outcomes, self._plan)
        nodes["outcomes"][: len(outcomes)] = outcomes
        nodes["cost"][:] = 0.0
        nodes["attribute"][: len(outcomes)] = LEAF
        nodes["first_child"][: len(outcomes)] = 0
        return nodes
