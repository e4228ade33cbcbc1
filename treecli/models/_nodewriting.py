"""The nodes of a model file as JSON, written in large pieces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from treecli.data import Schema
from treecli.leaves import leaf_record
from treecli.models._nodes import HERE
from treecli.outcomes.counts import SparseCounts
from treecli.outcomes.rows import as_json
from treecli.splits._registry import place_of
from treecli.tree import ALL_BRANCHES, NUMBERS_AT_ONCE, STAYS, Tree

_NODES_AT_ONCE = 4096
"""Large enough that the overhead per piece is negligible."""


def encoded(tree: Tree, schema: Schema, kept: tuple[str, ...]) -> Iterator[bytes]:
    """Yield the nodes of a tree, one per line, in pieces; `kept` names the outcomes of a numeric target."""
    lines = _Lines(tree, schema, kept)
    at_most = NUMBERS_AT_ONCE // tree.n_outcomes
    n_at_once = _NODES_AT_ONCE if isinstance(tree.outcomes, SparseCounts) else max(min(_NODES_AT_ONCE, at_most), 1)
    for begin in range(0, tree.n_nodes, n_at_once):
        nodes = range(begin, min(begin + n_at_once, tree.n_nodes))
        yield (",\n" if begin else "").encode() + ",\n".join(lines.of(nodes)).encode()


class _Lines:
    """Writes the lines of nodes: most as text around numbers, and those with more fields as records."""

    def __init__(self, tree: Tree, schema: Schema, kept: tuple[str, ...]) -> None:
        self._tree, self._schema, self._kept = tree, schema, kept
        self._encode = msgspec.json.Encoder().encode
        self._threshold = place_of("threshold")
        self._names = [column.name for column in schema.columns]
        self._names_of_numbers = {
            place: self._encode(column.name).decode()
            for place, column in enumerate(schema.columns)
            if column.is_numeric
        }
        self._has_more = {*tree.leaf_models, *tree.forced, *tree.surrogates, *tree.notes}
        """Nodes with other fields than outcomes, split, score and children."""

    def of(self, nodes: range) -> list[str]:
        """Return the lines of some nodes."""
        tree, own = self._tree, slice(nodes.start, nodes.stop)
        lines = []
        columns = (tree.first_child, tree.n_branches, tree.kind, tree.attribute, tree.missing_to)
        rows = zip(nodes, self._outcomes(nodes), *(column[own] for column in columns), strict=True)
        numbers, scores = self._texts(tree.number[own].tolist()), self._texts(tree.score[own].tolist())
        for node, outcomes, first, n_branches, kind, attribute, missing_to in rows:
            name = self._names_of_numbers.get(attribute) if n_branches == 2 and kind == self._threshold else None
            if node in self._has_more or (first and name is None):
                lines.append(self._encode(self._record(node)).decode())
            elif not first:
                lines.append(f'{{"id":{node},{outcomes}}}')
            else:
                route = "" if missing_to == ALL_BRANCHES else f',"missing_to":{_route(missing_to)}'
                place = node - nodes.start
                lines.append(
                    f'{{"id":{node},{outcomes},"split":{{"kind":"threshold","attribute":{name},"at_most":{numbers[place]}'
                    f'{route}}},"score":{scores[place]},"children":[{first},{first + 1}]}}'
                )
        return lines

    def _texts(self, numbers: list[float]) -> list[str]:
        return self._encode(numbers)[1:-1].decode().split(",")

    def _outcomes(self, nodes: range) -> list[str]:
        """Return the outcomes of some nodes, with their keys."""
        tree, n = self._tree, self._tree.n_outcomes
        if isinstance(tree.outcomes, SparseCounts):
            labels = self._schema.target.labels
            return [f'"counts":{self._encode(as_json(tree.outcomes[node], labels)).decode()}' for node in nodes]
        texts = self._texts(tree.outcomes[nodes.start * n : nodes.stop * n].tolist())
        of_nodes = zip(*(texts[first::n] for first in range(n)), strict=True)
        if self._schema.is_classification:
            return [f'"counts":[{",".join(own)}]' for own in of_nodes]
        weight, middle, spread = self._kept
        return [f'"{weight}":{own[0]},"{middle}":{own[1]},"{spread}":{own[2]}' for own in of_nodes]

    def _record(self, node: int) -> dict[str, Any]:
        """Return the record of a node."""
        tree, schema = self._tree, self._schema
        record: dict[str, Any] = {"id": node}
        outcomes = tree.outcomes_of(node)
        if schema.is_classification:
            record["counts"] = as_json(outcomes, schema.target.labels)
        else:
            record.update(zip(self._kept, outcomes, strict=True))
        own_model = tree.leaf_models.get(node)
        if own_model is not None:
            record["model"] = leaf_record(own_model, schema.attributes)
        if node in tree.forced:
            record["forced"] = schema.target.labels[tree.forced[node]]
        first_child = tree.first_child[node]
        if not first_child:
            return record
        split = tree.split(node)
        asked = {"kind": split.KIND, "attribute": self._names[split.attribute], **split.to_json(schema)}
        missing_to = tree.missing_to[node]
        if missing_to != ALL_BRANCHES:
            asked["missing_to"] = HERE if missing_to == STAYS else missing_to
        record["split"] = asked
        if node in tree.surrogates:
            record["surrogates"] = [surrogate.to_json(schema) for surrogate in tree.surrogates[node]]
        record["score"] = tree.score[node]
        record["children"] = list(range(first_child, first_child + tree.n_branches[node]))
        if node in tree.notes:
            record["notes"] = tree.notes[node]
        return record


def _route(missing_to: int) -> str:
    return f'"{HERE}"' if missing_to == STAYS else str(missing_to)
