"""From the rows of a Spark source to coded data, which stay in Spark as blocks of codes."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.engines import _sparkrows, _sparkworker
from treecli.engines._passes import LABEL, NODE, ROW, WEIGHT
from treecli.engines._sparksource import AGAIN, explained
from treecli.errors import DataError
from treecli.grow.coded import CODE, MOST_CODES, MOST_VALUES, CodedColumn, CodedData
from treecli.grow.level import VANISHING_SHARE

if TYPE_CHECKING:
    from treecli.data import Dataset, Schema
    from treecli.engines._sparksource import SparkSource
    from treecli.grow.candidates import Codes, Floats

ROWS_PER_BATCH = 1 << 14
BLOCKS_PER_BATCH = 8
MOST_LABELS = 5_000_000


@dataclass(frozen=True)
class ClusteredData(CodedData):
    """Coded data that Spark holds: a frame of blocks (see _sparkworker), or of codes if workers lack pyarrow."""

    frame: Any = None
    has_arrow: bool = True
    name: str = "the data"
    cure: str = AGAIN

    @property
    def is_local(self) -> bool:
        return False

    @property
    def types(self) -> dict[str, str]:
        """The types of the columns of blocks."""
        label = CODE.__name__ if self.schema.is_classification else "float64"
        own = {ROW: "int64", LABEL: label, WEIGHT: "int64" if self.is_whole else "float64", NODE: "int32"}
        return own | {f"c{a}": CODE.__name__ if c.is_dense else "float64" for a, c in enumerate(self.columns)}

    @contextmanager
    def explained(self, n_rows: int = BLOCKS_PER_BATCH) -> Iterator[None]:
        """Turn errors of Spark into one line, and let it send so many rows at a time: blocks, or sums of counters."""
        with explained(self.name, cure=self.cure), batches_of(self.frame.sparkSession, n_rows):
            yield


@contextmanager
def batches_of(session: Any, n_rows: int) -> Iterator[None]:
    """Let Spark send workers so many rows at a time."""
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = session.conf.get(name)
    session.conf.set(name, n_rows)
    try:
        yield
    finally:
        session.conf.set(name, before)


def prepare(session: Any) -> bool:
    """Let Spark send the modules of workers by value, and return whether all workers have pyarrow."""
    from py4j.protocol import Py4JError
    from pyspark import cloudpickle

    register: Any = cloudpickle.register_pickle_by_value  # untyped
    for module in (_sparkworker, _sparkrows):
        register(module)
    context = session.sparkContext
    n = max(context.defaultParallelism, 1)
    try:
        found: list[bool] = context.parallelize(range(n), n).mapPartitions(_sparkworker.has_arrow).collect()
    except Py4JError as error:
        if "Connection refused" in str(error):
            raise
        return False  # no Python, or another version
    return all(found)


@dataclass
class SparkLabels:
    """The labels of a column; `order` has the code of each, and the last code stands for a missing value."""

    name: str
    place: int
    n_rows: int
    n_missing: int
    n_missing_labelled: int
    labels: tuple[str, ...]
    n_labelled: list[int]
    order: Codes | None = None
    is_numeric = False
    range = (np.inf, -np.inf)

    @property
    def code_of(self) -> dict[str, int]:
        codes = range(len(self.labels)) if self.order is None else self.order.tolist()
        return dict(zip(self.labels, codes, strict=False))

    def renumber(self, codes: Codes) -> None:
        self.order = codes

    def leave_out(self) -> None:
        """Spark does not read the column again."""

    def identifies_rows(self, n_rows: int, target: SparkLabels | None) -> bool:
        if target is None:
            return n_rows > 1 and len(self.labels) == n_rows and not self.n_missing
        n_kept = n_rows - target.n_missing
        if n_kept < 2 or self.n_missing_labelled:
            return False
        return max(self.n_labelled, default=0) == 1 and sum(self.n_labelled) == n_kept


@dataclass
class SparkNumbers:
    """The numbers of a column, with those that are distinct if they are few."""

    name: str
    place: int
    n_rows: int
    n_missing: int
    n_missing_labelled: int
    range: tuple[float, float]
    range_of_cases: tuple[float, float]
    distinct: Floats | None
    labels: tuple[str, ...] = ()
    is_numeric = True

    @property
    def joins(self) -> tuple[bool, bool]:
        return self.range[0] == -np.inf, self.range[1] == np.inf

    def prepared(self, values: Any) -> Floats:
        found: Floats = _sparkrows.prepared(np.asarray(values, np.float64), *self.joins)
        return found

    def renumber(self, codes: Codes) -> None:
        raise AssertionError

    def leave_out(self) -> None:
        """Spark does not read the column again."""

    def identifies_rows(self, n_rows: int, target: Any) -> bool:
        return False


@dataclass
class Totals:
    """Of all rows: their number, those with a class, the cases, and the weight of each class."""

    n: list[int] = field(default_factory=lambda: [0, 0, 0])
    of_class: dict[str, float] = field(default_factory=dict)
    weight: float = 0.0
    strange: tuple[int, float] | None = None
    """The first row with a weight that is not whole, and this weight."""


class SparkRows:
    """The rows of a source in Spark, which become blocks of codes; `folder` is for the rows of nodes that fit here."""

    def __init__(self, source: SparkSource, folder: Path) -> None:
        self._source = source
        self._folder = folder
        self._frame: Any = None
        self._totals = Totals()
        self._has_arrow = True

    def read(self, names: Sequence[str], target: str, weights: str | None) -> Mapping[str, Any]:
        """Return a summary of each column, from one pass over the source."""
        source = self._source
        types = dict(source.columns())
        is_numeric = [types[own] == "DOUBLE" for own in names]
        places = names.index(target), None if weights is None else names.index(weights)
        source.passes += 1
        with source.explained():
            self._frame = source.numbered(names)
            self._has_arrow = prepare(source.session)
            if not self._has_arrow:
                from treecli.engines._sparksql import profiled

                summaries = profiled(self._frame, is_numeric, places, MOST_VALUES)
            else:
                work = _sparkrows.profile(is_numeric, *places, MOST_VALUES)
                with batches_of(source.session, ROWS_PER_BATCH):
                    rows = self._frame.mapInArrow(work, _sparkrows.SUMMARY).collect()
                summaries = [pickle.loads(bytes(own.summary)) for own in rows]
        return self._merged(summaries, names, is_numeric)

    def _merged(self, summaries: list[Any], names: Sequence[str], is_numeric: list[bool]) -> dict[str, Any]:
        """Return the columns, from the summaries of all partitions."""
        totals = self._totals
        for own in summaries:
            totals.n = [a + b for a, b in zip(totals.n, own["n"], strict=True)]
            totals.weight += own.get("weight", 0.0)
            for label, sum_ in own["sums"].items():
                totals.of_class[label] = totals.of_class.get(label, 0.0) + sum_
            if own["strange"] is not None and (totals.strange is None or own["strange"] < totals.strange):
                totals.strange = own["strange"]
        found = {}
        for place, name in enumerate(names):
            parts = [own["columns"][place] for own in summaries]
            merge = _merged_numbers if is_numeric[place] else _merged_labels
            found[name] = merge(name, place, totals.n[0], parts)
        return found

    def coded(
        self, schema: Schema, columns: Sequence[Any], target: Any, weights: Any, *, keep_unlabelled: bool
    ) -> ClusteredData:
        """Return the rows with a class and a weight above 0 as coded data, from one more pass over the source."""
        source, totals = self._source, self._totals
        n_rows, n_labelled, n_cases = totals.n
        labels = schema.target.labels
        _check(schema, totals, n_cases, has_arrow=self._has_arrow)
        is_whole = totals.strange is None
        code_of_class: dict[str, int] = target.code_of if schema.is_classification else {}
        classes = np.zeros(len(labels), np.int64 if is_whole else np.float64)
        for label, sum_ in totals.of_class.items():
            classes[code_of_class[label]] = sum_
        described = [_described(schema, a, own, keep_unlabelled) for a, own in enumerate(columns)]
        coders = [_coder(own, column) for own, column in zip(columns, described, strict=True)]
        places = target.place, None if weights is None else weights.place
        source.passes += 1
        with source.explained():
            if self._has_arrow:
                kind = "int64" if is_whole else "float64"
                classes_of = code_of_class if schema.is_classification else None
                work = _sparkrows.encode(coders, classes_of, places, CODE.__name__, kind)
                names = [ROW, LABEL, *([WEIGHT] if weights is not None else [])]
                names += [f"c{a}" for a in range(len(columns))]
                frame = self._frame.mapInArrow(work, ", ".join(f"`{own}` binary" for own in names))
            else:
                from treecli.engines._sparksql import encoded

                frame = encoded(self._frame, coders, code_of_class, places)
            frame = frame.persist()
            with batches_of(source.session, ROWS_PER_BATCH):
                frame.count()
        return ClusteredData(
            schema,
            described,
            self._folder,
            n_cases,
            n_rows if keep_unlabelled else n_labelled,
            classes,
            weights is not None,
            np.array([float(classes.sum()) if schema.is_classification else totals.weight]),
            frame,
            self._has_arrow,
            source.name,
            source.cure,
            is_whole=is_whole,
            target_range=None if schema.is_classification else target.range_of_cases,
        )


def _check(schema: Schema, totals: Totals, n_cases: int, *, has_arrow: bool) -> None:
    """Raise a DataError if the rows cannot be counted."""
    target = schema.target
    if len(target.labels) >= MOST_CODES:
        raise DataError(
            f"the target '{target.name}' has {len(target.labels)} classes; classes are counted up to {MOST_CODES - 1}",
            "use --engine memory",
        )
    if totals.strange is not None and not has_arrow:
        raise DataError(
            f"found the weight {totals.strange[1]:g}; without pyarrow on the workers weights must be whole numbers",
            "install pyarrow on the workers, or multiply the weights to make them whole",
        )
    if not schema.is_classification and not has_arrow:
        raise DataError(
            f"the target '{target.name}' is numeric, and its rows cannot be sent here without pyarrow on the workers",
            f"install pyarrow on the workers, or say --type {target.name}=nominal",
        )
    total = sum(totals.of_class.values())
    if totals.strange is None and total >= 1 / VANISHING_SHARE:
        # A row of weight 1 would be ignored in memory.
        raise DataError(f"the weights sum to {total:g}, expected less than 2^46", "divide the weights")
    if not n_cases:
        raise DataError(f"no row can be learned from: each lacks a value of the target '{target.name}' or a weight")


def _merged_labels(name: str, place: int, n_rows: int, parts: list[Any]) -> SparkLabels:
    first: dict[str, int] = {}
    n_labelled: dict[str, int] = {}
    for _, words, rows, counts in parts:
        for word, row, n in zip(words, rows, counts, strict=True):
            first[word] = min(first.get(word, row), row)
            n_labelled[word] = n_labelled.get(word, 0) + n
    if len(first) > MOST_LABELS:
        raise DataError(f"'{name}' has more than {MOST_LABELS} labels", f"leave it out with --ignore '{name}'")
    labels = tuple(sorted(first, key=first.__getitem__))
    n_missing, n_missing_labelled = (sum(part[0][which] for part in parts) for which in (0, 1))
    counts = [n_labelled[own] for own in labels]
    return SparkLabels(name, place, n_rows, n_missing, n_missing_labelled, labels, counts)


def _merged_numbers(name: str, place: int, n_rows: int, parts: list[Any]) -> SparkNumbers:
    n_missing, n_missing_labelled = (sum(part[0][which] for part in parts) for which in (0, 1))
    of_rows, of_cases = (
        (min((part[which][0] for part in parts), default=np.inf), max((p[which][1] for p in parts), default=-np.inf))
        for which in (1, 2)
    )
    distinct = None
    if all(part[3] is not None for part in parts):
        distinct = np.unique(np.concatenate([np.empty(0), *(part[3] for part in parts)]))
        distinct = distinct if len(distinct) <= MOST_VALUES else None
    return SparkNumbers(name, place, n_rows, n_missing, n_missing_labelled, of_rows, of_cases, distinct)


def _described(schema: Schema, attribute: int, column: Any, keep_unlabelled: bool) -> CodedColumn:
    """Return the codes of a column, as grow.coding gives them."""
    own, values, spread = schema.attributes[attribute], None, None
    if column.is_numeric and column.distinct is not None:
        values = np.unique(column.prepared(column.distinct))
    elif own.kind == "ordinal":
        values = np.arange(len(own.labels), dtype=np.float64)
    n_codes = len(values) if values is not None else len(own.labels)
    is_dense = n_codes < MOST_CODES and (values is not None or not column.is_numeric)
    n_missing = column.n_missing if keep_unlabelled else column.n_missing_labelled
    if column.is_numeric:
        low, high = column.prepared(column.range_of_cases).tolist()
        spread = (low + 0.0, high + 0.0) if isfinite(low) and isfinite(high) else None  # 0 for -0
    return CodedColumn(is_dense, n_codes if is_dense else 0, values if is_dense else None, n_missing, spread)


def _coder(column: Any, described: CodedColumn) -> tuple[Any, ...]:
    """Return the coder of a column, as _sparkrows.encode takes it."""
    n_codes = described.n_codes if described.is_dense else None
    if column.is_numeric:
        return column.place, None, n_codes, (described.values, column.joins)
    return column.place, column.code_of, n_codes, None


def clustered(dataset: Dataset, session: Any, folder: Path, n_parts: int = 2) -> ClusteredData:
    """Return a data set in memory as coded data in Spark."""
    from treecli.grow.coding import coded_dataset

    has_arrow = prepare(session)
    data = coded_dataset(dataset, folder)
    names = [ROW, LABEL, *([WEIGHT] if data.has_weights else []), *(f"c{a}" for a in range(len(data.columns)))]
    blocks = []
    size = max(-(-data.n_cases // n_parts), 1)
    for first, n in data.batches(size):
        target = data.targets(first, n)
        block = [np.arange(first, first + n), data.labels(first, n) if target is None else target]
        weights = data.whole_weights if data.is_whole else data.weights_of
        block += [weights(first, n)] if data.has_weights else []
        block += [data.column(a, first, n) for a in range(len(data.columns))]
        blocks.append(tuple(bytearray(np.ascontiguousarray(own).tobytes()) for own in block))
    frame = session.createDataFrame(blocks, ", ".join(f"`{own}` binary" for own in names)).repartition(n_parts)
    own = (data.class_weights, data.has_weights, data.weights, frame.persist(), has_arrow)
    more: dict[str, Any] = {"is_whole": data.is_whole, "target_range": data.target_range}
    return ClusteredData(data.schema, data.columns, folder, data.n_cases, data.n_rows, *own, **more)
