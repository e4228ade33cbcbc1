"""One tree; its file has a node a line, and docs/model.md describes the format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, cast

import msgspec

from treecli.errors import ModelError
from treecli.expressions import Expression, Number, attributes_of
from treecli.model import ABSOLUTE, MEAN_KEYS, MEDIAN_KEYS, Lineage, TreeModel
from treecli.models._heading import Heading, SchemaRecord, decoded, heading_lines, lines_of, schema_of, without_nodes
from treecli.models._nodes import NodeRecord, tree_of
from treecli.models._root import check_root
from treecli.models._settings import settings_of
from treecli.predict import predict
from treecli.predict.leafmodels import leaf_models
from treecli.predict.nodevalues import predicted
from treecli.predict.predict import columns_used, conditions, predictions, refuse_unseen

if TYPE_CHECKING:
    from treecli.data import Column, Dataset, FloatArray
    from treecli.explain.explanation import Explanation, RowOf
    from treecli.explain.nearness import Flip
    from treecli.predict.program import Program
    from treecli.rules.rule import Rule
    from treecli.rules.rulelist import RuleList
    from treecli.tree import Tree

__all__ = ["columns_used", "conditions", "predictions", "refuse_unseen"]

TITLE = "a tree"


class _ModelRecord(msgspec.Struct, forbid_unknown_fields=True):
    format: Literal["treecli-model"]
    format_version: int
    kind: Literal["tree"]
    schema: SchemaRecord
    settings: dict[str, Any]
    lineage: list[Lineage]
    nodes: list[NodeRecord]


def encode(model: TreeModel) -> Iterator[bytes]:
    """Yield the model file in pieces: one node per line, so that files can be read, compared and streamed."""
    from treecli.models._nodewriting import encoded

    check_root(model.tree, is_classification=model.schema.is_classification)
    yield from heading_lines(model)
    yield b'"nodes": [\n'
    yield from encoded(model.tree, model.schema, MEDIAN_KEYS if model.takes_medians else MEAN_KEYS)
    yield b"\n]\n}\n"


def decode(text: bytes, name: str) -> TreeModel:
    """Return the tree in a file; `name` is the file's name in messages."""
    lines = lines_of(text)
    if lines is not None and _has_kernels():
        with suppress(ModelError):  # reported with its place in the whole file
            model = _read(decoded(without_nodes(text, lines[0]), _ModelRecord, name), name, text, lines)
            if model is not None:
                return model
    if lines is not None:
        decoded(text, Heading, name)  # what is no JSON is refused as such, whatever else is wrong
    model = _read(decoded(text, _ModelRecord, name), name)
    assert model is not None
    return model


def _has_kernels() -> bool:
    from treecli.kernels import are_compiled

    return are_compiled()


def _read(record: _ModelRecord, name: str, text: bytes = b"", lines: tuple[int, int] | None = None) -> TreeModel | None:
    """Return the model of a record; its nodes are in `lines` of the text, if given.

    None if these are not the nodes of a tree, each on one line.
    """
    schema = schema_of(record.schema, name)
    settings = settings_of(record.settings, schema, name)
    kept = MEDIAN_KEYS if settings.splitting.criterion == ABSOLUTE else MEAN_KEYS
    if lines is None:
        tree: Tree | None = tree_of(record.nodes, schema, name, kept)
    else:
        from treecli.models._nodelines import tree_of_lines

        tree = tree_of_lines(text, *lines, schema, kept)
    if tree is None:
        return None
    tree.judge_by(settings.predicting.priors, settings.predicting.costs, schema.target.labels)
    return TreeModel(schema, settings, tuple(record.lineage), tree)


def answers(model: TreeModel, dataset: Dataset, jobs: int | None = None) -> tuple[Column, FloatArray]:
    probabilities = predict.distributions(model, dataset, jobs)
    return predicted(model, probabilities), probabilities


def places(model: TreeModel, dataset: Dataset, jobs: int | None = None) -> list[int | None]:
    leaves = predict.leaves(model, dataset, jobs).tolist()
    return [None if leaf == predict.SPREAD else leaf for leaf in leaves]


def n_leaves(model: TreeModel) -> int:
    return model.tree.n_leaves


def formulas(model: TreeModel) -> list[Expression]:
    found = {id(leaf): leaf.expression() for leaf in leaf_models(model).values()}
    return [expression for expression in found.values() if not isinstance(expression, Number)]


def facts(model: TreeModel) -> dict[str, Any]:
    tree, schema = model.tree, model.schema
    own = (leaf.expression() for node, leaf in leaf_models(model).items() if tree.is_leaf(node))
    in_formulas = [attribute for expression in own for attribute in attributes_of(expression)]
    n_splits = Counter(tree.attribute)
    return {
        "kind": model.KIND,
        "nodes": tree.n_nodes,
        "leaves": tree.n_leaves,
        "depth": tree.depth(),
        "root": None if tree.is_leaf(0) else schema.columns[tree.attribute[0]].name,
        "target": schema.target.name,
        "labels": list(schema.target.labels) if schema.is_classification else None,
        "weight": model.node().weight,
        "attributes": [
            {"name": attribute.name, "kind": attribute.kind, "splits": n_splits[index]}
            | ({"formulas": in_formulas.count(index)} if in_formulas else {})
            for index, attribute in enumerate(schema.columns)
        ],
    }


def with_missing(model: TreeModel, policy: str, name: str) -> TreeModel:
    """Return the model with another policy for missing values; raise a UsageError if the tree does not support it."""
    from treecli.models._missing import tree_with_missing  # only exports need it

    tree = tree_with_missing(model, policy, name)
    return model if tree is model.tree else replace(model, tree=tree, settings=model.settings.changed(missing=policy))


def as_tree(model: TreeModel) -> TreeModel:
    return model


def as_rules(model: TreeModel) -> tuple[RuleList, Iterable[Rule]]:
    from treecli.rules.rulelist import heading_of
    from treecli.rules.treerules import TreeRules

    return heading_of(model), TreeRules(model)


def program(model: TreeModel) -> Program:
    from treecli.predict.program import program

    return program(model)


def probes(model: TreeModel) -> Dataset:
    from treecli.predict.probes import probes

    if "probes" not in model.derived:
        model.derived["probes"] = probes(model)
    return cast("Dataset", model.derived["probes"])


def explainer(model: TreeModel) -> Callable[[RowOf], Explanation]:
    from treecli.explain.explanation import Explainer

    return Explainer(model).explain


def flip(model: TreeModel, row: Dataset, label: int, fixed: Iterable[int] = ()) -> Flip | None:
    from treecli.explain.counterfactual import flip_tree

    return flip_tree(model, row, label, fixed)
