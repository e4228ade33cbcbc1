"""Traces of trees with random choices at their nodes."""

from __future__ import annotations

from pathlib import Path

from tests.commands.tracing import data_of, traced
from tests.conftest import Runner

ROOT = Path(__file__).parents[2]

PLAYTENNIS, IRIS = (str(ROOT / "sample_data" / f"{name}.csv") for name in ("playtennis", "iris"))


def test_attributes_that_are_not_drawn_are_named(treecli: Runner) -> None:
    out = traced(treecli, PLAYTENNIS, "--features", "2", "--seed", "3", "--depth", "0")
    assert out.startswith("at each node, 2 of 4 attributes are drawn by the seed 3; more where none of them has two")
    assert "  Humidity: not drawn at this node\n\n  Wind: not drawn at this node\n" in out
    # Only the gains of the two that are drawn count in the average: (0.2467 + 0.0292) / 2.
    assert "Average gain = (0.247 + 0.029) / 2 = 0.138" in out


def test_every_node_draws_so_many_attributes_that_can_split_it(treecli: Runner) -> None:
    found = data_of(treecli, IRIS, "--features", "2", "--seed", "5")
    assert found["drawing"] == ["at each node, 2 of 4 attributes are drawn by the seed 5; "
                                "more where none of them has two values"]  # fmt: skip
    for node in found["nodes"]:
        if node["candidates"]:
            statuses = [own["status"] for own in node["candidates"]]
            assert statuses.count("not-drawn") == 2
            assert node["candidates"][statuses.index("chosen")]["split"] == node["chosen"]


def test_thresholds_that_are_drawn_are_told(treecli: Runner) -> None:
    out = traced(treecli, IRIS, "--threshold", "random", "--seed", "1", "--depth", "0", "--criterion", "gain")
    assert out.startswith("the threshold of an attribute is drawn between its least and its greatest value at the node")
    same = traced(treecli, IRIS, "--threshold", "random", "--seed", "1", "--depth", "0", "--criterion", "gain")
    other = traced(treecli, IRIS, "--threshold", "random", "--seed", "2", "--depth", "0", "--criterion", "gain")
    assert out == same
    assert out.splitlines()[2:] != other.splitlines()[2:]
