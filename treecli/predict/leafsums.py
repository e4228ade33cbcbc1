"""The outcomes of inner nodes from those of the leaves."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from treecli.outcomes.counts import SparseCounts
from treecli.tree import DEVIANCE, MEAN, STAYS, WEIGHT, Tree

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import FloatArray
    from treecli.model import Model

    IntArray = NDArray[np.int64]

KEPT_BITS = 44
"""Sums of weights that are not whole are rounded to this many binary digits."""


def keeps_inner(tree: Tree, *, takes_medians: bool) -> bool:
    """Return whether the outcomes of inner nodes do not follow from those of the leaves.

    Cases may stay at an inner node, and there is no median of medians.
    """
    import numpy as np

    return takes_medians or bool((np.frombuffer(tree.missing_to, np.int32) == STAYS).any())


def bare(tree: Tree, model: Model) -> Tree:
    """Return a tree of an ensemble: without scores and notes, and with inner nodes that count what their leaves do."""
    tree = replace(tree, score=array("d", [0.0]) * tree.n_nodes, notes={})
    if not keeps_inner(tree, takes_medians=model.takes_medians):
        tree.outcomes = summed(tree, is_classification=model.schema.is_classification)
    predicting = model.settings.predicting
    tree.judge_by(predicting.priors, predicting.costs, model.schema.target.labels)
    return tree


def sum_in_place(tree: Tree, *, is_classification: bool) -> None:
    """Set the outcomes of inner nodes to those computed from their children, in a tree that nothing else refers to."""
    import numpy as np

    if isinstance(tree.outcomes, SparseCounts) or not is_classification:
        tree.outcomes = summed(tree, is_classification=is_classification)
    else:
        _sum_classes(tree, np.frombuffer(tree.outcomes).reshape(tree.n_nodes, tree.n_outcomes))


def _sum_classes(tree: Tree, found: FloatArray) -> None:
    """Set the class weights of inner nodes to the sums of those of their children."""
    import numpy as np

    from treecli.kernels.level_order import sum_upwards

    sum_upwards(np.frombuffer(tree.first_child, np.int32), np.frombuffer(tree.n_branches, np.int32), found)
    if (found != np.rint(found)).any():
        weight = found.sum(axis=1)
        above = _above_empty(tree, weight)
        found[above] = _without_last_bits(found[above], weight[above, None])


def summed(tree: Tree, *, is_classification: bool) -> array[float] | SparseCounts:
    """Return the outcomes of all nodes, with those of each inner node computed from its children."""
    import numpy as np

    if isinstance(tree.outcomes, SparseCounts):
        return _summed_sparsely(tree, tree.outcomes)
    found = np.array(tree.outcomes).reshape(tree.n_nodes, tree.n_outcomes)
    if is_classification:
        _sum_classes(tree, found)
        return array("d", found.tobytes())
    for parents, first, last, starts in _levels_upwards(tree):
        children = found[first:last]
        found[parents] = _pooled(children, starts)
    return array("d", found.tobytes())


def _above_empty(tree: Tree, weight: FloatArray) -> IntArray:
    """Return the nodes that an empty node is below, which predicts as they do."""
    import numpy as np

    empty = np.flatnonzero(weight <= 0)
    empty = empty[empty > 0]
    return np.unique(np.array(tree.parents(), np.int64)[empty]) if len(empty) else empty


def _without_last_bits(counts: FloatArray, total: FloatArray) -> FloatArray:
    """Return class weights rounded by the total weight of their nodes: classes that tie are equal again.

    The parts of a row that went down several branches add up to it except for the last bits, and these would choose the
    class of an empty leaf below.
    """
    import numpy as np

    unit = np.ldexp(1.0, np.frexp(total)[1] - KEPT_BITS)
    rounded: FloatArray = np.rint(counts / unit) * unit
    return rounded


def _levels_upwards(tree: Tree) -> Iterator[tuple[IntArray, int, int, IntArray]]:
    """Yield the inner nodes of each level, the lowest first, the range of their children, and where each family starts.

    In level order the children of a level's nodes are the next level.
    """
    import numpy as np

    first_child = np.frombuffer(tree.first_child, np.int32)
    levels, begin, end = [], 0, 1
    while begin < end:
        inner = begin + np.flatnonzero(first_child[begin:end])
        if not len(inner):
            break
        last = int(first_child[inner[-1]] + tree.n_branches[int(inner[-1])])
        levels.append((inner, end, last, (first_child[inner] - end).astype(np.int64)))
        begin, end = end, last
    return reversed(levels)


def _pooled(children: FloatArray, starts: IntArray) -> FloatArray:
    """Return weight, mean and deviance of each family of children."""
    import numpy as np

    weight = np.add.reduceat(children[:, WEIGHT], starts)
    divisor = np.where(weight > 0, weight, 1.0)
    mean = np.add.reduceat(children[:, WEIGHT] * children[:, MEAN], starts) / divisor
    sizes = np.diff(np.append(starts, len(children)))
    apart = children[:, WEIGHT] * (children[:, MEAN] - np.repeat(mean, sizes)) ** 2
    found = np.empty((len(starts), 3))
    found[:, WEIGHT], found[:, MEAN] = weight, mean
    found[:, DEVIANCE] = np.add.reduceat(children[:, DEVIANCE] + apart, starts)
    return found


def _summed_sparsely(tree: Tree, outcomes: SparseCounts) -> SparseCounts:
    """Return the class weights of all nodes; the entries of a level, by node and class, move up to its parents."""
    import numpy as np

    start = np.frombuffer(outcomes.start, np.int64)
    size = np.diff(start)
    size[np.frombuffer(tree.first_child, np.int32) > 0] = 0  # only the leaves count
    node = np.repeat(np.arange(tree.n_nodes), size)
    entry = np.repeat(start[:-1] - np.cumsum(size) + size, size) + np.arange(int(size.sum()))
    code = np.frombuffer(outcomes.code, np.int32)[entry].astype(np.int64)
    weight = np.frombuffer(outcomes.weight)[entry]
    parent = np.array(tree.parents())
    found = [(node, code, weight)]
    risen = (node[:0], code[:0], weight[:0])
    for _, first, last, _ in _levels_upwards(tree):
        own = slice(*np.searchsorted(node, [first, last]))
        nodes, codes, weights = (
            np.concatenate(both) for both in zip(risen, (node[own], code[own], weight[own]), strict=True)
        )
        above = parent[nodes]
        order = np.lexsort((nodes, codes, above))
        above, codes, weights = above[order], codes[order], weights[order]
        at = np.flatnonzero(np.append(True, (np.diff(above) != 0) | (np.diff(codes) != 0))) if len(above) else above
        risen = (above[at], codes[at], np.add.reduceat(weights, at) if len(at) else weights)
        found.append(risen)
    node, code, weight = (np.concatenate(list(of)) for of in zip(*found, strict=True))
    if (weight != np.rint(weight)).any():
        total = np.bincount(node, weight, tree.n_nodes).astype(np.float64)
        is_above = np.isin(node, _above_empty(tree, total))
        weight = np.where(is_above, _without_last_bits(weight, total[node]), weight)
    order = np.lexsort((code, node))
    result = SparseCounts(outcomes.n_outcomes)
    result.start.frombytes(np.cumsum(np.bincount(node, minlength=tree.n_nodes)).astype(np.int64).tobytes())
    result.code.frombytes(code[order].astype(np.int32).tobytes())
    result.weight.frombytes(weight[order].tobytes())
    return result
