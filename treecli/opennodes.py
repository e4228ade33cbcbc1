"""Open nodes with their cases, apart from all others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treecli.candidates import Codes, Flags, Floats, Indices
from treecli.ordering import SortedCases


@dataclass(frozen=True, slots=True)
class OpenNodes:
    """Node i owns the cases from start[i] to start[i + 1], and as many places in each sorted list."""

    start: Indices
    row_of_case: Codes
    class_of_case: Codes
    target_of_case: Floats
    weight_of_case: Floats
    ordered: dict[int, SortedCases]
    outcomes: Floats
    """As they add up: class weights, or weight, sum and sum of squares about the centre."""
    center: Floats
    are_whole: bool
    """Whether all weights are whole numbers."""

    @property
    def n_cases(self) -> int:
        return len(self.row_of_case)

    def part(self, is_taken: Flags) -> OpenNodes:
        """Some of the nodes, with copies of their cases."""
        size = np.diff(self.start)
        start = np.concatenate([[0], np.cumsum(size[is_taken])])
        cases = np.flatnonzero(np.repeat(is_taken, size))
        shift = np.repeat(self.start[:-1][is_taken] - start[:-1], size[is_taken]).astype(np.int32)
        return OpenNodes(
            start,
            self.row_of_case[cases],
            self.class_of_case[cases],
            self.target_of_case[cases],
            self.weight_of_case[cases],
            {
                attribute: SortedCases(own.case[cases] - shift, own.value[cases], own.n_known[is_taken])
                for attribute, own in self.ordered.items()
            },
            self.outcomes[is_taken],
            self.center[is_taken],
            self.are_whole,
        )
