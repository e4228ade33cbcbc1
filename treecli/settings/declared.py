"""Declaration of a setting: a field with its option, or without one."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from treecli.options.option import Flag, Kind


def setting(
    default: Any,
    help: str,
    kind: Kind,
    *,
    key: str | None = None,
    flag: str | None = None,
    heading: str | None = None,
    metavar: str | None = None,
    shown: bool | str | None = None,
) -> Any:
    """Declare a field that an option sets; if `shown` is None, `--help` shows the default if there is one.

    `key` is the flat name, if that is not the field's name; `flag` is the option's name, if that is not derived from
    the key; `heading` is the option's heading in `--help`, if that is not the group's.
    """
    if shown is None:
        shown = default is not None and not isinstance(kind, Flag)
    typed = {"help": help, "kind": kind, "heading": heading, "metavar": metavar, "shown": shown}
    return field(default=default, metadata={"key": key, "flag": flag, "help": help, "typed": typed})


def without_option(default: Any, help: str, by: str = "--like") -> Any:
    """Declare a field without an option of its own: set by a preset, or `by` another setting's option."""
    return field(default=default, metadata={"key": None, "help": help, "typed": None, "by": by})
