"""C4.5 release 8's search for a split, in its 32-bit floats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.grow.candidates import NO_GAIN, Candidates, CountTables, Cuts, Flags, Floats, joined, room_for_cuts
from treecli.grow.level import MemoryLevel, SortedCases
from treecli.kernels import codes, score_c45
from treecli.kernels.args import At, Plan, Scratch
from treecli.kernels.choose import AVERAGE_SLACK
from treecli.scorers import Ranking
from treecli.scorers._usual import open as open
from treecli.scorers._usual import order as order
from treecli.scorers._usual import root as root
from treecli.scorers._usual import settle as settle
from treecli.scorers._usual import settle_root as settle_root
from treecli.scorers._usual import worth as worth
from treecli.splits.threshold import LOWEST

if TYPE_CHECKING:
    from treecli.criteria import Criterion
    from treecli.missing import Policy
    from treecli.settings import Settings

NO_LOSS = -1e-3
"""A nominal split must gain more than this. Zero gain is allowed; otherwise XOR could not be split."""

LEAST_INFORMATION = 1e-3
"""The split information must exceed this."""

MOST_WEIGHT = 1e30
"""Logarithms of larger weights do not fit 32-bit floats."""


def refuses(settings: Settings, criterion: Criterion, policy: Policy) -> str | None:
    """Return why C4.5's arithmetic does not support these settings; None if it does."""
    splitting, stopping, predicting = settings.splitting, settings.stopping, settings.predicting
    reasons = {
        "C4.5's arithmetic ranks by gain ratio": not criterion.is_ratio,
        "in C4.5's arithmetic a case with a missing value takes all branches": not policy.spreads,
        "in C4.5's arithmetic each label has a branch": splitting.nominal != "multiway",
        "in C4.5's arithmetic thresholds are values of the data": splitting.threshold != "datavalue",
        "C4.5's arithmetic has no bins": splitting.discretize != "none",
        "C4.5's arithmetic has no chi-square test": stopping.chi2_alpha is not None,
        "C4.5's arithmetic has no priors": predicting.priors is not None,
        "C4.5's arithmetic has no costs": predicting.costs is not None,
        "in C4.5's arithmetic a threshold has a cost": not splitting.cut_cost,
        "C4.5's arithmetic counts weights, not rows": stopping.counts_rows,
        "in C4.5's arithmetic a value that equals a threshold takes the lower branch": splitting.is_strict,
    }
    return next((reason for reason, is_given in reasons.items() if is_given), None)


def cuts(level: MemoryLevel, order: SortedCases, only_at: Floats | None, plan: Plan) -> Cuts:
    """Return the best cut of every node in the order of a column."""
    found, scratch = room_for_cuts(level.n_nodes), Scratch()
    scratch.sides, scratch.counted, scratch.terms = np.zeros((3, score_c45.SCRATCH_ROWS, level.totals.shape[1]))
    score_c45.best_cuts(level.cases, order.args, At(), plan, found.args(), scratch)
    return found


def groups(engine: Any, level: MemoryLevel, attribute: int) -> Candidates:
    """Return the split with one branch per label, at every node where at least two branches hold enough cases."""
    return joined([_multiway(tables, engine.plan) for tables in engine.tables(level, attribute)])


def _multiway(tables: CountTables, plan: Plan) -> Candidates:
    n = len(tables.weights)
    found, scratch = room_for_cuts(n), Scratch()
    scratch.sides = np.empty((score_c45.SCRATCH_ROWS, tables.outcomes.shape[1]))
    score_c45.multiway(tables.args(), At(), plan, found.args(), scratch)
    return Candidates(
        "multiway",
        found.gain,
        found.split_info,
        found.test,
        n_branches=np.full(n, tables.n_labels, np.int32),
        missing_to=np.full(n, codes.SPREAD, np.int32),
        parts_missing=np.zeros(n, bool),
        table=np.broadcast_to(np.arange(tables.n_labels, dtype=np.int32), (n, tables.n_labels)),
    )


def rank(candidates: Sequence[Candidates], gain: Floats, level: MemoryLevel, plan: Plan) -> Ranking:
    """Rank by gain ratio in 32-bit floats, compared exactly."""
    split_info = np.array([c.split_info for c in candidates])
    ratio = ratios(gain, split_info, np.asarray(plan.is_counted).astype(bool))
    return Ranking(ratio, 0.0, ratio)


def ratios(gain: Floats, split_info: Floats, is_counted: Flags) -> Floats:
    """Return the gain ratios of candidates, with one row per attribute.

    A ratio is -inf if the gain is below average or the attribute cannot split the node.
    """
    is_usable = gain > NO_LOSS
    is_averaged = is_usable & is_counted[:, None]
    added = np.zeros(gain.shape[1], np.float32)
    for of_attribute in np.where(is_averaged, gain, 0.0).astype(np.float32):
        added += of_attribute
    n_averaged = is_averaged.sum(axis=0)
    average = added / np.maximum(n_averaged, 1).astype(np.float32)
    is_eligible = is_usable & (n_averaged > 0) & (gain >= average - AVERAGE_SLACK) & (split_info > LEAST_INFORMATION)
    ratio = np.where(is_eligible, gain / np.where(is_eligible, split_info, 1.0), 0.0)
    return np.where(is_eligible, ratio.astype(np.float32).astype(np.float64), NO_GAIN)


def at_data_values(found: Candidates, cuts: Cuts, values: Floats, column: Floats, plan: Plan) -> Candidates:
    """Move each threshold to the largest data value that does not exceed the midpoint in 32 bits.

    `values` are the sorted distinct values of all rows. Thresholds are not rounded to 32 bits; rows take the same
    branches as if they were.
    """
    is_cut = np.isfinite(cuts.gain)
    with np.errstate(over="ignore", invalid="ignore"):
        singles = values.astype(np.float32)
        lower, upper = cuts.lower[is_cut].astype(np.float32), cuts.upper[is_cut].astype(np.float32)
        middle = (lower + upper) / np.float32(2)
    # The midpoint of adjacent 32-bit numbers may round to the upper one.
    middle = np.where((middle >= lower) & (middle < upper), middle, lower)
    assert found.number is not None
    number = found.number.copy()
    number[is_cut] = values[np.searchsorted(singles, middle, side="right") - 1]
    return replace(found, number=np.maximum(number, LOWEST))
