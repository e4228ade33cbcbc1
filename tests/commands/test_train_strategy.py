"""`train --engine duckdb --strategy boat`: the same model, with a record of the strategy; goes on after a kill."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.commands.test_train_checkpoint import run
from tests.conftest import Runner
from tests.growing import SAMPLE_DATA
from treecli.engines._limits import Ceiling

BOAT = ("train", "iris.csv", "--engine", "duckdb", "--strategy", "boat", "-q", "-o", "m.json")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with iris.csv, of which nodes of up to 30 rows fit into memory."""
    (tmp_path / "iris.csv").write_bytes((SAMPLE_DATA / "iris.csv").read_bytes())
    monkeypatch.setattr(Ceiling, "most_rows", lambda *_: 30)
    return tmp_path


def test_the_model_differs_only_in_the_record_of_the_passes(treecli: Runner, folder: Path) -> None:
    models = []
    for words in (BOAT, (*BOAT[:4], "--strategy", "rainforest", *BOAT[6:]), (*BOAT[:4], *BOAT[6:])):
        code, _, err = treecli(*words)
        assert code == 0, err
        models.append(json.loads((folder / "m.json").read_text()))
    assert models[1] == models[2]
    records = [model["lineage"][0].pop("engine") for model in models]
    assert [record.get("strategy") for record in records] == ["boat", None, None]
    assert models[0] == models[1]


def test_details_tell_how_many_rows_were_held(treecli: Runner, folder: Path) -> None:
    found = treecli(*BOAT[:6], "-v", "-o", "m.json")
    assert found.code == 0
    assert "of 150 rows held" in found.err


@pytest.mark.thorough
@pytest.mark.parametrize("point", ["level-0", "level-1-kept"])
def test_a_killed_training_goes_on_to_the_same_bytes(folder: Path, point: str) -> None:
    assert run(folder, "never", *BOAT).returncode == 0
    expected = (folder / "m.json").read_bytes()
    (folder / "m.json").unlink()
    assert run(folder, point, *BOAT, "--checkpoint", "kept").returncode == -signal.SIGKILL
    other = run(folder, "never", *BOAT[:4], *BOAT[6:], "--checkpoint", "kept", "--resume")
    assert "is the checkpoint of another training: strategies differ" in other.stderr
    done = run(folder, "never", *BOAT, "--checkpoint", "kept", "--resume")
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "m.json").read_bytes() == expected


@pytest.mark.thorough
def test_a_killed_training_that_goes_level_by_level_goes_on_to_the_same_bytes(folder: Path) -> None:
    # Weights that are not whole are not foreseen.
    lines = (folder / "iris.csv").read_text().splitlines()
    rows = [f"{line},{0.1 + place % 3}" for place, line in enumerate(lines[1:])]
    (folder / "iris.csv").write_text("\n".join([f"{lines[0]},w", *rows]) + "\n")
    words = (*BOAT, "--weights", "w", "-t", lines[0].split(",")[-1])
    assert run(folder, "never", *words).returncode == 0
    expected = (folder / "m.json").read_bytes()
    assert run(folder, "level-1-kept", *words, "--checkpoint", "kept").returncode == -signal.SIGKILL
    done = run(folder, "never", *words, "--checkpoint", "kept", "--resume")
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "m.json").read_bytes() == expected


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        ("train iris.csv --strategy boat", "--strategy: is for --engine duckdb", "add --engine duckdb"),
        (
            "train iris.csv --engine spark --strategy boat",
            "--strategy boat: is for --engine duckdb",
            "use --strategy rainforest",
        ),
    ],
)
def test_wrong_use_is_one_line(treecli: Runner, folder: Path, words: str, message: str, hint: str) -> None:
    found = treecli(*words.split(), "-o", "m.json")
    assert (found.code, found.err) == (2, f"Error: {message}\nHint: {hint}\n")
