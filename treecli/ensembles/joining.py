"""Trees that derived columns of their own, joined under one schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from treecli.model import TreeModel

if TYPE_CHECKING:
    from treecli.data import Derived, Schema
    from treecli.tree import Tree


def joined(schema: Schema, members: Sequence[TreeModel]) -> tuple[Schema, list[Tree]]:
    """Return a schema with the columns that any of the trees asks about, and the trees that number them so.

    `schema` has the attributes. The same feature of two trees is one column.
    """
    n_attributes = len(schema.attributes)
    derived: list[Derived] = []
    place_of: dict[object, int] = {}
    taken = {column.name for column in (*schema.attributes, schema.target)}
    trees = []
    for member in members:
        own = member.without_unused()
        number = {index: index for index in range(n_attributes)}
        for index, column in enumerate(own.schema.derived, start=n_attributes):
            if column.feature not in place_of:
                name, count = column.name, 1
                while name in taken:
                    count += 1
                    name = f"{column.name} ({count})"
                taken.add(name)
                place_of[column.feature] = n_attributes + len(derived)
                derived.append(replace(column, name=name))
            number[index] = place_of[column.feature]
        trees.append(own.tree.renumbered(number) if own.schema.derived else own.tree)
    return replace(schema, derived=tuple(derived)), trees
