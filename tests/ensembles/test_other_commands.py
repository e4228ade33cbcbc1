"""Commands that compare, draw and vary models, given ensembles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "sample_data"
IRIS = SAMPLES / "iris.csv"


@pytest.fixture
def grown(treecli, tmp_path: Path) -> Path:  # type: ignore[no-untyped-def]
    """A folder with two forests, boosted trees and a tree of iris."""
    for name, options in {
        "one": ["--forest", "3", "--max-depth", "2"],
        "two": ["--forest", "3", "--max-depth", "1", "--seed", "1"],
        "boosted": ["--boost", "3", "--max-depth", "1"],
        "tree": [],
    }.items():
        assert treecli("train", IRIS, *options, "-o", f"{name}.json", "-q").code == 0
    return tmp_path


def test_the_rows_on_which_ensembles_differ_are_counted(treecli, grown: Path) -> None:  # type: ignore[no-untyped-def]
    said = {}
    for name in ("one", "two", "boosted", "tree"):
        said[name] = _predicted(treecli("predict", f"{name}.json", IRIS, "-f", "json").out)
    truth = [line.rsplit(",", 1)[1] for line in IRIS.read_text().splitlines()[1:]]
    for a, b in (("one", "two"), ("one", "boosted"), ("boosted", "tree")):
        outcome = treecli("diff", f"{a}.json", f"{b}.json", IRIS, "-f", "json")
        facts = json.loads(outcome.out)["rows"]
        differ = [row for row in range(150) if said[a][row] != said[b][row]]
        assert facts["different"] == len(differ)
        assert facts["a_right"] == sum(said[a][row] == truth[row] for row in differ)
        assert outcome.code == (1 if differ else 0)


def _predicted(text: str) -> list[str]:
    rows = json.loads(text)
    rows = rows["rows"] if isinstance(rows, dict) else rows
    key = next(key for key in rows[0] if "predict" in key.lower() or key == "label")
    return [row[key] for row in rows]


def test_an_ensemble_is_the_same_as_itself(treecli, grown: Path) -> None:  # type: ignore[no-untyped-def]
    outcome = treecli("diff", "one.json", "one.json", IRIS)
    assert (outcome.code, outcome.out) == (0, "they predict the same for all 150 rows\n")
    assert "a forest has too many regions to search: only the rows are compared" in outcome.err


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (["diff", "one.json", "two.json"], "a forest has too many regions to search", "DATA"),
        (
            ["diff", "tree.json", "boosted.json", IRIS, "--structure"],
            "--structure compares trees or rule lists, not a boosted ensemble",
            "leave it out",
        ),
        (
            ["curve", IRIS, "--forest", "2", "--by", "depth"],
            "--by depth makes one tree smaller step by step, but --forest grows several",
            "use --by size; train --plot draws the error by number of trees",
        ),
        (["stability", IRIS, "--forest", "2"], "--forest grows several trees, but stability is for one tree", "leave"),
        (["trace", IRIS, "--boost", "2"], "--boost grows several trees, but trace is for one tree", "leave it out"),
        (["prune", "one.json", "-o", "x.json"], "one.json: is a forest, expected a tree", "treecli distill"),
    ],
)
def test_what_is_for_one_tree_says_so(treecli, grown: Path, words, message, hint) -> None:  # type: ignore[no-untyped-def]
    before = sorted(grown.iterdir())
    outcome = treecli(*words)
    assert outcome.code in (2, 4)
    error, cure = outcome.err.strip().splitlines()[-2:]
    assert error == f"Error: {message}"
    assert cure.startswith("Hint: ")
    assert hint in cure
    assert sorted(grown.iterdir()) == before


def test_a_learning_curve_of_a_forest(treecli) -> None:  # type: ignore[no-untyped-def]
    words = ["--forest", "3", "--max-depth", "2", "--sizes", "30,90", "--repeats", "2", "-f", "json"]
    outcome = treecli("curve", IRIS, *words)
    assert outcome.code == 0, outcome.err
    points = json.loads(outcome.out)["points"]
    assert [point["x"] for point in points] == [30, 90]
    assert all(0.8 < point["test"] <= 1 for point in points)


def test_pictures_of_ensembles(treecli, grown: Path) -> None:  # type: ignore[no-untyped-def]
    for name in ("one", "boosted"):
        outcome = treecli("plot", "importance", f"{name}.json", "-o", f"{name}.svg")
        assert outcome.code == 0, outcome.err
        assert "petal" in (grown / f"{name}.svg").read_text()
    words = ["--model", "one.json", "--x", "petalwidth", "--y", "petallength", "-o", "b.svg"]
    assert treecli("plot", "boundary", IRIS, *words).code == 0


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (
            ["train", IRIS, "--forest", "2", "--tune", IRIS],
            ["Error: --tune is for one tree, not for --forest", "Hint: leave it out"],
        ),
        (
            ["train", IRIS, "--forest", "2", "--tune-fraction", "0.3"],
            [
                "Error: --tune-fraction and --tune-fold are for pruning, but the trees of a forest are not pruned",
                "Hint: leave them out",
            ],
        ),
        (
            ["train", SAMPLES / "cpu.csv", "--forest", "2", "--votes", "majority", "-q"],
            [
                "Error: --votes majority is for a nominal target, but 'performance' is numeric",
                "Hint: leave it out",
            ],
        ),
        (
            ["train", IRIS, "--forest", "2", "--search", "lookahead:1", "-q"],
            [
                "Error: --search lookahead:1 and --features exclude each other",
                "Hint: leave one of them out; for a forest say --features all",
            ],
        ),
        (
            ["train", SAMPLES / "cpu.csv", "--forest", "2", "--like", "m5p", "-q"],
            [
                "Error: --forest: the leaves of the trees have no models",
                "Hint: leave out --leaf-model, --smooth and --like m5p",
            ],
        ),
    ],
)
def test_options_for_one_tree_are_refused_with_what_to_do(treecli, words: list, lines: list[str]) -> None:  # type: ignore[no-untyped-def, type-arg]
    outcome = treecli(*words)
    assert (outcome.code, outcome.err.splitlines()) == (2, lines)


def test_the_hint_for_a_forest_too_large_for_sql_does_not_prune_it(treecli) -> None:  # type: ignore[no-untyped-def]
    assert treecli("train", SAMPLES / "vote.arff", "--forest", "9", "-o", "m.json", "-q").code == 0
    outcome = treecli("export", "m.json", "--to", "sql")
    assert outcome.code == 2
    assert outcome.err.splitlines()[1].startswith("Hint: train fewer or smaller trees (--max-depth), or export it with")


def test_one_number_of_a_leaf_is_refused_where_there_are_many_trees(treecli) -> None:  # type: ignore[no-untyped-def]
    assert treecli("train", IRIS, "--forest", "2", "-o", "m.json", "-q").code == 0
    outcome = treecli("predict", "m.json", IRIS, "--leaf")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.splitlines() == [
        "Error: --leaf: a row reaches a leaf of every tree",
        "Hint: leave it out; --proximities tells which rows reach the same leaves",
    ]


def test_a_warning_for_each_tree_that_differs_in_a_number_is_told_once(treecli) -> None:  # type: ignore[no-untyped-def]
    outcome = treecli("train", IRIS, "--forest", "9", "--project", "jl:0.5", "-o", "m.json")
    assert outcome.code == 0
    warnings = [line for line in outcome.err.splitlines() if line.startswith("Warning")]
    assert len(warnings) == 1
    assert "which reduces nothing: the tree is grown on the attributes" in warnings[0]


def test_changes_that_cancel_each_other_move_nothing(treecli) -> None:  # type: ignore[no-untyped-def]
    data = SAMPLES / "vote.arff"
    assert treecli("train", data, "--forest", "50", "-o", "m.json", "-q").code == 0
    # physician-fee-freeze is missing in row 3: the row goes down both branches, in the proportion of the node's cases.
    lines = treecli("explain", "m.json", data, "--row", "3").out.splitlines()
    assert next(line for line in lines if line.startswith("physician-fee-freeze")).split() == [
        "physician-fee-freeze",
        "missing",
        "0",
    ]
