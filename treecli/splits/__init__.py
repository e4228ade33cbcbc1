"""The kinds of split.

A kind is a frozen dataclass named `Split` with the members of the protocol below. A tree stores it as an attribute, a
number, further numbers and a table from labels to branches; each kind uses those that it needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Protocol, Self

from treecli.data import Schema
from treecli.values import Condition, Interval, Labels

NO_BRANCH = -1
"""Entry of a table from labels to branches for a label without cases, which is routed as a missing value."""


class Split(Protocol):
    """One test, with two or more branches."""

    KIND: ClassVar[str]
    attribute: int

    @property
    def number(self) -> float: ...

    @property
    def further(self) -> tuple[float, ...]:
        """The bounds after `number`, for kinds with more than one bound."""
        ...

    @property
    def table(self) -> tuple[int, ...]: ...

    @classmethod
    def load(cls, attribute: int, number: float, table: tuple[int, ...], further: tuple[float, ...] = ()) -> Self:
        """Return the split from a tree's arrays."""
        ...

    @classmethod
    def from_json(cls, attribute: int, record: dict[str, Any], schema: Schema) -> Self:
        """Return the split of a record in a model file; raise ValueError if the record is invalid."""
        ...

    def to_json(self, schema: Schema) -> dict[str, Any]: ...

    def n_branches(self) -> int:
        """The number of branches for known values; a separate branch for missing values would come after them."""
        ...

    def condition(self, branch: int, schema: Schema) -> Condition:
        """Return the known values that take this branch."""
        ...


MANY_LABELS = 64
"""A table of more labels is kept sparsely if most of them have the same branch."""


def packed(table: Sequence[int]) -> Sequence[int] | None:
    """Return a table in its sparse form, None if that is not much shorter.

    A sparse table has the number of labels, the branch of most labels, the codes of the others and their branches. Of
    tens of thousands of labels, few occur at most nodes, and a branch for each of them would take gigabytes.
    """
    if len(table) <= MANY_LABELS:
        return None
    rest = max((NO_BRANCH, 0, 1), key=table.count)
    codes = [code for code, branch in enumerate(table) if branch != rest]
    if not is_sparse(2 + 2 * len(codes), len(table)):
        return None
    return [len(table), rest, *codes, *(table[code] for code in codes)]


def is_sparse(size: int, n_labels: int) -> bool:
    """Return whether a table of this size, of an attribute with so many labels, is sparse: shorter than half."""
    return n_labels > MANY_LABELS and 2 * size < n_labels


def unpacked(table: Sequence[int]) -> tuple[int, ...]:
    """Return the branch of each label from a sparse table."""
    n_labels, rest, *listed = table
    branches = [rest] * n_labels
    n_codes = len(listed) // 2
    for code, branch in zip(listed[:n_codes], listed[n_codes:], strict=True):
        branches[code] = branch
    return tuple(branches)


def unrouted(split: Split) -> Iterator[int]:
    """Yield the codes of labels without a branch, because no training case at the node had them."""
    return (code for code, branch in enumerate(split.table) if branch == NO_BRANCH)


def with_missing(condition: Condition, split: Split) -> Condition:
    """Return the condition extended to missing values and to labels without a branch, which take the same branch."""
    if isinstance(condition, Interval):
        return replace(condition, missing=True)
    return condition.join(Labels.of(condition.attribute, unrouted(split), missing=True))
