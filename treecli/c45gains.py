"""C4.5 release 8's search for a split, in its 32-bit floats: candidates, the choice among them, and thresholds."""

from __future__ import annotations

import numpy as np

from treecli.candidates import NO_GAIN, Candidates, Codes, CountTables, Cuts, Flags, Floats, Terms, empty_test, joined
from treecli.criteria import Criterion
from treecli.criteria.gainratio import AVERAGE_SLACK
from treecli.kernels import score_c45
from treecli.kernels.score_sums import NO_SIDE
from treecli.memory import MemoryEngine
from treecli.missing import Policy
from treecli.settings import Settings
from treecli.tree import LEAF

NO_LOSS = -1e-3
"""A nominal split must gain more than this; without zero gains XOR would not be split."""

LEAST_INFORMATION = 1e-3
"""A split must have more information than this."""

MOST_WEIGHT = 1e30
"""The logarithms of larger weights do not fit into 32 bits."""


def applies(settings: Settings, criterion: Criterion, policy: Policy, weights: Floats) -> bool:
    """Whether C4.5's arithmetic is asked for and has everything that is asked for."""
    return (
        settings.computing.arithmetic == "c45"
        and criterion.is_ratio
        and policy.spreads
        and settings.splitting.nominal == "multiway"
        and settings.splitting.threshold == "datavalue"
        and settings.splitting.discretize == "none"
        and settings.stopping.chi2_alpha is None
        and settings.predicting.priors is None
        and settings.predicting.costs is None
        and settings.splitting.cut_cost
        and not settings.stopping.counts_rows
        and not settings.splitting.is_strict
        and float(weights.sum()) < MOST_WEIGHT
    )


def cuts(engine: MemoryEngine, attribute: int, terms: Terms) -> Cuts:
    """The best cut of a numeric attribute at every open node."""
    n, ordered = engine.n_nodes, engine.ordered[attribute]
    found = Cuts(np.empty(n), np.empty(n), np.zeros(n), np.ones(n), np.full(n, NO_SIDE, np.int32), empty_test(n))
    score_c45.best_cuts(
        engine.start,
        ordered.n_known,
        ordered.case,
        ordered.value,
        engine.class_of_case,
        engine.weight_of_case,
        engine.outcomes,
        terms.min_leaf,
        terms.value_gap,
        terms.branch_share,
        terms.most_branch_share,
        engine.xlog2_of,
        np.empty(1, np.float32),
        *np.zeros((3, score_c45.SCRATCH_ROWS, engine.outcomes.shape[1])),
        found.gain,
        found.split_info,
        found.lower,
        found.upper,
    )
    return found


def branches(engine: MemoryEngine, attribute: int, terms: Terms) -> Candidates:
    """One branch a label, at every open node where at least two of them hold enough cases."""
    return joined([_branches(tables, engine.xlog2_of, terms) for tables in engine.count(attribute)])


def _branches(tables: CountTables, xlog2_of: Floats, terms: Terms) -> Candidates:
    n = len(tables.weights)
    gain, split_info = np.empty(n), np.empty(n)
    score_c45.multiway(
        tables.start,
        tables.outcomes,
        tables.weights,
        terms.min_leaf,
        xlog2_of,
        np.empty(1, np.float32),
        np.empty((score_c45.SCRATCH_ROWS, tables.outcomes.shape[1])),
        gain,
        split_info,
    )
    return Candidates(
        "multiway",
        gain,
        split_info,
        empty_test(n),
        n_branches=np.full(n, tables.n_labels, np.int32),
        missing_to=np.full(n, -1, np.int32),
        parts_missing=np.zeros(n, bool),
        table=np.broadcast_to(np.arange(tables.n_labels, dtype=np.int32), (n, tables.n_labels)),
    )


def choose(gain: Floats, split_info: Floats, is_counted: Flags) -> tuple[Codes, Floats, Floats]:
    """The attribute that splits each node, or LEAF; its gain ratio; and the ratios of all attributes.

    `gain` and `split_info` have a row for each attribute. A ratio is -inf where the gain is below average or the
    attribute cannot split the node.
    """
    usable = gain > NO_LOSS
    counted = usable & is_counted[:, None]
    added = np.zeros(gain.shape[1], np.float32)
    for of_attribute in np.where(counted, gain, 0.0).astype(np.float32):
        added += of_attribute
    n_counted = counted.sum(axis=0)
    average = added / np.maximum(n_counted, 1).astype(np.float32)
    eligible = usable & (n_counted > 0) & (gain >= average - AVERAGE_SLACK) & (split_info > LEAST_INFORMATION)
    ratio = np.where(eligible, gain / np.where(eligible, split_info, 1.0), 0.0).astype(np.float32).astype(np.float64)
    ratio = np.where(eligible, ratio, NO_GAIN)
    chosen = np.argmax(ratio, axis=0).astype(np.int32)  # the first of equals
    best = np.take_along_axis(ratio, chosen[None, :], axis=0)[0]
    return np.where(np.isfinite(best), chosen, LEAF).astype(np.int32), best, ratio


def at_data_values(candidates: Candidates, found: Cuts, values: Floats) -> Candidates:
    """The candidates with thresholds at values that occur: the largest that is no greater than the midpoint in 32 bits.

    `values` are the different values in all rows, sorted. A threshold keeps all its digits: rows take the same branches
    as with the threshold in 32 bits.
    """
    from dataclasses import replace

    is_cut = np.isfinite(found.gain)
    with np.errstate(over="ignore", invalid="ignore"):
        singles = values.astype(np.float32)
        lower, upper = found.lower[is_cut].astype(np.float32), found.upper[is_cut].astype(np.float32)
        middle = (lower + upper) / np.float32(2)
    # Of neighbouring 32-bit numbers the midpoint may be the upper one.
    middle = np.where((middle >= lower) & (middle < upper), middle, lower)
    assert candidates.number is not None
    number = candidates.number.copy()
    number[is_cut] = values[np.searchsorted(singles, middle, side="right") - 1]
    number = np.maximum(number, -np.finfo(float).max)  # as in threshold.best: JSON has no -inf
    return replace(candidates, number=number)
