"""Sibling leaves that are merged at the end, as in C5.0's trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from treecli.errors import UsageError
from treecli.grow.siblings import groups_of
from treecli.pruners import pruner
from treecli.tree import predicted_codes
from treecli.wording import quoted

if TYPE_CHECKING:
    from treecli.model import TreeModel
    from treecli.teaching.prunings import Subject

GROUPED = "subset"


def check(model: TreeModel) -> None:
    """Raise a UsageError for a model whose leaves may have been merged: its splits are not those that were chosen."""
    if not model.settings.stopping.merges_leaves:
        return
    if any(model.tree.split(node).KIND == GROUPED for node in model.tree.inner_nodes()):
        raise UsageError(
            "--model: sibling leaves of this tree were merged, so its splits are not those that were chosen",
            "leave out --model, and give the options of 'treecli train', such as --like c50",
        )


def lines(subject: Subject, method: str | None) -> Iterator[str]:
    """Yield a sentence on each group of leaves that is merged after pruning."""
    tree = subject.model.tree
    if method is not None:
        tree = pruner(method).prune(subject.model, subject.options, subject.tuning)
    model = replace(subject.model, tree=tree)
    label, target = predicted_codes(tree), model.schema.target
    for node in tree.inner_nodes():
        groups = groups_of(tree, node, label)
        attribute = model.schema.columns[tree.split(node).attribute]
        for group in groups:
            if len(group) < 2:
                continue
            branches = [child - tree.first_child[node] for child in group]
            texts = [model.node(node).condition(branch).wording(attribute) for branch in branches]
            first, *more = (text.removeprefix(f"{quoted(attribute.name)} = ") for text in texts)
            named = f"{', '.join([first, *more[:-1]])} and {more[-1]}"
            leaf = quoted(target.labels[label[group[0]]])
            whole = ": no split is left there" if len(groups) == 1 else ""
            yield f"merged: the branches {named} of {quoted(attribute.name)} are leaves {leaf}{whole}"
