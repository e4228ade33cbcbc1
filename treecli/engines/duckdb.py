"""Files and tables that DuckDB reads, counted in passes over narrow codes on disk; nodes that fit end in memory."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from treecli.data import Dataset
from treecli.engines._counting import CountingEngine
from treecli.engines._limits import ceiling_of
from treecli.engines._passes import ROWS_AT_ONCE
from treecli.grow.coding import coded_dataset

if TYPE_CHECKING:
    from treecli.engines._levels import Counted, CountedLevel
    from treecli.grow.candidates import Candidates
    from treecli.grow.choose import Chosen
    from treecli.grow.coded import CodedData
    from treecli.kernels.args import Plan


RAINFOREST, BOAT = "rainforest", "boat"
"""The strategies: a pass for each level, or one for all levels that a sample foresees."""


class Engine(CountingEngine):
    """Coded data, or a data set in memory that is grown as larger ones are; `most_rows` as in CountingEngine."""

    def __init__(
        self,
        data: Dataset | CodedData,
        plan: Plan,
        jobs: int | None,
        most_rows: int | None = None,
        rows_at_once: int = ROWS_AT_ONCE,
        strategy: str = RAINFOREST,
    ) -> None:
        self._strategy = strategy
        self._files: TemporaryDirectory[str] | None = None
        if isinstance(data, Dataset):
            self._files = TemporaryDirectory(prefix="treecli-")
            data = coded_dataset(data, Path(self._files.name))
        if most_rows is None:
            most_rows = ceiling_of(None).most_rows(len(data.columns))
        super().__init__(data, plan, jobs, most_rows, rows_at_once)
        self.passes.most_rows = most_rows

    def _passes(self, rows_at_once: int) -> Any:
        if self._strategy == RAINFOREST:
            return super()._passes(rows_at_once)
        from treecli.engines._boat import BoatPasses

        return BoatPasses(self.data, self.data.folder, self.shared, rows_at_once)

    def begin_level(self, level: CountedLevel) -> None:
        if self._strategy == BOAT:
            self.passes.scores = lambda counted: self._scores(level, counted)
        super().begin_level(level)

    def _scores(self, level: CountedLevel, counted: list[Counted]) -> list[Candidates]:
        """Return the best split of every attribute by these counts."""
        self._counted = counted
        return self.map(lambda a: self.candidates(level, a), range(len(counted)), level.n_cases)

    def accept(self, level: CountedLevel, chosen: Chosen) -> None:
        super().accept(level, chosen)
        if self._strategy == BOAT:
            self.passes.complete(self._counted, chosen.attribute)

    def close(self) -> None:
        super().close()
        if self._files is not None:
            self._files.cleanup()
