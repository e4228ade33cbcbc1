"""Positions of tree nodes in a picture: compact, with parents centred over their children.

The algorithm of Reingold and Tilford (1981) in the linear-time form of Buchheim, Jünger and Leipert (2002), for nodes
of any breadth, without recursion.
"""

from __future__ import annotations

from collections.abc import Sequence

NONE = -1


class _Forest:
    """Links and sums shared by the tree walks; positions are relative to the parent until the end."""

    def __init__(self, parents: Sequence[int], breadths: Sequence[float], gap: float) -> None:
        n = len(parents)
        self.parents, self.breadths, self.gap = parents, breadths, gap
        self.children: list[list[int]] = [[] for _ in range(n)]
        self.rank = [0] * n
        for node in range(1, n):
            siblings = self.children[parents[node]]
            self.rank[node] = len(siblings)
            siblings.append(node)
        self.place = [0.0] * n  # relative to the siblings
        self.offset = [0.0] * n  # of all descendants
        self.shift = [0.0] * n  # of this node, distributed over the siblings before it
        self.change = [0.0] * n
        self.thread = [NONE] * n  # from the end of a contour to its continuation in another subtree
        self.ancestor = list(range(n))
        self.default = [NONE] * n  # per node: the child that represents subtrees too far left to matter

    def distance(self, left: int, right: int) -> float:
        """Return the minimum distance between the centres of two neighbours."""
        return (self.breadths[left] + self.breadths[right]) / 2 + self.gap

    def inner_left(self, node: int) -> int:
        """Return the next node down the left contour, or NONE."""
        return self.children[node][0] if self.children[node] else self.thread[node]

    def inner_right(self, node: int) -> int:
        return self.children[node][-1] if self.children[node] else self.thread[node]

    def set_beside(self, node: int) -> None:
        """Place a node whose children are placed, right of its left sibling and clear of all subtrees there."""
        siblings = self.children[self.parents[node]] if node else [node]
        left = siblings[self.rank[node] - 1] if self.rank[node] else NONE
        own = self.children[node]
        middle = 0.0
        if own:
            self.spread(node)
            middle = (self.place[own[0]] + self.place[own[-1]]) / 2
        if left == NONE:
            self.place[node] = middle
        else:
            self.place[node] = self.place[left] + self.distance(left, node)
            self.offset[node] = self.place[node] - middle
            self.part(node, left)

    def spread(self, node: int) -> None:
        """Apply the deferred shifts, from right to left."""
        shift = change = 0.0
        for child in reversed(self.children[node]):
            self.place[child] += shift
            self.offset[child] += shift
            change += self.change[child]
            shift += self.shift[child] + change

    def part(self, node: int, left: int) -> None:
        """Move a subtree right until it is clear of those on its left, walking down the contours between them."""
        parent = self.parents[node]
        siblings = self.children[parent]
        default = self.default[parent] if self.default[parent] != NONE else siblings[0]
        right_in = right_out = node
        left_in, left_out = left, siblings[0]
        sum_right_in = sum_right_out = self.offset[node]
        sum_left_in, sum_left_out = self.offset[left_in], self.offset[left_out]
        while (next_left := self.inner_right(left_in)) != NONE and (next_right := self.inner_left(right_in)) != NONE:
            left_in, right_in = next_left, next_right
            left_out, right_out = self.inner_left(left_out), self.inner_right(right_out)
            self.ancestor[right_out] = node
            overlap = (
                self.place[left_in]
                + sum_left_in
                - self.place[right_in]
                - sum_right_in
                + self.distance(left_in, right_in)
            )
            if overlap > 0:
                found = self.ancestor[left_in]
                self.move(found if self.parents[found] == parent else default, node, overlap)
                sum_right_in += overlap
                sum_right_out += overlap
            sum_left_in += self.offset[left_in]
            sum_right_in += self.offset[right_in]
            sum_left_out += self.offset[left_out]
            sum_right_out += self.offset[right_out]
        if self.inner_right(left_in) != NONE and self.inner_right(right_out) == NONE:
            self.thread[right_out] = self.inner_right(left_in)
            self.offset[right_out] += sum_left_in - sum_right_out
        if self.inner_left(right_in) != NONE and self.inner_left(left_out) == NONE:
            self.thread[left_out] = self.inner_left(right_in)
            self.offset[left_out] += sum_right_in - sum_left_out
            default = node
        self.default[parent] = default

    def move(self, left: int, node: int, distance: float) -> None:
        """Move a subtree and record that the subtrees between it and `left` share the shift."""
        share = distance / (self.rank[node] - self.rank[left])
        self.change[left] += share
        self.change[node] -= share
        self.shift[node] += distance
        self.place[node] += distance
        self.offset[node] += distance


def positions(parents: Sequence[int], breadths: Sequence[float], gap: float) -> list[float]:
    """Return the centre of every node across the tree; the leftmost edge is 0, and neighbours are at least `gap` apart.

    Parents must precede their children, and siblings must be ordered from left to right. The root is first; its parent
    is -1.
    """
    forest = _Forest(parents, breadths, gap)
    for node in reversed(_right_first(forest.children)):
        forest.set_beside(node)
    found = list(forest.place)
    offset = forest.offset
    for node in range(1, len(parents)):
        found[node] += offset[parents[node]]
        offset[node] += offset[parents[node]]
    edge = min(middle - breadth / 2 for middle, breadth in zip(found, breadths, strict=True))
    return [middle - edge for middle in found]


def _right_first(children: list[list[int]]) -> list[int]:
    """Return all nodes, parents before descendants and right siblings before left ones."""
    order, pending = [], [0]
    while pending:
        node = pending.pop()
        order.append(node)
        pending.extend(children[node])
    return order
