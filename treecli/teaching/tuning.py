"""Reduced-error pruning: the errors of leaves and subtrees on tuning data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treecli.predict.predict import arrivals
from treecli.pruners.reduced_error import ROUNDING
from treecli.teaching.prunetrace import PruneNode, PruneTrace
from treecli.teaching.prunings import KEPT, REPLACED
from treecli.tree import predicted_codes
from treecli.wording import quoted

if TYPE_CHECKING:
    from treecli.teaching.prunings import Subject


def reduced_error(subject: Subject) -> PruneTrace:
    """Return the trace of reduced-error pruning, bottom-up."""
    assert subject.tuning is not None
    tree, count = subject.model.tree, subject.digits.count
    arrived = arrivals(subject.model, subject.tuning)
    label, parent = np.array(predicted_codes(tree)), np.array(tree.parents())
    total = arrived.sum(axis=1)
    as_leaf = total - arrived[np.arange(len(label)), label]
    by_parent = total - arrived[np.arange(len(label)), label[parent]]
    # Cases whose value is missing may go no further than a node, and are judged by its label.
    staying = as_leaf - np.bincount(parent[1:], by_parent[1:], minlength=tree.n_nodes)
    errors = as_leaf.copy()
    unit = ROUNDING * float(as_leaf.max()) or 1.0
    nodes = []
    for node in subject.bottom_up():
        terms = [float(errors[child]) for child in tree.children(node)]
        if staying[node] > unit:
            terms.append(float(staying[node]))
        below, leaf = float(staying[node]) + float(sum(errors[list(tree.children(node))])), float(as_leaf[node])
        is_replaced = round((below - leaf) / unit) >= 0
        size, labels = count(float(total[node])), subject.model.schema.target.labels
        cases = ", ".join(
            f"{quoted(own)} {count(float(n))}" for own, n in zip(labels, arrived[node], strict=True) if n > 0
        )
        heading = f"{subject.heading(node)} — tuning cases: {cases or 'none'}"
        shown = " + ".join(map(count, terms))
        line = (
            f"subtree errs on {shown} = {count(below)} of {size}; "
            f"a leaf {subject.labels[node]} on {count(leaf)} of {size}   ⇒ {REPLACED if is_replaced else KEPT}"
        )
        errors[node] = leaf if is_replaced else below
        nodes.append(PruneNode(node, heading, (line,), below, leaf, tuple(terms), is_replaced))
    grown, tuned = subject.names
    title = f"Reduced-error pruning, bottom-up: grown from {grown}, tuned on {tuned}"
    return PruneTrace("reduced-error", (title,), tuple(nodes), is_dense=True)
