"""Surrogate tests of a split."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from treecli.data import Schema
from treecli.records import dataclass
from treecli.splits import Split
from treecli.splits._registry import split_type

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Surrogate:
    """A test on another attribute that sends a case whose value is missing.

    A case that takes branch i of `split` takes branch branches[i] of the node. `agreement` is the share of the node's
    cases with a known value that both send the same way. `adjusted` is 0 if that is no better than sending all of them
    down the heavier branch, and 1 if they agree on all.
    """

    split: Split
    branches: tuple[int, int]
    agreement: float
    adjusted: float

    def to_json(self, schema: Schema) -> dict[str, Any]:
        described = {"kind": self.split.KIND, "attribute": schema.columns[self.split.attribute].name}
        shares = {"agreement": self.agreement, "adjusted": self.adjusted}
        return described | self.split.to_json(schema) | {"branches": list(self.branches)} | shares


@dataclass(frozen=True, slots=True)
class SurrogateColumns:
    """Surrogates of many nodes as parallel arrays: tens of thousands, of which pruning leaves a few.

    The table of surrogate i has the entries table_start[i] to table_start[i + 1] (exclusive); it is empty if the
    surrogate is a threshold. `first` is the branch of the node that its branch 0 stands for; branch 1 is the other.
    """

    attribute: NDArray[np.int32]
    number: NDArray[np.float64]
    first: NDArray[np.int32]
    agreement: NDArray[np.float64]
    adjusted: NDArray[np.float64]
    table_start: NDArray[np.int64]
    table: NDArray[np.int32]

    def surrogate(self, place: int) -> Surrogate:
        """Return one of the surrogates as an object."""
        table = tuple(self.table[self.table_start[place] : self.table_start[place + 1]].tolist())
        split = split_type("subset" if table else "threshold").load(
            int(self.attribute[place]), float(self.number[place]), table
        )
        first = int(self.first[place])
        return Surrogate(split, (first, 1 - first), float(self.agreement[place]), float(self.adjusted[place]))


class StoredSurrogates(Sequence[Surrogate]):
    """The surrogates of one node in columns, from `begin` to before `end`; the objects are made when asked for."""

    __slots__ = ("_made", "begin", "columns", "end")

    def __init__(self, columns: SurrogateColumns, begin: int, end: int) -> None:
        self.columns, self.begin, self.end = columns, begin, end
        self._made: tuple[Surrogate, ...] | None = None

    def _objects(self) -> tuple[Surrogate, ...]:
        if self._made is None:
            self._made = tuple(map(self.columns.surrogate, range(self.begin, self.end)))
        return self._made

    def __len__(self) -> int:
        return self.end - self.begin

    def __iter__(self) -> Iterator[Surrogate]:
        return iter(self._objects())

    @overload
    def __getitem__(self, place: int) -> Surrogate: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Surrogate, ...]: ...

    def __getitem__(self, place: int | slice) -> Surrogate | tuple[Surrogate, ...]:
        return self._objects()[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._objects() == tuple(other)

    __hash__ = None  # type: ignore[assignment]


def joined_columns(parts: Sequence[Sequence[Surrogate]]) -> SurrogateColumns:
    """Return the surrogates of several nodes, one node after the other."""
    import numpy as np

    stored = [own for own in parts if isinstance(own, StoredSurrogates)]
    if len(stored) < len(parts) or not parts:
        return _columns_of([surrogate for own in parts for surrogate in own])
    sources = list({id(own.columns): own.columns for own in stored}.values())
    n_before = dict(zip(map(id, sources), np.cumsum([0, *(len(own.number) for own in sources)]).tolist(), strict=False))
    begin = np.array([n_before[id(own.columns)] + own.begin for own in stored])
    size = np.array([own.end - own.begin for own in stored])
    taken = _ranges(begin, size)
    table_size = np.concatenate([np.diff(own.table_start) for own in sources])
    table_begin = np.cumsum(table_size) - table_size
    table = np.concatenate([own.table for own in sources])[_ranges(table_begin[taken], table_size[taken])]
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(own, name) for own in sources])[taken]
        for name in ("attribute", "number", "first", "agreement", "adjusted")
    }
    return SurrogateColumns(**columns, table_start=np.concatenate([[0], np.cumsum(table_size[taken])]), table=table)


def _ranges(begin: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of ranges with these begins and sizes, one range after the other."""
    import numpy as np

    end = np.cumsum(size)
    return np.repeat(begin - (end - size), size) + np.arange(int(size.sum()))


def _columns_of(surrogates: list[Surrogate]) -> SurrogateColumns:
    import numpy as np

    splits, tables = [own.split for own in surrogates], [own.split.table for own in surrogates]
    return SurrogateColumns(
        np.array([split.attribute for split in splits], np.int32),
        np.array([split.number for split in splits], np.float64),
        np.array([own.branches[0] for own in surrogates], np.int32),
        np.array([own.agreement for own in surrogates], np.float64),
        np.array([own.adjusted for own in surrogates], np.float64),
        np.cumsum([0, *map(len, tables)]),
        np.array([branch for table in tables for branch in table], np.int32),
    )
