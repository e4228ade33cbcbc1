"""Declaration of an option: its name, its values, and its help text.

Settings, pruning methods and recipes declare options. `arguments` parses them from a list of words, and cli turns
them into click options; both give the same values and the same errors.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, Protocol

from treecli import plugins
from treecli.errors import UsageError
from treecli.options import hints
from treecli.records import dataclass

SPLITS = "Splits"
SEARCH = "Search"
STOPPING = "Stopping"
MISSING = "Missing and unseen values"
CLASSES = "Classes"
NUMBERS = "Numeric targets"
ENSEMBLES = "Several trees"
PRUNING = "Pruning"
ATTRIBUTES = "Attributes"
OUTPUT = "Output"
GENERAL = "General"


class Kind(Protocol):
    """The type of an option's values."""

    @property
    def metavar(self) -> str:
        """The placeholder for a value in messages and help, unless the option has its own."""
        ...

    def read(self, text: Any, name: str) -> Any:
        """Return the value of a text, or raise a UsageError; `name` is the option's name in messages."""
        ...


@dataclass(frozen=True, slots=True)
class Number:
    """A finite number with optional bounds; open bounds are exclusive."""

    min: float | None = None
    max: float | None = None
    min_open: bool = False
    max_open: bool = False
    is_whole: bool = False
    implied: str | None = None
    """The number of an option that is typed without one."""

    @property
    def metavar(self) -> str:
        return "N" if self.is_whole else "X"

    def read(self, text: Any, name: str) -> float:
        try:
            number: float = int(text) if self.is_whole else float(text)
        except ValueError:
            raise self._refusal(text, name) from None
        is_finite = self.is_whole or isfinite(number)
        is_above = self.min is None or number > self.min or (number == self.min and not self.min_open)
        is_below = self.max is None or number < self.max or (number == self.max and not self.max_open)
        if not (is_finite and is_above and is_below):
            raise self._refusal(text, name)
        return number

    def bounds(self) -> str:
        """Return the bounds as text: `0 or more`, `above 0, below 1`, `from 0 to 1`; empty without bounds."""
        if self.min is not None and self.max is not None and not self.min_open and not self.max_open:
            return f"from {self.min:g} to {self.max:g}"
        words = []
        if self.min is not None:
            words.append(f"above {self.min:g}" if self.min_open else f"{self.min:g} or more")
        if self.max is not None:
            words.append(f"below {self.max:g}" if self.max_open else f"at most {self.max:g}")
        return ", ".join(words)

    def _refusal(self, text: Any, name: str) -> UsageError:
        bounds = self.bounds().replace(",", " and")
        if bounds and not bounds.startswith(("above", "below", "from")):
            bounds = f"of {bounds}"
        noun = "whole number" if self.is_whole else "number" if bounds else "finite number"
        return UsageError(f"{_prefix(name)}found '{text}', expected {f'a {noun} {bounds}'.rstrip()}")


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of several words, or of the members of the plugin family in `folder`; `having`: of those with this name."""

    words: tuple[str, ...] = ()
    folder: str | None = None
    having: str | None = None

    @property
    def known(self) -> tuple[str, ...]:
        """All words, in the order of `--help`."""
        if self.folder is None:
            return self.words
        members = plugins.names(self.folder)
        if self.having is not None:
            members = tuple(name for name in members if hasattr(plugins.load(self.folder, name), self.having))
        return (*self.words, *members)

    @property
    def metavar(self) -> str:
        return f"[{'|'.join(self.known)}]"

    def read(self, text: Any, name: str) -> str:
        return chosen(text, name, self.known)


@dataclass(frozen=True, slots=True)
class Text:
    """Any text; `convert` returns its value, and shells complete it with the words in `known`."""

    convert: Callable[[str], Any] = str
    known: OneOf = OneOf()
    metavar: str = "TEXT"

    def read(self, text: Any, name: str) -> Any:
        return self.convert(text)


@dataclass(frozen=True, slots=True)
class File:
    """The name of an input file; shells complete it."""

    metavar: str = "FILE"

    def read(self, text: Any, name: str) -> str:
        if text == "":
            raise UsageError(f"{_prefix(name)}found an empty name, expected a file's name", "- is stdin")
        return str(text)


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag without a value; if it `has_opposite`, `--no-NAME` turns it off."""

    has_opposite: bool = False
    metavar: str = ""

    def read(self, text: Any, name: str) -> bool:
        return bool(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option; `key` is the name of its value, `flag` its name on the command line.

    `shown`: whether `--help` shows the default, or the text to show instead.
    """

    key: str
    flag: str
    kind: Kind
    help: str
    heading: str
    default: Any = None
    metavar: str | None = None
    shown: bool | str = False

    @property
    def implied(self) -> str | None:
        """The value if the option is typed without one; another is then typed after `=`."""
        return self.kind.implied if isinstance(self.kind, Number) else None

    @property
    def opposite(self) -> str | None:
        """The negative form of the option, if it has one."""
        has_opposite = isinstance(self.kind, Flag) and self.kind.has_opposite
        return self.flag.replace("--", "--no-", 1) if has_opposite else None


def chosen(word: Any, name: str, known: tuple[str, ...]) -> str:
    """Return the word if it is known; otherwise raise a UsageError.

    The hint is the closest known word, or the equivalent of another program's word.
    """
    if word not in known:
        hint = hints.for_word(name, str(word), known)
        raise UsageError(f"{_prefix(name)}unknown '{word}' (known: {', '.join(known)})", hint)
    return str(word)


def _prefix(name: str) -> str:
    return f"{name}: " if name else ""
