"""From a database's rows to coded data: kinds, target, identifiers and notices as for data in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from treecli.data import MISSING, Attribute, Schema
from treecli.errors import DataError, did_you_mean
from treecli.files.compression import decompressing, suffix_of
from treecli.grow.coding import RawColumn, coded
from treecli.intake import IDENTIFIER, IGNORED, check_known, check_roles
from treecli.limits import check_range
from treecli.readers._kinds import kinds_asked
from treecli.readers._notices import notices_about_numbers, summary
from treecli.readers._table import BLANKS, shortened
from treecli.wording import counted, shell_word

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.engines._source import Source
    from treecli.engines._sparksource import SparkSource
    from treecli.grow.candidates import Codes, Floats
    from treecli.grow.coded import CodedData
    from treecli.readers._source import ReadOptions

ROWS_AT_ONCE = 1 << 17

MOST_LABELS = 5_000_000
"""The texts of a column are kept in memory while it is read."""

HASHED_BYTES = 1 << 22


class LargeIntake(NamedTuple):
    """Coded data, their source, and messages about how they were read; the fields as in `intake.Intake`."""

    data: CodedData
    name: str
    sha256: str | None
    notices: tuple[str, ...]
    warnings: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]


class Column(Protocol):
    """A column of the source whose values are known in summary; `range` is that of a numeric one."""

    name: str
    is_numeric: bool
    n_missing: int

    @property
    def n_rows(self) -> int: ...

    @property
    def labels(self) -> tuple[str, ...]: ...

    @property
    def range(self) -> tuple[float, float]: ...

    def renumber(self, codes: Codes) -> None:
        """Replace every code of a label by another; the last one stands for a missing value."""

    def leave_out(self) -> None: ...

    def identifies_rows(self, n_rows: int, target: Any) -> bool:
        """Return whether every row that counts has another label; `target`: rows without a class do not count."""


class Rows(Protocol):
    """Rows of a source that become coded data."""

    def read(self, names: Sequence[str], target: str, weights: str | None) -> Mapping[str, Any]:
        """Return a summary of each column, a Column."""

    def coded(
        self, schema: Schema, columns: Sequence[Any], target: Any, weights: Any, *, keep_unlabelled: bool
    ) -> CodedData: ...


@dataclass
class _Texts:
    """A column of labels while it is read: the code of each text in order of appearance."""

    name: str
    raw: RawColumn
    code_of: dict[str, int] = field(default_factory=dict)
    n_missing: int = 0
    is_numeric = False

    def append(self, chunk: Any) -> None:
        """Add the texts of further rows, an Arrow array."""
        found = chunk.dictionary_encode()
        code_of = self.code_of
        code_of_word = [code_of.setdefault(word, len(code_of)) for word in found.dictionary.to_pylist()]
        if len(code_of) > MOST_LABELS:
            raise DataError(
                f"'{self.name}' has more than {MOST_LABELS} labels",
                f"leave it out with --ignore {shell_word(self.name)}",
            )
        codes = _values(found.indices, np.int32, MISSING)
        self.n_missing += int(np.count_nonzero(codes < 0))
        self.raw.append(np.array([*code_of_word, MISSING], np.int32)[codes])

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self.code_of)

    @property
    def n_rows(self) -> int:
        return self.raw.n_rows

    def renumber(self, codes: Codes) -> None:
        self.raw.renumber(codes)

    def leave_out(self) -> None:
        self.raw.path.unlink()

    def identifies_rows(self, n_rows: int, target: Any) -> bool:
        """Return whether every row that counts has another label; `target`: rows without a class do not count."""
        n_labels = len(self.code_of)
        if target is None:
            return n_rows > 1 and n_labels == n_rows and not self.n_missing
        is_kept = target.raw.is_known(target.raw.raw(0, n_rows))
        n_kept = int(np.count_nonzero(is_kept))
        if n_kept < 2 or n_labels < n_kept:
            return False
        codes = self.raw.read(0, n_rows)[is_kept]
        return bool((codes >= 0).all()) and len(np.unique(codes)) == n_kept


@dataclass
class _Numbers:
    """A column of numbers while it is read."""

    name: str
    raw: RawColumn
    n_missing: int = 0
    labels: tuple[str, ...] = ()
    is_numeric = True

    @property
    def n_rows(self) -> int:
        return self.raw.n_rows

    @property
    def distinct(self) -> Floats | None:
        """The distinct numbers; None if they are many."""
        return self.raw.distinct

    @property
    def range(self) -> tuple[float, float]:
        return self.raw.low, self.raw.high

    def append(self, chunk: Any) -> None:
        values = _values(chunk, np.float64, np.nan)
        self.n_missing += int(np.count_nonzero(values != values))
        self.raw.append(values)


_Column = _Texts | _Numbers


class LocalRows:
    """Rows that DuckDB reads to files in a folder."""

    def __init__(self, source: Source, folder: Path) -> None:
        self._source = source
        self._folder = folder

    def read(self, names: Sequence[str], target: str, weights: str | None) -> dict[str, Any]:
        """Read the columns, all rows in one pass, to raw files in the folder."""
        source = self._source
        by_name: dict[str, _Column] = {}
        types = dict(source.columns())
        for place, name in enumerate(names):
            path = self._folder / f"{place}.raw"
            path.touch()
            if types[name] == "DOUBLE":
                by_name[name] = _Numbers(name, RawColumn(path, is_numeric=True))
            else:
                by_name[name] = _Texts(name, RawColumn(path, is_numeric=False))
        source.passes += 1
        with source.explained():
            # Not execute(…), whose rows DuckDB would copy once more; it must have fetched all rows of the query before.
            source.connection.execute("SELECT 1").fetchall()
            found = source.connection.sql(f"FROM {source.relation(names)}")
            for batch in found.to_arrow_reader(ROWS_AT_ONCE):
                for name, chunk in zip(names, batch.columns, strict=True):
                    by_name[name].append(chunk)
        return by_name

    def coded(
        self, schema: Schema, columns: Sequence[Any], target: Any, weights: Any, *, keep_unlabelled: bool
    ) -> CodedData:
        """Return the columns that are read as coded data."""
        own = None if weights is None else weights.raw
        raw = [column.raw for column in columns]
        return coded(self._folder, schema, raw, target.raw, own, keep_unlabelled=keep_unlabelled)


def read_coded(
    source: Source | SparkSource, options: ReadOptions, rows: Rows, *, keep_identifiers: bool, keep_unlabelled: bool
) -> LargeIntake:
    """Return the rows of a connected source as coded data, as `intake.read_training` reads a file."""
    kinds, types = kinds_asked(options.types), dict(options.types)
    names = [name for name, _ in source.columns(kinds)]
    check_roles(source.name, names, options)
    if options.weights is not None:
        check_known(source.name, names, "--weights", [options.weights])
    inputs = [name for name in names if name not in (*options.ignore, options.weights)]
    if not inputs:
        raise DataError(f"{source.name}: no column is left to be the target", "ignore fewer columns")
    target_name = options.target or inputs[-1]
    inputs.remove(target_name)
    used = [*inputs, target_name, *([options.weights] if options.weights is not None else [])]
    by_name = rows.read(used, target_name, options.weights)
    target = by_name[target_name]
    n_rows = target.n_rows
    if not n_rows:
        raise DataError(f"{source.name}: found no row")
    if target.n_missing == n_rows:
        raise DataError(
            f"{source.name}: the target '{target_name}' has no value in any row", "name another with --target"
        )
    weights = _weights(by_name, options, source.name)

    notices, warnings = [f"left out '{name}': {reason}" for name, reason in source.left_out], []
    left_out = [*source.left_out, *((name, IGNORED) for name in names if name in options.ignore)]
    n_without = target.n_missing
    if n_without:
        warnings.append(f"left out {counted(n_without, 'row')} without a value of the target '{target_name}'")
    counted_rows = None if keep_unlabelled or not n_without else target
    attributes: list[Attribute] = []
    kept: list[Column] = []
    for name in inputs:
        column = by_name[name]
        attribute = _as_asked(column, types.get(name), source.name)
        is_checked = name not in options.keep and attribute.kind == "nominal"
        if is_checked and column.identifies_rows(n_rows, counted_rows):
            if keep_identifiers:
                warnings.append(
                    f"'{name}' is used although every value is different: it identifies rows and predicts nothing"
                    f" (leave it out with --ignore {shell_word(name)})"
                )
            else:
                left_out.append((name, IDENTIFIER))
                notices.append(
                    f"left out '{name}': {IDENTIFIER}, so it identifies rows and predicts nothing"
                    f" (use it with --keep {shell_word(name)})"
                )
                column.leave_out()
                continue
        attributes.append(attribute)
        kept.append(column)
    if not attributes:
        raise DataError(f"{source.name}: found no attribute to learn from except the target '{target_name}'")
    schema = Schema(tuple(attributes), _as_asked(target, types.get(target_name), source.name))
    data = rows.coded(schema, kept, target, weights, keep_unlabelled=keep_unlabelled)
    if data.target_range is not None:
        check_range(source.name, target_name, *data.target_range)
    notices = [
        summary(source.name, data),
        *notices,
        *_notices_about_target(schema.target, target, is_guessed=target_name not in types),
        *_notices(data),
    ]
    return LargeIntake(data, source.name, content_hash(source), tuple(notices), tuple(warnings), tuple(left_out))


def _notices_about_target(target: Attribute, column: Any, *, is_guessed: bool) -> list[str]:
    """Return a notice if a numeric target may be intended as classes."""
    if not (target.is_numeric and is_guessed) or column.distinct is None:
        return []
    return list(notices_about_numbers(target, column.distinct))


def _notices(data: CodedData) -> list[str]:
    """Return the notices about weights and missing values."""
    found = [f"rows have weights, which sum to {data.weights.sum():g}"] if data.has_weights else []
    counts = [(own.name, data.n_missing(i)) for i, own in enumerate(data.schema.attributes)]
    missing = [f"{name} {count}" for name, count in counts if count]
    return [*found, f"missing values: {shortened(missing)}"] if missing else found


def _values(chunk: Any, kind: type[np.generic], fill: float) -> NDArray[Any]:
    """Return the values of an Arrow array, `fill` where there is none."""
    from treecli.readers._arrow import values_of

    return values_of([chunk], fill, kind)


def _as_asked(column: Column, type_text: str | None, source_name: str) -> Attribute:
    """Return the attribute of a column, as --type declares it or as its values look; ordinal codes are renumbered."""
    if column.is_numeric:
        return Attribute(column.name, "numeric")
    if type_text is None or type_text == "nominal":
        return Attribute(column.name, "nominal", column.labels)
    order = tuple(label.strip(BLANKS) for label in type_text.removeprefix("ordinal:").split("<"))
    code_of = {label: code for code, label in enumerate(order)}
    for label in column.labels:
        if label not in code_of:
            raise DataError(
                f"{source_name}: '{label}' is not in the order given for '{column.name}' ({' < '.join(order)})",
                did_you_mean(label, order) or f"list every value: --type '{column.name}=ordinal:LOW<…<HIGH'",
            )
    codes = np.array([*(code_of[label] for label in column.labels), MISSING], np.int32)
    column.renumber(codes)
    return Attribute(column.name, "ordinal", order)


def _weights(by_name: Mapping[str, Column], options: ReadOptions, source_name: str) -> Column | None:
    """Return the column of weights, checked."""
    if options.weights is None:
        return None
    column = by_name[options.weights]
    if not column.is_numeric:
        raise DataError(f"{source_name}: found texts in '{options.weights}', expected weights of 0 or more")
    low, high = column.range
    if column.n_missing or (column.n_rows and not (low >= 0 and np.isfinite(high))):
        found = "no weight" if column.n_missing else f"the weight {low if low < 0 else high:g}"
        raise DataError(f"{source_name}: found {found} in '{options.weights}', expected a number of 0 or more")
    if high == 0:
        raise DataError(f"{source_name}: every weight is 0, expected some above")
    return column


def content_hash(source: Source | SparkSource) -> str | None:
    """Return the SHA-256 of the decompressed content of the files, one after the other; None if not local files."""
    paths = source.local_paths()
    if not paths:
        return None
    digest = sha256()
    for path in paths:
        with Path(path).open("rb") as raw, decompressing(raw, suffix_of(path), path) as stream:
            while block := stream.read(HASHED_BYTES):
                digest.update(block)
    return digest.hexdigest()
