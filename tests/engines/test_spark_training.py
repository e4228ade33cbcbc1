"""`train --engine spark`: the model of the memory engine, to the byte, whatever the workers have installed."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from math import inf
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.conftest import Runner
from tests.engines.conftest import missing
from tests.growing import SAMPLE_DATA
from treecli.engines import _sparkcoding, _sparkpasses, _sparkworker
from treecli.engines._limits import Ceiling
from treecli.grow import coding

pytestmark = pytest.mark.engines

SPARK = ("--engine", "spark", "--master", "local[2]")


@pytest.fixture(autouse=True)
def spark() -> None:
    if find_spec("pyspark") is None or which("java") is None:
        missing("Spark needs pyspark and Java (pip install 'treecli[spark]', apt install default-jre-headless)")


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows fit into the pretended memory, so that levels are counted; six numbers are many."""
    monkeypatch.setattr(Ceiling, "most_rows", lambda *_: 30)
    monkeypatch.setattr(Ceiling, "check_sorting", lambda self, data, **_: None)
    monkeypatch.setattr(_sparkcoding, "MOST_VALUES", 6)
    monkeypatch.setattr(coding, "MOST_VALUES", 6)


def without_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sparkworker, "kernels", lambda: None)


def without_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sparkcoding, "prepare", lambda session: False)


def writing_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sparkpasses, "LEVELS_OF_ROUTE", 1)
    monkeypatch.setattr(_sparkpasses, "MOST_SUMMED_HERE", 0)


WORKERS = {
    "kernels": lambda patch: None,
    "nodes written": writing_nodes,
    "numpy": without_kernels,
    "sql": without_arrow,
}


def trained(treecli: Runner, *arguments: str) -> dict[str, Any]:
    code, out, err = treecli("train", *arguments, "-q", "-o", "-")
    assert code == 0, err
    model: dict[str, Any] = json.loads(out)
    return model


def strange_rows(folder: Path) -> None:
    """Two files of rows with missing values, zeros of both signs, infinities, weights of 0, rows without a class."""
    random = np.random.default_rng(4)
    n = 240
    numbers = random.choice([0.0, -0.0, 1.5, 2.5, inf, -inf, -1.7976931348623157e308, 7.0, np.nan], n)
    table = pa.table(
        {
            "colour": random.choice(["red", "blue", "green", None], n).tolist(),  # type: ignore[arg-type]
            "few": pa.array(numbers, from_pandas=True),
            "many": random.normal(size=n).round(2),
            "size": random.choice(["low", "mid", "high"], n).tolist(),
            "w": random.integers(0, 4, n),
            "class": random.choice(["b", "a", "c", None], n).tolist(),  # type: ignore[arg-type]
        }
    )
    parquet.write_table(table, folder / "whole.parquet")
    # Spark reads large files first.
    parquet.write_table(table.slice(0, 20), folder / "part-1.parquet")
    parquet.write_table(table.slice(20), folder / "part-2.parquet", row_group_size=50)


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize("workers", WORKERS)
def test_the_model_is_that_of_the_memory_engine(
    treecli: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    WORKERS[workers](monkeypatch)
    strange_rows(tmp_path)
    order = ("--type", "size=ordinal:low<mid<high", "--missing", "majority", "--max-depth", "6")
    for options in (
        (*order, "--weights", "w"),
        (*order, "-x", "w", "--nominal", "subset", "--criterion", "gini", "--missing", "branch"),
    ):
        expected = trained(treecli, "whole.parquet", *options)
        found = trained(treecli, "whole.parquet", *options, *SPARK)
        record = found["lineage"][0].pop("engine")
        assert (record["name"], record["passes_of_source"]) == ("spark", 2)
        assert record["passes"] > 2
        assert json.dumps(found) == json.dumps(expected)
    parts = trained(treecli, "part-*.parquet", *options, *SPARK)
    assert json.dumps(parts["nodes"]) == json.dumps(expected["nodes"])
    assert parts["schema"] == expected["schema"]


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize(
    "options",
    [
        ("-t", "class", "-x", "w", "--max-depth", "4"),  # --missing fractional
        ("-t", "class", "--weights", "many", "--max-depth", "4"),
        ("-t", "many", "--weights", "w", "--nominal", "subset"),
        ("-t", "few", "--criterion", "sdr", "--missing", "branch"),
    ],
)
def test_sums_of_fractions_are_those_of_the_memory_engine(
    treecli: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    strange_rows(tmp_path)
    table = parquet.read_table(tmp_path / "whole.parquet")
    many = np.abs(table["many"].to_numpy())
    table = table.set_column(2, "many", pa.array(np.where(many < 0.1, 0.0, many)))
    few = table["few"].to_pylist()
    table = table.set_column(1, "few", pa.array([None if own is None or abs(own) > 1e60 else own for own in few]))
    parquet.write_table(table, tmp_path / "whole.parquet")
    parquet.write_table(table.slice(0, 20), tmp_path / "part-1.parquet")
    parquet.write_table(table.slice(20), tmp_path / "part-2.parquet", row_group_size=50)
    expected = trained(treecli, "whole.parquet", *options)
    found = trained(treecli, "whole.parquet", *options, *SPARK)
    record = found["lineage"][0].pop("engine")
    assert (record["name"], record["passes_of_source"]) == ("spark", 2)
    assert record["passes"] > 2
    assert json.dumps(found) == json.dumps(expected)
    parts = trained(treecli, "part-*.parquet", *options, *SPARK)
    assert json.dumps(parts["nodes"]) == json.dumps(expected["nodes"])
    without_arrow(monkeypatch)
    refused = treecli("train", "whole.parquet", *options, *SPARK, "-q", "-o", "-")
    assert refused.code == 3
    assert "pyarrow" in refused.err.splitlines()[0]
    assert refused.err.splitlines()[1].startswith("Hint: install pyarrow on the workers")


def test_a_tree_that_fits_ends_in_memory_and_the_summary_says_so(treecli: Runner, tmp_path: Path) -> None:
    assert treecli("convert", SAMPLE_DATA / "iris.csv", "iris.parquet").code == 0
    here = treecli("train", "iris.parquet", "-o", "here.json")
    there = treecli("train", "iris.parquet", *SPARK, "-o", "there.json")
    assert there.code == 0, there.err
    passes = "passes: 1 over the codes, 2 over the source; 1 node finished in memory"
    assert [own for own in there.out.splitlines() if own != passes] == here.out.splitlines()
    assert passes in there.out
    expected, found = (json.loads((tmp_path / f"{own}.json").read_text()) for own in ("here", "there"))
    assert found["lineage"][0].pop("engine")["finished_in_memory"] == 1
    assert found == expected


def test_what_spark_cannot_do_is_refused_in_one_line(treecli: Runner) -> None:
    assert treecli("convert", SAMPLE_DATA / "iris.csv", "iris.parquet").code == 0
    refused = {
        ("iris.parquet", "--like", "rpart"): "Error: --engine spark: the arithmetic of another program",
        ("iris.parquet", "--forest", "3"): "Error: --engine spark: grows one tree, not --forest",
        ("iris.csv",): "Error: iris.csv: --engine spark reads Parquet files and tables",
        ("iris.parquet", "-t", "clas"): "Error: iris.parquet: found no column 'clas' (--target)",
        ("iris.parquet", "-t", "petalwidth", "--criterion", "absolute"): "Error: --engine spark: --criterion absolute",
    }
    for words, message in refused.items():
        code, out, err = treecli("train", *words, *SPARK, "-o", "m.json", "-q")
        assert code in (2, 3)
        assert out == ""
        assert err.splitlines()[0].startswith(message)
        assert len(err.splitlines()) <= 2


KILLED = """
import sys

from treecli.__main__ import main
from treecli.engines import _sparkworker
from treecli.engines._limits import Ceiling

mark, *words = sys.argv[1:]
Ceiling.most_rows = lambda *_: 1000


def kernels():
    # In a worker: the first one ends its executor, the parent of the process that started the worker.
    import os
    import signal
    from pathlib import Path

    try:
        open(mark, "x").close()
    except FileExistsError:
        return None
    parent = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1]
    os.kill(int(parent), signal.SIGKILL)


_sparkworker.kernels = kernels
sys.argv = ["treecli", *words]
main()
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc")
def test_an_executor_killed_in_a_pass_changes_no_node(treecli: Runner, tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    n = 20_000
    columns = {f"x{i}": random.integers(0, 50, n) for i in range(4)}
    label = (columns["x0"] + columns["x1"] * (columns["x2"] > 20) + random.integers(0, 30, n)) // 30
    table = pa.table(columns | {"class": [f"c{own}" for own in label.tolist()]})
    parquet.write_table(table, tmp_path / "rows.parquet", row_group_size=2_000)
    expected = trained(treecli, "rows.parquet", "--max-depth", "4")
    words = ("train", "rows.parquet", "--max-depth", "4", "--engine", "spark", "--master", "local-cluster[2,1,1024]")
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", KILLED, str(tmp_path / "mark"), *words, "-q", "-o", "m.json"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert found.stderr == ""
    assert (tmp_path / "mark").exists()
    assert json.loads((tmp_path / "m.json").read_text())["nodes"] == expected["nodes"]


LOST = """
import signal
import sys
import threading

from pyspark import SparkContext

from treecli.__main__ import main
from treecli.engines._limits import Ceiling
from treecli.engines._sparkpasses import SparkPasses

Ceiling.most_rows = lambda *_: 30
count = SparkPasses.count


def counted(self, totals, scale):
    if self.n_done == 2:
        process = SparkContext._active_spark_context._gateway.proc
        process.send_signal(signal.SIGSTOP)  # so that the connection ends while an answer is awaited
        threading.Timer(0.5, process.kill).start()
    return count(self, totals, scale)


if sys.argv[1] == "lost":
    SparkPasses.count = counted
sys.argv = ["treecli", *sys.argv[2:]]
main()
"""


def test_a_lost_connection_is_one_line_with_the_command_to_go_on(treecli: Runner, tmp_path: Path) -> None:
    assert treecli("convert", SAMPLE_DATA / "iris.csv", "iris.parquet").code == 0
    words = ("train", "iris.parquet", *SPARK, "--checkpoint", "kept", "-q", "-o", "m.json")
    python = (sys.executable, "-W", "ignore", "-c", LOST)
    lost = subprocess.run([*python, "lost", *words], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert lost.returncode == 3
    assert lost.stderr == (
        "Error: iris.parquet: the connection to Spark was lost\nHint: give the same command and --resume\n"
    )
    assert sorted(path.name for path in (tmp_path / "kept").glob("level-*")) == ["level-0.npz", "level-1.npz"]
    done = subprocess.run(
        [*python, "kept", *words, "--resume"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    nodes = json.loads((tmp_path / "m.json").read_text())["nodes"]
    assert nodes == trained(treecli, "iris.parquet")["nodes"]
    assert not (tmp_path / "kept").exists()
