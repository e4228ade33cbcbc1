"""`treecli replay` makes a model again from its lineage, byte by byte."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from tests.conftest import Runner

SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    for name in (
        "playtennis.csv",
        "iris.csv",
        "vote.arff",
        "cpu.csv",
        "courses-rating.csv",
        "monks-1.arff",
        "monks-2.arff",
    ):
        shutil.copy(SAMPLES / name, tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        "playtennis.csv",
        "iris.csv --like j48",
        "iris.csv --like rpart",
        "vote.arff --prune pessimistic",
        "vote.arff --prune mdl",
        "vote.arff --test-fraction 0.3",
        "iris.csv --max-leaves 3 --competitors 2",
        "iris.csv --prune cost-complexity --cp 0.02",
        "iris.csv --search optimal:2",
        "monks-1.arff --search skewing",
        "monks-2.arff --splits mofn",
        "iris.csv --splits linear,mofn --criterion gini",
        "iris.csv --project gaussian:2",
        "cpu.csv --splits linear --leaf-model linear",
        "courses-rating.csv --like m5p --prune none",
        "cpu.csv",
        "cpu.csv --weights MYCT",
    ],
)
def test_a_model_that_was_trained_is_made_again(treecli: Runner, arguments: str) -> None:
    data, *more = arguments.split()
    assert treecli("train", data, *more, "-q", "-o", "model.json").code == 0
    weights = more if "--weights" in more else []
    assert treecli("replay", "model.json", data, *weights, "-q") == (0, "same bytes\n", "")


@pytest.mark.parametrize(
    "more",
    [
        [],
        ["--method", "pessimistic", "--data", "vote.arff"],
        ["--method", "min-error"],
        ["--method", "reduced-error", "--data", "vote.arff"],
    ],
)
def test_a_model_that_was_pruned_afterwards_is_made_again(treecli: Runner, more: list[str]) -> None:
    assert treecli("train", "vote.arff", "-q").code == 0
    assert treecli("prune", "vote.json", *more, "-q").code == 0
    assert treecli("replay", "vote.pruned.json", "vote.arff", "-q") == (0, "same bytes\n", "")


def test_a_compressed_model_is_compared_by_its_content(treecli: Runner, folder: Path) -> None:
    assert treecli("train", "playtennis.csv", "-q").code == 0
    (folder / "packed.json.gz").write_bytes(gzip.compress((folder / "playtennis.json").read_bytes()))
    assert treecli("replay", "packed.json.gz", "playtennis.csv", "-q").out == "same bytes\n"


def test_the_first_node_that_differs_is_named(treecli: Runner, folder: Path) -> None:
    assert treecli("train", "playtennis.csv", "-q").code == 0
    text = (folder / "playtennis.json").read_text()
    (folder / "changed.json").write_text(text.replace("0.1564", "0.1565"))
    code, out, err = treecli("replay", "changed.json", "playtennis.csv", "-q")
    assert (code, out) == (1, "")
    assert err.startswith("Error: changed.json: node 0: the score in the model is 0.15652756")


def test_another_version_is_named(treecli: Runner, folder: Path) -> None:
    assert treecli("train", "playtennis.csv", "-q").code == 0
    text = (folder / "playtennis.json").read_text()
    marked = text.replace('"treecli":"', '"treecli":"0.0.').replace('"treecli": "', '"treecli": "0.0.')
    (folder / "old.json").write_text(marked)
    assert "the model was made by treecli 0.0." in treecli("replay", "old.json", "playtennis.csv").err


@pytest.mark.parametrize(
    ("prepare", "model", "data", "code", "message"),
    [
        ([], "playtennis.json", "iris.csv", 3, "iris.csv"),
        (
            [
                ["edit", "playtennis.json", "--label", "2=No", "-o", "other.json"],
                ["edit", "playtennis.json", "--graft", "0=other.json", "--data", "playtennis.csv"],
            ],
            "playtennis.edited.json",
            "playtennis.csv",
            2,
            "the tree of other.json was grafted, which cannot be repeated",
        ),
        (
            [["prune", "playtennis.json", "--node", "1"]],
            "playtennis.pruned.json",
            "playtennis.csv",
            2,
            "pruned by hand",
        ),
        (
            [["train", "vote.arff", "--prune", "reduced-error"]],
            "vote.json",
            "vote.arff",
            2,
            "does not say which rows were held aside",
        ),
    ],
)
def test_what_cannot_be_repeated_is_refused(
    treecli: Runner, prepare: list[list[str]], model: str, data: str, code: int, message: str
) -> None:
    assert treecli("train", "playtennis.csv", "-q").code == 0
    for arguments in prepare:
        assert treecli(*arguments, "-q").code == 0
    done = treecli("replay", model, data, "-q")
    assert (done.code, done.out) == (code, "")
    assert message in done.err


def test_other_rows_than_those_of_training_are_refused(treecli: Runner, folder: Path) -> None:
    assert treecli("train", "playtennis.csv", "-q").code == 0
    rows = (folder / "playtennis.csv").read_text().splitlines(keepends=True)
    (folder / "fewer.csv").write_text("".join(rows[:-1]))
    done = treecli("replay", "playtennis.json", "fewer.csv", "-q")
    assert (done.code, done.out) == (3, "")
    assert "fewer.csv: is not the data that the model was grown from, which was playtennis.csv" in done.err


@pytest.mark.parametrize(
    "edits",
    [
        [["--collapse", "Outlook=Sunny"]],
        [["--label", "2=No"]],
        [["--rename", "Wind=Breeze", "--rename", "PlayTennis=Play", "--collapse", "1"]],
        [["--split", "0=Humidity", "--data", "playtennis.csv"], ["--regrow", "1", "--data", "playtennis.csv"]],
        [["--rename", "Wind=Breeze"], ["--collapse", "3", "--rename", "Breeze=Air"]],
    ],
)
def test_edits_are_repeated(treecli: Runner, folder: Path, edits: list[list[str]]) -> None:
    assert treecli("train", "playtennis.csv", "-q").code == 0
    name = "playtennis.json"
    for number, words in enumerate(edits):
        assert treecli("edit", name, *words, "-o", f"edited{number}.json", "-q").code == 0
        name = f"edited{number}.json"
    assert treecli("replay", name, "playtennis.csv", "-q").out == "same bytes\n"


def test_a_model_edited_with_other_data_is_not_repeated(treecli: Runner, folder: Path) -> None:
    assert treecli("train", "playtennis.csv", "-q").code == 0
    days = (folder / "playtennis.csv").read_text().splitlines()
    (folder / "fewer.csv").write_text("\n".join(days[:-1]) + "\n")
    assert treecli("edit", "playtennis.json", "--regrow", "0", "--data", "fewer.csv", "-o", "e.json", "-q").code == 0
    code, out, err = treecli("replay", "e.json", "playtennis.csv", "-q")
    assert (code, out) == (2, "")
    assert err.startswith("Error: the tree was edited with other data, fewer.csv, which cannot be repeated\n")
