"""C5.0's pruning: node by node with C4.5's estimate, then as a whole within one standard error of the errors."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING

from treecli.errors import CheckError
from treecli.pruners import c50 as method
from treecli.teaching.checks import FAULT
from treecli.teaching.estimates import pessimistic
from treecli.teaching.links import reached_nodes, subtrees
from treecli.teaching.numbers import MINUS
from treecli.teaching.prunetrace import PruneNode, PruneTrace
from treecli.tree import risks
from treecli.wording import counted

if TYPE_CHECKING:
    from treecli.teaching.prunings import Subject

WITH_COSTS = "  with costs there is no global step"


def c50(subject: Subject) -> PruneTrace:
    """Return the trace of both steps; raise an error if the tree is not that of the method."""
    local = replace(subject, options=replace(subject.options, globally=False))
    found = pessimistic(local)
    tree = method.prune(subject.model, local.options, subject.tuning)
    title, nodes = found.title, found.nodes
    is_whole = subject.options.globally
    if is_whole and tree.costs is not None:
        title = (*title, WITH_COSTS)
    elif is_whole:
        left = replace(subject, model=replace(subject.model, tree=tree))
        cut, is_leaf = _weakest_cut(left)
        tree = tree.collapsed(is_leaf.__getitem__)
        nodes = (*nodes, *cut)
    learned = method.prune(subject.model, subject.options, subject.tuning)
    if list(tree.attribute) != list(learned.attribute) or list(tree.first_child) != list(learned.first_child):
        raise CheckError(
            f"--prune c50: the trace gives a tree of {tree.n_leaves} leaves, the method one of {learned.n_leaves}",
            FAULT,
        )
    return PruneTrace("c50", title, nodes, is_checked=True)


def _weakest_cut(subject: Subject) -> tuple[list[PruneNode], list[bool]]:
    """Return the subtrees that are cut as a whole, in order, and whether each node is a leaf at the end.

    Nodes have the numbers of the tree that the local step has left.
    """
    tree, digits = subject.model.tree, subject.digits
    as_leaf = risks(tree, is_classification=True)
    is_leaf = [tree.is_leaf(node) for node in range(tree.n_nodes)]
    n_cases = subject.model.node(0).weight
    errors, leaves = subtrees(subject, as_leaf, is_leaf)
    most = sqrt(max(errors[0] * (1 - errors[0] / n_cases), 0.0)) if n_cases else 0.0
    wrong, size = digits.count(errors[0]), digits.count(n_cases)
    tree_left = f"the tree of {counted(leaves[0], 'leaf', 'leaves')} that is left"
    line = (
        f"{tree_left} has {wrong} of {size} training cases wrong; one standard error: "
        f"√({wrong}·(1 {MINUS} {wrong}/{size})) = {digits.text(most)} errors"
    )
    nodes = [PruneNode(0, "All of it", (line,), errors[0], most, (), is_replaced=False)]
    while True:
        errors, leaves = subtrees(subject, as_leaf, is_leaf)
        inner = [node for node in reached_nodes(subject, is_leaf) if not is_leaf[node]]
        if not inner:
            return nodes, is_leaf
        price = {node: (as_leaf[node] - errors[node]) / max(leaves[node] - 1, 1) for node in inner}
        least = min(price.values())
        cheapest = _uppermost(subject, [node for node in inner if price[node] <= least + method.ROUNDING])
        extra = sum(as_leaf[node] - errors[node] for node in cheapest)
        is_cut = extra <= most + method.ROUNDING
        more, allowed = digits.text(extra), digits.text(most)
        for node in cheapest:
            lines = [
                f"({digits.count(as_leaf[node])} {MINUS} {digits.count(errors[node])}) / ({leaves[node]} {MINUS} 1) = "
                f"{digits.text(price[node])} errors saved by each leaf, the fewest"
            ]
            if node == cheapest[-1]:
                end = "replaced by a leaf" if len(cheapest) == 1 else "these are replaced by leaves"
                sign, end = ("≤", end) if is_cut else (">", "kept, and with it all that save more")
                lines.append(f"⇒ {more} more errors {sign} {allowed}: {end}")
            heading = f"{subject.heading(node)} — in the tree that is left"
            nodes.append(PruneNode(node, heading, tuple(lines), errors[node], as_leaf[node], (price[node],), is_cut))
        if not is_cut:
            return nodes, is_leaf
        most -= extra
        for node in cheapest:
            is_leaf[node] = True


def _uppermost(subject: Subject, nodes: list[int]) -> list[int]:
    """Return the nodes that are below none of the others."""
    parents, found = subject.model.tree.parents(), []
    for node in nodes:
        above = node
        while above and parents[above] not in nodes:
            above = parents[above]
        if not above:
            found.append(node)
    return found
