"""Reads the trees of an ensemble from a model file, and validates them."""

from __future__ import annotations

from array import array
from sys import float_info
from typing import TYPE_CHECKING, Any

import msgspec

from treecli.errors import ModelError
from treecli.models._nodes import SLACK, RefusalError, Splits, surrogates_of
from treecli.models._packednumbers import NONE, check_length, decoded, numbers, whole
from treecli.models._packedoutcomes import counts_of, moments_of, placed
from treecli.models._root import lightness
from treecli.records import dataclass
from treecli.splits import MANY_LABELS, NO_BRANCH, is_sparse
from treecli.splits._registry import kinds
from treecli.tree import ALL_BRANCHES, STAYS, Tree

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import FloatArray, Schema
    from treecli.models._packedtrees import TreeText

    IntArray = NDArray[np.int64]

PACKED_SIZE = 4
"""The entries of a sparse table that tells one label from the rest."""


def tree_of(record: TreeText, schema: Schema, used: list[str], place: str, *, takes_medians: bool) -> Tree:
    """Return the tree of a record; raise a ModelError that begins with `place` if the record is invalid."""
    try:
        return _Reading(record, schema, used).tree(takes_medians=takes_medians)
    except RefusalError as error:
        raise ModelError(f"{place}: {error}", error.hint) from error


@dataclass(slots=True)
class _Tests:
    """The splits of the inner nodes, in preorder, as a tree keeps them."""

    kind: IntArray
    attribute: IntArray
    number: FloatArray
    n_known: IntArray
    missing_to: IntArray
    table_size: IntArray
    table: IntArray
    further_size: IntArray
    further: FloatArray


class _Reading:
    """Reads one record; errors are RefusalErrors."""

    def __init__(self, record: TreeText, schema: Schema, used: list[str]) -> None:
        import numpy as np

        self._record, self._schema, self._used = record, schema, used
        self._attribute = whole(record.attribute, 0, len(schema.columns), "attribute")
        if not len(self._attribute):
            raise RefusalError("'attribute' is empty, expected at least a root")
        self._is_inner = self._attribute > 0
        self._inner = np.flatnonzero(self._is_inner)

    def tree(self, *, takes_medians: bool) -> Tree:
        import numpy as np

        from treecli.kernels.preorder import depths, level_places

        tests, n_nodes = self._tests(), len(self._attribute)
        n_branches = np.zeros(n_nodes, np.int32)
        n_branches[self._inner] = tests.n_known + (tests.missing_to == tests.n_known)
        depth = np.empty(n_nodes, np.int32)
        met = depths(n_branches, np.empty(n_nodes, np.int32), depth)
        if met < 0:
            raise RefusalError(f"'attribute' has {n_nodes} nodes, fewer than the branches of its splits")
        if met < n_nodes:
            raise RefusalError(f"'attribute' has {n_nodes} nodes, but the tree ends after {met}")
        place = np.empty(n_nodes, np.int64)
        level_places(depth, np.empty(int(depth.max()) + 2, np.int32), place)
        tree = Tree.of_leaves(self._schema.n_outcomes, self._outcomes(place, takes_medians=takes_medians))
        self._fill(tree, tests, n_branches, place)
        self._complete(tree, takes_medians=takes_medians)
        self._add_surrogates(tree, place)
        return tree

    def _outcomes(self, place: IntArray, *, takes_medians: bool) -> Any:
        """Return the outcomes of all nodes level by level; inner nodes have none if the file has none for them."""
        import numpy as np

        record, schema = self._record, self._schema
        parts: list[tuple[IntArray, Any]] = []
        leaves = np.flatnonzero(~self._is_inner)
        for nodes, own, field in ((leaves, record.leaves, "leaves"), (self._inner, record.inner, "inner")):
            if own is None:
                continue
            if schema.is_classification:
                found: Any = counts_of(own, len(nodes), schema.n_outcomes, field)
            else:
                found = moments_of(own, len(nodes), field, takes_medians=takes_medians)
            parts.append((place[nodes], found))
        return placed(parts, len(place), schema.n_outcomes)

    def _complete(self, tree: Tree, *, takes_medians: bool) -> None:
        """Set the outcomes of inner nodes, or check those of the file."""
        from treecli.predict.leafsums import keeps_inner, sum_in_place

        is_classification = self._schema.is_classification
        if keeps_inner(tree, takes_medians=takes_medians) != (self._record.inner is not None):
            needs = "has" if self._record.inner is not None else "lacks"
            raise RefusalError(
                f"{needs} 'inner', which a tree has if cases stay at inner nodes or if it predicts medians"
            )
        if self._record.inner is None:
            sum_in_place(tree, is_classification=is_classification)
        if (found := lightness(tree, is_classification=is_classification)) is not None:
            raise RefusalError(found)
        if self._record.inner is None:
            return
        weights = tree.weights(is_classification=is_classification)
        for node in tree.inner_nodes():
            below = sum(weights[child] for child in tree.children(node))
            if below > weights[node] * (1 + SLACK):
                raise RefusalError(f"an inner node weighs {weights[node]:g}, but its children weigh {below:g}")

    def _tests(self) -> _Tests:
        import numpy as np

        record, columns = self._record, self._schema.columns
        attribute = self._attribute[self._inner] - 1
        n = len(attribute)
        place = np.zeros(n, np.int64)
        if len(self._used) > 1 or record.kind != NONE:
            place = whole(record.kind, 0, len(self._used) - 1, "kind")
            check_length(place, n, "kind", "inner nodes")
        if n and not self._used:
            raise RefusalError("has splits, but the file names no 'kinds'")
        none = np.zeros(n, bool)
        is_kind = {name: place == self._used.index(name) if name in self._used else none for name in kinds()}
        is_numeric = np.array([column.is_numeric for column in columns], bool)[attribute]
        is_nominal = ~is_numeric
        if not is_numeric.all():
            is_nominal = np.array([column.kind == "nominal" for column in columns], bool)[attribute]
        self._check_fit(attribute, (is_kind["threshold"] | is_kind["bins"]) & is_nominal, "nominal, which has no order")
        by_label = is_kind["multiway"] | is_kind["binary"] | is_kind["subset"]
        self._check_fit(attribute, by_label & is_numeric, "numeric and has no labels to branch on")
        n_labels = np.array([len(column.labels) for column in columns], np.int64)[attribute]
        self._check_fit(attribute, by_label & (n_labels == 0), "an attribute without labels")
        number = np.zeros(n)
        number[is_kind["known"]] = np.inf
        number[is_kind["threshold"]] = self._thresholds(is_kind["threshold"], is_numeric, n_labels)
        further_size, further = np.zeros(n, np.int64), np.zeros(0)
        if is_kind["bins"].any() or record.bounds:
            bins = self._bins(is_kind["bins"], is_numeric, n_labels)
            number[is_kind["bins"]] = [bounds[0] for bounds in bins]
            further_size[is_kind["bins"]] = [len(bounds) - 1 for bounds in bins]
            further = np.array([bound for bounds in bins for bound in bounds[1:]], np.float64)
        table_size, table = self._tables(is_kind, n_labels)
        is_short = by_label & (table_size != n_labels)
        number[is_short] = 1.0
        n_known = np.full(n, 2, np.int64)
        n_known[is_kind["known"]] = 1
        n_known[is_kind["multiway"]] = n_labels[is_kind["multiway"]]
        n_known[is_kind["bins"]] = further_size[is_kind["bins"]] + 2
        n_known[is_kind["subset"]] = self._groups(is_kind["subset"], is_short, table_size, table)
        code = np.array([kinds().index(name) for name in self._used] or [0], np.int64)[place]
        missing_to = self._missing_to(n, n_known)
        return _Tests(code, attribute, number, n_known, missing_to, table_size, table, further_size, further)

    def _check_fit(self, attribute: IntArray, is_wrong: NDArray[np.bool_], what: str) -> None:
        if is_wrong.any():
            place = int(is_wrong.argmax())
            name = self._schema.columns[int(attribute[place])].name
            raise RefusalError(f"node {self._inner[place]}: '{name}' is {what}")

    def _thresholds(self, asks: NDArray[np.bool_], is_numeric: NDArray[np.bool_], n_labels: IntArray) -> FloatArray:
        import numpy as np

        found = numbers(self._record.at_most, "at_most")
        check_length(found, int(asks.sum()), "at_most", "splits of the kind 'threshold'")
        if not (np.abs(found) <= float_info.max).all():
            raise RefusalError("'at_most' must contain finite numbers")
        self._check_positions(found, is_numeric[asks], n_labels[asks], "at_most")
        return found

    def _check_positions(
        self, found: FloatArray, is_numeric: NDArray[np.bool_], n_labels: IntArray, field: str
    ) -> None:
        """Raise a RefusalError unless the bounds of ordinal attributes are positions of labels."""
        if is_numeric.all():
            return
        wrong = ~is_numeric & ~((found >= 0) & (found < n_labels) & (found == found.astype("int64")))
        if wrong.any():
            raise RefusalError(f"'{field}' has {found[wrong][0]:g}, which is no position of an ordinal attribute")

    def _bins(self, asks: NDArray[np.bool_], is_numeric: NDArray[np.bool_], n_labels: IntArray) -> list[list[float]]:
        import numpy as np

        bins = self._record.bounds
        check_length(bins, int(asks.sum()), "bounds", "splits of the kind 'bins'")
        for bounds, of_numbers, n in zip(bins, is_numeric[asks], n_labels[asks], strict=True):
            own = np.array(bounds, np.float64)
            if not len(own) or not (np.abs(own) <= float_info.max).all() or not (np.diff(own) > 0).all():
                raise RefusalError("'bounds' must contain increasing finite numbers")
            self._check_positions(own, np.full(len(own), of_numbers), np.full(len(own), n), "bounds")
        return bins

    def _tables(self, is_kind: dict[str, NDArray[np.bool_]], n_labels: IntArray) -> tuple[IntArray, IntArray]:
        """Return the tables from labels to branches, one after the other, and their sizes."""
        import numpy as np

        record = self._record
        size = np.where(is_kind["multiway"] | is_kind["binary"] | is_kind["subset"], n_labels, 0)
        of_one = is_kind["binary"]
        size[of_one & (n_labels > MANY_LABELS)] = PACKED_SIZE
        labels = whole(record.label, 0, None, "label")
        check_length(labels, int(of_one.sum()), "label", "splits of the kind 'binary'")
        label = np.zeros(len(size), np.int64)
        label[of_one] = labels
        if (label >= n_labels)[of_one].any():
            raise RefusalError("'label' has the number of a label that the attribute does not have")
        subset = np.flatnonzero(is_kind["subset"])
        for place, n_entries in record.sparse:
            is_table = 0 <= place < len(subset) and n_entries >= 2 and n_entries % 2 == 0
            if not (is_table and is_sparse(n_entries, int(n_labels[subset[place]]))):
                raise RefusalError(f"'sparse' has {[place, n_entries]}, which fits no table")
            size[subset[place]] = n_entries
        listed = whole(record.table, NO_BRANCH, None, "table")
        if not size.any():
            check_length(listed, 0, "table", "labels of the splits of the kind 'subset'")
            return size, size[:0]
        owner = np.repeat(np.arange(len(size)), size)
        offset = np.arange(len(owner)) - np.repeat(np.cumsum(size) - size, size)
        table = np.where(is_kind["multiway"][owner], offset, (offset != label[owner]).astype(np.int64))
        packed = np.flatnonzero(of_one & (n_labels > MANY_LABELS))
        begin = (np.cumsum(size) - size)[packed]
        for place, values in enumerate((n_labels[packed], 1, label[packed], 0)):
            table[begin + place] = values
        own = is_kind["subset"][owner]
        check_length(listed, int(own.sum()), "table", "labels of the splits of the kind 'subset'")
        table[own] = listed
        return size, table

    def _groups(
        self, asks: NDArray[np.bool_], is_short: NDArray[np.bool_], size: IntArray, table: IntArray
    ) -> IntArray:
        """Return the number of branches of each split of the kind 'subset'; each branch has a label."""
        import numpy as np

        if not asks.any():
            return size[:0]
        end = np.cumsum(size)
        owner = np.repeat(np.arange(len(size)), size)
        is_plain = (asks & ~is_short)[owner] & (table != NO_BRANCH)
        if (table[is_plain] >= size[owner[is_plain]]).any():
            raise RefusalError("'table' has a branch without a label")
        pairs = np.sort(owner[is_plain] * (int(size.max(initial=0)) + 1) + table[is_plain])
        distinct = pairs[np.append(True, np.diff(pairs) > 0)] if len(pairs) else pairs
        n_groups = np.bincount(distinct // (int(size.max(initial=0)) + 1), minlength=len(size))
        most = np.zeros(len(size), np.int64)
        np.maximum.at(most, owner[is_plain], table[is_plain] + 1)
        for node in np.flatnonzero(asks & is_short).tolist():
            n_labels, rest, *listed = table[end[node] - size[node] : end[node]].tolist()
            half = len(listed) // 2
            described = self._schema.columns[int(self._attribute[self._inner[node]]) - 1]
            codes, branches = listed[:half], {*listed[half:], rest} - {NO_BRANCH}
            if n_labels != len(described.labels) or codes != sorted({*codes} & {*range(n_labels)}):
                raise RefusalError("'table' has a sparse table that does not fit its attribute")
            n_groups[node], most[node] = len(branches), max(branches, default=-1) + 1
        if (n_groups != most)[asks].any() or (most == 0)[asks].any():
            raise RefusalError("'table' has a branch without a label")
        return n_groups[asks]

    def _missing_to(self, n: int, n_known: IntArray) -> IntArray:
        import numpy as np

        given = self._record.missing_to
        if bytes(memoryview(given)[:1]) == b"[":
            found = whole(given, STAYS, None, "missing_to")
            check_length(found, n, "missing_to", "inner nodes")
        else:
            only = decoded(given, int | list[int], "missing_to")
            found = np.full(n, whole(msgspec.Raw(b"[%d]" % only), STAYS, None, "missing_to")[0])
        if (found > n_known).any():
            place = int((found > n_known).argmax())
            raise RefusalError(
                f"node {self._inner[place]}: 'missing_to' is {found[place]}, but its split has {n_known[place]} "
                "branches"
            )
        return np.asarray(found)

    def _fill(self, tree: Tree, tests: _Tests, n_branches: NDArray[np.int32], place: IntArray) -> None:
        """Set the splits of a tree; `place` has the number of each node in it."""
        import numpy as np

        n_nodes, inner = len(place), place[self._inner]

        def spread(values: Any, kept: array[Any], kind: str) -> None:
            # In place: the leaves have their values already. Many fields are the same everywhere.
            is_one = len(values) > 0 and bool((values == values[0]).all())
            np.frombuffer(kept, kind)[inner] = values[0] if is_one else values

        spread(tests.kind, tree.kind, "i1")
        spread(tests.attribute, tree.attribute, "i4")
        spread(tests.number, tree.number, "f8")
        spread(tests.missing_to, tree.missing_to, "i4")
        found = np.frombuffer(tree.n_branches, np.int32)
        found[place] = n_branches
        first_child = np.cumsum(found) - found
        first_child += 1
        np.frombuffer(tree.first_child, np.int32)[:] = np.where(found > 0, first_child, 0)
        for sizes, values, typecode, kind, name in (
            (tests.table_size, tests.table, "i", "i4", "table"),
            (tests.further_size, tests.further, "d", "f8", "further"),
        ):
            if not len(values):
                continue
            size = np.zeros(n_nodes, np.int64)
            size[inner] = sizes
            source = np.argsort(inner)
            begin = (np.cumsum(sizes) - sizes)[source]
            entry = np.repeat(begin - (np.cumsum(sizes[source]) - sizes[source]), sizes[source])
            entry += np.arange(len(entry))
            setattr(tree, name, array(typecode, values[entry].astype(kind).tobytes()))
            setattr(tree, f"{name}_start", array("q", np.append(0, np.cumsum(size)).astype(np.int64).tobytes()))

    def _add_surrogates(self, tree: Tree, place: IntArray) -> None:
        splits = Splits(self._schema)
        for number, records in self._record.surrogates.items():
            node = int(place[number]) if 0 <= number < len(place) else None
            if node is None or tree.n_branches[node] != 2 or tree.missing_to[node] == ALL_BRANCHES or not records:
                raise RefusalError(f"node {number}: surrogates need a split with two branches and a 'missing_to'")
            tree.surrogates[node] = surrogates_of(records, splits)
