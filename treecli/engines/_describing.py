"""The columns of a source described by the database: kinds, missing values, distinct values, ranges, labels."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, isinf, nan
from typing import TYPE_CHECKING, Any

from treecli.engines import _cells
from treecli.engines._cells import NUMBER, number
from treecli.evaluate.confusion import power_of_two

if TYPE_CHECKING:
    from treecli.engines._source import Source

Facts = dict[str, Any]

HUGEINT_BITS = 126


class Described:
    """Facts about columns, over the rows with a value of the target; they ignore the rows' weights."""

    def __init__(self, source: Source, target: str) -> None:
        self.source = source
        self._target = target
        self._type_of = dict(source.columns())
        self.n_rows, self.n_unlabelled = self._one(
            f"SELECT count({self._own(target)}), count(*) - count({self._own(target)}) FROM {source.relation([target])}"
        )

    def column(self, name: str) -> Facts:
        """Return the facts about a column; labels are in order of appearance."""
        return self._numeric(name) if self._type_of[name] == NUMBER else self._nominal(name)

    def total(self, name: str) -> float:
        """Return the sum of the known values of a numeric column."""
        facts = self._numeric(name)
        mean, n_known = facts["mean"], self.n_rows - facts["n_missing"]
        return 0.0 if mean is None else float(mean * n_known)

    def n_wrong_weights(self, name: str) -> int:
        """Return the number of rows without a weight of 0 or more."""
        own = self._own(name)
        test = f"{own} IS NULL OR {own} < 0 OR isinf({own})"
        return int(self._one(f"SELECT count(*) FILTER (WHERE {test}) FROM {self._rows(name)}")[0])

    def _nominal(self, name: str) -> Facts:
        own = self._own(name)
        names = list(dict.fromkeys([name, self._target]))
        query = (
            f"SELECT {own}, count(*) FROM {self.source.relation(names, number=_ROW)} "
            f"WHERE {self._own(self._target)} IS NOT NULL GROUP BY 1 ORDER BY min({_cells.name(_ROW)})"
        )
        counts = {label: n for label, n in self._fetched(query) if label is not None}
        return {"n_missing": self.n_rows - sum(counts.values()), "n_distinct": len(counts), "labels": counts}

    def _numeric(self, name: str) -> Facts:
        own, rows = self._own(name), self._rows(name)
        query = f"SELECT count({own}), count(DISTINCT {own}), min({own}), max({own}) FROM {rows}"
        n, n_distinct, low, high = self._one(query)
        facts = {"n_missing": self.n_rows - n, "n_distinct": n_distinct}
        return facts | {"min": low, "mean": self._mean(own, rows, n, low, high) if n else None, "max": high}

    def _mean(self, own: str, rows: str, n: int, low: float, high: float) -> float:
        """Return the mean, from a sum of whole multiples of a power of two: the order of the rows does not matter."""
        if isinf(low) or isinf(high):
            return nan if low == -inf and high == inf else low if isinf(low) else high
        unit = power_of_two(max(abs(low), abs(high)))
        bits = HUGEINT_BITS - 1 - n.bit_length()
        query = f"SELECT sum(round({own} / {number(unit)} * {number(2.0**bits)})::HUGEINT) FROM {rows}"
        return float(Fraction(int(self._one(query)[0]), 2**bits) / n) * unit

    def _rows(self, name: str) -> str:
        names = list(dict.fromkeys([name, self._target]))
        return f"(SELECT * FROM {self.source.relation(names)} WHERE {self._own(self._target)} IS NOT NULL)"

    def _own(self, name: str) -> str:
        return _cells.name(name)

    def _one(self, query: str) -> tuple[Any, ...]:
        return self._fetched(query)[0]

    def _fetched(self, query: str) -> Sequence[tuple[Any, ...]]:
        self.source.passes += 1
        with self.source.explained():
            rows: Sequence[tuple[Any, ...]] = self.source.connection.execute(query).fetchall()
            return rows


_ROW = "treecli_row"
