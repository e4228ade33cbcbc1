"""Predictions of a grove: trees of samples of the same rows, as the branches of one root that asks for the sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from treecli.data import Attribute, Dataset, Schema

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import Column
    from treecli.tree import Tree

    Rows = NDArray[np.integer[Any]]


def schema_of_grove(schema: Schema, n_samples: int) -> Schema:
    """Return the schema with one more attribute, the number of the sample."""
    return replace(schema, attributes=(*schema.attributes, _number_of_sample(n_samples)))


@cache
def _number_of_sample(n_samples: int) -> Attribute:
    return Attribute("sample", "nominal", tuple(map(str, range(1, n_samples + 1))))


def rows_for_grove(dataset: Dataset, schema: Schema, rows: Sequence[Rows]) -> Dataset:
    """Return the rows for each sample's tree, one sample after the other, with the number of the sample.

    `schema` is that of the grove. The rows of a column are taken when it is asked for.
    """
    import numpy as np

    whole = np.concatenate(rows)
    sample = np.repeat(np.arange(len(rows), dtype=np.int32), [len(own) for own in rows])
    taken = dataset.view(whole)
    return replace(taken, schema=schema, columns=_WithSample(taken.columns, sample))


class _WithSample(Sequence["Column"]):
    """The columns of a data set, and the number of the sample."""

    def __init__(self, columns: Sequence[Column], sample: NDArray[np.int32]) -> None:
        self._columns = columns
        self._sample = sample

    def __len__(self) -> int:
        return len(self._columns) + 1

    def __getitem__(self, index: int) -> Column:  # type: ignore[override]
        return self._sample if index == len(self._columns) else self._columns[index]


def sample_of_node(tree: Tree) -> NDArray[np.int32]:
    """Return the sample, from 0, to whose tree each node of a grove belongs; -1 for the root."""
    import numpy as np

    from treecli.kernels import samples

    n_samples = tree.n_branches[0]
    sample = np.full(tree.n_nodes, -1, np.int32)
    sample[1 : n_samples + 1] = np.arange(n_samples)
    samples.pass_down(1, np.array(tree.first_child, np.int64), np.array(tree.n_branches, np.int32), sample)
    return sample


def leaves_of_samples(tree: Tree) -> list[int]:
    """Return the number of leaves of each sample's tree."""
    import numpy as np

    is_leaf = np.frombuffer(tree.first_child, np.int32) == 0
    counted: list[int] = np.bincount(sample_of_node(tree)[is_leaf], minlength=tree.n_branches[0]).tolist()
    return counted
