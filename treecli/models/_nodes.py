"""The nodes of a model file, validated when read."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from math import isfinite
from sys import float_info
from typing import Any, cast

import msgspec

from treecli.data import Schema
from treecli.errors import ModelError, did_you_mean
from treecli.leaves import Leaf, leaf_of
from treecli.model import LARGEST_WEIGHT, MEAN_KEYS, MEDIAN_KEYS, wrong_moments
from treecli.models._root import lightness
from treecli.outcomes.counts import SparseCounts
from treecli.outcomes.rows import MANY_CLASSES, present
from treecli.splits import Split
from treecli.splits._registry import kinds, split_type
from treecli.splits._surrogate import Surrogate
from treecli.tree import ALL_BRANCHES, STAYS, Tree

HERE = "here"
"""As `missing_to`: cases with a missing value stay at the node."""

SLACK = 1e-6
"""Relative tolerance: by rounding, the children of a node may weigh this much more than the node."""


class NodeRecord(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """The fields of a node in a model file."""

    id: int
    split: dict[str, Any] | None = None
    children: list[int] | None = None
    score: float = 0.0
    notes: dict[str, Any] | None = None
    surrogates: list[dict[str, Any]] = []
    counts: msgspec.Raw = msgspec.Raw()
    """Decoded node by node: all counts at once would take four times the memory of the tree."""
    weight: float | None = None
    mean: float | None = None
    deviance: float | None = None
    median: float | None = None
    deviation: float | None = None
    model: dict[str, Any] | None = None
    forced: str | None = None


class RefusalError(Exception):
    """An error in a node, with a hint; the caller adds the node's id."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def tree_of(records: list[NodeRecord], schema: Schema, name: str, kept: tuple[str, ...]) -> Tree:
    """Return the tree of a model file; raise a ModelError unless each node has one parent, which precedes it.

    `name` is the file's name in messages.
    """
    if not records:
        raise ModelError(f"{name}: nodes: there is none, not even a root")
    filling = Filling(schema, kept)
    index = 0
    try:
        outcomes: Any = SparseCounts(schema.n_outcomes) if filling.is_sparse else array("d")
        extend = outcomes.add if filling.is_sparse else outcomes.extend
        for index, record in enumerate(records):
            extend(filling.outcomes(index, record))
        tree = Tree.of_leaves(schema.n_outcomes, outcomes)
        index = 0
        if (found := lightness(tree, is_classification=schema.is_classification)) is not None:
            raise RefusalError(found)
        weights = tree.weights(is_classification=schema.is_classification)
        next_child = 1
        for index, record in enumerate(records):
            first, next_child = next_child, filling.fill(tree, index, record, next_child)
            if next_child > first:
                below = sum(weights[first:next_child])
                if below > weights[index] * (1 + SLACK):
                    raise RefusalError(f"weighs {weights[index]:g}, but its children weigh {below:g}")
    except RefusalError as error:
        raise ModelError(f"{name}: node {index}: {error}", error.hint) from error
    if next_child != len(records):
        raise ModelError(f"{name}: node {next_child}: is no node's child")
    tree.settle()
    return tree


class Filling:
    """Fills the arrays of a tree from the records of its nodes; `kept` names the outcomes of a numeric target."""

    def __init__(self, schema: Schema, kept: tuple[str, ...]) -> None:
        self._schema, self._kept = schema, kept
        self._counts = _Counts(schema.target.labels)
        self._splits = Splits(schema)
        self.is_sparse = len(schema.target.labels) > MANY_CLASSES

    def outcomes(self, index: int, record: NodeRecord) -> Any:
        """Return the outcomes of a node; raise a RefusalError if its id is not the expected one."""
        if record.id != index:
            raise RefusalError(f"has the id {record.id}; ids count up from 0")
        return self._counts.of(record) if self._schema.is_classification else _moments(record, self._kept)

    def fill(self, tree: Tree, index: int, record: NodeRecord, next_child: int) -> int:
        """Set all but the outcomes of a node; return the first child of the next split."""
        if record.split is not None or record.children is not None:
            next_child = _add_split(tree, index, record, self._splits, next_child)
        if record.model is not None:
            tree.leaf_models[index] = _leaf_model(record.model, self._schema)
        if record.forced is not None:
            tree.forced[index] = _forced(record, self._schema)
        return next_child


def _add_split(tree: Tree, index: int, record: NodeRecord, splits: Splits, next_child: int) -> int:
    """Set a node's split from its record; return the first child of the next split."""
    asked, children = record.split, record.children
    if asked is None or children is None:
        raise RefusalError("'split' and 'children' come together, or not at all")
    n_branches = len(children)
    end = next_child + n_branches
    if not children or children != list(range(next_child, end)):
        raise RefusalError(f"the children {children}, expected a run of ids that begins with {next_child}")
    if next_child <= index or end > tree.n_nodes:
        raise RefusalError(f"the children {children}, but there are {tree.n_nodes} nodes")
    if not isfinite(record.score):
        raise RefusalError(f"the score {record.score} is not a finite number")
    missing_to = asked.pop("missing_to", ALL_BRANCHES)
    split = splits.read(asked)
    if type(missing_to) is not int or missing_to != ALL_BRANCHES or n_branches != split.n_branches():
        missing_to = _missing_to(missing_to, split.n_branches(), n_branches)
    tree.ask(index, split, next_child, n_branches, missing_to, record.score)
    if record.notes:
        tree.notes[index] = _notes(record.notes, splits)
    if record.surrogates:
        tree.surrogates[index] = surrogates_of(record.surrogates, splits)
        if n_branches != 2 or missing_to == ALL_BRANCHES:
            raise RefusalError("surrogates need a split with two branches and a 'missing_to'")
    return end


def _missing_to(missing_to: Any, n_known: int, n_branches: int) -> int:
    """Return the route of missing values, after checking that the node has the branches that its split needs."""
    if n_known == 0:
        raise RefusalError("its split is on an attribute without labels")
    if missing_to == HERE:
        missing_to = STAYS
    elif type(missing_to) is not int or not ALL_BRANCHES <= missing_to < n_branches:
        raise RefusalError(
            f"'missing_to' is {missing_to!r}, expected a branch from 0 to {n_branches - 1} or \"{HERE}\""
        )
    if n_branches != n_known and not (n_branches == n_known + 1 and missing_to == n_known):
        raise RefusalError(f"has {n_branches} children, but its split has {n_known} branches")
    return cast("int", missing_to)


class Splits:
    """Builds splits from JSON descriptions, for one schema."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._index_of = {attribute.name: index for index, attribute in enumerate(schema.columns)}
        self._readers: dict[tuple[str, str], tuple[Callable[..., Split], int]] = {}
        self._keys: dict[str, frozenset[str]] = {}

    def read(self, asked: dict[str, Any]) -> Split:
        """Return the split of a description; reject unknown keys."""
        try:
            kind, attribute = asked["kind"], asked["attribute"]
            from_json, index = self._readers[kind, attribute]
        except (KeyError, TypeError):  # key missing, not seen before, or not hashable
            kind, attribute = self._checked(asked.get("kind"), asked.get("attribute"))
            from_json, index = split_type(kind).from_json, self._index_of[attribute]
            self._readers[kind, attribute] = from_json, index
        try:
            split = from_json(index, asked, self._schema)
        except ValueError as error:
            raise RefusalError(str(error)) from error
        if kind not in self._keys:  # all splits of a kind have the same keys
            self._keys[kind] = frozenset(["kind", "attribute", *split.to_json(self._schema)])
        if not asked.keys() <= self._keys[kind]:
            unknown = min(asked.keys() - self._keys[kind])
            raise RefusalError(f"the split has '{unknown}', which no split of the kind '{kind}' has")
        return split

    def _checked(self, kind: Any, attribute: Any) -> tuple[str, str]:
        if not isinstance(kind, str) or kind not in kinds():
            raise RefusalError(
                f"unknown kind of split '{kind}' (known: {', '.join(kinds())})", did_you_mean(str(kind), kinds())
            )
        if not isinstance(attribute, str) or attribute not in self._index_of:
            raise RefusalError(
                f"splits on '{attribute}', which the schema does not hold",
                did_you_mean(str(attribute), self._index_of),
            )
        return kind, attribute


def _leaf_model(record: dict[str, Any], schema: Schema) -> Leaf:
    """Return the model that a node predicts by."""
    if schema.is_classification:
        raise RefusalError("has a 'model', which only a numeric target has")
    try:
        return leaf_of(record, schema.attributes)
    except ValueError as error:
        raise RefusalError(f"model: {error}") from error


def _forced(record: NodeRecord, schema: Schema) -> int:
    """Return the class that was given to a leaf by hand."""
    code = schema.target.code_of(record.forced)
    if code is None or record.split is not None:
        raise RefusalError(f"'forced' is {record.forced!r}, expected a class, at a leaf")
    return code


def surrogates_of(records: list[dict[str, Any]], splits: Splits) -> tuple[Surrogate, ...]:
    found = []
    for number, record in enumerate(records, start=1):
        description = dict(record)
        branches = description.pop("branches", None)
        shares = [description.pop(name, None) for name in ("agreement", "adjusted")]
        split = _read_inside(f"surrogate {number}", description, splits)
        if split.n_branches() != 2 or branches not in ([0, 1], [1, 0]):
            raise RefusalError(
                f"surrogate {number}: 'branches' is {branches!r}, expected [0, 1] or [1, 0] for a split with two"
            )
        if not all(_is_number(share) and 0 <= share <= 1 for share in shares):
            raise RefusalError(f"surrogate {number}: 'agreement' and 'adjusted' must be numbers from 0 to 1")
        found.append(Surrogate(split, (branches[0], branches[1]), float(shares[0]), float(shares[1])))
    return tuple(found)


def _notes(notes: dict[str, Any], splits: Splits) -> dict[str, Any]:
    """Return the notes after validating the splits in them."""
    for name, noun in (("competitors", "competitor"), ("ties", "tie")):
        records = notes.get(name, [])
        if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
            raise RefusalError(f"'{name}' must be a list of splits")
        for number, record in enumerate(records, start=1):
            description = dict(record)
            if not _is_number(description.pop("score", None)):
                raise RefusalError(f"{noun} {number}: 'score' must be a finite number")
            if name == "ties" and not isinstance(description.pop("is_tie", None), bool):
                raise RefusalError(f"{noun} {number}: 'is_tie' must be true or false")
            _read_inside(f"{noun} {number}", description, splits)
    if not _is_number(notes.get("printed", 0.0)):
        raise RefusalError("'printed' must be a finite number")
    return notes


def _read_inside(place: str, description: dict[str, Any], splits: Splits) -> Split:
    try:
        return splits.read(description)
    except RefusalError as error:
        raise RefusalError(f"{place}: {error}", error.hint) from error


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= float_info.max


_COUNTS: msgspec.json.Decoder[list[float] | dict[str, float] | None] = msgspec.json.Decoder(
    list[float] | dict[str, float] | None
)


def _read_counts(text: msgspec.Raw) -> list[float] | dict[str, float] | None:
    """Return the counts of a node, None if it has none."""
    try:
        return _COUNTS.decode(text) if bytes(text) else None
    except msgspec.ValidationError as error:
        message = str(error)
        raise RefusalError(
            message.replace("`$", "`counts") if "`$" in message else f"{message} - at `counts`"
        ) from error


class _Counts:
    """Reads the class weights of nodes: a number for each label, or only those above 0, by label."""

    def __init__(self, labels: tuple[str, ...]) -> None:
        self._n_labels = len(labels)
        self._code_of = {label: code for code, label in enumerate(labels)}

    def of(self, record: NodeRecord) -> list[float] | list[tuple[int, float]]:
        """Return the class weights of a node; with many classes, codes and weights of those above 0."""
        counts = _read_counts(record.counts)
        if counts is None or not (
            record.weight is record.mean is record.deviance is None
            and record.median is None
            and record.deviation is None
        ):
            raise RefusalError("needs 'counts', for the target is nominal")
        if isinstance(counts, dict):
            return self._by_label(counts)
        if len(counts) != self._n_labels:
            raise RefusalError(f"{len(counts)} counts, expected {self._n_labels}, one for each label of the target")
        if not (min(counts) >= 0 and max(counts) <= LARGEST_WEIGHT):
            raise RefusalError(f"counts must be from 0 to {LARGEST_WEIGHT:g}")
        return list(present(counts)) if self._n_labels > MANY_CLASSES else counts

    def _by_label(self, counts: dict[str, float]) -> list[float] | list[tuple[int, float]]:
        weights = {}
        for label, weight in counts.items():
            code = self._code_of.get(label)
            if code is None:
                raise RefusalError(
                    f"counts '{label}', which is no label of the target", did_you_mean(label, self._code_of)
                )
            if not 0 <= weight <= LARGEST_WEIGHT:
                raise RefusalError(f"counts must be from 0 to {LARGEST_WEIGHT:g}")
            if weight:
                weights[code] = weight
        if self._n_labels > MANY_CLASSES:
            return sorted(weights.items())
        return [weights.get(code, 0.0) for code in range(self._n_labels)]


def _moments(record: NodeRecord, kept: tuple[str, ...]) -> list[float]:
    """Return the outcomes of a node for a numeric target."""
    given = [key for key in (*MEAN_KEYS, *MEDIAN_KEYS[1:]) if getattr(record, key) is not None]
    given += ["counts"] if _read_counts(record.counts) is not None else []
    weight, middle, spread = kept
    if given != list(kept):
        raise RefusalError(f"needs '{weight}', '{middle}' and '{spread}', for the target is numeric")
    outcomes = [getattr(record, key) for key in kept]
    refusal = wrong_moments(outcomes, kept)
    if refusal is not None:
        raise RefusalError(refusal)
    return outcomes
