"""The cases of each node in the order of a number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treecli.candidates import Codes, Floats, Indices
from treecli.kernels import sorting


@dataclass(slots=True)
class SortedCases:
    """The cases of each node in the order of one numeric attribute, the missing ones last."""

    case: Codes
    value: Floats
    n_known: Indices


def sorted_cases(values: Floats) -> SortedCases:
    """The cases of the root in the order of their values, equal ones as in the file.

    Sums of fractions depend on their order: with an unstable sort their last digits might differ between machines.
    """
    is_known = values == values
    known = np.flatnonzero(is_known)
    order = np.argsort(values[known])
    value = values[known[order]]
    is_new = value[1:] != value[:-1]
    if not is_new.all():
        # Quicker than a stable sort of numbers: what numpy sorts at full speed is values, not pairs.
        place = np.concatenate([[0], np.cumsum(is_new)]) * len(known)
        order = np.sort(place + order) - place
    case = np.concatenate([known[order], np.flatnonzero(~is_known)]).astype(np.int32)
    return SortedCases(case, values[case], np.array([len(known)], np.int64))


def sorted_like_rpart(values: Floats) -> SortedCases:
    """The cases of the root in the order of their values, and of equal values as rpart's sort leaves them."""
    n = len(values)
    is_missing = values != values
    value, order = np.where(is_missing, 0.0, values), np.arange(n, dtype=np.int32)  # rpart sorts missing values as 0
    sorting.sort_with_rows(value, order, np.empty(2 * n + 2, np.int64))
    order = np.concatenate([order[~is_missing[order]], order[is_missing[order]]])
    return SortedCases(order, values[order], np.array([n - np.count_nonzero(is_missing)], np.int64))
