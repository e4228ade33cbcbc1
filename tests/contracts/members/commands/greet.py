"""Greet a person."""

from __future__ import annotations

import click

from treecli.cli import options


@click.command(cls=options.Command)
@click.argument("name", metavar="NAME")
@options.voice
def command(name: str) -> None:
    """Greet NAME.

    \b
    treecli greet Ada
    """
    click.echo(f"Hello, {name}")
