"""Runs queries in Spark, in a separate process because Spark writes to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from treecli.errors import CheckError, UsageError
from treecli.verifiers import Answer
from treecli.verifiers._exchange import run, tool

_HARNESS = """
import json
import os
import sys

# Its workers are to be of the same Python, not of the first one in PATH.
os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.types import DoubleType, IntegerType, StringType, StructField, StructType

settings = {
    "spark.master": "local[1]",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.warehouse.dir": "warehouse",
    "spark.sql.shuffle.partitions": "1",
}
builder = SparkSession.builder
for key, value in settings.items():
    builder = builder.config(key, value)
session = builder.getOrCreate()
session.sparkContext.setLogLevel("OFF")
types = {"row": IntegerType(), "number": DoubleType(), "text": StringType()}
with open("jobs.json", encoding="utf-8") as stream:
    jobs = json.load(stream)
answers = []
for job in jobs:
    for key, value in job["settings"].items():
        session.conf.set(key, value)
    try:
        schema = StructType([StructField(name, types[kind]) for name, kind in job["columns"]])
        session.createDataFrame([tuple(row) for row in job["rows"]], schema).createOrReplaceTempView("rows_of_job")
        for statement in job["statements"]:
            session.sql(statement)
        answers.append({"answers": [row[1] for row in session.sql(job["query"]).collect()]})
    except PySparkException as error:
        answers.append({"error": str(error).split(chr(10))[0]})
    for key in job["settings"]:
        session.conf.unset(key)
with open("answers.json", "w", encoding="utf-8") as stream:
    json.dump(answers, stream)
session.stop()
"""

ROWS = "rows_of_job"
"""The view that holds the rows of a job in the harness."""


@dataclass(frozen=True, slots=True)
class Job:
    """Rows, statements to run first, and a query that returns each row's number and answer, in order.

    A column has a name and a type: row, number or text. `settings` apply to this job only.
    """

    columns: list[tuple[str, str]]
    rows: Sequence[Sequence[float | str | None]]
    statements: list[str]
    query: str
    settings: dict[str, str] = field(default_factory=dict)


def answers_of(job: Job) -> list[Answer]:
    """Return Spark's answer for every row of a job."""
    (found,) = results_of([job])
    if isinstance(found, str):
        raise CheckError(f"the artefact does not run: Spark: {found}", "nothing was written")
    return found


def results_of(jobs: Sequence[Job]) -> list[list[Answer] | str]:
    """Return the answers for every job's rows, or Spark's error message for the job."""
    if find_spec("pyspark") is None:
        raise UsageError(
            "--verify: needs pyspark, which is not installed", "pip install 'treecli[spark]', or leave out --verify"
        )
    tool(["java"], "Java", "default-jre-headless")
    with TemporaryDirectory(prefix="treecli-") as folder:
        path = Path(folder)
        (path / "harness.py").write_text(_HARNESS, encoding="utf-8")
        (path / "jobs.json").write_text(json.dumps([asdict(job) for job in jobs]), encoding="utf-8")
        run([sys.executable, "-W", "ignore", "harness.py"], path)
        found: list[dict[str, Any]] = json.loads((path / "answers.json").read_text(encoding="utf-8"))
    return [one["error"] if "error" in one else one["answers"] for one in found]
