"""docs/cli.md, which is the --help of every command: `make docs` writes it, docs/man and
docs/settings.md, test_docs.py compares them."""

from __future__ import annotations

from pathlib import Path

import click

from treecli import plugins
from treecli.cli.app import group

PATH = Path(__file__).parents[1] / "docs" / "cli.md"

WIDTH = 98
"""Of the help texts, whatever terminal they are made in; as wide as treecli itself lets them become."""

HEADING = """\
# The command line

The `--help` of every command, written by `make docs`.
"""


def text() -> str:
    """The whole page."""
    return HEADING + "".join(_section(context) for context in contexts())


def contexts() -> list[click.Context]:
    """treecli itself, then each command in the order in which treecli lists them, as if it were called."""
    root = click.Context(group, info_name="treecli", terminal_width=WIDTH, **group.context_settings)
    found = [root]
    for name in plugins.names("commands"):
        command = group.get_command(root, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=root)
        found.append(context)
        if isinstance(command, click.Group):
            parts = command.commands.items()
            found += [click.Context(part, info_name=name, parent=context) for name, part in parts]
    return found


def _section(context: click.Context) -> str:
    return f"\n## {context.command_path}\n\n```text\n{context.command.get_help(context)}\n```\n"


if __name__ == "__main__":
    from tests import docs_man, docs_settings

    PATH.write_text(text(), encoding="utf-8")
    docs_man.write()
    docs_settings.PATH.write_text(docs_settings.text(), encoding="utf-8")
