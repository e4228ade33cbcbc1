"""A model file: tree, schema, settings and lineage as JSON, checked on the way in.

docs/model.md describes the format, model.schema.json states it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from sys import float_info
from typing import Any, Literal

import msgspec

from treecli.data import Attribute, Kind, Schema
from treecli.errors import ModelError, UsageError, did_you_mean
from treecli.priors import check
from treecli.settings import Settings
from treecli.splits import Split
from treecli.tree import ALL_BRANCHES, STAYS, Node, Surrogate, Tree, kinds, split_type

FORMAT = "treecli-model"
FORMAT_VERSION = 1

HERE = "here"
"""As `missing_to`: the case ends at the node."""

ABSOLUTE = "absolute"
"""The criterion of trees that predict medians."""

MEAN_KEYS = ("weight", "mean", "deviance")
MEDIAN_KEYS = ("weight", "median", "deviation")
"""What a node keeps of a numeric target; trees that predict medians the latter."""

Lineage = dict[str, Any]
"""One step that made the model what it is: the command, its options, and what it was given."""


@dataclass(frozen=True, slots=True)
class Model:
    """A tree together with all that is needed to use it and to know where it came from."""

    schema: Schema
    settings: Settings
    lineage: tuple[Lineage, ...]
    tree: Tree

    @property
    def takes_medians(self) -> bool:
        """Whether nodes keep the median of a numeric target and the absolute error in place of mean and deviance."""
        return self.settings.criterion == ABSOLUTE

    def node(self, index: int = 0) -> Node:
        return Node(self.tree, index, self.schema)


class _AttributeRecord(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    name: str
    kind: Kind
    labels: list[str] = []


class _SchemaRecord(msgspec.Struct, forbid_unknown_fields=True):
    attributes: list[_AttributeRecord]
    target: _AttributeRecord


class _NodeRecord(msgspec.Struct, forbid_unknown_fields=True):
    id: int
    split: dict[str, Any] | None = None
    children: list[int] | None = None
    score: float = 0.0
    notes: dict[str, Any] | None = None
    surrogates: list[dict[str, Any]] = []
    counts: list[float] | None = None
    weight: float | None = None
    mean: float | None = None
    deviance: float | None = None
    median: float | None = None
    deviation: float | None = None


class _ModelRecord(msgspec.Struct, forbid_unknown_fields=True):
    format: Literal["treecli-model"]
    format_version: int
    kind: Literal["tree"]
    schema: _SchemaRecord
    settings: Settings
    lineage: list[Lineage]
    nodes: list[_NodeRecord]


class _Heading(msgspec.Struct):
    """What tells a model file from any other JSON, read before all else."""

    format: str | None = None
    format_version: int | None = None


def encode(model: Model) -> Iterator[bytes]:
    """The model file, piece by piece: one node a line, so that files can be read, compared and streamed."""
    encoder = msgspec.json.Encoder()
    schema = model.schema
    head = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "kind": "tree",
        "schema": {
            "attributes": [_attribute_record(a) for a in schema.attributes],
            "target": _attribute_record(schema.target),
        },
        "settings": model.settings,
        "lineage": list(model.lineage),
    }
    yield b"{\n"
    for key, value in head.items():
        yield encoder.encode(key) + b": " + encoder.encode(value) + b",\n"
    yield b'"nodes": [\n'
    tree, kept = model.tree, MEDIAN_KEYS if model.takes_medians else MEAN_KEYS
    for node in range(tree.n_nodes):
        yield (b",\n" if node else b"") + encoder.encode(_node_record(tree, node, schema, kept))
    yield b"\n]\n}\n"


def decode(text: bytes, name: str) -> Model:
    """The model that a file holds; `name` is what messages call the file."""
    try:
        heading = msgspec.json.decode(text, type=_Heading)
        if heading.format != FORMAT:
            raise ModelError(f"{name}: not a model of treecli's", "models are written by 'treecli train'")
        if heading.format_version != FORMAT_VERSION:
            raise ModelError(
                f"{name}: format version {heading.format_version}, expected {FORMAT_VERSION}",
                "train it again with this treecli, or use the treecli that wrote it",
            )
        record = msgspec.json.decode(text, type=_ModelRecord)
    except msgspec.ValidationError as error:
        raise ModelError(f"{name}: {error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ModelError(f"{name}: not readable as JSON: {error}", "the file may be cut off or damaged") from error
    except RecursionError as error:
        raise ModelError(f"{name}: nested too deeply to be a model") from error
    schema = _schema(record.schema, name)
    settings = record.settings
    tree = _tree(record.nodes, schema, name, MEDIAN_KEYS if settings.criterion == ABSOLUTE else MEAN_KEYS)
    try:
        check(settings.priors, settings.costs, schema.target.labels)
    except UsageError as error:
        raise ModelError(f"{name}: settings: {error}") from error
    tree.judge_by(settings.priors, settings.costs, schema.target.labels)
    return Model(schema, settings, tuple(record.lineage), tree)


def _attribute_record(attribute: Attribute) -> _AttributeRecord:
    return _AttributeRecord(attribute.name, attribute.kind, list(attribute.labels))


def _node_record(tree: Tree, node: int, schema: Schema, kept: tuple[str, ...]) -> dict[str, Any]:
    outcomes = tree.outcomes_of(node)
    record: dict[str, Any] = {"id": node}
    if schema.is_classification:
        record["counts"] = list(outcomes)
    else:
        record.update(zip(kept, outcomes, strict=True))
    if not tree.is_leaf(node):
        split = tree.split(node)
        described = {"kind": split.KIND, "attribute": schema.attributes[split.attribute].name}
        record["split"] = described | split.to_json(schema)
        if tree.missing_to[node] != ALL_BRANCHES:
            record["split"]["missing_to"] = HERE if tree.missing_to[node] == STAYS else tree.missing_to[node]
        if node in tree.surrogates:
            record["surrogates"] = [surrogate.to_json(schema) for surrogate in tree.surrogates[node]]
        record["score"] = tree.score[node]
        record["children"] = list(tree.children(node))
        if node in tree.notes:
            record["notes"] = tree.notes[node]
    return record


def _schema(record: _SchemaRecord, name: str) -> Schema:
    attributes = [Attribute(a.name, a.kind, tuple(a.labels)) for a in [*record.attributes, record.target]]
    for attribute in attributes:
        where = f"{name}: schema: '{attribute.name}'"
        if attribute.is_numeric and attribute.labels:
            raise ModelError(f"{where}: a numeric column has no labels")
        if len(set(attribute.labels)) != len(attribute.labels):
            raise ModelError(f"{where}: a label stands twice")
    if len({attribute.name for attribute in attributes}) != len(attributes):
        raise ModelError(f"{name}: schema: a column's name stands twice")
    if not attributes[-1].is_numeric and not attributes[-1].labels:
        raise ModelError(f"{name}: schema: the target '{attributes[-1].name}' has no labels")
    return Schema(tuple(attributes[:-1]), attributes[-1])


def _tree(records: list[_NodeRecord], schema: Schema, name: str, kept: tuple[str, ...]) -> Tree:
    """The tree of a model file, after checking that it is one: each node has one parent, before it."""
    if not records:
        raise ModelError(f"{name}: nodes: there is none, not even a root")
    index_of = {attribute.name: index for index, attribute in enumerate(schema.attributes)}
    tree = Tree(schema.n_outcomes)
    next_child = 1
    for index, record in enumerate(records):
        where = f"{name}: node {index}"
        if record.id != index:
            raise ModelError(f"{where}: has the id {record.id}; ids count up from 0")
        outcomes = _outcomes(record, schema, where, kept)
        if (record.split is None) != (record.children is None):
            raise ModelError(f"{where}: 'split' and 'children' come together, or not at all")
        if record.split is None or record.children is None:
            tree.append(outcomes)
            continue
        n_branches = len(record.children)
        if not record.children or record.children != list(range(next_child, next_child + n_branches)):
            raise ModelError(
                f"{where}: the children {record.children}, expected a run of ids that begins with {next_child}"
            )
        if next_child <= index or next_child + n_branches > len(records):
            raise ModelError(f"{where}: the children {record.children}, but there are {len(records)} nodes")
        if not math.isfinite(record.score):
            raise ModelError(f"{where}: the score {record.score} is not a finite number")
        description = dict(record.split)
        missing_to = description.pop("missing_to", ALL_BRANCHES)
        split = _split(description, schema, index_of, where)
        if missing_to == HERE:
            missing_to = STAYS
        elif type(missing_to) is not int or not ALL_BRANCHES <= missing_to < n_branches:
            raise ModelError(
                f"{where}: 'missing_to' is {missing_to!r}, expected a branch from 0 to {n_branches - 1} or \"{HERE}\""
            )
        n_known = split.n_branches()
        if n_branches != n_known and not (n_branches == n_known + 1 and missing_to == n_known):
            raise ModelError(f"{where}: has {n_branches} children, but its split has {n_known} branches")
        tree.append(
            outcomes,
            split,
            first_child=next_child,
            n_branches=n_branches,
            missing_to=missing_to,
            score=record.score,
            notes=_notes(record.notes, schema, index_of, where),
            surrogates=_surrogates(record.surrogates, schema, index_of, where),
        )
        if record.surrogates and (n_branches != 2 or missing_to == ALL_BRANCHES):
            raise ModelError(f"{where}: surrogates need a split with two branches and a 'missing_to'")
        next_child += n_branches
    if next_child != len(records):
        raise ModelError(f"{name}: node {next_child}: is no node's child")
    return tree


def _split(description: dict[str, Any], schema: Schema, index_of: dict[str, int], where: str) -> Split:
    """The split that a description with no other keys stands for."""
    own = dict(description)
    kind, attribute = own.pop("kind", None), own.pop("attribute", None)
    if not isinstance(kind, str) or kind not in kinds():
        raise ModelError(
            f"{where}: unknown kind of split '{kind}' (known: {', '.join(kinds())})", did_you_mean(str(kind), kinds())
        )
    if not isinstance(attribute, str) or attribute not in index_of:
        raise ModelError(
            f"{where}: splits on '{attribute}', which the schema does not hold",
            did_you_mean(str(attribute), index_of),
        )
    try:
        split = split_type(kind).from_json(index_of[attribute], own, schema)
    except ValueError as error:
        raise ModelError(f"{where}: {error}") from error
    unknown = own.keys() - split.to_json(schema).keys()
    if unknown:
        raise ModelError(f"{where}: the split has '{min(unknown)}', which no split of the kind '{kind}' has")
    return split


def _surrogates(
    records: list[dict[str, Any]], schema: Schema, index_of: dict[str, int], where: str
) -> tuple[Surrogate, ...]:
    found = []
    for number, record in enumerate(records, start=1):
        place = f"{where}: surrogate {number}"
        description = dict(record)
        branches = description.pop("branches", None)
        shares = [description.pop(name, None) for name in ("agreement", "adjusted")]
        split = _split(description, schema, index_of, place)
        if split.n_branches() != 2 or branches not in ([0, 1], [1, 0]):
            raise ModelError(f"{place}: 'branches' is {branches!r}, expected [0, 1] or [1, 0] for a split with two")
        if not all(_is_number(share) and 0 <= share <= 1 for share in shares):
            raise ModelError(f"{place}: 'agreement' and 'adjusted' must be numbers from 0 to 1")
        found.append(Surrogate(split, (branches[0], branches[1]), float(shares[0]), float(shares[1])))
    return tuple(found)


def _notes(notes: dict[str, Any] | None, schema: Schema, index_of: dict[str, int], where: str) -> dict[str, Any] | None:
    """The notes, after checking the splits among them."""
    competitors = (notes or {}).get("competitors", [])
    if not isinstance(competitors, list) or not all(isinstance(record, dict) for record in competitors):
        raise ModelError(f"{where}: 'competitors' must be a list of splits")
    for number, record in enumerate(competitors, start=1):
        description = dict(record)
        if not _is_number(description.pop("score", None)):
            raise ModelError(f"{where}: competitor {number}: 'score' must be a finite number")
        _split(description, schema, index_of, f"{where}: competitor {number}")
    return notes


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= float_info.max


def _outcomes(record: _NodeRecord, schema: Schema, where: str, kept: tuple[str, ...]) -> list[float]:
    numbers = {key: getattr(record, key) for key in (*MEAN_KEYS, *MEDIAN_KEYS)}
    given = {key: number for key, number in numbers.items() if number is not None}
    if schema.is_classification:
        counts = record.counts
        if counts is None or given:
            raise ModelError(f"{where}: needs 'counts', for the target is nominal")
        if len(counts) != schema.n_outcomes:
            raise ModelError(
                f"{where}: {len(counts)} counts, expected {schema.n_outcomes}, one for each label of the target"
            )
        if not all(0 <= count < math.inf for count in counts):
            raise ModelError(f"{where}: counts must be finite and not negative")
        return counts
    weight, middle, spread = kept
    if given.keys() != set(kept) or record.counts is not None:
        raise ModelError(f"{where}: needs '{weight}', '{middle}' and '{spread}', for the target is numeric")
    outcomes = [given[key] for key in kept]
    if not all(map(math.isfinite, outcomes)) or outcomes[0] < 0 or outcomes[2] < 0:
        raise ModelError(f"{where}: {weight}, {middle} and {spread} must be finite, {weight} and {spread} not negative")
    return outcomes
