"""One branch per label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from treecli.data import Schema
from treecli.values import Labels

if TYPE_CHECKING:
    from treecli.candidates import Candidates, CountTables, Terms


@dataclass(frozen=True, slots=True)
class Split:
    """Branch i takes the attribute's i-th label."""

    KIND: ClassVar[str] = "multiway"
    attribute: int
    n_labels: int

    @property
    def number(self) -> float:
        return 0.0

    @property
    def further(self) -> tuple[float, ...]:
        return ()

    @property
    def table(self) -> tuple[int, ...]:
        return tuple(range(self.n_labels))

    @classmethod
    def load(cls, attribute: int, number: float, table: tuple[int, ...], further: tuple[float, ...] = ()) -> Self:
        return cls(attribute, len(table))

    @classmethod
    def from_json(cls, attribute: int, record: dict[str, Any], schema: Schema) -> Self:
        described = schema.attributes[attribute]
        if described.is_numeric:
            raise ValueError(f"'{described.name}' is numeric and has no labels to branch on")
        return cls(attribute, len(described.labels))

    def to_json(self, schema: Schema) -> dict[str, Any]:
        return {}

    def n_branches(self) -> int:
        return self.n_labels

    def condition(self, branch: int, schema: Schema) -> Labels:
        return Labels(self.attribute, 1 << branch)


def best(tables: CountTables, terms: Terms) -> Candidates:
    """One branch per label, at every node where at least two of them hold enough cases."""
    import numpy as np

    from treecli.candidates import Candidates, empty_test
    from treecli.kernels import score_groups

    n_nodes = len(tables.weights)
    gain, split_info, test = np.empty(n_nodes), np.empty(n_nodes), empty_test(n_nodes)
    scratch = np.empty((score_groups.SCRATCH_ROWS, tables.outcomes.shape[1]))
    score_groups.multiway(
        tables.start,
        tables.outcomes,
        tables.n_rows,
        tables.weights,
        terms.impurity,
        terms.is_numeric,
        terms.min_leaf,
        terms.min_rows,
        terms.tolerance,
        terms.wants_chi2,
        scratch,
        gain,
        split_info,
        test.chi2,
        test.freedom,
    )
    with_missing = tables.holds_missing()
    return Candidates(
        "multiway",
        gain,
        split_info,
        test,
        n_branches=(tables.n_labels + with_missing).astype(np.int32),
        missing_to=np.where(with_missing, tables.n_labels, -1).astype(np.int32),
        parts_missing=np.zeros(n_nodes, bool),
        table=np.broadcast_to(np.arange(tables.n_labels, dtype=np.int32), (n_nodes, tables.n_labels)),
    )
