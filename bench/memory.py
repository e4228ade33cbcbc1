"""`python -m bench.memory`: bytes per row and per node of training on mixed data with 14 attributes.

The peak memory of a process is fitted by a base, the rows and the nodes: three runs, two of them of small trees.
"""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from pathlib import Path

from bench import datasets
from bench.measure import run
from bench.works import TREECLI

N_LABELS = (2, 3, 4, 6, 8, 12, 20)
"""Of the nominal attributes; as many attributes are numeric."""

FLAT = ("--max-depth", "6")
"""Options for a tree whose nodes take no room."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=400_000, help="rows of the larger file")
    parser.add_argument("options", nargs="*", help="options of train, after --")
    given = parser.parse_args()
    small, large = given.rows // 4, given.rows
    flat_small, flat_large = (_peak(n, [*FLAT, *given.options])[0] for n in (small, large))
    per_row = (flat_large - flat_small) / (large - small)
    full, n_nodes = _peak(large, given.options)
    print(f"{large:,} rows: {flat_large >> 20} MB with few nodes, {full >> 20} MB with {n_nodes:,} nodes")
    print(
        f"{per_row:.0f} bytes a row, {max(full - flat_large, 0) / n_nodes:.0f} a node, {full / large:.0f} a row in all"
    )
    return 0


def _peak(n_rows: int, options: list[str]) -> tuple[int, int]:
    """The peak memory of training in bytes, and the number of nodes."""
    data = datasets.made(f"memory-{n_rows}", "csv", partial(datasets.mixture, n_labels=N_LABELS), n_rows, datasets.SEED)
    model = Path(datasets.CACHE) / "memory.json"
    memory = run([TREECLI, "train", str(data), "-q", *options, "-o", str(model)]).memory
    return memory, len(json.loads(model.read_text())["nodes"])


if __name__ == "__main__":
    sys.exit(main())
