"""The data sets: generated from a seed, written once, and read by every program from the same file.

S is iris from sample_data. M has numbers, labels, gaps and three classes; L a million rows of numbers and two noisy
classes; D as many with less noise, for trees some 500 levels deep by the gain ratio; R a numeric target.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

HERE = Path(__file__).parent
SAMPLE_DATA = HERE.parent / "sample_data"
CACHE = Path(os.environ.get("TREECLI_BENCH_DATA", HERE / ".data"))

DECIMALS = 4
"""Decimals of a number: few enough for 32 bits, scikit-learn's precision, to distinguish them."""

N_LABELS = (2, 2, 3, 4, 5, 8, 12, 20, 35, 50)
"""Of the nominal attributes of M."""

MISSING_SHARE = 0.03
"""Of the values of M."""

NOISE = 0.35
"""The share of randomly drawn classes in L: a full tree of 1,000,000 rows has about 143,000 leaves."""

LITTLE_NOISE = 0.12
"""The same in D."""

CLASSES = ("no", "yes")

Maker = Callable[["np.random.Generator", int], "pa.Table"]


def rounded(values: Floats) -> Floats:
    return values.round(DECIMALS)


def numbers_and_classes(
    random: np.random.Generator, n_rows: int, n_attributes: int = 20, n_classes: int = 2
) -> pa.Table:
    """Numeric attributes, some of them jointly related to the class, and class noise."""
    import numpy as np
    import pyarrow as pa

    columns = {f"x{a + 1}": rounded(random.normal(size=n_rows)) for a in range(n_attributes)}
    x = list(columns.values())
    score = x[0] + np.where(x[1 % n_attributes] > 0, x[2 % n_attributes], -x[3 % n_attributes])
    score = score + np.sin(2 * x[4 % n_attributes])
    # The same number of rows for each class, whatever the distribution of the score.
    codes = np.argsort(np.argsort(score)) * n_classes // n_rows
    is_noise = random.random(n_rows) < NOISE
    codes[is_noise] = random.integers(n_classes, size=int(is_noise.sum()))
    labels = CLASSES if n_classes == 2 else tuple(f"c{code + 1}" for code in range(n_classes))
    target = pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), list(labels))
    return pa.table({**columns, "class": target})


def sums(random: np.random.Generator, n_rows: int, n_attributes: int = 20) -> pa.Table:
    """Numeric attributes, two classes that depend on the sum of eight of them, and little class noise."""
    import numpy as np
    import pyarrow as pa

    columns = {f"x{a + 1}": rounded(random.normal(size=n_rows)) for a in range(n_attributes)}
    score = np.sum(list(columns.values())[:8], axis=0)
    codes = (score > np.median(score)).astype(np.int32)
    is_noise = random.random(n_rows) < LITTLE_NOISE
    codes[is_noise] = random.integers(2, size=int(is_noise.sum()))
    return pa.table({**columns, "class": pa.DictionaryArray.from_arrays(pa.array(codes), list(CLASSES))})


def mixture(random: np.random.Generator, n_rows: int, n_labels: tuple[int, ...] = N_LABELS) -> pa.Table:
    """As many numeric as nominal attributes, three classes that depend on both, and missing attribute values."""
    import numpy as np
    import pyarrow as pa

    numbers = [rounded(random.normal(size=n_rows)) for _ in n_labels]
    codes = [random.integers(n, size=n_rows) for n in n_labels]
    effects = [random.normal(size=n) for n in n_labels]
    score = sum(effect[code] for effect, code in zip(effects, codes, strict=True)) / 2
    score = score + numbers[0] + numbers[1] * np.where(codes[0] == 0, 1.0, -1.0) + random.normal(size=n_rows) / 2
    classes = np.argsort(np.argsort(score)) * 3 // n_rows

    def gappy(values: NDArray[np.generic]) -> pa.Array:
        return pa.array(values, mask=random.random(n_rows) < MISSING_SHARE)

    columns = {f"x{a + 1}": gappy(values) for a, values in enumerate(numbers)}
    for a, (code, n) in enumerate(zip(codes, n_labels, strict=True)):
        labels = [f"v{label + 1}" for label in range(n)]
        columns[f"n{a + 1}"] = pa.DictionaryArray.from_arrays(gappy(code.astype(np.int32)), labels)
    columns["class"] = pa.DictionaryArray.from_arrays(pa.array(classes.astype(np.int32)), ["low", "mid", "high"])
    return pa.table(columns)


def numeric_target(random: np.random.Generator, n_rows: int, n_attributes: int = 10) -> pa.Table:
    """A target that depends on some of the attributes, with noise."""
    import numpy as np
    import pyarrow as pa

    columns = {f"x{a + 1}": rounded(random.random(n_rows)) for a in range(n_attributes)}
    x = list(columns.values())
    # Friedman's first function (1991).
    target = 10 * np.sin(np.pi * x[0] * x[1]) + 20 * (x[2] - 0.5) ** 2 + 10 * x[3] + 5 * x[4]
    return pa.table({**columns, "y": rounded(target + random.normal(size=n_rows))})


MAKERS: dict[str, Maker] = {"M": mixture, "L": numbers_and_classes, "D": sums, "R": numeric_target}
SIZES = {"M": 50_000, "L": 1_000_000, "D": 1_000_000, "R": 500_000}
QUICK_SIZES = {"M": 10_000, "L": 100_000, "D": 100_000, "R": 50_000}

SEED = 20
SEED_OF_OTHERS = 21
"""For held-out rows, which reduced-error pruning needs."""


def file_of(name: str, n_rows: int, suffix: str = "csv", seed: int = SEED) -> Path:
    """A data set's file, created if it does not exist."""
    return made(f"{name}-{n_rows}-{seed}", suffix, MAKERS[name], n_rows, seed)


def iris(suffix: str = "csv") -> Path:
    """A copy of iris in the folder of the other data sets."""
    path = CACHE / f"iris.{suffix}"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        shutil.copy(SAMPLE_DATA / path.name, path)
    return path


def made(stem: str, suffix: str, maker: Maker, n_rows: int, seed: int = SEED) -> Path:
    """The file with this name, created if it does not exist; it appears only when complete."""
    import numpy as np

    path = CACHE / f"{stem}.{suffix}"
    if path.exists():
        return path
    CACHE.mkdir(parents=True, exist_ok=True)
    table = maker(np.random.default_rng(seed), n_rows)
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("wb") as stream:
        if suffix == "arff":
            stream.write(arff_header(table, stem).encode())
        write_rows(table, stream, with_header=suffix == "csv", missing="?" if suffix == "arff" else "")
    unfinished.replace(path)
    return path


def write_rows(table: pa.Table, stream: object, *, with_header: bool, missing: str) -> None:
    """The rows as comma-separated text, with a text for missing values."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    columns = []
    for column in table.columns:
        text = column.cast(pa.string())
        columns.append(pc.fill_null(text, missing) if missing and text.null_count else text)
    options = csv.WriteOptions(include_header=with_header, quoting_style="none", quoting_header="none")
    csv.write_csv(pa.table(columns, names=table.column_names), stream, options)


def arff_header(table: pa.Table, name: str) -> str:
    """The header of an ARFF file."""
    lines = [f"@relation {name}"]
    for field, column in zip(table.schema, table.columns, strict=True):
        is_nominal = hasattr(field.type, "value_type")
        labels = column.chunk(0).dictionary.to_pylist() if is_nominal else []
        lines.append(f"@attribute {field.name} {'{' + ','.join(labels) + '}' if is_nominal else 'numeric'}")
    return "\n".join([*lines, "@data", ""])
