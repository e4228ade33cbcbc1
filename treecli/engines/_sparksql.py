"""Passes in Spark's SQL, for workers without pyarrow: slower, with the same counts.

The frame has a column for each attribute: codes of labels as INT, numbers as DOUBLE, NULL if missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.engines._parts import Parts, no_parts
from treecli.engines._passes import FIRST_ASIDE, LABEL, LEAF, NODE, ROW, WEIGHT, CodeMove, Moves, OnRows
from treecli.engines._sparkpasses import release
from treecli.engines._tables import Counters, SortedRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.engines._levels import Counted
    from treecli.engines._sparkcoding import ClusteredData
    from treecli.grow.candidates import Codes, Floats
    from treecli.kernels.args import Plan

SETS_AT_ONCE = 24
"""Attributes that one query groups by; their numbers are the bits of grouping_id."""

LOWEST = -float(np.finfo(np.float64).max)
APPROXIMATE = 1.2
"""The approximate number of distinct values may be this much too high."""


def profiled(
    frame: Any, is_numeric: Sequence[bool], places: tuple[int, int | None], most_values: int
) -> list[dict[str, Any]]:
    """Return the summary of all rows, in the format of _sparkrows.profile."""
    at_target, at_weights = places
    weight = "1D" if at_weights is None else f"c{at_weights}"
    labelled = f"c{at_target} IS NOT NULL"
    kept = f"({labelled} AND {weight} > 0)"
    asked = ["count(*)", f"count_if({labelled})", f"count_if({kept})"]
    for place, own in enumerate(is_numeric):
        column = f"c{place}"
        asked += [f"count_if({column} IS NULL)", f"count_if({column} IS NULL AND {labelled})"]
        if own:
            asked += [f"min({column})", f"max({column})"]
            asked += [f"{each}({column}) FILTER (WHERE {kept})" for each in ("min", "max")]
            asked.append(f"approx_count_distinct({column})")
    found = iter(frame.selectExpr(*(f"{own} AS a{place}" for place, own in enumerate(asked))).collect()[0])
    n = [next(found) for _ in range(3)]
    columns: list[Any] = []
    few: list[int] = []
    for place, own in enumerate(is_numeric):
        missing = [next(found), next(found)]
        if not own:
            columns.append((missing, [], [], []))
            few.append(place)
            continue
        low, high, low_of_cases, high_of_cases, n_distinct = (next(found) for _ in range(5))
        ranges = [_range(low, high), _range(low_of_cases, high_of_cases)]
        is_few = n_distinct <= most_values * APPROXIMATE
        columns.append([missing, *ranges, np.empty(0) if is_few else None])
        few += [place] if is_few else []
    for first in range(0, len(few), SETS_AT_ONCE):
        own_places = few[first : first + SETS_AT_ONCE]
        table = _grouped(frame, [], own_places, ["min(row) AS first", f"count_if({labelled}) AS n"])
        for place, rows in zip(own_places, table, strict=True):
            is_known = rows[f"c{place}"].is_valid()
            rows = rows.filter(is_known)
            values = rows[f"c{place}"]
            if is_numeric[place]:
                distinct = np.unique(values.to_numpy())
                columns[place][3] = distinct if len(distinct) <= most_values else None
            else:
                texts, firsts, counts = (rows[own].to_pylist() for own in (f"c{place}", "first", "n"))
                columns[place] = (columns[place][0], texts, firsts, counts)
    sums = {}
    if not is_numeric[at_target]:
        rows = (
            frame.where(kept)
            .groupBy(f"c{at_target}")
            .agg({weight: "sum"} if at_weights is not None else {"*": "count"})
        )
        sums = {label: float(own) for label, own in rows.collect()}
    strange = None
    if at_weights is not None:
        parts = frame.where(f"{kept} AND {weight} <> floor({weight})").select("row", weight).orderBy("row").limit(1)
        strange = next(((int(row), float(own)) for row, own in parts.collect()), None)
    return [{"n": n, "columns": columns, "sums": sums, "strange": strange}]


def _range(low: float | None, high: float | None) -> list[float]:
    return [np.inf, -np.inf] if low is None or high is None else [low, high]


def _grouped(frame: Any, by: list[str], places: Sequence[int], sums: list[str]) -> list[Any]:
    """Return an Arrow table of the groups of each place: those by other columns and by the column c{place}."""
    names = [f"c{place}" for place in places]
    sets = ", ".join(f"({', '.join([*by, own])})" for own in names)
    frame.createOrReplaceTempView("treecli_rows")
    every = ", ".join([*by, *names])
    asked = f"SELECT grouping_id() AS g, {every}, {', '.join(sums)} FROM treecli_rows"
    table = frame.sparkSession.sql(f"{asked} GROUP BY {every} GROUPING SETS ({sets})").toArrow()
    g = table["g"].to_numpy()
    n = len(names)
    # A null may be a missing value, or a column that is not in the set: only the number of the set tells.
    return [table.take(np.flatnonzero(g == (1 << n) - 1 - (1 << (n - 1 - own)))) for own in range(n)]


def encoded(frame: Any, coders: Sequence[Any], code_of_class: dict[str, int], places: tuple[int, int | None]) -> Any:
    """Return the frame with the classes and the labels as codes."""
    at_target, at_weights = places
    found = _joined(frame, f"c{at_target}", code_of_class, LABEL)
    kept = [ROW, LABEL]
    if at_weights is not None:
        found = found.where(f"c{at_weights} > 0").withColumn(WEIGHT, found[f"c{at_weights}"].cast("long"))
        kept.append(WEIGHT)
    expressions = [f"`{own}`" for own in kept]
    for a, (place, code_of, _, numbers) in enumerate(coders):
        column = f"c{place}"
        if numbers is None:
            found = _joined(found, column, code_of, f"code{a}", how="left")
            expressions.append(f"code{a} AS c{a}")
        elif numbers[1][0]:
            expressions.append(
                f"CASE WHEN {column} = {_number(LOWEST)} THEN {_number(-np.inf)} ELSE {column} END AS c{a}"
            )
        else:
            expressions.append(f"{column} AS c{a}")
    return found.selectExpr(*expressions, f"0 AS {NODE}")


def _joined(frame: Any, column: str, code_of: dict[str, int], name: str, how: str = "inner") -> Any:
    """Return a frame with the codes of a column of labels."""
    words = frame.sparkSession.createDataFrame(
        list(code_of.items()) or [("", 0)], f"`word {name}` string, `{name}` int"
    )
    words = words.hint("broadcast")
    return frame.join(words, frame[column] == words[f"word {name}"], how).drop(f"word {name}")


def _number(value: float) -> str:
    return f"double('{value!r}')"


class SqlPasses:
    """As Passes, in Spark's SQL: `n_done` passes so far."""

    IS_ORDERED = False
    has_parts_aside = False

    def __init__(self, data: ClusteredData) -> None:
        self.data = data
        self.n_done = 0
        self.room = 0
        self.most_sorted = 0
        self.plan: Plan | None = None
        self.parts = no_parts()
        self.on_rows: OnRows | None = None
        self._frame = data.frame
        self._old: Any = None
        self._pending: str | None = None

    def set_root_aside(self) -> None:
        """Set the root aside as the first node: no pass has moved a row."""
        self._pending = str(FIRST_ASIDE)

    def move(self, moves: Moves, to: Codes, parts: Parts) -> None:
        """Move the rows of the last level in the next pass; to[child] is the node that a child becomes, or negative."""
        cases = [f"WHEN {node} THEN {sql}" for own in moves for node, sql in self._branches(own, to)]
        kept = f"CASE WHEN {NODE} < 0 THEN {NODE} ELSE {LEAF} END"
        self._pending = f"CASE {NODE} {' '.join(cases)} ELSE {kept} END" if cases else kept

    def _branches(self, move: Any, to: Codes) -> Iterator[tuple[int, str]]:
        """Yield nodes with the SQL of the node that their rows move to."""
        column, described = f"c{move.attribute}", self.data.columns[move.attribute]
        if not isinstance(move, CodeMove):
            for node in np.flatnonzero(move.is_split).tolist():
                low, high, missing = to[move.children[node]].tolist()
                cut = f"{column} <= {_number(float(move.number[node]))}"
                yield node, f"CASE WHEN {column} IS NULL THEN {missing} WHEN {cut} THEN {low} ELSE {high} END"
            return
        for node in np.flatnonzero(move.start >= 0).tolist():
            begin = int(move.start[node])
            *children, missing = to[move.table[begin : begin + move.n_codes + 1]].tolist()
            if described.values is None or self.data.schema.attributes[move.attribute].kind != "numeric":
                array = f"array({', '.join(map(str, children))})"
                yield node, f"CASE WHEN {column} IS NULL THEN {missing} ELSE {array}[{column}] END"
                continue
            ends = [i for i in range(len(children) - 1) if children[i] != children[i + 1]]
            cuts = " ".join(f"WHEN {column} <= {_number(float(described.values[i]))} THEN {children[i]}" for i in ends)
            yield node, f"CASE WHEN {column} IS NULL THEN {missing} {cuts} ELSE {children[-1]} END"

    def _advance(self) -> None:
        """Bring the nodes of the rows up to date."""
        if self._pending is None:
            return
        from pyspark.sql.functions import expr

        if self._old is not None:
            self._old.unpersist()
        self._old = self._frame
        self._frame = self._frame.withColumn(NODE, expr(f"CAST({self._pending} AS INT)"))
        self._frame = self._frame.where(f"{NODE} <> {LEAF}").persist()
        self._pending = None

    def pass_over(self) -> None:
        """Move the rows of the last level without counting: the next pass does."""
        self._advance()

    def count(self, totals: Floats, scale: Floats) -> list[Counted]:
        """Return the counts of every attribute at the open nodes, whose classes must sum to `totals`."""
        self.n_done += 1
        found: list[Counted] = []
        with self.data.explained():
            self._advance()
            frame = self._frame.where(f"{NODE} >= 0")
            for first in range(0, len(self.data.columns), SETS_AT_ONCE):
                places = range(first, min(first + SETS_AT_ONCE, len(self.data.columns)))
                sum_ = f"sum({WEIGHT})" if self.data.has_weights else "count(*)"
                for a, rows in zip(places, _grouped(frame, [NODE, LABEL], places, [f"{sum_} AS n"]), strict=True):
                    found.append(self._counted(a, rows, totals, scale))
        if self.on_rows is not None:
            self.on_rows(1.0)
        return found

    def _counted(self, attribute: int, rows: Any, totals: Floats, scale: Floats) -> Counted:
        column, described = self.data.columns[attribute], self.data.schema.attributes[attribute]
        node, label, n = (rows[own].to_numpy().astype(np.int64) for own in (NODE, LABEL, "n"))
        values = np.asarray(rows[f"c{attribute}"].to_numpy(), np.float64)
        if not column.is_dense:
            return SortedRows(node, values, label, n).counted(described, totals, scale)
        counts = np.zeros((len(totals), column.n_codes + 1, totals.shape[1]), np.int64)
        np.add.at(counts, (node, self._codes(attribute, values), label), n)
        return Counters(counts, counts[:, column.n_codes] @ scale).counted(column, totals)

    def _codes(self, attribute: int, values: Floats) -> NDArray[np.int64]:
        """Return the codes of values of a frame."""
        column = self.data.columns[attribute]
        is_missing = values != values
        if column.values is None or self.data.schema.attributes[attribute].kind != "numeric":
            return np.where(is_missing, column.n_codes, values).astype(np.int64)
        return np.where(is_missing, column.n_codes, np.searchsorted(column.values, values))

    def rows_aside(self, record: Any) -> Iterator[NDArray[np.void]]:
        """Yield the rows of nodes set aside as records, in any order; the last pass over all rows."""
        self.n_done += 1
        with self.data.explained():
            self._advance()
            table = self._frame.where(f"{NODE} <= {FIRST_ASIDE}").toArrow()
        rows = np.empty(table.num_rows, record)
        for name in record.names:
            values = table[name].to_numpy()
            if name == NODE:
                values = FIRST_ASIDE - values
            elif name.startswith("c") and name != LABEL:
                a = int(name[1:])
                numbers = np.asarray(values, np.float64)
                values = self._codes(a, numbers) if self.data.columns[a].is_dense else numbers
            rows[name] = values
        yield rows

    def close(self) -> None:
        release(self.data, self._old, self._frame)
