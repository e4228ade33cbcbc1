"""Leaf models: what a node of a tree predicts for a numeric target, where that is not the node's mean or median.

A member is a module with a frozen dataclass `Leaf`, which implements the protocol of that name. A tree has leaf models
for some of its nodes (`Tree.leaf_models`), inner ones too: rows may end there, and pruning may turn them into leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, Self

from treecli import plugins
from treecli.data import Attribute, check_expression
from treecli.expressions import Expression, Number, leaves_of


class Leaf(Protocol):
    """The prediction of one node."""

    KIND: ClassVar[str]

    def expression(self) -> Expression:
        """Return the prediction for a row; it is never missing, so each value in it says what stands for it."""
        ...

    def wording(self, attributes: Sequence[Attribute]) -> str:
        """Return the prediction as one line of text."""
        ...

    def to_json(self, attributes: Sequence[Attribute]) -> dict[str, Any]:
        """Return the record in a model file, without the kind."""
        ...

    @classmethod
    def from_json(cls, record: dict[str, Any], attributes: Sequence[Attribute]) -> Self:
        """Return the model of a record, without the kind; raise ValueError if the record is invalid."""
        ...


def leaf_record(leaf: Leaf, attributes: Sequence[Attribute]) -> dict[str, Any]:
    """Return a leaf model as written to a file."""
    record: dict[str, Any] = {"kind": leaf.KIND}
    return record | leaf.to_json(attributes)


def leaf_of(record: dict[str, Any], attributes: Sequence[Attribute]) -> Leaf:
    """Return the leaf model of a record; raise ValueError if it is invalid."""
    own = dict(record)
    leaf: Leaf = plugins.member("leaves", own.pop("kind", None)).Leaf.from_json(own, attributes)
    expression = leaf.expression()
    check_expression(expression, attributes)
    if any(not isinstance(part, Number) and part.instead is None for part in leaves_of(expression)):
        raise ValueError("does not say what stands for a missing value")
    return leaf
