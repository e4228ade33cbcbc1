"""Sibling leaves that predict the same class share a branch, as in C5.0's trees."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from treecli.outcomes.counts import SparseCounts
from treecli.outcomes.rows import combined, present
from treecli.splits import NO_BRANCH
from treecli.splits.subset import Split as Groups
from treecli.tree import LEAF, Tree, predicted_codes

if TYPE_CHECKING:
    from treecli.outcomes.rows import Outcomes
    from treecli.splits import Split

BY_LABEL = "multiway"
"""The kind of split whose branches are merged."""


def with_merged_siblings(tree: Tree) -> Tree:
    """Return the tree in which the leaves of a split with a branch per label are one branch for each predicted class.

    Branches without training cases predict what their parent does. A node whose branches all agree becomes a leaf.
    Labels that are predicted do not change, except for rows that take several branches.
    """
    label = predicted_codes(tree)
    families: list[tuple[int, ...]] = [(0,)]
    groups_of_family: list[list[tuple[int, ...]]] = []
    for family in families:  # grows during the loop: a queue
        own = groups_of(tree, family[0], label) if len(family) == 1 else []
        own = own if len(own) > 1 else []
        groups_of_family.append(own)
        families.extend(own)
    found = Tree.of_leaves(tree.n_outcomes, _outcomes(tree, families))
    first = 1
    for node, (family, groups) in enumerate(zip(families, groups_of_family, strict=True)):
        if not groups:
            continue
        source = family[0]
        begin = tree.first_child[source]
        place = {child - begin: branch for branch, group in enumerate(groups) for child in group}
        missing_to = tree.missing_to[source]
        split = _split(tree, source, groups, place)
        missing_to = place[missing_to] if missing_to >= 0 else missing_to
        found.ask(node, split, first, len(groups), missing_to, tree.score[source])
        if source in tree.notes:
            found.notes[node] = tree.notes[source]
        if source in tree.surrogates:
            found.surrogates[node] = tree.surrogates[source]
        first += len(groups)
    found.settle()
    found.class_scale, found.costs = tree.class_scale, tree.costs
    return found


def groups_of(tree: Tree, node: int, label: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the children of a node, those that become one branch together; in the order of their first."""
    children = tree.children(node)
    if not children or tree.split(node).KIND != BY_LABEL or node in tree.surrogates:
        return [(child,) for child in children]
    n_known = tree.split(node).n_branches()
    groups: dict[object, list[int]] = {}
    for child in children:
        is_known = child - children.start < n_known
        key = ("class", label[child]) if tree.is_leaf(child) and is_known else ("node", child)
        groups.setdefault(key, []).append(child)
    return [tuple(group) for group in groups.values()]


def _split(tree: Tree, node: int, groups: Sequence[tuple[int, ...]], place: dict[int, int]) -> Split:
    split = tree.split(node)
    if len(groups) == tree.n_branches[node]:
        return split
    table = tuple(place.get(branch, NO_BRANCH) if branch != NO_BRANCH else NO_BRANCH for branch in split.table)
    return Groups(tree.attribute[node], table)  # type: ignore[return-value]  # the kinds are frozen


def _outcomes(tree: Tree, families: Sequence[tuple[int, ...]]) -> array[float] | SparseCounts:
    """Return the outcomes of the new nodes: those of the nodes that each is made of, together."""
    rows: list[Outcomes] = [
        tree.outcomes_of(family[0]) if len(family) == 1 else combined([tree.outcomes_of(node) for node in family], sum)
        for family in families
    ]
    if isinstance(tree.outcomes, SparseCounts):
        found = SparseCounts(tree.n_outcomes)
        for row in rows:
            found.add(present(row))
        return found
    numbers = array("d")
    for row in rows:
        numbers.extend(row)
    return numbers


def n_leaves_expanded(tree: Tree) -> int:
    """Return the number of leaves, with a leaf for each label of a merged branch."""
    found = 0
    for node in tree.inner_nodes():
        table = tree.split(node).table
        for branch, child in enumerate(tree.children(node)):
            if tree.kind[child] == LEAF:
                found += max(table.count(branch), 1)
    return max(found, 1)
