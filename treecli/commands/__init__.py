"""The subcommands, one module each: read, call, print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import click


class Subcommand(Protocol):
    """A member of this family; `treecli --help` prints the first line of its file."""

    command: click.Command
