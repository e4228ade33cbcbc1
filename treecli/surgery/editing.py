"""Apply operations to a model: the edited tree, its counts, its lineage, and what each operation did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.errors import UsageError
from treecli.files.guard import name_of
from treecli.grow.grow import grow
from treecli.models import read_tree
from treecli.surgery import operations as surgery
from treecli.surgery.draft import draft_of, in_level_order, tree_of
from treecli.surgery.grafting import graft
from treecli.surgery.operations import GRAFT, REGROW, RENAME, THRESHOLD, Operation
from treecli.surgery.recount import recounted, set_scores
from treecli.teaching.branches import branch_of_case, values_of
from treecli.wording import counted, readable

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import Lineage, TreeModel
    from treecli.surgery.draft import Draft

MOST_ROWS_NAMED = 5
"""The number of rows that a message lists."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A model with the operations that changed it, and what each did."""

    model: TreeModel
    messages: tuple[str, ...]


def edited(
    model: TreeModel,
    asked: Sequence[Operation],
    dataset: Dataset | None,
    facts: Mapping[str, Any],
    *,
    allow_empty: bool,
) -> Edited:
    """Return the model with these operations; all cases are counted from `dataset`.

    `facts` is what the lineage records beside the operations: the name and the hash of the data.
    """
    root, schema = draft_of(model.tree), model.schema
    dataset = None if dataset is None else dataset.labelled()
    messages: list[str] = []
    for operation in asked:
        if operation.kind == RENAME:
            schema = surgery.renamed(schema, *operation.value)
            _rename_notes(root, *operation.value)
        elif operation.kind == REGROW:
            assert dataset is not None
            messages.append(_regrown(root, operation, dataset, model))
        elif operation.kind == GRAFT:
            messages.append(_grafted(root, operation, model))
        elif operation.kind == THRESHOLD:
            assert dataset is not None
            messages.append(_moved(root, operation, dataset, model))
        else:
            messages.append(surgery.apply(root, operation, model.schema))
    if dataset is not None:
        _recount(root, dataset, model, allow_empty=allow_empty)
    tree = tree_of(root, model.tree)
    step: Lineage = {"command": "edit", "operations": [f"{own.flag} {own.text}" for own in asked]}
    step |= facts
    made = replace(model, schema=schema, tree=tree, lineage=(*model.lineage, step))
    if dataset is not None:
        is_training = any(own.get("sha256") == facts.get("sha256") for own in model.lineage)
        changes = ("training " if is_training else "") + _changes(model, made, dataset)
        messages = [f"{messages[0]}; {changes}"] if len(messages) == 1 else [*messages, changes]
    return Edited(made, tuple(messages))


def _recount(root: Draft, dataset: Dataset, model: TreeModel, *, allow_empty: bool) -> None:
    """Counts all cases again, and scores the new splits; refuses a new split with an empty branch."""
    recounted(root, dataset, model.settings)
    for node in in_level_order(root):
        if node.split is None or node.score is not None or allow_empty:
            continue
        weights = [sum(own.outcomes) if model.schema.is_classification else own.outcomes[0] for own in node.children]
        # A branch per label may lack cases, as in training; a threshold or a label against the rest may not.
        n_filled = sum(weight > 0 for weight in weights)
        if n_filled < 2:
            where = "a grafted node" if node.number is None else f"node {node.number}"
            raise UsageError(f"{where}: a branch of the new split has no cases", "add --allow-empty")
    set_scores(root, dataset, model.settings)


def _regrown(root: Draft, operation: Operation, dataset: Dataset, model: TreeModel) -> str:
    """Grows what is below a node again, from the cases that reach it."""
    node = surgery.found_in(root, operation)
    assert operation.node is not None
    cases = recounted(root, dataset, model.settings)[operation.node]
    if not len(cases.rows):
        raise UsageError(f"--regrow {operation.text}: no case reaches node {operation.node}")
    own = replace(dataset.take(np.asarray(cases.rows)), weights=cases.weights, has_weights=True)
    surgery.grafted(node, grow(own, model.settings))
    return f"node {operation.node}: grown again, {counted(len(in_level_order(node)) - 1, 'node')} below it"


def _grafted(root: Draft, operation: Operation, model: TreeModel) -> str:
    """Puts the tree of another model below a node."""
    node = surgery.found_in(root, operation)
    n = graft(node, read_tree(operation.value), model, operation.value)
    return f"node {operation.node}: the tree of {name_of(operation.value)}, {counted(n, 'node')} below it"


def _moved(root: Draft, operation: Operation, dataset: Dataset, model: TreeModel) -> str:
    """Moves a threshold, and tells how many rows at the node change side."""
    node = surgery.found_in(root, operation)
    before = node.split
    message = surgery.apply(root, operation, model.schema)
    assert before is not None
    assert node.split is not None
    assert operation.node is not None
    rows = recounted(root, dataset, model.settings)[operation.node].rows
    values = values_of(dataset, before.attribute, rows)
    n = int((branch_of_case(before, values) != branch_of_case(node.split, values)).sum())
    return f"{message}; {counted(n, 'row changes', 'rows change')} side"


def _rename_notes(root: Draft, old: str, new: str) -> None:

    for node in in_level_order(root):
        for name in ("competitors", "ties"):
            records = node.notes.get(name, ())
            changed = [record | {"attribute": new} if record["attribute"] == old else record for record in records]
            if changed:
                node.notes = node.notes | {name: changed}


def _changes(before: TreeModel, after: TreeModel, dataset: Dataset) -> str:
    """How the errors on the data change, and on which rows."""
    from treecli.evaluate.measure import measure
    from treecli.evaluate.metrics import Classification
    from treecli.predict.predict import predictions

    first, second = measure(before, dataset), measure(after, replace(dataset, schema=after.schema))
    if not (isinstance(first, Classification) and isinstance(second, Classification)):
        assert not isinstance(first, Classification)
        assert not isinstance(second, Classification)
        return f"root mean squared error {readable(first.rmse)} → {readable(second.rmse)}"
    old, new = predictions(before, dataset) == dataset.target, predictions(after, dataset) == dataset.target
    parts = []
    for word, rows in (("right", new & ~old), ("wrong", old & ~new)):
        numbers = [row + 1 for row in rows.nonzero()[0].tolist()]
        if numbers:
            shown = ", ".join(map(str, numbers[:MOST_ROWS_NAMED])) + (", …" if len(numbers) > MOST_ROWS_NAMED else "")
            parts.append(f"{'row' if len(numbers) == 1 else 'rows'} {shown} {word}")
    errors = f"errors {readable(first.errors)} → {readable(second.errors)}"
    return f"{errors} ({', '.join(parts)})" if parts else errors
