"""One file for each subcommand: read, call, print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import click


class Subcommand(Protocol):
    """A member of this family: its first line is what `treecli --help` says about it."""

    command: click.Command
