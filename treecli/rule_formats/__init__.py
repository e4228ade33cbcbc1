"""Output formats of rules.

Each has `render(page)`, which returns the text piece by piece, so that the rules of a tree of any size are printed
while they are made; HAS_WORDING, whether `--wording plain` makes a difference; and SUFFIX, by which `-o` selects it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from treecli.rules.rule import Rule
from treecli.rules.rulelist import RuleList


@dataclass(frozen=True, slots=True)
class Page:
    """The rules to print, in order; `heading` has everything else about the list.

    `has_default`: print the default too. `is_whole`: the output is a complete file that can be read again. `is_plain`:
    in sentences.
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
