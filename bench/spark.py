"""`python -m bench.spark`: treecli beside Spark ML's DecisionTree, in one session of Spark: seconds and CPU seconds.

The rows are those of bench.engines. Both read the Parquet file and grow a tree of the same depth: treecli the exact
one, Spark ML one with thresholds among 256 quantiles of a sample. The runs alternate, and the best of each counts. CPU
seconds are those of this process, of Spark and of its workers.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.engines import N_LABELS, N_NUMBERS, make

MOST_RATIO = 1.5
"""The claim: treecli takes at most so many times the seconds of Spark ML."""

MOST_BINS = 256


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.spark", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows [1000000]")
    parser.add_argument("--depth", type=int, default=10, help="the depth of the tree [10]")
    parser.add_argument("--runs", type=int, default=3, help="runs of each [3]")
    parser.add_argument("--master", default="local[2]", help="the cluster [local[2]]")
    parser.add_argument("--check", action="store_true", help="exit code 1 if the claim fails")
    given = parser.parse_args(arguments)
    from treecli.engines._sparksource import session

    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        make(path, given.rows)
        spark = session(given.master, 4 << 30)
        works: dict[str, Callable[[], int]] = {
            "treecli": lambda: treecli_tree(path, given.master, given.depth),
            "Spark ML": lambda: ml_tree(spark, path, given.depth),
        }
        best = {name: (float("inf"), float("inf")) for name in works}
        leaves = dict.fromkeys(works, 0)
        for _ in range(given.runs):
            for name, work in works.items():
                begun, cpu = time.perf_counter(), cpu_seconds()
                leaves[name] = work()
                took = time.perf_counter() - begun, cpu_seconds() - cpu
                best[name] = min(best[name][0], took[0]), min(best[name][1], took[1])
        spark.stop()
    print(f"{given.rows:,} rows, {N_LABELS + N_NUMBERS + 1} attributes, depth {given.depth}, {given.master}")
    print(f"{'':10}{'s':>8}{'CPU s':>8}{'leaves':>8}")
    for name, (seconds, cpu) in best.items():
        print(f"{name:10}{seconds:8.1f}{cpu:8.1f}{leaves[name]:8}")
    ratio, of_cpu = (best["treecli"][own] / best["Spark ML"][own] for own in (0, 1))
    print(f"treecli / Spark ML: {ratio:.2f} of the time, {of_cpu:.2f} of the CPU time")
    return 0 if ratio <= MOST_RATIO or not given.check else 1


def treecli_tree(path: Path, master: str, depth: int) -> int:
    """The leaves of treecli's tree; nodes of up to a twentieth of the rows, or of what 1 GB holds, end in memory."""
    from treecli.engines._limits import Ceiling
    from treecli.engines._sparkcoding import SparkRows
    from treecli.engines._sparksource import SparkSource
    from treecli.grow.there import grown_by
    from treecli.intake import ReadOptions
    from treecli.large.reading import read_coded
    from treecli.settings import Settings

    source = SparkSource(str(path), ReadOptions(), None, None)
    source.connect(master, None)
    with TemporaryDirectory() as folder:
        rows = SparkRows(source, Path(folder))
        data: Any = read_coded(source, ReadOptions(), rows, keep_identifiers=False, keep_unlabelled=False).data
        from treecli.engines.spark import Engine

        most_rows = Ceiling(1 << 30).most_rows(len(data.columns)) if data.n_cases > 5_000_000 else data.n_cases // 20
        settings = Settings.of(criterion="gini", nominal="subset", max_depth=depth)
        tree = grown_by(lambda plan: Engine(data, plan, None, most_rows), data, settings)
        data.frame.unpersist()
    return tree.n_leaves


def ml_tree(spark: Any, path: Path, depth: int) -> int:
    """The leaves of Spark ML's tree."""
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import DecisionTreeClassifier
    from pyspark.ml.feature import StringIndexer, VectorAssembler

    rows = spark.read.parquet(str(path))
    labels = [f"label{k}" for k in range(N_LABELS)]
    numbers = [*(f"number{k}" for k in range(N_NUMBERS)), "many"]
    coded = [f"{name}_code" for name in labels]
    stages: list[Any] = [
        StringIndexer(inputCols=[*labels, "class"], outputCols=[*coded, "code"]),
        VectorAssembler(inputCols=[*coded, *numbers], outputCol="inputs"),
        DecisionTreeClassifier(labelCol="code", featuresCol="inputs", maxDepth=depth, maxBins=MOST_BINS),
    ]
    model: Any = Pipeline(stages=stages).fit(rows).stages[-1]
    return int(model.numNodes + 1) // 2


def cpu_seconds() -> float:
    """The CPU seconds of this process and of those that it started, ended ones included."""
    ticks: dict[int, tuple[int, float]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks[int(folder.name)] = int(words[1]), sum(map(float, words[11:15]))
    known, total = {os.getpid()}, 0.0
    grew = True
    while grew:
        more = {pid for pid, (parent, _) in ticks.items() if parent in known} - known
        known |= more
        grew = bool(more)
    total = sum(ticks[pid][1] for pid in known if pid in ticks)
    return total / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
