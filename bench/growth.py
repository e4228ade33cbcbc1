"""Growth of time and memory with rows, attributes, classes, labels and depth: plots, and a table of exponents.

An exponent of 1 means that twice as much costs twice as much; it is fitted to the upper half of the sizes, where what
every run costs anyway weighs least.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import log
from pathlib import Path

from bench import datasets, measure
from bench.table import MEGABYTE, aligned
from bench.works import TREECLI

Say = Callable[[str], None]

N_ROWS_OF_OTHERS = 20_000
"""The number of rows if another size varies."""

N_ROWS_OF_WIDE = 2_000


@dataclass(frozen=True)
class Series:
    """A quantity that grows, and the command for each of its sizes."""

    name: str
    unit: str
    sizes: tuple[int, ...]
    command: Callable[[int], list[str]]


@dataclass(frozen=True)
class Point:
    """The cost of one size: the CPU seconds of all cores, which depend little on the load of the machine."""

    size: int
    seconds: float
    memory: int


def measured(folder: Path, *, is_quick: bool, say: Say) -> int:
    """Measures all series, prints the exponents, and writes them and the plots into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    lines: list[tuple[str, ...]] = [
        ("series", "sizes", "seconds at the largest", "exponent of seconds", "exponent of memory")
    ]
    for series in all_series(is_quick=is_quick):
        points = [_point(series, size, say) for size in series.sizes]
        sizes = f"{series.sizes[0]:,} to {series.sizes[-1]:,} {series.unit}"
        exponents = [exponent(points, value) for value in (lambda point: point.seconds, lambda point: point.memory)]
        lines.append((series.name, sizes, f"{points[-1].seconds:.2f}", *(f"{value:.2f}" for value in exponents)))
        _draw(series, points, folder / f"{series.name.replace(' ', '-')}.svg")
    print("\n".join(aligned(lines)))
    with (folder / "exponents.csv").open("w", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(lines)
    return 0


def all_series(*, is_quick: bool) -> list[Series]:
    """All series; quick: a tenth of the rows, and smaller sizes of everything else."""
    rows = (10_000, 30_000, 100_000, 300_000) if is_quick else (10_000, 30_000, 100_000, 300_000, 1_000_000, 5_000_000)
    wide = (50, 150, 500) if is_quick else (50, 150, 500, 1_500, 5_000)
    many = (2, 10, 30, 100) if is_quick else (2, 10, 30, 100, 300, 1_000)
    deep = (2_000, 6_000, 20_000) if is_quick else (2_000, 6_000, 20_000, 60_000, 200_000)
    few_attributes = partial(datasets.numbers_and_classes, n_attributes=5)
    series = [
        Series("rows of numbers", "rows", rows, lambda n: _train("rows", n, few_attributes, n, "--criterion", "gini")),
        Series("rows of a mixture", "rows", rows[:-1], lambda n: _train("mixed", n, datasets.mixture, n)),
        Series(
            "rows with a numeric target",
            "rows",
            rows[:-1],
            lambda n: _train("target", n, datasets.numeric_target, n, "--max-depth", "10"),
        ),
        Series(
            "rows by absolute error",
            "rows",
            rows[:-2],
            lambda n: _train("target", n, datasets.numeric_target, n, "--max-depth", "10", "--criterion", "absolute"),
        ),
        Series("attributes", "attributes", wide, _wide),
        Series("classes", "classes", many, _many_classes),
        Series("labels multiway", "labels", many, partial(_many_labels, "multiway")),
        Series("labels subset", "labels", many, partial(_many_labels, "subset")),
    ]
    for verb in ("show", "rules", "prune"):
        series.append(Series(f"depth {verb}", "levels", deep, partial(_deep, verb)))
    return series


def exponent(points: list[Point], value: Callable[[Point], float]) -> float:
    """The slope of the logarithms, by least squares over the upper half of the points."""
    upper = points[len(points) // 2 :] if len(points) > 3 else points
    x = [log(point.size) for point in upper]
    y = [log(value(point)) for point in upper]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    spread = sum((a - mean_x) ** 2 for a in x)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread


def _point(series: Series, size: int, say: Say) -> Point:
    say(f"{series.name}: {size:,} {series.unit}")
    run = measure.run(series.command(size))
    return Point(size, run.cpu, run.memory)


def _train(stem: str, size: int, maker: datasets.Maker, n_rows: int, *options: str) -> list[str]:
    path = datasets.made(f"growth-{stem}-{size}", "csv", maker, n_rows)
    return [TREECLI, "train", str(path), *options, "-o", os.devnull]


def _wide(n_attributes: int) -> list[str]:
    maker = partial(datasets.numbers_and_classes, n_attributes=n_attributes)
    return _train("attributes", n_attributes, maker, N_ROWS_OF_WIDE, "--criterion", "gini")


def _many_classes(n_classes: int) -> list[str]:
    maker = partial(datasets.numbers_and_classes, n_attributes=5, n_classes=n_classes)
    return _train("classes", n_classes, maker, N_ROWS_OF_OTHERS, "--criterion", "gini", "--max-depth", "10")


def _many_labels(nominal: str, n_labels: int) -> list[str]:
    maker = partial(datasets.mixture, n_labels=(n_labels,) * 3)
    options = ("--nominal", nominal, "--max-depth", "10")
    return _train("labels", n_labels, maker, N_ROWS_OF_OTHERS, *options)


def _deep(verb: str, depth: int) -> list[str]:
    """A command on a tree that is a chain of tests."""
    path = datasets.CACHE / f"chain-{depth}.json"
    if not path.exists():
        datasets.CACHE.mkdir(parents=True, exist_ok=True)
        path.write_text(chain(depth))
    return [TREECLI, verb, str(path), "-o", os.devnull]


def chain(depth: int) -> str:
    """A model file in which every test splits off one case, of either class in turn."""
    attribute, target = {"name": "x", "kind": "numeric"}, {"name": "class", "kind": "nominal", "labels": ["no", "yes"]}
    n_cases = depth + 1
    nodes: list[dict[str, object]] = []
    for level in range(n_cases):
        # Cases level, level + 1, … remain; the odd ones are of the second class.
        n_second = n_cases // 2 - level // 2
        counts = [n_cases - level - n_second, n_second]
        node: dict[str, object] = {"id": 2 * level, "counts": counts}
        if level < depth:
            split = {"kind": "threshold", "attribute": "x", "at_most": level + 0.5}
            node |= {"split": split, "score": 0.5, "children": [2 * level + 1, 2 * level + 2]}
        nodes.append(node)
        if level < depth:
            nodes.append({"id": 2 * level + 1, "counts": [1 - level % 2, level % 2]})
    # Level order: the leaf of a level comes before the rest of the chain.
    nodes.sort(key=lambda node: int(str(node["id"])))
    model = {"format": "treecli-model", "format_version": 1, "kind": "tree"}
    model |= {"schema": {"attributes": [attribute], "target": target}, "settings": {}, "lineage": [], "nodes": nodes}
    return json.dumps(model)


def _draw(series: Series, points: list[Point], path: Path) -> None:
    """Seconds and megabytes against the size, on logarithmic axes, with a line of slope 1."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "treecli"  # the same plot gives the same file
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
    sizes = [point.size for point in points]
    values = {"seconds": [p.seconds for p in points], "megabytes": [p.memory / MEGABYTE for p in points]}
    for axis, (label, measured) in zip(axes, values.items(), strict=True):
        axis.loglog(sizes, measured, "o-")
        axis.loglog(sizes, [measured[-1] * size / sizes[-1] for size in sizes], ":", color="grey")
        axis.set(xlabel=series.unit, ylabel=label)
        axis.set_ylim(bottom=min(measured) / 2)
    figure.suptitle(f"{series.name} (dotted: in proportion)")
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
