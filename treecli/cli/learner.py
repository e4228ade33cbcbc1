"""The options that fix what is learned, on a command line: click's options made of those that are declared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import wraps
from typing import Any

import click

from treecli import pruners, recipe
from treecli.cli.options import FILE, Decorator, OneOf, Real, Whole, is_given, stacked, under
from treecli.cli.usage import WORDS, Implied
from treecli.errors import UsageError
from treecli.options import ensembles
from treecli.options.arguments import words_of
from treecli.options.option import File, Flag, Number, Option, Text
from treecli.options.option import OneOf as Words

OF_NOTES = ("competitors", "ties")
"""The keys of the options that add notes to the nodes of a model, for commands that keep none."""

OF_ENSEMBLES = tuple(option.key for option in ensembles.OPTIONS)
"""The keys of the options for several trees, for commands that look into one tree."""


def recipe_options(without: tuple[str, ...] = (), *, as_words: bool = False) -> Decorator[Any]:
    """Options that reach the command as one Recipe, under the name `recipe`.

    `without`: the keys of options that have no effect on this command, or whose names it needs for something else.
    `as_words`: they reach it as the words that were typed, under the name `words`, for commands that add others.
    """
    declared = [option for option in recipe.all_options() if option.key not in without]

    def decorate(function: Any) -> Any:
        @wraps(function)
        def gather(**values: Any) -> Any:
            given = typed({option.key: values.pop(_parameter(option)) for option in declared}, declared)
            if as_words:
                return function(words=_typed_words(declared, given), **values)
            return function(recipe=recipe.Recipe.of(given), **values)

        shown = (under(option.heading, _as_click(option)) for option in declared)
        several = (_refused(option) for option in ensembles.OPTIONS if option.key in without)
        return stacked(*shown, *several)(gather)

    return decorate


def _refused(option: Option) -> Decorator[Any]:
    """A hidden option for several trees, of a command that is for one tree: says so if it is given."""

    def refuse(context: click.Context, parameter: click.Parameter, value: object) -> None:
        if value:
            command = context.info_name
            raise UsageError(f"{option.flag} grows several trees, but {command} is for one tree", "leave it out")

    is_flag = isinstance(option.kind, Flag)
    return click.option(
        option.flag, is_flag=is_flag, default=None, hidden=True, expose_value=False, is_eager=True, callback=refuse
    )


def method_options(function: Any) -> Any:
    """The options of all pruning methods, each under its own name."""
    return stacked(*map(_as_click, pruners.all_options()))(function)


def typed(values: Mapping[str, Any], declared: Iterable[Option]) -> dict[str, Any]:
    """Those of the values that a user has typed on this command line."""
    context = click.get_current_context()
    return {option.key: values[option.key] for option in declared if is_given(context, _parameter(option))}


def _typed_words(declared: Iterable[Option], given: Mapping[str, Any]) -> list[str]:
    """The options that a user has typed, one after the other, with their values as typed."""
    context = click.get_current_context()
    texts, _, _ = context.command.make_parser(context).parse_args(list(context.meta[WORDS]))
    words = []
    for option in declared:
        if option.key in given and isinstance(option.kind, Flag):
            words.append(str(option.flag if given[option.key] else option.opposite))
        elif option.key in given:
            words += words_of(option.flag, texts[_parameter(option)])
    return words


def _parameter(option: Option) -> str:
    """The name of the option's parameter: files that a command reads are called so, see `options.output`."""
    return f"{option.key}_path" if isinstance(option.kind, File) else option.key


def _as_click(option: Option) -> Decorator[Any]:
    if isinstance(option.kind, Flag):
        names = option.flag if option.opposite is None else f"{option.flag}/{option.opposite}"
        return click.option(names, option.key, is_flag=True, default=option.default, help=option.help)
    reads: dict[str, Any] = {"type": _click_type(option.kind)}
    if isinstance(option.kind, Text):
        reads = {"callback": _converted(option), "shell_complete": _completed(option.kind)}
    if option.implied is not None:
        reads |= {"cls": Implied, "implied": option.implied}
    return click.option(
        option.flag,
        _parameter(option),
        default=option.default,
        show_default=option.shown,
        metavar=option.metavar or (option.kind.metavar if isinstance(option.kind, File) else None),
        help=option.help,
        **reads,
    )


def _click_type(kind: Any) -> Any:
    """The values that an option takes, as click has them."""
    if isinstance(kind, Number):
        bounded: Any = Whole if kind.is_whole else Real
        return bounded(kind.min, kind.max, kind.min_open, kind.max_open)
    if isinstance(kind, Words):
        return OneOf(kind.known)
    return FILE if isinstance(kind, File) else None


def _converted(option: Option) -> Any:
    def convert(context: click.Context, parameter: click.Parameter, text: str | None) -> Any:
        return None if text is None else option.kind.read(text, option.flag)

    return convert


def _completed(kind: Text) -> Any:
    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        return [word for word in kind.known.known if word.startswith(incomplete)]

    return complete
