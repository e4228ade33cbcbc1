"""The other splits on an attribute: thresholds between runs of values of one class, or groups of labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treecli.teaching.branches import UNKNOWN, outcomes, with_side
from treecli.teaching.trace import Way
from treecli.wording import number_text, quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import Attribute
    from treecli.teaching.observing import Growth
    from treecli.teaching.seen import Option, Seen, Ways

MOST_RUN_VALUES = 24
"""The largest number of distinct values that are listed."""

MIXED = "mixed"

Run = tuple[str, tuple[str, ...]]
"""The label of a run, and its values as text."""


@dataclass(frozen=True, slots=True)
class Listed:
    """The runs of values, the best splits, and how many more there are."""

    runs: tuple[Run, ...] = ()
    shown: tuple[Way, ...] = ()
    n_more: int = 0


def listed(growth: Growth, seen: Seen, option: Option, values: NDArray[np.float64], most: int) -> Listed:
    """Return the `most` best splits on an attribute, thresholds only where the class changes; none if there is one.

    Under lookahead there are none, because their gains by themselves do not decide.
    """
    ways = option.ways if option.below is None else None
    if ways is None or len(ways.places) == 0:
        return Listed()
    kept = np.arange(len(ways.places))
    runs: tuple[Run, ...] = ()
    if ways.numbers is not None and not growth.plan.is_numeric:
        distinct, code = _classes_of_values(growth, seen, values)
        runs = _runs(distinct, code, growth.schema.columns[option.attribute], growth.schema.target.labels)
        # The last value of each run; a threshold there or above, up to the next value, separates two runs.
        is_last = (code[1:] != code[:-1]) | (code[1:] < 0)
        below = np.searchsorted(distinct, ways.numbers, side="right") - 1
        kept = kept[is_last[np.clip(below, 0, len(is_last) - 1)]] if len(is_last) else kept
    best = kept[np.argsort(-ways.gains[kept], kind="stable")[:most]]
    shown = [_way(growth, seen, option, values, ways, index) for index in np.sort(best).tolist()]
    return Listed(runs, tuple(shown), len(kept) - len(shown))


def _way(growth: Growth, seen: Seen, option: Option, values: NDArray[np.float64], ways: Ways, index: int) -> Way:
    split, place = ways.split(index, option.attribute, growth.schema), ways.places[index]
    side = int(ways.splits.missing_to[place]) if growth.plan.missing_is_value else UNKNOWN
    branch, texts = with_side(split, side, values, growth.schema)
    counts = outcomes(branch, len(texts), growth.dataset, seen.rows, seen.weights)
    gain = float(ways.splits.gain[place])
    is_best = split == option.split and (side == option.missing_to or side == UNKNOWN)
    return Way(texts[0], gain, tuple(tuple(row) for row in counts.tolist()), is_best)


def _classes_of_values(
    growth: Growth, seen: Seen, values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the distinct known values, and the class of each; -1 for a value with several classes."""
    assert growth.dataset.target is not None
    is_known = values == values
    target = np.asarray(growth.dataset.target[seen.rows][is_known], np.int64)
    distinct, place = np.unique(values[is_known], return_inverse=True)
    least, most = np.full(len(distinct), len(growth.schema.target.labels)), np.full(len(distinct), -1)
    np.minimum.at(least, place, target)
    np.maximum.at(most, place, target)
    return distinct, np.where(least == most, least, -1)


def _runs(
    distinct: NDArray[np.float64], code: NDArray[np.int64], attribute: Attribute, target_labels: tuple[str, ...]
) -> tuple[Run, ...]:
    """Return runs of values of one class; a value with several classes is a run of its own."""
    if len(distinct) > MOST_RUN_VALUES:
        return ()
    runs: list[tuple[str, list[str]]] = []
    for value, own in zip(distinct.tolist(), code.tolist(), strict=True):
        label = MIXED if own < 0 else quoted(target_labels[own])
        text = number_text(value) if attribute.is_numeric else quoted(attribute.labels[int(value)])
        if own < 0 or not runs or runs[-1][0] != label:
            runs.append((label, []))
        runs[-1][1].append(text)
    return tuple((label, tuple(own)) for label, own in runs)
