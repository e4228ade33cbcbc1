"""Ways to make a list of rules shorter: each is a module with the members of the protocol below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypedDict, Unpack, cast

from treecli import plugins

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import TreeModel
    from treecli.rules.rulelist import RuleList
    from treecli.rules.step import Step


@dataclass(frozen=True, slots=True)
class Simplified:
    """The shorter list, and how it came about, step by step."""

    rules: RuleList
    steps: list[Step]


class Search(TypedDict, total=False):
    """The seed of a search at random, and whom to tell what share of the work is done."""

    seed: int
    on_progress: Callable[[float], None] | None


class Simplifier(Protocol):
    """One way; the list that it is given stays as it was."""

    def simplify(
        self, model: TreeModel | None, rules: RuleList, dataset: Dataset | None, **search: Unpack[Search]
    ) -> Simplified:
        """The shorter list.

        `model` is the tree that the list is from, None where the list was read from a file; `dataset` has the list's
        schema, and is None where no data were given. Only a way that says IS_SEEDED = True, because it searches at
        random, is told how to.
        """
        ...


def simplifier(name: str) -> Simplifier:
    """The way that a user calls by this name."""
    return cast("Simplifier", plugins.load("simplifiers", name))
