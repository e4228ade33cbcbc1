"""The options that say where the data are: the engine, its limits, a table or a query."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from treecli.cli import options, terminal
from treecli.errors import UsageError
from treecli.records import dataclass

if TYPE_CHECKING:
    from treecli.engines._source import Source
    from treecli.engines._sparksource import SparkSource
    from treecli.intake import ReadOptions

MEMORY, DUCKDB, SPARK = "memory", "duckdb", "spark"
ENGINES = (MEMORY, DUCKDB, SPARK)

RAINFOREST, BOAT = "rainforest", "boat"

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


class Size(click.ParamType[int]):
    """A number of bytes: 500MB, 2GB, 1.5G."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) *([KMGT]?)(?:I?B)?", value.strip().upper())
        size = 0 if match is None else int(float(match[1]) * _UNITS[match[2]])
        if size <= 0:
            raise UsageError(
                f"--{'memory' if param is None else param.name}: found '{value}', expected a size", "for example 2GB"
            )
        return size


@dataclass(frozen=True, slots=True)
class Where:
    """Where the data are."""

    engine: str = MEMORY
    table: str | None = None
    query: str | None = None
    memory: int | None = None
    temp: str | None = None
    master: str | None = None
    checkpoint: str | None = None
    resume: bool = False
    strategy: str | None = None

    @property
    def is_memory(self) -> bool:
        return self.engine == MEMORY

    @contextmanager
    def applied(self, path: str, reading: ReadOptions, jobs: int | None = None) -> Iterator[Source | SparkSource]:
        """A source of DuckDB or Spark for applying a model, with a connection, which is closed afterwards."""
        with self.in_spark(path, reading) if self.engine == SPARK else self.opened(path, reading, jobs) as source:
            yield source

    @contextmanager
    def in_spark(self, path: str, reading: ReadOptions) -> Iterator[SparkSource]:
        """A source of Spark with a session, which is closed afterwards."""
        from treecli.engines._sparksource import SparkSource

        source = SparkSource(path, reading, self.table, self.query)
        try:
            source.connect(self.master, self.memory)
            yield source
        finally:
            source.close()

    @contextmanager
    def opened(self, path: str, reading: ReadOptions, jobs: int | None = None) -> Iterator[Source]:
        """A source of DuckDB with a connection, which is closed afterwards."""
        from treecli.engines._source import Source

        if self.engine == SPARK:
            raise UsageError("--engine spark: is for train, predict and evaluate", "use --engine duckdb")
        source = Source.of(path, reading, self.table, self.query)
        try:
            source.connect(self.memory, self.temp, jobs)
            yield source
        finally:
            source.close()


def _engine(known: click.ParamType[Any]) -> options.Decorator[Any]:
    return click.option(
        "--engine",
        type=known,
        default=MEMORY,
        show_default=True,
        help="Where the data are read: in memory, or by DuckDB, which reads files and databases larger than memory; "
        "DATA may then be a quoted pattern ('sales-*.parquet') or an address (s3://…).",
    )


_options = (
    click.option("--table", default=None, metavar="NAME", help="(an engine) The table of the database DATA."),
    click.option(
        "--query",
        default=None,
        metavar="SQL",
        help="(an engine) A query whose rows are the data, in the database DATA; a file is the table `data`.",
    ),
    click.option(
        "--memory",
        type=Size(),
        default=None,
        metavar="SIZE",
        help="(an engine) The most memory that it uses: 2GB, 500MB.  [default: as the engine decides]",
    ),
    click.option(
        "--temp",
        type=options.FILE,
        default=None,
        metavar="DIR",
        help="(an engine) The folder for what does not fit into memory.  [default: the system's]",
    ),
)


master = options.under(
    options.ENGINE,
    click.option(
        "--master",
        default=None,
        metavar="URL",
        help="(--engine spark, which reads Parquet) The cluster: spark://HOST:PORT, or local[N] for N threads here.  "
        "[default: local[*]]",
    ),
)
"""The option of commands that can run in Spark, before those of `where`."""


checkpoint = options.under(
    options.ENGINE,
    click.option(
        "--checkpoint",
        type=options.FILE,
        default=None,
        metavar="DIR",
        help="(an engine) Keep the codes and the counts of each level in this new folder, until the model is written.",
    ),
    click.option("--resume", is_flag=True, help="Go on with the checkpoint in --checkpoint DIR, if there is one."),
)
"""The options of training that can go on after an interruption, before those of `where_to_grow`."""


strategy = options.under(
    options.ENGINE,
    click.option(
        "--strategy",
        type=options.OneOf((RAINFOREST, BOAT)),
        default=None,
        help="(--engine duckdb) Count in a pass for each level (rainforest), or in one pass for all levels that a "
        "sample foresees (boat); the tree is the same.  [default: rainforest]",
    ),
)
"""The option of training that says how levels are counted, before those of `where_to_grow`."""


def where(function: Any) -> Any:
    """The options, passed to the command as one Where."""
    return _gathered(function, options.OneOf(ENGINES), grows=False)


def where_to_grow(function: Any) -> Any:
    """The same options with every engine that can grow a tree."""
    return _gathered(function, options.member_of("engines"), grows=True)


def _gathered(function: Any, engines: click.ParamType[Any], *, grows: bool) -> Any:
    own = [field.name for field in fields(Where)]

    @wraps(function)
    def gather(**values: Any) -> Any:
        taken = Where(**{name: values.pop(name) for name in own if name in values})
        _check(taken, grows=grows)
        return function(where=taken, **values)

    return options.under(options.ENGINE, _engine(engines), *_options)(gather)


FOR_ENGINES = {
    **dict.fromkeys(("table", "query", "memory", "temp", "checkpoint"), f"{DUCKDB} or {SPARK}"),
    "master": SPARK,
    "strategy": DUCKDB,
}
"""The engines that take each option."""


def _check(where: Where, *, grows: bool) -> None:
    """Raise UsageError for options without an engine that takes them, and for a folder that is not there."""
    if where.is_memory:
        for name, engine in FOR_ENGINES.items():
            if getattr(where, name) is not None:
                raise UsageError(f"--{name}: is for --engine {engine}", f"add --engine {engine}")
    if where.resume and where.checkpoint is None:
        raise UsageError("--resume: needs the folder of a checkpoint", "add --checkpoint DIR")
    if where.checkpoint is not None and where.temp is not None:
        raise UsageError("--temp: the codes are in the folder of --checkpoint", "leave it out")
    if where.strategy == BOAT and where.engine != DUCKDB:
        raise UsageError(f"--strategy {BOAT}: is for --engine {DUCKDB}", f"use --strategy {RAINFOREST}")
    if where.master is not None and where.engine == DUCKDB:
        raise UsageError("--master: is for --engine spark", "leave it out")
    if where.temp is not None and where.engine == SPARK and not grows:
        raise UsageError("--temp: is for --engine duckdb; Spark has its own folders", "leave it out")
    if where.temp is not None and not os.path.isdir(where.temp):
        raise UsageError(f"--temp: {where.temp} is not a folder", "make it first")


def refuse(where: Where, given: dict[str, bool]) -> None:
    """Raise UsageError for options of a command that an engine other than memory does not take."""
    for option, is_given in given.items():
        if is_given and not where.is_memory:
            raise UsageError(
                f"{option}: needs the rows, which --engine {where.engine} does not fetch", "use --engine memory"
            )


def say(source: Source | SparkSource) -> None:
    """Print the notices about how a source is read."""
    for remark in source.detected:
        terminal.note(remark)
