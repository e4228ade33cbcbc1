"""Change a tree by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from treecli import limits
from treecli.cli import apply, options, terminal
from treecli.cli.usage import WORDS
from treecli.errors import DataError, UsageError
from treecli.files import forms
from treecli.files.guard import STREAM, name_of, open_input, will_read
from treecli.model import ABSOLUTE, Lineage, TreeModel
from treecli.models import read_tree, write_model
from treecli.outcomes.rows import MANY_CLASSES
from treecli.surgery import operations as surgery
from treecli.surgery.operations import (
    COLLAPSE,
    GRAFT,
    LABEL,
    NEED_DATA,
    OPERATIONS,
    REGROW,
    RENAME,
    SPLIT,
    THRESHOLD,
    Operation,
)
from treecli.wording import counted, readable

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.intake import Intake, ReadOptions
    from treecli.surgery.draft import Draft

MOST_ROWS_NAMED = 5
"""The number of rows that a message lists."""

_HELP = {
    COLLAPSE: ("NODE", "Make this node a leaf."),
    LABEL: ("NODE=LABEL", "Give a leaf another class than its cases do: [forced]; pruning keeps it."),
    THRESHOLD: ("NODE=X", "Compare with another number at this node; needs --data."),
    SPLIT: (
        "NODE=TEST",
        "Ask another question at this node, NAME <= X, NAME = LABEL or NAME; its branches are leaves; needs --data.",
    ),
    REGROW: ("NODE", "Grow what is below this node again, with the model's settings; needs --data."),
    GRAFT: ("NODE=MODEL", "Put the tree of another model below this node; needs --data."),
    RENAME: ("OLD=NEW", "Give a column another name."),
}


def _operation_options(function: Any) -> Any:
    """The options of all operations."""
    for kind in reversed(OPERATIONS):
        metavar, text = _HELP[kind]
        option = click.option(f"--{kind}", kind, multiple=True, metavar=metavar, help=f"{text} Repeatable.")
        function = option(function)
    return function


@dataclass(frozen=True, slots=True)
class Edited:
    """A model with the operations that changed it, and what each did."""

    model: TreeModel
    messages: tuple[str, ...]


@click.command(cls=options.Command)
@click.argument("model_path", metavar="MODEL", type=options.FILE)
@_operation_options
@click.option(
    "--script", "script_path", type=options.FILE, metavar="FILE", help="A file of operations, one a line: split 3=Wind."
)
@click.option(
    "--data", "data_path", type=options.FILE, metavar="FILE", help="The data from which all cases are counted."
)
@click.option("--allow-empty", is_flag=True, help="Allow a threshold or a split that leaves a branch without cases.")
@options.output("STEM.edited.json in this folder", has_forms=False)
@options.model_data
@options.voice
def command(
    model_path: str,
    script_path: str | None,
    data_path: str | None,
    allow_empty: bool,
    output: str | None,
    reading: ReadOptions,
    **given: tuple[str, ...],
) -> None:
    """Change the tree of MODEL by hand, and write another model.

    Operations are applied in the order in which they are typed, those of --script first. NODE is the number of a node
    of MODEL ('show --ids' shows them) or its path, as in "petalwidth > 0.6". With --data, the cases of every node are
    counted again from it; without, only operations whose counts follow from the model are possible. The lineage of the
    new model lists the operations. Nothing is written if one of them is refused.

    \b
    treecli edit iris.json --collapse 2 -o small.json
    treecli edit iris.json --label 3=Iris-virginica -o other.json
    treecli edit iris.json --threshold "petalwidth > 0.8=1.65" --data iris.csv
    treecli edit iris.json --split "2=petallength <= 4.8" --data iris.csv
    treecli edit iris.json --regrow 2 --data iris.csv
    treecli edit iris.json --graft 2=other.json --data iris.csv -o both.json
    treecli edit iris.json --rename petalwidth=width -o renamed.json
    """
    output = output or _default_output(model_path)
    forms.check_model(output)
    model = read_tree(model_path)
    asked = _operations(model, script_path, given)
    if not asked:
        raise UsageError("no operation is given", "--help lists them")
    for operation in asked:
        if operation.kind == GRAFT:
            will_read(operation.value)  # so that it is not overwritten
    _check(model, asked, data_path)
    data = None if data_path is None else apply.read_data(data_path, reading, model, needs_target=True)
    if data is not None:
        limits.check(data.dataset, data.name, reading.weights)
    edited = _edited(model, asked, data, allow_empty=allow_empty)
    write_model(output, edited.model)
    for message in edited.messages:
        terminal.note(message)
    before, after = model.tree, edited.model.tree
    terminal.note(
        f"{before.n_nodes} → {after.n_nodes} nodes, {before.n_leaves} → {after.n_leaves} leaves; "
        f"wrote {'the model to stdout' if output == STREAM else output}"
    )


def _default_output(model_path: str) -> str:
    if model_path == STREAM:
        raise UsageError("a model from stdin has no name to derive another from", "name the new model: -o FILE")
    return f"{forms.stem_of(model_path)}.edited.json"


def _operations(model: TreeModel, script_path: str | None, given: dict[str, tuple[str, ...]]) -> list[Operation]:
    """The operations of the script and of the command line, in order."""
    from treecli.teaching.naming import paths

    named = paths(model)
    return [surgery.read(kind, text, named, model.schema) for kind, text in (*_script(script_path), *_typed(given))]


def _script(path: str | None) -> list[tuple[str, str]]:
    if path is None:
        return []
    try:
        with open_input(path) as file:
            lines = file.read().decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read: {error}") from None
    found = []
    for number, line in enumerate(lines, 1):
        kind, _, text = line.strip().partition(" ")
        if not kind or kind.startswith("#"):
            continue
        if kind not in OPERATIONS:
            raise UsageError(f"{path}:{number}: found '{kind}', expected one of {', '.join(OPERATIONS)}")
        found.append((kind, text.strip()))
    return found


def _typed(given: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    """The operations of the command line, in the order in which they are typed."""
    context = click.get_current_context()
    _, _, order = context.command.make_parser(context).parse_args(list(context.meta[WORDS]))
    values = {kind: list(given[kind]) for kind in OPERATIONS}
    return [(own.name, values[own.name].pop(0)) for own in order if own.name in values]


def _check(model: TreeModel, asked: list[Operation], data_path: str | None) -> None:
    """Raises a UsageError for models and operations that cannot be edited."""
    if model.tree.leaf_models or model.schema.derived:
        raise UsageError("trees with models at their leaves or derived columns cannot be edited", "grow another tree")
    if data_path is not None and model.settings.splitting.criterion == ABSOLUTE:
        raise UsageError("--data: medians are not counted again", "grow a tree with --criterion variance")
    for operation in asked:
        if operation.kind == LABEL and (not model.schema.is_classification or _is_weighed(model)):
            raise UsageError(
                f"--label {operation.text}: no class is forced in trees with priors, costs, or more than "
                f"{MANY_CLASSES} classes, or of a numeric target"
            )
        if operation.kind in NEED_DATA and data_path is None:
            raise UsageError(
                f"{operation.flag} {operation.text}: the counts do not follow from the model", "add --data FILE"
            )


def _is_weighed(model: TreeModel) -> bool:
    """Whether classes are not simply chosen by counts of all classes."""
    is_sparse = len(model.schema.target.labels) > MANY_CLASSES
    return bool(model.tree.class_scale) or model.tree.costs is not None or is_sparse


def _edited(model: TreeModel, asked: list[Operation], data: Intake | None, *, allow_empty: bool) -> Edited:
    from treecli.surgery.draft import draft_of, tree_of

    root, schema = draft_of(model.tree), model.schema
    dataset = None if data is None else data.dataset.labelled()
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
    if data is not None:
        step |= {"data": data.name, "sha256": data.sha256}
    grafts = {name_of(own.value): _sha256(own.value) for own in asked if own.kind == GRAFT}
    if grafts:
        step["grafts"] = grafts
    edited = replace(model, schema=schema, tree=tree, lineage=(*model.lineage, step))
    if dataset is not None and data is not None:
        is_training = any(own.get("sha256") == data.sha256 for own in model.lineage)
        changes = ("training " if is_training else "") + _changes(model, edited, dataset)
        messages = [f"{messages[0]}; {changes}"] if len(messages) == 1 else [*messages, changes]
    return Edited(edited, tuple(messages))


def _recount(root: Draft, dataset: Dataset, model: TreeModel, *, allow_empty: bool) -> None:
    """Counts all cases again, and scores the new splits; refuses a new split with an empty branch."""
    from treecli.surgery.draft import in_level_order
    from treecli.surgery.recount import recounted, set_scores

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
    import numpy as np

    from treecli.grow.grow import grow
    from treecli.surgery.draft import in_level_order
    from treecli.surgery.recount import recounted

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
    from treecli.surgery.grafting import graft

    node = surgery.found_in(root, operation)
    n = graft(node, read_tree(operation.value), model, operation.value)
    return f"node {operation.node}: the tree of {name_of(operation.value)}, {counted(n, 'node')} below it"


def _sha256(path: str) -> str:
    """The hash of a model file."""
    from hashlib import sha256

    with open_input(path) as file:
        return sha256(file.read()).hexdigest()


def _moved(root: Draft, operation: Operation, dataset: Dataset, model: TreeModel) -> str:
    """Moves a threshold, and tells how many rows at the node change side."""
    from treecli.surgery.recount import recounted
    from treecli.teaching.branches import branch_of_case, values_of

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
    from treecli.surgery.draft import in_level_order

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
