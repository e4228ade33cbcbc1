"""The trees of an ensemble as JSON: an array for each field, with the nodes in preorder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from treecli.model import MEAN_KEYS, MEDIAN_KEYS
from treecli.models._packednumbers import NONE
from treecli.models._packedoutcomes import OutcomesRecord, OutcomesText, outcomes_record
from treecli.splits._registry import kinds
from treecli.tree import ALL_BRANCHES, Tree

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.model import EnsembleModel


class TreeRecord(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """The fields of a tree; those of inner nodes and leaves have an entry for each of these only."""

    attribute: list[int]
    """All nodes: 0 for a leaf, else the number of the column that is asked about, from 1."""
    weight: float = 1.0
    kind: list[int] = []
    """Inner nodes: an index into the `kinds` of the file; none if the file has one kind."""
    at_most: list[float] = []
    bounds: list[list[float]] = []
    label: list[int] = []
    table: list[int] = []
    sparse: list[tuple[int, int]] = []
    """The sparse ones among the tables of `table`, by their number, and how many entries they have."""
    missing_to: list[int] | int = ALL_BRANCHES
    surrogates: dict[int, list[dict[str, Any]]] = {}
    leaves: OutcomesRecord = msgspec.field(default_factory=OutcomesRecord)
    inner: OutcomesRecord | None = None


class TreeText(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A TreeRecord as it is read: lists of numbers are not decoded yet."""

    attribute: msgspec.Raw
    weight: float = 1.0
    kind: msgspec.Raw = NONE
    at_most: msgspec.Raw = NONE
    bounds: list[list[float]] = []
    label: msgspec.Raw = NONE
    table: msgspec.Raw = NONE
    sparse: list[tuple[int, int]] = []
    missing_to: msgspec.Raw = msgspec.Raw(b"%d" % ALL_BRANCHES)
    surrogates: dict[int, list[dict[str, Any]]] = {}
    leaves: OutcomesText = msgspec.field(default_factory=OutcomesText)
    inner: OutcomesText | None = None


def kinds_used(model: EnsembleModel) -> list[str]:
    """Return the kinds of split in the trees of an ensemble."""
    used = {kind for tree in model.trees for kind in set(tree.kind)}
    return [kind for place, kind in enumerate(kinds()) if place in used]


def record_of(model: EnsembleModel, index: int, used: list[str]) -> TreeRecord:
    """Return the record of one of the trees; `used` has the kinds of split in the file."""
    import numpy as np

    from treecli.predict.leafsums import keeps_inner

    tree, schema = model.trees[index], model.schema
    order = in_preorder(tree)
    first_child = np.frombuffer(tree.first_child, np.int32)[order]
    attribute = np.frombuffer(tree.attribute, np.int32)[order]
    inner, leaves = order[first_child > 0], order[first_child == 0]
    kind = np.frombuffer(tree.kind, np.int8)[inner]
    record = TreeRecord((attribute + 1).tolist(), weight=model.weights[index])
    if len(used) > 1:
        place_of = {kinds().index(name): place for place, name in enumerate(used)}
        record.kind = [place_of[code] for code in kind.tolist()]
    number = np.frombuffer(tree.number)[inner]
    of_kind = {name: inner[kind == kinds().index(name)] for name in used}
    if "threshold" in of_kind:
        record.at_most = number[kind == kinds().index("threshold")].tolist()
    for node in of_kind.get("bins", ()):
        split: Any = tree.split(int(node))
        record.bounds.append(list(split.bounds))
    for node in of_kind.get("binary", ()):
        split = tree.split(int(node))
        record.label.append(split.label)
    for place, node in enumerate(of_kind.get("subset", ())):
        record.table += (own := tree.table[tree.table_start[node] : tree.table_start[node + 1]])
        if tree.is_packed(node):
            record.sparse.append((place, len(own)))
    missing_to = np.frombuffer(tree.missing_to, np.int32)[inner]
    if len(inner):
        is_one = bool((missing_to == missing_to[0]).all())
        record.missing_to = int(missing_to[0]) if is_one else missing_to.tolist()
    if tree.surrogates:
        place_of = {int(node): place for place, node in enumerate(order)}
        found = {place_of[node]: [one.to_json(schema) for one in own] for node, own in tree.surrogates.items()}
        record.surrogates = dict(sorted(found.items()))
    kept = MEDIAN_KEYS if model.takes_medians else MEAN_KEYS
    record.leaves = outcomes_record(tree, leaves.astype(np.int64), schema, kept)
    if keeps_inner(tree, takes_medians=model.takes_medians):
        record.inner = outcomes_record(tree, inner.astype(np.int64), schema, kept)
    return record


def in_preorder(tree: Tree) -> NDArray[np.int32]:
    """Return the nodes of a tree in preorder."""
    import numpy as np

    from treecli.kernels.preorder import preorder

    first_child, n_branches = np.array(tree.first_child, np.int32), np.array(tree.n_branches, np.int32)
    order, pending = np.empty(tree.n_nodes, np.int32), np.empty(tree.n_nodes, np.int32)
    preorder(first_child, n_branches, pending, order)
    return order
