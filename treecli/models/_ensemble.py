"""Members that all kinds of ensembles share: the model file, and properties that are those of all trees together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from treecli.errors import ModelError, did_you_mean
from treecli.model import EnsembleModel, Lineage, TreeModel
from treecli.models._heading import (
    TREES_OPENING,
    SchemaRecord,
    decoded,
    heading_lines,
    lines_of,
    schema_of,
    without_nodes,
)
from treecli.models._missing import tree_with_missing
from treecli.models._packedreading import tree_of
from treecli.models._packedtrees import TreeText, kinds_used, record_of
from treecli.models._root import check_root
from treecli.models._settings import settings_of
from treecli.options.ensembles import CONFIDENCE, VOTES
from treecli.predict import predict
from treecli.splits._registry import kinds
from treecli.tree import LEAF

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.explain.ensembleexplanation import EnsembleExplanation
    from treecli.explain.explanation import RowOf
    from treecli.predict.program import Program
    from treecli.tree import Tree
    from treecli.values import Condition

Ensemble = TypeVar("Ensemble", bound=EnsembleModel)

TREE_HINT = "use smaller trees (train --max-depth, --min-leaf), or one tree that imitates it (treecli distill)"


class _ModelRecord(msgspec.Struct, forbid_unknown_fields=True):
    format: str
    format_version: int
    kind: str
    votes: str
    kinds: list[str]
    schema: SchemaRecord
    settings: dict[str, Any]
    lineage: list[Lineage]
    trees: list[msgspec.Raw]
    """Decoded one after the other: the numbers of all trees at once would take several times the memory of the file."""


def as_ensemble(model: EnsembleModel) -> EnsembleModel:
    return model


def encode(model: EnsembleModel) -> Iterator[bytes]:
    """Yield the model file in pieces: one tree per line."""
    used = kinds_used(model)
    for tree in model.trees:
        check_root(tree, is_classification=model.schema.is_classification)
    yield from heading_lines(model, votes=model.votes, kinds=used)
    yield b'"trees": [\n'
    encoder = msgspec.json.Encoder()
    for index in range(model.n_trees):
        yield (b",\n" if index else b"") + encoder.encode(record_of(model, index, used))
    yield b"\n]\n}\n"


def _record_of(text: bytes, name: str) -> _ModelRecord:
    """Return the fields of a file; the trees of a large one are found by their lines, in little time."""
    lines = lines_of(text, TREES_OPENING)
    if lines is not None:
        found = list(_lines(text, *lines))
        if found and all(bytes(one[:1]) + bytes(one[-1:]) == b"{}" for one in found):
            with suppress(ModelError):  # reported with its place in the whole file
                record = decoded(without_nodes(text, lines[0]), _ModelRecord, name)
                record.trees = list(map(msgspec.Raw, found))
                return record
    return decoded(text, _ModelRecord, name)


def _lines(text: bytes, begin: int, end: int) -> Iterator[memoryview]:
    """Yield the lines between two places of a file, without a copy and without the commas between them.

    A line that ends in another way is empty.
    """
    view = memoryview(text)
    while begin < end:
        after = text.find(b"\n", begin, end)
        if after < 0:
            yield view[begin:end]
            return
        yield view[begin : after - 1] if text[after - 1] == COMMA else view[:0]
        begin = after + 1


COMMA = ord(",")


def decode_as(kind: type[Ensemble], text: bytes, name: str) -> Ensemble:
    """Return the ensemble in a file; `name` is the file's name in messages."""
    record = _record_of(text, name)
    schema = schema_of(record.schema, name)
    settings = settings_of(record.settings, schema, name)
    known = (*VOTES, CONFIDENCE) if kind.IS_BOOSTED else VOTES
    if record.votes not in known:
        raise ModelError(
            f"{name}: 'votes' is '{record.votes}', expected one of {', '.join(known)}",
            did_you_mean(record.votes, known),
        )
    unknown = [word for word in record.kinds if word not in kinds()]
    if unknown or len({*record.kinds}) != len(record.kinds):
        found = f"unknown kind of split '{unknown[0]}'" if unknown else "a kind of split stands twice"
        raise ModelError(f"{name}: kinds: {found} (known: {', '.join(kinds())})")
    if not record.trees:
        raise ModelError(f"{name}: trees: there is none")
    model = kind(schema, settings, tuple(record.lineage), (), (), record.votes)
    decoder = msgspec.json.Decoder(TreeText)
    trees, weights = [], []
    for number, raw in enumerate(record.trees, start=1):
        place = f"{name}: tree {number}"
        try:
            own = decoder.decode(raw)
        except msgspec.ValidationError as error:
            raise ModelError(f"{place}: {str(error).replace('`$.', '`')}") from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ModelError(f"{place}: not readable as JSON: {error}", "the file may be damaged") from error
        if not 0 < own.weight <= MOST_WEIGHT:
            raise ModelError(f"{place}: 'weight' is {own.weight:g}, expected a number above 0, up to {MOST_WEIGHT:g}")
        tree = tree_of(own, schema, record.kinds, place, takes_medians=model.takes_medians)
        tree.judge_by(settings.predicting.priors, settings.predicting.costs, schema.target.labels)
        trees.append(tree)
        weights.append(own.weight)
    return replace(model, trees=tuple(trees), weights=tuple(weights))


MOST_WEIGHT = 1e6
"""The largest weight of a tree's vote; that of a tree with one error in 1e300 cases is below 700."""


def n_leaves(model: EnsembleModel) -> int:
    return sum(tree.n_leaves for tree in model.trees)


def facts(model: EnsembleModel) -> dict[str, Any]:
    schema = model.schema
    asked: Counter[int] = Counter()
    for tree in model.trees:
        asked.update(tree.attribute)
    asked.pop(LEAF, None)
    roots = {tree.attribute[0] for tree in model.trees}
    root = roots.pop() if len(roots) == 1 else LEAF
    return {
        "kind": model.KIND,
        "trees": model.n_trees,
        "votes": model.votes,
        "nodes": sum(tree.n_nodes for tree in model.trees),
        "leaves": n_leaves(model),
        "depth": max(tree.depth() for tree in model.trees),
        "root": None if root == LEAF else schema.columns[root].name,
        "target": schema.target.name,
        "labels": list(schema.target.labels) if schema.is_classification else None,
        "attributes": [
            {"name": attribute.name, "kind": attribute.kind, "splits": asked[index]}
            for index, attribute in enumerate(schema.columns)
        ],
    }


def trees(model: EnsembleModel) -> list[TreeModel]:
    return list(model.members())


def columns_used(model: EnsembleModel) -> list[int]:
    return sorted({column for member in model.members() for column in predict.columns_used(member)})


def conditions(model: EnsembleModel) -> Iterator[Condition]:
    return (condition for member in model.members() for condition in predict.conditions(member))


def refuse_unseen(model: EnsembleModel, dataset: Dataset, name: str) -> None:
    predict.refuse_labels(dataset, columns_used(model), name, predict.UNSEEN_LABEL, predict.UNSEEN_HINT)


def explainer(model: EnsembleModel) -> Callable[[RowOf], EnsembleExplanation]:
    from treecli.explain.ensembleexplanation import EnsembleExplainer

    return EnsembleExplainer(model).explain


def program(model: EnsembleModel) -> Program:
    from treecli.predict.ensembleprogram import ensemble_program

    return ensemble_program(model)


def probes(model: EnsembleModel) -> Dataset:
    from treecli.predict.ensembleprobes import ensemble_probes

    if "probes" not in model.derived:
        model.derived["probes"] = ensemble_probes(model)
    return cast("Dataset", model.derived["probes"])


def with_missing(model: EnsembleModel, policy: str, name: str) -> EnsembleModel:
    """Return the ensemble with another policy for missing values in every tree."""
    trees: tuple[Tree, ...] = tuple(tree_with_missing(member, policy, name) for member in model.members())
    settings = model.settings if policy == "branch" else model.settings.changed(missing=policy)
    return replace(model, trees=trees, settings=settings)
