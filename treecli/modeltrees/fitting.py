"""Linear models at the nodes of a tree, fitted to the rows that reach them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treecli.data import Derived
from treecli.features.indicator import Feature
from treecli.kernels import linear_models
from treecli.leaves.linear import Leaf, Line
from treecli.modeltrees.columns import Columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import CodeArray, Dataset, FloatArray, Schema
    from treecli.leaves import Leaf as LeafModel
    from treecli.leaves.linear import Input
    from treecli.tree import Tree

    Longs = NDArray[np.int64]


class Rows(NamedTuple):
    """Rows in an order in which those of each node are side by side, from begin to before end."""

    order: CodeArray
    begin: Longs
    end: Longs


def fitted(
    tree: Tree, schema: Schema, columns: Columns, dataset: Dataset, rows: Rows, means: FloatArray | None = None
) -> dict[int, LeafModel]:
    """Return the linear model of each node that rows reach.

    The inputs of an inner node are those of the columns that it or a node below it tests; a leaf predicts its mean.
    Without columns every node does. `means`: the mean target of every node with Weka's rounding, to be followed.
    """
    first, column = _inputs_of_nodes(tree, schema, columns)
    factor, constant, error = np.zeros(len(column)), np.zeros(tree.n_nodes), np.zeros(tree.n_nodes)
    most = int(np.diff(first).max(initial=0))
    fit = linear_models.Fit()
    target, weights = np.array(dataset.target, np.float64), np.array(dataset.weights)
    fit.set_rows(np.ascontiguousarray(columns.values), target, weights, *rows)
    fit.set_columns(first, column, factor, constant, error)
    cross, solution = np.empty((2, most, most + 1))
    room = np.empty((3, most)), np.empty(most, np.int64), np.empty((most, dataset.n_rows))
    fit.set_room(*room, cross, solution, np.empty(dataset.n_rows))
    active, spare = np.empty((2, most + 1), np.int64)
    linear_models.fit_models(fit, active, spare, np.empty(0) if means is None else means)
    found: dict[int, LeafModel] = {}
    for node in np.flatnonzero(rows.end > rows.begin).tolist():
        own = range(int(first[node]), int(first[node + 1]))
        terms: list[tuple[Input, float]] = [(columns.inputs[column[e]], float(factor[e])) for e in own if factor[e]]
        found[node] = Leaf(Line(float(constant[node]), tuple(terms)), float(error[node]))
    return found


def _inputs_of_nodes(tree: Tree, schema: Schema, columns: Columns) -> tuple[Longs, Longs]:
    """Return where the inputs of each node begin, and the inputs of all nodes side by side."""
    bits_of = _bits_of_columns(schema, columns)
    tested = [0] * tree.n_nodes
    for node in reversed(range(tree.n_nodes)):
        if not tree.is_leaf(node):
            tested[node] = bits_of[tree.attribute[node]]
            for child in tree.children(node):
                tested[node] |= tested[child]
    own = [[i for i in range(bits.bit_length()) if bits >> i & 1] for bits in tested]
    first = np.cumsum([0, *map(len, own)])
    return first.astype(np.int64), np.array([i for inputs in own for i in inputs], np.int64)


def _bits_of_columns(schema: Schema, columns: Columns) -> list[int]:
    """Return the inputs that each column of a split gives, as a set of bits.

    A derived column that is no indicator gives the inputs of its attributes.
    """
    of_attribute = [0] * len(schema.attributes)
    of_feature = {}
    for index, own in enumerate(columns.inputs):
        of_attribute[own.attribute] |= 1 << index
        of_feature[columns.feature(index)] = 1 << index
    found = list(of_attribute)
    for number, column in enumerate(schema.derived, start=len(schema.attributes)):
        assert isinstance(column, Derived)
        if isinstance(column.feature, Feature):
            found.append(of_feature.get(column.feature, 0))
            continue
        bits = 0
        for attribute in schema.inputs([number]):
            bits |= of_attribute[attribute]
        found.append(bits)
    return found


def rows_of_nodes(tree: Tree, end_of_row: CodeArray) -> Rows:
    """Return the rows of every node; `end_of_row` is the node where each row ends."""
    place = np.empty(tree.n_nodes, np.int64)
    place[list(tree.in_reading_order())] = np.arange(tree.n_nodes)
    n_below = np.ones(tree.n_nodes, np.int64)
    for node in reversed(range(tree.n_nodes)):
        for child in tree.children(node):
            n_below[node] += n_below[child]
    rows = np.argsort(place[end_of_row], kind="stable").astype(np.int32)
    ends = np.concatenate([[0], np.cumsum(np.bincount(place[end_of_row], minlength=tree.n_nodes))])
    return Rows(rows, ends[place].astype(np.int64), ends[place + n_below].astype(np.int64))
