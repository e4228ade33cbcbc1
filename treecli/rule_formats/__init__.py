"""Output formats of rules.

Each module has `render(page)`, which yields the text in pieces, so that rules are printed while they are made;
HAS_WORDING, whether `--wording plain` has an effect; and SUFFIX, by which `-o` selects the format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from treecli.records import dataclass
from treecli.rules.rule import Rule
from treecli.rules.rulelist import RuleList


@dataclass(frozen=True, slots=True)
class Page:
    """The rules to print, in order; `heading` has all other data of the list.

    `has_default`: also print the default rule. `is_whole`: the output is a complete model file. `is_plain`: print
    sentences.
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
