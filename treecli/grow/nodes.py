"""The nodes of a tree being grown: arrays with one entry per node."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from treecli.data import Feature
from treecli.grow.candidates import Codes, Flags, Floats, Indices
from treecli.kernels.level_order import level_order
from treecli.outcomes.counts import SparseCounts, joined
from treecli.outcomes.rows import MANY_CLASSES
from treecli.records import dataclass
from treecli.splits import MANY_LABELS, NO_BRANCH, is_sparse
from treecli.splits._surrogate import Surrogate
from treecli.tree import ALL_BRANCHES, LEAF, Tree

if TYPE_CHECKING:
    from treecli.leaves import Leaf

RAGGED = ("table", "further")
"""Fields that concatenate a varying number of values per node."""


@dataclass(slots=True)
class Nodes:
    """Nodes in order of creation; a node is a leaf until a split is set.

    The table of node i has table_size[i] entries starting at table_start[i]; `further` likewise. Child numbers refer to
    all nodes of the tree.
    """

    outcomes: Floats | SparseCounts
    """In the tree's format; with many classes sparse once the nodes are final."""
    kind: np.ndarray
    attribute: Codes
    number: Floats
    missing_to: Codes
    first_child: Indices
    n_branches: Codes
    score: Floats
    """The merit by which the search chose the split; `set_scores` replaces it where it is a gain or gain ratio."""
    improvement: Floats
    """The gain of the split times the node's weight; set by `set_scores`."""
    decrease: Floats
    """The decrease of impurity times weight among cases with a known value; NaN if no value is missing."""
    information: Floats
    """The split information times the node's weight, if `decrease` is given."""
    cost: Floats
    """The bits that the choice of a threshold costs."""
    first: Codes
    """The branch with the smaller mean of the target, or of the class numbers."""
    table_start: Indices
    table_size: Indices
    further_start: Indices
    further_size: Indices
    table: Codes = field(default_factory=lambda: np.empty(0, np.int32))
    further: Floats = field(default_factory=lambda: np.empty(0))
    notes: dict[int, dict[str, Any]] = field(default_factory=dict)
    """Notes to show with a node: printed thresholds, competitors."""
    surrogates: dict[int, Sequence[Surrogate]] = field(default_factory=dict)
    leaf_models: dict[int, Leaf] = field(default_factory=dict)
    """Models that the search itself has fitted."""
    features: tuple[Feature, ...] = ()
    """Of all nodes: the columns that were derived while the tree grew; they follow the columns of the data."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Of all nodes: a step of the model's lineage, if the search has something to record."""

    @classmethod
    def leaves(cls, outcomes: Floats | SparseCounts) -> Nodes:
        n = len(outcomes)
        number, score, improvement, decrease, information, cost = np.zeros((6, n))
        decrease.fill(np.nan)
        first_child, table_start, table_size, further_start, further_size = np.zeros((5, n), np.int64)
        n_branches, first = np.zeros((2, n), np.int32)
        return cls(
            outcomes,
            np.full(n, LEAF, np.int8),
            np.full(n, LEAF, np.int32),
            number,
            np.full(n, ALL_BRANCHES, np.int32),
            first_child,
            n_branches,
            score,
            improvement,
            decrease,
            information,
            cost,
            first,
            table_start,
            table_size,
            further_start,
            further_size,
        )

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def is_inner(self) -> Flags:
        return self.n_branches > 0

    def note(self, node: int, name: str, remark: Any) -> None:
        self.notes.setdefault(node, {})[name] = remark


_OTHERS = ("outcomes", "table", "further", "notes", "surrogates", "leaf_models", "features", "facts")

EVEN = tuple(name for name in Nodes.__slots__ if name not in _OTHERS)
"""Fields with one entry per node."""

Graft = tuple[Indices, Nodes]
"""The numbers of some leaves, and the nodes of their subtrees: roots first, child numbers within these nodes."""


def assembled(levels: list[Nodes], grafts: list[Graft]) -> Nodes:
    """Return the nodes of all levels, with grafts replacing leaves, in level order.

    Consumes the given nodes: their outcomes, which may take most of the memory, are moved.
    """
    if len(grafts) == 1 and sum(map(len, levels)) == len(grafts[0][0]) == 1:
        whole = grafts[0][1]
        if not isinstance(whole.outcomes, SparseCounts):
            return _in_level_order(whole)
    parts, places = list(levels), [np.arange(sum(map(len, levels)))]
    n_nodes = len(places[0])
    for roots, own in grafts:
        places.append(np.concatenate([roots, n_nodes + np.arange(len(own) - len(roots))]))
        n_nodes += len(own) - len(roots)
        parts.append(_renumbered(own, places[-1]))
    order = np.arange(n_nodes, dtype=np.int32)
    # The root of a graft comes after the leaf that it replaces, and overwrites it.
    entry_of_node = np.empty(n_nodes, np.int64)
    entry_of_node[np.concatenate(places)] = np.arange(sum(map(len, parts)))
    if grafts:
        first_child, n_branches = (
            np.concatenate([getattr(part, name) for part in parts])[entry_of_node]
            for name in ("first_child", "n_branches")
        )
        level_order(first_child, n_branches, order)
    nodes = _gathered(parts, entry_of_node[order], np.argsort(order))
    nodes.first_child = np.where(nodes.is_inner, 1 + np.cumsum(nodes.n_branches) - nodes.n_branches, 0)
    return nodes


def chained(first: Nodes, grafts: list[Graft]) -> Nodes:
    """Return the nodes of subtrees that were grown in several parts, each part below leaves of the parts before it."""
    parts, places = [first], [np.arange(len(first))]
    n_nodes = len(first)
    for roots, own in grafts:
        places.append(np.concatenate([roots, n_nodes + np.arange(len(own) - len(roots))]))
        n_nodes += len(own) - len(roots)
        parts.append(_renumbered(own, places[-1]))
    entry_of_node = np.empty(n_nodes, np.int64)
    entry_of_node[np.concatenate(places)] = np.arange(sum(map(len, parts)))
    return _gathered(parts, entry_of_node, np.arange(n_nodes))


def _renumbered(nodes: Nodes, place: Indices) -> Nodes:
    """Return the nodes with child numbers, notes and surrogates by their places in the tree."""
    nodes.first_child = np.where(nodes.is_inner, place[np.minimum(nodes.first_child, len(place) - 1)], 0)
    nodes.notes = {int(place[node]): remarks for node, remarks in nodes.notes.items()}
    nodes.surrogates = {int(place[node]): own for node, own in nodes.surrogates.items()}
    return nodes


def _gathered(parts: list[Nodes], entry: Indices, number_now: Indices) -> Nodes:
    """Return these entries of the concatenated parts; `number_now` has the new number of each place in the tree."""
    values = {name: np.concatenate([getattr(part, name) for part in parts]) for name in EVEN}
    for name in RAGGED:
        before = np.cumsum([0, *(len(getattr(part, name)) for part in parts[:-1])])
        values[f"{name}_start"] += np.repeat(before, [len(part) for part in parts])
        values[name] = np.concatenate([getattr(part, name) for part in parts])
    values |= {name: values[name][entry] for name in EVEN}
    even: dict[str, Any] = values
    return Nodes(
        _moved_outcomes(parts, entry),
        **even,
        notes={int(number_now[node]): remarks for part in parts for node, remarks in part.notes.items()},
        surrogates={int(number_now[node]): own for part in parts for node, own in part.surrogates.items()},
    )


def _in_level_order(nodes: Nodes) -> Nodes:
    """Return the nodes of a whole tree in level order, as `assembled` does, in a few operations."""
    order = np.empty(len(nodes), np.int32)
    level_order(nodes.first_child, np.ascontiguousarray(nodes.n_branches), order)
    values = {name: getattr(nodes, name)[order] for name in (*EVEN, "outcomes")}
    n_branches = values["n_branches"]
    values["first_child"] = np.where(n_branches > 0, 1 + np.cumsum(n_branches) - n_branches, 0)
    noted, by_surrogates = nodes.notes, nodes.surrogates
    if noted or by_surrogates:
        number_now = np.argsort(order).tolist()
        noted = {number_now[node]: remarks for node, remarks in noted.items()}
        by_surrogates = {number_now[node]: own for node, own in by_surrogates.items()}
    return Nodes(**values, table=nodes.table, further=nodes.further, notes=noted, surrogates=by_surrogates)


def pack_tables(nodes: Nodes) -> None:
    """Make the tables of nodes sparse where few labels have another branch than most."""
    sizes = nodes.table_size
    if not (sizes > MANY_LABELS).any():
        return
    kept: list[np.ndarray] = []
    size_now = np.zeros(len(nodes), np.int64)
    for node in np.flatnonzero(sizes).tolist():
        table = nodes.table[nodes.table_start[node] : nodes.table_start[node] + sizes[node]]
        if len(table) > MANY_LABELS:
            rest = max((NO_BRANCH, 0, 1), key=lambda branch: np.count_nonzero(table == branch))
            codes = np.flatnonzero(table != rest)
            if is_sparse(2 + 2 * len(codes), len(table)):
                table = np.concatenate([[len(table), rest], codes, table[codes]]).astype(np.int32)
                nodes.number[node] = 1.0
        kept.append(table.copy())
        size_now[node] = len(table)
    nodes.table = np.concatenate(kept)
    nodes.table_size, nodes.table_start = size_now, np.cumsum(size_now) - size_now


def settled(outcomes: Floats | SparseCounts) -> Floats | SparseCounts:
    """Return the outcomes of nodes that are final in the form in which a tree keeps them."""
    if isinstance(outcomes, SparseCounts) or outcomes.shape[1] <= MANY_CLASSES:
        return outcomes
    return SparseCounts.of_matrix(outcomes)


def _moved_outcomes(parts: list[Nodes], entry: Indices) -> Floats | SparseCounts:
    """Return these entries of the concatenated outcomes, and release the outcomes of each part."""
    kept = [settled(part.outcomes) for part in parts]
    if isinstance(kept[0], SparseCounts):
        return joined(cast("list[SparseCounts]", kept)).taken_at(entry)
    del kept
    outcomes = np.empty((len(entry), cast("Floats", parts[0].outcomes).shape[1]))
    end = 0
    for part in parts:
        begin, end = end, end + len(part)
        own = np.flatnonzero((entry >= begin) & (entry < end))
        outcomes[own] = cast("Floats", part.outcomes)[entry[own] - begin]
        part.outcomes = cast("Floats", part.outcomes)[:0].copy()
    return outcomes


def as_bytes(values: np.ndarray, typecode: str) -> memoryview:
    """Return the values as bytes of this type, without a copy if possible: outcomes of many classes are large."""
    return memoryview(np.ascontiguousarray(values, typecode).reshape(-1).view(np.uint8))  # type: ignore[arg-type]


def as_tree(nodes: Nodes) -> Tree:
    """Return the tree of these nodes, which must be in level order."""
    outcomes = settled(nodes.outcomes)
    if isinstance(outcomes, SparseCounts):
        tree = Tree(outcomes.n_outcomes, outcomes=outcomes)
    else:
        tree = Tree(outcomes.shape[1])
        cast("array[float]", tree.outcomes).frombytes(as_bytes(outcomes, "d"))
    for name in ("kind", "attribute", "number", "missing_to", "first_child", "n_branches", "score"):
        values: array[Any] = getattr(tree, name)
        values.frombytes(as_bytes(getattr(nodes, name), values.typecode))
    for name in RAGGED:
        start, size = getattr(nodes, f"{name}_start"), getattr(nodes, f"{name}_size")
        if not len(getattr(nodes, name)):
            getattr(tree, f"{name}_start").frombytes(bytes(8 * len(nodes)))
            continue
        end = np.cumsum(size)
        entries = np.repeat(start - (end - size), size) + np.arange(int(size.sum()))
        values = getattr(tree, name)
        values.frombytes(as_bytes(getattr(nodes, name)[entries], values.typecode))
        getattr(tree, f"{name}_start").frombytes(end.tobytes())
    tree.notes, tree.surrogates, tree.leaf_models = nodes.notes, nodes.surrogates, nodes.leaf_models
    return tree
