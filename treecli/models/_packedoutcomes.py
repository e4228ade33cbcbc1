"""The outcomes of many nodes as JSON: arrays of classes and weights, or of weights, means and deviances."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import msgspec

from treecli.model import LARGEST_SPREAD, LARGEST_VALUE, LARGEST_WEIGHT, MEAN_KEYS, MEDIAN_KEYS
from treecli.models._nodes import RefusalError
from treecli.models._packednumbers import NONE, check_length, numbers, whole
from treecli.outcomes.counts import SparseCounts
from treecli.outcomes.rows import MANY_CLASSES
from treecli.records import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import FloatArray, Schema
    from treecli.tree import Tree

    IntArray = NDArray[np.int64]

EMPTY = -1
"""The `label` of a node without cases."""


class OutcomesRecord(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """The outcomes of some nodes, in preorder.

    `label` has the class of a node whose cases are all of one class, EMPTY for a node without cases, and -k for a node
    with k classes, which stand in `mixed`; `weight` has the weight of every class of every node. For a numeric target
    there are weight, mean and deviance, or median and deviation.
    """

    label: list[int] = []
    mixed: list[int] = []
    weight: list[int | float] = []
    mean: list[float] = []
    deviance: list[float] = []
    median: list[float] = []
    deviation: list[float] = []


class OutcomesText(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """An OutcomesRecord as it is read: lists of numbers are not decoded yet."""

    label: msgspec.Raw = NONE
    mixed: msgspec.Raw = NONE
    weight: msgspec.Raw = NONE
    mean: msgspec.Raw = NONE
    deviance: msgspec.Raw = NONE
    median: msgspec.Raw = NONE
    deviation: msgspec.Raw = NONE


def outcomes_record(tree: Tree, nodes: IntArray, schema: Schema, kept: tuple[str, ...]) -> OutcomesRecord:
    """Return the record of some nodes; `kept` names the outcomes of a numeric target."""
    import numpy as np

    if not isinstance(tree.outcomes, SparseCounts) and not schema.is_classification:
        matrix = np.frombuffer(tree.outcomes).reshape(tree.n_nodes, tree.n_outcomes)[nodes]
        return OutcomesRecord(**{key: _short(values) for key, values in zip(kept, matrix.T, strict=True)})
    if isinstance(tree.outcomes, SparseCounts):
        counts = tree.outcomes.taken_at(nodes)
    else:
        counts = SparseCounts.of_matrix(np.frombuffer(tree.outcomes).reshape(tree.n_nodes, tree.n_outcomes)[nodes])
    size, code = np.diff(np.array(counts.start)), np.array(counts.code, np.int64)
    is_pure = size == 1
    label = np.where(size == 0, EMPTY, -size)
    label[is_pure] = code[np.repeat(is_pure, size)]
    return OutcomesRecord(
        label=label.tolist(), mixed=code[~np.repeat(is_pure, size)].tolist(), weight=_short(np.array(counts.weight))
    )


def _short(values: FloatArray) -> list[Any]:
    """Return numbers, as integers if all are, which are shorter in a file."""
    import numpy as np

    is_whole = bool((np.abs(values) < 2**53).all() and (values == np.floor(values)).all())
    found: list[Any] = (values.astype(np.int64) if is_whole else values).tolist()
    return found


@dataclass(frozen=True, slots=True)
class Counts:
    """The class weights of nodes: how many classes each has, which, and their weights."""

    size: IntArray
    code: IntArray
    weight: FloatArray


def counts_of(record: OutcomesText, n_nodes: int, n_classes: int, field: str) -> Counts:
    """Return the class weights of a record with so many nodes; `field` is its name in messages."""
    import numpy as np

    _check_fields(record, ("label", "mixed", "weight"), field)
    label = whole(record.label, -n_classes, n_classes - 1, f"{field}.label")
    check_length(label, n_nodes, f"{field}.label")
    are_pure = bool((label >= 0).all())
    size = np.ones(n_nodes, np.int64) if are_pure else np.where(label >= 0, 1, np.where(label == EMPTY, 0, -label))
    if n_nodes and n_classes == 1 and (label < EMPTY).any():
        raise RefusalError(f"'{field}.label' has more classes than the target")
    weight = numbers(record.weight, f"{field}.weight")
    check_length(weight, int(size.sum()), f"{field}.weight")
    mixed = whole(record.mixed, 0, n_classes - 1, f"{field}.mixed")
    code = label if are_pure else _codes(label, size, mixed, field)
    if are_pure:
        check_length(mixed, 0, f"{field}.mixed")
    if not ((weight > 0) & (weight <= LARGEST_WEIGHT)).all():
        raise RefusalError(f"'{field}.weight' must contain numbers above 0, up to {LARGEST_WEIGHT:g}")
    return Counts(size, code, weight)


def _codes(label: IntArray, size: IntArray, mixed: IntArray, field: str) -> IntArray:
    """Return the classes of all nodes, one node after the other."""
    import numpy as np

    is_pure = np.repeat(label >= 0, size)
    check_length(mixed, int((~is_pure).sum()), f"{field}.mixed")
    code = np.empty(len(is_pure), np.int64)
    code[is_pure], code[~is_pure] = label[label >= 0], mixed
    owner = np.repeat(np.arange(len(size)), size)
    if ((np.diff(code) <= 0) & (np.diff(owner) == 0)).any():
        raise RefusalError(f"'{field}.mixed' must have the classes of a node in rising order")
    return code


def moments_of(record: OutcomesText, n_nodes: int, field: str, *, takes_medians: bool) -> FloatArray:
    """Return weight, mean and deviance of the nodes of a record."""
    import numpy as np

    keys = MEDIAN_KEYS if takes_medians else MEAN_KEYS
    _check_fields(record, keys, field)
    found = np.empty((n_nodes, len(keys)))
    for place, key in enumerate(keys):
        values = numbers(getattr(record, key), f"{field}.{key}")
        check_length(values, n_nodes, f"{field}.{key}")
        found[:, place] = values
    spread = LARGEST_SPREAD * np.where(found[:, 0] > 0, found[:, 0], 1.0)
    limits: Any = ((0.0, LARGEST_WEIGHT), (-LARGEST_VALUE, LARGEST_VALUE), (0.0, spread))
    for key, values, (least, most) in zip(keys, found.T, limits, strict=True):
        is_right = (values >= least) & (values <= most)
        if not is_right.all():
            raise RefusalError(f"'{field}.{key}' has {values[~is_right][0]:g}, which is out of range")
    return found


def placed(parts: list[tuple[IntArray, Any]], n_nodes: int, n_outcomes: int) -> array[float] | SparseCounts:
    """Return the outcomes of all nodes as a tree keeps them, from those of some nodes each; the others have none."""
    import numpy as np

    if not all(isinstance(found, Counts) for _, found in parts):
        matrix = np.zeros((n_nodes, n_outcomes))
        for nodes, found in parts:
            matrix[nodes] = found
        return array("d", matrix.tobytes())
    if n_outcomes <= MANY_CLASSES:
        outcomes = array("d", [0.0]) * (n_nodes * n_outcomes)
        for nodes, found in parts:
            begin = nodes * n_outcomes
            place = begin if len(found.code) == len(begin) and (found.size == 1).all() else np.repeat(begin, found.size)
            np.frombuffer(outcomes)[place + found.code] = found.weight
        return outcomes
    node = np.concatenate([np.repeat(nodes, found.size) for nodes, found in parts])
    code = np.concatenate([found.code for _, found in parts])
    weight = np.concatenate([found.weight for _, found in parts])
    order = np.lexsort((code, node))
    counts = SparseCounts(n_outcomes)
    counts.start.frombytes(np.cumsum(np.bincount(node, minlength=n_nodes)).astype(np.int64).tobytes())
    counts.code.frombytes(code[order].astype(np.int32).tobytes())
    counts.weight.frombytes(weight[order].tobytes())
    return counts


def _check_fields(record: OutcomesText, allowed: tuple[str, ...], field: str) -> None:
    for key in record.__struct_fields__:
        if key not in allowed and getattr(record, key) != NONE:
            raise RefusalError(f"'{field}' has '{key}', expected only {', '.join(allowed)}")
