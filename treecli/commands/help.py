"""Show the help of a command."""

from __future__ import annotations

import click

from treecli.cli import options
from treecli.cli.usage import no_such_command


def _complete(context: click.Context, argument: click.Parameter, incomplete: str) -> list[str]:
    group = _named(context, context.params.get(argument.name or "") or ()).command
    known = group.list_commands(context) if isinstance(group, click.Group) else []
    return [name for name in known if name.startswith(incomplete)]


@click.command(cls=options.Command)
@click.argument("words", metavar="[COMMAND]", nargs=-1, shell_complete=_complete)
@options.voice
@click.pass_context
def command(context: click.Context, words: tuple[str, ...]) -> None:
    """Show the help of treecli, or of one command: the same as COMMAND --help.

    \b
    treecli help
    treecli help train
    treecli help plot boundary
    """
    found = _named(context, words)
    click.echo(found.get_help(), color=found.color)


def _named(context: click.Context, words: tuple[str, ...]) -> click.Context:
    """The context of the command that the words name."""
    found = context.find_root()
    for word in words:
        group = found.command
        known = group.list_commands(found) if isinstance(group, click.Group) else []
        part = group.get_command(found, word) if isinstance(group, click.Group) else None
        if part is None:
            raise no_such_command(" ".join(words), known)
        found = click.Context(part, info_name=word, parent=found)
    return found
