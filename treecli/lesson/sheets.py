"""Sheets with other numbers: rows drawn from the data, and the arithmetic of the root of their tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treecli.lesson.answers import Answer, of_gain, of_impurity
from treecli.lesson.variants import root_trace

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.settings import Settings
    from treecli.teaching.candidates import Style

MOST_ROWS = 14
N_SHEETS = 3
N_DRAWS = 60
CLEAR = 0.05
"""The lead of the best question that a sheet should have."""

MOST_GAINS = 6


@dataclass(frozen=True, slots=True)
class Sheet:
    """Rows, the numbers to work out, and the best question with its rivals."""

    dataset: Dataset
    answers: tuple[Answer, ...]
    names: tuple[str, ...]
    best: str


def sheets(dataset: Dataset, settings: Settings, style: Style) -> list[Sheet]:
    """Return sheets whose best question leads clearly, as far as draws of the rows have any; other rows each."""
    found: list[tuple[float, tuple[int, ...], Sheet]] = []
    for number in range(N_DRAWS):
        random = np.random.default_rng([settings.computing.seed, number])
        rows = np.sort(random.integers(0, dataset.n_rows, min(MOST_ROWS, dataset.n_rows)))
        if any(key == tuple(rows.tolist()) for _, key, _ in found):
            continue
        own = _sheet(dataset.take(rows), settings, style)
        if own is not None:
            found.append((min(own[0], CLEAR), tuple(rows.tolist()), own[1]))
        if sum(lead >= CLEAR for lead, _, _ in found) == N_SHEETS:
            break
    found.sort(key=lambda each: -each[0])
    return [sheet for _, _, sheet in found[:N_SHEETS]]


def _sheet(rows: Dataset, settings: Settings, style: Style) -> tuple[float, Sheet] | None:
    """Return the lead of the best question, and the sheet; None if nothing is to be chosen."""
    found = root_trace(rows, settings, style)
    node = found.trace.nodes[0]
    if node.chosen is None or node.impurity is None:
        return None
    open_ = [own for own in node.every if own.gain is not None]
    if len(open_) < 2 or node.runner_up is None:
        return None
    chosen, rival = (own.ratio or own.gain for own in (node.chosen, node.runner_up))
    assert chosen is not None
    assert rival is not None
    shown = sorted(open_, key=lambda own: -own.gain.exact if own.gain is not None else 0.0)[:MOST_GAINS]
    kept = [own for own in open_ if own in shown]
    answers = [of_impurity(node.impurity, node, found.impurity)]
    answers += [of_gain(own, node.impurity, node, found.impurity) for own in kept]
    names = tuple(own.title for own in open_)
    return chosen.exact - rival.exact, Sheet(rows, tuple(answers), names, node.chosen.title)
