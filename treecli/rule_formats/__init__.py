"""The forms in which rules are printed.

Each has `render(page)`, which gives the text piece by piece, so that the rules of a tree of any size are printed as
they are made; HAS_WORDING where `--wording plain` makes a difference; and SUFFIX, by which `-o` chooses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from treecli.rules.rule import Rule
from treecli.rules.rulelist import RuleList


@dataclass(frozen=True, slots=True)
class Page:
    """What is printed: rules, one after the other, of a list that `heading` tells all else about.

    `has_default`: what is predicted where no rule holds is printed, too. `is_whole`: what is printed is a file that is
    read again. `is_plain`: in sentences.
    """

    heading: RuleList
    rules: Iterable[Rule]
    has_default: bool = False
    is_whole: bool = False
    is_plain: bool = False


class RuleFormat(Protocol):
    """A member of this family."""

    SUFFIX: str
    HAS_WORDING: bool

    def render(self, page: Page) -> Iterator[str]: ...
