"""The nodes of a tree being grown: arrays with one entry per node."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np

from treecli.data import Feature
from treecli.grow.candidates import Codes, Flags, Floats, Indices
from treecli.kernels.level_order import join_runs, level_order
from treecli.outcomes.counts import SparseCounts, joined
from treecli.outcomes.rows import MANY_CLASSES
from treecli.records import dataclass
from treecli.splits import MANY_LABELS, NO_BRANCH, is_sparse
from treecli.splits._surrogate import Surrogate
from treecli.tree import ALL_BRANCHES, LEAF, Tree

if TYPE_CHECKING:
    from treecli.leaves import Leaf

T = TypeVar("T")

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


class Graft(NamedTuple):
    """The numbers of some leaves, and the nodes of their subtrees: roots first, child numbers within these nodes.

    `goes_on`: the leaves are in the grafts before it, since the last that does not go on, and are numbered in these:
    the nodes of the first graft, then those of the others without their roots.
    """

    roots: Indices
    nodes: Nodes
    goes_on: bool = False


class Parts(Protocol):
    """The nodes of several parts, one after the other."""

    def __getitem__(self, name: str) -> np.ndarray:
        """Return a field with one value per node."""
        ...

    def add(self, part: Nodes) -> None:
        """Add the nodes of a part, whose notes and surrogates are by their places in the tree."""
        ...

    def taken(self, entry: Indices, order: Indices | Codes) -> Nodes:
        """Return these entries; `order` has the place in the tree of each. The nodes are not kept."""
        ...


class Joined:
    """The nodes of several parts in one array for each field; none for a field whose values are those of leaves.

    `room` is the number of nodes that is expected at most; room that is not used takes no memory.
    """

    def __init__(self, room: int = 0) -> None:
        self._room = room
        self._arrays: dict[str, np.ndarray] = {}
        self._length = dict.fromkeys((*RAGGED, "outcomes"), 0)
        self._n_nodes = 0
        self._usual = usual_values()
        self._sparse: list[SparseCounts] = []
        self._notes: dict[int, dict[str, Any]] = {}
        self._surrogates: dict[int, Sequence[Surrogate]] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._arrays:
            return np.broadcast_to(self._usual[name], self._n_nodes)
        return self._arrays[name][: self._n_nodes]

    def add(self, part: Nodes) -> None:
        values = tidy_fields(part, {name: self._length[name] for name in RAGGED})
        for name, own in values.items():
            if name in self._arrays or not are_usual(own, self._usual[name]):
                self._append(name, own, self._n_nodes)
        for name in RAGGED:
            self._append(name, getattr(part, name), self._length[name])
            self._length[name] += len(getattr(part, name))
        outcomes = settled(part.outcomes)
        if isinstance(outcomes, SparseCounts):
            self._sparse.append(outcomes)
        else:
            self._append("outcomes", outcomes, self._n_nodes)
        self._n_nodes += len(part)
        self._notes |= part.notes
        self._surrogates |= part.surrogates

    def _append(self, name: str, values: np.ndarray, begin: int) -> None:
        end = begin + len(values)
        room = self._arrays.get(name)
        if room is None or end > len(room):
            longer = np.empty((max(2 * begin, end, self._room), *values.shape[1:]), values.dtype)
            if begin:
                longer[:begin] = self._usual[name] if room is None else room[:begin]
            self._arrays[name] = room = longer
        room[begin:end] = values

    def taken(self, entry: Indices, order: Indices | Codes) -> Nodes:
        values: dict[str, Any] = {name: self._taken(name, entry) for name in EVEN}
        for name in RAGGED:
            values[name] = self._arrays.pop(name)[: self._length[name]].copy()
        values["outcomes"] = joined(self._sparse).taken_at(entry) if self._sparse else self._taken("outcomes", entry)
        return Nodes(**values, notes=in_order(self._notes, order), surrogates=in_order(self._surrogates, order))

    def _taken(self, name: str, entry: Indices) -> np.ndarray:
        """Return these entries of a field, which is not kept."""
        if name not in self._arrays:
            return np.broadcast_to(self._usual[name], len(entry))
        return self._arrays.pop(name)[entry]


def usual_values() -> dict[str, Any]:
    """Return the value of each field at a leaf."""
    return {name: getattr(Nodes.leaves(np.zeros((1, 1))), name)[0] for name in EVEN}


def are_usual(values: np.ndarray, usual: Any) -> bool:
    """Return whether all values are this one, which may be NaN; 0 is not -0."""
    if usual != usual:
        return bool((values != values).all())
    return bool((values == usual).all()) and not (values.dtype.kind == "f" and np.signbit(values).any())


def tidy_fields(part: Nodes, n_entries: dict[str, int]) -> dict[str, np.ndarray]:
    """Return the fields with one value per node, as they are after so many entries of tables and others.

    Values that are never read are those of leaves.
    """
    values: dict[str, np.ndarray] = {name: getattr(part, name) for name in EVEN}
    for name in RAGGED:
        has_entries = values[f"{name}_size"] > 0
        values[f"{name}_start"] = np.where(has_entries, values[f"{name}_start"] + n_entries[name], 0)
    has_decrease = part.is_inner & (part.decrease == part.decrease)
    values["decrease"] = np.where(has_decrease, part.decrease, np.nan)
    values["information"] = np.where(has_decrease, part.information, 0.0)
    return values


def in_order(by_place: dict[int, T], order: Indices | Codes) -> dict[int, T]:
    """Return values of some nodes by their new numbers; `order` has the place of each node in the tree before."""
    if not by_place:
        return {}
    number_now = np.argsort(order)
    return {int(number_now[place]): own for place, own in by_place.items()}


def assembled(levels: list[Nodes], grafts: Iterable[Graft], whole: Parts | None = None) -> Nodes:
    """Return the nodes of all levels, with grafts replacing leaves, in level order.

    Grafts are taken one by one, and consumed: each is added to `whole` before the next one is taken.
    """
    n_nodes = sum(map(len, levels))
    whole, places = Joined() if whole is None else whole, [np.arange(n_nodes)]
    for level in levels:
        whole.add(level)
    begun, n_before = np.zeros(0, np.int64), n_nodes
    for roots, own, goes_on in grafts:
        if n_nodes == len(roots) == 1 and isinstance(whole, Joined) and not isinstance(own.outcomes, SparseCounts):
            return _in_level_order(own)
        if goes_on:
            is_root = roots < len(begun)
            roots = np.where(is_root, begun[np.where(is_root, roots, 0)], n_before + roots - len(begun))
        else:
            begun, n_before = roots, n_nodes
        places.append(np.concatenate([roots, n_nodes + np.arange(len(own) - len(roots))]))
        n_nodes += len(own) - len(roots)
        whole.add(_renumbered(own, places[-1]))
        del own  # before the next one is grown
    order = np.arange(n_nodes, dtype=np.int32)
    has_grafts, entry_of_node = len(places) > 1, _entries(places, n_nodes)
    places = []
    if has_grafts:
        level_order(whole["first_child"][entry_of_node], whole["n_branches"][entry_of_node], order)
        entry_of_node = entry_of_node[order]
    nodes = whole.taken(entry_of_node, order)
    nodes.first_child = np.where(nodes.is_inner, 1 + np.cumsum(nodes.n_branches) - nodes.n_branches, 0)
    return nodes


def chained(first: Nodes, grafts: list[tuple[Indices, Nodes]]) -> Nodes:
    """Return the nodes of subtrees that were grown in several parts, each part below leaves of the parts before it."""
    whole, places, n_nodes = Joined(), [np.arange(len(first))], len(first)
    whole.add(first)
    for roots, own in grafts:
        places.append(np.concatenate([roots, n_nodes + np.arange(len(own) - len(roots))]))
        n_nodes += len(own) - len(roots)
        whole.add(_renumbered(own, places[-1]))
    return whole.taken(_entries(places, n_nodes), np.arange(n_nodes))


def _entries(places: list[Indices], n_nodes: int) -> Indices:
    """Return the entry of each node, given the places of all entries in the tree.

    The root of a graft comes after the leaf that it replaces, and overwrites it.
    """
    entry_of_node = np.empty(n_nodes, np.int64)
    place = np.concatenate(places)
    entry_of_node[place] = np.arange(len(place))
    return entry_of_node


def _renumbered(nodes: Nodes, place: Indices) -> Nodes:
    """Return the nodes with child numbers, notes and surrogates by their places in the tree."""
    nodes.first_child = np.where(nodes.is_inner, place[np.minimum(nodes.first_child, len(place) - 1)], 0)
    nodes.notes = {int(place[node]): remarks for node, remarks in nodes.notes.items()}
    nodes.surrogates = {int(place[node]): own for node, own in nodes.surrogates.items()}
    return nodes


def _in_level_order(nodes: Nodes) -> Nodes:
    """Return the nodes of a whole tree in level order, as `assembled` does, in a few operations."""
    order = np.empty(len(nodes), np.int32)
    level_order(nodes.first_child, np.ascontiguousarray(nodes.n_branches), order)
    values = {name: getattr(nodes, name)[order] for name in (*EVEN, "outcomes")}
    n_branches = values["n_branches"]
    values["first_child"] = np.where(n_branches > 0, 1 + np.cumsum(n_branches) - n_branches, 0)
    noted, by_surrogates = in_order(nodes.notes, order), in_order(nodes.surrogates, order)
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


def as_bytes(values: np.ndarray, typecode: str) -> memoryview:
    """Return the values as bytes of this type, without a copy if possible: outcomes of many classes are large."""
    return memoryview(np.ascontiguousarray(values, typecode).reshape(-1).view(np.uint8))  # type: ignore[arg-type]


def _as_array(values: Floats) -> array[float]:
    """Return the values as an array: the one that they are a view of, or a copy."""
    owner: Any = values
    while isinstance(owner, np.ndarray):
        owner = owner.base
    if isinstance(owner, memoryview) and isinstance(owner.obj, array) and len(owner.obj) == values.size:
        return owner.obj
    copied = array("d")
    copied.frombytes(as_bytes(values, "d"))
    return copied


def as_tree(nodes: Nodes, *, is_consumed: bool = False) -> Tree:
    """Return the tree of these nodes, which must be in level order.

    `is_consumed`: the arrays that the tree has are released, so that they are not in memory twice.
    """
    outcomes = settled(nodes.outcomes)
    if is_consumed:
        nodes.outcomes = np.empty((0, 0))
    if isinstance(outcomes, SparseCounts):
        tree = Tree(outcomes.n_outcomes, outcomes=outcomes)
    else:
        tree = Tree(outcomes.shape[1], outcomes=_as_array(outcomes))
    del outcomes
    n_nodes = len(nodes)
    for name in ("kind", "attribute", "number", "missing_to", "first_child", "n_branches", "score"):
        values: array[Any] = getattr(tree, name)
        values.frombytes(as_bytes(getattr(nodes, name), values.typecode))
        if is_consumed:
            setattr(nodes, name, getattr(nodes, name)[:0].copy())
    for name in RAGGED:
        start, size = (np.ascontiguousarray(getattr(nodes, f"{name}_{part}")) for part in ("start", "size"))
        if not len(getattr(nodes, name)):
            getattr(tree, f"{name}_start").frombytes(bytes(8 * n_nodes))
            continue
        end = np.cumsum(size)
        values, entries = getattr(tree, name), getattr(nodes, name)
        if name == "table":
            joined_runs = np.empty(int(size.sum()), np.int32)
            join_runs(start, size, np.ascontiguousarray(entries, np.int32), joined_runs)
        else:
            joined_runs = entries[np.repeat(start - (end - size), size) + np.arange(int(size.sum()))]
        values.frombytes(as_bytes(joined_runs, values.typecode))
        getattr(tree, f"{name}_start").frombytes(end.tobytes())
    tree.notes, tree.surrogates, tree.leaf_models = nodes.notes, nodes.surrogates, nodes.leaf_models
    return tree
