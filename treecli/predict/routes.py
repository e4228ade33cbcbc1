"""A tree in the form in which the kernels send rows down it, with all rules about values that it does not know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treecli.model import Model
from treecli.tree import ALL_BRANCHES, STAYS, WEIGHT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import CodeArray, FloatArray
    from treecli.kernels import route

    LongArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Routing:
    """A tree in the form that the kernels take, with every rule about missing values and unseen labels worked out."""

    attributes: LongArray
    """Those that the tree asks about: the rows of a block."""

    nodes: route.Nodes
    missing_route: CodeArray
    unseen_route: CodeArray
    """The branches of a missing value and of an unseen label, as in `nodes`."""

    parent: LongArray
    weight: FloatArray
    share: FloatArray
    """The part of a row that takes this branch when it goes down all branches of the parent."""

    n_leaves: int

    most_spreads: int
    """The most nodes on one path that send missing values down all branches."""

    @classmethod
    def of(cls, model: Model) -> Routing:
        import numpy as np

        from treecli.kernels import route

        tree, schema = model.tree, model.schema
        policy = model.settings.predicting.unseen
        n_nodes = tree.n_nodes
        first_child, n_branches = np.frombuffer(tree.first_child, np.int32), np.frombuffer(tree.n_branches, np.int32)
        outcomes = np.frombuffer(tree.outcomes).reshape(n_nodes, tree.n_outcomes)
        weight = outcomes.sum(axis=1) if schema.is_classification else outcomes[:, WEIGHT].copy()
        inner = np.flatnonzero(first_child)
        attribute = np.frombuffer(tree.attribute, np.int32)[inner]
        asked_instead = [s.split.attribute for surrogates in tree.surrogates.values() for s in surrogates]
        # No np.unique: it imports numpy.ma, which costs more than a small model.
        attributes = np.array(sorted({*attribute.tolist(), *asked_instead}), np.int64)
        slot_of_inner = np.searchsorted(attributes, attribute)
        slot = np.zeros(n_nodes, np.int32)
        slot[inner] = slot_of_inner
        is_coded = np.zeros(n_nodes, np.uint8)
        is_coded[inner] = np.array([not a.is_numeric for a in schema.attributes], bool)[attributes][slot_of_inner]

        parent = np.full(n_nodes, -1, np.int64)
        share = np.ones(n_nodes)
        missing_route, unseen_route = np.zeros(n_nodes, np.int32), np.zeros(n_nodes, np.int32)
        if len(inner):
            # The nodes after the root are the children of the inner nodes, family by family.
            families = first_child[inner] - 1
            of_children = weight[1:]
            parent[1:] = np.repeat(inner, n_branches[inner])
            total = np.repeat(np.add.reduceat(of_children, families), n_branches[inner])
            np.divide(of_children, total, out=share[1:], where=total > 0)
            share[1:][total == 0] = 0.0
            n_filled = np.add.reduceat((share[1:] > 0).astype(np.int32), families)
            heaviest = _first_heaviest(of_children, families, n_branches[inner])
            to_all = np.where(n_filled == 0, STAYS, np.where(n_filled == 1, heaviest, ALL_BRANCHES))
            missing_to = np.frombuffer(tree.missing_to, np.int32)[inner]
            missing_route[inner] = np.where(missing_to == ALL_BRANCHES, to_all, missing_to)
            instead = _asked_instead(model, attributes, missing_route)
            unseen_route[inner] = heaviest if policy == "majority" else missing_route[inner]

        table_start = np.frombuffer(tree.table_start, np.int64)
        table = np.array(tree.table, np.int32)
        node_of_entry = np.repeat(np.arange(n_nodes), np.diff(table_start))
        table = np.where(table < 0, missing_route[node_of_entry], table).astype(np.int32)
        number = np.frombuffer(tree.number)
        if tree.surrogates:
            slot = np.concatenate([slot, instead.slot])
            is_coded = np.concatenate([is_coded, instead.is_coded])
            number = np.concatenate([number, instead.number])
            table_start = np.concatenate([table_start, len(table) + np.cumsum(instead.table_size)])
            table = np.concatenate([table, instead.table])
            missing_route = np.concatenate([missing_route, instead.route])
            unseen_route = np.concatenate([unseen_route, instead.route])
        further_start = np.frombuffer(tree.further_start, np.int64)
        # What stands behind the nodes has one number.
        further_start = np.append(further_start, np.full(len(slot) - n_nodes, further_start[-1]))
        further = np.array(tree.further)
        has_more = (np.diff(table_start[: n_nodes + 1]) > 0) | (np.diff(further_start[: n_nodes + 1]) > 0)
        is_plain = ((is_coded[:n_nodes] == 0) & (n_branches == 2) & ~has_more).astype(np.uint8)
        nodes = route.Nodes(
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
        most_spreads = _most_on_a_path(missing_route[:n_nodes] == ALL_BRANCHES, parent)
        routes = (missing_route, unseen_route)
        return cls(attributes, nodes, *routes, parent, weight, share, tree.n_leaves, most_spreads)

    def find_leaves(self, block: FloatArray) -> CodeArray:
        """The node where every row of a block ends, or SPREAD."""
        import numpy as np

        from treecli.kernels import route

        leaf_of_row = np.empty(block.shape[1], np.int32)
        route.find_leaves(self.nodes, block, leaf_of_row)
        return leaf_of_row

    def room(self, n_outcomes: int) -> route.Room:
        """Working space for a row that reaches several leaves, with sums of `n_outcomes`."""
        import numpy as np

        from treecli.kernels import route

        n_most = self.n_leaves + self.most_spreads
        return route.Room(np.empty(n_most, np.int64), np.empty(n_most), np.empty((1 + self.most_spreads, n_outcomes)))


@dataclass(frozen=True, slots=True)
class _Instead:
    """The surrogates of all nodes, to stand behind the nodes; `route` is where each sends a value that it lacks."""

    slot: CodeArray
    is_coded: NDArray[np.uint8]
    number: FloatArray
    table_size: CodeArray
    table: CodeArray
    route: CodeArray


def _asked_instead(model: Model, attributes: LongArray, missing_route: CodeArray) -> _Instead:
    """The surrogates; a node's missing_route is set to the first of them, and that one's to the next."""
    import numpy as np

    from treecli.kernels.route import SURROGATES_FROM

    attribute: list[int] = []
    is_coded: list[bool] = []
    number: list[float] = []
    table_size: list[int] = []
    table: list[int] = []
    route: list[int] = []
    n_nodes = model.tree.n_nodes
    for node, surrogates in model.tree.surrogates.items():
        last = missing_route[node]
        missing_route[node] = SURROGATES_FROM + n_nodes + len(attribute)
        for n_more, surrogate in zip(reversed(range(len(surrogates))), surrogates, strict=True):
            split = surrogate.split
            attribute.append(split.attribute)
            number.append(split.number)
            route.append(SURROGATES_FROM + n_nodes + len(attribute) if n_more else last)
            described = model.schema.attributes[split.attribute]
            is_coded.append(not described.is_numeric)
            taken: Sequence[int] = split.table or (0, 1)
            if described.kind == "ordinal" and not split.table:
                taken = [int(code > split.number) for code in range(len(described.labels))]
            # A branch of -1 stands last.
            branch_of = (*surrogate.branches, route[-1])
            table += [branch_of[branch] for branch in taken]
            table_size.append(len(taken))
    return _Instead(
        np.searchsorted(attributes, attribute).astype(np.int32),
        np.array(is_coded, np.uint8),
        np.array(number, np.float64),
        np.array(table_size, np.int32),
        np.array(table, np.int32),
        np.array(route, np.int32),
    )


def _most_on_a_path(counts: NDArray[np.bool_], parent: LongArray) -> int:
    """The most nodes that count on any way from the root."""
    import numpy as np

    if not counts.any():
        return 0
    found, above = counts.astype(np.int64), parent
    while (above >= 0).any():
        # Each round doubles how far up a node has looked: a path of 100,000 nodes takes 17.
        is_below = above >= 0
        found = found + np.where(is_below, found[above], 0)
        above = np.where(is_below, above[above], -1)
    return int(found.max())


def _first_heaviest(weight: FloatArray, families: CodeArray, n_members: CodeArray) -> LongArray:
    """The position of the heaviest member of each family, the first of equals."""
    import numpy as np

    is_heaviest = weight == np.repeat(np.maximum.reduceat(weight, families), n_members)
    positions = np.flatnonzero(is_heaviest)
    return positions[np.searchsorted(positions, families)] - families
