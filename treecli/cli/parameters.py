"""The types of options and arguments, and the headings of options in `--help`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from treecli import plugins
from treecli.options.option import (
    ATTRIBUTES,
    CLASSES,
    ENSEMBLES,
    GENERAL,
    MISSING,
    NUMBERS,
    OUTPUT,
    PRUNING,
    SEARCH,
    SPLITS,
    STOPPING,
    Number,
    chosen,
)
from treecli.options.option import File as FileName

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Function = TypeVar("Function", bound=Callable[..., Any])
Decorator = Callable[[Function], Function]

DATA = "Data, target and columns"
ENGINE = "Engine"
TESTING = "Testing"

HEADINGS = (
    *(
        DATA,
        ENGINE,
        SPLITS,
        ATTRIBUTES,
        SEARCH,
        STOPPING,
        MISSING,
        CLASSES,
        NUMBERS,
        ENSEMBLES,
        PRUNING,
        TESTING,
        OUTPUT,
        GENERAL,
    ),
)
"""The groups of options, in the order of `--help`."""


class OneOf(click.Choice[str]):
    """A choice with hints for unknown words: the closest choice, or the equivalent of another program's word."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return chosen(value, _name(param), tuple(self.choices))


def member_of(folder: str) -> OneOf:
    """A choice among the members of a family."""
    return OneOf(plugins.names(folder))


class File(click.types.StringParamType):
    """The name of a file, which shells complete; `-` is stdin or stdout."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if param is not None and param.name != "output":
            return FileName().read(value, _name(param))
        return str(super().convert(value, param, ctx))

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


FILE = File()


class Whole(click.IntRange):
    """A whole number, within optional bounds."""

    name = "whole number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        return int(self._kind().read(value, _name(param)))

    def _describe_range(self) -> str:
        return self._kind().bounds()

    def _kind(self) -> Number:
        return Number(self.min, self.max, self.min_open, self.max_open, is_whole=True)


class Real(click.FloatRange):
    """A finite number, within optional bounds."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        return self._kind().read(value, _name(param))

    def _describe_range(self) -> str:
        return self._kind().bounds()

    def _kind(self) -> Number:
        return Number(self.min, self.max, self.min_open, self.max_open)


def _name(param: click.Parameter | None) -> str:
    """The name of an option or an argument in messages."""
    if param is None:
        return ""
    return str(param.metavar) if isinstance(param, click.Argument) else param.opts[-1]


def stacked(*decorators: Decorator[Any]) -> Decorator[Any]:
    """One decorator that applies all, in the order of `--help`."""

    def decorate(function: Any) -> Any:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def under(heading: str, *decorators: Decorator[Any]) -> Decorator[Any]:
    """One decorator that applies all; a long `--help` lists their options under this heading."""
    assert heading in HEADINGS

    def decorate(function: Any) -> Any:
        n_before = len(_parameters(function))
        function = stacked(*decorators)(function)
        for parameter in _parameters(function)[n_before:]:
            parameter.heading = heading
        return function

    return decorate


def _parameters(function: Any) -> list[Any]:
    """The parameters that click's decorators have attached to a function so far."""
    return list(getattr(function, "__click_params__", ()))
