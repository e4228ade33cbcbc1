"""Ways to make a list of rules shorter: each is a module with the members of the protocol below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict, Unpack, cast

from treecli import plugins

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import Model
    from treecli.rulelists.rulelist import RuleList

Action = Literal["merged", "condition dropped", "condition widened", "rule dropped", "reordered", "default chosen"]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was done to the list.

    `rules` are the numbers, from 1, that the rules concerned had in the given list; a merged rule keeps the number of
    the first of its parts. `condition` is what was dropped or widened, in words, and `result` what there is instead.
    The estimated errors, of the rules concerned, are None where nothing was estimated.
    """

    action: Action
    rules: tuple[int, ...]
    condition: str | None = None
    result: str | None = None
    error_before: float | None = None
    error_after: float | None = None

    @property
    def text(self) -> str:
        """The step in one line of words."""
        subject = ("rule " if len(self.rules) == 1 else "rules ") + ", ".join(map(str, self.rules))
        words = [f"{subject}:" if self.rules else "list:", self.action]
        if self.condition is not None:
            words.append(self.condition)
        if self.result is not None:
            words.append(f"-> {self.result}")
        if self.error_before is not None and self.error_after is not None:
            words.append(f"(estimated error {self.error_before:.4g} -> {self.error_after:.4g})")
        return " ".join(words)

    def to_json(self) -> dict[str, Any]:
        """The step as scripts read it, in full precision."""
        return {
            "action": self.action,
            "rules": list(self.rules),
            "condition": self.condition,
            "result": self.result,
            "error_before": self.error_before,
            "error_after": self.error_after,
            "text": self.text,
        }


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
        self, model: Model | None, rules: RuleList, dataset: Dataset | None, **search: Unpack[Search]
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
