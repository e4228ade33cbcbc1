"""The kinds of split by name and by number."""

from __future__ import annotations

from functools import cache
from typing import cast

from treecli import plugins
from treecli.splits import Split


@cache
def kinds() -> tuple[str, ...]:
    """Return the kinds of split; a node's kind is an index into this."""
    return plugins.names("splits")


@cache
def split_type(kind: str) -> type[Split]:
    """Return the class of a kind of split."""
    return cast("type[Split]", plugins.load("splits", kind).Split)


@cache
def place_of(kind: str) -> int:
    """Return the number of a kind of split in a tree's arrays."""
    return kinds().index(kind)


@cache
def split_at(place: int) -> type[Split]:
    """Return the class of the kind with this number."""
    return split_type(kinds()[place])


@cache
def packs_itself(kind: str) -> bool:
    """Return whether a kind of split has `packed` and `load_packed`."""
    return hasattr(split_type(kind), "load_packed")


def on_column(split: Split, column: int) -> Split:
    """Return the same split of another column."""
    return split_type(split.KIND).load(column, split.number, split.table, split.further)
