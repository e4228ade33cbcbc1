"""Methods that simplify rule lists: each is a module with the members of the protocol below."""

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
    """The simplified list, and the steps that led to it."""

    rules: RuleList
    steps: list[Step]


class Search(TypedDict, total=False):
    """The seed of a randomized search, and a callback for the share of the work done."""

    seed: int
    on_progress: Callable[[float], None] | None


class Simplifier(Protocol):
    """A simplification method; it does not modify the given list."""

    def simplify(
        self, model: TreeModel | None, rules: RuleList, dataset: Dataset | None, **search: Unpack[Search]
    ) -> Simplified:
        """Return the simplified list.

        `model` is the tree that the list was made from, None if the list was read from a file; `dataset` has the list's
        schema, and is None if no data were given. Only methods with a randomized search, which set IS_SEEDED = True,
        receive `search`.
        """
        ...


def simplifier(name: str) -> Simplifier:
    """Return the method with this name."""
    return cast("Simplifier", plugins.load("simplifiers", name))
