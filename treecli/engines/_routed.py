"""Passes over some levels only, and over some nodes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from treecli.engines._parts import Batch, Parts
from treecli.engines._passes import LEAF, ROWS_AT_ONCE, Moves, Passes

if TYPE_CHECKING:
    from treecli.grow.candidates import Codes, Flags
    from treecli.grow.coded import CodedData
    from treecli.threads import Shared


class RoutedPasses(Passes):
    """Passes that need not be made at every level: the next one moves the rows through all levels since the last."""

    def __init__(self, data: CodedData, folder: Path, shared: Shared, rows_at_once: int = ROWS_AT_ONCE) -> None:
        super().__init__(data, folder, shared, rows_at_once)
        self._route: list[tuple[Moves, Codes]] = []
        self._n_before: int | None = None
        """How many passes were made before this level, if its counts are known."""
        self.is_counted: Flags | None = None
        """By node: whether its rows are counted; None: all are."""

    def move(self, moves: Moves, to: Codes, parts: Parts) -> None:
        super().move(moves, to, parts)
        self._route.append((moves, to))

    def pass_over(self) -> None:
        """Leave the rows where they are: the next pass moves them."""
        self._n_before = self.n_done

    def cases(self) -> Iterator[Batch]:
        self._bring_up()
        yield from super().cases()

    @property
    def _was_scanned(self) -> bool:
        """Whether a pass was made for this level, before an interruption if its counts were kept."""
        return self._n_before is not None and self.n_done > self._n_before

    def _bring_up(self) -> None:
        """Move the rows, unless that is done; the pass does not count if it was made before an interruption."""
        if self._route:
            n_done, was_scanned = self.n_done, self._was_scanned
            super().pass_over()
            self.n_done = n_done if was_scanned else self.n_done

    def kept_nodes(self) -> Iterator[tuple[int, Codes]]:
        """Yield the first row and the nodes of each batch, as the last pass left them."""
        return self._kept_nodes()

    def _nodes_of_batches(self) -> Iterator[tuple[int, Codes]]:
        yield from super()._nodes_of_batches()
        self._route = []

    def _moved(self, node: Codes, begin: int) -> Codes:
        for moves, to in self._route:
            self._moves, self._to = moves, to
            node = super()._moved(node, begin)
        return node

    def _batch(self, begin: int, node: Codes) -> Batch:
        if self.is_counted is not None:
            node = np.where((node >= 0) & self.is_counted[np.maximum(node, 0)], node, LEAF).astype(np.int32)
        return super()._batch(begin, node)
