"""Change a tree by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from treecli import limits
from treecli.cli import apply, options, terminal
from treecli.cli.usage import WORDS
from treecli.errors import DataError, UsageError
from treecli.files import forms
from treecli.files.guard import STREAM, name_of, open_input, will_read
from treecli.model import ABSOLUTE, TreeModel
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

if TYPE_CHECKING:
    from treecli.intake import Intake, ReadOptions
    from treecli.surgery.editing import Edited

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
    from treecli.surgery.editing import edited

    facts: dict[str, Any] = {} if data is None else {"data": data.name, "sha256": data.sha256}
    made = edited(model, asked, None if data is None else data.dataset, facts, allow_empty=allow_empty)
    grafts = {name_of(own.value): _sha256(own.value) for own in asked if own.kind == GRAFT}
    if not grafts:
        return made
    *steps, step = made.model.lineage
    return replace(made, model=replace(made.model, lineage=(*steps, {**step, "grafts": grafts})))


def _sha256(path: str) -> str:
    """The hash of a model file."""
    from hashlib import sha256

    with open_input(path) as file:
        return sha256(file.read()).hexdigest()
