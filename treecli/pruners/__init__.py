"""The pruning methods: each turns some inner nodes of a model's tree into leaves.

A method is a module with the members of the protocol below. The fields of its `Options`, made with `option`, are
what a user may type (`min_cases` is `--min-cases`); commands find them there, so that a new method is one new file.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from treecli import plugins

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import Model
    from treecli.tree import Tree


class Pruner(Protocol):
    """One method; its `Options` is a frozen dataclass that refuses what makes no sense with a UsageError."""

    DATA: Literal["none", "optional", "needed"]
    Options: type[Any]

    def prune(self, model: Model, options: Any, dataset: Dataset | None, jobs: int | None = None) -> Tree:
        """The smaller tree; the model stays as it was, and so does what each remaining node keeps of its cases.

        `dataset` has the model's schema; DATA says whether it is there. Only a method that says GROWS = True, because
        it grows trees to choose by, is given `jobs`: how many threads may do so.
        """
        ...


def pruner(name: str) -> Pruner:
    """The method that a user calls by this name."""
    return cast("Pruner", plugins.load("pruners", name))


def option(default: Any, help: str, *, name: str | None = None, type: type | None = None) -> Any:
    """A field of a method's options: what it is unless the user says otherwise, and what --help says about it.

    `name` is what a user types, where that cannot be the field's name; `type` is needed where the default is None.
    """
    return field(default=default, metadata={"help": help, "name": name, "type": type})
