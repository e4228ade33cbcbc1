"""Make a model again from its lineage, and find where another differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from treecli.errors import UsageError
from treecli.learn import held_aside, learn, pruned
from treecli.pruners import pruner
from treecli.recipe import Recipe
from treecli.surgery import operations
from treecli.teaching.naming import paths

if TYPE_CHECKING:
    from treecli.data import Dataset, Schema
    from treecli.model import Lineage, TreeModel

OWN_KEYS = ("command", "method", "options", "leaves_before", "leaves_after")
"""Keys that pruning itself records in the lineage; the others are facts about its data."""


def training_step(model: TreeModel) -> Lineage:
    """Return the step that grew the tree; raise a UsageError if there is none with the hash of its data."""
    for step in model.lineage:
        if step.get("command") == "train" and "sha256" in step:
            return step
    raise UsageError("the lineage of the model does not say from which data it was grown")


def check(model: TreeModel, sha256: str) -> None:
    """Raise a UsageError for a step that cannot be repeated."""
    for step in model.lineage:
        command = step.get("command", "train")
        if command == "edit" and step.get("sha256", sha256) != sha256:
            raise UsageError(f"the tree was edited with other data, {step.get('data')}, which cannot be repeated")
        if command == "edit" and "grafts" in step:
            raise UsageError(f"the tree of {', '.join(step['grafts'])} was grafted, which cannot be repeated")
        if command not in ("train", "prune", "search", "edit"):
            raise UsageError(f"the lineage has a step '{command}', which cannot be repeated")
        if command == "prune" and "method" not in step:
            raise UsageError("the lineage has nodes pruned by hand, which cannot be repeated")
        if command == "prune" and step.get("sha256", sha256) != sha256:
            raise UsageError(f"the tree was pruned with other data, {step.get('data')}, which cannot be repeated")
        if command == "prune" and pruner(step["method"]).DATA == "needed" and "sha256" not in step:
            raise UsageError("the lineage does not say which rows were held aside for pruning")


def replayed(model: TreeModel, dataset: Dataset) -> Iterator[TreeModel]:
    """Yield the models that the lineage may stand for.

    Pruning by `train` sees the training data, pruning by `prune` need not; the lineage does not tell them apart.
    """
    step = training_step(model)
    # The model's own derived columns are found again.
    given = replace(dataset, schema=replace(dataset.schema, derived=()))
    rows = given if step.get("like") else given.labelled()
    if "test_fraction" in step:
        rows, _ = held_aside(rows, step["test_fraction"], model.settings.computing.seed)
    grown = learn(rows, Recipe(model.settings))
    grown = replace(grown, lineage=(step, *grown.lineage))
    steps = [own for own in model.lineage if own.get("command") in ("prune", "edit")]
    pending: list[tuple[TreeModel, int]] = [(grown, 0)]
    while pending:
        made, done = pending.pop()
        if done == len(steps):
            yield made
            continue
        own = steps[done]
        if own["command"] == "edit":
            pending.append((_edited(made, own, dataset), done + 1))
            continue
        facts = {key: value for key, value in own.items() if key not in OWN_KEYS}
        method = own["method"]
        options = pruner(method).Options(**own["options"])
        choices: dict[str, list[Dataset | None]] = {"none": [None], "needed": [rows], "optional": [None, rows]}
        for data in choices[pruner(method).DATA]:
            try:
                pending.append((pruned(made, method, options, data, facts), done + 1))
            except UsageError:  # the method cannot do without the data
                continue


def _edited(model: TreeModel, step: Lineage, dataset: Dataset) -> TreeModel:
    """Return the model with the operations of a step; a branch that they left empty was allowed then."""
    from treecli.surgery.editing import edited

    named = paths(model)
    pairs = [own.removeprefix("--").split(" ", 1) for own in step["operations"]]
    asked = [operations.read(kind, text, named, model.schema) for kind, text in pairs]
    facts = {key: value for key, value in step.items() if key not in ("command", "operations")}
    data = replace(dataset, schema=model.schema) if "sha256" in facts else None
    return edited(model, asked, data, facts, allow_empty=True).model


def before_renaming(model: TreeModel) -> TreeModel:
    """Return the model with the names that its columns had in the data, to read these."""
    schema = model.schema
    for step in reversed(model.lineage):
        for text in reversed(step.get("operations", ()) if step.get("command") == "edit" else ()):
            flag, _, names = text.partition(" ")
            if flag == f"--{operations.RENAME}":
                schema = operations.renamed(schema, *_new_and_old(names, schema))
    return replace(model, schema=schema)


def _new_and_old(text: str, schema: Schema) -> tuple[str, str]:
    """Return the two names in OLD=NEW, where the new one is that of a column."""
    parts, known = text.split("="), {own.name for own in (*schema.attributes, schema.target)}
    for place in range(1, len(parts)):
        new = "=".join(parts[place:]).strip()
        if new in known:
            return new, "=".join(parts[:place]).strip()
    raise UsageError(f"the lineage has a step '--rename {text}', which cannot be repeated")


def first_difference(old: TreeModel, new: TreeModel) -> str:
    """Return where two models of one schema differ first."""
    for node in range(min(old.tree.n_nodes, new.tree.n_nodes)):
        parts: dict[str, tuple[Any, Any]] = {
            "split": tuple(_split(own, node) for own in (old, new)),  # type: ignore[dict-item]
            "counts": (list(old.tree.outcomes_of(node)), list(new.tree.outcomes_of(node))),
            "score": (old.tree.score[node], new.tree.score[node]),
        }
        for what, (before, after) in parts.items():
            if before != after:
                return f"node {node}: the {what} in the model is {before}, made again it is {after}"
    if old.tree.n_nodes != new.tree.n_nodes:
        return f"the model has {old.tree.n_nodes} nodes, made again it has {new.tree.n_nodes}"
    return "the trees are the same, but not the columns, the settings or the lineage"


def _split(model: TreeModel, node: int) -> str:
    if model.tree.is_leaf(node):
        return "a leaf"
    split = model.tree.split(node)
    return f"'{split.condition(0, model.schema).wording(model.schema.columns[split.attribute])}'"
