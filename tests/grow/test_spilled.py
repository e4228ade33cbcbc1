"""Nodes in files become the nodes that they would be in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from treecli.grow.nodes import EVEN, RAGGED, Graft, Joined, Nodes, as_tree, assembled
from treecli.grow.spilled import SpilledNodes
from treecli.outcomes.rows import MANY_CLASSES

N_LEAVES = 5


def levels_and_grafts(n_classes: int, *, is_rich: bool) -> tuple[list[Nodes], list[Graft]]:
    """A root of five children, three of which are replaced by subtrees of three nodes; `is_rich`: in all fields."""
    random = np.random.default_rng(1)

    def leaves(n: int) -> Nodes:
        return Nodes.leaves(random.integers(0, 3, (n, n_classes)).astype(float))

    def split(nodes: Nodes, node: int, first_child: int, n_branches: int) -> None:
        nodes.kind[node], nodes.attribute[node], nodes.number[node] = 0, node, 0.5 + node
        nodes.first_child[node], nodes.n_branches[node], nodes.missing_to[node] = first_child, n_branches, 0
        if is_rich:
            nodes.decrease[node], nodes.information[node], nodes.cost[node] = 0.25, 0.75, 0.125
            nodes.score[node], nodes.first[node] = 0.5, 1
            for name in RAGGED:
                entries = getattr(nodes, name)
                getattr(nodes, f"{name}_start")[node], getattr(nodes, f"{name}_size")[node] = len(entries), 3
                setattr(nodes, name, np.append(entries, [7, 8, node]).astype(entries.dtype))
            nodes.note(node, "printed", float(first_child))

    root, children = leaves(1), leaves(N_LEAVES)
    split(root, 0, 1, N_LEAVES)
    grafts = []
    for leaf in (2, 5, 1):
        subtree = leaves(3)
        split(subtree, 0, 1, 2)
        grafts.append(Graft(np.array([leaf]), subtree))
    return [root, children], grafts


def test_minus_zero_is_kept_where_all_other_values_are_zero(tmp_path: Path) -> None:
    for whole in (Joined(), SpilledNodes(tmp_path, lambda *_: None)):
        nodes = Nodes.leaves(np.ones((2, 2)))
        nodes.score[1] = -0.0
        found = assembled([nodes], [], whole)
        assert np.signbit(found.score).tolist() == [False, True]
        assert found.cost.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("is_rich", [False, True], ids=["usual values", "all fields"])
@pytest.mark.parametrize("n_classes", [3, MANY_CLASSES + 1])
def test_nodes_in_files_give_the_tree_of_nodes_in_memory(tmp_path: Path, n_classes: int, is_rich: bool) -> None:
    told: list[tuple[int, int]] = []
    spilled = SpilledNodes(tmp_path, lambda *sizes: told.append(sizes))
    found = assembled(*levels_and_grafts(n_classes, is_rich=is_rich), spilled)
    expected = assembled(*levels_and_grafts(n_classes, is_rich=is_rich), Joined())
    for name in (*EVEN, *RAGGED):
        own, other = getattr(found, name), getattr(expected, name)
        if name not in [f"{ragged}_start" for ragged in RAGGED]:  # of nodes without entries these mean nothing
            assert own.tobytes() == other.tobytes(), name
    assert found.notes == expected.notes
    assert as_tree(found, is_consumed=True) == as_tree(expected)
    assert list(tmp_path.iterdir()) == []
    # The root, its children, and three nodes for each of three leaves.
    assert [n for n, _ in told] == [1, 6, 9, 12, 15]
    assert sorted(told) == told


def test_files_of_an_interrupted_growth_are_written_anew(tmp_path: Path) -> None:
    for name in ("number", "outcomes", "table"):
        (tmp_path / f"{name}.nodes").write_bytes(b"left over")
    spilled = SpilledNodes(tmp_path, lambda *_: None)
    found = assembled(*levels_and_grafts(3, is_rich=True), spilled)
    expected = assembled(*levels_and_grafts(3, is_rich=True))
    assert as_tree(found) == as_tree(expected)
