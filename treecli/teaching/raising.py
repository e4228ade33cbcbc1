"""Pessimistic pruning with subtree raising: a node may be replaced by its largest branch, with all its cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from treecli.errors import CheckError
from treecli.pruners import _errorbased as method
from treecli.pruners import pruner
from treecli.teaching.branches import branch_of_case, values_of
from treecli.teaching.checks import FAULT, disagree
from treecli.teaching.prunetrace import PruneNode
from treecli.tree import ALL_BRANCHES, LEAF
from treecli.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from treecli.teaching.prunings import Subject

    Limit = Callable[[float, float], float]
    """U(E, N)."""

NOTHING = 1e-6
"""As in the method: a share that is not larger is none, and sizes with a smaller difference are equal."""

MOST_TERMS = 8
"""The largest number of leaves of a branch whose estimates are listed."""


@dataclass(frozen=True, slots=True)
class Cases:
    """Rows with their weights at a node."""

    rows: NDArray[np.int32]
    weights: NDArray[np.float64]


@dataclass(slots=True)
class Frame:
    """A node that is visited: its cases, those of its branches, and how many of these are done."""

    node: int
    cases: Cases
    parts: list[Cases] | None = None
    n_done: int = 0
    n_raised: int = 0


@dataclass(frozen=True, slots=True)
class Compared:
    """The estimates of a node as its subtree, as a leaf and as its largest branch, and the terms of the first."""

    subtree: float
    leaf: float
    branch: float
    terms: tuple[float, ...]
    largest: int

    @property
    def is_leaf(self) -> bool:
        return _is_at_most(self.leaf, self.subtree) and _is_at_most(self.leaf, self.branch)

    @property
    def is_raised(self) -> bool:
        return not self.is_leaf and _is_at_most(self.branch, self.subtree)

    @property
    def does_branch_matter(self) -> bool:
        """Whether the decision would be another one without raising."""
        return self.is_raised or self.is_leaf != _is_at_most(self.leaf, self.subtree)


def _is_at_most(own: float, other: float) -> bool:
    return own - other - method.SLACK < method.ROUNDING


@dataclass(slots=True)
class Pruning:
    """A tree that is pruned: its nodes as they are now, by their numbers in the model."""

    subject: Subject
    limit: Limit
    test: list[int] = field(init=False)
    """The node of the model whose test a node has now; LEAF if it is a leaf."""
    children: list[Sequence[int]] = field(init=False)
    counts: list[NDArray[np.float64]] = field(init=False)
    expected: dict[int, float] = field(default_factory=dict)
    printed: dict[int, float] = field(default_factory=dict)
    """The estimate that the next step starts from."""
    used: dict[tuple[float, float], None] = field(default_factory=dict)
    """The errors and cases of all limits that are printed."""
    has_branches: bool = False
    """Whether raising matters at some node."""

    def __post_init__(self) -> None:
        tree = self.subject.model.tree
        self.test = [LEAF if tree.is_leaf(node) else node for node in range(tree.n_nodes)]
        self.children = [tuple(tree.children(node)) for node in range(tree.n_nodes)]
        self.counts = [np.array(tree.outcomes_of(node), np.float64) for node in range(tree.n_nodes)]

    def run(self) -> list[PruneNode]:
        """Prune the tree, children first; return the comparisons."""
        dataset = self.subject.tuning
        assert dataset is not None
        assert dataset.target is not None
        rows = np.flatnonzero((dataset.target >= 0) & (dataset.weights > 0)).astype(np.int32)
        stack, found, is_raised = [Frame(0, Cases(rows, dataset.weights[rows]))], [], False
        while stack:
            frame = stack[-1]
            node = frame.node
            if not self.children[node]:
                self.expected[node], self.printed[node] = self._estimate(self.counts[node])
                stack.pop()
                continue
            if frame.parts is None:
                frame.parts = self._parts(node, frame.cases)
            if frame.n_done < len(self.children[node]):
                child = self.children[node][frame.n_done]
                stack.append(Frame(child, frame.parts[frame.n_done]))
                frame.n_done += 1
                continue
            compared = self._compared(frame)
            found.append(self._told(frame, compared))
            if compared.is_raised:
                is_raised = True
                self._take(frame, compared.largest)
                continue
            if compared.is_leaf:
                self.test[node], self.children[node] = LEAF, ()
            stack.pop()
        self._check()
        # Without raising, in the order of trees that are pruned from the last node to the first.
        return found if is_raised else sorted(found, key=lambda own: -own.id)

    def _estimate(self, counts: NDArray[np.float64]) -> tuple[float, float]:
        """Return the errors expected of a leaf, as they are and as the next step starts from them."""
        weight, errors = float(counts.sum()), float(counts.sum() - counts.max())
        own, rounded = self.limit(errors, weight), self.subject.rounded
        return weight * own, rounded(weight * rounded(own))

    def _parts(self, node: int, cases: Cases) -> list[Cases]:
        """Return the cases of every branch; a case with a missing value may be in all of them, in parts."""
        tree, dataset = self.subject.model.tree, self.subject.tuning
        assert dataset is not None
        split = tree.split(self.test[node])
        branch = branch_of_case(split, values_of(dataset, split.attribute, cases.rows))
        side = tree.missing_to[self.test[node]]
        if side != ALL_BRANCHES:
            branch = np.where(branch < 0, side, branch)
        n, is_known = len(self.children[node]), branch >= 0
        known = np.bincount(branch[is_known], cases.weights[is_known], n)
        share = known / known.sum() if known.sum() > 0 else np.full(n, 1 / n)
        share[share <= NOTHING] = 0.0
        parts = []
        for place in range(n):
            is_in = (branch == place) | (~is_known if share[place] > 0 else False)
            weights = np.where(is_known, cases.weights, cases.weights * share[place])
            parts.append(Cases(cases.rows[is_in], weights[is_in]))
        return parts

    def _counted(self, cases: Cases) -> NDArray[np.float64]:
        dataset = self.subject.tuning
        assert dataset is not None
        assert dataset.target is not None
        n_classes = len(self.subject.model.schema.target.labels)
        return np.bincount(dataset.target[cases.rows], cases.weights, n_classes).astype(np.float64)

    def _below(self, node: int, cases: Cases) -> list[tuple[int, NDArray[np.float64]]]:
        """Return the nodes of a branch with the class weights that they have if these cases are sent down it."""
        found, pending = [], [(node, cases)]
        while pending:
            own, sent = pending.pop()
            found.append((own, self._counted(sent)))
            if self.children[own]:
                parts = self._parts(own, sent)
                pending += reversed(list(zip(self.children[own], parts, strict=True)))
        return found

    def _compared(self, frame: Frame) -> Compared:
        node = frame.node
        children = self.children[node]
        largest = children[0]
        for child in children:
            if self.counts[child].sum() > self.counts[largest].sum() - NOTHING:
                largest = child  # of equal branches the last
        leaves = [counts for own, counts in self._below(largest, frame.cases) if not self.children[own]]
        branch = sum(self._estimate(counts)[0] for counts in leaves)
        terms = tuple(self.printed[child] for child in children)
        subtree = sum(self.expected[child] for child in children)
        return Compared(subtree, self._estimate(self.counts[node])[0], branch, terms, largest)

    def _take(self, frame: Frame, largest: int) -> None:
        """Replace a node by its largest branch, with all its cases; the node is compared again."""
        for own, counts in self._below(largest, frame.cases):
            self.counts[own] = counts
        node = frame.node
        self.test[node], self.children[node] = self.test[largest], self.children[largest]
        frame.parts, frame.n_done, frame.n_raised = None, 0, frame.n_raised + 1

    def _told(self, frame: Frame, own: Compared) -> PruneNode:
        """Return the comparison at a node in words; the estimates of later steps follow from it."""
        subject, node, counts = self.subject, frame.node, self.counts[frame.node]
        digits = subject.digits
        terms = [
            self._term(self.counts[child]) if not self.children[child] else f"subtree {child}"
            for child in self.children[node]
        ]
        below = subject.rounded(sum(own.terms))
        leaf = self._estimate(counts)[1]
        size, errors = digits.count(float(counts.sum())), float(counts.sum() - counts.max())
        label = quoted(subject.model.schema.target.labels[subject.model.tree.label(tuple(counts.tolist()))])
        again = ", again" if frame.n_raised else ""
        limit = digits.text(self.limit(errors, float(counts.sum())))
        lines = [
            f"subtree: {' + '.join(terms)} = {' + '.join(map(digits.text, own.terms))} = {digits.text(below)} "
            "errors expected",
            f"leaf:    {self._term(counts)} = {size}·{limit} = {digits.text(leaf)} errors expected",
        ]
        if own.does_branch_matter:
            self.has_branches = True
            lines.append(self._branch_line(frame, own))
        wrong = f"/{digits.count(errors)}" if errors > 0 else ""
        if own.is_raised:
            named = subject.heading(own.largest).replace("Node", "node", 1)
            lines.append(
                f"⇒ {digits.text(own.branch)} ≤ {digits.text(below)} + {method.SLACK}: replaced by its largest branch, "
                f"{named}, and compared again"
            )
        elif own.is_leaf:
            lines.append(
                f"⇒ {digits.text(leaf)} ≤ {digits.text(below)} + {method.SLACK}: replaced by a leaf {label} "
                f"({size}{wrong})"
            )
        elif own.does_branch_matter:
            lines.append(
                f"⇒ the branch is better than a leaf, but {digits.text(own.branch)} > {digits.text(below)} + "
                f"{method.SLACK}: kept"
            )
        else:
            lines.append(f"⇒ {digits.text(leaf)} > {digits.text(below)} + {method.SLACK}: kept")
        self.expected[node], self.printed[node] = (own.leaf, leaf) if own.is_leaf else (own.subtree, below)
        heading = f"{subject.heading(node)}{again} — {size} cases, as a leaf {label} with {digits.count(errors)} wrong"
        return PruneNode(
            node, heading, tuple(lines), own.subtree, own.leaf, own.terms, own.is_leaf, own.branch, own.is_raised
        )

    def _branch_line(self, frame: Frame, own: Compared) -> str:
        leaves = [counts for below, counts in self._below(own.largest, frame.cases) if not self.children[below]]
        digits = self.subject.digits
        shown = [counts for counts in leaves if counts.sum() > 0]
        listed = " + ".join(map(self._term, shown)) if len(shown) <= MOST_TERMS else f"{len(shown)} leaves"
        size = digits.count(float(self.counts[frame.node].sum()))
        branch = digits.text(own.branch)
        return f"branch:  all {size} cases in node {own.largest}: {listed} = {branch} errors expected"

    def _term(self, counts: NDArray[np.float64]) -> str:
        count = self.subject.digits.count
        errors, weight = float(counts.sum() - counts.max()), float(counts.sum())
        self.used[errors, weight] = None
        return f"{count(weight)}·U({count(errors)},{count(weight)})"

    def _check(self) -> None:
        """Raise an error if the tree, or a count in it, is not that of the method."""
        subject = self.subject
        tree = pruner(subject.method).prune(subject.model, subject.options, subject.tuning)
        pairs = [(0, 0)]
        for own, learned in pairs:  # grows by the children
            children = list(tree.children(learned))
            source = subject.model.tree
            is_same = len(children) == len(self.children[own])
            if not is_same or (children and source.attribute[self.test[own]] != tree.attribute[learned]):
                raise CheckError(f"--prune {subject.method}: the trace gives another tree than the method", FAULT)
            for mine, theirs in zip(self.counts[own].tolist(), tree.outcomes_of(learned), strict=True):
                disagree(own, "after pruning", "weight of a class", mine, theirs, 1e-6)
            pairs += zip(self.children[own], children, strict=True)
