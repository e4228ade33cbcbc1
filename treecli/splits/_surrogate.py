"""Surrogate tests of a split."""

from __future__ import annotations

from typing import Any

from treecli.data import Schema
from treecli.records import dataclass
from treecli.splits import Split


@dataclass(frozen=True, slots=True)
class Surrogate:
    """A test on another attribute that sends a case whose value is missing.

    A case that takes branch i of `split` takes branch branches[i] of the node. `agreement` is the share of the node's
    cases with a known value that both send the same way. `adjusted` is 0 if that is no better than sending all of them
    down the heavier branch, and 1 if they agree on all.
    """

    split: Split
    branches: tuple[int, int]
    agreement: float
    adjusted: float

    def to_json(self, schema: Schema) -> dict[str, Any]:
        described = {"kind": self.split.KIND, "attribute": schema.columns[self.split.attribute].name}
        shares = {"agreement": self.agreement, "adjusted": self.adjusted}
        return described | self.split.to_json(schema) | {"branches": list(self.branches)} | shares
