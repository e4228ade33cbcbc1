"""Options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from treecli.cli.parameters import DATA, ENGINE, FILE, TESTING, Decorator, OneOf, Real, Whole, member_of, stacked, under
from treecli.cli.terminal import Voice
from treecli.cli.usage import Command
from treecli.errors import UsageError
from treecli.files import forms, guard
from treecli.options.option import GENERAL, OUTPUT, PRUNING

__all__ = [
    "DATA",
    "ENGINE",
    "FILE",
    "GENERAL",
    "OUTPUT",
    "PRUNING",
    "REPORT_FORMATS",
    "TESTING",
    "Command",
    "Decorator",
    "OneOf",
    "Real",
    "Whole",
    "converted_data",
    "divided_data",
    "is_given",
    "jobs",
    "member_of",
    "model_data",
    "no_clobber",
    "output",
    "report_format",
    "seed",
    "stacked",
    "training_data",
    "under",
    "unlabelled_data",
    "unweighted_data",
    "voice",
]

if TYPE_CHECKING:
    from treecli.intake import ReadOptions

REPORT_FORMATS = ("table", "json", "csv", "markdown", "latex")


def _keep(name: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    def remember(context: click.Context, option: click.Parameter, value: Any) -> None:
        setattr(context.ensure_object(Voice), name, value)

    return remember


voice = under(
    GENERAL,
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

report_format = under(
    OUTPUT,
    click.option(
        "-f",
        "--format",
        "report_format",
        type=OneOf(REPORT_FORMATS),
        default="table",
        show_default=True,
        help="The format of the report.",
    ),
)

jobs = under(
    GENERAL,
    click.option(
        "--jobs",
        type=Whole(min=1),
        default=None,
        show_default="all cores",
        metavar="N",
        help="Threads to use.",
    ),
)


seed = under(
    GENERAL,
    click.option(
        "--seed",
        type=Whole(min=0),
        default=0,
        show_default=True,
        metavar="N",
        help="The seed for all random choices.",
    ),
)


def _keep_files(context: click.Context, option: click.Parameter, is_asked: bool) -> None:
    if is_asked:
        guard.refuse_to_overwrite()


no_clobber: Decorator[Any] = click.option(
    "--no-clobber",
    is_flag=True,
    expose_value=False,
    callback=_keep_files,
    help="Do not overwrite existing files.",
)


def output(
    default: str, *, has_forms: bool = True, rival: str | None = "-f", compresses: bool = True
) -> Decorator[Any]:
    """The options -o and --no-clobber. `default` describes where output goes otherwise. `has_forms`: the suffix selects
    the format, unless the option `rival` is given. `compresses`: a suffix such as .gz compresses.

    A name that cannot or must not be written to, such as an input file, is refused before the command starts.
    Parameters that name input files are called `path` or end in `_path`, or in `_paths` if there are several.
    """

    unless = f" unless {rival} is given" if rival else ""
    details = f" The suffix selects the format{unless}." if has_forms else ""
    details += " .gz, .bz2, .xz and .zst compress." if compresses else ""

    def decorate(function: Any) -> Any:
        @wraps(function)
        def check(**values: Any) -> Any:
            for name, value in click.get_current_context().params.items():
                if isinstance(value, str) and (name == "path" or name.endswith("_path")):
                    guard.will_read(value)
                elif name.endswith("_paths"):
                    for each in value:
                        guard.will_read(each)
            if values["output"] is not None:
                guard.check_output(values["output"])
            return function(**values)

        return under(
            OUTPUT,
            click.option(
                "-o",
                "--output",
                type=FILE,
                metavar="FILE",
                default=None,
                help=f"The output file; - is stdout.{details}  [default: {default}]",
            ),
            no_clobber,
        )(check)

    return decorate


def form(parameter: str, value: str, output: str | None, known: forms.Known) -> str:
    """The output format: -f, else by the suffix of -o, else the default of -f."""
    return value if is_given(click.get_current_context(), parameter) else forms.chosen(output, known, value)


_file_options: tuple[Decorator[Any], ...] = (
    click.option(
        "--from",
        "source_format",
        type=member_of("readers"),
        default=None,
        help="The format of the data.  [default: by the suffix, else by the content]",
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
        help="The column separator.  [default: a comma, or ; tab | if detected in a CSV file; tab in TSV]",
    ),
    click.option(
        "--decimal",
        type=OneOf((".", ",")),
        default=None,
        help="The decimal mark.  [default: ., or a comma if detected in a file with ; or tabs]",
    ),
    click.option("--encoding", default="utf-8", show_default=True, metavar="NAME", help="The encoding of a text file."),
    click.option("--no-header", is_flag=True, help="The first line is data; columns are named column1, column2, …"),
)

_weights = click.option(
    "--weights", "weight_column", default=None, metavar="NAME", help="The column with the weight of each row."
)

_target = click.option(
    "-t", "--target", default=None, metavar="NAME", help="The column to predict.  [default: the last]"
)

_types = click.option(
    "--type",
    "types",
    multiple=True,
    metavar="NAME=KIND",
    help="A column's kind: numeric, nominal or ordinal:low<mid<high; repeatable.",
)

_column_options: tuple[Decorator[Any], ...] = (
    _target,
    click.option("-x", "--ignore", multiple=True, metavar="NAME", help="Leave a column out; repeatable."),
    click.option(
        "--keep", multiple=True, metavar="NAME", help="Use a column that looks like an identifier; repeatable."
    ),
    _types,
)


def _gathered(decorators: tuple[Decorator[Any], ...]) -> Decorator[Any]:
    """Options that are passed to the command as one ReadOptions, named `reading`."""

    def decorate(function: Any) -> Any:
        @wraps(function)
        def gather(**values: Any) -> Any:
            taken = {name: values.pop(name, None) for name in _READING}
            return function(reading=_read_options(taken), **values)

        return under(DATA, *decorators)(gather)

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


def _read_options(given: Mapping[str, Any]) -> ReadOptions:
    """The options for reading data, from the values of click's parameters; None for those that a command lacks."""
    from treecli.readers._readoptions import ReadOptions

    for text in given["missing_texts"] or ():
        text.encode()  # refuses bytes that are not UTF-8: no file can contain them
    kinds = []
    for text in given["types"] or ():
        match = re.fullmatch(r"(.+)=(numeric|nominal|ordinal:.+)", text, re.DOTALL)
        if match is None:
            raise UsageError(
                f"--type: found '{text}', expected NAME=numeric, NAME=nominal or NAME=ordinal:low<mid<high"
            )
        kinds.append((match[1], match[2]))
    return ReadOptions(
        format=given["source_format"],
        target=given["target"],
        ignore=given["ignore"] or (),
        keep=given["keep"] or (),
        weights=given["weight_column"],
        types=tuple(kinds),
        na=given["missing_texts"] or ReadOptions().na,
        delimiter=given["delimiter"],
        decimal=given["decimal"],
        encoding=given["encoding"],
        header=not given["no_header"],
    )


def together(name: str, group: type[Any]) -> Decorator[Any]:
    """Pass the options that are fields of a dataclass to the command as one object with this name."""
    own = [field.name for field in fields(group)]

    def decorate(function: Any) -> Any:
        @wraps(function)
        def gather(**values: Any) -> Any:
            taken = {field: values.pop(field) for field in own if field in values}
            return function(**{name: group(**taken)}, **values)

        return gather

    return decorate


def is_given(context: click.Context, name: str) -> bool:
    """Whether the user typed this option."""
    return context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


training_data = _gathered((*_column_options, _weights, *_file_options))
"""Options for reading training data."""

_true_values = click.option(
    "-t",
    "--target",
    default=None,
    metavar="NAME",
    help="The column with the true values.  [default: the model's target]",
)

model_data = _gathered((_true_values, _weights, *_file_options))
"""Options for reading data whose columns a model describes."""

unweighted_data = _gathered((_true_values, *_file_options))
"""Options for reading data whose columns a model describes, and whose rows are counted."""

divided_data = _gathered((_target, _types, *_file_options))
"""Options for reading data whose rows are divided by the target, all columns kept."""

converted_data = _gathered((_types, *_file_options))
"""Options for reading data of which every column is kept."""

unlabelled_data = _gathered(_file_options)
"""Options for reading data whose target a model predicts."""
