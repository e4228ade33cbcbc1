"""Probes of a tree: rows that reach each leaf, and rows around the tests on its path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from treecli.expressions import attributes_of
from treecli.node import Node
from treecli.predict.predict import distributions
from treecli.predict.probevalues import ProbeValues, dataset_of, probe_rows
from treecli.splits._surrogate import Surrogate
from treecli.tree import ALL_BRANCHES, predicted_codes, predicted_values
from treecli.values import Condition, narrow

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import TreeModel
    from treecli.predict.probevalues import Maker, Probe

N_WITNESSES = 4
"""Leaves below a node through which its test is probed, with different predictions if possible."""

MOST_CANDIDATES = 20_000
CANDIDATES_PER_NODE = 60
"""Limits on the rows searched for near ties, if missing values go down all branches."""

NEAR_TIES = 1 / 20
"""The share of the candidates that are used as near ties."""

Path = dict[int, Condition]
"""The conditions on the path to a node, by attribute."""


def probes(model: TreeModel) -> Dataset:
    """Return the probes of a tree as rows of its schema."""
    source = TreeProbes(model)
    rows = probe_rows(source)
    return dataset_of(model.schema, rows + _near_ties(model, list(source.candidates())))


def _near_ties(model: TreeModel, candidates: list[Probe]) -> list[Probe]:
    """Return the candidates with the smallest margin: a slightly wrong share changes their prediction."""
    if not candidates:
        return []
    import numpy as np

    found = np.sort(distributions(model, dataset_of(model.schema, candidates)), axis=1)
    margin = found[:, -1] - found[:, -2] if found.shape[1] > 1 else found[:, -1]
    return [candidates[place] for place in np.argsort(margin, kind="stable")[: int(len(candidates) * NEAR_TIES)]]


class TreeProbes:
    """The probes of a tree."""

    def __init__(self, model: TreeModel) -> None:
        self.tree = model.tree
        self.schema = model.schema
        self.values = values = ProbeValues(model.schema, is_single=model.settings.predicting.single_precision)
        self._parent = self.tree.parents()
        for node in self.tree.inner_nodes():
            surrogates = (surrogate.split for surrogate in self.tree.surrogates.get(node, ()))
            for split in (self.tree.split(node), *surrogates):
                values.add(split.attribute, values.of_split(split))
        for leaf in self.tree.leaf_models.values():
            values.add_parts(attributes_of(leaf.expression()))
        # In other trees, predictions do not depend on shares, or show them directly.
        inner = self.tree.inner_nodes()
        self._spreads = self.schema.is_classification and any(self.tree.missing_to[n] == ALL_BRANCHES for n in inner)
        self._path = self._paths()
        self._witnesses = self._found_witnesses()

    def makers(self) -> Iterator[Maker]:
        """Yield a maker of every probe."""
        for node in range(self.tree.n_nodes):
            if self.tree.is_leaf(node):
                yield partial(self._row, node, {})
                yield partial(self._row_with_gaps, node)
        for node in self.tree.inner_nodes():
            split, surrogates = self.tree.split(node), self.tree.surrogates.get(node, ())
            for leaf in self._witnesses[node]:
                for value in self.values.of_split(split):
                    yield partial(self._row, leaf, {split.attribute: value})
                for place, surrogate in enumerate(surrogates):
                    lacking = (split.attribute, *(before.split.attribute for before in surrogates[:place]))
                    later = surrogates[place + 1 :]
                    for value in self.values.of_split(surrogate.split):
                        # Later surrogates that disagree show whether this one takes precedence.
                        for branch in (0, 1) if later else (None,):
                            yield partial(self._row_by_surrogate, leaf, lacking, surrogate, value, later, branch)

    def _row(self, leaf: int, changes: Probe) -> Probe:
        """Return a row that reaches a leaf, with some values changed."""
        path = self._path[leaf] or {}
        row = self.values.filled({index: self.values.pick(held) for index, held in path.items()})
        return {index: value for index, value in row.items() if index not in changes} | changes

    def candidates(self) -> Iterator[Probe]:
        """Yield candidates for near ties: rows that reach random leaves, with about half of their values missing."""
        leaves = [node for node in range(self.tree.n_nodes) if self.tree.is_leaf(node)]
        n_candidates = min(MOST_CANDIDATES, CANDIDATES_PER_NODE * self.tree.n_nodes)
        for _ in range(n_candidates if self._spreads else 0):
            yield self._row_with_gaps(self.values.random.choice(leaves))

    def _row_with_gaps(self, leaf: int) -> Probe:
        """Return a row that reaches a leaf, with about half of its values missing."""
        row = self._row(leaf, {})
        return {
            index: v if self.values.random.random() < 0.5 else self.values.missing(index) for index, v in row.items()
        }

    def _row_by_surrogate(
        self,
        leaf: int,
        lacking: tuple[int, ...],
        surrogate: Surrogate,
        value: float,
        later: Sequence[Surrogate],
        branch: int | None,
    ) -> Probe:
        """Return a row without some attributes that reaches a leaf, if possible, so that a surrogate sends it there.

        The surrogate's attribute gets `value`; later surrogates get values that send the row down `branch`.
        """
        path = self._path_without(leaf, frozenset(lacking))
        row = self._row(leaf, {})
        if path is not None:
            row = self.values.filled({index: self.values.pick(held) for index, held in path.items()})
        for other in later if branch is not None else ():
            if branch in other.branches:
                side = other.split.condition(other.branches.index(branch), self.schema)
                row[other.split.attribute] = self.values.pick(side)
        row |= {attribute: self.values.missing(attribute) for attribute in lacking}
        row[surrogate.split.attribute] = value
        return row

    def _paths(self) -> list[Path | None]:
        """Return the conditions on the path to every node; None if no row reaches it."""
        paths: list[Path | None] = [{}]
        for node in self.tree.inner_nodes():  # in level order, as the children are
            view, path = Node(self.tree, node, self.schema), paths[node]
            paths += [
                None if path is None else self._beyond(path, view, branch) for branch in range(len(view.children))
            ]
        return paths

    def _beyond(self, path: Path, node: Node, branch: int) -> Path | None:
        missing_to = self.tree.missing_to[node.index]
        takes_known = branch < node.split.n_branches()
        if not takes_known and missing_to != branch:
            return None
        condition = node.condition(branch)
        if missing_to == ALL_BRANCHES:
            condition = replace(condition, missing=True)
        longer = dict(path)
        return None if narrow(longer, condition, self.schema).is_empty else longer

    def _path_without(self, leaf: int, lacking: frozenset[int]) -> Path | None:
        """Return conditions on the path to a leaf for rows without some attributes; None if no row satisfies them."""
        steps = []
        while leaf:
            parent = self._parent[leaf]
            steps.append((parent, leaf - self.tree.first_child[parent]))
            leaf = parent
        path: Path = {}
        for node, branch in reversed(steps):
            view = Node(self.tree, node, self.schema)
            if view.split.attribute in lacking:
                longer = self._without_own(path, node, branch, lacking)
            else:
                longer = self._beyond(path, view, branch)
            if longer is None:
                return None
            path = longer
        return path

    def _without_own(self, path: Path, node: int, branch: int, lacking: frozenset[int]) -> Path | None:
        """Return the conditions under which a row without the node's attribute takes a branch; None if it cannot."""
        for surrogate in self.tree.surrogates.get(node, ()):
            if surrogate.split.attribute not in lacking:
                if branch not in surrogate.branches:
                    return None
                side = surrogate.split.condition(surrogate.branches.index(branch), self.schema)
                longer = dict(path)
                return None if narrow(longer, side, self.schema).is_empty else longer
        return path if self.tree.missing_to[node] in (branch, ALL_BRANCHES) else None

    def _found_witnesses(self) -> list[list[int]]:
        """Return some reachable leaves below each node, those with different predictions first."""
        is_classification = self.schema.is_classification
        predictions = predicted_codes(self.tree) if is_classification else predicted_values(self.tree)
        found: list[list[int]] = [[] for _ in range(self.tree.n_nodes)]
        for node in reversed(range(self.tree.n_nodes)):
            if self.tree.is_leaf(node):
                found[node] = [node] if self._path[node] is not None else []
                continue
            below = [found[child] for child in self.tree.children(node)]
            # Take leaves from the branches in turn: a test is best probed through all its branches.
            in_turn = [own[place] for place in range(N_WITNESSES) for own in below if place < len(own)]
            first_of = {predictions[leaf]: leaf for leaf in reversed(in_turn)}
            different = [leaf for leaf in in_turn if first_of[predictions[leaf]] == leaf]
            found[node] = [*dict.fromkeys([*different, *in_turn])][:N_WITNESSES]
        return found
