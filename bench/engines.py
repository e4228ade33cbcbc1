"""`python -m bench.engines`: the same tree from memory and from counts: CPU seconds, peak memory, passes.

DuckDB makes the rows by hashes of their numbers, without Python: five labels, nine numbers of few values, one number of
very many, three classes that depend on some and on chance. Each engine runs in a process of its own, and so does
LightGBM with `--engines lightgbm`: it loads the rows and grows one round of trees, one per class, from at most 255 bins
per attribute. The level pass is the counting of one level of 32 nodes, in nanoseconds per row and attribute.

`boat` is the engine duckdb with --strategy boat. With `--stable` there are sixteen classes, a bit of which follows each
of four numbers, the first one most closely, so that a sample foresees four levels. With `--narrow` there are five
attributes, labels of 12 to 28 values, so that a tree without limit of depth has at most 2.6 million leaves.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.measure import run

N_LABELS, N_NUMBERS = 5, 9
MEGABYTE = 1 << 20
MOST_NANOSECONDS = 10.0
"""The claim for a level pass, per row and attribute."""

ROWS = """
COPY (
  SELECT {columns}, {target} AS class
  FROM range({n}) t(i)
) TO '{path}' (FORMAT PARQUET)
"""

COLUMNS = ", ".join(
    [
        *(f"'v' || hash(i, {100 + k}) % {12 * (k + 1)} AS label{k}" for k in range(N_LABELS)),
        *(f"(hash(i, {200 + k}) % {200 * (k + 1)}) / 4.0 AS number{k}" for k in range(N_NUMBERS)),
        "(hash(i, 99) % 1000000007) / 1000.0 AS many",
    ]
)

THREE_CLASSES = """
    CASE WHEN hash(i, 7) % 100 < 10 THEN 'c' || hash(i, 8) % 3
      WHEN hash(i, 100) % 12 < 4 THEN 'c0' WHEN hash(i, 201) % 200 < 70 THEN 'c1' ELSE 'c2' END
"""

STABLE = (
    "'c' || ("
    + " + ".join(
        f"CASE WHEN (hash(i, {200 + k}) % {200 * (k + 1)} < {90 * (k + 1)}) = (hash(i, {300 + k}) % 100 < {noise}) "
        f"THEN 0 ELSE {1 << k} END"
        for k, noise in enumerate((1, 4, 8, 14))
    )
    + ")"
)
"""Four bits, each flipped in a share of the rows."""

NARROW = (12, 16, 20, 24, 28)
"""The numbers of labels of five attributes."""

NARROW_COLUMNS = ", ".join(f"'v' || hash(i, {100 + k}) % {n} AS label{k}" for k, n in enumerate(NARROW))

MOST_PASSES = 3
"""The claim for boat on stable data."""

LIGHTGBM = """
import sys, lightgbm
from pyarrow import parquet
path, depth = sys.argv[1], int(sys.argv[2])
table = parquet.read_table(path).to_pandas(self_destruct=True)
target = table.pop("class").astype("category").cat.codes.to_numpy()
for name in table.columns:
    if name.startswith("label"):
        table[name] = table[name].astype("category")
n_classes = int(target.max()) + 1
settings = dict(objective="multiclass", num_class=n_classes, num_leaves=1 << depth, max_depth=depth, verbose=-1)
settings["num_threads"] = 2
lightgbm.train(settings, lightgbm.Dataset(table, target, free_raw_data=True), 1)
"""
"""Loads the rows and grows one round of trees."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.engines", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows [1000000]")
    parser.add_argument("--memory", default="1GB", help="the ceiling of the counting engine [1GB]")
    parser.add_argument("--depth", type=int, default=10, help="the depth of the tree; 0: no limit [10]")
    known = ["memory", "duckdb", "boat"]
    parser.add_argument("--engines", nargs="+", default=known, help="the engines, also lightgbm [memory duckdb boat]")
    parser.add_argument("--stable", action="store_true", help="classes that a sample foresees")
    parser.add_argument("--narrow", action="store_true", help="five attributes of few labels")
    parser.add_argument("--check", action="store_true", help="exit code 1 if a claim fails")
    given = parser.parse_args(arguments)
    most = size(given.memory) / MEGABYTE
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        make(path, given.rows, NARROW_COLUMNS if given.narrow else COLUMNS, STABLE if given.stable else THREE_CLASSES)
        n_attributes = len(NARROW) if given.narrow else N_LABELS + N_NUMBERS + 1
        print(f"{given.rows:,} rows, {n_attributes} attributes, depth {given.depth}")
        print(f"{'engine':10}{'CPU s':>8}{'MB':>8}  passes")
        depth = [] if given.depth == 0 else ["--max-depth", str(given.depth)]
        models = []
        peak, n_passes = 0.0, 0
        for engine in given.engines:
            if engine == "lightgbm":
                done = run([sys.executable, "-c", LIGHTGBM, str(path), str(given.depth)])
                print(f"{engine:10}{done.cpu:8.2f}{done.memory / MEGABYTE:8.0f}  {done.wall:.1f} s of wall time")
                continue
            output = Path(folder) / f"{engine}.json"
            options = [] if engine == "memory" else ["--engine", "duckdb", "--memory", given.memory]
            options += ["--strategy", "boat"] if engine == "boat" else []
            done = run([sys.executable, "-m", "treecli", "train", str(path), *depth, *options, "-o", str(output), "-q"])
            peak = max(peak, done.memory / MEGABYTE if options else 0.0)
            models.append(json.loads(output.read_text()))
            passes = models[-1]["lineage"][0].get("engine", {}).get("passes", 0)
            n_passes = passes if engine == "boat" else n_passes
            said = f"  {passes}" if options else ""
            print(f"{engine:10}{done.cpu:8.2f}{done.memory / MEGABYTE:8.0f}{said}")
        nanoseconds = 0.0 if given.narrow else level_pass(path)
    is_same = all(json.dumps(model["nodes"]) == json.dumps(models[0]["nodes"]) for model in models)
    said = "" if given.narrow else f"level pass: {nanoseconds:.1f} ns per row and attribute; "
    print(f"{said}nodes are {'equal' if is_same else 'DIFFERENT'}")
    holds = is_same and nanoseconds <= MOST_NANOSECONDS and peak <= most
    holds = holds and (not given.stable or n_passes <= MOST_PASSES)
    return 0 if holds or not given.check else 1


def size(text: str) -> int:
    """A size such as 2GB in bytes."""
    return int(text[:-2]) << {"MB": 20, "GB": 30}[text[-2:]]


def make(path: Path, n_rows: int, columns: str = COLUMNS, target: str = THREE_CLASSES) -> None:
    """Write the rows to a Parquet file."""
    import duckdb

    duckdb.connect().execute(ROWS.format(columns=columns, target=target, n=n_rows, path=path))


def level_pass(path: Path) -> float:
    """The CPU nanoseconds per row and attribute of counting a level of 32 nodes, by one thread, without reading."""
    from pyarrow import parquet

    from treecli.kernels import count_codes

    table = parquet.read_table(path, columns=["class", *(f"number{k}" for k in range(N_NUMBERS))])
    n, random = table.num_rows, np.random.default_rng(0)
    node = random.integers(0, 32, n).astype(np.int32)
    label = table["class"].combine_chunks().dictionary_encode().indices.to_numpy().astype(np.uint16)
    codes = [
        np.unique(table[f"number{k}"].to_numpy(), return_inverse=True)[1].astype(np.uint16) for k in range(N_NUMBERS)
    ]
    n_classes = int(label.max()) + 1
    scale, unknown = np.ones(n_classes), np.zeros(32)
    best = np.inf
    for _ in range(3):
        begun = time.process_time()
        for own in codes:
            count_codes.count(node, own, label, np.zeros((32, int(own.max()) + 2, n_classes), np.int64), scale, unknown)
        best = min(best, time.process_time() - begun)
    return best / (n * N_NUMBERS) * 1e9


if __name__ == "__main__":
    sys.exit(main())
