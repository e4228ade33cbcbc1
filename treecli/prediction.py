"""What a model says about rows, and which of its nodes they reach."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treecli.data import MISSING, UNSEEN, Dataset, in_single_precision
from treecli.errors import DataError, ModelError, did_you_mean
from treecli.model import Model
from treecli.tree import ALL_BRANCHES, LEAF, MEAN, WEIGHT, predicted_codes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import CodeArray, Column, FloatArray

    LongArray = NDArray[np.int64]

UNSEEN_POLICIES = ("missing", "majority", "error")
"""A label that the model has not seen counts as a missing value, or takes the heaviest branch, or is refused."""

SPREAD = -1
"""In place of a leaf: the row reaches several."""

_ENDS_HERE = ALL_BRANCHES - 1
"""In place of a branch: the row goes no further, for no branch below had a training case."""

NUDGE = 4 * 2.0**-52
"""More than dividing by a sum can take from a probability, and less than can be seen."""

_ROWS_AT_ONCE = 16384
"""Few enough that the values of 20 attributes stay in a core's cache."""


def distributions(model: Model, dataset: Dataset, jobs: int | None = None) -> FloatArray:
    """The probability of every class for every row, n_rows × n_classes; for a numeric target the mean, n_rows × 1.

    A row that reaches several leaves gets the average of what they say, by the share of it that reaches each.
    An empty leaf says what the nearest node above it that is not empty says.
    """
    import numpy as np

    routing = _Routing.of(model)
    prediction, scale = _node_predictions(model)
    source = _nearest_filled(model, routing)
    result = np.empty((dataset.n_rows, prediction.shape[1]))

    def predict(rows: slice, block: FloatArray) -> None:
        from treecli.kernels import route

        leaf_of_row = routing.find_leaves(block)
        nodes = source[np.maximum(leaf_of_row, 0)]
        result[rows] = prediction[nodes] / scale[nodes, None]
        spread = np.flatnonzero(leaf_of_row == SPREAD)
        if len(spread):
            mixed = np.zeros((len(spread), prediction.shape[1]))
            spreading = (routing.n_branches, routing.share)
            route.mix_leaves(
                block, *routing.arrays, *spreading, prediction, scale, source, spread, *routing.pending(), mixed
            )
            result[rows][spread] = mixed

    _for_each_block(predict, model, dataset, routing, jobs)
    return result


def predicted(model: Model, distributions: FloatArray) -> Column:
    """The code of the label of every row: the most probable, or by costs the one of least expected cost, of equals the
    first; for a numeric target the number.
    """
    import numpy as np

    if not model.schema.is_classification:
        return distributions[:, 0]
    costs = model.tree.costs
    merit = distributions if costs is None else -(distributions @ np.array(costs))
    codes: CodeArray = merit.argmax(axis=1).astype(np.int32)
    return codes


def leaves(model: Model, dataset: Dataset, jobs: int | None = None) -> CodeArray:
    """The node where every row ends, or SPREAD where it reaches several leaves."""
    import numpy as np

    routing = _Routing.of(model)
    leaf_of_row = np.empty(dataset.n_rows, np.int32)

    def find(rows: slice, block: FloatArray) -> None:
        leaf_of_row[rows] = routing.find_leaves(block)

    _for_each_block(find, model, dataset, routing, jobs)
    return leaf_of_row


def arrivals(model: Model, dataset: Dataset) -> FloatArray:
    """What reaches every node, n_nodes × n_outcomes: the weight of each class, or weight, mean and deviance.

    A row that goes down several branches counts in each by its share. Rows whose target is missing, or a label
    that the model does not know, do not count.
    """
    import numpy as np

    from treecli.kernels import route

    assert dataset.target is not None
    routing = _Routing.of(model)
    arrived = np.zeros((model.tree.n_nodes, model.schema.n_outcomes))
    is_numeric = not model.schema.is_classification
    spreading = (routing.n_branches, routing.share)
    # Copies, because the kernels take no arrays that a reader has locked.
    target, weights = np.array(dataset.target, np.float64), np.array(dataset.weights)

    def count(rows: slice, block: FloatArray) -> None:
        cases = (target[rows], weights[rows], is_numeric)
        route.count_arrivals(block, *routing.arrays, *spreading, *cases, *routing.pending(), arrived)

    # One thread: sums of fractions depend on the order in which they are added.
    _for_each_block(count, model, dataset, routing, jobs=1)
    return arrived


def refuse_unseen(model: Model, dataset: Dataset, name: str) -> None:
    """Raises a DataError if an attribute that the tree asks about holds a label that the model has not seen."""
    import numpy as np

    for attribute in sorted(set(model.tree.attribute) - {LEAF}):
        described = model.schema.attributes[attribute]
        if described.is_numeric:
            continue
        rows = np.flatnonzero(dataset.columns[attribute] == UNSEEN)
        if len(rows):
            others = f" (the first of {len(rows)})" if len(rows) > 1 else ""
            raise DataError(
                f"{name}: row {rows[0] + 1}{others}: '{described.name}' has a label that the model has not seen",
                "--unseen missing takes it for a missing value, --unseen majority sends it down the heaviest branch",
            )


@dataclass(frozen=True, slots=True)
class _Routing:
    """A tree in the form that the kernels take, with every rule about missing values and unseen labels worked out."""

    attributes: LongArray
    """Those that the tree asks about: the rows of a block."""

    arrays: tuple[Any, ...]
    """slot, is_coded, number, further_start, further, table_start, table, first_child, missing_route and unseen_route
    of kernels.route."""

    n_branches: CodeArray
    parent: LongArray
    weight: FloatArray
    share: FloatArray
    """The part of a row that takes this branch when it goes down all branches of the parent."""

    n_leaves: int

    @classmethod
    def of(cls, model: Model) -> _Routing:
        import numpy as np

        tree, schema = model.tree, model.schema
        policy = model.settings.unseen
        if policy not in UNSEEN_POLICIES:
            raise ModelError(
                f"settings: unknown '{policy}' for unseen labels (known: {', '.join(UNSEEN_POLICIES)})",
                did_you_mean(policy, UNSEEN_POLICIES),
            )
        n_nodes = tree.n_nodes
        first_child, n_branches = np.frombuffer(tree.first_child, np.int32), np.frombuffer(tree.n_branches, np.int32)
        outcomes = np.frombuffer(tree.outcomes).reshape(n_nodes, tree.n_outcomes)
        weight = outcomes.sum(axis=1) if schema.is_classification else outcomes[:, WEIGHT].copy()
        inner = np.flatnonzero(first_child)
        attribute = np.frombuffer(tree.attribute, np.int32)[inner]
        asked_instead = [s.split.attribute for surrogates in tree.surrogates.values() for s in surrogates]
        attributes = np.unique(np.append(attribute, asked_instead)).astype(np.int64)
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
            to_all = np.where(n_filled == 0, _ENDS_HERE, np.where(n_filled == 1, heaviest, ALL_BRANCHES))
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
        numbers = (number, further_start, further)
        arrays = (slot, is_coded, *numbers, table_start, table, first_child, missing_route, unseen_route)
        return cls(attributes, arrays, n_branches, parent, weight, share, tree.n_leaves)

    def find_leaves(self, block: FloatArray) -> CodeArray:
        """The node where every row of a block ends, or SPREAD."""
        import numpy as np

        from treecli.kernels import route

        leaf_of_row = np.empty(block.shape[1], np.int32)
        route.find_leaves(block, *self.arrays, leaf_of_row)
        return leaf_of_row

    def pending(self) -> tuple[LongArray, FloatArray]:
        """Room for the parts of a row that wait while another goes on: at most one for each leaf."""
        import numpy as np

        return np.empty(self.n_leaves, np.int64), np.empty(self.n_leaves)


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
            if described.kind == "ordinal":
                taken = [int(code > split.number) for code in range(len(described.labels))]
            table += [route[-1] if branch < 0 else surrogate.branches[branch] for branch in taken]
            table_size.append(len(taken))
    return _Instead(
        np.searchsorted(attributes, attribute).astype(np.int32),
        np.array(is_coded, np.uint8),
        np.array(number, np.float64),
        np.array(table_size, np.int32),
        np.array(table, np.int32),
        np.array(route, np.int32),
    )


def _first_heaviest(weight: FloatArray, families: CodeArray, n_members: CodeArray) -> LongArray:
    """The position of the heaviest member of each family, the first of equals."""
    import numpy as np

    is_heaviest = weight == np.repeat(np.maximum.reduceat(weight, families), n_members)
    positions = np.flatnonzero(is_heaviest)
    return positions[np.searchsorted(positions, families)] - families


def _node_predictions(model: Model) -> tuple[FloatArray, FloatArray]:
    """What every node says, n_nodes × n_classes or n_nodes × 1, and what that is to be divided by."""
    import numpy as np

    tree = model.tree
    outcomes = np.frombuffer(tree.outcomes).reshape(tree.n_nodes, tree.n_outcomes)
    if not model.schema.is_classification:
        return np.ascontiguousarray(outcomes[:, MEAN : MEAN + 1]), np.ones(tree.n_nodes)
    total = outcomes.sum(axis=1)
    if total[0] == 0:  # a tree that no case has ever reached has no preference
        outcomes = outcomes.copy()
        outcomes[0] = 1.0
        total[0] = tree.n_outcomes
    if model.settings.laplace:
        outcomes, total = outcomes + 1.0, total + tree.n_outcomes
    if tree.class_scale:
        return _by_priors(model, outcomes * np.array(tree.class_scale)), np.ones(tree.n_nodes)
    return outcomes, np.where(total > 0, total, 1.0)


def _by_priors(model: Model, counts: FloatArray) -> FloatArray:
    """The class probabilities of every node, from counts times priors.

    Where labels tie but for rounding, one that is the node's label stays ahead: equal priors make for many such ties.
    """
    import numpy as np

    total = counts.sum(axis=1, keepdims=True)
    probabilities: FloatArray = counts / np.where(total > 0, total, 1.0)
    labels = np.array(predicted_codes(model.tree))
    for node in np.flatnonzero(predicted(model, probabilities) != labels).tolist():
        nudged = probabilities[node : node + 1].copy()
        nudged[0, labels[node]] += NUDGE
        if predicted(model, nudged)[0] == labels[node]:
            probabilities[node] = nudged[0]
    return probabilities


def _nearest_filled(model: Model, routing: _Routing) -> LongArray:
    """For every node itself if a training case reached it, else the nearest node above of which that is true."""
    import numpy as np

    nodes = np.arange(model.tree.n_nodes)
    source = np.where((routing.weight > 0) | (nodes == 0), nodes, routing.parent)
    while True:
        # Each round doubles how far up a node has looked: a chain of 100,000 empty nodes takes 17.
        further = source[source]
        if np.array_equal(further, source):
            return source
        source = further


def _for_each_block(
    work: Callable[[slice, FloatArray], None], model: Model, dataset: Dataset, routing: _Routing, jobs: int | None
) -> None:
    """Hands every block of rows to `work` with the values of the attributes that the tree asks about."""
    if model.schema.attributes != dataset.schema.attributes:
        raise ValueError("the rows were read with the schema of another model")
    if model.settings.unseen == "error":
        refuse_unseen(model, dataset, "the data")
    n_rows = dataset.n_rows
    blocks = [slice(start, min(start + _ROWS_AT_ONCE, n_rows)) for start in range(0, n_rows, _ROWS_AT_ONCE)]
    n_threads = min(jobs or os.cpu_count() or 1, len(blocks))

    def run(rows: slice) -> None:
        block = _block(dataset, routing.attributes, rows)
        work(rows, in_single_precision(block) if model.settings.single_precision else block)

    if n_threads <= 1:
        for rows in blocks:
            run(rows)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(n_threads) as threads:
        for _ in threads.map(run, blocks):
            pass


def _block(dataset: Dataset, attributes: LongArray, rows: slice) -> FloatArray:
    """The values of some attributes in some rows, as the kernels take them: missing ones are NaN."""
    import numpy as np

    block = np.empty((len(attributes), rows.stop - rows.start))
    for values, attribute in zip(block, attributes, strict=True):
        column = dataset.columns[attribute][rows]
        values[:] = column
        if column.dtype != np.float64:
            values[column == MISSING] = np.nan
    return block
