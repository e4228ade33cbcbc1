"""predict and evaluate in Spark, beside the same commands in memory."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from shutil import which

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.conftest import Runner
from tests.engines.conftest import missing
from tests.engines.test_there import close, with_holes
from tests.growing import SAMPLE_DATA

pytestmark = pytest.mark.engines

MODELS = {
    "subset": ("iris.csv", "--like cart"),
    "majority": ("playtennis.csv", "--missing majority"),
    "sklearn": ("iris.csv", "--like sklearn --max-depth 3"),
    "regression": ("cpu.csv", "--min-leaf 5 --missing majority"),
}


@pytest.fixture(autouse=True)
def spark() -> None:
    if find_spec("pyspark") is None or which("java") is None:
        missing("Spark needs pyspark and Java (pip install 'treecli[spark]', apt install default-jre-headless)")


@pytest.mark.parametrize("kind", MODELS)
def test_predictions_and_measures_are_those_in_memory(treecli: Runner, tmp_path: Path, kind: str) -> None:
    name, words = MODELS[kind]
    (tmp_path / "holes.csv").write_text(with_holes(SAMPLE_DATA / name))
    assert treecli("train", SAMPLE_DATA / name, "-q", "-o", "model.json", *words.split()).code == 0
    assert treecli("convert", "holes.csv", "holes.parquet").code == 0
    spark = ("--engine", "spark", "--master", "local[2]")
    here = treecli("evaluate", "model.json", "holes.parquet", "-f", "json")
    there = treecli("evaluate", "model.json", "holes.parquet", "-f", "json", *spark)
    assert there.code == 0, there.err
    assert close(json.loads(there.out), json.loads(here.out))
    assert sorted(there.err.splitlines()) == sorted(here.err.splitlines())
    assert treecli("predict", "model.json", "holes.parquet", "-o", "here.parquet").code == 0
    found = treecli("predict", "model.json", "holes.parquet", "-o", "there.parquet", *spark)
    assert found.code == 0, found.err
    assert _predictions(tmp_path / "there.parquet") == _predictions(tmp_path / "here.parquet")
    again = treecli("predict", "model.json", "holes.parquet", "-o", "there.parquet", *spark)
    assert (again.code, again.err.splitlines()[0]) == (2, "Error: there.parquet: is a folder, expected a file's name")


def _predictions(path: Path) -> list[object]:
    column = parquet.read_table(path)["prediction"]
    found: list[object] = (
        column.cast(column.type.value_type).to_pylist() if pa.types.is_dictionary(column.type) else column.to_pylist()
    )
    return found


def test_wrong_use_is_one_line(treecli: Runner, tmp_path: Path) -> None:
    data = str(SAMPLE_DATA / "iris.csv")
    treecli("train", data, "-q", "-o", "model.json")
    spark = ("--engine", "spark")
    refused = {
        ("evaluate", "model.json", data, *spark): (
            2,
            "Error: " + data + ": --engine spark reads Parquet files and tables",
        ),
        ("evaluate", "model.json", "no.parquet", *spark): (3, "Error: no.parquet: no such file"),
        ("evaluate", "model.json", data, *spark, "--temp", "."): (
            2,
            "Error: --temp: is for --engine duckdb; Spark has",
        ),
        ("evaluate", "model.json", data, "--master", "local"): (2, "Error: --master: is for --engine"),
        ("info", "no.parquet", *spark): (2, "Error: --engine spark: is for train, predict and evaluate"),
    }
    for words, (code, message) in refused.items():
        found = treecli(*words)
        assert (found.code, found.err.splitlines()[0][: len(message)]) == (code, message)


ENDED = """
import sys
from treecli.engines._sparksource import SparkSource
from treecli.errors import DataError
from treecli.intake import ReadOptions

source = SparkSource(sys.argv[1], ReadOptions(), None, None)
source.connect("local[1]", None)
process = source.session.sparkContext._gateway.proc
process.kill()
process.wait()
try:
    source.fetched(f"SELECT count(*) FROM {source.relation()}")
except DataError as error:
    print(f"{error.message}; {error.hint}")
source.close()
"""


def test_a_lost_connection_is_one_line(treecli: Runner, tmp_path: Path) -> None:
    assert treecli("convert", SAMPLE_DATA / "iris.csv", "iris.parquet").code == 0
    words = [sys.executable, "-W", "ignore", "-c", ENDED, str(tmp_path / "iris.parquet")]
    found = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert found.stdout == "iris.parquet: the connection to Spark was lost; run the command again\n"


KILLED = """
import os
import signal
import sys
from pathlib import Path
from threading import Thread

from treecli.engines._sparksource import SparkSource
from treecli.intake import ReadOptions

MARK = f"TREECLI_TEST={os.getpid()}".encode()


def executors():
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words, environment = (folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()
        except OSError:
            continue
        if b"CoarseGrainedExecutorBackend" in words and MARK in environment:
            yield int(folder.name)


def kill_one():
    while True:
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        if any(stage and stage.numActiveTasks for stage in stages) and (own := list(executors())):
            os.kill(own[0], signal.SIGKILL)
            return


os.environ["TREECLI_TEST"] = str(os.getpid())
source = SparkSource(sys.argv[1], ReadOptions(), None, None)
source.connect("local-cluster[2,1,1024]", None)
tracker = source.session.sparkContext.statusTracker()
query = f"SELECT n % 7 AS k, count(*), max(sha2(CAST(n AS STRING), 512)) FROM {source.relation()} GROUP BY 1 ORDER BY k"
before = source.fetched(query)
killer = Thread(target=kill_one)
killer.start()
after = source.fetched(query)
killer.join()
print(len(after), before == after)
source.close()
"""


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs Linux's /proc")
def test_an_executor_killed_in_the_middle_changes_no_result(tmp_path: Path) -> None:
    rows = pa.table({"n": pa.array(range(3_000_000), pa.float64())})
    parquet.write_table(rows, tmp_path / "n.parquet", row_group_size=200_000)
    words = [sys.executable, "-W", "ignore", "-c", KILLED, str(tmp_path / "n.parquet")]
    found = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert found.stdout == "7 True\n"
