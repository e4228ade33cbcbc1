"""Parquet files and tables that Spark reads, counted by its workers; nodes that fit end in memory."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from treecli.data import Dataset
from treecli.engines._counting import CountingEngine
from treecli.engines._limits import ceiling_of
from treecli.engines._sparkcoding import ClusteredData, clustered
from treecli.engines._sparkfetch import fetched, needs_order
from treecli.engines._sparkpasses import SparkPasses
from treecli.engines._sparksource import LOCAL, session

if TYPE_CHECKING:
    from treecli.kernels.args import Plan


class Engine(CountingEngine):
    """Coded data in Spark, or a data set in memory, which is sent there; `most_rows` as in CountingEngine.

    If sums depend on the order of the rows, their codes are fetched first.
    """

    def __init__(
        self, data: Dataset | ClusteredData, plan: Plan, jobs: int | None, most_rows: int | None = None
    ) -> None:
        self._files: TemporaryDirectory[str] | None = None
        if isinstance(data, Dataset):
            self._files = TemporaryDirectory(prefix="treecli-")
            data = clustered(data, session(LOCAL, None), Path(self._files.name))
        if most_rows is None:
            most_rows = ceiling_of(None).most_rows(len(data.columns))
        coded = fetched(data) if needs_order(data, plan, most_rows) else data
        super().__init__(coded, plan, jobs, most_rows)

    def _passes(self, rows_at_once: int) -> Any:
        if not isinstance(self.data, ClusteredData):
            return super()._passes(rows_at_once)
        if not self.data.has_arrow:
            from treecli.engines._sparksql import SqlPasses

            return SqlPasses(self.data)
        return SparkPasses(self.data)

    def close(self) -> None:
        super().close()
        if isinstance(self.data, ClusteredData):
            self.passes.close()
        if self._files is not None:
            self._files.cleanup()
