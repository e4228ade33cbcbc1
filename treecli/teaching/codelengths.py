"""MDL pruning in bits, and minimum-error pruning by the m-estimate."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

from treecli.outcomes.rows import total
from treecli.pruners import mdl as bits
from treecli.pruners import min_error as rates
from treecli.teaching.numbers import MINUS
from treecli.teaching.prunetrace import PruneNode, PruneTrace
from treecli.teaching.prunings import decision
from treecli.tree import predicted_codes

if TYPE_CHECKING:
    from treecli.teaching.prunings import Subject


def mdl(subject: Subject) -> PruneTrace:
    """Return the trace of MDL pruning."""
    tree, schema, digits = subject.model.tree, subject.model.schema, subject.digits
    classes = [bits.class_bits(tree.outcomes_of(node)) for node in range(tree.n_nodes)]
    best = [bits.NODE_BITS + own for own in classes]
    nodes = []
    for node in subject.bottom_up():
        split = tree.split(node)
        of_attribute = log2(len(schema.columns))
        of_split = bits.split_bits(split, schema.columns[split.attribute], total(tree.outcomes_of(node)))
        terms = [bits.NODE_BITS, of_attribute, of_split, *(best[child] for child in tree.children(node))]
        subtree, leaf = sum(terms), bits.NODE_BITS + classes[node]
        is_replaced = leaf <= subtree + bits.ROUNDING
        below = " + ".join(digits.text(best[child]) for child in tree.children(node))
        counts = ", ".join(digits.count(own) for own in tree.outcomes_of(node))
        sign = "≤" if is_replaced else ">"
        lines = (
            f"leaf:    1 + C({counts}) = 1 + {digits.text(classes[node])} = {digits.text(leaf)} bits",
            f"subtree: 1 + log2({len(schema.columns)}) for the attribute + {digits.text(of_split)} for the split + "
            f"{below} = {digits.text(subtree)} bits",
            f"⇒ {digits.text(leaf)} {sign} {digits.text(subtree)}: "
            f"{decision(node, is_replaced=is_replaced, subject=subject)}",
        )
        best[node] = min(leaf, subtree)
        heading = subject.as_leaf(node)
        nodes.append(PruneNode(node, heading, lines, subtree, leaf, tuple(terms), is_replaced))
    k = len(schema.target.labels)
    title = (
        "MDL pruning (Mehta, Rissanen and Agrawal 1995): the shortest description of tree and classes",
        f"  C(n1{', ' if k == 2 else ', …, '}n{k}) = Σ ni·log2(n/ni) + {k - 1}/2·log2(n/2) + "
        f"log2(π^({k}/2)/Γ({k}/2)), at least 0; 1 bit for leaf or not",
    )
    return PruneTrace("mdl", title, tuple(nodes))


def min_error(subject: Subject) -> PruneTrace:
    """Return the trace of minimum-error pruning."""
    tree, digits, m = subject.model.tree, subject.digits, subject.options.m
    weight, label = tree.weights(is_classification=True), predicted_codes(tree)
    whole = weight[0]
    share = [count / whole if whole else 0.0 for count in tree.outcomes_of(0)]
    right = [tree.outcomes_of(node)[label[node]] for node in range(tree.n_nodes)]
    expected = [rates.static_error(right[i], weight[i], share[label[i]], m) for i in range(tree.n_nodes)]
    nodes = []
    for node in subject.bottom_up():
        children = list(tree.children(node))
        below, leaf = sum(weight[child] for child in children), expected[node]
        terms = [weight[child] * expected[child] / below for child in children]
        subtree = sum(terms)
        is_replaced = leaf <= subtree + rates.ROUNDING
        n, size, prior = digits.count(right[node]), digits.count(weight[node]), digits.text(share[label[node]])
        shown = " + ".join(
            f"{digits.count(weight[child])}/{digits.count(below)}·{digits.text(expected[child])}" for child in children
        )
        sign = "≤" if is_replaced else ">"
        lines = (
            f"leaf:    1 {MINUS} ({n} + {m:g}·{prior}) / ({size} + {m:g}) = {digits.text(leaf)}",
            f"subtree: {shown} = {digits.text(subtree)}",
            f"⇒ {digits.text(leaf)} {sign} {digits.text(subtree)}: "
            f"{decision(node, is_replaced=is_replaced, subject=subject)}",
        )
        expected[node] = min(leaf, subtree)
        heading = subject.as_leaf(node)
        nodes.append(PruneNode(node, heading, lines, subtree, leaf, tuple(terms), is_replaced))
    title = (
        f"Minimum-error pruning: 1 {MINUS} (nc + m·pc) / (n + m) with m = {m:g}; pc is the label's share of all cases"
    )
    return PruneTrace("min-error", (title,), tuple(nodes))
