"""Trace how a tree is pruned: the comparison at every inner node, checked against the pruning method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from treecli.errors import CheckError, UsageError
from treecli.pruners import pruner
from treecli.teaching.checks import FAULT
from treecli.teaching.naming import ALL_CASES
from treecli.teaching.numbers import Digits
from treecli.teaching.prunetrace import PruneTrace
from treecli.tree import predicted_codes
from treecli.wording import quoted

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import TreeModel

REPLACED, KEPT = "replaced by a leaf", "kept"


@dataclass(frozen=True, slots=True)
class Subject:
    """The tree to be pruned, the options of the method, and the tuning data if there are any."""

    model: TreeModel
    options: Any
    digits: Digits
    tuning: Dataset | None = None
    names: tuple[str, str] = ("", "")
    """The names of the data that the tree is grown from, and of the tuning data."""
    method: str = "pessimistic"

    @property
    def labels(self) -> list[str]:
        """The label that each node predicts as a leaf."""
        target = self.model.schema.target
        return [quoted(target.labels[code]) for code in predicted_codes(self.model.tree)]

    def bottom_up(self) -> list[int]:
        """The inner nodes, children first."""
        return [node for node in reversed(range(self.model.tree.n_nodes)) if not self.model.tree.is_leaf(node)]

    def heading(self, node: int) -> str:
        """A node's number and the last condition on its path."""
        tree, schema = self.model.tree, self.model.schema
        parent = tree.parents()[node]
        if node == 0:
            return f"Node 0: {ALL_CASES}"
        split = tree.split(parent)
        branch = node - tree.first_child[parent]
        condition = self.model.node(parent).condition(branch)
        return f"Node {node}: {condition.wording(schema.columns[split.attribute])}"

    def as_leaf(self, node: int) -> str:
        """A node with its cases, and what it would be as a leaf."""
        own = self.model.node(node)
        count = self.digits.count
        leaf = f"as a leaf {self.labels[node]} with {count(own.errors)} wrong"
        return f"{self.heading(node)} — {count(own.weight)} cases, {leaf}"

    def size(self, node: int) -> str:
        """A leaf's cases and errors, as a tree shows them."""
        own = self.model.node(node)
        errors = f"/{self.digits.count(own.errors)}" if own.errors > 0 else ""
        return f"({self.digits.count(own.weight)}{errors})"

    def rounded(self, number: float) -> float:
        """The number that the next step starts from."""
        return float(self.digits.rounded(number)) if self.digits.at_steps else number


Tracer = Callable[[Subject], PruneTrace]


def pruned(method: str, subject: Subject) -> PruneTrace:
    """Return the trace of a pruning method; raise an error if it does not prune what the method prunes."""
    is_of_numbers = getattr(pruner(method), "NUMERIC_ONLY", False)
    if not subject.model.schema.is_classification and not is_of_numbers:
        target = subject.model.schema.target.name
        raise UsageError(f"--prune {method}: the arithmetic is traced for classes, but '{target}' is numeric")
    found = _tracers()[method](replace(subject, method=method))
    if found.is_checked:
        return found
    leaves = {node.id for node in found.nodes if node.is_replaced}
    own = subject.model.tree.collapsed(leaves.__contains__)
    tree = pruner(method).prune(subject.model, subject.options, subject.tuning)
    if list(own.attribute) != list(tree.attribute) or list(own.first_child) != list(tree.first_child):
        raise CheckError(
            f"--prune {method}: the trace gives a tree of {own.n_leaves} leaves, the method one of {tree.n_leaves}",
            FAULT,
        )
    return found


def check(method: str, options: Any) -> None:
    """Raise a UsageError for methods and options whose arithmetic is not traced."""
    if method not in _tracers():
        raise UsageError(f"--prune {method}: its arithmetic is not traced", f"use {', '.join(_tracers())} or none")
    for name in ("greedy", "by_impurity"):
        if getattr(options, name, False):
            raise UsageError(f"--{name.replace('_', '-')}: its arithmetic is not traced", "leave it out")


def _tracers() -> dict[str, Tracer]:
    from treecli.teaching import codelengths, estimates, globalpruning, links, modelpruning, tuning

    return {
        "reduced-error": tuning.reduced_error,
        "pessimistic": estimates.pessimistic,
        "c50": globalpruning.c50,
        "cost-complexity": links.cost_complexity,
        "m5": modelpruning.m5,
        "mdl": codelengths.mdl,
        "min-error": codelengths.min_error,
    }


def decision(node: int, *, is_replaced: bool, subject: Subject) -> str:
    """Return what happens to a node, with the leaf that replaces it."""
    return f"{REPLACED} {subject.labels[node]} {subject.size(node)}" if is_replaced else KEPT
