"""`train --checkpoint DIR`: killed at any point, the command goes on with --resume and writes the same bytes."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.growing import SAMPLE_DATA

WORDS = ("train", "iris.csv", "--engine", "duckdb", "--checkpoint", "kept")

CHILD = """
import os
import signal
import sys

from treecli.__main__ import main
from treecli.engines import _checkpoint
from treecli.engines._limits import Ceiling
from treecli.large import checkpoints

point, *words = sys.argv[1:]
Ceiling.most_rows = lambda *_: 30


def reached(name):
    if name == point:
        os.kill(os.getpid(), signal.SIGKILL)


_checkpoint.reached = checkpoints.reached = reached
sys.argv = ["treecli", *words]
main()
"""

POINTS = (
    *("folder", "state", "codes", "codes-kept", "level-0", "level-0-writing", "level-0-kept", "level-2"),
    *("level-3-writing", "level-3-kept", "done"),
)


def run(folder: Path, point: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run treecli in a process of its own, which ends by SIGKILL at a point; nodes of up to 30 rows fit."""
    return subprocess.run([sys.executable, "-c", CHILD, point, *words], capture_output=True, text=True, cwd=folder)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("whole")
    (folder / "iris.csv").write_bytes((SAMPLE_DATA / "iris.csv").read_bytes())
    done = run(folder, "never", *WORDS[:4], "-q", "-o", "m.json")
    assert done.returncode == 0, done.stderr
    return (folder / "m.json").read_bytes()


@pytest.mark.parametrize(
    "point", [pytest.param(own, marks=() if own in POINTS[4:7] else pytest.mark.thorough) for own in POINTS]
)
def test_a_killed_training_goes_on_to_the_same_bytes(tmp_path: Path, expected: bytes, point: str) -> None:
    (tmp_path / "iris.csv").write_bytes((SAMPLE_DATA / "iris.csv").read_bytes())
    killed = run(tmp_path, point, *WORDS, "-q", "-o", "m.json")
    assert killed.returncode == -signal.SIGKILL
    assert (tmp_path / "m.json").exists() == (point == "done")
    done = run(tmp_path, "never", *WORDS, "--resume", "-q", "-o", "m.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "m.json").read_bytes() == expected
    assert not (tmp_path / "kept").exists()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("data", "options"),
    [("vote.arff", ("--max-depth", "5")), ("cpu.csv", ("--criterion", "sdr")), ("cpu.csv", ("--missing", "branch"))],
)
@pytest.mark.parametrize("point", ["level-0-kept", "level-1", "level-2-kept"])
def test_parts_of_rows_and_sums_of_a_numeric_target_go_on_to_the_same_bytes(
    tmp_path: Path, data: str, options: tuple[str, ...], point: str
) -> None:
    assert run(tmp_path, "never", "convert", str(SAMPLE_DATA / data), "rows.csv").returncode == 0
    words = ("train", "rows.csv", "--engine", "duckdb", *options, "-q", "-o")
    assert run(tmp_path, "never", *words, "whole.json").returncode == 0
    assert run(tmp_path, point, *words, "m.json", "--checkpoint", "kept").returncode == -signal.SIGKILL
    done = run(tmp_path, "never", *words, "m.json", "--checkpoint", "kept", "--resume")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "m.json").read_bytes() == (tmp_path / "whole.json").read_bytes()


def test_resume_without_a_checkpoint_starts_from_the_beginning_and_says_so(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "iris.csv").write_bytes((SAMPLE_DATA / "iris.csv").read_bytes())
    found = treecli(*WORDS, "--resume", "-o", "m.json")
    warning = "Warning: --resume: kept has no checkpoint yet, so the training starts from the beginning\n"
    assert (found.code, warning in found.err) == (0, True)


@pytest.mark.thorough
def test_levels_that_are_kept_are_not_counted_again(tmp_path: Path) -> None:
    (tmp_path / "iris.csv").write_bytes((SAMPLE_DATA / "iris.csv").read_bytes())
    run(tmp_path, "level-2", *WORDS, "-q", "-o", "m.json")
    kept = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "kept").glob("level-*.npz")}
    assert sorted(kept) == ["level-0.npz", "level-1.npz"]
    run(tmp_path, "level-3", *WORDS, "--resume", "-q", "-o", "m.json")
    again = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "kept").glob("level-*.npz")}
    assert {name: again[name] for name in kept} == kept
    assert sorted(again) == ["level-0.npz", "level-1.npz", "level-2.npz"]


def test_a_checkpoint_of_another_training_is_refused_in_one_line(treecli: Runner, tmp_path: Path) -> None:
    from treecli.engines import _checkpoint

    iris = (SAMPLE_DATA / "iris.csv").read_bytes()
    (tmp_path / "iris.csv").write_bytes(iris)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_checkpoint.Checkpoint, "remove", lambda self: None)
        assert treecli(*WORDS, "-q", "-o", "m.json").code == 0
    refused = {
        (): ("--checkpoint: kept has a checkpoint", "go on with --resume, or name a new folder"),
        ("--resume", "--max-depth", "3"): (
            "--resume: kept is the checkpoint of another training: options differ",
            "give the same data and options, or begin again with a new --checkpoint",
        ),
        ("--resume", "--memory", "1GB"): (
            "--resume: kept is the checkpoint of another training: sizes of --memory differ",
            "give the same data and options, or begin again with a new --checkpoint",
        ),
    }
    for words, (message, hint) in refused.items():
        found = treecli(*WORDS, *words, "-q", "-o", "m.json")
        assert (found.code, found.err) == (2, f"Error: {message}\nHint: {hint}\n")
    (tmp_path / "iris.csv").write_bytes(iris + b"5.9,3.0,5.1,1.8,Iris-virginica\n")
    found = treecli(*WORDS, "--resume", "-q", "-o", "m.json")
    assert found.err.startswith("Error: --resume: kept is the checkpoint of another training: data differ\n")
    (tmp_path / "iris.csv").write_bytes(iris)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("train iris.csv --engine duckdb --resume", "--resume: needs the folder of a checkpoint"),
        ("train iris.csv --checkpoint kept", "--checkpoint: is for --engine duckdb or spark"),
        ("train iris.csv --master local", "--master: is for --engine spark"),
        ("train iris.csv --engine duckdb --checkpoint .", "--checkpoint: . has other files"),
        ("train iris.csv --engine duckdb --checkpoint k --temp .", "--temp: the codes are in the folder of"),
    ],
)
def test_wrong_use_is_one_line(treecli: Runner, tmp_path: Path, words: str, message: str) -> None:
    (tmp_path / "iris.csv").write_bytes((SAMPLE_DATA / "iris.csv").read_bytes())
    found = treecli(*words.split(), "-o", "m.json")
    assert found.code == 2
    assert found.err.startswith(f"Error: {message}")
