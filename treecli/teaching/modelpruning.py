"""M5's pruning: the estimated error of a node's linear model against that of its subtree."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from treecli.pruners import m5 as method
from treecli.teaching.numbers import MINUS
from treecli.teaching.prunetrace import PruneNode, PruneTrace
from treecli.tree import DEVIANCE, WEIGHT

if TYPE_CHECKING:
    from treecli.teaching.prunings import Subject

RULE = f"(n + {method.PENALTY:g}v)/(n {MINUS} v)"


def m5(subject: Subject) -> PruneTrace:
    """Return the trace of M5's pruning, children first."""
    method.check(subject.model)
    tree, digits = subject.model.tree, subject.digits
    count, text, rounded = digits.count, digits.text, subject.rounded
    weight = [tree.outcomes_of(node)[WEIGHT] for node in range(tree.n_nodes)]
    overall = sqrt(tree.outcomes_of(0)[DEVIANCE] / weight[0]) if weight[0] else 0.0
    error, size = [0.0] * tree.n_nodes, [1.0] * tree.n_nodes
    shown = list(error)  # what the next step starts from
    nodes: list[PruneNode] = []
    for node in reversed(range(tree.n_nodes)):
        own, n_own = method.own_error(tree, node)
        n, children = weight[node], list(tree.children(node))
        if not children or n <= 0:
            error[node], shown[node], size[node] = own, rounded(own), n_own
            continue
        below = sqrt(sum(weight[child] * error[child] ** 2 for child in children) / n)
        below_shown = rounded(sqrt(sum(weight[child] * shown[child] ** 2 for child in children) / n))
        n_below = 1 + sum(size[child] for child in children)
        leaf, subtree = own * method.factor(n, n_own), below * method.factor(n, n_below)
        leaf_shown = rounded(rounded(own) * method.factor(n, n_own))
        subtree_shown = rounded(below_shown * method.factor(n, n_below))
        is_negligible = leaf < method.NEGLIGIBLE * overall
        is_replaced = leaf <= subtree or is_negligible
        terms = " + ".join(f"{count(weight[child])}·{text(shown[child])}²" for child in children)
        sizes = " + ".join(count(size[child]) for child in children)
        sign = "≤" if leaf <= subtree else ">"
        end = "replaced by its model" if is_replaced else "kept"
        if is_negligible and leaf > subtree:
            end += f", because {text(leaf_shown)} is next to nothing beside {text(overall)}, the deviation of all cases"
        lines = (
            f"model:   error {text(rounded(own))} with v = {count(n_own)}: {text(rounded(own))}·{_factor(n, n_own)} = "
            f"{text(leaf_shown)}",
            f"subtree: error √(({terms}) / {count(n)}) = {text(below_shown)} with v = 1 + {sizes} = {count(n_below)}: "
            f"{text(below_shown)}·{_factor(n, n_below)} = {text(subtree_shown)}",
            f"⇒ {text(leaf_shown)} {sign} {text(subtree_shown)}: {end}",
        )
        heading = f"{subject.heading(node)} — {count(n)} cases"
        nodes.append(PruneNode(node, heading, lines, subtree, leaf, (own, below), is_replaced))
        if is_replaced:
            error[node], shown[node], size[node] = own, rounded(own), n_own
        else:
            error[node], shown[node], size[node] = below, below_shown, n_below
    title = (
        "M5's pruning: an error is the root of the mean squared error on the training cases",
        f"  times {RULE}, for n cases and v parameters: the constant and the terms of a model, and one of each split; "
        f"times {method.FACTOR_OF_FEW:g} where n ≤ v",
    )
    return PruneTrace("m5", title, tuple(nodes))


def _factor(n: float, n_parameters: float) -> str:
    """Return the factor of an error with its numbers."""
    if n <= n_parameters:
        return f"{method.FACTOR_OF_FEW:g}"
    size, penalty = f"{n:g}", f"{method.PENALTY:g}·{n_parameters:g}"
    return f"({size} + {penalty})/({size} {MINUS} {n_parameters:g})"
