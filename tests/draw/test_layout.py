from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecli.draw.layout import positions

GAP = 2.0


@pytest.mark.parametrize(
    ("parents", "expected"),
    [
        ([-1], [5]),
        ([-1, 0], [5, 5]),
        # Two children 10 wide and 2 apart, their parent between them.
        ([-1, 0, 0], [11, 5, 17]),
        ([-1, 0, 0, 0], [17, 5, 17, 29]),
        # The left child's own two children need no more room than it has beside the leaf on its right.
        ([-1, 0, 0, 1, 1], [17, 11, 23, 5, 17]),
        # Two families of two: their inner children are 12 apart, so the parents are 24.
        ([-1, 0, 0, 1, 1, 2, 2], [23, 11, 35, 5, 17, 29, 41]),
        # A child between two families of two moves to the middle, though it touches neither.
        ([-1, 0, 0, 0, 1, 1, 3, 3], [23, 11, 23, 35, 5, 17, 29, 41]),
    ],
)
def test_small_trees_stand_as_worked_out_by_hand(parents: list[int], expected: list[float]) -> None:
    assert positions(parents, [10.0] * len(parents), GAP) == expected


def test_a_broad_node_keeps_its_neighbours_away() -> None:
    # 10 / 2 + 2 + 30 / 2 = 22 between the middles.
    assert positions([-1, 0, 0], [10.0, 10.0, 30.0], GAP) == [16, 5, 27]


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[int], list[float]]:
    n = draw(st.integers(1, 40))
    parents = [-1] + [
        draw(st.integers(max(0, node - draw(st.sampled_from((2, 40)))), node - 1)) for node in range(1, n)
    ]
    return parents, draw(st.lists(st.floats(1, 50), min_size=n, max_size=n))


@given(trees())
def test_neighbours_never_overlap_and_parents_stand_over_the_middle(tree: tuple[list[int], list[float]]) -> None:
    parents, breadths = tree
    places = positions(parents, breadths, GAP)
    children: dict[int, list[int]] = {node: [] for node in range(len(parents))}
    for node, parent in enumerate(parents[1:], start=1):
        children[parent].append(node)
    level = [0]
    while level:
        for left, right in pairwise(level):
            assert places[right] - places[left] >= (breadths[left] + breadths[right]) / 2 + GAP - 1e-6
        for node in level:
            if children[node]:
                assert places[node] == pytest.approx((places[children[node][0]] + places[children[node][-1]]) / 2)
        level = [child for node in level for child in children[node]]
    assert min(place - breadth / 2 for place, breadth in zip(places, breadths, strict=True)) == pytest.approx(0)


def test_a_chain_of_100000_nodes_is_laid_out() -> None:
    n = 100_001
    parents = [-1] + [node - 1 if node % 2 else node - 2 for node in range(1, n)]
    assert len(positions(parents, [1.0] * n, GAP)) == n
