"""Command-line usage: grouped options in `--help`, and errors for invalid command lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from treecli import plugins
from treecli.cli.parameters import HEADINGS
from treecli.errors import UsageError, did_you_mean
from treecli.files import names
from treecli.options import hints
from treecli.options.arguments import refuse_misread
from treecli.options.option import GENERAL

MODEL_SUFFIX = ".json"

WORDS = "treecli.words"
"""The key of a context's `meta` under which the words of the command line are."""

OPTIONS = "Options"
"""The heading for a short command's options, and for options without a heading."""

MOST_IN_ONE_LIST = 25
"""A command with more options than this lists them in groups."""


class Command(click.Command):
    """A command that lists many options in groups, and refuses arguments that click would misread."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:
            _refuse_misread(self.get_params(ctx), args)
        args = _with_implied(self.get_params(ctx), args)
        ctx.meta[WORDS] = tuple(args)
        ctx.allow_extra_args = True
        try:
            rest = super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = ctx  # click omits it if an option lacks its value, or a flag has one
            raise
        if rest and not ctx.resilient_parsing:
            words = ", ".join(f"'{word}'" for word in rest)
            raise UsageError(f"found {words}, expected no further argument", _usage(ctx))
        return rest

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, options in grouped_options(self, ctx):
            records = [record for option in options if (record := option.get_help_record(ctx)) is not None]
            with formatter.section(heading):
                formatter.write_dl(records)


class Implied(click.Option):
    """An option that may be typed without a value, which is then `implied`; another value is typed after `=`."""

    def __init__(self, *names: Any, implied: str, **more: Any) -> None:
        super().__init__(*names, **more)
        self.implied = implied


def _with_implied(parameters: Sequence[click.Parameter], arguments: list[str]) -> list[str]:
    """The arguments with the values of options that were typed without one."""
    implied = {name: option.implied for option in parameters if isinstance(option, Implied) for name in option.opts}
    end = arguments.index("--") if "--" in arguments else len(arguments)
    words = [f"{word}={implied[word]}" if word in implied else word for word in arguments[:end]]
    return [*words, *arguments[end:]]


def grouped_options(command: click.Command, context: click.Context) -> list[tuple[str, list[click.Option]]]:
    """The options under the headings of `--help`; a single heading for a command with few options."""
    parameters = command.get_params(context)
    options = [parameter for parameter in parameters if isinstance(parameter, click.Option) and not parameter.hidden]
    if len(options) <= MOST_IN_ONE_LIST:
        return [(OPTIONS, options)]
    found: dict[str, list[click.Option]] = {heading: [] for heading in (OPTIONS, *HEADINGS)}
    for option in options:
        usual = GENERAL if "--help" in option.opts else OPTIONS
        found[getattr(option, "heading", usual)].append(option)
    return [(heading, members) for heading, members in found.items() if members]


def _refuse_misread(parameters: Sequence[click.Parameter], arguments: Sequence[str]) -> None:
    """Raises a UsageError for words that click would take for something else than they look like."""
    longest = {
        name: None if option.is_flag or isinstance(option, Implied) else max(option.opts, key=len)
        for option in parameters
        if isinstance(option, click.Option)
        for name in (*option.opts, *option.secondary_opts)
    }
    refuse_misread(longest, arguments)


def explained(error: click.ClickException, arguments: Sequence[str]) -> tuple[str, str | None]:
    """The message and the hint for an error that click found in a command line."""
    context: click.Context | None = getattr(error, "ctx", None)
    help_hint = f"'{'treecli' if context is None else context.command_path} --help' lists the options"
    if isinstance(error, click.NoSuchOption):
        return _no_such_option(error, arguments) or (f"no such option '{error.option_name}'", help_hint)
    if isinstance(error, click.MissingParameter) and error.param is not None and context is not None:
        return f"missing {_described(error.param, context)}", _usage(context)
    if isinstance(error, click.BadOptionUsage) and context is not None:
        return _bad_use(error, context, arguments), help_hint
    message = error.format_message().rstrip(".")
    return message[:1].lower() + message[1:], help_hint


def no_such_command(word: str, known: Sequence[str]) -> UsageError:
    """The error for an unknown command."""
    suffix = names.suffix_of(word)
    hint = did_you_mean(word, known)
    if hint is None and suffix == MODEL_SUFFIX:
        hint = f"a command comes first: treecli show {word}"
    elif hint is None and suffix.removeprefix(".") in plugins.names("readers"):
        hint = f"a command comes first: treecli train {word}"
    return UsageError(f"no such command '{word}'", hint or "'treecli --help' lists the commands")


def _no_such_option(error: click.NoSuchOption, arguments: Sequence[str]) -> tuple[str, str] | None:
    """The message and a hint that names another option, or None if there is no hint."""
    context = error.ctx
    if context is None:
        return None
    parameters = context.command.get_params(context)
    options = [name for option in parameters for name in (*option.opts, *option.secondary_opts) if name[0] == "-"]
    named = "|".join(str(each.metavar) for each in parameters if isinstance(each, click.Argument)).split("|")
    shown, hint = hints.for_unknown_option(error.option_name, arguments, options, named)
    if hint is None and context.parent is None:
        hint = "options come after the command: treecli COMMAND --option"
    return None if hint is None else (f"no such option '{shown}'", hint)


def _bad_use(error: click.BadOptionUsage, context: click.Context, arguments: Sequence[str]) -> str:
    name = error.option_name
    option = next(each for each in context.command.get_params(context) if name in (*each.opts, *each.secondary_opts))
    assert isinstance(option, click.Option)
    if option.is_flag:
        given = next((word for word in arguments if word.startswith(f"{name}=")), name)
        return f"'{given}': {name} takes no value"
    return f"{name}: missing value, expected {option.make_metavar(context)}"


def _described(parameter: click.Parameter, context: click.Context) -> str:
    metavar = parameter.make_metavar(context)
    return metavar if isinstance(parameter, click.Argument) else f"{parameter.opts[-1]} {metavar}"


def _usage(context: click.Context) -> str:
    """The usage line of a command, with its required options."""
    needed = [
        f"{_described(option, context)} "
        for option in context.command.get_params(context)
        if isinstance(option, click.Option) and option.required
    ]
    line = " ".join(context.get_usage().split()).replace("Usage: ", "usage: ", 1)
    return line.replace("[OPTIONS] ", f"[OPTIONS] {''.join(needed)}", 1)
