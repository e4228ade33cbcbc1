"""The pruning methods' own options on a command line: what `prune`, `train` and `crossval` share."""

from __future__ import annotations

from dataclasses import Field, asdict, fields
from typing import Any

import click

from treecli import plugins
from treecli.cli.options import Real, Whole, is_given
from treecli.errors import UsageError
from treecli.pruners import pruner
from treecli.wording import number_text

NUMBERS = {int: Whole(), float: Real()}
"""The types that fields of a method's options are read as; the method itself checks the bounds."""


def method_options(function: Any, without: tuple[str, ...] = ()) -> Any:
    """The options of all methods, as the methods describe them, `without` those of some names."""
    described = [(method, field) for method in plugins.names("pruners") for field in fields(pruner(method).Options)]
    for method, field in reversed(described):
        if field.name in without:
            continue
        name = _option_name(field)
        is_flag = isinstance(field.default, bool)
        declaration = f"{name}/{name.replace('--', '--no-', 1)}" if field.default is True else name
        function = click.option(
            declaration,
            field.name,
            is_flag=is_flag,
            type=bool if is_flag else NUMBERS[field.metadata["type"] or type(field.default)],
            default=field.default,
            show_default=not is_flag and field.default is not None,
            metavar=None if is_flag else "X",
            help=f"({method}) {field.metadata['help']}",
        )(function)
    return function


def take_options(method: str | None, values: dict[str, Any], flag: str, usual: dict[str, Any] | None = None) -> Any:
    """The chosen method's options, out of all that were typed, with `usual` for those that were not.

    `flag` is what chooses a method. An option that belongs to another method than the one at work is refused.
    """
    context = click.get_current_context()
    own: dict[str, Any] = {}
    typed: dict[str, Any] = {}
    for name in plugins.names("pruners"):
        for field in fields(pruner(name).Options):
            value = values.pop(field.name, field.default)
            if name == method:
                own[field.name] = value
                if is_given(context, field.name):
                    typed[field.name] = value
            elif is_given(context, field.name):
                at_work = "no method is" if method is None else f"'{method}' is"
                raise UsageError(
                    f"{_option_name(field)} goes with {flag} {name}, but {at_work} at work", f"add {flag} {name}"
                )
    if method is None:
        return None
    if usual and typed:
        try:
            return pruner(method).Options(**own | usual | typed)
        except UsageError:  # what was typed excludes what is usual
            return pruner(method).Options(**own)
    return pruner(method).Options(**own | (usual or {}))


def as_typed(method: str, options: Any, flag: str) -> str:
    """The method and its options as a user would type them."""
    words = [f"{flag} {method}"]
    values = asdict(options)
    for field in fields(options):
        value = values[field.name]
        if (value == field.default and isinstance(value, bool)) or value is None:
            continue
        name = _option_name(field)
        if isinstance(value, bool):
            words.append(name if value else name.replace("--", "--no-", 1))
        else:
            words.append(f"{name} {number_text(value)}")
    return " ".join(words)


def _option_name(field: Field[Any]) -> str:
    return f"--{(field.metadata['name'] or field.name).replace('_', '-')}"
