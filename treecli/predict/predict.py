"""Predictions of a tree, and the leaves that rows reach."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from treecli.data import MISSING, UNSEEN, Dataset, Schema, in_single_precision
from treecli.errors import DataError
from treecli.expressions import attributes_of
from treecli.model import TreeModel
from treecli.outcomes.rows import MANY_CLASSES
from treecli.predict.leafmodels import LeafModels
from treecli.predict.nodevalues import NodeValues, predicted
from treecli.predict.routes import Routing
from treecli.tree import ALL_BRANCHES, LEAF
from treecli.values import Condition

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import CodeArray, Column, FloatArray

    LongArray = NDArray[np.int64]

SPREAD = -1
"""Marks a row that reaches several leaves, in place of a leaf."""

_ROWS_AT_ONCE = 16384
"""Small enough that the values of 20 attributes stay in a core's cache."""

_NUMBERS_AT_ONCE = 1 << 22
"""Limit on the probabilities of a block: with many classes, blocks have fewer rows."""


def distributions(model: TreeModel, dataset: Dataset, jobs: int | None = None) -> FloatArray:
    """Return the class probabilities, n_rows × n_classes; for a numeric target the means, n_rows × 1.

    A row that reaches several leaves gets the average of their predictions, weighted by the share of the row that
    reaches each; as in J48, the branches of a node are summed before their sum is added to others.
    An empty leaf predicts like its nearest ancestor that a training case reached.
    """
    import numpy as np

    result = np.empty((dataset.n_rows, model.schema.n_outcomes if model.schema.is_classification else 1))

    def keep(rows: slice, found: FloatArray) -> None:
        result[rows] = found

    _for_each_distribution(keep, model, dataset, jobs)
    return result


def predictions(model: TreeModel, dataset: Dataset, jobs: int | None = None) -> Column:
    """Return the prediction for every row, as `predicted(distributions)` does, but block by block."""
    import numpy as np

    result: Any = np.empty(dataset.n_rows, np.int32 if model.schema.is_classification else np.float64)

    routing, values = Routing.of(model), NodeValues(model)
    labels: Any = values.labels()

    def keep(rows: slice, found: FloatArray) -> None:
        result[rows] = predicted(model, found)

    def label(rows: slice, block: FloatArray) -> None:
        leaf_of_row = routing.find_leaves(block)
        found = np.take(labels, leaf_of_row, mode="clip")
        spread = np.flatnonzero(leaf_of_row == SPREAD)
        if len(spread):
            found[spread] = predicted(model, _mixed(routing, values, block, spread))
        result[rows] = found

    if labels is None:
        _for_each_distribution(keep, model, dataset, jobs, values)
    else:
        _for_each_block(label, model, dataset, routing, jobs, _rows_at_once(values))
    return cast("Column", result)


def _for_each_distribution(
    keep: Callable[[slice, FloatArray], None],
    model: TreeModel,
    dataset: Dataset,
    jobs: int | None,
    values: NodeValues | None = None,
) -> None:
    """Call `keep` with the distributions of every block of rows; `values`: those of the nodes, if they are known."""
    import numpy as np

    routing, values = Routing.of(model), NodeValues(model) if values is None else values
    leaf_models = LeafModels(model, dataset, routing) if model.tree.leaf_models else None

    def predict(rows: slice, block: FloatArray) -> None:
        leaf_of_row = routing.find_leaves(block)
        found = values.of(leaf_of_row)
        spread = np.flatnonzero(leaf_of_row == SPREAD)
        if leaf_models is not None:
            leaf_models.fill(found, rows, leaf_of_row)
            leaf_models.mix(found, rows, spread, block, values.numbers)
        elif len(spread):
            found[spread] = _mixed(routing, values, block, spread)
        keep(rows, found)

    _for_each_block(predict, model, dataset, routing, jobs, _rows_at_once(values))


def _rows_at_once(values: NodeValues) -> int:
    return max(min(_ROWS_AT_ONCE, _NUMBERS_AT_ONCE // values.n_values), 1)


def _mixed(routing: Routing, values: NodeValues, block: FloatArray, spread: LongArray) -> FloatArray:
    """Return the predictions for the rows of a block that reach several leaves."""
    import numpy as np

    from treecli.kernels import route

    mixed = np.empty((len(spread), values.n_values))
    route.mix_leaves(routing.nodes, block, spread, values.leaves(), routing.room(values.n_values), mixed)
    return mixed


def leaves(model: TreeModel, dataset: Dataset, jobs: int | None = None) -> CodeArray:
    """Return the node where each row ends, or SPREAD if it reaches several leaves."""
    import numpy as np

    routing = Routing.of(model)
    leaf_of_row = np.empty(dataset.n_rows, np.int32)

    def find(rows: slice, block: FloatArray) -> None:
        leaf_of_row[rows] = routing.find_leaves(block)

    _for_each_block(find, model, dataset, routing, jobs, _ROWS_AT_ONCE)
    return leaf_of_row


def single_leaves(model: TreeModel, dataset: Dataset, jobs: int | None = None) -> CodeArray:
    """Return the node where each row ends if missing values that go down several branches take the heaviest one."""
    heaviest, tree = Routing.of(model).heaviest.tolist(), model.tree
    missing_to = array("i", tree.missing_to)
    for node in tree.inner_nodes():
        if missing_to[node] == ALL_BRANCHES:
            missing_to[node] = heaviest[node]
    return leaves(replace(model, tree=replace(tree, missing_to=missing_to)), dataset, jobs)


def arrivals(model: TreeModel, dataset: Dataset) -> FloatArray:
    """Return the outcomes at every node, n_nodes × n_outcomes: class weights, or weight, mean and deviance.

    A row that goes down several branches counts in each by its share. Rows with a missing or unseen target are
    ignored.
    """
    import numpy as np

    # A copy, because the kernels do not accept read-only arrays.
    target = np.array(dataset.target, np.float64)
    return _arrived(model, dataset, target, model.schema.n_outcomes, is_numeric=not model.schema.is_classification)


def arrivals_of_rows(model: TreeModel, dataset: Dataset) -> FloatArray:
    """Return the weight with which every row arrives at every node, n_nodes × n_rows: for few rows."""
    import numpy as np

    return _arrived(model, dataset, np.arange(dataset.n_rows, dtype=np.float64), dataset.n_rows, is_numeric=False)


def _arrived(
    model: TreeModel, dataset: Dataset, target: FloatArray, n_outcomes: int, *, is_numeric: bool
) -> FloatArray:
    """Return the outcomes of these targets at every node."""
    import numpy as np

    from treecli.kernels import route

    routing = Routing.of(model)
    arrived = np.zeros((model.tree.n_nodes, n_outcomes))
    weights = np.array(dataset.weights)

    def count(rows: slice, block: FloatArray) -> None:
        room = routing.room(0)
        route.count_arrivals(routing.nodes, block, target[rows], weights[rows], is_numeric, room, arrived)

    # One thread: the rounding of sums depends on their order.
    _for_each_block(count, model, dataset, routing, 1, _ROWS_AT_ONCE)
    return arrived


def arrivals_of_classes(model: TreeModel, dataset: Dataset) -> Iterator[tuple[range, FloatArray]]:
    """Yield some classes and their weights at every node, n_nodes × classes, until all classes are counted.

    With few classes these are all; with thousands a number per node and class would take too much memory.
    """
    import numpy as np

    n_classes = model.schema.n_outcomes
    if n_classes <= MANY_CLASSES:
        yield range(n_classes), arrivals(model, dataset)
        return
    assert dataset.target is not None
    order = np.argsort(dataset.target, kind="stable")
    for begin in range(0, n_classes, MANY_CLASSES):
        classes = range(begin, min(begin + MANY_CLASSES, n_classes))
        first, last = np.searchsorted(dataset.target[order], [classes.start, classes.stop])
        own = dataset.take(np.sort(order[first:last]))
        target = np.array(own.target, np.float64) - begin
        yield classes, _arrived(model, own, target, len(classes), is_numeric=False)


UNSEEN_LABEL = "has a label that the model has not seen"

UNSEEN_REFUSED = "the model was trained with --unseen error: leave such rows out, or train with another --unseen"
"""The hint of commands that cannot change the policy."""

UNSEEN_HINT = "--unseen missing takes it for a missing value, --unseen majority sends it down the heaviest branch"


def columns_used(model: TreeModel) -> list[int]:
    """Return the attributes that splits, surrogates and leaf models use."""
    instead = (surrogate.split.attribute for them in model.tree.surrogates.values() for surrogate in them)
    own = (attribute for leaf in model.tree.leaf_models.values() for attribute in attributes_of(leaf.expression()))
    return model.schema.inputs({*model.tree.attribute, *instead, *own} - {LEAF})


def conditions(model: TreeModel) -> Iterator[Condition]:
    """Yield the known values of every branch of every split and surrogate."""
    tree = model.tree
    for node in tree.inner_nodes():
        for split in (tree.split(node), *(surrogate.split for surrogate in tree.surrogates.get(node, ()))):
            for branch in range(split.n_branches()):
                yield split.condition(branch, model.schema)


def refuse_unseen(model: TreeModel, dataset: Dataset, name: str, hint: str = UNSEEN_HINT) -> None:
    """Raise a DataError if a column that the tree uses contains an unseen label."""
    refuse_labels(dataset, columns_used(model), name, UNSEEN_LABEL, hint)


def refuse_labels(dataset: Dataset, columns: Iterable[int], name: str, found: str, hint: str) -> None:
    """Raise a DataError with the text `found` if one of the columns contains a label outside the schema."""
    import numpy as np

    for index in columns:
        attribute = dataset.schema.columns[index]
        if attribute.is_numeric:
            continue
        rows = np.flatnonzero(dataset.columns[index] == UNSEEN)
        if len(rows):
            others = f" (the first of {len(rows)})" if len(rows) > 1 else ""
            raise DataError(f"{name}: row {rows[0] + 1}{others}: '{attribute.name}' {found}", hint)


def _for_each_block(
    work: Callable[[slice, FloatArray], None],
    model: TreeModel,
    dataset: Dataset,
    routing: Routing,
    jobs: int | None,
    at_once: int,
) -> None:
    """Call `work` for every block of rows with the values of the attributes that the tree uses."""
    refuse_mismatch(model, dataset)
    n_rows = dataset.n_rows
    blocks = [slice(start, min(start + at_once, n_rows)) for start in range(0, n_rows, at_once)]
    n_threads = min(jobs or os.cpu_count() or 1, len(blocks))

    def run(rows: slice) -> None:
        block = block_of(dataset, model.schema, routing.attributes, rows)
        work(rows, in_single_precision(block) if model.settings.predicting.single_precision else block)

    if n_threads <= 1:
        for rows in blocks:
            run(rows)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(n_threads) as threads:
        for _ in threads.map(run, blocks):
            pass


def refuse_mismatch(model: TreeModel, dataset: Dataset, columns: Iterable[int] | None = None) -> None:
    """Raise an error for rows of another schema, or with unseen labels if the model refuses them.

    `columns` are those that are used, if the model is one of several trees.
    """
    if model.schema.attributes != dataset.schema.attributes:
        raise ValueError("the rows were read with the schema of another model")
    if model.settings.predicting.unseen == "error":
        used = columns_used(model) if columns is None else columns
        refuse_labels(dataset, used, "the data", UNSEEN_LABEL, UNSEEN_REFUSED)


def block_of(dataset: Dataset, schema: Schema, columns: Iterable[int], rows: slice) -> FloatArray:
    """Return the values of some columns in some rows for the kernels; missing values are NaN."""
    import numpy as np

    indices, n_rows, n_attributes = list(columns), rows.stop - rows.start, len(schema.attributes)
    block = np.empty((len(indices), n_rows))
    for values, index in zip(block, indices, strict=True):
        if index >= n_attributes:
            values[:] = schema.derived[index - n_attributes].values(lambda part: dataset.columns[part][rows], n_rows)
            continue
        column = dataset.columns[index][rows]
        values[:] = column
        if column.dtype != np.float64:
            values[column == MISSING] = np.nan
    return block
