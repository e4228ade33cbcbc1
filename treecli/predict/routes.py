"""Routes of rows with unknown values: missing values, unseen labels, and fractions of rows.

Both are computed once per model and kept in `model.derived`. `Routes` does not need numpy, so that rules and displayed
trees do not either; `Routing` is the form for the kernels.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cached_property
from itertools import compress, count
from typing import TYPE_CHECKING

from treecli.model import TreeModel
from treecli.outcomes.counts import SparseCounts
from treecli.records import dataclass
from treecli.splits._surrogate import joined_columns
from treecli.tree import ALL_BRANCHES, STAYS, WEIGHT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import CodeArray, FloatArray
    from treecli.kernels import route_args
    from treecli.splits._surrogate import SurrogateColumns
    from treecli.tree import Codes, Tree

    LongArray = NDArray[np.int64]


FEW_COLUMNS = 8
"""numpy adds fewer columns one after the other, more in pairs."""


@dataclass(frozen=True, slots=True)
class Routes:
    """The routes of missing values, and the source of each empty node's prediction."""

    missing_to: Codes
    """By node: the branch of missing values if no surrogate decides, STAYS, or ALL_BRANCHES if they go down several;
    fractions of a row go only to branches with training cases.
    """

    source: Codes
    """The node itself if a training case reached it, else the nearest ancestor that one reached, or the root."""

    @classmethod
    def of(cls, model: TreeModel) -> Routes:
        """Return the routes of a model, computed at the first call."""
        found: Routes | None = model.derived.get("routes")
        if found is None:
            found = model.derived["routes"] = cls._computed(model.tree, _empty_nodes(model))
        return found

    @classmethod
    def _computed(cls, tree: Tree, empty: Sequence[int]) -> Routes:
        """Return the routes of a tree with these empty nodes, in order."""
        missing_to, source = tree.missing_to, array("i", range(tree.n_nodes))
        if not empty and 1 not in tree.n_branches:
            return cls(missing_to, source)
        parent, missing_to = tree.parents(), array("i", missing_to)
        for node in empty:
            if node and node not in tree.forced:
                source[node] = source[parent[node]]
        is_empty = set(empty)
        only_children = compress(count(), map((1).__eq__, tree.n_branches))
        for node in {*only_children, *(parent[node] for node in empty if node)}:
            if tree.missing_to[node] == ALL_BRANCHES:
                filled = [branch for branch, child in enumerate(tree.children(node)) if child not in is_empty]
                missing_to[node] = ALL_BRANCHES if len(filled) > 1 else filled[0] if filled else STAYS
        return cls(missing_to, source)

    @classmethod
    def by_weight(cls, model: TreeModel, weight: FloatArray) -> Routes:
        """Return the routes of a model, given the weight of every node; kept for later calls of `of`."""
        found: Routes | None = model.derived.get("routes")
        if found is None:
            # A sum of class weights is 0 only without cases.
            found = model.derived["routes"] = _routes_around(model.tree, weight == 0)
        return found


def _routes_around(tree: Tree, is_empty: NDArray[np.bool_]) -> Routes:
    """Return the routes of a tree with these empty nodes, as Routes.of does, in a few operations."""
    import numpy as np

    n_nodes = tree.n_nodes
    n_branches = np.frombuffer(tree.n_branches, np.int32)
    source = np.arange(n_nodes, dtype=np.int32)
    if not is_empty.any() and not (n_branches == 1).any():
        return Routes(tree.missing_to, array("i", source.tobytes()))
    parent = np.append(0, np.repeat(source, n_branches)).astype(np.int32)
    moves = is_empty.copy()
    moves[[0, *tree.forced]] = False
    above = np.where(moves, parent, source)
    while (above != source).any():
        # Each round doubles the distance: a path of 100,000 empty nodes takes 17 rounds.
        source, above = above, above[above]
    filled = 1 + np.flatnonzero(~is_empty[1:])
    n_filled = np.bincount(parent[filled], minlength=n_nodes)
    missing_to = np.frombuffer(tree.missing_to, np.int32).copy()
    spreads = (missing_to == ALL_BRANCHES) & (n_branches > 0)
    missing_to[spreads & (n_filled == 0)] = STAYS
    only = filled[(spreads & (n_filled == 1))[parent[filled]]]
    missing_to[parent[only]] = only - np.frombuffer(tree.first_child, np.int32)[parent[only]]
    return Routes(array("i", missing_to.tobytes()), array("i", source.tobytes()))


def _empty_nodes(model: TreeModel) -> list[int]:
    """Return the nodes that no training case reached."""
    tree = model.tree
    if not model.schema.is_classification:
        return [node for node, weight in enumerate(tree.moments(WEIGHT)) if not weight]
    if isinstance(tree.outcomes, SparseCounts):
        return [node for node in range(tree.n_nodes) if not tree.outcomes[node].codes]
    return [node for node, outcomes in enumerate(tree.all_outcomes()) if not any(outcomes)]


@dataclass(frozen=True)
class Routing:
    """A tree in the form for the kernels, with all routes of missing values and unseen labels."""

    attributes: LongArray
    """The attributes that the tree uses: the rows of a block."""

    nodes: route_args.Nodes

    source: CodeArray
    """As in Routes."""

    share: FloatArray
    """The fraction of a row that takes this branch when it goes down all branches of the parent."""

    n_leaves: int

    families: _Families

    spreads: NDArray[np.bool_]
    """By node: whether it sends missing values down all branches."""

    @classmethod
    def of(cls, model: TreeModel) -> Routing:
        """Return the routing of a model, computed at the first call."""
        found: Routing | None = model.derived.get("routing")
        if found is None:
            found = model.derived["routing"] = cls._computed(model)
        return found

    @classmethod
    def among(cls, model: TreeModel, attributes: Sequence[int]) -> Routing:
        """Return the routing of a model whose blocks have the values of these attributes, in ascending order."""
        return cls._computed(model, attributes)

    @classmethod
    def _computed(cls, model: TreeModel, asked: Sequence[int] | None = None) -> Routing:
        import numpy as np

        from treecli.kernels import route_args

        tree, schema = model.tree, model.schema
        n_nodes = tree.n_nodes
        first_child, n_branches = np.frombuffer(tree.first_child, np.int32), np.frombuffer(tree.n_branches, np.int32)
        weight = node_weights(tree, is_classification=schema.is_classification)
        routes = Routes.by_weight(model, weight)
        inner = np.flatnonzero(first_child)
        families = _Families(inner, n_branches[inner], weight)
        attribute = np.frombuffer(tree.attribute, np.int32)[inner]
        stored = joined_columns(list(tree.surrogates.values())) if tree.surrogates else None
        asked_instead = [] if stored is None else set(stored.attribute.tolist())
        # np.unique imports numpy.ma, which takes longer than a small model.
        own = np.flatnonzero(np.bincount(attribute)) if len(attribute) else attribute
        used = sorted({*own.tolist(), *asked_instead}) if asked is None else list(asked)
        attributes = np.array(used, np.int64)
        slot_of_inner = np.searchsorted(attributes, attribute)
        table_start, table = np.frombuffer(tree.table_start, np.int64), np.array(tree.table, np.int32)
        number = np.frombuffer(tree.number)
        has_table = table_start[1:] > table_start[:-1]
        slot, is_coded = np.zeros(n_nodes, np.int32), np.zeros(n_nodes, np.uint8)
        missing_route, unseen_route = np.zeros((2, n_nodes), np.int32)
        if used:
            slot[inner] = slot_of_inner
            is_coded[inner] = np.array([not schema.columns[a].is_numeric for a in used], np.uint8)[slot_of_inner]
            is_coded[has_table & (number > 0)] = route_args.SPARSE
            missing_route[inner] = np.frombuffer(routes.missing_to, np.int32)[inner]
            instead = None if stored is None else _asked_instead(model, stored, attributes, missing_route)
            is_by_weight = model.settings.predicting.unseen == "majority"
            unseen_route = families.heaviest(n_nodes) if is_by_weight else missing_route.copy()

        if len(table) and table.min() < 0:
            node_of_entry = np.repeat(np.arange(n_nodes), np.diff(table_start))
            table = np.where(table < 0, missing_route[node_of_entry], table)
        further_start, further = np.frombuffer(tree.further_start, np.int64), np.array(tree.further)
        has_more = has_table
        if len(further):
            has_more = has_table | (further_start[1:] > further_start[:-1])
        is_plain = ((is_coded == 0) & (n_branches == 2) & ~has_more).view(np.uint8)
        if tree.surrogates:
            assert instead is not None
            slot = np.concatenate([slot, instead.slot])
            is_coded = np.concatenate([is_coded, instead.is_coded])
            number = np.concatenate([number, instead.number])
            table_start = np.concatenate([table_start, len(table) + np.cumsum(instead.table_size)])
            table = np.concatenate([table, instead.table])
            missing_route = np.concatenate([missing_route, instead.route])
            unseen_route = np.concatenate([unseen_route, instead.route])
            # The surrogates after the nodes have one threshold each.
            further_start = np.append(further_start, np.full(len(slot) - n_nodes, further_start[-1]))
        share = families.shares(n_nodes)
        nodes = route_args.Nodes(
            slot=slot,
            is_coded=is_coded,
            is_plain=is_plain,
            number=number,
            further_start=further_start,
            further=further,
            table_start=table_start,
            table=table,
            missing_route=missing_route,
            unseen_route=unseen_route,
            first_child=first_child,
            n_branches=n_branches,
            share=share,
        )
        source = np.frombuffer(routes.source, np.int32)
        spreads = missing_route[:n_nodes] == ALL_BRANCHES
        return cls(attributes, nodes, source, share, tree.n_leaves, families, spreads)

    @cached_property
    def heaviest(self) -> CodeArray:
        """By inner node: the branch with the largest weight of training cases; ties go to the first."""
        return self.families.heaviest(len(self.source))

    @cached_property
    def _most_spreads(self) -> int:
        """The largest number of nodes on a path that send missing values down all branches."""
        return _most_on_a_path(self.spreads, self.families.parents())

    def find_leaves(self, block: FloatArray) -> CodeArray:
        """Return the node where each row of a block ends, or SPREAD."""
        import numpy as np

        from treecli.kernels import route

        leaf_of_row = np.empty(block.shape[1], np.int32)
        route.find_leaves(self.nodes, block, leaf_of_row)
        return leaf_of_row

    def room(self, n_outcomes: int) -> route_args.Room:
        """Return working memory for a row that reaches several leaves, with sums of `n_outcomes`."""
        import numpy as np

        from treecli.kernels import route_args

        most_spreads = self._most_spreads
        n_most = self.n_leaves + most_spreads
        return route_args.Room(np.empty(n_most, np.int64), np.empty(n_most), np.empty((1 + most_spreads, n_outcomes)))


@dataclass(frozen=True, slots=True)
class _Families:
    """The inner nodes, the number of their branches, and the weight of every node.

    The nodes after the root are the children of the inner nodes, grouped by parent.
    """

    inner: LongArray
    n_branches: CodeArray
    weight: FloatArray

    def parents(self) -> CodeArray:
        """Return the parent of every node; -1 for the root."""
        import numpy as np

        return np.append(np.int32(-1), np.repeat(self.inner.astype(np.int32), self.n_branches))

    def shares(self, n_nodes: int) -> FloatArray:
        """Return the share of each node in the weight of its siblings and itself; 0 if they have none."""
        import numpy as np

        share = np.ones(n_nodes)
        if len(self.inner):
            total = np.repeat(np.add.reduceat(self.weight[1:], self._first()), self.n_branches)
            share[1:] = self.weight[1:] / np.where(total > 0, total, 1.0)
        return share

    def heaviest(self, n_nodes: int) -> CodeArray:
        """Return the heaviest branch of each inner node; ties go to the first."""
        import numpy as np

        found = np.zeros(n_nodes, np.int32)
        if len(self.inner):
            first, weight = self._first(), self.weight[1:]
            is_heaviest = weight == np.repeat(np.maximum.reduceat(weight, first), self.n_branches)
            positions = np.flatnonzero(is_heaviest)
            found[self.inner] = positions[np.searchsorted(positions, first)] - first
        return found

    def _first(self) -> LongArray:
        """Return the place of each family's first member among all nodes but the root."""
        import numpy as np

        return np.cumsum(self.n_branches) - self.n_branches


@dataclass(frozen=True, slots=True)
class _Instead:
    """The surrogates of all nodes, appended to the nodes; `route` is where each sends rows whose value it lacks."""

    slot: CodeArray
    is_coded: NDArray[np.uint8]
    number: FloatArray
    table_size: CodeArray
    table: CodeArray
    route: CodeArray


def node_weights(tree: Tree, *, is_classification: bool) -> FloatArray:
    """Return the weight of the training cases of every node."""
    import numpy as np

    if isinstance(tree.outcomes, SparseCounts):
        return np.array(tree.outcomes.totals())
    outcomes = np.frombuffer(tree.outcomes).reshape(tree.n_nodes, tree.n_outcomes)
    return row_sums(outcomes) if is_classification else outcomes[:, WEIGHT].copy()


def branch_shares(tree: Tree, weight: FloatArray) -> FloatArray:
    """Return the share of each node in the weight of its siblings and itself; 0 if they have none."""
    import numpy as np

    n_branches = np.frombuffer(tree.n_branches, np.int32)
    inner = np.flatnonzero(n_branches)
    return _Families(inner, n_branches[inner], weight).shares(tree.n_nodes)


def row_sums(outcomes: FloatArray) -> FloatArray:
    """Return the sums of rows; with few columns, numpy's own sums of rows take many times as long."""
    if not 0 < outcomes.shape[1] < FEW_COLUMNS:
        total: FloatArray = outcomes.sum(axis=1)
        return total
    total = outcomes[:, 0].copy()
    for column in outcomes.T[1:]:
        total += column
    return total


def _asked_instead(
    model: TreeModel, columns: SurrogateColumns, attributes: LongArray, missing_route: CodeArray
) -> _Instead:
    """Return the surrogates; set each node's missing_route to its first surrogate, and each surrogate's to the next."""
    import numpy as np

    from treecli.kernels.route_args import SURROGATES_FROM

    of_node = model.tree.surrogates
    nodes = np.fromiter(of_node, np.int64, len(of_node))
    end = np.cumsum(np.fromiter(map(len, of_node.values()), np.int64, len(of_node)))
    first = SURROGATES_FROM + model.tree.n_nodes
    route = first + 1 + np.arange(len(columns.number), dtype=np.int32)
    route[end - 1] = missing_route[nodes]
    missing_route[nodes] = first + np.concatenate([[0], end[:-1]])
    described = model.schema.columns
    is_coded = np.array([not own.is_numeric for own in described], np.uint8)[columns.attribute]
    # A threshold has a table of two branches, or on ordered labels one of all labels.
    n_codes = np.array([len(own.labels) if own.kind == "ordinal" else 2 for own in described])[columns.attribute]
    own_size = np.diff(columns.table_start)
    is_threshold = own_size == 0
    size = np.where(is_threshold, n_codes, own_size)
    surrogate = np.repeat(np.arange(len(size)), size)
    code = np.arange(len(surrogate)) - np.repeat(np.cumsum(size) - size, size)
    limit = np.where(is_coded == 1, columns.number, 0.0)
    taken = (code > limit[surrogate]).astype(np.int32)
    taken[~is_threshold[surrogate]] = columns.table
    branch = columns.first[surrogate] ^ taken
    # A label without a branch goes to the next surrogate.
    table = np.where(taken < 0, route[surrogate], branch).astype(np.int32)
    slot = np.searchsorted(attributes, columns.attribute).astype(np.int32)
    return _Instead(slot, is_coded, columns.number, size.astype(np.int32), table, route)


def _most_on_a_path(counts: NDArray[np.bool_], parent: CodeArray) -> int:
    """Return the largest number of marked nodes on a path from the root."""
    import numpy as np

    if not counts.any():
        return 0
    found, above = counts.astype(np.int32), parent
    while (above >= 0).any():
        # Each round doubles the distance covered: a path of 100,000 nodes takes 17 rounds.
        is_below = above >= 0
        found = found + np.where(is_below, found[above], 0)
        above = np.where(is_below, above[above], -1)
    return int(found.max())
