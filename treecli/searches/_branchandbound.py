"""The optimal tree of a problem: tests at the root are shared by threads, and time is limited."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from os import cpu_count
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from treecli.kernels import optimal_search
from treecli.kernels.optimal_args import Memory, Room

if TYPE_CHECKING:
    from treecli.kernels.optimal_args import Problem
    from treecli.threads import OnProgress

MEMORY_BYTES = 1 << 28
"""The most memory for solved problems, of all threads together."""

MOST_KEPT = 1 << 20
"""The most solved problems that a thread keeps; a power of two."""

DEEPEST_WITHOUT_MEMORY = 3
"""Up to this depth, hardly any set of cases occurs twice."""

CHECK_SECONDS = 0.1
"""How often the time is checked."""

NO_TEST = -1

LEAVES = 32
"""As in the kernels: the value of a tree is this times its cost, plus its leaves."""

START = -1
"""The place of the tree to begin with, before all tests."""


@dataclass
class Found:
    """The best tree so far: the test of node i, whose children are 2 i + 1 and 2 i + 2; negative at leaves."""

    tree: list[int]
    value: int
    bound: int
    """No tree has a lower value, except for the leaves of trees without avoidable errors."""

    @property
    def is_proved(self) -> bool:
        return self.bound >= self.value


@dataclass
class Search:
    """A search for the best tree of `depth` levels for a set of cases."""

    problem: Problem
    cases: np.ndarray
    depth: int
    jobs: int | None
    n_solved: int = 0
    """The trees of two levels that were solved."""
    _stop: np.ndarray = field(default_factory=lambda: np.zeros(1, np.uint8))
    _lock: Lock = field(default_factory=Lock)

    def run(self, end: float | None, on_progress: OnProgress | None) -> Found:
        """Return the best tree, or the best that is found until `end` on the monotonic clock."""
        self._first = _room(self.problem, self.cases, self.depth, self._stop)
        self._next = 0
        self._stop[0] = end is not None and monotonic() >= end
        n_threads = self.jobs or cpu_count() or 1
        if n_threads == 1 and end is None and on_progress is None:
            # Nobody waits for anything: a thread would cost more than a small search.
            self._open()
            self._work(0, 1)
            return self._best()
        with ThreadPoolExecutor(n_threads) as pool:
            try:
                self._wait([pool.submit(self._open)], end, None)
                n_threads = min(n_threads, self._n_tests)
                self._wait([pool.submit(self._work, i, n_threads) for i in range(n_threads)], end, on_progress)
            finally:
                self._stop[0] = 1
        return self._best()

    def _wait(self, futures: list, end: float | None, on_progress: OnProgress | None) -> None:  # type: ignore[type-arg]
        """Wait for the threads; stop them at the end of the time."""
        while wait(futures, CHECK_SECONDS if end is None else max(min(CHECK_SECONDS, end - monotonic()), 0)).not_done:
            if end is not None and monotonic() >= end:
                self._stop[0] = 1
                wait(futures)
            if on_progress is not None:
                on_progress(self._next / max(self._n_tests, 1))
        for future in futures:
            future.result()

    def _open(self) -> None:
        """Find a tree to begin with, the best of up to two levels, and list the tests if there are more levels."""
        room, depth = self._first, self.depth
        value = optimal_search.open_root(self.problem, room, depth)
        self._is_cut_short = bool(self._stop[0])
        self._floor = optimal_search.root_floor(self.problem, room, depth) - self.problem.leaf_fee
        tree = [int(test) for test in room.tree[depth]]
        if depth > 1 and self._is_cut_short:
            # Not all pairs of tests were counted: the best test with the best ones below it may be better.
            alone = _room(self.problem, self.cases, 1, self._stop)
            optimal_search.open_root(self.problem, alone, 1)
            value, tree = self._extended(value, tree, [int(alone.tree[1, 0])], 1)
        if depth > 2:
            value, tree = self._extended(value, tree, tree[:3], depth - 2)
        self._trees = {START: (value, tree)}
        self._n_tests = int(room.n_open[depth]) if depth > 2 and not self._is_least(value) else 0
        self._end = self._n_tests
        self._open_places = set(range(self._n_tests))
        self._left, self._right = np.zeros(self._n_tests, np.int64), np.zeros(self._n_tests, np.int64)

    def _extended(self, value: int, given: list[int], upper: list[int], n_below: int) -> tuple[int, list[int]]:
        """Return the tree of upper levels and the best subtrees of `n_below` levels, or the given one if it is better.

        It is a good tree to begin with, and the one that is kept if there is hardly any time.
        """
        if upper[0] == NO_TEST or not self.problem.is_free:
            return value, given
        tree = upper + [NO_TEST] * (len(given) - len(upper))
        total, cases_of = 0, {0: self.cases}
        for place in range(2 * len(upper) + 1):
            if place not in cases_of:
                continue
            own = cases_of[place]
            if place < len(upper) and tree[place] != NO_TEST:
                held = np.asarray(self.problem.tests)[tree[place]]
                cases_of |= {2 * place + 1: own & held, 2 * place + 2: own & ~held}
                continue
            room = _room(self.problem, own, n_below, self._stop)
            total += optimal_search.open_root(self.problem, room, n_below)
            first, *sides = (int(test) for test in room.tree[n_below, :3])
            tree[place] = first
            if first != NO_TEST and n_below > 1:
                tree[2 * place + 1 : 2 * place + 3] = sides
        return (total, tree) if total <= value else (value, given)

    def _is_least(self, value: int) -> bool:
        """Return whether a tree makes only errors that no tree avoids."""
        return value < self._floor + LEAVES

    def _work(self, number: int, n_threads: int) -> None:
        """Try tests at the root until none is left."""
        room, depth, n = self._first, self.depth, self._n_tests
        if number:
            room = _room(self.problem, self.cases, depth, self._stop)
            np.asarray(room.order)[depth], room.n_open[depth] = self._first.order[depth], n
        memory = _memory(room, depth, n, n_threads)
        while not self._stop[0]:
            with self._lock:
                k = self._next
                if k >= self._end:
                    break
                self._next += 1
                # Later tests may turn out not to count, so they set no limit.
                value, test = min((value, tree[0]) for place, (value, tree) in self._trees.items() if place < k)
                limit = value if self._first.order[depth, k] <= test else value - 1
                np.asarray(room.left_bound)[depth, :n] = self._left
                np.asarray(room.right_bound)[depth, :n] = self._right
            value = optimal_search.try_root(self.problem, room, memory, depth, k, limit)
            with self._lock:
                self._left[k], self._right[k] = room.left_bound[depth, k], room.right_bound[depth, k]
                if not self._stop[0]:
                    self._record(k, value, limit, room)
        with self._lock:
            self.n_solved += room.n_solved

    def _record(self, k: int, value: int, limit: int, room: Room) -> None:
        """Keep the tree of the k-th test if it is as good as those before; nothing after it counts if it is least."""
        self._open_places.discard(k)
        if value <= limit:
            self._trees[k] = value, [int(test) for test in room.tree[room.tree.shape[0] // 2 + self.depth]]
            if self._is_least(value):
                self._end = min(self._end, k + 1)

    def _best(self) -> Found:
        """Return the best tree that counts, and the least bound of the tests that are not finished."""
        place = min(
            (place for place in self._trees if place < self._end),
            key=lambda place: (self._trees[place][0], self._trees[place][1][0], -place),
        )
        value, tree = self._trees[place]
        if self._is_least(value):
            return Found(tree, value, value)
        bound = min(value, self._floor + self.problem.leaf_fee) if self._is_cut_short else value
        np.asarray(self._first.left_bound)[self.depth, : self._n_tests] = self._left
        np.asarray(self._first.right_bound)[self.depth, : self._n_tests] = self._right
        least = self._floor + 2 * self.problem.leaf_fee
        for k in sorted(place for place in self._open_places if place < self._end):
            if bound <= least:
                # No test has a lower bound, and there may be too many to look at each.
                break
            bound = min(bound, optimal_search.try_root(self.problem, self._first, Memory(), self.depth, k, -1))
            # Bounds that follow from others bound nothing further.
            self._first.left_bound[self.depth, k], self._first.right_bound[self.depth, k] = (
                self._left[k],
                self._right[k],
            )
        return Found(tree, value, bound)


def _room(problem: Problem, cases: np.ndarray, depth: int, stop: np.ndarray) -> Room:
    """Allocate the working space of one thread."""
    n_tests, n_words, n_classes = len(problem.tests), len(cases), problem.n_classes
    n_segments = len(problem.segment_end)
    room = Room()
    room.sets = np.zeros((depth + 1, n_words), np.uint64)
    np.asarray(room.sets)[depth] = cases
    room.rows = np.zeros((n_tests + 1, n_words), np.uint64)
    # For each depth the best tree so far, then for each depth a tree that is tried.
    room.tree = np.full((2 * (depth + 1), 2 ** max(depth, 2) - 1), NO_TEST, np.int32)
    room.order = np.zeros((depth + 1, n_tests), np.int32)
    for name in ("hint", "left_bound", "right_bound"):
        setattr(room, name, np.zeros((depth + 1, n_tests), np.int64))
    for name in ("test", "left_test", "right_test"):
        setattr(room, name, np.zeros(n_tests, np.int32))
    for name in ("left", "right", "value"):
        setattr(room, name, np.zeros(n_tests, np.int64))
    for name in ("segment_begin", "segment_end", "segment"):
        setattr(room, name, np.zeros(n_segments + 1, np.int32))
    room.word = np.zeros(n_words, np.int32)
    room.count, room.cell = np.zeros((n_tests + 1, n_classes), np.int64), np.zeros((4, n_classes), np.int64)
    room.node_count, room.size = np.zeros(n_classes, np.int64), np.zeros(n_tests)
    room.n_open = np.zeros(depth + 1, np.int64)
    room.stop, room.n_solved = stop, 0
    room.n_tests = room.n_segments = room.n_words = 0
    room.node_size = 0.0
    return room


def _memory(room: Room, depth: int, n_tests: int, n_threads: int) -> Memory:
    """Allocate the table of solved problems of one thread."""
    memory = Memory()
    n_words, width = room.sets.shape[1], room.tree.shape[1]
    n = 0
    if depth > DEEPEST_WITHOUT_MEMORY:
        n = 1
        bytes_each = 8 * n_words + 4 * width + 10
        while n < MOST_KEPT and n < 2 * n_tests**2 and 2 * n * bytes_each * n_threads <= MEMORY_BYTES:
            n *= 2
    memory.key, memory.tree = np.zeros((n, n_words), np.uint64), np.zeros((n, width), np.int32)
    memory.value, memory.depth = np.zeros(n, np.int64), np.zeros(n, np.int8)
    memory.is_exact = np.zeros(n, np.uint8)
    memory.n_kept = memory.n_found = 0
    return memory
