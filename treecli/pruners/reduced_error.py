"""Reduced-error pruning: remove nodes that do not help on data not used for growing (Quinlan 1987)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from treecli.errors import DataError
from treecli.pruners import option
from treecli.records import dataclass
from treecli.tree import DEVIANCE, MEAN, WEIGHT, Tree, predicted_codes, predicted_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import Dataset, FloatArray
    from treecli.model import TreeModel
    from treecli.predict.grove import Rows

DATA = "needed"

ROUNDING = 1e-10
"""Errors that differ by less than this share of the greatest error of any node are equal.

Fractional cases and squared errors are not exact in binary, and ties must be recognized for the leaf to win them.
"""


@dataclass(frozen=True, slots=True)
class Options:
    """The order of removal: bottom-up, or repeatedly the node whose removal helps most."""

    greedy: bool = option(False, "Repeatedly remove the node that lowers the error most, instead of working bottom-up.")


def prune(model: TreeModel, options: Options, dataset: Dataset | None) -> Tree:
    """The tree without the nodes that do not lower the error on tuning data.

    A new leaf predicts from its training cases. The error is the weight of the wrong cases, or the squared error of a
    numeric target; a case spread over several leaves counts in each with its share. Equality prunes.
    """
    assert dataset is not None
    as_leaf, staying = _tuning_errors(model, dataset)
    unit = ROUNDING * float(as_leaf.max()) or 1.0
    choose = _greedily if options.greedy else _bottom_up
    becomes_leaf = choose(model.tree, (as_leaf / unit).tolist(), (staying / unit).tolist())
    return model.tree.collapsed(becomes_leaf.__getitem__)


def prune_grove(model: TreeModel, options: Options, dataset: Dataset, rows: Sequence[Rows]) -> Tree | None:
    """The grove in which the tree of each sample is pruned; None for --greedy, which compares nodes of one tree."""
    import numpy as np

    from treecli.predict.grove import rows_for_grove, sample_of_node

    if options.greedy:
        return None
    as_leaf, staying = _tuning_errors(model, rows_for_grove(dataset, model.schema, rows))
    # The root, sample -1, has the last unit.
    unit, sample = np.zeros(len(rows) + 1), sample_of_node(model.tree)
    np.maximum.at(unit, sample, as_leaf)
    unit *= ROUNDING
    unit[unit == 0] = 1.0
    becomes_leaf = _bottom_up(model.tree, (as_leaf / unit[sample]).tolist(), (staying / unit[sample]).tolist())
    becomes_leaf[0] = False
    return model.tree.collapsed(becomes_leaf.__getitem__)


def _bottom_up(tree: Tree, as_leaf: list[float], staying: list[float]) -> list[bool]:
    """A flag per node: whether it becomes a leaf; gives the least error of all prunings, with the fewest leaves."""
    becomes_leaf = [False] * tree.n_nodes
    errors = list(staying)
    for node in reversed(range(tree.n_nodes)):
        errors[node] += sum(errors[child] for child in tree.children(node))
        if not tree.is_leaf(node) and round(errors[node] - as_leaf[node]) >= 0:
            becomes_leaf[node] = True
            errors[node] = as_leaf[node]
    return becomes_leaf


def _greedily(tree: Tree, as_leaf: list[float], staying: list[float]) -> list[bool]:
    """A flag per node: whether it becomes a leaf; ties go to the node with the most leaves, then the shallower node,
    then the first.

    One sorted pass suffices. Removing the node with the greatest gain G lowers the gain of its ancestors by G, which
    makes them negative for good: none had more than G, and one with exactly G has more leaves, or is shallower, and
    would have come first. The nodes below are removed, and all others keep their gain.
    """
    errors = list(staying)
    n_leaves = [0] * tree.n_nodes
    for node in reversed(range(tree.n_nodes)):
        errors[node] += sum(errors[child] for child in tree.children(node))
        n_leaves[node] = sum(n_leaves[child] for child in tree.children(node)) or 1
    gain = [round(subtree - leaf) for subtree, leaf in zip(errors, as_leaf, strict=True)]
    parent = tree.parents()
    becomes_leaf = [False] * tree.n_nodes
    is_settled = [False] * tree.n_nodes
    candidates = [node for node in tree.inner_nodes() if gain[node] >= 0]
    candidates.sort(key=lambda node: (-gain[node], -n_leaves[node]))  # ties stay in level order
    for node in candidates:
        if is_settled[node]:
            continue
        becomes_leaf[node] = True
        for below in tree.in_reading_order(node):
            is_settled[below] = True
        above = parent[node]
        while above >= 0 and not is_settled[above]:
            is_settled[above] = True
            above = parent[above]
    return becomes_leaf


def _tuning_errors(model: TreeModel, dataset: Dataset) -> tuple[FloatArray, FloatArray]:
    """The error of each node's tuning cases if it were a leaf, and the part from cases that go no further."""
    import numpy as np

    from treecli.predict.predict import arrivals, arrivals_of_classes

    tree = model.tree
    predicted = np.array(predicted_codes(tree) if model.schema.is_classification else predicted_values(tree))
    parent = np.array(tree.parents())
    said = predicted, predicted[parent]
    if model.schema.is_classification:
        as_leaf, with_label_of_parent = _class_errors(arrivals_of_classes(model, dataset), said)
    else:
        arrived = arrivals(model, dataset)
        as_leaf, with_label_of_parent = (_squared_errors(arrived, each) for each in said)
    if not np.isfinite(as_leaf).all():
        raise DataError(
            f"the squared errors of '{model.schema.target.name}' in the tuning data overflow",
            "look for an infinite or a huge value",
        )
    return as_leaf, as_leaf - np.bincount(parent[1:], with_label_of_parent[1:], minlength=tree.n_nodes)


def _class_errors(arrived: Iterator[tuple[range, FloatArray]], said: Sequence[NDArray[Any]]) -> list[FloatArray]:
    """The errors of every node under each of some labels, of some classes at a time."""
    import numpy as np

    total: Any = 0.0
    right: list[Any] = [0.0 for _ in said]
    for classes, part in arrived:
        total = total + part.sum(axis=1)
        for place, labels in enumerate(said):
            is_here = (labels >= classes.start) & (labels < classes.stop)
            own = np.where(is_here, labels - classes.start, 0)[:, np.newaxis]
            right[place] = right[place] + np.where(is_here, np.take_along_axis(part, own, axis=1)[:, 0], 0.0)
    return [total - each for each in right]


def _squared_errors(arrived: FloatArray, predicted: NDArray[Any]) -> FloatArray:
    import numpy as np

    with np.errstate(over="ignore", invalid="ignore"):  # the caller checks the result
        errors: FloatArray = arrived[:, DEVIANCE] + arrived[:, WEIGHT] * (arrived[:, MEAN] - predicted) ** 2
    return errors
