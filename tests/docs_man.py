"""docs/man, the manual pages made from the --help of every command, as docs_cli.py makes docs/cli.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

import click

from tests.docs_cli import contexts
from treecli import __version__, plugins
from treecli.cli.usage import OPTIONS, grouped_options

FOLDER = Path(__file__).parents[1] / "docs" / "man"

EXIT_STATUS = {
    "0": "Done.",
    "1": "A requested check failed.",
    "2": "The command line is wrong.",
    "3": "The data is bad.",
    "4": "The model file is bad.",
    "130": "Interrupted.",
}

VERBATIM = "\b"
"""How a paragraph of help begins whose lines stay as they are."""


def pages() -> dict[str, str]:
    """The pages by the names of their files: treecli.1, and one for each command."""
    found = {context.command_path.replace(" ", "-"): context for context in contexts()}
    return {f"{name}.1": "\n".join(_page(name, context, list(found))) + "\n" for name, context in found.items()}


def _page(name: str, context: click.Context, names: list[str]) -> Iterator[str]:
    command = context.command
    text = cleandoc(command.help or "")
    examples = [part for part in text.split("\n\n") if part.startswith(VERBATIM) and "treecli " in part]
    description = [part for part in text.split("\n\n") if part not in examples]
    yield f'.TH {name.upper()} 1 "" "treecli {__version__}" "treecli"'
    yield ".SH NAME"
    yield f"{_escaped(name)} \\- {_escaped(_summary(context))}"
    yield ".SH SYNOPSIS"
    yield f".B {_escaped(context.command_path)}"
    yield _escaped(" ".join(command.collect_usage_pieces(context)))
    yield ".SH DESCRIPTION"
    yield from _paragraphs(description)
    if isinstance(command, click.Group):
        yield ".SH COMMANDS"
        for part in command.list_commands(context):
            below = command.get_command(context, part)
            assert below is not None
            yield from _item(part, _summary(click.Context(below, info_name=part, parent=context)))
    yield ".SH OPTIONS"
    for heading, options in grouped_options(command, context):
        if heading != OPTIONS:
            yield f'.SS "{heading}"'
        for option in options:
            yield from _item(*(option.get_help_record(context) or ("", "")))
    yield ".SH EXIT STATUS"
    for code, meaning in EXIT_STATUS.items():
        yield from _item(code, meaning)
    yield ".SH EXAMPLES"
    yield from _paragraphs(examples)
    yield ".SH SEE ALSO"
    yield ",\n".join(f".BR {_escaped(other)} (1)" for other in names if other != name)


def _summary(context: click.Context) -> str:
    """One line on what a command does, without a full stop."""
    words = context.command_path.split()[1:]
    if len(words) == 1:
        return plugins.summary("commands", words[0]).rstrip(".")
    return context.command.get_short_help_str(limit=200).rstrip(".")


def _item(term: str, text: str) -> Iterator[str]:
    yield ".TP"
    yield f".B {_escaped(term)}"
    yield _escaped(re.sub(r"\s+", " ", text))


def _paragraphs(parts: list[str]) -> Iterator[str]:
    for part in parts:
        yield ".PP"
        if part.startswith(VERBATIM):
            lines = part.splitlines()[1:]
            yield ".nf"
            yield from (_escaped(line) for line in lines)
            yield ".fi"
        else:
            yield _escaped(re.sub(r"\s+", " ", part))


def _escaped(text: str) -> str:
    """The text as roff has it: nothing in it is a command, and every hyphen can be copied into a shell."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return f"\\&{text}" if text.startswith((".", "'")) else text


def write() -> None:
    """Writes all pages, and removes those of commands that are gone."""
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.1"):
        path.unlink()
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
