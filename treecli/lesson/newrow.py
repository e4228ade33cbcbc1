"""A row for the tree to classify that is not among its training cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from treecli.predict.predict import leaves
from treecli.wording import number_text, quoted

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import TreeModel

MOST_COMBINATIONS = 4096
QUANTILES = (0.1, 0.5, 0.9)
"""Numeric attributes take these quantiles of their values."""


@dataclass(frozen=True, slots=True)
class NewRow:
    """The values of a row: numbers, or codes of labels; and whether the training cases have none like it."""

    values: tuple[float, ...]
    leaf: int
    is_new: bool

    def texts(self, model: TreeModel) -> list[str]:
        """Return the values as text."""
        pairs = zip(model.schema.attributes, self.values, strict=True)
        return [number_text(v) if own.is_numeric else quoted(own.labels[int(v)]) for own, v in pairs]


def new_row(model: TreeModel, dataset: Dataset, seed: int) -> NewRow:
    """Return a combination of values that the data do not have, and that ends in the first leaf in reading order.

    If there is none, one that ends elsewhere, or else one that the data have.
    """
    choices = [_choices(dataset, attribute) for attribute in range(len(dataset.schema.attributes))]
    if np.prod([float(len(own)) for own in choices]) <= MOST_COMBINATIONS:
        combinations = list(product(*choices))
    else:
        random = np.random.default_rng(seed)
        combinations = [tuple(own[random.integers(len(own))] for own in choices) for _ in range(MOST_COMBINATIONS)]
    leaf_of_row = _leaves(model, dataset, combinations)
    seen = set(map(tuple, np.array(dataset.columns, np.float64).T.tolist()))
    order = {node: place for place, node in enumerate(model.tree.in_reading_order())}
    ranked = sorted(
        (combination in seen, order.get(leaf, len(order)), place)
        for place, (combination, leaf) in enumerate(zip(combinations, leaf_of_row, strict=True))
    )
    is_seen, _, place = ranked[0]
    return NewRow(combinations[place], leaf_of_row[place], not is_seen)


def leaf_of(model: TreeModel, dataset: Dataset, row: NewRow) -> int:
    """Return the leaf where the row ends in another tree of the same data."""
    return _leaves(model, dataset, [row.values])[0]


def _leaves(model: TreeModel, dataset: Dataset, rows: Sequence[tuple[float, ...]]) -> list[int]:
    """Return the leaf where each row ends."""
    table = np.array(rows, np.float64)
    columns = [
        table[:, place] if attribute.is_numeric else table[:, place].astype(np.int32)
        for place, attribute in enumerate(dataset.schema.attributes)
    ]
    found = leaves(model, replace(dataset, columns=columns, target=None, weights=np.ones(len(table))))
    return [int(leaf) for leaf in found]


def _choices(dataset: Dataset, attribute: int) -> list[float]:
    """Values that occur in the data."""
    values = np.asarray(dataset.columns[attribute], np.float64)
    known = values[values == values] if dataset.schema.attributes[attribute].is_numeric else values[values >= 0]
    if not len(known):
        return [0.0]
    if not dataset.schema.attributes[attribute].is_numeric:
        return [float(code) for code in np.unique(known)]
    return list(dict.fromkeys(np.quantile(known, QUANTILES, method="nearest").tolist()))
