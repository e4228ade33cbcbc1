"""The results file: torn lines, other specifications, additions, and the order of its lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from treecli.errors import DataError, UsageError
from treecli.experiment.results import KIND, Results, opened, planned, read


def spec(learners: str = "ab", datasets: str = "xy", **changes: Any) -> dict[str, Any]:
    usual: dict[str, Any] = {KIND: "compare", "version": "1", "folds": 2, "repeats": 2}
    return (
        usual
        | changes
        | {
            "learners": [{"name": name, "options": f"--{name}"} for name in learners],
            "datasets": [{"name": name, "sha256": f"hash of {name}"} for name in datasets],
        }
    )


def record(dataset: str, learner: str, run: int) -> dict[str, Any]:
    return {"dataset": dataset, "learner": learner, "run": run, "cells": [{"fold": 1, "accuracy": 0.5}]}


def complete(results: Results) -> None:
    for key in results.runs():
        if results.finished(*key) is None:
            results.add(record(*key))
    results.finish()


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "r.jsonl")


def test_a_line_is_added_for_each_run(path: str) -> None:
    results = opened(path, spec())
    assert Path(path).read_text().count("\n") == 1
    results.add(record("x", "a", 1))
    lines = [json.loads(line) for line in Path(path).read_text().splitlines()]
    assert lines == [spec(), record("x", "a", 1)]


def test_a_file_cut_anywhere_after_the_first_line_is_completed_to_the_same_bytes(path: str) -> None:
    complete(opened(path, spec()))
    whole = Path(path).read_bytes()
    for cut in range(whole.index(b"\n") + 1, len(whole)):
        Path(path).write_bytes(whole[:cut])
        complete(opened(path, spec()))
        assert Path(path).read_bytes() == whole


def test_an_incomplete_line_is_passed_over_when_only_reading(path: str) -> None:
    complete(opened(path, spec()))
    whole = Path(path).read_bytes()
    Path(path).write_bytes(whole[:-5])
    assert len(read(path).records) == 7
    assert Path(path).read_bytes() == whole[:-5]


@pytest.mark.parametrize(("learners", "datasets"), [("abc", "xy"), ("cab", "xy"), ("ab", "xyz"), ("abc", "zxy")])
def test_additions_compute_only_what_is_new_and_end_with_the_bytes_of_one_run(
    tmp_path: Path, learners: str, datasets: str
) -> None:
    at_once, grown = str(tmp_path / "once.jsonl"), str(tmp_path / "grown.jsonl")
    complete(opened(at_once, spec(learners, datasets)))
    complete(opened(grown, spec("ab", "xy")))
    results = opened(grown, spec(learners, datasets))
    assert sum(results.finished(*key) is not None for key in results.runs()) == 8
    complete(results)
    assert Path(grown).read_bytes() == Path(at_once).read_bytes()


def test_a_part_of_the_specification_leaves_the_file_as_it_is(path: str) -> None:
    complete(opened(path, spec("abc")))
    before = Path(path).read_bytes()
    assert opened(path, spec("c", "y")).finished("y", "c", 2) is not None
    assert Path(path).read_bytes() == before


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (spec(folds=5), "made with folds 2, not 5"),
        (spec(version="2"), "made with version 1, not 2"),
        (spec(folds_like="weka"), "made with folds-like nothing, not weka"),
        (spec() | {"learners": [{"name": "b", "options": "-U"}]}, "made with options --b of the learner 'b', not -U"),
        (
            spec() | {"datasets": [{"name": "x", "sha256": "0"}]},
            "made with sha256 hash of x of the data set 'x', not 0",
        ),
    ],
)
def test_another_specification_is_refused_unless_the_file_starts_over(path: str, other: Any, message: str) -> None:
    complete(opened(path, spec()))
    before = Path(path).read_bytes()
    with pytest.raises(UsageError) as caught:
        opened(path, other)
    assert caught.value.message == f"{path}: {message}"
    assert Path(path).read_bytes() == before
    assert opened(path, other, is_new=True).records == {}
    assert len(Path(path).read_text().splitlines()) == 1


@pytest.mark.parametrize("content", ["a,b\n1,2\n", '{"format":"treecli"}\n', "no line end", "[1]\n"])
@pytest.mark.parametrize("is_new", [False, True])
def test_a_file_of_another_kind_is_never_overwritten(path: str, content: str, is_new: bool) -> None:
    Path(path).write_text(content)
    with pytest.raises(UsageError, match="is not a results file"):
        opened(path, spec(), is_new=is_new)
    assert Path(path).read_text() == content


def test_an_empty_file_is_begun(path: str) -> None:
    Path(path).touch()
    opened(path, spec())
    assert read(path).spec == spec()


@pytest.mark.parametrize(("line", "found"), [("{]", "is not a JSON object"), ('{"dataset":"x"}', "no 'learner'")])
def test_a_line_that_is_no_run_is_named(path: str, line: str, found: str) -> None:
    opened(path, spec())
    with Path(path).open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(DataError, match=found) as caught:
        read(path)
    assert caught.value.message.startswith(f"{path}:2: ")


def test_a_failed_run_is_tried_again(path: str) -> None:
    results = opened(path, spec())
    results.add({"dataset": "x", "learner": "a", "run": 1, "error": "no"})
    again = opened(path, spec())
    assert again.finished("x", "a", 1) is None
    complete(again)
    assert b"error" not in Path(path).read_bytes()


def test_a_plan_changes_no_file(path: str) -> None:
    assert planned(path, spec()).records == {}
    assert not Path(path).exists()
