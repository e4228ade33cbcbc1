"""Options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from treecli import plugins
from treecli.errors import UsageError, did_you_mean
from treecli.terminal import Voice

if TYPE_CHECKING:
    from treecli.intake import ReadOptions

Function = TypeVar("Function", bound=Callable[..., Any])
Decorator = Callable[[Function], Function]

REPORT_FORMATS = ("table", "json", "csv", "markdown")


class OneOf(click.Choice[str]):
    """A choice that answers a mistyped word with the nearest one that there is."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.choices:
            option = f"{param.opts[-1]}: " if param is not None else ""
            known = ", ".join(self.choices)
            raise UsageError(f"{option}unknown '{value}' (known: {known})", did_you_mean(str(value), self.choices))
        return str(value)


def member_of(folder: str) -> OneOf:
    """A choice among the members of a family."""
    return OneOf(plugins.names(folder))


def stacked(*decorators: Decorator[Any]) -> Decorator[Any]:
    """The decorators as one, in the order in which --help lists them."""

    def decorate(function: Any) -> Any:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def _keep(name: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    def remember(context: click.Context, option: click.Parameter, value: Any) -> None:
        setattr(context.ensure_object(Voice), name, value)

    return remember


voice = stacked(
    click.option("-q", "--quiet", is_flag=True, expose_value=False, callback=_keep("quiet"), help="No messages."),
    click.option("-v", "--verbose", is_flag=True, expose_value=False, callback=_keep("verbose"), help="More messages."),
    click.option(
        "--color",
        type=OneOf(("auto", "always", "never")),
        default="auto",
        expose_value=False,
        callback=_keep("color"),
        help="Colour the output; auto: on a terminal, unless NO_COLOR is set.",
    ),
    click.option("--debug", is_flag=True, expose_value=False, help="Show a traceback on an error."),
)

report_format = click.option(
    "-f",
    "--format",
    "report_format",
    type=OneOf(REPORT_FORMATS),
    default="table",
    show_default=True,
    help="How to print.",
)

jobs = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=None,
    show_default="all cores",
    metavar="N",
    help="Threads to use.",
)


def output(default: str) -> Decorator[Any]:
    """Where to write a file; `default` says where it goes otherwise."""
    return click.option(
        "-o", "--output", metavar="FILE", default=None, help=f"Where to write; - is stdout.  [default: {default}]"
    )


_file_options: tuple[Decorator[Any], ...] = (
    click.option(
        "--from",
        "source_format",
        type=member_of("readers"),
        default=None,
        help="The data's format.  [default: by the file's suffix, else by its content]",
    ),
    click.option(
        "--na",
        "missing_texts",
        multiple=True,
        metavar="TEXT",
        help="A text that means missing; repeatable.  [default: empty and ?]",
    ),
    click.option(
        "--delimiter",
        default=None,
        metavar="CHAR",
        help="What separates columns.  [default: a comma, or ; tab | if a CSV file shows it; tab in TSV]",
    ),
    click.option(
        "--decimal",
        type=OneOf((".", ",")),
        default=None,
        help="The decimal mark.  [default: ., or a comma if a file with ; shows it]",
    ),
    click.option("--encoding", default="utf-8", show_default=True, metavar="NAME", help="The encoding of a text file."),
    click.option("--no-header", is_flag=True, help="The first line is data; columns are called column1, column2, …"),
)

_weights = click.option(
    "--weights", "weight_column", default=None, metavar="NAME", help="The column that holds the weight of each row."
)

_column_options: tuple[Decorator[Any], ...] = (
    click.option("-t", "--target", default=None, metavar="NAME", help="The column to predict.  [default: the last]"),
    click.option("-x", "--ignore", multiple=True, metavar="NAME", help="Leave a column out; repeatable."),
    click.option(
        "--keep", multiple=True, metavar="NAME", help="Use a column that looks like an identifier; repeatable."
    ),
    click.option(
        "--type",
        "types",
        multiple=True,
        metavar="NAME=KIND",
        help="A column's kind: numeric, nominal or ordinal:low<mid<high; repeatable.",
    ),
)


def _gathered(decorators: tuple[Decorator[Any], ...]) -> Decorator[Any]:
    """Options that reach the command as one ReadOptions, under the name `reading`."""

    def decorate(function: Any) -> Any:
        @wraps(function)
        def gather(**values: Any) -> Any:
            taken = {name: values.pop(name, None) for name in _READING}
            return function(reading=_read_options(**taken), **values)

        return stacked(*decorators)(gather)

    return decorate


_READING = (
    "source_format",
    "missing_texts",
    "delimiter",
    "decimal",
    "encoding",
    "no_header",
    "weight_column",
    "target",
    "ignore",
    "keep",
    "types",
)


def _read_options(
    source_format: str | None,
    missing_texts: tuple[str, ...],
    delimiter: str | None,
    decimal: str | None,
    encoding: str,
    no_header: bool,
    weight_column: str | None,
    target: str | None,
    ignore: tuple[str, ...] | None,
    keep: tuple[str, ...] | None,
    types: tuple[str, ...] | None,
) -> ReadOptions:
    from treecli.intake import ReadOptions

    kinds = []
    for text in types or ():
        match = re.fullmatch(r"(.+)=(numeric|nominal|ordinal:.+)", text, re.DOTALL)
        if match is None:
            raise click.BadParameter(
                f"'{text}', expected NAME=numeric, NAME=nominal or NAME=ordinal:low<mid<high", param_hint="--type"
            )
        kinds.append((match[1], match[2]))
    return ReadOptions(
        format=source_format,
        target=target,
        ignore=ignore or (),
        keep=keep or (),
        weights=weight_column,
        types=tuple(kinds),
        na=missing_texts or ReadOptions().na,
        delimiter=delimiter,
        decimal=decimal,
        encoding=encoding,
        header=not no_header,
    )


def is_given(context: click.Context, name: str) -> bool:
    """Whether a user has typed this option."""
    return context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


training_data = _gathered((*_column_options, _weights, *_file_options))
"""How to read a file to learn from."""

model_data = _gathered(
    (
        click.option(
            "-t",
            "--target",
            default=None,
            metavar="NAME",
            help="The column with the truth.  [default: the model's target]",
        ),
        _weights,
        *_file_options,
    )
)
"""How to read a file whose columns a model already describes."""

unlabelled_data = _gathered(_file_options)
"""How to read a file that a model is to predict the target of."""
