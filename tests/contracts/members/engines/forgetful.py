"""Counts that forget the first attribute."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treecli.engines._counting import CountingEngine
from treecli.engines._levels import CountedLevel
from treecli.grow.candidates import NO_GAIN, Candidates
from treecli.grow.coded import CodedData
from treecli.kernels.args import Plan


class Engine(CountingEngine):
    """Coded data; nothing is finished in memory."""

    def __init__(self, data: CodedData, plan: Plan, jobs: int | None, most_rows: int) -> None:
        super().__init__(data, plan, jobs, most_rows=0)

    def candidates(self, level: CountedLevel, attribute: int) -> Candidates:
        """Return the best split on an attribute, none on the first."""
        found = super().candidates(level, attribute)
        return found if attribute else replace(found, gain=np.full(level.n_nodes, NO_GAIN))
