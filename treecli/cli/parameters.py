"""The kinds of values that options and arguments take, and the headings under which `--help` lists options."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar

import click

from treecli import plugins
from treecli.cli import hints
from treecli.errors import UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Function = TypeVar("Function", bound=Callable[..., Any])
Decorator = Callable[[Function], Function]

DATA = "Data, target and columns"
SPLITS = "Splits"
STOPPING = "Stopping"
MISSING = "Missing and unseen values"
CLASSES = "Classes"
PRUNING = "Pruning"
TESTING = "Testing"
OUTPUT = "Output"
GENERAL = "General"

HEADINGS = (DATA, SPLITS, STOPPING, MISSING, CLASSES, PRUNING, TESTING, OUTPUT, GENERAL)
"""The groups of options in the order in which `--help` lists them."""


class OneOf(click.Choice[str]):
    """A choice that answers an unknown word with a hint: the nearest choice, or what another program's word means."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.choices:
            known = ", ".join(self.choices)
            hint = hints.for_word("" if param is None else param.opts[-1], str(value), self.choices)
            raise UsageError(f"{_prefix(param)}unknown '{value}' (known: {known})", hint)
        return str(value)


def member_of(folder: str) -> OneOf:
    """A choice among the members of a family."""
    return OneOf(plugins.names(folder))


class File(click.types.StringParamType):
    """The name of a file, which shells complete; `-` is stdin or stdout."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value == "" and param is not None and param.name != "output":
            raise UsageError(f"{_prefix(param)}found an empty name, expected a file's name", "- is stdin")
        return str(super().convert(value, param, ctx))

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


FILE = File()


class Whole(click.IntRange):
    """A whole number, within bounds where they are given."""

    name = "whole number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            raise _not_a_number(self, value, param) from None

    def _describe_range(self) -> str:
        return _bounds(self)


class Real(click.FloatRange):
    """A finite number, within bounds where they are given."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(super().convert(value, param, ctx))
        except click.BadParameter:
            number = float("nan")
        if not isfinite(number):
            raise _not_a_number(self, value, param)
        return number

    def _describe_range(self) -> str:
        return _bounds(self)


def _not_a_number(kind: Whole | Real, value: Any, param: click.Parameter | None) -> UsageError:
    bounds = _bounds(kind).replace(",", " and")
    if bounds and not bounds.startswith(("above", "below", "from")):
        bounds = f"of {bounds}"
    name = kind.name if bounds or isinstance(kind, Whole) else f"finite {kind.name}"
    return UsageError(f"{_prefix(param)}found '{value}', expected {f'a {name} {bounds}'.rstrip()}")


def _bounds(kind: Whole | Real) -> str:
    """The bounds of a number in words: `0 or more`, `above 0, below 1`, `from 0 to 1`; empty without bounds."""
    low, high = kind.min, kind.max
    if low is None and high is None:
        return ""
    if low is not None and high is not None and not kind.min_open and not kind.max_open:
        return f"from {low:g} to {high:g}"
    words = []
    if low is not None:
        words.append(f"above {low:g}" if kind.min_open else f"{low:g} or more")
    if high is not None:
        words.append(f"below {high:g}" if kind.max_open else f"at most {high:g}")
    return ", ".join(words)


def _prefix(param: click.Parameter | None) -> str:
    if param is None:
        return ""
    return f"{param.metavar if isinstance(param, click.Argument) else param.opts[-1]}: "


def stacked(*decorators: Decorator[Any]) -> Decorator[Any]:
    """The decorators as one, in the order in which --help lists them."""

    def decorate(function: Any) -> Any:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def under(heading: str, *decorators: Decorator[Any]) -> Decorator[Any]:
    """The decorators as one; a long command's `--help` lists their options under this heading."""
    assert heading in HEADINGS

    def decorate(function: Any) -> Any:
        n_before = len(_parameters(function))
        function = stacked(*decorators)(function)
        for parameter in _parameters(function)[n_before:]:
            parameter.heading = heading
        return function

    return decorate


def _parameters(function: Any) -> list[Any]:
    """The parameters that click's decorators have given to a function so far."""
    return list(getattr(function, "__click_params__", ()))
