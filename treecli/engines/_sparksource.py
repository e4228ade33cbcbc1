"""Data as a Spark relation: Parquet files, tables of Spark's catalogue and queries."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from shutil import which
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from treecli.engines._sqls import SPARK
from treecli.errors import DataError, TreecliError, UsageError, did_you_mean
from treecli.readers._table import number_of, shortened, trimmed
from treecli.readers.parquet import PANDAS_INDEX

if TYPE_CHECKING:
    from treecli.data import Kind
    from treecli.readers._source import ReadOptions

CHANGED = "treecli: the data changed"
"""A text of errors in workers: a label that was not there before."""

UNANSWERED = re.compile(r"An error occurred while calling \S+")
"""The whole text of py4j's error if the connection ends before an answer; errors of Java say more."""

AGAIN = "run the command again"
LOCAL = "local[*]"
QUERY_TABLE = "data"
NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "void")
LABELS = ("string", "boolean", "date")
ROWS_IN_FILE = 1 << 40
"""More rows than a file has."""

WHOLE = ("tinyint", "smallint", "int", "bigint")


class SparkSource:
    """Rows that Spark reads; the members are those of Source. Values are read as from Parquet."""

    sql = SPARK

    def __init__(self, path: str, options: ReadOptions, table: str | None, query: str | None) -> None:
        if table is not None and query is not None:
            raise UsageError("--table and --query exclude each other", "leave one of them out")
        own = re.sub(r"[?#].*", "", path).rstrip("/")
        if table is None and not own.endswith((".parquet", "*")):
            raise UsageError(
                f"{path}: --engine spark reads Parquet files and tables",
                "treecli convert FILE FILE.parquet, or use --engine duckdb",
            )
        self.name = table or os.path.basename(own)
        self.detected: tuple[str, ...] = ()
        self.passes = 0
        self.cure = AGAIN
        """The advice given if the connection is lost."""
        self._path, self._options, self._table, self._query = path, options, table, query
        self.session: Any = None
        self._is_local = False
        self._frame: Any = None
        self._rows = ""
        self._type_of: dict[str, str] = {}
        self._kinds: dict[str, Kind] = {}

    def connect(self, master: str | None, memory: int | None) -> None:
        """Start Spark, or join the cluster at an address."""
        self._is_local = (master or LOCAL).startswith("local")
        self.session = session(master or LOCAL, memory)
        with self.explained():
            if self._table is not None:
                frame = self.session.table(self._table)
            else:
                frame = self.session.read.parquet(_address(self._path))
            frame.createOrReplaceTempView(QUERY_TABLE)
            if self._query is not None:
                frame = self.session.sql(self._query.strip().rstrip(";"))
                frame.createOrReplaceTempView("treecli_query")
            self._frame = frame
            self._rows = QUERY_TABLE if self._query is None else "treecli_query"
            self._type_of = dict(frame.dtypes)

    def close(self) -> None:
        """Leave the cluster, or end Spark."""
        from py4j.protocol import Py4JError

        if self.session is not None:
            with suppress(Py4JError, OSError):  # Spark may have ended
                self.session.stop()
            self.session = None

    def columns(self, kinds: Mapping[str, Kind] | None = None, *, finds: bool = True) -> list[tuple[str, str]]:
        """Return the name and the type, DOUBLE or VARCHAR, of every column of single values; `finds` has no effect."""
        self._kinds |= kinds or {}
        return [(own, kind) for own in self._type_of if (kind := self._kind(own)) is not None]

    def relation(self, names: Sequence[str] | None = None, number: str | None = None) -> str:
        """Return the rows as a query in parentheses; `number` adds numbers in the order of the rows."""
        known = dict(self.columns())
        chosen = list(known) if names is None else names
        parts = [f"{self._cell(own, known[own])} AS {self.sql.name(own)}" for own in chosen]
        if number is not None:
            parts.append(f"monotonically_increasing_id() AS {self.sql.name(number)}")
        return f"(SELECT {', '.join(parts) or '1 AS one'} FROM {self._rows})"

    def numbered(self, names: Sequence[str]) -> Any:
        """Return a frame with these columns after the column `row`, which numbers the rows in the order of the files.

        Other rows than those of files have the order in which Spark reads them.
        """
        from pyspark.errors import AnalysisException

        known = dict(self.columns())
        cells = [f"{self._cell(own, known[own])} AS {self.sql.name(f'c{place}')}" for place, own in enumerate(names)]
        try:
            files = paths_of(self._frame.inputFiles()) if self._query is None else []
            found = self._frame.selectExpr("_metadata.row_index AS row", "_metadata.file_path AS path", *cells)
        except AnalysisException:
            files = []
        if not files:
            return self._frame.selectExpr("monotonically_increasing_id() AS row", *cells)
        if len(files) == 1:
            return found.drop("path")
        place_of = {path: place for place, path in enumerate(files)}
        # Spark writes the addresses of local files in two ways.
        known_as = {form: own for own in self._frame.inputFiles() for form in (own, own.replace("file:///", "file:/"))}
        places = ", ".join(f"({self.sql.literal(form)}, {place_of[path_of(own)]}L)" for form, own in known_as.items())
        order = self.session.sql(f"SELECT * FROM VALUES {places} AS files(path, place)").hint("broadcast")
        numbered = found.join(order, "path", "left")
        kept = [f"c{place}" for place in range(len(names))]
        return numbered.selectExpr(f"place * {ROWS_IN_FILE} + row AS row", *kept)

    @property
    def left_out(self) -> tuple[tuple[str, str], ...]:
        """The columns that are not single values, with the reason."""
        found = []
        for own, spark_type in self._type_of.items():
            if PANDAS_INDEX.fullmatch(own):
                found.append((own, "it is the index of a pandas frame"))
            elif self._kind(own) is None:
                found.append((own, f"its type is {spark_type}, not a single number or label per row"))
        return tuple(found)

    def local_paths(self) -> tuple[str, ...]:
        """Return the files that hold all the data, if Spark runs here; empty if there are others, or a query."""
        if self._table is not None or self._query is not None or not self._is_local or "://" in self._path:
            return ()
        return tuple(paths_of(self._frame.inputFiles()))

    def identity(self) -> dict[str, Any]:
        """Return names, sizes and times of the files, table or query; those of files elsewhere have only names."""
        files = []
        for path in paths_of(self._frame.inputFiles()) if self._query is None else []:
            status = os.stat(path) if os.path.exists(path) else None
            files.append([path, *([status.st_size, status.st_mtime_ns] if status is not None else [])])
        return {"files": files, "table": self._table, "query": self._query}

    def echo(self) -> list[tuple[str, str]]:
        """Return the name of every column and the SQL for its value as it is."""
        return [(own, self.sql.name(own)) for own in self._type_of]

    @property
    def is_text(self) -> bool:
        return False

    def raw(self, names: Sequence[str]) -> tuple[str, dict[str, str]]:
        """Return the rows before any conversion, and the SQL that reads each of these columns from them."""
        known = dict(self.columns())
        return self._rows, {own: self._cell(own, known[own]) for own in names}

    def fetched(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query that takes a pass over the data."""
        self.passes += 1
        with self.explained():
            return [tuple(row) for row in self.session.sql(query).collect()]

    def write(self, query: str, folder: str) -> None:
        """Write the rows of a query as Parquet files into a new folder."""
        with self.explained():
            self.session.sql(query).write.mode("errorifexists").parquet(_address(folder))

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn errors of Spark into one line."""
        with explained(self.name, self._explained, self.cure):
            yield

    def _explained(self, error: Exception) -> TreecliError:
        text, first = str(error), _essence(error)
        if "TABLE_OR_VIEW_NOT_FOUND" in text:
            known = [own.name for own in self.session.catalog.listTables()]
            near = did_you_mean(self._table or "", known)
            return DataError(
                f"found no table '{self._table or self._query}'; there are {shortened(known) or 'none'}", near
            )
        if "PATH_NOT_FOUND" in text:
            return DataError(f"{self._path}: no such file")
        return DataError(f"{self.name if self._query is None else '--query'}: Spark: {first}")

    def _kind(self, own: str) -> str | None:
        """Return how a column is read; None if its values are not single numbers or labels."""
        spark_type, asked = self._type_of[own], self._kinds.get(own)
        is_number = spark_type in NUMBERS or spark_type.startswith("decimal")
        if PANDAS_INDEX.fullmatch(own) or not (is_number or spark_type in LABELS):
            return None
        if is_number and asked not in (None, "numeric"):
            if spark_type not in WHOLE:
                raise UsageError(
                    f"{self.name}: '{own}' is {spark_type}, whose values as labels depend on the program",
                    f"convert it with --query: CAST({self.sql.name(own)} AS STRING)",
                )
            return "VARCHAR"
        if not is_number and asked == "numeric":
            raise DataError(f"{self.name}: '{own}' is {spark_type}, expected numbers", "convert it with --query")
        return "DOUBLE" if is_number else "VARCHAR"

    def _cell(self, own: str, kind: str) -> str:
        """Return a value as a number or a label, as treecli's Parquet reader gives it."""
        column, spark_type = self.sql.name(own), self._type_of[own]
        if kind == "DOUBLE":
            # Spark's own conversion of decimals is not to the nearest double.
            inner = f"CAST({column} AS STRING)" if spark_type.startswith("decimal") else column
            value = f"CAST({inner} AS DOUBLE)"
            numbers = [found for text in self._options.na if (found := number_of(text)) is not None]
            tests = [f"isnan({value})", *(f"{value} = {self.sql.number(found)}" for found in numbers)]
            return f"CASE WHEN {' OR '.join(tests)} THEN NULL ELSE {value} END"
        text = f"CAST({column} AS STRING)"
        missing = sorted(trimmed(self._options.na))
        if not missing:
            return text
        among, blanks = ", ".join(map(self.sql.literal, missing)), self.sql.literal(" \t")
        return f"CASE WHEN trim(BOTH {blanks} FROM {text}) IN ({among}) THEN NULL ELSE {text} END"


@contextmanager
def explained(
    name: str, explain: Callable[[Exception], TreecliError] | None = None, cure: str = AGAIN
) -> Iterator[None]:
    """Turn errors of Spark into one line; `cure` is for a lost connection."""
    from py4j.protocol import Py4JError, Py4JNetworkError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JNetworkError, ConnectionError) as error:
        raise DataError(f"{name}: the connection to Spark was lost", cure) from error
    except (PySparkException, Py4JError) as error:
        text = str(error).strip()
        if CHANGED in text:
            raise DataError(f"{name}: the data changed while they were read") from error
        if "SparkContext was shut down" in text or "stopped SparkContext" in text or UNANSWERED.fullmatch(text):
            raise DataError(f"{name}: the connection to Spark was lost", cure) from error
        if explain is not None:
            raise explain(error) from error
        raise DataError(f"{name}: Spark: {_essence(error)}") from error


def _essence(error: Exception) -> str:
    """Return the line of an error that says most: the last one of a traceback in a worker, otherwise the first."""
    lines = [own.strip() for own in str(error).splitlines() if own.strip()] or [type(error).__name__]
    return lines[-1] if "Python worker" in lines[0] else lines[0]


def paths_of(addresses: Sequence[str]) -> list[str]:
    """Return local files that Spark names, sorted as Python's glob names are."""
    return sorted(map(path_of, addresses))


def path_of(address: str) -> str:
    """Return an address of Spark without escapes; that of a local file is its path."""
    parts = urlsplit(address)
    own = unquote(parts.path)
    return own if parts.scheme in ("", "file") else f"{parts.scheme}://{parts.netloc}{own}"


def _address(path: str) -> str:
    """Return an address as it is, and a local path in full: Spark may have been started in another folder."""
    return path if "://" in path else os.path.abspath(path)


def session(master: str, memory: int | None) -> Any:
    """Return a Spark session; raise UsageError if pyspark or Java is not installed."""
    if find_spec("pyspark") is None:
        raise UsageError("--engine spark: needs the package pyspark", "pip install 'treecli[spark]'")
    if which("java") is None and "JAVA_HOME" not in os.environ:
        raise UsageError("--engine spark: needs Java", "Debian and Ubuntu: apt install default-jre-headless")
    import logging
    import sys
    import warnings

    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    # Its advice on versions of pandas, which it does not use here.
    warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
    # Errors are reported here: a root logger without handlers would print py4j's tracebacks of lost connections.
    logging.basicConfig(handlers=[logging.NullHandler()])
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
    # Workers on this machine run the same Python, not the first one in PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {"spark.master": master, "spark.app.name": "treecli", "spark.ui.showConsoleProgress": "false"}
    settings |= {"spark.driver.maxResultSize": "0"}  # counters are large, and their size is limited here
    if master.startswith("local"):
        own = "127.0.0.1"
        settings |= {"spark.ui.enabled": "false", "spark.driver.host": own, "spark.driver.bindAddress": own}
    if memory is not None:
        settings["spark.driver.memory"] = f"{max(memory >> 20, 512)}m"
    builder = SparkSession.builder
    for key, value in settings.items():
        builder = builder.config(key, value)
    try:
        with _quiet():
            found = builder.getOrCreate()
    except (PySparkException, Py4JError) as error:
        first = str(error).strip().splitlines()[0]
        raise UsageError(f"--master {master}: Spark does not start: {first}", "check the address") from error
    found.sparkContext.setLogLevel("OFF")
    server = getattr(found.sparkContext, "_accumulatorServer", None)
    if server is not None:
        # Its tracebacks, if Spark is lost: that is reported here.
        server.handle_error = lambda *_: None
    return found


@contextmanager
def _quiet() -> Iterator[None]:
    """Let Spark, which is started inside, write its log nowhere: it keeps the stderr that it starts with."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
