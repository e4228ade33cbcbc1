"""`treecli prune`: a saved model becomes a smaller one."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from treecli import options, terminal
from treecli.commands import _pruning
from treecli.errors import DataError, UsageError
from treecli.files import STREAM, read_model, write_model
from treecli.learn import pruned
from treecli.pruners import pruner

if TYPE_CHECKING:
    from treecli.intake import Intake, ReadOptions
    from treecli.model import Lineage, Model

METHOD_WITH_DATA = "reduced-error"
METHOD_WITHOUT_DATA = "pessimistic"

N_NODES_NAMED = 10
"""How many nodes a message lists before it breaks off."""


@click.command(short_help="Prune a model into a smaller one.")
@click.argument("model_path", metavar="MODEL")
@click.option(
    "--method",
    type=options.member_of("pruners"),
    default=None,
    help=f"How to prune.  [default: {METHOD_WITH_DATA} with --data, else {METHOD_WITHOUT_DATA}; "
    "with --node or --depth alone, none]",
)
@click.option(
    "--data",
    "data_path",
    metavar="FILE",
    default=None,
    help=f"Tuning data, which the tree was not grown from; {METHOD_WITH_DATA} needs it.",
)
@_pruning.method_options
@click.option(
    "--node",
    "nodes",
    type=int,
    multiple=True,
    metavar="N",
    help="Make this node a leaf; repeatable. 'show --ids' tells the numbers.",
)
@click.option(
    "--depth", type=click.IntRange(min=0), default=None, metavar="D", help="Make every node below D tests a leaf."
)
@options.output("STEM.pruned.json in this folder")
@options.model_data
@options.voice
def command(
    model_path: str,
    method: str | None,
    data_path: str | None,
    nodes: tuple[int, ...],
    depth: int | None,
    output: str | None,
    reading: ReadOptions,
    **method_values: Any,
) -> None:
    """Prune a saved model into a new one; the old file stays as it is.

    Inner nodes become leaves that predict what their training cases say. --node and --depth are carried out before
    a method's own work.

    \b
    treecli prune playtennis.json
    treecli prune playtennis.json --confidence 0.1 -o small.json
    treecli prune playtennis.json --data tuning.csv
    treecli prune playtennis.json --method reduced-error --greedy --data tuning.csv
    treecli prune playtennis.json --node 1 --node 3
    """
    by_hand: dict[str, Any] = ({"node": sorted(set(nodes))} if nodes else {}) | (
        {"depth": depth} if depth is not None else {}
    )
    chosen = method or _default_method(has_data=data_path is not None, by_hand=bool(by_hand))
    method_options = _pruning.take_options(chosen, method_values, "--method")
    output = _output_path(model_path, data_path, output)
    _check_data_options(chosen, data_path, reading)

    model = read_model(model_path)
    name = "stdin" if model_path == STREAM else model_path
    smaller = _collapsed_by_hand(model, name, nodes, depth)
    tuning = None if data_path is None else _read_tuning_data(data_path, reading, model)
    facts: Lineage = {} if tuning is None else {"data": tuning.name, "sha256": tuning.sha256}
    if by_hand:
        leaves = {"leaves_before": model.tree.n_leaves, "leaves_after": smaller.tree.n_leaves}
        step: Lineage = {"command": "prune", "options": by_hand, **leaves}
        smaller = replace(smaller, lineage=(*model.lineage, step))
    if chosen is not None:
        smaller = pruned(smaller, chosen, method_options, None if tuning is None else tuning.dataset, facts)
    write_model(output, smaller)

    if chosen is not None and method is None:
        terminal.note(f"no --method given, so this was {_pruning.as_typed(chosen, method_options, '--method')}")
    terminal.note(
        f"{name}: {model.tree.n_nodes} → {smaller.tree.n_nodes} nodes, "
        f"{model.tree.n_leaves} → {smaller.tree.n_leaves} leaves; "
        f"wrote {'the model to stdout' if output == STREAM else output}"
    )


def _default_method(has_data: bool, by_hand: bool) -> str | None:
    if has_data:
        return METHOD_WITH_DATA
    return None if by_hand else METHOD_WITHOUT_DATA


def _check_data_options(chosen: str | None, data_path: str | None, reading: ReadOptions) -> None:
    """Refuses data that nothing would use, and a method that lacks them."""
    from treecli.intake import ReadOptions

    use = "none" if chosen is None else pruner(chosen).DATA
    if use == "needed" and data_path is None:
        raise UsageError(
            f"--method {chosen} needs tuning data", "give a file that the tree was not grown from: --data FILE"
        )
    if data_path is not None and use == "none":
        raise UsageError(f"--method {chosen} uses no data", f"leave --data out, or use --method {METHOD_WITH_DATA}")
    if data_path is None and reading != ReadOptions():
        raise UsageError("options that say how to read data, but no data", "name the file: --data FILE")


def _output_path(model_path: str, data_path: str | None, output: str | None) -> str:
    """Where the new model goes, which is never a file that is read."""
    if model_path == data_path == STREAM:
        raise UsageError("the model and the data cannot both come from stdin")
    if output is None:
        if model_path == STREAM:
            raise UsageError("a model from stdin has no name to make the new one's from", "name the new file: -o FILE")
        output = f"{Path(model_path).name.removesuffix('.json')}.pruned.json"
    for read in (model_path, data_path):
        if read is not None and _are_same_file(read, output):
            raise UsageError(f"{output}: is read here and would be overwritten", "give -o another name")
    return output


def _are_same_file(first: str, second: str) -> bool:
    if STREAM in (first, second) or not (os.path.exists(first) and os.path.exists(second)):
        return False
    return os.path.samefile(first, second)


def _read_tuning_data(path: str, reading: ReadOptions, model: Model) -> Intake:
    from treecli.intake import read_for_model
    from treecli.prediction import refuse_unseen

    tuning = read_for_model(path, reading, model.schema)
    for text in tuning.notices:
        terminal.detail(text)
    for text in tuning.warnings:
        terminal.warn(text)
    dataset = tuning.dataset
    assert dataset.target is not None
    is_known = dataset.target >= 0 if model.schema.is_classification else dataset.target == dataset.target  # not NaN
    if not dataset.weights[is_known].any():
        raise DataError(
            f"{tuning.name}: no row has a value of the target '{model.schema.target.name}' that the model knows",
            "without one every node would go; --node 0 does that on purpose",
        )
    if not is_known.all():
        terminal.warn(
            f"{tuning.name}: {(~is_known).sum()} of {dataset.n_rows} rows do not count, "
            "for their target is missing or unknown to the model"
        )
    if model.settings.unseen == "error":
        refuse_unseen(model, dataset, tuning.name)
    return tuning


def _collapsed_by_hand(model: Model, name: str, nodes: tuple[int, ...], depth: int | None) -> Model:
    """The model in which the nodes asked for, and all at the depth asked for, are leaves."""
    tree = model.tree
    for node in nodes:
        if not 0 <= node < tree.n_nodes:
            found = f"there is no node {node}"
        elif tree.is_leaf(node):
            found = f"node {node} is a leaf already"
        else:
            continue
        inner = [str(number) for number in islice(tree.inner_nodes(), N_NODES_NAMED + 1)]
        named = ", ".join(inner[:N_NODES_NAMED]) + (", …" if len(inner) > N_NODES_NAMED else "")
        raise UsageError(
            f"{name}: {found}, expected an inner node from 0 to {tree.n_nodes - 1} ({named or 'there is none'})",
            "'treecli show MODEL --ids' tells the numbers",
        )
    if not nodes and depth is None:
        return model
    asked = set(nodes)
    depths = tree.depths()
    return replace(model, tree=tree.collapsed(lambda node: node in asked or depths[node] == depth))
