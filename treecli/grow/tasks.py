"""Open nodes in packed lists, and room to search their cuts."""

from __future__ import annotations

import numpy as np

from treecli.grow.candidates import Codes
from treecli.kernels import codes, scan_few
from treecli.kernels.args import Found
from treecli.kernels.packed_args import Search
from treecli.kernels.score_classes import N_SIDES
from treecli.records import dataclass

MOST_CHILDREN = 1024
"""The limit on open nodes that cases of a chain have left for."""


@dataclass(frozen=True, slots=True)
class Task:
    """An open node: its number in the top of the tree, the range of its cases, and its non-constant attributes.

    n_peels is the number of splits above it in a row that sent few cases away.
    """

    node: int
    lo: int
    hi: int
    depth: int
    live: Codes
    n_peels: int = 0

    @property
    def size(self) -> int:
        return self.hi - self.lo

    def __lt__(self, other: Task) -> bool:
        """Order larger nodes first."""
        return (-self.size, self.node) < (-other.size, other.node)


def room_for_cuts(n_attributes: int) -> tuple[Found, np.ndarray]:
    """Allocate the best cut of each attribute, initially none."""
    found = Found()
    found.gain, found.split_info = np.full(n_attributes, -np.inf), np.zeros(n_attributes)
    found.improvement, found.merit, found.cost = np.zeros((3, n_attributes))
    return found, np.full(n_attributes, codes.NO_CUT, np.int64)


def room_for_search(live: Codes, cut: np.ndarray, n_outcomes: int) -> Search:
    """Allocate the search state of a thread for these attributes, their cuts and so many classes."""
    search = Search()
    search.live, search.cut = live, cut
    search.counts = np.empty((N_SIDES, n_outcomes), np.int64)
    search.terms = np.empty((scan_few.N_TERMS, scan_few.MOST_CASES + 1))
    search.place, search.group = np.empty((2, MOST_CHILDREN), np.int64)
    return search


def search_of(task: Task, cut: np.ndarray, n_outcomes: int) -> Search:
    """Return the search state for an open node."""
    search = room_for_search(task.live, cut, n_outcomes)
    search.node, search.lo, search.hi, search.depth = task.node, task.lo, task.hi, task.depth
    return search
