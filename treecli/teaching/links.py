"""Cost-complexity pruning: the weakest links, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.errors import UsageError
from treecli.pruners import cost_complexity as method
from treecli.pruners._path import path_of
from treecli.teaching.checks import disagree
from treecli.teaching.classweights import is_judged
from treecli.teaching.numbers import MINUS
from treecli.teaching.prunetrace import PruneNode, PruneTrace
from treecli.teaching.validation import lines, validated
from treecli.tree import risks

if TYPE_CHECKING:
    from treecli.teaching.prunings import Subject

EQUAL = 1e-12
"""Alphas with a smaller relative difference are equal."""


def cost_complexity(subject: Subject) -> PruneTrace:
    """Return the trace of cost-complexity pruning: g(t) of all inner nodes, until the price per leaf is reached."""
    model = subject.model
    if model.settings.stopping.cp is not None:
        raise UsageError("--prune cost-complexity: the rule of rpart's cp is not traced", "leave out --like rpart")
    tree, digits = model.tree, subject.digits
    weight = model.node(0).weight
    risk = [own / weight for own in risks(tree, is_classification=True)]
    path = path_of(model)
    n_leaves = method.prune(model, subject.options, subject.tuning).n_leaves
    is_leaf = [tree.is_leaf(node) for node in range(tree.n_nodes)]
    nodes: list[PruneNode] = []
    stage = 0
    while path.n_leaves[stage] > n_leaves:
        stage += 1
        below, leaves = subtrees(subject, risk, is_leaf)
        reached = [node for node in reached_nodes(subject, is_leaf) if not is_leaf[node]]
        g = {node: (risk[node] - below[node]) / (leaves[node] - 1) for node in reached}
        alpha = min(g.values())
        disagree(reached[0], f"stage {stage}", "alpha", alpha, path.alpha[stage])
        weakest = [node for node in reached if g[node] - alpha <= EQUAL * max(1.0, risk[0])]
        for node in reached:
            line = (
                f"g = ({digits.text(risk[node])} {MINUS} {digits.text(below[node])}) / ({leaves[node]} {MINUS} 1) = "
                f"{digits.text(g[node])}"
            )
            line += "   ⇒ weakest link: replaced by a leaf" if node in weakest else ""
            heading = f"Stage {stage}, {subject.heading(node).replace('Node', 'node', 1)}"
            terms = (risk[node], below[node], float(leaves[node]))
            found = PruneNode(node, heading, (line,), below[node], risk[node], tuple(terms), node in weakest)
            nodes.append(found)
        for node in weakest:
            is_leaf[node] = True
    unit = "expected costs" if is_judged(model.settings) else "errors"
    title = (
        f"Cost-complexity pruning: g(t) = (R(t) {MINUS} R(T_t)) / (leaves {MINUS} 1), R in {unit} per case; "
        "the weakest link goes first",
        f"  {path.n_leaves[0]} leaves at first, {n_leaves} at the end: {_chosen_by(subject)}",
    )
    if not subject.options.uses_data:
        return PruneTrace("cost-complexity", title, tuple(nodes), is_dense=True)
    validation = validated(subject, path)
    with_errors = (*title, *lines(validation, path, n_leaves, subject))
    return PruneTrace("cost-complexity", with_errors, tuple(nodes), is_dense=True, validation=validation)


def _chosen_by(subject: Subject) -> str:
    options = subject.options
    if options.uses_data:
        return "chosen by cross-validation"
    names = {"--alpha": options.alpha, "--cp": options.cp, "--leaves": options.leaves}
    return next(f"{name} {value:g}" for name, value in names.items() if value is not None)


def reached_nodes(subject: Subject, is_leaf: list[bool]) -> list[int]:
    """Return the nodes of the tree that is left, parents before children."""
    found = [0]
    for node in found:  # grows by the children
        if not is_leaf[node]:
            found.extend(subject.model.tree.children(node))
    return found


def subtrees(subject: Subject, risk: list[float], is_leaf: list[bool]) -> tuple[list[float], list[int]]:
    """Return the risk and the number of leaves below every node."""
    tree = subject.model.tree
    below, leaves = list(risk), [1] * tree.n_nodes
    for node in reversed(range(tree.n_nodes)):
        if not is_leaf[node]:
            below[node] = sum(below[child] for child in tree.children(node))
            leaves[node] = sum(leaves[child] for child in tree.children(node))
    return below, leaves
